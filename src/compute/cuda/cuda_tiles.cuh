/* The exact contrast on the tensor cores: what its kernels and those who launch them share. Read
 * cuda_panels.cu first, which computes the same in plain steps.
 *
 * The matrix of similarities is cut into tiles; a tile lives in registers alone. The rows of each
 * view are padded to whole blocks of TILE_ROWS, so that a tile lies within one pair of views and a
 * node and its partner have the same place in their blocks. The forward sweep takes each unordered
 * pair of blocks once and adds a tile's exponentials along rows and along columns. The backward
 * sweep takes every block of rows with all columns, makes the tile again, turns it into weights and
 * multiplies them at once with the columns' rows of Z.
 *
 * Tiles are numbered row after row, and each of `parts` thread blocks works through an equal run of
 * numbers. Where several parts share a row of tiles, each leaves its own sum, and the sums are
 * added in the order of the parts: no atomics, the same bits every time.
 *
 * Tiles of float32 and TF32 (cuda_float_tiles.cu) go the same way forward, with another image of Z. */
#ifndef COMPUTE_CUDA_CUDA_TILES_CUH
#define COMPUTE_CUDA_CUDA_TILES_CUH

#include "compute/cuda/cuda_device.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum {
    TILE_COLS = 128,     /* of the forward sweep */
    TILE_BACK_COLS = 64, /* of the backward sweep */
    TILE_SLAB = 64,      /* halves of a row that lie together */
    SLAB_BYTES = TILE_SLAB * HALF_BYTES,
    TILE_AHEAD_BACK_MAX = 128, /* columns of Z: two tiles of wider rows do not fit the registers */
    TILE_NOWHERE = 1 << 30,    /* a diagonal that no tile reaches */
};

/* What the tiles are made of. Z in halves, as the tensor cores want it in shared memory: width /
 * TILE_SLAB slabs, each of 128 bytes of all rows; the 16-byte chunks of a row change places by
 * exclusive or with row % 8. Z in floats is padded with zeros, and else as it is. */
struct tiles {
    int64_t n, d;
    int64_t blocks; /* of a view */
    int width, parts;
    bool within, scaled;
    float scale;         /* log2(e) / tau */
    float root;          /* what the image is multiplied by: scaled, the root of scale; else 1 */
    double unit;         /* what sums of exponentials are multiplied by: scaled, 2^-scale; else 1 */
    const __half *image; /* (slabs, 2 * blocks * TILE_ROWS, TILE_SLAB) */
    const float *floats; /* (2 * blocks * TILE_ROWS, width) TF32: rounded to it */
    const float *turned; /* (width, 2 * blocks * TILE_ROWS) float32: transposed */
    /* Forward: each part's row sums (parts, 2, rows), zero before: within a view, between views. */
    float *sums;
    /* Backward. */
    const float *inverse; /* (rows) 1 / D, scaled; for padding any number or none */
    float *dZ;            /* (2n, d) rows whose tiles one part has; not scaled back */
    float *shares;        /* (parts, 2, TILE_ROWS, width) other rows: begun before, begun here */
};

static inline __host__ __device__ int64_t tiles_rows(const struct tiles &t)
{
    return 2 * t.blocks * TILE_ROWS;
}

/* How many of the rows of `count` blocks from this one on are no padding. */
static inline __host__ __device__ int tiles_filled(const struct tiles &t, int64_t block, int count)
{
    int64_t left = t.n - (block < t.blocks ? block : block - t.blocks) * TILE_ROWS;
    return (int)(left < count * TILE_ROWS ? left : count * TILE_ROWS);
}

/* The same of `count` rows from this one of all, padding included; none: less than 1. */
static inline __host__ __device__ int tiles_filled_from(const struct tiles &t, int64_t row,
                                                        int count)
{
    int64_t half = t.blocks * TILE_ROWS, left = t.n - (row < half ? row : row - half);
    return (int)(left < count ? left : count);
}

/* ---- The order of tiles ---------------------------------------------------------------------- */

