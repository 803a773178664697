/* Inner loops over logistic functions. Exponentials are taken of -|x| alone, so
 * that nothing overflows, and NaN stays NaN. */
#ifndef COMPUTE_CPU_LOOPS_SOFT_H
#define COMPUTE_CPU_LOOPS_SOFT_H

#include "compute/cpu/loops_vector.h"

#include <math.h>

static inline ext_vector magnitude(ext_vector x)
{
    ext_integers bits;
    memcpy(&bits, &x, sizeof x);
    bits &= 0x7fffffff;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Up to 16 floats, `filler` behind them. */
static inline ext_vector load_filled(const float *p, int64_t count, float filler)
{
    if (count == LANES)
        return load(p);
    ext_vector v = fill(filler);
    memcpy(&v, p, (size_t)count * sizeof(float));
    return v;
}

/* 1 / (1 + exp(-x)), where e is exp(-|x|). */
static inline ext_vector logistic_of(ext_vector x, ext_vector e)
{
    const ext_vector one = fill(1.0f);
    ext_integers negative = x < fill(0.0f), top, small;
    memcpy(&top, &one, sizeof top);
    memcpy(&small, &e, sizeof small);
    top = (negative & small) | (~negative & top);
    ext_vector upper;
    memcpy(&upper, &top, sizeof upper);
    return upper / (one + e);
}

/* log(1 + e) for e in [0, 1]: 2 atanh(t), t = e / (2 + e) <= 1/3, by its series; the first term
 * left out is below 1e-8 of the sum. */
static inline ext_vector log1p_of(ext_vector e)
{
    ext_vector t = e / (fill(2.0f) + e), q = t * t, p = fill(1.0f / 15);
    for (int k = 13; k >= 1; k -= 2)
        p = p * q + fill(1.0f / (float)k);
    return fill(2.0f) * t * p;
}

/* The sum of weight log(1 + exp(x)); slope = weight / (1 + exp(-x)), which may be x. */
static inline double softplus(float *slope, const float *x, const float *weight, int64_t count)
{
    const ext_vector half = fill(0.5f), scale = fill(-LOG2E);
    ext_vector total = {0};
    for (int64_t j = 0; j < count; j += LANES) {
        int64_t part = count - j < LANES ? count - j : LANES;
        ext_vector v = load_filled(x + j, part, -1000.0f), size = magnitude(v);
        ext_vector w = weight ? load_part(weight + j, part) : fill(1.0f);
        ext_vector e = exp2_vector(size * scale);
        total += w * (half * v + half * size + log1p_of(e));
        if (slope)
            store_part(slope + j, w * logistic_of(v, e), part);
    }
    return (double)sum(total);
}

/* P = exp(x) / sum exp(x); returns the sum's logarithm. */
static inline double softmax(float *P, const float *x, int64_t count)
{
    float most = x[0];
    for (int64_t j = 1; j < count; j++)
        most = x[j] > most ? x[j] : most;
    ext_vector total = {0};
    for (int64_t j = 0; j < count; j += LANES) {
        int64_t part = count - j < LANES ? count - j : LANES;
        ext_vector v = load_filled(x + j, part, most - 1000.0f);
        ext_vector e = exp2_vector((v - fill(most)) * fill(LOG2E));
        total += e;
        store_part(P + j, e, part);
    }
    double all = (double)sum(total);
    const float inverse = (float)(1 / all);
    for (int64_t j = 0; j < count; j++)
        P[j] *= inverse;
    return (double)most + log(all);
}

#endif
