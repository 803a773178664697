/* The rotation of the training rows to their principal axes.
 *
 * With X = U S V' (thin), the axes are the columns of V: eigenvectors of X'X, or, where X has fewer
 * rows than columns, X' U S^-1 with the eigenvectors U of XX'. At the minimum of the objective the
 * weights have no part that is orthogonal to every row, so such directions are left out. */
#include "eval/logistic.h"

#include "base/memory.h"
#include "base/share.h"
#include "base/threads.h"
#include "eval/blas.h"
#include "eval/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    PANEL = 64,
    BLOCK = 128, /* both: rows of a result that one call of BLAS gives */
    ROUNDED = 1 << 16
};

struct gram {
    double *G;
    const double *X;
    int64_t rows, cols;
    bool outer;
    const struct blas *blas;
};

/* Panels from the last, which is the longest, to the first. */
static void gram_panels(void *job, struct threads_piece panels)
{
    const struct gram *g = job;
    int64_t n = g->outer ? g->rows : g->cols, count = (n + PANEL - 1) / PANEL;
    for (int64_t i = panels.first; i < panels.last; i++) {
        int64_t first = (count - 1 - i) * PANEL, size = least(PANEL, n - first);
        const struct blas_result to = {g->G + first * n, size, first + size, n, false};
        if (g->outer)
            blas_dgemm(g->blas, to, g->cols, blas_plain(g->X + first * g->cols, g->cols),
                       blas_transposed(g->X, g->cols));
        else
            blas_dgemm(g->blas, to, g->rows, blas_transposed(g->X + first, g->cols),
                       blas_plain(g->X, g->cols));
    }
}

/* The lower triangle of G = X'X or, if `outer`, XX', in panels whose size is fixed. */
static void gram(double *G, const struct logistic_rows *out, const double *X, bool outer,
                 int threads)
{
    int64_t n = outer ? out->rows : out->cols;
    struct gram job = {G, X, out->rows, out->cols, outer, out->blas};
    threads_run(threads, (n + PANEL - 1) / PANEL, 1, gram_panels, &job);
}

/* Rows of C (m, n) = A (m, k) B (k, n), where A is stored as its transpose, rows `ld` apart, or is
 * not: then ld is 0. */
struct rows_product {
    const struct blas *blas;
    double *C;
    const double *A, *B;
    int64_t n, k, ld;
};

static void multiply_rows(void *job, struct threads_piece rows)
{
    const struct rows_product *p = job;
    blas_dgemm(
        p->blas,
        (struct blas_result){p->C + rows.first * p->n, rows.last - rows.first, p->n, p->n, false},
        p->k,
        p->ld ? blas_transposed(p->A + rows.first, p->ld)
              : blas_plain(p->A + rows.first * p->k, p->k),
        blas_plain(p->B, p->n));
}

/* Fills Q and lambda from the eigenvectors in the rows of E (n, n), leaving out what is zero within
 * rounding. With fewer rows than columns E belongs to XX', and Q = X' E / sqrt(lambda). */
static graco_status keep_axes(struct logistic_rows *out, const double *E, const double *values,
                              const double *X, bool outer, int threads)
{
    graco_status status = GRACO_OK;
    double *scaled = NULL;
    int64_t n = outer ? out->rows : out->cols;
    double floor = values[n - 1] * (outer ? 1e-12 : DBL_EPSILON * (double)n);
    int64_t rank = 0;
    while (rank < n && values[n - 1 - rank] > floor)
        rank++;
    out->rank = rank = rank > 0 ? rank : 1;
    TRY(memory_alloc(&out->Q, out->cols * rank, sizeof *out->Q));
    TRY(memory_alloc(&out->lambda, rank, sizeof *out->lambda));
    TRY(memory_alloc(&scaled, n * rank, sizeof *scaled));
    for (int64_t j = 0; j < rank; j++) {
        double value = fmax(values[n - 1 - j], 0);
        double scale = !outer ? 1 : value > 0 ? 1 / sqrt(value) : 0;
        out->lambda[j] = value;
        for (int64_t i = 0; i < n; i++)
            scaled[i * rank + j] = scale * E[(n - 1 - j) * n + i];
    }
    if (outer) {
        struct rows_product product = {out->blas, out->Q, X, scaled, rank, n, out->cols};
        threads_run(threads, out->cols, PANEL, multiply_rows, &product);
    } else {
        memcpy(out->Q, scaled, (size_t)(n * rank) * sizeof *scaled);
    }
done:
    memory_free(scaled);
    return status;
}

struct rounding {
    float *to;
    const double *from;
};

static void round_numbers(void *job, struct threads_piece numbers)
{
    const struct rounding *r = job;
    for (int64_t i = numbers.first; i < numbers.last; i++)
        r->to[i] = (float)r->from[i];
}

graco_status logistic_rows_init(struct logistic_rows *out, const struct blas *blas, const double *X,
                                int64_t rows, int64_t cols, int threads)
{
    graco_status status = GRACO_OK;
    struct logistic_rows made = {.rows = rows, .cols = cols, .blas = blas};
    double *E = NULL, *values = NULL;
    bool outer = rows < cols;
    int64_t n = least(rows, cols);
    TRY(memory_alloc(&E, n * n, sizeof *E));
    TRY(memory_alloc(&values, n, sizeof *values));
    gram(E, &made, X, outer, threads);
    TRY(eigen_symmetric(values, E, n, blas));
    TRY(keep_axes(&made, E, values, X, outer, threads));
    TRY(memory_alloc(&made.XQ, rows * made.rank, sizeof *made.XQ));
    struct rows_product product = {blas, made.XQ, X, made.Q, made.rank, cols, 0};
    threads_run(threads, rows, BLOCK, multiply_rows, &product);
    TRY(memory_alloc(&made.XQ_rounded, rows * made.rank, sizeof *made.XQ_rounded));
    struct rounding rounding = {made.XQ_rounded, made.XQ};
    threads_run(threads, rows * made.rank, ROUNDED, round_numbers, &rounding);
    *out = made;
done:
    if (status != GRACO_OK)
        logistic_rows_clear(&made);
    memory_free(values);
    memory_free(E);
    return status;
}

void logistic_rows_clear(struct logistic_rows *rows)
{
    if (!rows)
        return;
    memory_free(rows->XQ);
    memory_free(rows->XQ_rounded);
    memory_free(rows->Q);
    memory_free(rows->lambda);
    *rows = (struct logistic_rows){0};
}
