/* Draws from a Gaussian for every row, and their divergence: element by element, in pieces whose sums
 * are added in order. */
#include "compute/cpu/cpu.h"

#include "base/threads.h"

#include <math.h>

enum { PIECE = 4096 }; /* a multiple of the four normal numbers that are drawn together */

static double spread_at(const struct gaussian *s, int64_t k)
{
    return (double)fminf(s->spread[k], SPREAD_MOST);
}

struct gaussian_job {
    struct gaussian *spec;
    float *Z, *dmean, *dspread;
    const float *dZ;
    double *totals; /* (pieces) the sums of their terms of the divergence */
};

static void draw_piece(void *argument, struct threads_piece piece)
{
    struct gaussian_job *job = argument;
    struct gaussian *s = job->spec;
    double total = 0, four[4];
    for (int64_t k = piece.first; k < piece.last; k++) {
        double mean = (double)s->mean[k], spread = spread_at(s, k), wide = exp(spread);
        if (!s->given && k % 4 == 0)
            random_normals(four, &s->key, (uint64_t)k / 4);
        if (!s->given)
            s->noise[k] = (float)four[k % 4];
        job->Z[k] = (float)(mean + (double)s->noise[k] * wide);
        total += 1 + 2 * spread - mean * mean - wide * wide;
    }
    job->totals[piece.first / PIECE] = total;
}

graco_status cpu_gaussian(struct context *c, struct gaussian *s, float *Z)
{
    int64_t count = s->rows * s->cols, pieces = pieces_of(count, PIECE);
    struct gaussian_job job = {.spec = s, .Z = Z};
    PASS(context_take(c, &job.totals, pieces, sizeof(double)));
    threads_run(c->threads, count, PIECE, draw_piece, &job);
    s->divergence = 0;
    for (int64_t piece = 0; piece < pieces; piece++)
        s->divergence -= s->scale / 2 * job.totals[piece];
    context_give(c, job.totals);
    return GRACO_OK;
}

static void back_piece(void *argument, struct threads_piece piece)
{
    const struct gaussian_job *job = argument;
    const struct gaussian *s = job->spec;
    for (int64_t k = piece.first; k < piece.last; k++) {
        double wide = exp(spread_at(s, k)), d = (double)job->dZ[k];
        bool held = s->spread[k] > SPREAD_MOST;
        double own = d * (double)s->noise[k] * wide + s->scale * (wide * wide - 1);
        job->dspread[k] = held ? 0 : (float)own;
        job->dmean[k] = (float)(d + s->scale * (double)s->mean[k]);
    }
}

graco_status cpu_gaussian_backward(struct context *c, const struct gaussian *s, const float *dZ,
                                   float *dmean, float *dspread)
{
    struct gaussian_job job = {
        .spec = (struct gaussian *)s, .dZ = dZ, .dmean = dmean, .dspread = dspread};
    threads_run(c->threads, s->rows * s->cols, PIECE, back_piece, &job);
    return GRACO_OK;
}
