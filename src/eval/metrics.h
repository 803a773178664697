/* Scores of a classification from its counts. */
#ifndef EVAL_METRICS_H
#define EVAL_METRICS_H

#include "base/status.h"

/* Decisions about single labels, summed over all classes. With one class per row every wrong row
 * is a false positive of one class and a false negative of another, so that micro-F1 is the
 * accuracy. */
struct metrics_counts {
    int64_t true_positive, false_positive, false_negative;
};

void metrics_add(struct metrics_counts *sum, const struct metrics_counts *one);

/* 2 tp / (2 tp + fp + fn); 0 where there is nothing to count. */
double metrics_f1(const struct metrics_counts *counts);

/* All in 0 .. 1. */
struct metrics_scores {
    double accuracy; /* share of right rows; multi-label: share of right label decisions */
    double micro_f1;
    double macro_f1; /* mean F1 over the classes that occur, as truth or as prediction */
};

/* Truth by prediction takes classes^2 counts, nearly all of them zero where classes are many: with
 * more than METRICS_SQUARE a table has a row of four counts for each class, as metrics_multi reads
 * them. */
enum { METRICS_SQUARE = 1024 };

/* The columns of a table of counts. */
static inline int64_t metrics_cols(int64_t classes, bool multi)
{
    return multi || classes > METRICS_SQUARE ? 4 : classes;
}

/* Counts a row with one label, in either kind of table. */
static inline void metrics_count(int64_t *table, int64_t classes, int64_t truth, int64_t chosen)
{
    if (classes <= METRICS_SQUARE) {
        table[truth * classes + chosen]++;
    } else if (truth == chosen) {
        table[4 * truth]++;
    } else {
        table[4 * chosen + 1]++;
        table[4 * truth + 2]++;
    }
}

/* From table[truth * classes + prediction], counts of rows; or from four counts for each class. */
struct metrics_scores metrics_single(const int64_t *table, int64_t classes);

/* From table[class * 4 + ...]: true positives, false positives, false negatives, true negatives. */
struct metrics_scores metrics_multi(const int64_t *table, int64_t classes);

/* Mean and sample deviation (n - 1; 0 for n = 1) of n numbers. */
void metrics_spread(double *mean, double *deviation, const double *values, int64_t n);

#endif
