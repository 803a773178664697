/* The narrow door to BLAS: row-major products by one thread, called from graco's own threads. */
#ifndef BASE_BLAS_H
#define BASE_BLAS_H

#include <stdbool.h>
#include <stdint.h>

/* C (m, n) = alpha op(A) op(B) + beta C, where op(A) is (m, k) and op(B) is (k, n), and ld* is the
 * distance between rows as stored. Every dimension must fit an int. */
void blas_sgemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, float alpha,
                const float *A, int64_t lda, const float *B, int64_t ldb, float beta, float *C,
                int64_t ldc);
void blas_dgemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha,
                const double *A, int64_t lda, const double *B, int64_t ldb, double beta, double *C,
                int64_t ldc);

#endif
