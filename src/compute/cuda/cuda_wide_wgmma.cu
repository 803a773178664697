/* Panels of wide rows on the tensor cores of the H100 family. Compiled for sm_90a alone.
 *
 * A thread block has three warp groups. The first fetches: one of its threads copies slices of the
 * image into a ring of shared memory, ahead of use. The other two multiply, each a whole tile of
 * TILE_ROWS x TILE_COLS with its sums in registers: one takes the even tiles of the thread block's
 * share of a row, the other the odd ones. The slices come in the order of the tiles. So while one group has its
 * tile's slices and keeps the tensor cores busy, the other exponentiates the tile before.
 *
 * Up to RESIDENT_MAX columns the block of rows stays in shared memory and a slice has the columns'
 * rows alone; beyond, a slice brings both. */
#include "compute/cuda/cuda_wide.cuh"
#include "compute/cuda/cuda_wgmma.cuh"

enum {
    SLICE_BYTES = TILE_ROWS * SLAB_BYTES, /* a slab of a block of rows */
    RESIDENT_MAX = 512, /* a wider block of rows leaves too little room for the ring */
    GROUP_WARPS = GROUP / WARP,
    SUMS_BYTES = 2 * 2 * GROUP_WARPS * TILE_COLS * 4, /* (group, parity, warp, column) floats */
};

template <bool resident> struct wide_layout {
    static constexpr int stages = resident ? 5 : 6; /* as many as fit */
    static constexpr int stage_bytes = (resident ? 1 : 2) * SLICE_BYTES;
    static constexpr int ring = resident ? RESIDENT_MAX / TILE_SLAB * SLICE_BYTES : 0;
    static constexpr int sums = ring + stages * stage_bytes;
    static constexpr int barriers = sums + SUMS_BYTES;
    static constexpr int bytes = barriers + (2 * stages + 1) * 8 + 1024; /* and room to align */
};

/* The barriers: a stage is `full` when it has arrived and `empty` when its group is done with it.
 * The block of rows comes once. */
template <bool resident> struct wide_signals {
    typedef wide_layout<resident> shape;
    uint32_t base;

    __device__ barrier full(int stage) const
    {
        return base + 8 * stage;
    }
    __device__ barrier empty(int stage) const
    {
        return base + 8 * (shape::stages + stage);
    }
    __device__ barrier rows_full() const
    {
        return base + 8 * (2 * shape::stages);
    }
    __device__ void init() const
    {
        for (int i = 0; i < shape::stages; i++) {
            barrier_init(full(i), 1);
            barrier_init(empty(i), GROUP_WARPS);
        }
        barrier_init(rows_full(), 1);
        barrier_init_done();
    }
};

/* ---- Fetching -------------------------------------------------------------------------------- */

__device__ static inline void fetch_slice(const struct tiles &t, uint32_t to, int block, int slab,
                                          barrier b)
{
    copy_in(to, t.image + (slab * tiles_rows(t) + (int64_t)block * TILE_ROWS) * TILE_SLAB,
            SLICE_BYTES, b);
}

/* Tiles begin .. end - 1 of a row. */
template <bool resident>
__device__ static inline void fetch_row(const struct wide &p, uint32_t memory,
                                        const wide_signals<resident> &on, int row, int begin,
                                        int end)
{
    typedef wide_layout<resident> shape;
    ring_place<shape::stages> place;
    int slabs = p.t.width / TILE_SLAB;
    if (resident) {
        barrier_expect(on.rows_full(), slabs * SLICE_BYTES);
        for (int slab = 0; slab < slabs; slab++)
            fetch_slice(p.t, memory + slab * SLICE_BYTES, p.row + row, slab, on.rows_full());
    }
    for (int col = begin; col < end; col++)
        for (int slab = 0; slab < slabs; slab++, place.next()) {
            uint32_t to = memory + shape::ring + place.stage * shape::stage_bytes;
            barrier_wait(on.empty(place.stage), place.parity ^ 1);
            barrier_expect(on.full(place.stage), shape::stage_bytes);
            fetch_slice(p.t, to, p.col + col, slab, on.full(place.stage));
            if (!resident)
                fetch_slice(p.t, to + SLICE_BYTES, p.row + row, slab, on.full(place.stage));
        }
}

/* ---- What becomes of a tile ------------------------------------------------------------------ */

