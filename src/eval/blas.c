/* Any CBLAS with a LAPACK will do: the first of a list that can be loaded. GRACO_BLAS in the environment
 * names others than those of the build.
 *
 * graco has threads of its own, so the library is told to use one, in the way that it understands. Under
 * OpenMP each thread has a limit, which is set to one for the time of a call and set back, because the
 * thread may be the host program's. Elsewhere the limit is the process's: it is one from blas_open to
 * blas_close. A library that knows no limit is serial.
 *
 * Libraries are loaded when an evaluation begins, because loading OpenBLAS reserves hundreds of
 * megabytes of addresses, and where these are limited it waits for them without end. So room for it
 * is asked for first. */
#include "eval/blas.h"

#include "base/memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPACE_LOADED = 64,  /* MiB of addresses that OpenBLAS itself takes */
    SPACE_THREAD = 136, /* for each thread that calls it, and for one more */
    REASON = 256,       /* bytes of what is said of a library that will not do */
    OPENMP = 2,         /* what openblas_get_parallel returns; 1: threads of its own, 0: serial */
};

/* CBLAS's own numbers: its header is not needed. */
enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };

typedef void dgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, double alpha,
                   const double *A, int lda, const double *B, int ldb, double beta, double *C,
                   int ldc);

/* Takes as much as the library will and gives it back; none of it is touched. */
static graco_status find_room(int threads)
{
    void *room = NULL;
    int64_t space = SPACE_LOADED + (int64_t)SPACE_THREAD * (threads + 1);
    graco_status status = memory_alloc(&room, space << 20, 1);
    memory_free(room);
    return status == GRACO_OK
               ? status
               : status_context(status, "no room for BLAS, which an evaluation needs");
}

/* It stays until the process ends: it may have threads, and is wanted again soon. */
static void *load(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* Puts a function of the library, or of those that it needs, into the pointer at `to`. */
static bool find(void *to, void *library, const char *name)
{
    void *found = dlsym(library, name);
    memcpy(to, &found, sizeof found);
    return found;
}

/* The same of OpenMP. A runtime that the whole program sees, as PyTorch loads its own, comes before
 * the one that the library brings: the loader has bound the library to it. */
static bool find_openmp(void *to, void *library, const char *name)
{
    void *program = dlopen(NULL, RTLD_NOW);
    bool found = program && find(to, program, name);
    if (program)
        dlclose(program);
    return found || find(to, library, name);
}

static bool find_lapack(struct blas *blas, void *library)
{
    static const char *const beside[] = {"liblapack.so.3", "liblapack.so"};
    bool found = find(&blas->dsyevd, library, "dsyevd_");
    for (size_t i = 0; !found && i < sizeof beside / sizeof *beside; i++) {
        void *lapack = load(beside[i]);
        found = lapack && find(&blas->dsyevd, lapack, "dsyevd_");
        if (lapack)
            dlclose(lapack);
    }
    return found;
}

/* How this library is told how many threads to use. */
static void find_limit(struct blas *blas, void *library)
{
    static const struct {
        const char *get, *set;
        bool shared, wide;
    } ways[] = {{"bli_thread_get_num_threads", "bli_thread_set_num_threads", true, true},
                {"MKL_Get_Max_Threads", "MKL_Set_Num_Threads", true, false},
                {"openblas_get_num_threads", "openblas_set_num_threads", true, false},
                {"omp_get_max_threads", "omp_set_num_threads", false, false}};
    int (*parallel)(void) = NULL;
    bool openmp = find(&parallel, library, "openblas_get_parallel") && parallel() == OPENMP;
    for (size_t i = openmp ? 3 : 0; i < sizeof ways / sizeof *ways; i++) {
        bool (*look)(void *, void *, const char *) = ways[i].shared ? find : find_openmp;
        if (look(&blas->get_limit, library, ways[i].get) &&
            look(&blas->set_limit, library, ways[i].set)) {
            blas->shared = ways[i].shared;
            blas->wide = ways[i].wide;
            return;
        }
    }
    blas->set_limit = NULL;
}

/* Tries one library; `reason` says why it will not do. */
static bool try_library(struct blas *blas, char reason[REASON], const char *name)
{
    void *library = load(name);
    if (!library) {
        snprintf(reason, REASON, "%s", dlerror());
        return false;
    }
    bool multiplies = find(&blas->dgemm, library, "cblas_dgemm");
    bool complete = multiplies && find_lapack(blas, library);
    if (complete)
        find_limit(blas, library);
    else
        snprintf(reason, REASON, "%s has no %s", name,
                 multiplies ? "dsyevd_, nor has liblapack.so.3" : "cblas_dgemm");
    dlclose(library);
    return complete;
}

static int get_limit(const struct blas *blas)
{
    return blas->wide ? (int)((int64_t(*)(void))blas->get_limit)()
                      : ((int (*)(void))blas->get_limit)();
}

static void set_limit(const struct blas *blas, int count)
{
    if (blas->wide)
        ((void (*)(int64_t))blas->set_limit)(count);
    else
        ((void (*)(int))blas->set_limit)(count);
}

graco_status blas_open(struct blas *out, int threads)
{
    graco_status status = GRACO_OK;
    struct blas made = {0};
    char reason[REASON] = "", *names = NULL;
    const char *wanted = getenv("GRACO_BLAS");
    bool found = false;
    TRY(find_room(threads));
    TRY(memory_string(&names, wanted && *wanted ? wanted : BLAS_NAMES));
    for (char *name = names, *next = NULL; name && !found; name = next) {
        next = strchr(name, ':');
        if (next)
            *next++ = '\0';
        found = *name && try_library(&made, reason, name);
    }
    if (!found)
        FAIL(GRACO_ERROR_IO,
             "no BLAS library, which an evaluation needs (%s); looked for %.500s; GRACO_BLAS names "
             "another",
             reason, wanted && *wanted ? wanted : BLAS_NAMES);
    if (made.shared) {
        made.limit = get_limit(&made);
        set_limit(&made, 1);
    }
    *out = made;
done:
    memory_free(names);
    return status;
}

void blas_close(struct blas *blas)
{
    if (blas->shared)
        set_limit(blas, blas->limit);
    *blas = (struct blas){0};
}

int blas_begin(const struct blas *blas)
{
    if (!blas->set_limit || blas->shared)
        return 1;
    int limit = get_limit(blas);
    set_limit(blas, 1);
    return limit;
}

void blas_end(const struct blas *blas, int limit)
{
    if (blas->set_limit && !blas->shared)
        set_limit(blas, limit);
}

void blas_dgemm(const struct blas *blas, struct blas_result C, int64_t k, struct blas_operand A,
                struct blas_operand B)
{
    dgemm *multiply = (dgemm *)blas->dgemm;
    int limit = blas_begin(blas);
    multiply(ROW_MAJOR, A.transposed ? TRANSPOSED : PLAIN, B.transposed ? TRANSPOSED : PLAIN,
             (int)C.m, (int)C.n, (int)k, 1, A.data, (int)A.ld, B.data, (int)B.ld, C.accumulate,
             C.data, (int)C.ld);
    blas_end(blas, limit);
}
