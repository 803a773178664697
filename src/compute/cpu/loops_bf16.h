/* Inner loops over bf16, compiled once per instruction set like those of loops.h.
 *
 * A bf16 is the upper half of a float: its range, and seven bits of fraction. Products read words of two,
 * a pair: terms 2k and 2k + 1 of a sum, the first in the lower half. That is what the processors'
 * instructions multiply, 16 pairs at a time (vdpbf16ps) or in tiles of 16 x 16 pairs (tdpbf16ps). The
 * products are added up in float32. */
#ifndef COMPUTE_CPU_LOOPS_BF16_H
#define COMPUTE_CPU_LOOPS_BF16_H

#include "compute/cpu/loops.h"

enum { BF16_GRAIN = 16 }; /* pairs of a tile: the length of every sum is a multiple */

/* Pairs of a sum of so many terms, zeros at its end included. */
static inline int64_t bf16_pairs(int64_t terms)
{
    return (terms + 2 * BF16_GRAIN - 1) / (2 * BF16_GRAIN) * BF16_GRAIN;
}

/* The weights tile[i][j] (row[i] + col[j]) of a tile of similarities, in both orders that products read:
 *
 *     by_row[i TILE / 2 + k]    columns 2k and 2k + 1 of row i
 *     by_col[k TILE + j]        rows 2k and 2k + 1 of column j
 *
 * with zeros behind the last row and column, up to the grain. TILE is CONTRAST_TILE. */
struct bf16_weights {
    uint32_t *by_row, *by_col;
    const float *tile; /* rows TILE floats apart */
    int64_t rows, cols;
    const float *row, *col;
};

struct loops_bf16 {
    const char *name;
    int64_t panel; /* columns of a panel of B */
    int64_t strip; /* rows that products like: a multiple of 2 BF16_GRAIN */
    bool keep;     /* a tile of similarities is read from memory sooner than computed again */

    /* As the product of loops.h, but A(i, k) and B(k, j) are pairs, and depth counts pairs: a multiple of
     * BF16_GRAIN. B is packed in whole panels of `panel` columns (b_row = panel), with zeros behind the
     * last. A pair's products are added one after the other; which first, and whether subnormal numbers
     * count as 0, is the processor's affair. */
    void (*product)(const struct panel_product_bf16 *p);

    /* out[k] = the pair of x[2k] and x[2k + 1], with zeros up to bf16_pairs(count). */
    void (*round_row)(uint32_t *out, const float *x, int64_t count);
    /* out[j] = the pair of a[j] and b[j]; a NULL b is zeros. */
    void (*pair_rows)(uint32_t *out, const float *a, const float *b, int64_t count);

    void (*weigh_tile)(const struct bf16_weights *w);
};

extern const struct loops_bf16 loops_bf16_generic, loops_bf16_avx2, loops_bf16_avx512,
    loops_bf16_avx512bf16, loops_bf16_amx;

/* The best of them that this machine runs; with a higher rank the next best, NULL behind the last. Asks
 * the system for AMX, which takes microseconds. */
const struct loops_bf16 *loops_bf16_choose(int rank);

#endif
