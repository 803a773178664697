/* Dense products and flat loops. A product is cut into pieces of rows, which changes no bits; where the
 * result is small and the sum long, as in a gradient of weights, the sum is cut too, by its shape alone, and
 * its parts are added in order. So bits do not depend on the number of threads. */
#include "compute/cpu/cpu.h"

#include "base/finite.h"
#include "base/threads.h"
#include "compute/cpu/loops.h"
#include "compute/cpu/pack.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum {
    PANEL_ROWS = 240,      /* rows of C in one piece, at most, when A is not transposed */
    PANEL_ROWS_LEAST = 48, /* and at least: whole blocks of the registers */
    PANELS = 128,          /* pieces to aim at then: sixteen threads have about as many each */
    SLICE_ROWS = 128,      /* rows of C, when A is transposed, that count for cutting the sum */
    PART_ROWS = 24,        /* least rows of C in one piece of a part of the sum */
    PART_PIECES = 6,   /* such pieces for each thread, to aim at: each reads its part of B again */
    PIECES = 16,       /* parts to aim at when the sum itself is cut */
    SUM_LENGTH = 1024, /* shortest piece of a sum */
    ADDED_PER_PIECE = 16,  /* rows of parts of a sum */
    SCALED_PER_PIECE = 64, /* rows */
    PACKED_PER_PIECE = 1,  /* panels of a transposed B */
    ADAM_PIECE = 4096,     /* parameters: seven streams of memory */
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

/* A product whose sum is cut into parts of `length` terms. The first part goes to C, the others to
 * `partial` (parts - 1, size). */
struct cut_product {
    const struct panel_product *whole;
    struct sum_cut sum;
    int64_t size;
    float *partial;
};

/* Items are slices of rows, part by part. */
static void multiply_parts(void *job, struct threads_piece items)
{
    const struct cut_product *cut = job;
    const struct panel_product *p = cut->whole;
    for (int64_t item = items.first; item < items.last; item++) {
        int64_t part = item / cut->sum.slices, row = item % cut->sum.slices * cut->sum.rows;
        int64_t first = part * cut->sum.length;
        float *C = (part ? cut->partial + (part - 1) * cut->size : p->C) + row * p->c_row;
        gemm_piece(p, row, least(cut->sum.rows, p->rows - row), first,
                   least(cut->sum.length, p->depth - first), part == 0 && p->accumulate, C);
    }
}

static void add_parts(void *job, struct threads_piece rows)
{
    const struct cut_product *cut = job;
    const struct panel_product *p = cut->whole;
    for (int64_t row = rows.first; row < rows.last; row++)
        for (int64_t part = 0; part < cut->sum.parts - 1; part++) {
            const float *from = cut->partial + part * cut->size + row * p->c_row;
            for (int64_t j = 0; j < p->cols; j++)
                p->C[row * p->c_row + j] += from[j];
        }
}

struct sum_cut cpu_cut_sum(int64_t rows, int64_t depth, int threads)
{
    int64_t slices = pieces_of(rows, SLICE_ROWS);
    int64_t parts = least(PIECES / least(slices, PIECES), depth / SUM_LENGTH);
    if (parts < 2)
        return (struct sum_cut){1, depth, slices, SLICE_ROWS};
    int64_t length = pieces_of(depth, parts), wanted = pieces_of(PART_PIECES * threads, parts);
    int64_t each = pieces_of(pieces_of(rows, wanted), PART_ROWS) * PART_ROWS;
    return (struct sum_cut){pieces_of(depth, length), length, pieces_of(rows, each), each};
}

static graco_status gemm_long(struct context *c, const struct panel_product *p, struct sum_cut sum)
{
    struct cut_product cut = {p, sum, p->rows * p->c_row, NULL};
    PASS(context_take(c, &cut.partial, (sum.parts - 1) * cut.size, sizeof(float)));
    threads_run(c->threads, sum.parts * sum.slices, 1, multiply_parts, &cut);
    threads_run(c->threads, p->rows, ADDED_PER_PIECE, add_parts, &cut);
    context_give(c, cut.partial);
    return GRACO_OK;
}

/* A product that is cut into rows, and what follows it. */
struct ended_product {
    const struct panel_product *whole;
    const struct activation *after; /* NULL: none */
    float *room;                    /* (threads, cols) */
};

static void multiply_rows(void *job, struct threads_piece rows)
{
    const struct ended_product *e = job;
    const struct panel_product *p = e->whole;
    gemm_piece(p, rows.first, rows.last - rows.first, 0, p->depth, p->accumulate,
               p->C + rows.first * p->c_row);
    if (e->after)
        cpu_activate_rows(e->after, p->C, rows.first, rows.last, e->room + rows.seat * p->cols);
}

