/* Threads, time and memory of this process. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include <stdint.h>

/* How many threads to use when `wanted` are asked for; 0 or less: one per core of this process. */
int threads_count(int64_t wanted);

/* Seconds on a clock that never goes backwards. */
double threads_seconds(void);

/* Seconds that the calling thread has spent on a core. */
double threads_own_seconds(void);

#endif
