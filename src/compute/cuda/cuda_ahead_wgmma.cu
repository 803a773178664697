/* Tiles on the tensor cores of the H100 family, whose products are asked for one tile ahead. Compiled for sm_90a
 * alone.
 *
 * As in cuda_tiles_wgmma.cu a thread block has three warp groups: the first fetches, the other two multiply, each
 * half of a tile's rows. But they do not take turns. While a group exponentiates a tile, the tensor cores have the
 * products of its next one, in other registers, and those of the other group.
 *
 * The fewer instructions a tile takes beside its products, the better. So the root of scale multiplies the image, and
 * an exponential is 2^s of a similarity as it comes; and forward the block of columns stays while blocks of rows go by:
 * a thread has 32 columns, whose sums stay in its registers, and only two rows, whose sums four lanes add up. */
#include "compute/cuda/cuda_ring.cuh"

enum {
    /* After so many tiles at most a thread's sums of columns, in float, are added to the part's. */
    FOLD_TILES = 64,
    /* Registers of a thread: the warp that adds needs more than the one that fetches alone. */
    ADD_REGISTERS = 48,
    SUM_REGISTERS = 224,
    /* Barriers beside the ring's: the block of columns, two rooms for sums of rows, one for sums of columns. */
    BLOCK_FULL = 0,
    BLOCK_EMPTY,
    ROWS_FULL,
    ROWS_EMPTY = ROWS_FULL + 2,
    COLS_FULL = ROWS_EMPTY + 2,
    COLS_EMPTY,
    FORWARD_BARRIERS,
};

/* Shared memory: the block of columns, the ring of blocks of rows, both multiples of 1024 bytes; sums. */
template <int width> struct forward_shape {
    static constexpr int stages = width == 256 ? 2 : 4;
    static constexpr int block_bytes = TILE_ROWS * width * (int)sizeof(__half);
    static constexpr int ring = block_bytes;
    static constexpr int row_sums = ring + stages * block_bytes;  /* (2, TILE_ROWS) floats */
    static constexpr int col_sums = row_sums + 2 * TILE_ROWS * 4; /* (MULTIPLIERS, TILE_COLS) */
    static constexpr int barriers = col_sums + MULTIPLIERS * TILE_COLS * 4;
    static constexpr int bytes = barriers + (2 * stages + FORWARD_BARRIERS) * 8 + 1024;
};

/* A part's way through its tiles, as all who work on them go it. Each row of tiles is a block of columns; the blocks of
 * rows that it meets are the walk's columns. */
template <int width> struct forward_way {
    typedef forward_shape<width> shape;
    ring_signals<shape::stages> on;
    tile_walk<false> walk;
    ring_place<shape::stages> place;
    ring_place<2> room;   /* of sums of rows */
    uint32_t parity = 0;  /* of the block of columns */
    uint32_t folds = 0;   /* parity of sums of columns */
    bool between = false; /* what the sums of columns are of */

    __device__ forward_way(const struct tiles &t, ring_signals<shape::stages> signals)
        : on(signals), walk(t)
    {
    }

    /* Whether sums of columns were left before this tile. */
    __device__ bool folded(const struct tiles &t)
    {
        bool before = between;
        between = walk.between(t);
        return !walk.row_begins() && (between != before || walk.k % FOLD_TILES == 0);
    }

    __device__ void next(const struct tiles &t)
    {
        walk.next(t);
        place.next();
        room.next();
    }
};

template <int width>
__device__ static inline void fetch_forward(const struct tiles &t, forward_way<width> way,
                                            uint32_t memory)
{
    typedef forward_shape<width> shape;
    for (; way.walk.more(); way.next(t)) {
        if (way.walk.row_begins()) {
            barrier full = way.on.further(BLOCK_FULL);
            barrier_wait(way.on.further(BLOCK_EMPTY), way.parity ^ 1);
            barrier_expect(full, shape::block_bytes);
            fetch<width>(t, memory, way.walk.row * TILE_COLS, TILE_COLS, full);
            way.parity ^= 1;
        }
        barrier full = way.on.full(way.place.stage);
        barrier_wait(way.on.empty(way.place.stage), way.place.parity ^ 1);
        barrier_expect(full, shape::block_bytes);
        fetch<width>(t, memory + shape::ring + way.place.stage * shape::block_bytes,
                     way.walk.col(t) * TILE_ROWS, TILE_ROWS, full);
    }
}

/* The part's sums of a block, four of its rows for each lane of a warp. */
__device__ static inline float4 *sums_of(const struct tiles &t, int64_t block, bool between)
{
    float *sums = t.sums + (2 * blockIdx.x + between) * tiles_rows(t) + block * TILE_ROWS;
    return (float4 *)sums + threadIdx.x % WARP;
}

