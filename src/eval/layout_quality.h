/* How faithful a layout is: are nodes that lie side by side alike, and do nodes that are alike lie side
 * by side? Both are means over nodes, 1 at best, and 0.5 or so for places drawn at random. */
#ifndef EVAL_LAYOUT_QUALITY_H
#define EVAL_LAYOUT_QUALITY_H

#include "base/status.h"

/* Of a node i, U are the k nodes nearest to it in the plane and V the k nodes whose rows of Z have the
 * largest cosine with its own; r(i, j) is the rank of j by cosine and s(i, j) that in the plane, from 1,
 * equal ones by number. With n nodes
 *
 *     trustworthiness = 1 - 2 / (n k (2n - 3k - 1)) sum over i, j in U of max(r(i, j) - k, 0)
 *     continuity      = the same with V and s (Venna and Kaski, 2001) */
struct layout_quality {
    double trustworthiness, continuity; /* NaN for fewer than 4 nodes */
    int64_t k;                          /* that was used: less than half of the nodes */
    int64_t sample;                     /* nodes that the means are over */
};

/* Measures places (rows of Z, 2) by `sample` nodes at even distances, or by all if there are no more;
 * Z is finite. The same bits for any number of threads. O(sample * nodes * (columns + k)). */
graco_status layout_quality(struct layout_quality *out, const graco_matrix *Z, const float *place,
                            int64_t k, int64_t sample, int threads);

#endif