/* Tiles in the row of block `row`. */
template <bool backward>
static inline __host__ __device__ int64_t tiles_in_row(const struct tiles &t, int64_t row)
{
    if (backward)
        return (t.within ? 2 : 1) * t.blocks * (TILE_ROWS / TILE_BACK_COLS);
    return t.blocks + (t.within && row < t.blocks ? 1 : 0);
}

template <bool backward>
static inline __host__ __device__ int64_t tiles_total(const struct tiles &t)
{
    if (backward)
        return 2 * t.blocks * tiles_in_row<true>(t, 0);
    return t.blocks * (t.within ? 2 * t.blocks + 1 : t.blocks);
}

/* The number of the first tile of a row, and the row of a tile. */
template <bool backward>
static inline __host__ __device__ int64_t tiles_first(const struct tiles &t, int64_t row)
{
    int64_t longer = row < t.blocks ? row : t.blocks;
    return backward || !t.within ? row * tiles_in_row<backward>(t, 0) : row * t.blocks + longer;
}

template <bool backward>
static inline __host__ __device__ int64_t tiles_row(const struct tiles &t, int64_t tile)
{
    int64_t half = t.blocks * (t.blocks + 1);
    if (backward || !t.within || tile < half)
        return tile / tiles_in_row<backward>(t, 0);
    return t.blocks + (tile - half) / t.blocks;
}

/* Where the run of a part begins, and the part that has a tile. */
static inline __host__ __device__ int64_t tiles_begin(int64_t total, int64_t parts, int64_t part)
{
    return total * part / parts;
}

static inline __host__ __device__ int64_t tiles_owner(int64_t total, int64_t parts, int64_t tile)
{
    return ((tile + 1) * parts - 1) / total;
}

/* The way of one part through its tiles. */
template <bool backward> struct tile_walk {
    int64_t tile, end;    /* numbers: of this tile, behind the last */
    int64_t row, k, last; /* block of rows, the tile's place in its row, the row's last place */
    int64_t shift;        /* backward: the place in the row of the tile that comes first */
    int64_t begin;

    __device__ void enter(const struct tiles &t)
    {
        int64_t first = tiles_first<backward>(t, row);
        last = tiles_in_row<backward>(t, row) - 1;
        /* So a part is at column t of its row after t tiles, as all others are: the cache reads each only once. */
        shift = first >= begin && first + last < end ? (first - begin) % (last + 1) : 0;
    }

    __device__ explicit tile_walk(const struct tiles &t)
    {
        int64_t total = tiles_total<backward>(t);
        tile = begin = tiles_begin(total, t.parts, blockIdx.x);
        end = tiles_begin(total, t.parts, blockIdx.x + 1);
        row = tiles_row<backward>(t, tile);
        k = tile - tiles_first<backward>(t, row);
        enter(t);
    }

    __device__ bool more() const
    {
        return tile < end;
    }

    __device__ bool row_begins() const
    {
        return k == 0 || tile == begin;
    }

    __device__ bool row_ends() const
    {
        return k == last || tile + 1 == end;
    }

    /* Tiles of this row that are still this part's, this one included. */
    __device__ int64_t left_in_row() const
    {
        return last - k < end - 1 - tile ? last - k + 1 : end - tile;
    }

    /* Past so many tiles of this row. */
    __device__ void skip(const struct tiles &t, int64_t tiles)
    {
        tile += tiles - 1;
        k += tiles - 1;
        next(t);
    }

    /* Whether all tiles of this row are this part's. */
    __device__ bool whole() const
    {
        return tile - k >= begin && tile - k + last < end;
    }

    __device__ void next(const struct tiles &t)
    {
        tile++;
        if (k++ < last)
            return;
        row++;
        k = 0;
        enter(t);
    }

    /* The block of columns; backward, the group of TILE_BACK_COLS of them. */
    __device__ int64_t col(const struct tiles &t) const
    {
        if (!backward && t.within) /* no remainder: a division takes as long as many sums */
            return row + k < 2 * t.blocks ? row + k : row + k - 2 * t.blocks;
        if (!backward)
            return t.blocks + k;
        int64_t place = k + shift <= last ? k + shift : k + shift - last - 1;
        return t.within || row >= t.blocks ? place : place + last + 1;
    }

    /* Forward: whether the tile compares one view with the other. */
    __device__ bool between(const struct tiles &t) const
    {
        return (row < t.blocks) != (col(t) < t.blocks);
    }

    /* Where a part leaves what it has of a row that is not whole. */
    __device__ float *share(const struct tiles &t) const
    {
        int64_t slot = 2 * blockIdx.x + (tile - k >= begin ? 1 : 0);
        return t.shares + slot * TILE_ROWS * t.width;
    }
};