__device__ static inline float4 plus(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/* One warp adds all sums to the part's: nobody else touches these. */
template <int width> struct adder {
    typedef forward_shape<width> shape;
    const struct tiles &t;
    forward_way<width> way;
    const char *plain;

    __device__ void add_cols(bool between)
    {
        const float4 *from = (const float4 *)(plain + shape::col_sums) + threadIdx.x % WARP;
        float4 *sums = sums_of(t, way.walk.row, between), total = *sums;
        barrier_wait(way.on.further(COLS_FULL), way.folds);
#pragma unroll 1 /* few registers */
        for (int warp = 0; warp < MULTIPLIERS; warp++)
            total = plus(total, from[warp * TILE_COLS / 4]);
        *sums = total;
        way.folds ^= 1;
        barrier_arrive(way.on.further(COLS_EMPTY));
    }

    __device__ void add_rows()
    {
        int stage = way.room.stage;
        const float4 *from = (const float4 *)(plain + shape::row_sums) + threadIdx.x % WARP;
        int64_t block = way.walk.col(t);
        float4 *sums = sums_of(t, block, way.between), before = *sums;
        barrier_wait(way.on.further(ROWS_FULL + stage), way.room.parity);
        if (block != way.walk.row) /* a block with itself has each pair twice */
            *sums = plus(before, from[stage * TILE_ROWS / 4]);
        barrier_arrive(way.on.further(ROWS_EMPTY + stage));
    }

    __device__ void run()
    {
        for (; way.walk.more(); way.next(t)) {
            bool before = way.between;
            if (way.folded(t))
                add_cols(before);
            add_rows();
            if (way.walk.row_ends())
                add_cols(way.between);
        }
    }
};

/* Similarities where tile_clear would clear exponentials become so small that no sum feels them: 2^-126, where others are
 * 2^-90 at least. Without branches: all tiles of a part's row may be at the edge, and others wait for it. */
__device__ static inline void clear_tile(float (&s)[64], int rows, int cols, int diagonal)
{
#pragma unroll
    for (int i = 0; i < 64; i++) {
        bool out = (tile_y(i) >= rows) | (tile_x(i) >= cols);
        s[i] = out | (tile_x(i) - tile_y(i) == diagonal) ? -126 : s[i];
    }
}

/* A thread of a multiplying group. Its numbers of blocks are short: a tile has few instructions. */
template <int width> struct summing {
    typedef forward_shape<width> shape;
    const struct tiles &t;
    ring_signals<shape::stages> on;
    uint32_t memory;
    char *plain;
    int group, warp, lane; /* warp: of MULTIPLIERS */
    int first;             /* row of the warp in its block */
    ring_place<shape::stages> place;
    ring_place<2> room;
    uint32_t folds = 0;
    int row, col, k; /* of the walk */
    bool between;
    float cols[32]; /* sums of the thread's columns */

    /* Asks for the similarities of the tile at this place of the ring; for nothing, those of the columns' first rows
     * with the columns. */
    __device__ void ask(float (&s)[64], const ring_place<shape::stages> &at, bool nothing)
    {
        uint32_t stage = memory + shape::ring + at.stage * shape::block_bytes;
        uint64_t rows = describe_rows((nothing ? memory : stage) + group * GROUP_ROWS * SLAB_BYTES);
        uint64_t others = describe_rows(memory);
        if (!nothing)
            barrier_wait(on.full(at.stage), at.parity);
        matrix_begin();
        multiply_first(s, rows, others);
#pragma unroll
        for (int i = 1; i < width / 16; i++)
            multiply(s, rows + describe_step<TILE_ROWS>(i), others + describe_step<TILE_COLS>(i),
                     1);
        matrix_commit();
    }

    /* Waits for them, and gives the ring's place back. */
    __device__ void receive(float (&s)[64], const ring_place<shape::stages> &at, bool nothing)
    {
        matrix_wait<0>();
        hold(s);
        if (lane == 0)
            barrier_arrive(nothing ? on.further(BLOCK_EMPTY) : on.empty(at.stage));
    }

    __device__ void clear_cols()
    {
#pragma unroll
        for (int i = 0; i < 32; i++)
            cols[i] = 0;
    }

    /* Leaves the sums of columns for the warp that adds. */
    __device__ void leave_cols()
    {
        float2 *to =
            (float2 *)(plain + shape::col_sums) + warp * TILE_COLS / 2 + tile_folded_pair(lane);
        tile_fold<4>(cols);
        barrier_wait(on.further(COLS_EMPTY), folds ^ 1);
        to[0] = make_float2(cols[0], cols[1]);
        to[4] = make_float2(cols[2], cols[3]);
        folds ^= 1;
        barrier_arrive(on.further(COLS_FULL));
        clear_cols();
    }

    __device__ void leave_rows(float (&rows)[2])
    {
        float *to = (float *)(plain + shape::row_sums) + room.stage * TILE_ROWS + first;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            rows[i] += __shfl_xor_sync(~0u, rows[i], 1);
            rows[i] += __shfl_xor_sync(~0u, rows[i], 2);
        }
        barrier_wait(on.further(ROWS_EMPTY + room.stage), room.parity ^ 1);
        __syncwarp(); /* a lane that waits longer would miss the phase once the others have arrived */
        if (lane % 4 == 0) {
            to[tile_y(0)] = rows[0];
            to[tile_y(2)] = rows[1];
            barrier_arrive(on.further(ROWS_FULL + room.stage));
        }
    }

    /* Whether a block may have padding. */
    __device__ bool is_last(int block) const
    {
        return block == (int)t.blocks - 1 || block == 2 * (int)t.blocks - 1;
    }

    /* Exponentials of a tile whose products are done, and their sums. */
    __device__ void add_up(float (&s)[64])
    {
        float rows[2] = {0, 0};
        if (col == row || is_last(col) || is_last(row))
            clear_tile(s, tiles_filled(t, col, 1) - first, tiles_filled(t, row, 1),
                       col == row ? first : TILE_NOWHERE);
#pragma unroll
        for (int i = 0; i < 16; i++) {
            float e[4];
#pragma unroll
            for (int j = 0; j < 4; j++)
                e[j] = j == 3 ? tile_exp2_polynomial(s[4 * i + j]) : exp2_quick(s[4 * i + j]);
            rows[0] += e[0] + e[1];
            rows[1] += e[2] + e[3];
            cols[2 * i] += e[0] + e[2];
            cols[2 * i + 1] += e[1] + e[3];
        }
        leave_rows(rows);
    }

    /* One tile, whose similarities are there, while the tensor cores have those of the next. At the end of a row there is
     * none, but nothing that is conditional may ask for products. */
    __device__ void tile(float (&now)[64], float (&coming)[64], bool ends)
    {
        ring_place<shape::stages> ahead = place;
        ahead.next();
        ask(coming, ahead, ends);
        add_up(now);
        receive(coming, ahead, ends);
        place = ahead;
        room.next();
        col = col + 1 < 2 * (int)t.blocks ? col + 1 : 0;
        bool before = between;
        between = (row < (int)t.blocks) != (col < (int)t.blocks);
        k++;
        if (!ends && (between != before || k % FOLD_TILES == 0))
            leave_cols();
    }

    __device__ void run()
    {
        float s[2][64];
        uint32_t parity = 0;
        clear_cols();
        for (tile_walk<false> walk(t); walk.more();) {
            int tiles = (int)walk.left_in_row(), left = tiles;
            row = (int)walk.row;
            col = (int)walk.col(t);
            k = (int)walk.k;
            between = walk.between(t);
            barrier_wait(on.further(BLOCK_FULL), parity);
            parity ^= 1;
            ask(s[0], place, false);
            receive(s[0], place, false);
            for (;;) {
                tile(s[0], s[1], left == 1);
                if (--left == 0)
                    break;
                tile(s[1], s[0], left == 1);
                if (--left == 0)
                    break;
            }
            leave_cols();
            walk.skip(t, tiles);
        }
    }
};