/* How a product is cut into rows changes no bits; how its sum is cut does. */
static graco_status gemm(struct context *c, const struct panel_product *p, bool transposed,
                         const struct activation *after)
{
    struct ended_product ended = {p, after, NULL};
    const struct sum_cut cut = cpu_cut_sum(p->rows, p->depth, c->threads);
    int64_t piece = SLICE_ROWS;
    if (transposed && cut.parts > 1) {
        PASS(gemm_long(c, p, cut));
        return after ? cpu_activate(c, after, p->C, p->C) : GRACO_OK;
    }
    if (!transposed)
        piece = least(PANEL_ROWS, p->rows / PANELS / PANEL_ROWS_LEAST * PANEL_ROWS_LEAST);
    if (after)
        PASS(context_take(c, &ended.room, c->threads * p->cols, sizeof(float)));
    threads_run(c->threads, p->rows, piece ? piece : (int64_t)PANEL_ROWS_LEAST, multiply_rows,
                &ended);
    context_give(c, ended.room);
    return GRACO_OK;
}

/* Packs a transposed B. */
struct packing {
    const struct gemm *product;
    float *packed;
};

static void pack_panels(void *job, struct threads_piece panels)
{
    const struct packing *p = job;
    const struct gemm *g = p->product;
    for (int64_t panel = panels.first; panel < panels.last; panel++)
        pack_panel(p->packed, g->B, g->ldb, true, g->k, g->n, panel);
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
        threads_run(c->threads, pieces_of(g->n, PANEL), PACKED_PER_PIECE, pack_panels,
                    &(struct packing){g, packed});
        p.B = packed;
        p.b_row = PANEL;
        p.b_panel = PANEL * g->k;
    }
    TRY(gemm(c, &p, g->transpose_a, g->after));
done:
    context_give(c, packed);
    return status;
}

struct addition {
    float *y;
    const float *x;
};

static void add_piece(void *job, struct threads_piece piece)
{
    const struct addition *a = job;
    loops_choose()->axpy(a->y + piece.first, 1.0f, a->x + piece.first, piece.last - piece.first);
}

graco_status cpu_add(struct context *c, int64_t n, float *y, const float *x)
{
    struct addition addition = {y, x};
    threads_run(c->threads, n, FLAT_PIECE, add_piece, &addition);
    return GRACO_OK;
}

struct row_scaling {
    int64_t cols;
    float *Y;
    const float *scale, *X;
    bool accumulate;
};

static void scale_piece(void *job, struct threads_piece rows)
{
    const struct row_scaling *s = job;
    const struct loops *loops = loops_choose();
    for (int64_t i = rows.first; i < rows.last; i++) {
        if (!s->accumulate)
            memset(s->Y + i * s->cols, 0, (size_t)s->cols * sizeof(float));
        if (s->scale[i] != 0)
            loops->axpy(s->Y + i * s->cols, s->scale[i], s->X + i * s->cols, s->cols);
    }
}

graco_status cpu_scale_rows(struct context *c, int64_t rows, int64_t cols, float *Y,
                            const float *scale, const float *X, bool accumulate)
{
    struct row_scaling scaling = {cols, Y, scale, X, accumulate};
    threads_run(c->threads, rows, SCALED_PER_PIECE, scale_piece, &scaling);
    return GRACO_OK;
}

static void adam_piece(void *job, struct threads_piece piece)
{
    loops_choose()->adam(job, piece.first, piece.last);
}

graco_status cpu_adam(struct context *c, const struct adam *a)
{
    threads_run(c->threads, a->count, ADAM_PIECE, adam_piece, (void *)a);
    return GRACO_OK;
}

struct finite_search {
    const float *x;
    atomic_llong least_found;
};

static void search_piece(void *job, struct threads_piece piece)
{
    struct finite_search *search = job;
    int64_t found = not_finite_first(search->x + piece.first, piece.last - piece.first);
    long long place = piece.first + found, best = atomic_load(&search->least_found);
    while (found >= 0 && place < best &&
           !atomic_compare_exchange_weak(&search->least_found, &best, place))
        continue;
}

graco_status cpu_not_finite(struct context *c, int64_t n, const float *x, int64_t *first)
{
    struct finite_search search = {x, n};
    threads_run(c->threads, n, FLAT_PIECE, search_piece, &search);
    *first = search.least_found < n ? search.least_found : -1;
    return GRACO_OK;
}

struct clip_job {
    float *g;
    double *squares; /* (pieces) */
    float factor;
};

static void square_piece(void *argument, struct threads_piece piece)
{
    const struct clip_job *job = argument;
    double square = 0;
    for (int64_t i = piece.first; i < piece.last; i++)
        square += (double)job->g[i] * (double)job->g[i];
    job->squares[piece.first / FLAT_PIECE] = square;
}

static void clip_piece(void *argument, struct threads_piece piece)
{
    const struct clip_job *job = argument;
    for (int64_t i = piece.first; i < piece.last; i++)
        job->g[i] *= job->factor;
}

graco_status cpu_clip_norm(struct context *c, int64_t n, float *g, double most)
{
    struct clip_job job = {.g = g};
    int64_t pieces = pieces_of(n, FLAT_PIECE);
    double square = 0;
    PASS(context_take(c, &job.squares, pieces, sizeof(double)));
    threads_run(c->threads, n, FLAT_PIECE, square_piece, &job);
    for (int64_t piece = 0; piece < pieces; piece++)
        square += job.squares[piece];
    context_give(c, job.squares);
    job.factor = (float)(most / sqrt(square));
    if (square > most * most)
        threads_run(c->threads, n, FLAT_PIECE, clip_piece, &job);
    return GRACO_OK;
}
