/* Sparse products, and the drawing of views. */
#include "compute/cpu/cpu.h"

#include "compute/cpu/loops.h"

#include <math.h>

enum { ROWS_PER_PIECE = 32, DRAWS_PER_PIECE = 4096 };

static void spmm_row(const struct loops *loops, const struct spmm *s, int64_t row)
{
    for (int view = 0; view < s->views; view++) {
        const struct sparse *m = &s->matrix[view];
        int64_t start = m->start[row];
        struct gather g = {
            .count = m->count ? m->count[row] : m->start[row + 1] - start,
            .index = m->index + start,
            .value = m->value ? m->value + start : NULL,
            .col_scale = m->col_scale,
            .row_scale = m->row_scale ? m->row_scale[row] : 1.0f,
            .self = m->self ? row : -1,
            .X = s->X + view * s->x_step,
            .cols = s->cols,
            .accumulate = s->accumulate || (view > 0 && s->y_step == 0),
        };
        loops->gather(s->Y + view * s->y_step + row * s->cols, &g);
    }
}

graco_status cpu_spmm(struct context *c, const struct spmm *s)
{
    const struct loops *loops = loops_choose();
    int64_t rows = s->matrix[0].rows;
#pragma omp parallel for schedule(dynamic, ROWS_PER_PIECE) num_threads(c->threads)
    for (int64_t row = 0; row < rows; row++)
        spmm_row(loops, s, row);
    return GRACO_OK;
}

/* Elements 4 * block .. of the key, as far as n goes, below the threshold or not. */
static int draw_block(bool keep[4], const struct random_key *key, uint64_t threshold, int64_t block,
                      int64_t n)
{
    uint32_t lanes[4];
    random_block(lanes, key, (uint64_t)block);
    int64_t left = n - 4 * block;
    int count = left < 4 ? (int)left : 4;
    for (int i = 0; i < count; i++)
        keep[i] = lanes[i] >= threshold;
    return count;
}

graco_status cpu_draw_bytes(struct context *c, const struct random_key *key, double p, int64_t n,
                            uint8_t *keep)
{
    uint64_t threshold = random_threshold(p);
#pragma omp parallel for schedule(static, DRAWS_PER_PIECE) num_threads(c->threads)
    for (int64_t block = 0; block < (n + 3) / 4; block++) {
        bool drawn[4];
        int count = draw_block(drawn, key, threshold, block, n);
        for (int i = 0; i < count; i++)
            keep[4 * block + i] = drawn[i];
    }
    return GRACO_OK;
}

graco_status cpu_draw_floats(struct context *c, const struct random_key *key, double p, int64_t n,
                             float *keep)
{
    uint64_t threshold = random_threshold(p);
#pragma omp parallel for schedule(static, DRAWS_PER_PIECE) num_threads(c->threads)
    for (int64_t block = 0; block < (n + 3) / 4; block++) {
        bool drawn[4];
        int count = draw_block(drawn, key, threshold, block, n);
        for (int i = 0; i < count; i++)
            keep[4 * block + i] = drawn[i] ? 1.0f : 0.0f;
    }
    return GRACO_OK;
}

graco_status cpu_compact(struct context *c, int64_t rows, const int64_t *start,
                         const int32_t *index, const uint32_t *id, const uint8_t *keep,
                         int32_t *kept, int32_t *count)
{
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t row = 0; row < rows; row++) {
        int64_t to = start[row];
        /* Written always, advanced if kept: no branch to mispredict. */
        for (int64_t e = start[row]; e < start[row + 1]; e++) {
            kept[to] = index[e];
            to += keep[id ? id[e] : (uint64_t)e];
        }
        count[row] = (int32_t)(to - start[row]);
    }
    return GRACO_OK;
}

graco_status cpu_degree_scale(struct context *c, int64_t rows, const int64_t *start,
                              const int32_t *count, double power, float *scale)
{
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t row = 0; row < rows; row++) {
        double degree = 1.0 + (double)(count ? count[row] : start[row + 1] - start[row]);
        scale[row] = (float)(power == -1 ? 1 / degree : 1 / sqrt(degree));
    }
    return GRACO_OK;
}
