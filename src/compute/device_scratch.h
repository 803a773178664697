/* Sizes of the scratch memory that a GPU's kernels take beside their operands: for the kernels, and for the
 * tally, which must know them where there is no GPU code to ask. */
#ifndef COMPUTE_DEVICE_SCRATCH_H
#define COMPUTE_DEVICE_SCRATCH_H

#include "compute/context.h"
#include "compute/operands.h"

enum {
    WORKSPACE_BYTES = 32 << 20, /* of cuBLAS */
    WORKSPACES = 2,             /* one for each queue */
    APART_BYTES = 1 << 30,      /* of buffers: up to here steps go in two queues */
    PANEL_BYTES = 32 << 20, /* of similarities, in float32: large GPUs' caches have room for them */
    PANEL_COLS = 65536,     /* of them, at most: PANEL_GRAIN rows of so many fill a panel */
    PANEL_GRAIN = 128,      /* rows of a panel are a multiple of this */
    HALF_GRAIN = 8,         /* columns of half matrices are: then the tensor cores are fastest */
    HALF_BYTES = 2,         /* of a half, and of a bf16 */
    TILE_ROWS = 128,        /* rows of a view are padded to a multiple of this */
    TILE_WIDTH_MAX = 256,   /* columns that tiles of halves may have */
    WIDE_GRAIN = 64,        /* columns of wide rows' image are a multiple of this */
    /* Blocks of TILE_ROWS along a side of a panel of tiles: forward, where it leaves 17 MB of sums, and backward, where
     * it leaves 8192 x 8192 weights, a size that cuBLAS multiplies fast. */
    WIDE_SUMS = 128,
    WIDE_WEIGHTS = 64,
    /* Rows in halves with more columns than these, and at least so many nodes: backward panels of tiles are faster. */
    WIDE_BACK_COLS = 128,
    WIDE_BACK_NODES = 65536,
    CHUNK_PAIRS = 8192,      /* that `moment` works off at once where products are not kept */
    RECONSTRUCT_NARROW = 32, /* columns of Z that fit into registers */
    RECONSTRUCT_PIECES = 8,  /* of the columns of s, if so; else panels of s: */
    RECONSTRUCT_PANEL_FLOATS = 8 << 20,
};

static inline int64_t smaller_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Columns of a matrix of halves that has d columns of numbers. */
static inline int64_t half_width(int64_t d)
{
    return (d + HALF_GRAIN - 1) / HALF_GRAIN * HALF_GRAIN;
}

/* Columns of a panel of similarities, and its rows. */
static inline int64_t panel_cols(const struct contrast *s)
{
    return half_width(smaller_of(PANEL_COLS, s->within ? 2 * s->n : s->n));
}

static inline int64_t panel_rows(const struct contrast *s)
{
    int64_t rows = PANEL_BYTES / (int64_t)sizeof(float) / panel_cols(s);
    rows = rows / PANEL_GRAIN * PANEL_GRAIN;
    return smaller_of(rows < PANEL_GRAIN ? (int64_t)PANEL_GRAIN : rows, s->n);
}

/* Columns of Z in halves, as tiles have them. */
static inline int tile_width(int64_t d)
{
    return d <= 64 ? 64 : d <= 128 ? 128 : TILE_WIDTH_MAX;
}

/* Whether rows go through panels of tiles: bf16, which has no other tiles, and halves too wide for them, on the H100
 * family; backward floats, and on the H100 family so many halves that cuBLAS's products are the faster ones. */
static inline bool wide_rows(const struct contrast *s, enum precision precision, bool backward)
{
    return precision == PRECISION_BF16 || (precision <= PRECISION_TF32 && backward) ||
           (precision == PRECISION_FP16 &&
            (s->d > TILE_WIDTH_MAX ||
             (backward && s->d > WIDE_BACK_COLS && s->n >= WIDE_BACK_NODES)));
}

/* Rows of both views, padded as tiles have them. */
static inline int64_t tile_rows(int64_t n)
{
    return 2 * ((n + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS);
}

/* Bytes that tiles of halves keep from the forward to the backward kernel: Z in halves, then 1 / D. 0 where not both
 * go through such tiles. */
static inline int64_t contrast_image_bytes(const struct contrast *s, enum precision precision)
{
    bool tiles = precision == PRECISION_FP16 && s->d <= TILE_WIDTH_MAX &&
                 !wide_rows(s, precision, true) && s->graphs == 0 && !s->bounds;
    return tiles
               ? tile_rows(s->n) * (tile_width(s->d) * (int64_t)HALF_BYTES + (int64_t)sizeof(float))
               : 0;
}

/* Columns of wide rows' image; into how many pieces a view's rows are cut, so that each pair of pieces has a panel; the
 * most blocks of TILE_ROWS that a piece has. */
static inline int wide_width(int64_t d)
{
    return (int)((d + WIDE_GRAIN - 1) / WIDE_GRAIN * WIDE_GRAIN);
}

static inline int64_t wide_pieces(int64_t n, bool backward)
{
    int64_t most = TILE_ROWS * (int64_t)(backward ? WIDE_WEIGHTS : WIDE_SUMS);
    return (n + most - 1) / most;
}

static inline int64_t wide_side(int64_t n, bool backward)
{
    int64_t blocks = (n + TILE_ROWS - 1) / TILE_ROWS, pieces = wide_pieces(n, backward);
    return (blocks + pieces - 1) / pieces;
}

/* Rows of s in a panel. */
static inline int64_t reconstruct_rows(int64_t n)
{
    int64_t most = RECONSTRUCT_PANEL_FLOATS / n;
    return smaller_of(most < 1 ? 1 : most, n);
}

#endif
