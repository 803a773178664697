/* Small square matrices in double, row-major, on one thread: what block methods do with the products of a
 * block's columns. */
#ifndef DATA_SMALL_MATRIX_H
#define DATA_SMALL_MATRIX_H

#include "base/status.h"

/* M (n, n), upper: the columns of B M are orthonormal where G = B'B (n, n). A column of B that depends on
 * those before it becomes zeros in M. n^3 operations. */
void small_invert_cholesky(double *M, const double *G, int64_t n);

/* The columns of V (n, n) become the eigenvectors of H (n, n), symmetric; value (n) their eigenvalues, which
 * fall. H is used up. About 30 n^3 operations. */
void small_eigen(double *value, double *V, double *H, int64_t n);

#endif
