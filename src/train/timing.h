/* How long the epochs of a training took, in bounded memory: the median of all of them, or of every
 * 2nd, 4th, 8th ... where there are more than TIMING_KEPT. */
#ifndef TRAIN_TIMING_H
#define TRAIN_TIMING_H

#include <stdint.h>

enum { TIMING_KEPT = 1 << 10 };

/* Starts zeroed. */
struct timing {
    double seconds[TIMING_KEPT]; /* of epochs 0, 2^halvings, 2 * 2^halvings, ... */
    int64_t kept, halvings, count;
};

void timing_add(struct timing *timing, double seconds);

/* 0 if there was no epoch. Sorts: to be called once, at the end. */
double timing_median(struct timing *timing);

#endif
