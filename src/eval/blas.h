/* The only way to BLAS: row-major products in double by one thread, called from graco's own
 * threads. Evaluation uses it; training has kernels of its own. */
#ifndef EVAL_BLAS_H
#define EVAL_BLAS_H

#include "base/status.h"

/* The functions that are used of the library, the first two to be cast to their types. */
struct blas {
    void (*dgemm)(void);
    void (*dsyevd)(void);
    int (*get_limit)(void); /* of threads, for the calling thread */
    void (*set_limit)(int count);
};

/* Loads the library for calls from so many threads. GRACO_ERROR_MEMORY if there is no room for it,
 * GRACO_ERROR_IO if it is not there. What is loaded stays, and loading it again costs little. */
graco_status blas_open(struct blas *out, int threads);

/* A matrix, or one that is stored as its transpose; stored rows are ld apart. */
struct blas_operand {
    const double *data;
    int64_t ld;
    bool transposed;
};

struct blas_result {
    double *data;
    int64_t m, n, ld;
    bool accumulate; /* add to what is there */
};

static inline struct blas_operand blas_plain(const double *data, int64_t ld)
{
    return (struct blas_operand){data, ld, false};
}

static inline struct blas_operand blas_transposed(const double *data, int64_t ld)
{
    return (struct blas_operand){data, ld, true};
}

/* What comes between the two runs on the calling thread alone: other numbers of threads give other
 * bits. blas_end gets what blas_begin returned. */
int blas_begin(const struct blas *blas);
void blas_end(const struct blas *blas, int limit);

/* C (m, n) (+)= A (m, k) B (k, n). Every dimension must fit an int. */
void blas_dgemm(const struct blas *blas, struct blas_result C, int64_t k, struct blas_operand A,
                struct blas_operand B);

#endif
