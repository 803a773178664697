/* Draws from a Gaussian for every row, and their divergence: element by element, in pieces whose sums
 * are added in order. */
#include "compute/cpu/cpu.h"

#include <math.h>

enum { PIECE = 4096 };

static double spread_at(const struct gaussian *s, int64_t k)
{
    return (double)fminf(s->spread[k], SPREAD_MOST);
}

/* One piece of elements; returns the sum of its terms of the divergence. */
static double draw_piece(struct gaussian *s, float *Z, int64_t first, int64_t last)
{
    double total = 0;
    for (int64_t k = first; k < last; k++) {
        double mean = (double)s->mean[k], spread = spread_at(s, k), wide = exp(spread);
        if (!s->given)
            s->noise[k] = (float)random_normal(&s->key, (uint64_t)k);
        Z[k] = (float)(mean + (double)s->noise[k] * wide);
        total += 1 + 2 * spread - mean * mean - wide * wide;
    }
    return total;
}

graco_status cpu_gaussian(struct context *c, struct gaussian *s, float *Z)
{
    int64_t count = s->rows * s->cols, pieces = pieces_of(count, PIECE);
    double *totals = NULL;
    PASS(context_take(c, &totals, pieces, sizeof *totals));
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t piece = 0; piece < pieces; piece++)
        totals[piece] = draw_piece(s, Z, piece * PIECE, least(count, (piece + 1) * PIECE));
    s->divergence = 0;
    for (int64_t piece = 0; piece < pieces; piece++)
        s->divergence -= s->scale / 2 * totals[piece];
    context_give(c, totals);
    return GRACO_OK;
}

graco_status cpu_gaussian_backward(struct context *c, const struct gaussian *s, const float *dZ,
                                   float *dmean, float *dspread)
{
    int64_t count = s->rows * s->cols;
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t k = 0; k < count; k++) {
        double wide = exp(spread_at(s, k)), d = (double)dZ[k];
        bool held = s->spread[k] > SPREAD_MOST;
        dspread[k] =
            held ? 0 : (float)(d * (double)s->noise[k] * wide + s->scale * (wide * wide - 1));
        dmean[k] = (float)(d + s->scale * (double)s->mean[k]);
    }
    return GRACO_OK;
}
