/* What cpu_contrast hands over: the contrast of several graphs, and products of bf16. */
#ifndef COMPUTE_CPU_CPU_CONTRAST_H
#define COMPUTE_CPU_CPU_CONTRAST_H

#include "compute/cpu/cpu.h"
#include "compute/cpu/loops_bf16.h"

graco_status cpu_contrast_graphs(struct context *c, struct contrast *s);
graco_status cpu_contrast_graphs_backward(struct context *c, const struct contrast *s, float *dZ);

/* Rows of one view; `first` counts those of both views, and is a multiple of the tile within its view. */
struct block {
    int64_t first, rows;
};

/* Z in bf16, in the orders in which products read it. */
struct rounded_rows {
    const struct loops_bf16 *loops; /* NULL: products are float32's */
    const struct contrast *spec;
    int64_t depth;       /* pairs of a row */
    int64_t view_pairs;  /* pairs of rows of one view, whole tiles */
    uint32_t *Z;         /* (2n, depth) */
    uint32_t *columns;   /* each view's Z', packed */
    uint32_t *row_pairs; /* Z packed, views apart: for the gradient */
};

/* Rounds and packs what similarities need, and what the gradient does. Takes buffers of the context, which
 * rounded_clear gives back. */
graco_status rounded_columns(struct context *c, struct rounded_rows *r);
graco_status rounded_row_pairs(struct context *c, struct rounded_rows *r);
void rounded_clear(struct context *c, struct rounded_rows *r);

/* The similarities of two blocks into `room`, rows CONTRAST_TILE apart. */
void rounded_similarities(const struct rounded_rows *r, struct block I, struct block J,
                          float *room);

/* dZ += W Z for the rows of dZ in block `to` and those of Z in `from`; W(i, k) = W[i row + k col] is the pair
 * of rows 2k and 2k + 1 of `from`. */
void rounded_gradient(const struct rounded_rows *r, float *dZ, struct block to, struct block from,
                      const uint32_t *W, int64_t row, int64_t col);

#endif
