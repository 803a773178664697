/* Inner loops of the evaluation's regressions, in double, for the compiler to vectorise. */
#ifndef COMPUTE_CPU_LOOPS_REGRESS_H
#define COMPUTE_CPU_LOOPS_REGRESS_H

#include "compute/cpu/loops.h"

#include <math.h>
#include <string.h>

/* e^x for x <= 0, 2^-1021 at least. x = n log 2 + r with a whole n, and e^r by its series, whose
 * first missing term is below 2e-16. */
static inline double exp_below(double x)
{
    const double magic = 0x1.8p52, log2_high = 0x1.62e42fefa38p-1, log2_low = 0x1.ef35793c7673p-45;
    uint64_t bits, power;
    x = x < -707 ? -707 : x;
    double shifted = x * 0x1.71547652b82fep+0 + magic, n = shifted - magic;
    double r = (x - n * log2_high) - n * log2_low, p = 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * r + 1;
    p = p * r + 1;
    memcpy(&power, &shifted, sizeof power);
    memcpy(&bits, &p, sizeof bits);
    bits += power << 52; /* the magic number's own low bits shift out */
    memcpy(&p, &bits, sizeof p);
    return p;
}

static void residuals(double *score, const uint8_t *positive, float *curvature, int64_t count,
                      double sums[2])
{
    double *restrict s = score;
    float *restrict to = curvature;
    double linear = 0, product = 1, curved = 0;
#pragma omp simd reduction(+ : linear, curved) reduction(* : product)
    for (int64_t i = 0; i < count; i++) {
        double t = positive[i] ? 1 : -1, margin = t * s[i];
        double e = exp_below(margin < 0 ? margin : -margin), inverse = 1 / (1 + e);
        double wrong = e * inverse; /* at most one half, so that 1 - wrong loses no digits */
        s[i] = -t * (margin < 0 ? 1 - wrong : wrong);
        to[i] = (float)(wrong * inverse);
        curved += wrong * inverse;
        /* log(1 + exp(-margin)) = max(-margin, 0) + log(1 + e) */
        linear += margin < 0 ? -margin : 0;
        product *= 1 + e;
    }
    sums[0] += linear + log(product);
    sums[1] += curved;
}

static void multiply(float *x, const float *factor, int64_t count)
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++)
        x[i] *= factor[i];
}

#endif
