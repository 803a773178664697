/* The inner loop of skip-gram. Groups depend on each other through the rows that they share, so they run
 * in their order; the columns of a row are vectors, and the next rows are asked for ahead of time.
 *
 * The sigmoid is 1 / (1 + 2^(-x log2 e)) by the polynomial of loops_vector.h: its error is below 2e-7 for any
 * x, so that no table and no bound on x is needed. */
#ifndef COMPUTE_CPU_LOOPS_SKIPGRAM_H
#define COMPUTE_CPU_LOOPS_SKIPGRAM_H

#include "compute/cpu/loops.h"
#include "compute/cpu/loops_vector.h"

#include <math.h>

enum {
    AHEAD = 6, /* words: rows of a large table arrive from memory in the time of so many terms */
    LINE = 16, /* floats of a cache line */
    WIDE = 8,  /* vectors of a row that registers hold, beside its change */
    NARROW = 4,
};

static inline float sigmoid(float x)
{
    float power = -x * LOG2E;
    return 1 / (1 + exp2_scalar(power < 126 ? power : 126));
}

/* softplus((1 - 2 y) x) without overflow. */
static double term_loss(float x, float y)
{
    double z = y > 0.5f ? -(double)x : (double)x;
    return fmax(z, 0) + log1p(exp(-fabs(z)));
}

static inline void prefetch_row(const struct skipgram_pass *p, int64_t at)
{
    if (at >= p->count)
        return;
    uint32_t word = p->word[at];
    float *row = (word & SKIPGRAM_INPUT ? p->U : p->V) + (int64_t)(word >> SKIPGRAM_SHIFT) * p->d;
    for (int64_t k = 0; k < p->d; k += LINE)
        EXT_PREFETCH(row + k);
}

/* The change of a term, before it is multiplied by a row. */
static EXT_INLINE float weigh(const struct skipgram_pass *p, float x, uint32_t word, double *loss)
{
    float y = (float)(word & 1);
    if (loss)
        *loss += term_loss(x, y);
    return p->alpha * (y - sigmoid(x));
}

/* Rows of `vectors` whole vectors, a constant wherever this is inlined: u and its change stay in
 * registers during a group. */
static EXT_INLINE void pass_wide(const struct skipgram_pass *p, const int vectors, double *loss)
{
    for (int64_t at = 0; at < p->count;) {
        float *u = p->U + (int64_t)(p->word[at++] >> SKIPGRAM_SHIFT) * p->d;
        ext_vector row[WIDE], change[WIDE] = {{0}};
        for (int k = 0; k < vectors; k++)
            row[k] = load(u + k * LANES);
        for (; at < p->count && !(p->word[at] & SKIPGRAM_INPUT); at++) {
            uint32_t word = p->word[at];
            float *v = p->V + (int64_t)(word >> SKIPGRAM_SHIFT) * p->d;
            ext_vector output[WIDE], even = {0}, odd = {0};
            prefetch_row(p, at + AHEAD);
            for (int k = 0; k < vectors; k++)
                output[k] = load(v + k * LANES);
            for (int k = 0; k < vectors; k += 2) {
                even += row[k] * output[k];
                odd += row[k + 1] * output[k + 1];
            }
            ext_vector g = fill(weigh(p, sum(even + odd), word, loss));
            for (int k = 0; k < vectors; k++) {
                if ((int)EXT_LANES < (int)LANES) /* too few registers to have kept it */
                    output[k] = load(v + k * LANES);
                change[k] += g * output[k];
                store(v + k * LANES, output[k] + g * row[k]);
            }
        }
        for (int k = 0; k < vectors; k++)
            store(u + k * LANES, row[k] + change[k]);
    }
}

/* Rows of any length: the change is kept in `change`, d floats. */
static void pass_any(const struct skipgram_pass *p, float *change, double *loss)
{
    int64_t d = p->d;
    for (int64_t at = 0; at < p->count;) {
        float *u = p->U + (int64_t)(p->word[at++] >> SKIPGRAM_SHIFT) * d;
        memset(change, 0, (size_t)d * sizeof *change);
        for (; at < p->count && !(p->word[at] & SKIPGRAM_INPUT); at++) {
            float *v = p->V + (int64_t)(p->word[at] >> SKIPGRAM_SHIFT) * d;
            ext_vector dot = {0};
            prefetch_row(p, at + AHEAD);
            for (int64_t k = 0; k < d; k += LANES) {
                int64_t part = d - k < LANES ? d - k : LANES;
                dot += load_part(u + k, part) * load_part(v + k, part);
            }
            ext_vector g = fill(weigh(p, sum(dot), p->word[at], loss));
            for (int64_t k = 0; k < d; k += LANES) {
                int64_t part = d - k < LANES ? d - k : LANES;
                ext_vector output = load_part(v + k, part);
                store_part(change + k, load_part(change + k, part) + g * output, part);
                store_part(v + k, output + g * load_part(u + k, part), part);
            }
        }
        for (int64_t k = 0; k < d; k++)
            u[k] += change[k];
    }
}

static double skipgram(const struct skipgram_pass *p, bool wanted)
{
    double loss = 0;
    if (p->d == WIDE * LANES)
        wanted ? pass_wide(p, WIDE, &loss) : pass_wide(p, WIDE, NULL);
    else if (p->d == NARROW * LANES)
        wanted ? pass_wide(p, NARROW, &loss) : pass_wide(p, NARROW, NULL);
    else
        pass_any(p, p->change, wanted ? &loss : NULL);
    return loss;
}

#endif