/* ---- What every tile does -------------------------------------------------------------------- */

__device__ static inline float tile_exp(float x, float scale)
{
    return exp2_quick(fmaf(x, scale, -scale));
}

/* 2^x for x from -126 to 126 on the units that multiply and add: a polynomial on [-1/2, 1/2], off by 3e-6 at most. Of
 * NaN it makes some number, but NaN still reaches the loss: by the other exponentials, and by row_losses. */
__device__ static inline float tile_exp2_polynomial(float x)
{
    const float shift = 12582912; /* 1.5 2^23: what is added to it is rounded to whole numbers */
    float whole = x + shift, f = x - (whole - shift), p;
    p = fmaf(0.009570102f, f, 0.055917863f);
    p = fmaf(p, f, 0.24024744f);
    p = fmaf(p, f, 0.6931218f);
    p = fmaf(p, f, 0.9999993f);
    return __int_as_float(__float_as_int(p) + (__float_as_int(whole) << 23));
}

/* Two numbers as operands of a product: halves, or bf16. */
__device__ static inline uint32_t tile_pack(float low, float high, const __half * = NULL)
{
    __half2 both = __floats2half2_rn(low, high);
    return *reinterpret_cast<uint32_t *>(&both);
}

__device__ static inline uint32_t tile_pack(float low, float high, const __nv_bfloat16 *)
{
    __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<uint32_t *>(&both);
}

/* Where a thread's x[i] stands in a tile, as the matrix instructions leave it: the row is lane / 4,
 * and 8 more if i & 2; the column is 8 (i / 4) + 2 (lane % 4), and one more if i & 1. */

__device__ static inline int tile_y(int i)
{
    return (int)(threadIdx.x % WARP) / 4 + (i & 2 ? 8 : 0);
}

__device__ static inline int tile_x(int i)
{
    return i / 4 * 8 + (int)(threadIdx.x % 4) * 2 + (i & 1);
}

/* 0 for padding, which begins `rows` and `cols` from the warp's first on, and where column less row is `diagonal`.
 * TILE_NOWHERE: nowhere. */
template <int count>
__device__ static inline void tile_clear(float (&s)[count], int rows, int cols, int diagonal)
{
    if (diagonal == TILE_NOWHERE && rows >= 16 && cols >= count * 2)
        return;
#pragma unroll
    for (int i = 0; i < count; i++)
        if (tile_y(i) >= rows || tile_x(i) >= cols || tile_x(i) - tile_y(i) == diagonal)
            s[i] = 0;
}

/* Exponentials in place of similarities; 0 where tile_clear says. One in four is a polynomial's: the unit for
 * exponentials makes 16 per clock, and those that multiply and add have time to spare. Below -126 it is 2^-126, as on
 * the CPU. */
template <int count>
__device__ static inline void tile_exponentials(float (&s)[count], float scale, int rows, int cols,
                                                int diagonal)
{
#pragma unroll
    for (int i = 0; i < count; i++)
        s[i] = i % 4 == 3 ? tile_exp2_polynomial(fmaxf(fmaf(s[i], scale, -scale), -126))
                          : tile_exp(s[i], scale);
    tile_clear(s, rows, cols, diagonal);
}

