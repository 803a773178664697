/* Sparse products, and the drawing of views. A product gathers: a row of Y is the sum of the rows
 * of X that its entries name. Where Y is small and its transpose is at hand, as in a gradient of
 * the first weights, it scatters instead. */
#include "compute/cpu/cpu.h"

#include "compute/cpu/loops.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    ROWS_PER_PIECE = 32,
    DRAWS_PER_PIECE = 4096,
    COLS_MOST = 256, /* of a block of columns */
    COLS_LEAST = 64,
    BLOCK_BYTES = 12 << 20, /* of a block of X that the far cache holds */
    SCATTER_COLS = 64,
    SCATTER_BYTES = 1 << 20, /* of a block of Y that the near cache holds */
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
    return s->transpose && s->y_step == 0 && !m->self && spmm_plain(s) &&
           m->entries.rows * SCATTER_COLS * (int64_t)sizeof(float) <= SCATTER_BYTES;
}

/* Each block of columns belongs to one thread, which goes through all rows in order. */
static void spmm_scatter(struct context *c, const struct spmm *s)
{
    const struct loops *loops = loops_choose();
    int64_t out_rows = s->matrix[0].entries.rows;
#pragma omp parallel for schedule(dynamic) num_threads(c->threads)
    for (int64_t first = 0; first < s->cols; first += SCATTER_COLS) {
        int64_t last = least(first + SCATTER_COLS, s->cols);
        for (int64_t row = 0; row < out_rows && !s->accumulate; row++)
            memset(s->Y + row * s->cols + first, 0, (size_t)(last - first) * sizeof(float));
        for (int view = 0; view < s->views; view++)
            for (int64_t row = 0; row < s->transpose[view].entries.rows; row++) {
                struct gather g = row_entries(&s->transpose[view], row, s->cols);
                loops->scatter(s->Y, &g, s->X + view * s->x_step + row * s->cols, first, last);
            }
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

graco_status cpu_spmm(struct context *c, const struct spmm *s)
{
    assert(spmm_plain(s) || (!s->accumulate && (s->views == 1 || s->y_step != 0)));
    if (scatters(s)) {
        spmm_scatter(c, s);
        return GRACO_OK;
    }
    const struct loops *loops = loops_choose();
    int64_t rows = s->matrix[0].entries.rows, width = block_cols(s);
#pragma omp parallel num_threads(c->threads)
    for (int64_t first = 0; first < s->cols; first += width) {
        int64_t last = least(first + width, s->cols);
#pragma omp for schedule(dynamic, ROWS_PER_PIECE) nowait
        for (int64_t row = 0; row < rows; row++)
            gather_row(loops, s, row, first, last);
    }
    return s->after ? cpu_activate(c, s->after, s->Y, s->Y) : GRACO_OK;
}

/* As bytes or as floats: one of the two is NULL. */
static void draw(struct context *c, const struct random_key *key, double p, int64_t n,
                 uint8_t *bytes, float *floats)
{
    uint64_t threshold = random_threshold(p);
#pragma omp parallel for schedule(static, DRAWS_PER_PIECE) num_threads(c->threads)
    for (int64_t first = 0; first < n; first += 4) {
        uint32_t lanes[4];
        random_block(lanes, key, (uint64_t)first / 4);
        for (int64_t i = first; i < n && i < first + 4; i++) {
            bool keep = lanes[i - first] >= threshold;
            if (bytes)
                bytes[i] = keep;
            else
                floats[i] = keep;
        }
    }
}

graco_status cpu_draw_bytes(struct context *c, const struct random_key *key, double p, int64_t n,
                            uint8_t *keep)
{
    draw(c, key, p, n, keep, NULL);
    return GRACO_OK;
}

graco_status cpu_draw_floats(struct context *c, const struct random_key *key, double p, int64_t n,
                             float *keep)
{
    draw(c, key, p, n, NULL, keep);
    return GRACO_OK;
}

static void compact_row(const struct compaction *job, int64_t row)
{
    int64_t to = job->start[row];
    /* Written always, advanced if kept: no branch to mispredict. */
    for (int64_t e = job->start[row]; e < job->start[row + 1]; e++) {
        job->kept[to] = job->index[e];
        to += job->keep[job->id ? job->id[e] : (uint64_t)e];
    }
    job->count[row] = (int32_t)(to - job->start[row]);
}

graco_status cpu_compact(struct context *c, int count, const struct compaction *list)
{
    for (int i = 0; i < count; i++) {
#pragma omp parallel for schedule(static) num_threads(c->threads)
        for (int64_t row = 0; row < list[i].rows; row++)
            compact_row(&list[i], row);
    }
    return GRACO_OK;
}

graco_status cpu_degree_scale(struct context *c, int64_t rows, const int64_t *start,
                              const int32_t *count, double share, double power, float *scale)
{
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t row = 0; row < rows; row++) {
        double degree = 1.0 + share * (double)(count ? count[row] : start[row + 1] - start[row]);
        scale[row] = (float)(power == -1 ? 1 / degree : 1 / sqrt(degree));
    }
    return GRACO_OK;
}
