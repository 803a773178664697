/* How much of some columns a linear regression of others predicts. */
#ifndef EVAL_RIDGE_H
#define EVAL_RIDGE_H

#include "graco.h"

/* The most rows that a regression learns from, and is asked about. */
enum { RIDGE_LEARNT = 2048, RIDGE_ASKED = 4096 };

/* The share of the variance of Y (rows, targets) that a ridge regression of X (rows, cols) predicts:
 *
 *     W = argmin |Y - 1 y' - (X - 1 x') W|^2 + r |W|^2       over a random half of the rows, whose means are x and y
 *     1 - sum |Y_i - y - W'(X_i - x)|^2 / sum |Y_i - y|^2    over the others
 *
 * r is one of 0.01, 0.1, 1 and 10 times the mean of the diagonal of (X - 1 x')'(X - 1 x'): the one that predicts
 * most, as a probe chooses its C. 0 .. 1, 0 where the means predict more than every regression; NaN where Y has no
 * variance, and for fewer than two rows. With m rows to learn from O(m d min(m, d) + targets d (m + asked)).
 * The same for any number of threads. */
graco_status ridge_predicted(double *share, const graco_matrix *Y, const graco_matrix *X,
                             int threads);

#endif