/* A thread's sums along its two rows and its columns. */
template <int count>
__device__ static inline void tile_sums(float (&rows)[2], float (&cols)[count / 2],
                                        const float (&e)[count])
{
    rows[0] = rows[1] = 0;
#pragma unroll
    for (int i = 0; i < count / 4; i++) {
        rows[0] += e[4 * i] + e[4 * i + 1];
        rows[1] += e[4 * i + 2] + e[4 * i + 3];
        cols[2 * i] = e[4 * i] + e[4 * i + 2];
        cols[2 * i + 1] = e[4 * i + 1] + e[4 * i + 3];
    }
}

__device__ static inline void tile_add(double (&sum)[2][2], const float (&rows)[2], bool between)
{
    sum[0][0] += between ? 0 : (double)rows[0];
    sum[0][1] += between ? 0 : (double)rows[1];
    sum[1][0] += between ? (double)rows[0] : 0;
    sum[1][1] += between ? (double)rows[1] : 0;
}

/* Adds a warp's row sums, within the view and between views, to the part's own, and clears them. */
__device__ static inline void tile_leave_sums(const struct tiles &t, double (&sum)[2][2],
                                              int64_t row, int y)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        double total = sum[i / 2][i % 2];
        total += __shfl_xor_sync(~0u, total, 1);
        total += __shfl_xor_sync(~0u, total, 2);
        sum[i / 2][i % 2] = 0;
        float *sums = t.sums + (2 * blockIdx.x + i / 2) * tiles_rows(t) + row * TILE_ROWS;
        if (threadIdx.x % 4 == 0)
            sums[y + tile_y(2 * (i % 2))] += (float)total;
    }
}

/* Weights e (1/D_i + 1/D_j) in halves, as the next product takes them. The weight is 0 where column
 * less row is `diagonal`: there the row meets itself or its partner. TILE_NOWHERE: nowhere. `scaled`: so are the
 * similarities already, and e lacks its unit, which the inverses have. */
template <typename H = __half, bool scaled = false, int count>
__device__ static inline void tile_weigh(uint32_t (&w)[count / 8][4], const float (&s)[count],
                                         float scale, const float (&own)[2], const float *inverse,
                                         int diagonal)
{
#pragma unroll
    for (int i = 0; i < count / 4; i++) {
        float2 other = *(const float2 *)(inverse + tile_x(4 * i));
        float e[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float x = s[4 * i + j];
            e[j] = (scaled ? exp2_quick(x) : tile_exp(x, scale)) *
                   (own[j / 2] + (j % 2 ? other.y : other.x));
            if (tile_x(4 * i + j) - tile_y(j) == diagonal)
                e[j] = 0;
        }
        w[i / 2][i % 2 * 2] = tile_pack(e[0], e[1], (H *)NULL);
        w[i / 2][i % 2 * 2 + 1] = tile_pack(e[2], e[3], (H *)NULL);
    }
}

/* 0 for padding, which begins `cols` from the first column on: there weights may be no numbers, or beyond halves where a row
 * is far from all others, and such a weight times a 0 of Z is no number either. */
template <int count>
__device__ static inline void tile_clear_weights(uint32_t (&w)[count][4], int cols)
{
    if (cols >= count * 16)
        return;
#pragma unroll
    for (int i = 0; i < 4 * count; i++) { /* a row's two columns from x on */
        int x = tile_x(i / 2 * 4);
        w[i / 4][i % 4] &= x >= cols ? 0 : x + 1 >= cols ? 0xffffu : ~0u;
    }
}

/* At the end of a row of tiles: a warp's sums go to dZ or to the part's shares, and are cleared. */
template <int width>
__device__ static inline void tile_leave(const struct tiles &t, const tile_walk<true> &walk,
                                         float (&sum)[width / 2], int y)
{
    int64_t block = walk.row % t.blocks, view = walk.row / t.blocks;
    bool whole = walk.whole();
    const float unroot = 1 / t.root;
    float *to = whole ? t.dZ + (view * t.n + block * TILE_ROWS) * t.d : walk.share(t);
    int64_t ld = whole ? t.d : width, rows = whole ? t.n - block * TILE_ROWS : TILE_ROWS;
#pragma unroll
    for (int i = 0; i < width / 2; i++) {
        if (y + tile_y(i) < rows && tile_x(i) < ld)
            to[(y + tile_y(i)) * ld + tile_x(i)] = sum[i] * unroot;
        sum[i] = 0;
    }
}

