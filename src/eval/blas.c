/* OpenBLAS in its OpenMP build: inside a parallel region of several threads it works alone, as
 * wanted. Outside one, or in a team of one, it would start threads and give other bits; so the
 * product then runs in a region of its own whose limit is one thread, a limit that ends with the
 * region.
 *
 * The library is loaded when an evaluation begins, because loading it reserves hundreds of megabytes
 * of addresses, and where these are limited it waits for them without end. So room for it is asked
 * for first. */
#include "eval/blas.h"

#include "base/memory.h"

#include <cblas.h>
#include <dlfcn.h>
#include <omp.h>
#include <string.h>

#define NAME "libopenblas.so.0"

enum {
    SPACE_LOADED = 64,  /* MiB of addresses that the library itself takes */
    SPACE_THREAD = 136, /* for each thread that calls it, and for one more */
};

typedef void dgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE transpose_a,
                   enum CBLAS_TRANSPOSE transpose_b, blasint m, blasint n, blasint k, double alpha,
                   const double *A, blasint lda, const double *B, blasint ldb, double beta,
                   double *C, blasint ldc);

/* Takes as much as the library will and gives it back; none of it is touched. */
static graco_status find_room(int threads)
{
    void *room = NULL;
    int64_t space = SPACE_LOADED + (int64_t)SPACE_THREAD * (threads + 1);
    graco_status status = memory_alloc(&room, space << 20, 1);
    memory_free(room);
    return status == GRACO_OK
               ? status
               : status_context(status, "no room for OpenBLAS, which an evaluation needs");
}

graco_status blas_open(struct blas *out, int threads)
{
    void *library, *product, *eigen;
    PASS(find_room(threads));
    /* It stays until the process ends: it may have threads, and is wanted again soon. */
    library = dlopen(BLAS_FOLDER "/" NAME, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        library = dlopen(NAME, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return status_fail(GRACO_ERROR_IO, "OpenBLAS cannot be loaded: %s", dlerror());
    product = dlsym(library, "cblas_dgemm");
    eigen = dlsym(library, "dsyevd_");
    dlclose(library);
    if (!product || !eigen)
        return status_fail(GRACO_ERROR_IO, "OpenBLAS has no cblas_dgemm or no dsyevd");
    memcpy(&out->dgemm, &product, sizeof product);
    memcpy(&out->dsyevd, &eigen, sizeof eigen);
    return GRACO_OK;
}

void blas_dgemm(const struct blas *blas, struct blas_result C, int64_t k, struct blas_operand A,
                struct blas_operand B)
{
    dgemm *multiply = (dgemm *)blas->dgemm;
#pragma omp parallel num_threads(1) if (!omp_in_parallel())
    {
        omp_set_num_threads(1);
        multiply(CblasRowMajor, A.transposed ? CblasTrans : CblasNoTrans,
                 B.transposed ? CblasTrans : CblasNoTrans, (blasint)C.m, (blasint)C.n, (blasint)k,
                 1, A.data, (blasint)A.ld, B.data, (blasint)B.ld, C.accumulate, C.data,
                 (blasint)C.ld);
    }
}
