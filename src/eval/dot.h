/* The product of two rows of floats, summed in double, in eight sums: so the compiler may keep them in registers, and
 * the bits are the same on every machine. */
#ifndef EVAL_DOT_H
#define EVAL_DOT_H

#include <stdint.h>

static inline double dot_rows(const float *a, const float *b, int64_t count)
{
    enum { LANES = 8 };
    double lane[LANES] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += (double)a[i + l] * (double)b[i + l];
    for (; i < count; i++)
        sum += (double)a[i] * (double)b[i];
    for (int l = 0; l < LANES; l++)
        sum += lane[l];
    return sum;
}

#endif
