/* The gradient in tiles on the tensor cores of the H100 family. Compiled for sm_90a alone.
 *
 * A thread block has three warp groups. The first fetches: one of its threads copies blocks of the
 * image into a ring of shared memory, ahead of use. The other two multiply: each has TILE_ROWS / 2
 * rows of the tile, with sums in registers. They take turns, so that one keeps the tensor cores busy
 * while the other exponentiates. */
#include "compute/cuda/cuda_ring.cuh"

/* Barriers of the kernel beside those of the ring: the same for the block of rows. */
enum { ROWS_FULL, ROWS_EMPTY, FURTHER };

/* Shared memory: the rows of the block, then the ring. Both are multiples of 1024 bytes, the period
 * in which chunks change places. */
template <int width> struct layout {
    static constexpr int stages = width == 256 ? 5 : 6; /* of rows of 256 columns as many as fit */
    static constexpr int cols = TILE_BACK_COLS;
    static constexpr int row_bytes = width * (int)sizeof(__half);
    static constexpr int block_bytes = TILE_ROWS * row_bytes;
    static constexpr int stage_bytes = cols * row_bytes;
    static constexpr int ring = block_bytes;
    static constexpr int inverse = ring + stages * stage_bytes; /* (stages, cols) floats */
    static constexpr int barriers = inverse + stages * cols * 4;
    static constexpr int bytes =
        barriers + (2 * stages + FURTHER) * 8 + 1024; /* and room to align */
};

/* ---- Fetching -------------------------------------------------------------------------------- */

template <int width>
__device__ static inline void fetch_tiles(const struct tiles &t, uint32_t memory,
                                          const ring_signals<layout<width>::stages> &on)
{
    typedef layout<width> shape;
    ring_place<shape::stages> place;
    uint32_t rows_parity = 0;
    for (tile_walk<true> walk(t); walk.more(); walk.next(t), place.next()) {
        if (walk.row_begins()) {
            barrier_wait(on.further(ROWS_EMPTY), rows_parity ^ 1);
            barrier_expect(on.further(ROWS_FULL), shape::block_bytes);
            fetch<width>(t, memory, walk.row * TILE_ROWS, TILE_ROWS, on.further(ROWS_FULL));
            rows_parity ^= 1;
        }
        int64_t first = walk.col(t) * shape::cols;
        barrier_wait(on.empty(place.stage), place.parity ^ 1);
        barrier_expect(on.full(place.stage), shape::stage_bytes + shape::cols * 4);
        fetch<width>(t, memory + shape::ring + place.stage * shape::stage_bytes, first, shape::cols,
                     on.full(place.stage));
        copy_in(memory + shape::inverse + place.stage * shape::cols * 4, t.inverse + first,
                shape::cols * 4, on.full(place.stage));
    }
}

/* ---- Multiplying ------------------------------------------------------------------------------ */

template <int width, bool scaled>
__global__ static void __launch_bounds__(THREADS, 1)
    backward_tiles(const __grid_constant__ struct tiles t)
{
    typedef layout<width> shape;
    constexpr int stages = shape::stages, cols = shape::cols;
    char *plain = NULL; /* the shared memory; `memory` is its address there */
    const uint32_t memory = shared_memory(&plain);
    const ring_signals<stages> on = {memory + shape::barriers};
    const int group =
        (int)threadIdx.x / GROUP - 1; /* of those that multiply; -1: the one that fetches */
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (threadIdx.x == 0) {
        on.init(1);
        barrier_init(on.further(ROWS_FULL), 1);
        barrier_init(on.further(ROWS_EMPTY), MULTIPLIERS);
        barrier_init_done();
    }
    __syncthreads();
    share_registers(group >= 0);
    if (group < 0) {
        if (threadIdx.x == 0)
            fetch_tiles<width>(t, memory, on);
    } else {
        float s[32], sum[width / 2], own[2] = {0, 0};
        uint32_t w[4][4];
        ring_place<stages> place;
        uint32_t rows_parity = 0, mine = memory + group * GROUP_ROWS * SLAB_BYTES;
        int64_t groups = 2 * t.blocks * (TILE_ROWS / cols);
        int first = warp % 4 * 16; /* row of the warp in its group's */
#pragma unroll
        for (int i = 0; i < width / 2; i++)
            sum[i] = 0;
        tile_walk<true> walk(t);
        if (group == 1)
            turn_pass(group);
        for (; walk.more(); walk.next(t), place.next()) {
            uint32_t stage = memory + shape::ring + place.stage * shape::stage_bytes;
            if (walk.row_begins()) {
                int64_t row = walk.row * TILE_ROWS + group * GROUP_ROWS + first + lane / 4;
                own[0] = t.inverse[row];
                own[1] = t.inverse[row + 8];
                barrier_wait(on.further(ROWS_FULL), rows_parity);
                barrier_wait(on.full(place.stage), place.parity);
                rows_parity ^= 1;
                turn_take(group);
                matrix_begin();
                similarities<width, cols>(s, mine, stage);
                matrix_commit();
                matrix_wait();
                hold(s);
                turn_pass(group);
            }
            int64_t at = walk.row * (TILE_ROWS / cols) + group, col = walk.col(t);
            bool special = col == at || col - at == groups / 2 || at - col == groups / 2;
            bool ends = walk.row_ends();
            const float *inverse = (const float *)(plain + shape::inverse) + place.stage * cols;
            if (special)
                tile_weigh<__half, scaled>(w, s, t.scale, own, inverse, first);
            else
                tile_weigh<__half, scaled>(w, s, t.scale, own, inverse, TILE_NOWHERE);
            tile_clear_weights(w, tiles_filled_from(t, col * cols, cols));
            /* At the end of a row there is no next tile: this one is multiplied again, for
             * nothing. */
            uint32_t coming = stage;
            if (!ends) {
                ring_place<stages> ahead = place;
                ahead.next();
                coming = memory + shape::ring + ahead.stage * shape::stage_bytes;
                barrier_wait(on.full(ahead.stage), ahead.parity);
            }
            /* A turn: the product of this tile's weights, then the similarities of the next. */
            turn_take(group);
            matrix_begin();
#pragma unroll
            for (int k = 0; k < cols / 16; k++)
                apply(sum, w[k],
                      describe(stage + k * 16 * SLAB_BYTES, cols * SLAB_BYTES, 8 * SLAB_BYTES));
            similarities<width, cols>(s, mine, coming);
            matrix_commit();
            matrix_wait();
            hold(sum);
            hold(s);
            if (group == 0 || walk.tile + 1 < walk.end)
                turn_pass(group);
            if (lane == 0) {
                barrier_arrive(on.empty(place.stage));
                if (ends)
                    barrier_arrive(on.further(ROWS_EMPTY));
            }
            if (ends)
                tile_leave<width>(t, walk, sum, group * GROUP_ROWS + first);
        }
    }
}

/* ---- Launching ------------------------------------------------------------------------------- */

template <int width, bool scaled = false>
static cudaError_t backward(const struct tiles &t, cudaStream_t stream)
{
    return launch<layout<width>>(backward_tiles<width, scaled>, t, stream);
}

/* Narrow rows of an image that is scaled have tiles_backward_ahead. */
cudaError_t tiles_backward_wgmma(const struct tiles &t, cudaStream_t stream)
{
    return t.width == 64    ? backward<64>(t, stream)
           : t.width == 128 ? backward<128>(t, stream)
           : t.scaled       ? backward<256, true>(t, stream)
                            : backward<256>(t, stream);
}
