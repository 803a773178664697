/* Tiles on the tensor cores of the H100 family. Compiled for sm_90a alone.
 *
 * A thread block has three warp groups. The first fetches: one of its threads copies blocks of the
 * image into a ring of shared memory, ahead of use, and one of its warps adds up column sums. The
 * other two multiply: each has TILE_ROWS / 2 rows of the tile, with sums in registers. They take
 * turns, so that one keeps the tensor cores busy while the other exponentiates. */
#include "compute/cuda/cuda_ring.cuh"

/* Shared memory: the rows of the block, then the ring. Both are multiples of 1024 bytes, the period
 * in which chunks change places. */
template <int width, int cols, int stages> struct layout {
    static constexpr int row_bytes = width * (int)sizeof(__half);
    static constexpr int block_bytes = TILE_ROWS * row_bytes;
    static constexpr int stage_bytes = cols * row_bytes;
    static constexpr int ring = block_bytes;
    static constexpr int inverse = ring + stages * stage_bytes; /* (stages, cols) floats */
    static constexpr int sums = inverse + stages * cols * 4;    /* (2, MULTIPLIERS, cols) */
    static constexpr int barriers = sums + (cols == TILE_COLS ? 2 * MULTIPLIERS * cols * 4 : 0);
    static constexpr int bytes = barriers + (2 * stages + 6) * 8 + 1024; /* and room to align */
};

/* Stages of the ring; of rows of 256 columns as many as fit. */
template <int width> constexpr int forward_stages = width == 256 ? 2 : 4;
template <int width> constexpr int back_stages = width == 256 ? 5 : 6;

/* The barriers of the ring: a stage is `full` when it has arrived, and `empty` when all warps are
 * done with it; the same for the block of rows and for the two buffers of column sums. */
template <typename shape, int stages> struct signals {
    uint32_t base;

    __device__ barrier full(int stage) const
    {
        return base + 8 * stage;
    }
    __device__ barrier empty(int stage) const
    {
        return base + 8 * (stages + stage);
    }
    __device__ barrier rows_full() const
    {
        return base + 8 * (2 * stages);
    }
    __device__ barrier rows_empty() const
    {
        return base + 8 * (2 * stages + 1);
    }
    __device__ barrier sums_full(int buffer) const
    {
        return base + 8 * (2 * stages + 2 + buffer);
    }
    __device__ barrier sums_empty(int buffer) const
    {
        return base + 8 * (2 * stages + 4 + buffer);
    }
    __device__ void init() const
    {
        for (int i = 0; i < stages; i++) {
            barrier_init(full(i), 1);
            barrier_init(empty(i), MULTIPLIERS);
        }
        barrier_init(rows_full(), 1);
        barrier_init(rows_empty(), MULTIPLIERS);
        for (int i = 0; i < 2; i++) {
            barrier_init(sums_full(i), MULTIPLIERS * WARP);
            barrier_init(sums_empty(i), WARP);
        }
        barrier_init_done();
    }
};

/* What both kernels begin with: the aligned shared memory, its barriers, and who the thread is. */
template <typename shape, int stages> struct beginning {
    uint32_t memory; /* address in shared memory */
    char *plain;     /* the same as a pointer */
    signals<shape, stages> on;
    int group; /* of those that multiply; -1: the one that fetches */
    int warp, lane;

    __device__ beginning()
    {
        memory = shared_memory(&plain);
        on.base = memory + shape::barriers;
        group = threadIdx.x / GROUP - 1;
        warp = threadIdx.x / WARP;
        lane = threadIdx.x % WARP;
        if (threadIdx.x == 0)
            on.init();
        __syncthreads();
        share_registers(group >= 0);
    }
};

/* ---- Fetching -------------------------------------------------------------------------------- */

template <bool backward, int width, int cols, int stages, typename shape>
__device__ static inline void fetch_tiles(const struct tiles &t, uint32_t memory,
                                          const signals<shape, stages> &on)
{
    ring_place<stages> place;
    uint32_t rows_parity = 0;
    for (tile_walk<backward> walk(t); walk.more(); walk.next(t), place.next()) {
        if (walk.row_begins()) {
            barrier_wait(on.rows_empty(), rows_parity ^ 1);
            barrier_expect(on.rows_full(), shape::block_bytes);
            fetch<width>(t, memory, walk.row * TILE_ROWS, TILE_ROWS, on.rows_full());
            rows_parity ^= 1;
        }
        int64_t first = walk.col(t) * cols;
        barrier_wait(on.empty(place.stage), place.parity ^ 1);
        barrier_expect(on.full(place.stage), shape::stage_bytes + (backward ? cols * 4 : 0));
        fetch<width>(t, memory + shape::ring + place.stage * shape::stage_bytes, first, cols,
                     on.full(place.stage));
        if (backward)
            copy_in(memory + shape::inverse + place.stage * cols * 4, t.inverse + first, cols * 4,
                    on.full(place.stage));
    }
}

/* ---- Forward --------------------------------------------------------------------------------- */

/* One warp: adds the column sums of all multiplying warps to the part's own. */
template <typename shape, int stages>
__device__ static inline void add_columns(const struct tiles &t, const char *memory,
                                          const signals<shape, stages> &on)
{
    ring_place<2> place;
    int lane = threadIdx.x % WARP;
    for (tile_walk<false> walk(t); walk.more(); walk.next(t), place.next()) {
        int64_t col = walk.col(t);
        const float4 *from = (const float4 *)(memory + shape::sums) +
                             place.stage * MULTIPLIERS * TILE_COLS / 4 + lane;
        float *sums = t.sums + (2 * blockIdx.x + walk.between(t)) * tiles_rows(t) + col * TILE_COLS;
        barrier_wait(on.sums_full(place.stage), place.parity);
        if (col != walk.row) {
            float4 total = ((float4 *)sums)[lane];
            for (int warp = 0; warp < MULTIPLIERS; warp++) {
                float4 more = from[warp * TILE_COLS / 4];
                total.x += more.x;
                total.y += more.y;
                total.z += more.z;
                total.w += more.w;
            }
            ((float4 *)sums)[lane] = total;
        }
        barrier_arrive(on.sums_empty(place.stage));
    }
}

