/* Pairs of rows: their products and costs, a piece of pairs at a time; then each row's gradient from
 * the pairs that it belongs to. And copies of blocks. */
#include "compute/cpu/cpu.h"

#include "compute/cpu/loops.h"

#include <string.h>

enum { PAIRS_PER_PIECE = 256, ROWS_PER_PIECE = 64 };

/* The cost of pairs first .. first + count - 1, their slopes left where they are wanted. */
static double piece_cost(const struct loops *loops, const struct pairs *s, int64_t first,
                         int64_t count)
{
    float product[PAIRS_PER_PIECE] = {0}, scale = (float)(s->together ? -s->scale : s->scale);
    for (int64_t p = 0; p < count; p++) {
        const float *a = s->Z + s->end[first + p] * s->d;
        double dot = loops->dot(a, s->Z + s->end[s->count + first + p] * s->d, s->d);
        product[p] = (float)(s->together ? -dot : dot);
    }
    double cost = loops->softplus(product, product, s->weight ? s->weight + first : NULL, count);
    for (int64_t p = 0; p < count && s->slope; p++)
        s->slope[first + p] = scale * product[p];
    return cost;
}

graco_status cpu_pairs(struct context *c, struct pairs *s)
{
    const struct loops *loops = loops_choose();
    int64_t pieces = pieces_of(s->count, PAIRS_PER_PIECE);
    double *costs = NULL, total = 0;
    PASS(context_take(c, &costs, pieces, sizeof(double)));
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t piece = 0; piece < pieces; piece++) {
        int64_t first = piece * PAIRS_PER_PIECE;
        costs[piece] = piece_cost(loops, s, first, least(s->count - first, PAIRS_PER_PIECE));
    }
    for (int64_t piece = 0; piece < pieces; piece++)
        total += costs[piece];
    *s->loss = (s->add ? *s->loss : 0) + total * s->scale;
    context_give(c, costs);
    return GRACO_OK;
}

graco_status cpu_pairs_backward(struct context *c, const struct pairs *s, float *dZ)
{
    const struct loops *loops = loops_choose();
#pragma omp parallel for schedule(dynamic, ROWS_PER_PIECE) num_threads(c->threads)
    for (int64_t row = 0; row < s->rows; row++)
        for (int64_t k = s->ends.start[row]; k < s->ends.start[row + 1]; k++) {
            int64_t at = s->ends.index[k];
            loops->axpy(dZ + row * s->d, s->slope[at % s->count], s->Z + pairs_other(s, at) * s->d,
                        s->d);
        }
    return GRACO_OK;
}

graco_status cpu_copy_block(struct context *c, const struct block_copy *b)
{
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t row = 0; row < b->rows; row++) {
        float *y = b->Y + row * b->ldy;
        const float *x = b->X + row * b->ldx;
        if (!b->accumulate)
            memcpy(y, x, (size_t)b->cols * sizeof *y);
        for (int64_t j = 0; j < b->cols && b->accumulate; j++)
            y[j] += x[j];
    }
    return GRACO_OK;
}
