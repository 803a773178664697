/* OpenBLAS in its OpenMP build: inside a parallel region of several threads it works alone, as
 * wanted. Outside one, or in a team of one, it would start threads and give other bits; so the
 * product then runs in a region of its own whose limit is one thread, a limit that ends with the
 * region. */
#include "eval/blas.h"

#include <cblas.h>
#include <omp.h>

void blas_dgemm(struct blas_result C, int64_t k, struct blas_operand A, struct blas_operand B)
{
#pragma omp parallel num_threads(1) if (!omp_in_parallel())
    {
        omp_set_num_threads(1);
        cblas_dgemm(CblasRowMajor, A.transposed ? CblasTrans : CblasNoTrans,
                    B.transposed ? CblasTrans : CblasNoTrans, (blasint)C.m, (blasint)C.n,
                    (blasint)k, 1, A.data, (blasint)A.ld, B.data, (blasint)B.ld, C.accumulate,
                    C.data, (blasint)C.ld);
    }
}
