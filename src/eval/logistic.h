/* L2-regularised logistic regression, many outputs and a whole grid of C at once.
 *
 * For each output k and each C the objective is LIBLINEAR's (its solver 0),
 *
 *     f(w) = 1/2 w'w + C sum over rows i of log(1 + exp(-t_i w'x_i))        t_i = +1 or -1,
 *
 * where a bias, if wanted, is a constant column of X and is regularised like the others.
 *
 * Stopping rule. f is 1-strongly convex, so f(w) - min f <= |g|^2 / 2 with g = f'(w). A solve has
 * converged when
 *
 *     |g|^2 / 2 <= LOGISTIC_GAP * f(w)
 *
 * which proves that its objective is within LOGISTIC_GAP, relatively, of the minimum. The left side
 * over f(w) is called the gap. It is checked on the gradient of the w that is returned. A solve
 * that stops at LOGISTIC_NEWTON_MAX steps without it is counted as not converged. */
#ifndef EVAL_LOGISTIC_H
#define EVAL_LOGISTIC_H

#include "compute/context.h"
#include "eval/blas.h"

#define LOGISTIC_GAP 1e-6
enum { LOGISTIC_NEWTON_MAX = 100 };

/* Training rows in the coordinates of their principal axes, X = XQ Q', shared by every output and
 * every C. Owns its arrays. */
struct logistic_rows {
    int64_t rows, cols;
    int64_t rank;            /* numerical rank of X, at least 1 */
    double *XQ;              /* (rows, rank) */
    float *XQ_rounded;       /* the same in float32 */
    double *Q;               /* (cols, rank), orthonormal columns */
    double *lambda;          /* (rank) squared singular values of X */
    const struct blas *blas; /* borrowed */
};

/* Rotates X (rows, cols), both at least 1. Costs rows * cols * min(rows, cols) plus 4 min^3
 * operations for the axes and as much again for the rotation. The caller clears *out. */
graco_status logistic_rows_init(struct logistic_rows *out, const struct blas *blas, const double *X,
                                int64_t rows, int64_t cols, int threads);

void logistic_rows_clear(struct logistic_rows *rows);

/* What happened in one or several calls of logistic_solve. */
struct logistic_report {
    int64_t solves, unconverged;
    double worst_gap; /* over all solves */
};

void logistic_report_add(struct logistic_report *sum, const struct logistic_report *one);

/* Every output for every C; borrows its arrays. */
struct logistic_problem {
    struct context *context; /* whose device multiplies */
    const struct logistic_rows *rows;
    int64_t outputs, count;
    const uint8_t *positive; /* (outputs, rows) nonzero where t_i = +1 */
    const double *C;         /* (count) ascending */
};

/* W (count, outputs, cols) gets the weights in the coordinates of the X that was given. The same
 * problem gives the same bits on the same device for any number of threads. */
graco_status logistic_solve(double *W, struct logistic_report *report,
                            const struct logistic_problem *problem);

#endif
