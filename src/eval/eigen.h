/* Eigenvalues and eigenvectors of a symmetric matrix. */
#ifndef EVAL_EIGEN_H
#define EVAL_EIGEN_H

#include "eval/blas.h"

/* Reads the lower triangle of A (n, n). On success `values` (n) ascends and row j of A is the
 * eigenvector of values[j]. Runs on one thread, the same bits every time. Costs about 4 n^3
 * operations and 2 n^2 numbers of memory. */
graco_status eigen_symmetric(double *values, double *A, int64_t n, const struct blas *blas);

#endif
