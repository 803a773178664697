/* How well scores put some items before others. */
#ifndef EVAL_RANKING_H
#define EVAL_RANKING_H

#include "base/status.h"

/* Both are shares, 0 .. 1, NaN where all items are of one kind. Scores are finite; equal ones count together,
 * as in scikit-learn:
 *
 *     auc                 P(positive > other) + 1/2 P(positive = other)
 *     average_precision   sum over distinct scores of (recall there - recall before) * precision there
 *
 * O(count log count). */
struct ranking {
    double auc, average_precision;
};

graco_status ranking_measure(struct ranking *out, const double *score, const uint8_t *positive,
                             int64_t count);

#endif