/* Adds v[0 .. 8 count - 1] over the 8 lanes that differ in bits 2 to 4. Each lane keeps `count` of
 * the totals, in v[0 .. count - 1]: those from count (4 bit4 + 2 bit3 + bit2) on. */
template <int count> __device__ static inline void tile_fold(float *v)
{
    int lane = threadIdx.x % WARP;
#pragma unroll
    for (int bit = 16, left = 4 * count; bit >= 4; bit /= 2, left /= 2)
#pragma unroll
        for (int i = 0; i < 4 * count; i++)
            if (i < left) {
                float mine = lane & bit ? v[left + i] : v[i];
                float other = lane & bit ? v[i] : v[left + i];
                v[i] = mine + __shfl_xor_sync(~0u, other, bit);
            }
}

/* Where the first two of tile_fold<4>'s totals belong, in pairs of columns; the others belong four
 * pairs further on. */
__device__ static inline int tile_folded_pair(int lane)
{
    return (lane >> 2 & 1 ? 8 : 0) + (lane >> 3 & 1 ? 16 : 0) + (lane >> 4 & 1 ? 32 : 0) + lane % 4;
}

/* Lane r of four gets u[r] of each: its u[q] is what lane q had in u[r]. */
__device__ static inline void tile_transpose(uint32_t (&u)[4])
{
    int lane = threadIdx.x % 4;
#pragma unroll
    for (int bit = 1; bit < 4; bit *= 2)
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (!(i & bit)) {
                uint32_t got = __shfl_xor_sync(~0u, lane & bit ? u[i] : u[i | bit], bit);
                u[i] = lane & bit ? got : u[i];
                u[i | bit] = lane & bit ? u[i | bit] : got;
            }
}

/* ---- Launching ------------------------------------------------------------------------------- */

/* What the image of Z has: halves, halves times the root of scale, or bf16. */
enum tile_operands { TILE_HALVES, TILE_HALVES_SCALED, TILE_BF16 };

/* What tiles and panels of wide rows begin with: sizes and the image of Z, rows padded to `width`
 * columns; and factor / D for padded rows. */
graco_status tiles_open(struct cuda_scratch *scratch, struct tiles *t, const struct contrast *s,
                        int width, enum tile_operands operands);
graco_status tiles_open_floats(struct cuda_scratch *scratch, struct tiles *t,
                               const struct contrast *s);
graco_status tiles_invert(struct cuda_scratch *scratch, struct tiles *t, const double *D,
                          double factor);

/* The sweeps over all tiles: with mma, which every GPU since the A100 has, and with wgmma, which the H100 family
 * alone has. `ahead`: with wgmma, of an image that is scaled; backward, of at most TILE_AHEAD_BACK_MAX columns. */
cudaError_t tiles_backward_wgmma(const struct tiles &t, cudaStream_t stream);
cudaError_t tiles_forward_ahead(const struct tiles &t, cudaStream_t stream);
cudaError_t tiles_backward_ahead(const struct tiles &t, cudaStream_t stream);
cudaError_t tiles_forward_mma(const struct tiles &t, cudaStream_t stream);
cudaError_t tiles_backward_mma(const struct tiles &t, cudaStream_t stream);

/* The forward sweep in float32 and in TF32. */
enum {
    /* Bytes of shared memory that a GPU must have for a block. The A100, the H100 family and the B200 have more; the
     * GPUs of compute capability 8.6, 8.9 and 12.0 have 99 KB. */
    FLOAT_TILES_SHARED = 100 << 10,
    FLOAT_TILES_SHARE = 2, /* thread blocks on a multiprocessor, if it has room for two */
};

cudaError_t float_tiles_forward(const struct tiles &t, bool tf32, cudaStream_t stream);

#endif
