/* The only way to BLAS: row-major products in double by one thread, called from graco's own
 * threads. Evaluation uses it; training has kernels of its own. */
#ifndef EVAL_BLAS_H
#define EVAL_BLAS_H

#include <stdbool.h>
#include <stdint.h>

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
int blas_begin(void);
void blas_end(int limit);

/* C (m, n) (+)= A (m, k) B (k, n). Every dimension must fit an int. */
void blas_dgemm(struct blas_result C, int64_t k, struct blas_operand A, struct blas_operand B);

#endif
