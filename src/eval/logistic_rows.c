/* The rotation of the training rows to their principal axes.
 *
 * With X = U S V' (thin), the axes are the columns of V: eigenvectors of X'X, or, where X has fewer
 * rows than columns, X' U S^-1 with the eigenvectors U of XX'. At the minimum of the objective the
 * weights have no part that is orthogonal to every row, so such directions are left out. */
#include "eval/logistic.h"

#include "base/memory.h"
#include "eval/blas.h"
#include "eval/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The lower triangle of G = X'X or, if `outer`, XX', in panels whose size is fixed. */
static void gram(double *G, const struct logistic_rows *out, const double *X, bool outer,
                 int threads)
{
    enum { PANEL = 64 };
    int64_t rows = out->rows, cols = out->cols, n = outer ? rows : cols;
    int64_t panels = (n + PANEL - 1) / PANEL;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t p = panels - 1; p >= 0; p--) {
        int64_t first = p * PANEL, size = min64(PANEL, n - first);
        const struct blas_result to = {G + first * n, size, first + size, n, false};
        if (outer)
            blas_dgemm(out->blas, to, cols, blas_plain(X + first * cols, cols),
                       blas_transposed(X, cols));
        else
            blas_dgemm(out->blas, to, rows, blas_transposed(X + first, cols), blas_plain(X, cols));
    }
}

/* XQ = X Q in blocks of rows on all threads. */
static void rotate(const struct logistic_rows *out, const double *X, int threads)
{
    enum { BLOCK = 128 };
    int64_t rows = out->rows, cols = out->cols, rank = out->rank;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t first = 0; first < rows; first += BLOCK)
        blas_dgemm(out->blas,
                   (struct blas_result){out->XQ + first * rank, min64(BLOCK, rows - first), rank,
                                        rank, false},
                   cols, blas_plain(X + first * cols, cols), blas_plain(out->Q, rank));
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
        enum { BLOCK = 64 };
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int64_t first = 0; first < out->cols; first += BLOCK)
            blas_dgemm(out->blas,
                       (struct blas_result){out->Q + first * rank, min64(BLOCK, out->cols - first),
                                            rank, rank, false},
                       n, blas_transposed(X + first, out->cols), blas_plain(scaled, rank));
    } else {
        memcpy(out->Q, scaled, (size_t)(n * rank) * sizeof *scaled);
    }
done:
    memory_free(scaled);
    return status;
}

graco_status logistic_rows_init(struct logistic_rows *out, const struct blas *blas, const double *X,
                                int64_t rows, int64_t cols, int threads)
{
    graco_status status = GRACO_OK;
    struct logistic_rows made = {.rows = rows, .cols = cols, .blas = blas};
    double *E = NULL, *values = NULL;
    bool outer = rows < cols;
    int64_t n = min64(rows, cols);
    TRY(memory_alloc(&E, n * n, sizeof *E));
    TRY(memory_alloc(&values, n, sizeof *values));
    gram(E, &made, X, outer, threads);
    TRY(eigen_symmetric(values, E, n, blas));
    TRY(keep_axes(&made, E, values, X, outer, threads));
    TRY(memory_alloc(&made.XQ, rows * made.rank, sizeof *made.XQ));
    rotate(&made, X, threads);
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
    memory_free(rows->Q);
    memory_free(rows->lambda);
    *rows = (struct logistic_rows){0};
}