template <int width>
__global__ static void __launch_bounds__(THREADS, 1)
    forward_tiles(const __grid_constant__ struct tiles t)
{
    constexpr int stages = forward_stages<width>;
    typedef layout<width, TILE_COLS, stages> shape;
    const beginning<shape, stages> here;
    const signals<shape, stages> &on = here.on;
    const uint32_t memory = here.memory;
    const int group = here.group, warp = here.warp, lane = here.lane;
    if (group < 0) {
        if (threadIdx.x == 0)
            fetch_tiles<false, width, TILE_COLS, stages, shape>(t, memory, on);
        if (warp == 1)
            add_columns<shape, stages>(t, here.plain, on);
    } else {
        float s[64];
        double sum[2][2] = {{0, 0}, {0, 0}}; /* within, between; rows 8 apart */
        ring_place<stages> place;
        ring_place<2> buffer;
        uint32_t rows_parity = 0;
        int first = group * GROUP_ROWS + warp % 4 * 16; /* row of the warp in the block */
        if (group == 1)
            turn_pass(group);
        for (tile_walk<false> walk(t); walk.more(); walk.next(t), place.next(), buffer.next()) {
            int64_t col = walk.col(t);
            if (walk.row_begins()) {
                barrier_wait(on.rows_full(), rows_parity);
                rows_parity ^= 1;
            }
            barrier_wait(on.full(place.stage), place.parity);
            turn_take(group);
            matrix_begin();
            similarities<width, TILE_COLS>(s, memory + group * GROUP_ROWS * SLAB_BYTES,
                                           memory + shape::ring + place.stage * shape::stage_bytes);
            matrix_commit();
            matrix_wait();
            hold(s);
            if (group == 0 || walk.tile + 1 < walk.end)
                turn_pass(group);
            if (lane == 0) {
                barrier_arrive(on.empty(place.stage));
                if (walk.row_ends())
                    barrier_arrive(on.rows_empty());
            }
            float rows[2], cols[32];
            tile_exponentials(s, t.scale, tiles_filled(t, walk.row, 1) - first,
                              tiles_filled(t, col, 1), col == walk.row ? first : TILE_NOWHERE);
            tile_sums(rows, cols, s);
            tile_add(sum, rows, walk.between(t));
            tile_fold<4>(cols);
            barrier_wait(on.sums_empty(buffer.stage), buffer.parity ^ 1);
            float2 *to = (float2 *)(here.plain + shape::sums) +
                         (buffer.stage * MULTIPLIERS + warp - 4) * TILE_COLS / 2 +
                         tile_folded_pair(lane);
            to[0] = make_float2(cols[0], cols[1]);
            to[4] = make_float2(cols[2], cols[3]);
            barrier_arrive(on.sums_full(buffer.stage));
            if (walk.row_ends()) {
                /* Wait until the warp that adds columns is done with the same sums. */
                barrier_wait(on.sums_empty(buffer.stage), buffer.parity);
                tile_leave_sums(t, sum, walk.row, first);
            }
        }
    }
}

/* ---- Backward -------------------------------------------------------------------------------- */

template <int width, bool scaled>
__global__ static void __launch_bounds__(THREADS, 1)
    backward_tiles(const __grid_constant__ struct tiles t)
{
    constexpr int stages = back_stages<width>, cols = TILE_BACK_COLS;
    typedef layout<width, cols, stages> shape;
    const beginning<shape, stages> here;
    const signals<shape, stages> &on = here.on;
    const uint32_t memory = here.memory;
    const int group = here.group, warp = here.warp, lane = here.lane;
    if (group < 0) {
        if (threadIdx.x == 0)
            fetch_tiles<true, width, cols, stages, shape>(t, memory, on);
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
                barrier_wait(on.rows_full(), rows_parity);
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
            const float *inverse =
                (const float *)(here.plain + shape::inverse) + place.stage * cols;
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
                    barrier_arrive(on.rows_empty());
            }
            if (ends)
                tile_leave<width>(t, walk, sum, group * GROUP_ROWS + first);
        }
    }
}

/* ---- Launching ------------------------------------------------------------------------------- */

template <int width> static cudaError_t forward(const struct tiles &t, cudaStream_t stream)
{
    return launch<layout<width, TILE_COLS, forward_stages<width>>>(forward_tiles<width>, t, stream);
}

template <int width, bool scaled = false>
static cudaError_t backward(const struct tiles &t, cudaStream_t stream)
{
    return launch<layout<width, TILE_BACK_COLS, back_stages<width>>>(backward_tiles<width, scaled>,
                                                                     t, stream);
}

cudaError_t tiles_forward_wgmma(const struct tiles &t, cudaStream_t stream)
{
    return t.width == 64    ? forward<64>(t, stream)
           : t.width == 128 ? forward<128>(t, stream)
                            : forward<256>(t, stream);
}

/* Narrow rows of an image that is scaled have tiles_backward_ahead. */
cudaError_t tiles_backward_wgmma(const struct tiles &t, cudaStream_t stream)
{
    return t.width == 64    ? backward<64>(t, stream)
           : t.width == 128 ? backward<128>(t, stream)
           : t.scaled       ? backward<256, true>(t, stream)
                            : backward<256>(t, stream);
}
