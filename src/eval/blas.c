/* OpenBLAS in its OpenMP build, which asks libgomp how many threads the calling thread may use. That
 * limit is set to one here, and set back afterwards, because the thread may be the host program's.
 * So libgomp has nothing to do, and starts no thread. */
#include "eval/blas.h"

#include <cblas.h>

/* libgomp's; its header is there for the compiler's OpenMP alone. */
extern int omp_get_max_threads(void);
extern void omp_set_num_threads(int count);

int blas_begin(void)
{
    int limit = omp_get_max_threads();
    omp_set_num_threads(1);
    return limit;
}

void blas_end(int limit)
{
    omp_set_num_threads(limit);
}

void blas_dgemm(struct blas_result C, int64_t k, struct blas_operand A, struct blas_operand B)
{
    int limit = blas_begin();
    cblas_dgemm(CblasRowMajor, A.transposed ? CblasTrans : CblasNoTrans,
                B.transposed ? CblasTrans : CblasNoTrans, (blasint)C.m, (blasint)C.n, (blasint)k, 1,
                A.data, (blasint)A.ld, B.data, (blasint)B.ld, C.accumulate, C.data, (blasint)C.ld);
    blas_end(limit);
}
