/* Made by make_sklearn_golden.py: what scikit-learn gives. */
#ifndef TESTS_EVAL_SKLEARN_GOLDEN_H
#define TESTS_EVAL_SKLEARN_GOLDEN_H

#include <stdint.h>

static const struct {
    int64_t items, distinct;
    double auc, average_precision;
} rankings[] = {
    {10, 3, 0.4375, 0.36250000000000004},
    {200, 5, 0.61523015137472969, 0.51638559452935606},
    {200, 1000, 0.62094261883227819, 0.62356230215501929},
    {1001, 40, 0.68950305150817992, 0.65323578151761574},
    {50, 1, 0.5, 0.29999999999999999},
};

static const struct {
    int64_t items, a, b;
    double nmi, ari, accuracy;
} partitions[] = {
    {60, 3, 3, 0.59197705743099582, 0.62984903664129477, 0.8666666666666667},
    {500, 7, 7, 0.4197833832965181, 0.40778480411196438, 0.69199999999999995},
    {500, 4, 9, 0.42466135982312919, 0.48111286937450737, 0.68999999999999995},
    {500, 9, 4, 0.3084569149801209, 0.22982137720211879, 0.34999999999999998},
    {40, 1, 1, 1, 1, 1},
    {40, 1, 5, 0, 0, 0.75},
    {64, 64, 2, 0.22741139180948775, 0.0044464348549310643, 0.078125},
};

static const struct {
    int64_t rows, clusters, cols;
    double silhouette;
} silhouettes[] = {
    {40, 3, 3, 0.1177080853684946},
    {120, 5, 17, 0.094571271320500111},
};

#endif
