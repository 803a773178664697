/* OpenBLAS in its OpenMP build: inside a parallel region of several threads it works alone, as
 * wanted. Outside one, or in a team of one, it would start threads and give other bits; so the
 * product then runs in a region of its own whose limit is one thread, a limit that ends with the
 * region. */
#include "base/blas.h"

#include <cblas.h>
#include <omp.h>

static CBLAS_TRANSPOSE flag(bool transpose)
{
    return transpose ? CblasTrans : CblasNoTrans;
}

void blas_sgemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, float alpha,
                const float *A, int64_t lda, const float *B, int64_t ldb, float beta, float *C,
                int64_t ldc)
{
    CBLAS_TRANSPOSE a = flag(transpose_a), b = flag(transpose_b);
#pragma omp parallel num_threads(1) if (!omp_in_parallel())
    {
        omp_set_num_threads(1);
        cblas_sgemm(CblasRowMajor, a, b, (blasint)m, (blasint)n, (blasint)k, alpha, A, (blasint)lda,
                    B, (blasint)ldb, beta, C, (blasint)ldc);
    }
}

void blas_dgemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha,
                const double *A, int64_t lda, const double *B, int64_t ldb, double beta, double *C,
                int64_t ldc)
{
    CBLAS_TRANSPOSE a = flag(transpose_a), b = flag(transpose_b);
#pragma omp parallel num_threads(1) if (!omp_in_parallel())
    {
        omp_set_num_threads(1);
        cblas_dgemm(CblasRowMajor, a, b, (blasint)m, (blasint)n, (blasint)k, alpha, A, (blasint)lda,
                    B, (blasint)ldb, beta, C, (blasint)ldc);
    }
}
