/* What the files of the contrast share: tiles between sides (cpu_contrast.c), which a ring of ranks asks
 * for too (cpu_contrast_ring.c), and many graphs at once (cpu_graphs.c). */
#ifndef COMPUTE_CPU_CPU_CONTRAST_H
#define COMPUTE_CPU_CPU_CONTRAST_H

#include "compute/cpu/cpu.h"
#include "compute/cpu/loops_bf16.h"

#include <stdatomic.h>

enum { TILE = CONTRAST_TILE, ROWS_PER_PIECE = 256 };

/* Z in bf16, in the orders in which products read it. Blocks are of one view, and begin at a multiple of the
 * tile in it; their first row counts those of both views. */
struct rounded_rows {
    const struct loops_bf16 *loops; /* NULL: products are float32's */
    int64_t n, d;
    const float *exact;  /* (2n, d) Z itself */
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

/* The similarities of a block of `a` and one of `b` into `room`, rows CONTRAST_TILE apart. */
void rounded_similarities(const struct rounded_rows *a, const struct rounded_rows *b,
                          struct block I, struct block J, float *room);

/* dZ += W Z for the rows of dZ in block `to` and those of Z in `from`; W(i, k) = W[i row + k col] is the pair
 * of rows 2k and 2k + 1 of `from`. */
void rounded_gradient(const struct rounded_rows *r, float *dZ, struct block to, struct block from,
                      const uint32_t *W, int64_t row, int64_t col);

/* Rows that meet others: those of this rank, or of another one. Matrices are borrowed, but for what
 * side_clear gives back. */
struct side {
    int64_t n;                /* nodes; each has a row in either view */
    int64_t view;             /* the first view whose rows take part */
    int64_t span;             /* tiles along a block: block_span(n) */
    int64_t per_view, blocks; /* blocks of one view; of the views that take part */
    const float *Z;           /* (2n, d) */
    float *columns, *rows;    /* each view's Z', packed; Z, packed. Given back by side_clear */
    struct rounded_rows half; /* the same in bf16 */
    atomic_llong *turns;      /* (blocks) matches that a block has been in. The same */
    double *between, *within; /* (2n) forward: sums over the other and the own view */
    const float *inverse;     /* (2n) backward: 1 / D */
    float *dZ;                /* (2n, d) backward */
};

/* ---- cpu_sides.c ----------------------------------------------------------------------------- */

/* The loops in bf16, where the context wants them; else NULL. */
const struct loops_bf16 *contrast_half(const struct context *c);

/* Both views of n nodes. */
graco_status side_init(struct context *c, struct side *side, const struct contrast *s, int64_t n,
                       const float *Z);
void side_clear(struct context *c, struct side *side);

/* Cuts both views into blocks of so many tiles: block_span(n) of them unless a test wants more. */
void side_cut(struct side *side, int64_t span);

/* Lets only so many views take part. */
void side_choose(struct side *side, int64_t view, int64_t views);

/* What sweeps read of a side: columns where similarities are computed, on the second side; rows of both
 * backward. */
graco_status side_pack_columns(struct context *c, struct side *side, int64_t d);
graco_status side_pack_rows(struct context *c, struct side *side, int64_t d);

/* ---- cpu_tournament.c ------------------------------------------------------------------------ */

/* Two blocks that meet: span x span tiles, fewer where the rows end or a block meets itself. */
struct match {
    int64_t index;
    int64_t i, j;           /* blocks of either side */
    int64_t i_turn, j_turn; /* matches that each has been in before */
    bool between;           /* its blocks are of different views */
    bool diagonal;          /* they are the same */
};

/* Tiles along a block of a side of n nodes. */
int64_t block_span(int64_t n);
struct block block_at(const struct side *side, int64_t index);

/* The matches of two sides; the same side twice: of its own pairs of blocks. */
int64_t match_count(const struct side *a, const struct side *b);
struct match match_at(const struct side *a, const struct side *b, int64_t index);

/* How many tiles these have room for. */
int64_t contrast_tiles(const struct side *a, const struct side *b);

/* ---- cpu_contrast.c -------------------------------------------------------------------------- */

/* Tiles of a sweep that the forward direction keeps for the backward one: its first ones. */
struct kept_tiles {
    float *tiles;
    int64_t count;
};

/* Those of a sweep of `count` tiles, if earlier ones have taken `used` of the room. */
struct kept_tiles contrast_kept(const struct contrast *s, int64_t used, int64_t count);

/* All tiles: their sums are added to `between` and `within` of both sides, or, backward, to dZ. */
graco_status contrast_sweep(struct context *c, const struct contrast *s, struct side *const side[2],
                            struct kept_tiles kept, bool backward);

/* D and, over all ranks, the loss and the estimate. */
graco_status contrast_sum_up(struct context *c, struct contrast *s, const struct side *side);

/* Before and after the sweeps that add to dZ. */
void contrast_begin_gradient(struct context *c, const struct contrast *s, float *dZ);
void contrast_end_gradient(struct context *c, const struct contrast *s, float *dZ);

graco_status cpu_contrast_ring(struct context *c, struct contrast *s);
graco_status cpu_contrast_ring_backward(struct context *c, const struct contrast *s, float *dZ);

graco_status cpu_contrast_graphs(struct context *c, struct contrast *s);
graco_status cpu_contrast_graphs_backward(struct context *c, const struct contrast *s, float *dZ);

#endif
