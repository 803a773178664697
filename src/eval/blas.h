/* The only way to BLAS: row-major products in double by one thread, called from graco's own
 * threads. Evaluation uses it; training has kernels of its own. */
#ifndef EVAL_BLAS_H
#define EVAL_BLAS_H

#include "base/status.h"

/* The functions that are used of the library, to be cast to their types. */
struct blas {
    void (*dgemm)(void);
    void (*dsyevd)(void);
    void (*get_limit)(void); /* of threads */
    void (*set_limit)(void); /* NULL: the library is serial */
    bool shared;             /* the limit is the process's, not the calling thread's */
    bool wide;               /* it is an int64_t, not an int */
    int limit;               /* if shared, what blas_close sets it to */
};

/* Loads the library for calls from so many threads. GRACO_ERROR_MEMORY if there is no room for it,
 * GRACO_ERROR_IO if it is not there. What is loaded stays, and loading it again costs little. A limit
 * that is the process's is one until blas_close. Of two evaluations at once the first to end sets it
 * back: the library may then share the other's products, which changes their last bits. */
graco_status blas_open(struct blas *out, int threads);

/* Sets the limit back. Zeros are accepted. */
void blas_close(struct blas *blas);

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