template <int width>
__global__ static void __launch_bounds__(THREADS, 1)
    forward_ahead(const __grid_constant__ struct tiles t)
{
    typedef forward_shape<width> shape;
    char *plain;
    const uint32_t memory = shared_memory(&plain);
    const ring_signals<shape::stages> on = {memory + shape::barriers};
    const int warp = warp_of_block(), group = warp * WARP / GROUP - 1;
    if (threadIdx.x == 0) {
        on.init(1);
        barrier_init(on.further(BLOCK_FULL), 1);
        barrier_init(on.further(BLOCK_EMPTY), MULTIPLIERS);
        for (int i = 0; i < 2; i++) {
            barrier_init(on.further(ROWS_FULL + i), MULTIPLIERS * WARP / 4);
            barrier_init(on.further(ROWS_EMPTY + i), WARP);
        }
        barrier_init(on.further(COLS_FULL), MULTIPLIERS * WARP);
        barrier_init(on.further(COLS_EMPTY), WARP);
        barrier_init_done();
    }
    __syncthreads();
    if (group >= 0) {
        share_registers<ADD_REGISTERS, SUM_REGISTERS>(true);
        summing<width> thread = {t,
                                 on,
                                 memory,
                                 plain,
                                 group,
                                 warp - GROUP / WARP,
                                 (int)threadIdx.x % WARP,
                                 group * GROUP_ROWS + warp % 4 * 16};
        thread.run();
    } else {
        share_registers<ADD_REGISTERS, SUM_REGISTERS>(false);
        if (threadIdx.x == 0)
            fetch_forward<width>(t, forward_way<width>(t, on), memory);
        if (warp == 1) {
            adder<width> thread = {t, forward_way<width>(t, on), plain};
            thread.run();
        }
    }
}

cudaError_t tiles_forward_ahead(const struct tiles &t, cudaStream_t stream)
{
    return t.width == 64    ? launch<forward_shape<64>>(forward_ahead<64>, t, stream)
           : t.width == 128 ? launch<forward_shape<128>>(forward_ahead<128>, t, stream)
                            : launch<forward_shape<256>>(forward_ahead<256>, t, stream);
}
