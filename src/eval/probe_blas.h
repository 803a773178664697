/* The dense linear algebra of the probe, in double: the only door from eval/ to BLAS and LAPACK.
 *
 * Calls are serial and give the same bits for the same shapes and numbers; the probe's own threads
 * call them side by side. */
#ifndef EVAL_PROBE_BLAS_H
#define EVAL_PROBE_BLAS_H

#include "base/status.h"

/* C (m, n) = beta C + A (m, k) B (k, n), row-major, rows `lda`, `ldb`, `ldc` numbers apart. */
void probe_multiply(double *C, int64_t ldc, double beta, const double *A, int64_t lda,
                    const double *B, int64_t ldb, int64_t m, int64_t n, int64_t k);

/* C (m, n) = A (m, k) B' with B (n, k). */
void probe_multiply_bt(double *C, int64_t ldc, const double *A, int64_t lda, const double *B,
                       int64_t ldb, int64_t m, int64_t n, int64_t k);

/* C (m, n) = A' B with A (k, m) and B (k, n). */
void probe_multiply_at(double *C, int64_t ldc, const double *A, int64_t lda, const double *B,
                       int64_t ldb, int64_t m, int64_t n, int64_t k);

/* Eigenvalues, ascending, and eigenvectors of the symmetric A (n, n), of which the lower triangle
 * is read. On success row j of A holds the eigenvector of values[j]. Costs about 4 n^3 operations
 * and 2 n^2 numbers of memory. */
graco_status probe_eigen(double *values, double *A, int64_t n);

#endif
