/* Pairs of rows: their products and costs, a piece of pairs at a time; then each row's gradient from
 * the pairs that it belongs to. And copies of blocks. */
#include "compute/cpu/cpu.h"

#include "base/threads.h"
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

struct pairs_job {
    const struct loops *loops;
    const struct pairs *spec;
    double *costs; /* (pieces) */
    float *dZ;
};

static void cost_piece(void *argument, struct threads_piece piece)
{
    const struct pairs_job *job = argument;
    job->costs[piece.first / PAIRS_PER_PIECE] =
        piece_cost(job->loops, job->spec, piece.first, piece.last - piece.first);
}

graco_status cpu_pairs(struct context *c, struct pairs *s)
{
    struct pairs_job job = {.loops = loops_choose(), .spec = s};
    int64_t pieces = pieces_of(s->count, PAIRS_PER_PIECE);
    double total = 0;
    PASS(context_take(c, &job.costs, pieces, sizeof(double)));
    threads_run(c->threads, s->count, PAIRS_PER_PIECE, cost_piece, &job);
    for (int64_t piece = 0; piece < pieces; piece++)
        total += job.costs[piece];
    *s->loss = (s->add ? *s->loss : 0) + total * s->scale;
    context_give(c, job.costs);
    return GRACO_OK;
}

static void back_piece(void *argument, struct threads_piece piece)
{
    const struct pairs_job *job = argument;
    const struct pairs *s = job->spec;
    for (int64_t row = piece.first; row < piece.last; row++)
        for (int64_t k = s->ends.start[row]; k < s->ends.start[row + 1]; k++) {
            int64_t at = s->ends.index[k];
            job->loops->axpy(job->dZ + row * s->d, s->slope[at % s->count],
                             s->Z + pairs_other(s, at) * s->d, s->d);
        }
}

graco_status cpu_pairs_backward(struct context *c, const struct pairs *s, float *dZ)
{
    struct pairs_job job = {.loops = loops_choose(), .spec = s, .dZ = dZ};
    threads_run(c->threads, s->rows, ROWS_PER_PIECE, back_piece, &job);
    return GRACO_OK;
}

static void copy_piece(void *argument, struct threads_piece piece)
{
    const struct block_copy *b = argument;
    for (int64_t row = piece.first; row < piece.last; row++) {
        float *y = b->Y + row * b->ldy;
        const float *x = b->X + row * b->ldx;
        if (!b->accumulate)
            memcpy(y, x, (size_t)b->cols * sizeof *y);
        for (int64_t j = 0; j < b->cols && b->accumulate; j++)
            y[j] += x[j];
    }
}

graco_status cpu_copy_block(struct context *c, const struct block_copy *b)
{
    struct block_copy job = *b;
    threads_run(c->threads, b->rows, ROWS_PER_PIECE, copy_piece, &job);
    return GRACO_OK;
}
