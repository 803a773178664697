/* Vectors of sixteen floats for the inner loops: parts of rows, sums over lanes, exponentials. */
#ifndef COMPUTE_CPU_LOOPS_VECTOR_H
#define COMPUTE_CPU_LOOPS_VECTOR_H

#include "base/extensions.h"

#include <string.h>

enum { LANES = 16 };

/* loops_product.def: a block of C that fits the registers, 24 accumulators of 32 or 12 of 16; and how many
 * rows of a panel of B stay in the near cache. */
enum { BLOCK_ROWS = 6, BLOCK_VECTORS = EXT_LANES == 16 ? 4 : 2, DEPTH = 512 };

static inline ext_vector load(const float *p)
{
    ext_vector v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store(float *p, ext_vector v)
{
    memcpy(p, &v, sizeof v);
}

/* Up to 16 floats, zeros behind them. All but the last of a row are whole vectors. */
static inline ext_vector load_part(const float *p, int64_t count)
{
    if (count == LANES)
        return load(p);
    ext_vector v = {0};
    memcpy(&v, p, (size_t)count * sizeof(float));
    return v;
}

static inline void store_part(float *p, ext_vector v, int64_t count)
{
    if (count == LANES)
        store(p, v);
    else
        memcpy(p, &v, (size_t)count * sizeof(float));
}

static inline ext_vector fill(float x)
{
    return x - (ext_vector){0};
}

/* Lane i and lane i + 8 first, then i + 4, i + 2, i + 1. */
static inline float sum(ext_vector v)
{
    return ext_sum(v);
}

/* 2^x for x in [-126, 126]; below, 2^-126. The polynomial interpolates 2^f on [-1/2, 1/2] at
 * Chebyshev nodes: relative error 2e-9 before rounding. */
static inline ext_vector exp2_vector(ext_vector x)
{
    const ext_vector lowest = fill(-126.0f), magic = fill(12582912.0f); /* 1.5 * 2^23 */
    ext_integers below = x < lowest, xi, li;
    memcpy(&xi, &x, sizeof x);
    memcpy(&li, &lowest, sizeof lowest);
    xi = (below & li) | (~below & xi);
    memcpy(&x, &xi, sizeof x);
    ext_vector shifted = x + magic;
    ext_vector f = x - (shifted - magic);
    ext_vector p = fill(1.5461444699e-04f);
    p = p * f + fill(1.3400428178e-03f);
    p = p * f + fill(9.6180566785e-03f);
    p = p * f + fill(5.5503272267e-02f);
    p = p * f + fill(2.4022650922e-01f);
    p = p * f + fill(6.9314720670e-01f);
    p = p * f + fill(1.0f);
    ext_integers exponent, bits;
    memcpy(&exponent, &shifted, sizeof shifted);
    memcpy(&bits, &p, sizeof p);
    bits += exponent << 23; /* the magic number's own low bits shift out */
    memcpy(&p, &bits, sizeof p);
    return p;
}

static inline float exp2_scalar(float x)
{
    ext_vector v = exp2_vector(fill(x));
    return v[0];
}

static const float LOG2E = 1.44269504088896340736f;

#endif
