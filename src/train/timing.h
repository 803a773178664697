/* How long the epochs of a training took, in bounded memory: the median of all of them, or of every
 * 2nd, 4th, 8th ... where there are more than TIMING_KEPT. */
#ifndef TRAIN_TIMING_H
#define TRAIN_TIMING_H

#include "base/status.h"

enum { TIMING_KEPT = 1 << 14 };

struct timing {
    double *seconds; /* (room) of epochs 0, stride, 2 * stride, ... */
    int64_t room, kept, stride, count;
};

/* Makes room for `epochs`, or for TIMING_KEPT if they are more. Nothing is allocated later. */
graco_status timing_init(struct timing *timing, int64_t epochs);

void timing_add(struct timing *timing, double seconds);

/* 0 if there was no epoch. Sorts: to be called once, at the end. */
double timing_median(struct timing *timing);

void timing_clear(struct timing *timing);

#endif
