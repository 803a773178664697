/* The gradient in tiles whose products are asked for one tile ahead (cuda_ahead_wgmma.cu). Compiled for sm_90a alone.
 *
 * Each group has its 64 rows of Z in registers, as operands. While it makes the weights of a tile, the tensor cores
 * have the product of the weights before and the similarities of the next tile. */
#include "compute/cuda/cuda_ring.cuh"

/* Shared memory: the ring of blocks of TILE_BACK_COLS columns, and their inverses. */
template <int width> struct backward_shape {
    static constexpr int stages = 6;
    static constexpr int stage_bytes = TILE_BACK_COLS * width * (int)sizeof(__half);
    static constexpr int inverse = stages * stage_bytes; /* (stages, TILE_BACK_COLS) floats */
    static constexpr int barriers = inverse + stages * TILE_BACK_COLS * 4;
    static constexpr int bytes = barriers + 2 * stages * 8 + 1024;
};

template <int width>
__device__ static inline void fetch_backward(const struct tiles &t,
                                             ring_signals<backward_shape<width>::stages> on,
                                             uint32_t memory)
{
    typedef backward_shape<width> shape;
    ring_place<shape::stages> place;
    for (tile_walk<true> walk(t); walk.more(); walk.next(t), place.next()) {
        barrier full = on.full(place.stage);
        int64_t first = walk.col(t) * TILE_BACK_COLS;
        barrier_wait(on.empty(place.stage), place.parity ^ 1);
        barrier_expect(full, shape::stage_bytes + TILE_BACK_COLS * 4);
        fetch<width>(t, memory + place.stage * shape::stage_bytes, first, TILE_BACK_COLS, full);
        copy_in(memory + shape::inverse + place.stage * TILE_BACK_COLS * 4, t.inverse + first,
                TILE_BACK_COLS * 4, full);
    }
}

