/* Sparse products, and the drawing of views. A product gathers: a row of Y is the sum of the rows
 * of X that its entries name. Where Y is small and its transpose is at hand, as in a gradient of
 * the first weights, it scatters instead. */
#include "compute/cpu/cpu.h"

#include "base/threads.h"
#include "compute/cpu/loops.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    ROWS_PER_PIECE = 32,
    DRAWS_PER_PIECE = 2048,
    COMPACTED_PER_PIECE = 128, /* rows */
    SCALES_PER_PIECE = 1024,
    COLS_MOST = 256, /* of a block of columns */
    COLS_LEAST = 64,
    BLOCK_BYTES = 12 << 20, /* of a block of X that the far cache holds */
    SCATTER_COLS = 64,
    SCATTER_BYTES = 1 << 20, /* of a block of Y of so many columns that the near cache holds */
    SCATTER_PIECE = 32,      /* columns of a thread: each goes through all entries */
};

/* The entries of one row of a matrix. */
static struct gather row_entries(const struct sparse *m, int64_t row, int64_t cols)
{
    int64_t start = m->entries.start[row], own = m->first + row;
    return (struct gather){
        .count = m->count ? m->count[row] : m->entries.start[row + 1] - start,
        .index = m->entries.index + start,
        .value = m->entries.value ? m->entries.value + start : NULL,
        .col_scale = m->col_scale,
        .row_scale = m->row_scale ? m->row_scale[row] : 1.0f,
        .self = m->self && own < m->entries.cols ? own : -1,
        .cols = cols,
    };
}

static void gather_row(const struct loops *loops, const struct spmm *s, int64_t row, int64_t first,
                       int64_t last)
{
    for (int view = 0; view < s->views; view++) {
        struct gather g = row_entries(&s->matrix[view], row, s->cols);
        g.X = s->X + view * s->x_step;
        g.accumulate = s->accumulate || (view > 0 && s->y_step == 0);
        float *y = s->Y + view * s->y_step + row * s->cols;
        loops->gather(y, &g, first, last);
        for (int64_t j = first; s->mask[view] && j < last; j++)
            y[j] *= s->mask[view][j];
    }
}

/* Whether to scatter: many rows of X go to few rows of Y, and a block of Y's columns fits the near
 * cache. */
static bool scatters(const struct spmm *s)
{
    const struct sparse *m = &s->matrix[0];
    return s->transpose && !s->rows && s->y_step == 0 && !m->self && spmm_plain(s) &&
           m->entries.rows * SCATTER_COLS * (int64_t)sizeof(float) <= SCATTER_BYTES;
}

/* One block of columns: through all rows in order. */
static void scatter_cols(void *job, struct threads_piece block)
{
    const struct spmm *s = job;
    const struct loops *loops = loops_choose();
    size_t bytes = (size_t)(block.last - block.first) * sizeof(float);
    for (int64_t row = 0; row < s->matrix[0].entries.rows && !s->accumulate; row++)
        memset(s->Y + row * s->cols + block.first, 0, bytes);
    for (int view = 0; view < s->views; view++)
        for (int64_t row = 0; row < s->transpose[view].entries.rows; row++) {
            struct gather g = row_entries(&s->transpose[view], row, s->cols);
            loops->scatter(s->Y, &g, s->X + view * s->x_step + row * s->cols, block.first,
                           block.last);
        }
}

/* Rows of X are read in any order, so X should be in a cache: a block of its columns, if one of a
 * useful width fits. Else whole rows, each of which is at least read in one go. */
static int64_t block_cols(const struct spmm *s)
{
    for (int64_t cols = COLS_MOST; cols >= COLS_LEAST; cols /= 2)
        if (s->matrix[0].entries.cols * cols * (int64_t)sizeof(float) <= BLOCK_BYTES)
            return cols;
    return s->cols;
}

/* The columns first .. last - 1 of a product. */
struct gather_block {
    const struct spmm *product;
    int64_t first, last;
    struct comm *comm; /* whose messages may be on their way meanwhile */
};

static void gather_rows(void *job, struct threads_piece piece)
{
    const struct gather_block *block = job;
    const int32_t *rows = block->product->rows;
    const struct loops *loops = loops_choose();
    for (int64_t i = piece.first; i < piece.last; i++)
        gather_row(loops, block->product, rows ? rows[i] : i, block->first, block->last);
    if (piece.seat == 0)
        comm_move(block->comm);
}

