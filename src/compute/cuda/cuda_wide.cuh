/* The exact contrast in panels that are made of tiles: of wide rows and bf16 on the tensor cores of the H100
 * family, and the gradient of floats.
 *
 * Tiles alone (cuda_tiles.cuh) end where a block of rows, its tile and its part of dZ no longer fit
 * into one multiprocessor. Here they need not: a tile is summed over slices of TILE_SLAB columns of
 * Z, and what becomes of it leaves the multiprocessor.
 *
 *                 columns: `cols` blocks of TILE_ROWS rows of Z
 *                +------+------+------+---
 *     rows:      | tile | tile | tile |        forward: a tile leaves its sums along rows and columns
 *     `rows`     +------+------+------+---     backward: its weights W
 *     blocks     | tile |      |      |
 *
 * The matrix is symmetric, and so are the weights: each unordered pair of pieces of Z has one panel.
 * Its sums count for its rows and for its columns; its weights are multiplied by cuBLAS, once as W
 * with the columns' rows of Z and once as W' with the rows' own. A panel lies within one pair of
 * views. Both its sides stay in the GPU's cache while it is computed. */
#ifndef COMPUTE_CUDA_CUDA_WIDE_CUH
#define COMPUTE_CUDA_CUDA_WIDE_CUH

#include "compute/cuda/cuda_tiles.cuh"

struct wide {
    struct tiles t;  /* all but parts, sums and shares */
    int row, col;    /* the panel's first block of rows and of columns */
    int rows, cols;  /* how many blocks */
    int shares;      /* thread blocks among which each row of tiles is shared */
    float *row_sums; /* forward: (cols, rows * TILE_ROWS), of each tile */
    float *col_sums; /* forward: (rows, cols * TILE_ROWS) */
    void *weights;   /* backward: (rows * TILE_ROWS, cols * TILE_ROWS), halves, bf16 or floats */
};

/* A view's blocks are shared by so many pieces of nearly equal size: here piece `piece` of both
 * views' begins. */
static inline int wide_begin(int64_t blocks, int64_t pieces, int64_t piece)
{
    return (int)(piece / pieces * blocks + blocks * (piece % pieces) / pieces);
}

/* The panel after this one, or the first if there is none yet (p->rows is 0); false: there is none.
 * Pieces are numbered through both views; p->row and p->col say which they are. */
static inline bool wide_next(struct wide *p, int64_t pieces, int *a, int *b)
{
    if (p->rows == 0) {
        *a = 0;
        *b = p->t.within ? 0 : (int)pieces;
    } else if (++*b == 2 * pieces) {
        ++*a;
        *b = p->t.within ? *a : (int)pieces;
    }
    if (*a == (p->t.within ? 2 : 1) * pieces)
        return false;
    p->row = wide_begin(p->t.blocks, pieces, *a);
    p->col = wide_begin(p->t.blocks, pieces, *b);
    p->rows = wide_begin(p->t.blocks, pieces, *a + 1) - p->row;
    p->cols = wide_begin(p->t.blocks, pieces, *b + 1) - p->col;
    return true;
}

/* What it costs a thread block to begin, in tiles. */
enum { WIDE_BEGIN_TILES = 2 };

/* Into how many shares a row of tiles is best cut. Each thread block works off one share; all of a
 * wave take as long as its longest. */
static inline int wide_shares(int rows, int cols, int processors)
{
    int best = 1;
    int64_t least_time = INT64_MAX;
    for (int shares = 1; shares <= cols && shares <= processors; shares++) {
        int64_t waves = ((int64_t)rows * shares + processors - 1) / processors;
        int64_t time = waves * ((cols + shares - 1) / shares + WIDE_BEGIN_TILES);
        if (time < least_time) {
            least_time = time;
            best = shares;
        }
    }
    return best;
}

/* Makes one panel; of floats, one of weights. */
cudaError_t wide_sums_wgmma(const struct wide &p, bool bf16, cudaStream_t stream);
cudaError_t wide_weights_wgmma(const struct wide &p, bool bf16, cudaStream_t stream);
cudaError_t float_weights(const struct wide &p, bool tf32, cudaStream_t stream);

#endif