/* A thread of a multiplying group: 64 rows, whose Z the group has in registers as operands. */
template <int width> struct weighing {
    typedef backward_shape<width> shape;
    const struct tiles &t;
    ring_signals<shape::stages> on;
    uint32_t memory;
    const char *plain;
    int group, lane;
    int first; /* row of the warp in its group's */
    ring_place<shape::stages> place;
    int at, col;            /* the group's rows, and the tile's columns, in blocks of 64 */
    int begin_col, end_col; /* of the row of tiles: behind the last the first follows */
    uint32_t z[width / 16][4];
    float sum[width / 2], own[2];

    __device__ void enter_row(const tile_walk<true> &walk)
    {
        const int in_block = TILE_ROWS / TILE_BACK_COLS;
        int64_t row = walk.row * TILE_ROWS + group * GROUP_ROWS + first + lane / 4;
        at = (int)walk.row * in_block + group;
        col = (int)walk.col(t);
        begin_col = t.within || walk.row >= t.blocks ? 0 : (int)walk.last + 1;
        end_col = begin_col + (int)walk.last + 1;
#pragma unroll
        for (int i = 0; i < 2; i++)
            own[i] = t.inverse[row + 8 * i];
#pragma unroll
        for (int k = 0; k < width / 16; k++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                int64_t y = row + i % 2 * 8;
                int64_t chunk = (k % 4 * 2 + i / 2) ^ y % 8;
                const __half *slab = t.image + (k / 4 * tiles_rows(t) + y) * TILE_SLAB;
                z[k][i] = ((const uint32_t *)(slab + chunk * 8))[lane % 4];
            }
#pragma unroll
        for (int i = 0; i < width / 2; i++)
            sum[i] = 0;
    }

    __device__ uint32_t stage_of(const ring_place<shape::stages> &place) const
    {
        return memory + place.stage * shape::stage_bytes;
    }

    /* Asks for the similarities of the tile at this place of the ring. */
    __device__ void ask(float (&s)[32], const ring_place<shape::stages> &place)
    {
        uint64_t others = describe_rows(stage_of(place));
        barrier_wait(on.full(place.stage), place.parity);
        matrix_begin();
        multiply_first(s, z[0], others);
#pragma unroll
        for (int k = 1; k < width / 16; k++)
            multiply(s, z[k], others + describe_step<TILE_BACK_COLS>(k));
        matrix_commit();
    }

    /* Most tiles have neither padding nor a row that meets itself or its partner: between their weights and the product
     * of these there is nothing to decide. */
    __device__ void weigh(uint32_t (&w)[4][4], const float (&s)[32])
    {
        const int view = (int)t.blocks * (TILE_ROWS / TILE_BACK_COLS);
        const int there = col < view ? col : col - view, here = at < view ? at : at - view;
        const float *inverse =
            (const float *)(plain + shape::inverse) + place.stage * TILE_BACK_COLS;
        if (there != here && there < (int)(t.n / TILE_BACK_COLS)) {
            tile_weigh<__half, true>(w, s, 1, own, inverse, TILE_NOWHERE);
            return;
        }
        tile_weigh<__half, true>(w, s, 1, own, inverse, there == here ? first : TILE_NOWHERE);
        tile_clear_weights(w, (int)t.n - there * TILE_BACK_COLS);
    }

    /* One tile, whose similarities are there. Asks for those of the next, makes this one's weights, and asks for their
     * product, which may last until the tile after the next begins. At the end of a row this tile's similarities are
     * asked for again, for nothing, because nothing that is conditional may ask for products. */
    __device__ void tile(const float (&now)[32], float (&coming)[32], uint32_t (&w)[4][4],
                         bool begins, bool ends)
    {
        barrier before = on.empty((place.stage + shape::stages - 1) % shape::stages);
        ring_place<shape::stages> ahead = place;
        if (!ends)
            ahead.next();
        ask(coming, ahead);
        weigh(w, now);
        uint64_t others = describe(stage_of(place), TILE_BACK_COLS * SLAB_BYTES, 8 * SLAB_BYTES);
        matrix_begin();
#pragma unroll
        for (int k = 0; k < TILE_BACK_COLS / 16; k++)
            apply(sum, w[k], others + (k * 16 * SLAB_BYTES >> 4));
        matrix_commit();
        matrix_wait<1>(); /* all but the product of these weights */
        hold(coming);
        if (!begins)
            warp_arrive(before);
        place.next();
        col = col + 1 < end_col ? col + 1 : begin_col;
    }

    /* All tiles that the part has of a row. */
    __device__ void run_row(int left)
    {
        float s[2][32];
        uint32_t w[2][4][4];
        bool begins = true;
        ask(s[0], place);
        matrix_wait<0>();
        hold(s[0]);
        for (;; begins = false) {
            tile(s[0], s[1], w[0], begins, left == 1);
            if (--left == 0)
                break;
            tile(s[1], s[0], w[1], false, left == 1);
            if (--left == 0)
                break;
        }
        matrix_wait<0>();
        hold(sum);
        warp_arrive(on.empty((place.stage + shape::stages - 1) % shape::stages));
    }

    __device__ void run()
    {
        for (tile_walk<true> walk(t); walk.more();) {
            int64_t tiles = walk.left_in_row();
            enter_row(walk);
            run_row((int)tiles);
            tile_leave<width>(t, walk, sum, group * GROUP_ROWS + first);
            walk.skip(t, tiles);
        }
    }
};

template <int width>
__global__ static void __launch_bounds__(THREADS, 1)
    backward_ahead(const __grid_constant__ struct tiles t)
{
    typedef backward_shape<width> shape;
    char *plain;
    const uint32_t memory = shared_memory(&plain);
    const ring_signals<shape::stages> on = {memory + shape::barriers};
    const int warp = warp_of_block(), group = warp * WARP / GROUP - 1;
    if (threadIdx.x == 0) {
        on.init(ARRIVING);
        barrier_init_done();
    }
    __syncthreads();
    if (group >= 0) {
        share_registers(true);
        weighing<width> thread = {
            t, on, memory, plain, group, (int)threadIdx.x % WARP, warp % 4 * 16};
        thread.run();
    } else {
        share_registers(false);
        if (threadIdx.x == 0)
            fetch_backward<width>(t, on, memory);
    }
}

cudaError_t tiles_backward_ahead(const struct tiles &t, cudaStream_t stream)
{
    return t.width == 64 ? launch<backward_shape<64>>(backward_ahead<64>, t, stream)
                         : launch<backward_shape<128>>(backward_ahead<128>, t, stream);
}
