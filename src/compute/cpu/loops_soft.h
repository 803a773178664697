/* Inner loops over logistic functions. Nothing overflows, and NaN stays NaN. */
#ifndef COMPUTE_CPU_LOOPS_SOFT_H
#define COMPUTE_CPU_LOOPS_SOFT_H

#include "compute/cpu/loops_vector.h"

#include <math.h>

/* Up to 16 floats, `filler` behind them. */
static inline ext_vector load_filled(const float *p, int64_t count, float filler)
{
    if (count == LANES)
        return load(p);
    ext_vector v = fill(filler);
    memcpy(&v, p, (size_t)count * sizeof(float));
    return v;
}

/* log(1 + e) for e in [0, 1]: e times a polynomial that interpolates log(1 + e) / e at Chebyshev
 * nodes, with a relative error of 5e-9 before rounding. */
static inline ext_vector log1p_vector(ext_vector e)
{
    ext_vector p = fill(-3.1760570102e-03f);
    p = p * e + fill(1.9542527221e-02f);
    p = p * e + fill(-5.6373612750e-02f);
    p = p * e + fill(1.0543623787e-01f);
    p = p * e + fill(-1.5269667069e-01f);
    p = p * e + fill(1.9663274255e-01f);
    p = p * e + fill(-2.4951616262e-01f);
    p = p * e + fill(3.3329710499e-01f);
    p = p * e + fill(-4.9999892648e-01f);
    p = p * e + fill(9.9999999466e-01f);
    return p * e;
}

/* The logistic function of x, and log(1 + e^x) in *soft. Both come from e^-|x|, which cannot
 * overflow. */
static inline ext_vector logistic_vector(ext_vector x, ext_vector *soft)
{
    const ext_vector zero = {0}, one = fill(1.0f);
    ext_integers above = x > zero, bits;
    memcpy(&bits, &x, sizeof x);
    bits &= above;
    ext_vector positive; /* max(x, 0) */
    memcpy(&positive, &bits, sizeof bits);
    ext_vector e = exp2_vector((x - 2 * positive) * fill(LOG2E));
    *soft = positive + log1p_vector(e);
    ext_vector inverse = one / (one + e), below = e * inverse;
    ext_integers a, b;
    memcpy(&a, &inverse, sizeof a);
    memcpy(&b, &below, sizeof b);
    a = (above & a) | (~above & b);
    memcpy(&inverse, &a, sizeof a);
    return inverse;
}

/* The sum of weight log(1 + exp(x)); slope = weight / (1 + exp(-x)), which may be x. */
static inline double softplus(float *slope, const float *x, const float *weight, int64_t count)
{
    ext_vector total = {0}, soft;
    for (int64_t j = 0; j < count; j += LANES) {
        int64_t part = count - j < LANES ? count - j : LANES;
        ext_vector v = load_filled(x + j, part, -1000.0f);
        ext_vector w = weight ? load_part(weight + j, part) : fill(1.0f);
        ext_vector sigma = logistic_vector(v, &soft);
        total += w * soft;
        if (slope)
            store_part(slope + j, w * sigma, part);
    }
    return (double)sum(total);
}

/* y = 1 / (1 + exp(-(x + bias))), which may be x. */
static inline void logistic_row(float *y, const float *x, const float *bias, int64_t count)
{
    ext_vector soft;
    for (int64_t j = 0; j < count; j += LANES) {
        int64_t part = count - j < LANES ? count - j : LANES;
        ext_vector v = load_part(x + j, part);
        store_part(y + j, logistic_vector(bias ? v + load_part(bias + j, part) : v, &soft), part);
    }
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