/* One tile and the thread's place in it. */
struct wide_tile {
    int row, col;       /* within the panel, in blocks */
    int first;          /* row of the warp in either half of the tile */
    int warp, lane;     /* within the group */
    int group, parity;  /* the latter: of the group's tiles, even or odd */
    bool self, special; /* rows are the columns; they are, or are their partners */
};

/* Leaves the sums of exponentials along the tile's rows and columns. */
__device__ static inline void leave_tile_sums(const struct wide &p, const struct wide_tile &at,
                                              float (&s)[2][64], char *room)
{
    int filled_rows = tiles_filled(p.t, p.row + at.row, 1);
    int filled_cols = tiles_filled(p.t, p.col + at.col, 1);
    float cols[32], more[32], rows[2];
    float *to = p.row_sums + ((int64_t)at.col * p.rows + at.row) * TILE_ROWS;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        int first = h * TILE_ROWS / 2 + at.first;
        tile_exponentials(s[h], p.t.scale, filled_rows - first, filled_cols,
                          at.self ? first : TILE_NOWHERE);
        tile_sums(rows, h ? more : cols, s[h]);
#pragma unroll
        for (int i = 0; i < 2; i++) {
            rows[i] += __shfl_xor_sync(~0u, rows[i], 1);
            rows[i] += __shfl_xor_sync(~0u, rows[i], 2);
            if (at.lane % 4 == 0)
                to[first + tile_y(2 * i)] = rows[i];
        }
    }
#pragma unroll
    for (int i = 0; i < 32; i++)
        cols[i] += more[i];
    tile_fold<4>(cols);
    /* Two rooms in turn: one barrier is enough to keep the next tile's sums from this one's. */
    float *sums = (float *)room + (at.group * 2 + at.parity) * GROUP_WARPS * TILE_COLS;
    float2 *mine = (float2 *)(sums + at.warp * TILE_COLS) + tile_folded_pair(at.lane);
    mine[0] = make_float2(cols[0], cols[1]);
    mine[4] = make_float2(cols[2], cols[3]);
    group_sync(at.group);
    int x = at.warp * WARP + at.lane;
    p.col_sums[((int64_t)at.row * p.cols + at.col) * TILE_COLS + x] =
        sums[x] + sums[TILE_COLS + x] + sums[2 * TILE_COLS + x] + sums[3 * TILE_COLS + x];
}

/* Leaves the weights. Four lanes have a row's columns two by two; they change places, so that each
 * has eight that lie together. */
template <typename H>
__device__ static inline void leave_weights(const struct wide &p, const struct wide_tile &at,
                                            float (&s)[2][64])
{
    const float *inverse = p.t.inverse + (int64_t)(p.col + at.col) * TILE_COLS;
    const float *own = p.t.inverse + (int64_t)(p.row + at.row) * TILE_ROWS;
    int64_t ld = (int64_t)p.cols * TILE_COLS;
    uint16_t *to =
        (uint16_t *)p.weights + (int64_t)at.row * TILE_ROWS * ld + (int64_t)at.col * TILE_COLS;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        int first = h * TILE_ROWS / 2 + at.first;
        float mine[2] = {own[first + tile_y(0)], own[first + tile_y(2)]};
        uint32_t w[8][4];
        if (at.special)
            tile_weigh<H>(w, s[h], p.t.scale, mine, inverse, first);
        else
            tile_weigh<H>(w, s[h], p.t.scale, mine, inverse, TILE_NOWHERE);
#pragma unroll
        for (int i = 0; i < 8; i++) { /* row i % 2, columns from 32 (i / 2) on */
            int y = i % 2, k = i / 2 * 2;
            uint32_t u[4] = {w[k][y], w[k][y + 2], w[k + 1][y], w[k + 1][y + 2]};
            tile_transpose(u);
            *(uint4 *)(to + (first + tile_y(2 * y)) * ld + i / 2 * 32 + at.lane % 4 * 8) =
                make_uint4(u[0], u[1], u[2], u[3]);
        }
    }
}

/* ---- The kernel ------------------------------------------------------------------------------ */

