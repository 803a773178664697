#include "compute/blas.h"

#include <cblas.h>

static CBLAS_TRANSPOSE flag(bool transpose)
{
    return transpose ? CblasTrans : CblasNoTrans;
}

void blas_sgemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, float alpha,
                const float *A, int64_t lda, const float *B, int64_t ldb, float beta, float *C,
                int64_t ldc)
{
    cblas_sgemm(CblasRowMajor, flag(transpose_a), flag(transpose_b), (blasint)m, (blasint)n,
                (blasint)k, alpha, A, (blasint)lda, B, (blasint)ldb, beta, C, (blasint)ldc);
}

void blas_dgemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha,
                const double *A, int64_t lda, const double *B, int64_t ldb, double beta, double *C,
                int64_t ldc)
{
    cblas_dgemm(CblasRowMajor, flag(transpose_a), flag(transpose_b), (blasint)m, (blasint)n,
                (blasint)k, alpha, A, (blasint)lda, B, (blasint)ldb, beta, C, (blasint)ldc);
}