graco_status cpu_spmm(struct context *c, const struct spmm *s)
{
    int64_t rows = s->rows ? s->row_count : s->matrix[0].entries.rows;
    assert(spmm_plain(s) || (!s->rows && !s->accumulate && (s->views == 1 || s->y_step != 0)));
    if (scatters(s)) {
        threads_run(c->threads, s->cols, SCATTER_PIECE, scatter_cols, (void *)s);
        return GRACO_OK;
    }
    int64_t width = block_cols(s);
    for (int64_t first = 0; first < s->cols; first += width) {
        struct gather_block block = {s, first, least(first + width, s->cols), c->comm};
        threads_run(c->threads, rows, ROWS_PER_PIECE, gather_rows, &block);
    }
    return s->after ? cpu_activate(c, s->after, s->Y, s->Y) : GRACO_OK;
}

struct draw {
    const struct drawing *what;
    uint64_t threshold;
};

static void draw_piece(void *job, struct threads_piece piece)
{
    const struct draw *draw = job;
    const struct drawing *what = draw->what;
    for (int64_t first = piece.first; first < piece.last; first += 4) {
        uint32_t lanes[4];
        random_block(lanes, &what->key, (uint64_t)first / 4);
        for (int64_t i = first; i < piece.last && i < first + 4; i++) {
            bool keep = lanes[i - first] >= draw->threshold;
            if (what->bytes)
                what->bytes[i] = keep;
            else
                what->floats[i] = keep;
        }
    }
}

/* Elements that are listed; neighbours in the list are often of one block. */
static void draw_listed(void *job, struct threads_piece piece)
{
    const struct draw *draw = job;
    const struct drawing *what = draw->what;
    uint64_t block = UINT64_MAX;
    uint32_t lanes[4];
    for (int64_t i = piece.first; i < piece.last; i++) {
        uint32_t element = what->id[i];
        if (element / 4 != block) {
            block = element / 4;
            random_block(lanes, &what->key, block);
        }
        what->bytes[i] = lanes[element % 4] >= draw->threshold;
    }
}

graco_status cpu_draw(struct context *c, int count, const struct drawing *list)
{
    for (const struct drawing *what = list; what < list + count; what++) {
        struct draw draw = {what, random_threshold(what->p)};
        threads_run(c->threads, what->n, DRAWS_PER_PIECE, what->id ? draw_listed : draw_piece,
                    &draw);
    }
    return GRACO_OK;
}

/* The weights of the kept entries of a row. */
static void compact_weights(const struct compaction *list, int64_t row)
{
    int64_t to = list->start[row];
    for (int64_t e = list->start[row]; e < list->start[row + 1]; e++) {
        list->kept_weight[to] = list->weight[e];
        to += list->keep[list->id ? list->id[e] : (uint64_t)e];
    }
}

static void compact_rows(void *job, struct threads_piece rows)
{
    const struct compaction *list = job;
    for (int64_t row = rows.first; row < rows.last; row++) {
        int64_t to = list->start[row];
        /* Written always, advanced if kept: no branch to mispredict. */
        for (int64_t e = list->start[row]; e < list->start[row + 1]; e++) {
            list->kept[to] = list->index[e];
            to += list->keep[list->id ? list->id[e] : (uint64_t)e];
        }
        list->count[row] = (int32_t)(to - list->start[row]);
        if (list->weight)
            compact_weights(list, row);
    }
}

graco_status cpu_compact(struct context *c, int count, const struct compaction *list)
{
    for (int i = 0; i < count; i++)
        threads_run(c->threads, list[i].rows, COMPACTED_PER_PIECE, compact_rows, (void *)&list[i]);
    return GRACO_OK;
}

static double degree_of(const struct degrees *d, int64_t row)
{
    if (d->known)
        return (double)d->known[row];
    int64_t count = d->count ? d->count[row] : d->start[row + 1] - d->start[row];
    if (!d->weight)
        return (double)count;
    double sum = 0;
    for (int64_t k = d->start[row]; k < d->start[row] + count; k++)
        sum += (double)d->weight[k];
    return sum;
}

struct scaling {
    const struct degrees *degrees;
    float *scale;
};

static void scale_degrees(void *job, struct threads_piece rows)
{
    const struct scaling *s = job;
    for (int64_t row = rows.first; row < rows.last; row++) {
        double degree = 1.0 + s->degrees->share * degree_of(s->degrees, row);
        s->scale[row] = (float)(s->degrees->power == -1 ? 1 / degree : 1 / sqrt(degree));
    }
}

graco_status cpu_degree_scale(struct context *c, const struct degrees *d, float *scale)
{
    struct scaling scaling = {d, scale};
    threads_run(c->threads, d->rows, SCALES_PER_PIECE, scale_degrees, &scaling);
    return GRACO_OK;
}
