/* Sizes of the scratch memory that a GPU's kernels take beside their operands: for the kernels, and for the
 * tally, which must know them where there is no GPU code to ask. */
#ifndef COMPUTE_DEVICE_SCRATCH_H
#define COMPUTE_DEVICE_SCRATCH_H

#include "compute/context.h"
#include "compute/operands.h"

/* GPU code that no GPU has run yet is always compiled, and used only where cmake had -DGRACO_UNTRIED=ON: on the
 * machine that tries it. */
#ifndef GRACO_UNTRIED
#define GRACO_UNTRIED 0
#endif

/* For the machine that tries them: up to which step of docs/performance.md's ladder the tiles of the H100 family
 * go. 0: as they have been measured. */
#ifndef TILES_STEP
#define TILES_STEP 0
#endif

enum {
    WORKSPACE_BYTES = 32 << 20,         /* of cuBLAS */
    WORKSPACES = GRACO_UNTRIED ? 2 : 1, /* one for each queue */
    APART_BYTES = 1 << 30,              /* of buffers: up to here steps go in two queues */
    PANEL_BYTES = 32 << 20,             /* of similarities, in float32 */
    PANEL_COLS = 65536,
    PANEL_GRAIN = 128,    /* rows of a panel are a multiple of this */
    HALF_GRAIN = 8,       /* columns of half matrices are: then the tensor cores are fastest */
    HALF_BYTES = 2,       /* of a half, and of a bf16 */
    TILE_ROWS = 128,      /* rows of a view are padded to a multiple of this */
    TILE_WIDTH_MAX = 256, /* columns that tiles of halves may have */
    WIDE_ABOVE = TILES_STEP >= 4 ? 64 : TILE_WIDTH_MAX, /* columns above which rows are wide */
    WIDE_GRAIN = 64, /* columns of wide rows' image are a multiple of this */
    WIDE_SUMS = 128, /* blocks of TILE_ROWS along a side of a panel: forward */
    WIDE_WEIGHTS =
        64, /* backward, where a panel is stored: cuBLAS then has 8192 x 8192 of weights */
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

/* Whether rows go through panels of tiles: on the H100 family, with operands of 16 bits. */
static inline bool wide_rows(const struct contrast *s, enum precision precision)
{
    return GRACO_UNTRIED && precision >= PRECISION_FP16 && s->d > WIDE_ABOVE;
}

/* Columns of their image; into how many pieces a view's rows are cut, so that each pair of pieces has a panel; the
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
