/* Dense products on serial BLAS, cut into pieces by shape alone, and flat loops. */
#include "compute/cpu/cpu.h"

#include "compute/blas.h"
#include "compute/cpu/loops.h"

#include <string.h>

enum {
    PANEL_ROWS = 256,  /* rows of C in one piece when A is not transposed */
    SLICE_ROWS = 128,  /* rows of C in one piece when A is */
    PIECES = 16,       /* pieces to aim at when the sum itself is cut */
    SUM_LENGTH = 1024, /* shortest piece of a sum */
    FLAT_PIECE = 16384
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t pieces_of(int64_t n, int64_t piece)
{
    return (n + piece - 1) / piece;
}

static void gemm_piece(const struct gemm *g, int64_t row, int64_t rows, int64_t first, int64_t k,
                       float beta, float *C)
{
    const float *A = g->transpose_a ? g->A + first * g->lda + row : g->A + row * g->lda + first;
    const float *B = g->transpose_b ? g->B + first : g->B + first * g->ldb;
    blas_sgemm(g->transpose_a, g->transpose_b, rows, g->n, k, 1.0f, A, g->lda, B, g->ldb, beta, C,
               g->ldc);
}

/* C is small and the sum long, as in a gradient of weights: cut the sum, then add the parts in
 * order. */
static graco_status gemm_long(struct context *c, const struct gemm *g, int64_t parts)
{
    int64_t slices = pieces_of(g->m, SLICE_ROWS), size = g->m * g->ldc;
    int64_t length = pieces_of(g->k, parts);
    float *partial = NULL;
    graco_status status = context_take(c, &partial, (parts - 1) * size, sizeof(float));
    if (status != GRACO_OK)
        return status;
#pragma omp parallel for collapse(2) schedule(dynamic) num_threads(c->threads)
    for (int64_t part = 0; part < parts; part++) {
        for (int64_t slice = 0; slice < slices; slice++) {
            int64_t row = slice * SLICE_ROWS, first = part * length;
            float *C = (part ? partial + (part - 1) * size : g->C) + row * g->ldc;
            gemm_piece(g, row, least(SLICE_ROWS, g->m - row), first, least(length, g->k - first),
                       part ? 0.0f : g->beta, C);
        }
    }
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t row = 0; row < g->m; row++)
        for (int64_t part = 0; part < parts - 1; part++) {
            const float *from = partial + part * size + row * g->ldc;
            for (int64_t j = 0; j < g->n; j++)
                g->C[row * g->ldc + j] += from[j];
        }
    context_give(c, partial);
    return GRACO_OK;
}

graco_status cpu_gemm(struct context *c, const struct gemm *g)
{
    int64_t piece = g->transpose_a ? SLICE_ROWS : PANEL_ROWS;
    int64_t panels = pieces_of(g->m, piece);
    int64_t parts = least(PIECES / (panels < PIECES ? panels : PIECES), g->k / SUM_LENGTH);
    if (g->transpose_a && parts > 1)
        return gemm_long(c, g, pieces_of(g->k, pieces_of(g->k, parts)));
#pragma omp parallel for schedule(dynamic) num_threads(c->threads)
    for (int64_t panel = 0; panel < panels; panel++) {
        int64_t row = panel * piece;
        gemm_piece(g, row, least(piece, g->m - row), 0, g->k, g->beta, g->C + row * g->ldc);
    }
    return GRACO_OK;
}

graco_status cpu_add(struct context *c, int64_t n, float *y, const float *x)
{
    const struct loops *loops = loops_choose();
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t i = 0; i < n; i += FLAT_PIECE)
        loops->axpy(y + i, 1.0f, x + i, least(FLAT_PIECE, n - i));
    return GRACO_OK;
}

graco_status cpu_scale_rows(struct context *c, int64_t rows, int64_t cols, float *Y,
                            const float *scale, const float *X, bool accumulate)
{
    const struct loops *loops = loops_choose();
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t i = 0; i < rows; i++) {
        if (!accumulate)
            memset(Y + i * cols, 0, (size_t)cols * sizeof(float));
        if (scale[i] != 0)
            loops->axpy(Y + i * cols, scale[i], X + i * cols, cols);
    }
    return GRACO_OK;
}

graco_status cpu_adam(struct context *c, const struct adam *a)
{
    const struct loops *loops = loops_choose();
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t i = 0; i < a->count; i += FLAT_PIECE)
        loops->adam(a, i, least(i + FLAT_PIECE, a->count));
    return GRACO_OK;
}
