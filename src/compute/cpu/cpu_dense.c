/* Dense products and flat loops. A product is cut into pieces of rows by its shape alone; where the
 * result is small and the sum long, as in a gradient of weights, the sum is cut too, and its parts
 * are added in order. So bits do not depend on the number of threads. */
#include "compute/cpu/cpu.h"

#include "base/finite.h"
#include "compute/cpu/loops.h"
#include "compute/cpu/pack.h"

#include <string.h>

enum {
    PANEL_ROWS = 256,  /* rows of C in one piece when A is not transposed */
    SLICE_ROWS = 128,  /* rows of C in one piece when A is */
    PIECES = 16,       /* pieces to aim at when the sum itself is cut */
    SUM_LENGTH = 1024, /* shortest piece of a sum */
    FLAT_PIECE = 16384
};

/* C = rows row .. of the product, summed over `depth` terms from `first` on. */
static void gemm_piece(const struct panel_product *whole, int64_t row, int64_t rows, int64_t first,
                       int64_t depth, bool accumulate, float *C)
{
    struct panel_product p = *whole;
    p.rows = rows;
    p.depth = depth;
    p.A += row * p.a_row + first * p.a_col;
    p.B += first * p.b_row;
    p.C = C;
    p.accumulate = accumulate;
    loops_choose()->product(&p);
}

/* Cuts the sum into `parts`. */
static graco_status gemm_long(struct context *c, const struct panel_product *p, int64_t parts)
{
    int64_t slices = pieces_of(p->rows, SLICE_ROWS), size = p->rows * p->c_row;
    int64_t length = pieces_of(p->depth, parts);
    float *partial = NULL;
    PASS(context_take(c, &partial, (parts - 1) * size, sizeof(float)));
#pragma omp parallel for collapse(2) schedule(dynamic) num_threads(c->threads)
    for (int64_t part = 0; part < parts; part++) {
        for (int64_t slice = 0; slice < slices; slice++) {
            int64_t row = slice * SLICE_ROWS, first = part * length;
            float *C = (part ? partial + (part - 1) * size : p->C) + row * p->c_row;
            gemm_piece(p, row, least(SLICE_ROWS, p->rows - row), first,
                       least(length, p->depth - first), part == 0 && p->accumulate, C);
        }
    }
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t row = 0; row < p->rows; row++)
        for (int64_t part = 0; part < parts - 1; part++) {
            const float *from = partial + part * size + row * p->c_row;
            for (int64_t j = 0; j < p->cols; j++)
                p->C[row * p->c_row + j] += from[j];
        }
    context_give(c, partial);
    return GRACO_OK;
}

static graco_status gemm(struct context *c, const struct panel_product *p, int64_t piece)
{
    int64_t panels = pieces_of(p->rows, piece);
    int64_t parts = least(PIECES / least(panels, PIECES), p->depth / SUM_LENGTH);
    if (piece == SLICE_ROWS && parts > 1)
        return gemm_long(c, p, pieces_of(p->depth, pieces_of(p->depth, parts)));
#pragma omp parallel for schedule(dynamic) num_threads(c->threads)
    for (int64_t panel = 0; panel < panels; panel++) {
        int64_t row = panel * piece;
        gemm_piece(p, row, least(piece, p->rows - row), 0, p->depth, p->accumulate,
                   p->C + row * p->c_row);
    }
    return GRACO_OK;
}

graco_status cpu_gemm(struct context *c, const struct gemm *g)
{
    struct panel_product p = {
        .rows = g->m,
        .cols = g->n,
        .depth = g->k,
        .A = g->A,
        .a_row = g->transpose_a ? 1 : g->lda,
        .a_col = g->transpose_a ? g->lda : 1,
        .B = g->B,
        .b_row = g->ldb,
        .b_panel = PANEL,
        .C = g->C,
        .c_row = g->ldc,
        .accumulate = g->accumulate,
    };
    float *packed = NULL;
    graco_status status = GRACO_OK;
    if (g->transpose_b) {
        TRY(context_take(c, &packed, pack_size(g->k, g->n), sizeof(float)));
        for (int64_t panel = 0; panel * PANEL < g->n; panel++)
            pack_panel(packed, g->B, g->ldb, true, g->k, g->n, panel);
        p.B = packed;
        p.b_row = PANEL;
        p.b_panel = PANEL * g->k;
    }
    TRY(gemm(c, &p, g->transpose_a ? SLICE_ROWS : PANEL_ROWS));
    if (g->after)
        TRY(cpu_activate(c, g->after, g->C, g->C));
done:
    context_give(c, packed);
    return status;
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

graco_status cpu_not_finite(struct context *c, int64_t n, const float *x, int64_t *first)
{
    int64_t least_found = n;
#pragma omp parallel for schedule(static) num_threads(c->threads) reduction(min : least_found)
    for (int64_t i = 0; i < n; i += FLAT_PIECE) {
        int64_t found = not_finite_first(x + i, least(FLAT_PIECE, n - i));
        if (found >= 0 && i + found < least_found)
            least_found = i + found;
    }
    *first = least_found < n ? least_found : -1;
    return GRACO_OK;
}
