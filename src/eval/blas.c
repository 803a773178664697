/* OpenBLAS in its OpenMP build, which asks libgomp how many threads the calling thread may use. That
 * limit is set to one here, and set back afterwards, because the thread may be the host program's.
 * So libgomp has nothing to do, and starts no thread.
 *
 * Both libraries are loaded when an evaluation begins, because loading OpenBLAS reserves hundreds of
 * megabytes of addresses, and where these are limited it waits for them without end. So room for it
 * is asked for first. */
#include "eval/blas.h"

#include "base/memory.h"

#include <cblas.h>
#include <dlfcn.h>
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
    graco_status status = GRACO_OK;
    struct blas made;
    const struct {
        void *function;
        const char *name;
    } wanted[] = {{&made.dgemm, "cblas_dgemm"},
                  {&made.dsyevd, "dsyevd_"},
                  {&made.get_limit, "omp_get_max_threads"},
                  {&made.set_limit, "omp_set_num_threads"}};
    void *library = NULL;
    TRY(find_room(threads));
    /* It stays until the process ends: it may have threads, and is wanted again soon. */
    library = dlopen(BLAS_FOLDER "/" NAME, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        library = dlopen(NAME, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        FAIL(GRACO_ERROR_IO, "OpenBLAS cannot be loaded: %s", dlerror());
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *found = dlsym(library, wanted[i].name);
        if (!found)
            FAIL(GRACO_ERROR_IO, "OpenBLAS, of the build with OpenMP, has no %s", wanted[i].name);
        memcpy(wanted[i].function, &found, sizeof found);
    }
    *out = made;
done:
    if (library)
        dlclose(library);
    return status;
}

int blas_begin(const struct blas *blas)
{
    int limit = blas->get_limit();
    blas->set_limit(1);
    return limit;
}

void blas_end(const struct blas *blas, int limit)
{
    blas->set_limit(limit);
}

void blas_dgemm(const struct blas *blas, struct blas_result C, int64_t k, struct blas_operand A,
                struct blas_operand B)
{
    dgemm *multiply = (dgemm *)blas->dgemm;
    int limit = blas_begin(blas);
    multiply(CblasRowMajor, A.transposed ? CblasTrans : CblasNoTrans,
             B.transposed ? CblasTrans : CblasNoTrans, (blasint)C.m, (blasint)C.n, (blasint)k, 1,
             A.data, (blasint)A.ld, B.data, (blasint)B.ld, C.accumulate, C.data, (blasint)C.ld);
    blas_end(blas, limit);
}
