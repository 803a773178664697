/* Threads are OpenMP's. Times come from two clocks of the system: one that never goes backwards, and
 * one that runs only while the calling thread does. */
#include "base/threads.h"

#include "graco.h"

#include <omp.h>
#include <sys/resource.h>
#include <time.h>

enum { THREADS_MAX = 1024 };

int threads_count(int64_t wanted)
{
    if (wanted <= 0)
        return omp_get_num_procs();
    return wanted < THREADS_MAX ? (int)wanted : THREADS_MAX;
}

double threads_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double threads_own_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int64_t graco_peak_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (int64_t)usage.ru_maxrss * 1024;
}