/* S (+)= the block's rows times the columns' rows, over one slice of TILE_SLAB columns of Z. */
template <typename H>
__device__ static inline void multiply_slice(float (&s)[2][64], uint32_t rows, uint32_t cols,
                                             bool add)
{
    const uint32_t period = 8 * SLAB_BYTES;
#pragma unroll
    for (int k = 0; k < TILE_SLAB / 16; k++)
#pragma unroll
        for (int h = 0; h < 2; h++)
            multiply(s[h], describe(rows + h * SLICE_BYTES / 2 + k * 32, 16, period),
                     describe(cols + k * 32, 16, period), add || k > 0, (H *)NULL);
}

template <bool backward, bool resident, typename H>
__global__ static void __launch_bounds__(THREADS, 1)
    make_panel(const __grid_constant__ struct wide p)
{
    typedef wide_layout<resident> shape;
    char *plain;
    const uint32_t memory = shared_memory(&plain);
    const wide_signals<resident> on = {memory + shape::barriers};
    const int row = (int)blockIdx.x / p.shares, share = (int)blockIdx.x % p.shares;
    const int begin = p.cols * share / p.shares, end = p.cols * (share + 1) / p.shares;
    const int group = (int)threadIdx.x / GROUP - 1, slabs = p.t.width / TILE_SLAB;
    if (threadIdx.x == 0)
        on.init();
    __syncthreads();
    share_registers(group >= 0);
    if (group < 0) {
        if (threadIdx.x == 0)
            fetch_row<resident>(p, memory, on, row, begin, end);
    } else {
        float s[2][64];
        ring_place<shape::stages> place;
        struct wide_tile at = {};
        at.group = group;
        at.warp = (int)threadIdx.x % GROUP / WARP;
        at.lane = (int)threadIdx.x % WARP;
        at.first = at.warp * 16;
        at.row = row;
        place.skip(group * slabs);
        if (resident)
            barrier_wait(on.rows_full(), 0);
        for (at.col = begin + group; at.col < end; at.col += 2) {
            barrier used = 0; /* the slice before this one's */
            /* A wait is for a phase's parity, so the phase before must be over: the other group has
             * seen all slices of its tile. */
            if (at.col > begin)
                turn_take(group);
            for (int slab = 0; slab < slabs; slab++, place.next()) {
                uint32_t slice = memory + shape::ring + place.stage * shape::stage_bytes;
                uint32_t rows = resident ? memory + slab * SLICE_BYTES : slice + SLICE_BYTES;
                barrier_wait(on.full(place.stage), place.parity);
                matrix_begin();
                multiply_slice<H>(s, rows, slice, slab > 0);
                matrix_commit();
                matrix_wait<1>();
                if (slab > 0 && at.lane == 0)
                    barrier_arrive(used);
                used = on.empty(place.stage);
            }
            if (at.col + 1 < end)
                turn_pass(group);
            matrix_wait<0>();
            hold(s[0]);
            hold(s[1]);
            if (at.lane == 0)
                barrier_arrive(used);
            place.skip(slabs); /* the other group's tile */
            int apart = p.col + at.col - p.row - at.row;
            at.self = apart == 0;
            at.special = apart == 0 || apart == p.t.blocks || apart == -p.t.blocks;
            if (backward)
                leave_weights<H>(p, at, s);
            else
                leave_tile_sums(p, at, s, plain + shape::sums);
            at.parity ^= 1;
        }
    }
}

/* ---- Launching ------------------------------------------------------------------------------- */

template <bool backward, bool resident, typename H>
static cudaError_t launch(const struct wide &p, cudaStream_t stream)
{
    const int bytes = wide_layout<resident>::bytes;
    void (*kernel)(struct wide) = make_panel<backward, resident, H>;
    cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error != cudaSuccess)
        return error;
    kernel<<<(unsigned)(p.rows * p.shares), THREADS, bytes, stream>>>(p);
    return cudaGetLastError();
}

template <bool backward, typename H>
static cudaError_t choose(const struct wide &p, cudaStream_t stream)
{
    return p.t.width <= RESIDENT_MAX ? launch<backward, true, H>(p, stream)
                                     : launch<backward, false, H>(p, stream);
}

cudaError_t wide_sums_wgmma(const struct wide &p, bool bf16, cudaStream_t stream)
{
    return bf16 ? choose<false, __nv_bfloat16>(p, stream) : choose<false, __half>(p, stream);
}

cudaError_t wide_weights_wgmma(const struct wide &p, bool bf16, cudaStream_t stream)
{
    return bf16 ? choose<true, __nv_bfloat16>(p, stream) : choose<true, __half>(p, stream);
}
