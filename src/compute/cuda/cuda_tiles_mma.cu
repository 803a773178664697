/* Tiles on the tensor cores of every GPU since the A100. A thread block has a block of rows, 16 for
 * each warp, and goes through the columns in steps: one step is multiplied while the next is
 * copied. Steps are so small that two of them and the block of rows fit into 99 KB, the least
 * shared memory that such a GPU has. */
#include "compute/cuda/cuda_mma.cuh"

enum {
    STEP = 32, /* columns of a step */
    WARP_ROWS = TILE_ROWS / BLOCK_WARPS,
};

template <int width> struct layout {
    static constexpr int row_bytes = width * (int)sizeof(__half);
    static constexpr int ring = TILE_ROWS * row_bytes;
    static constexpr int sums = ring + 2 * STEP * row_bytes; /* (BLOCK_WARPS, STEP) floats */
    static constexpr int bytes = sums + BLOCK_WARPS * STEP * 4;
};

/* The way of a part through its tiles in steps of columns. */
template <bool backward> struct step_walk {
    tile_walk<backward> walk;
    int step = 0;

    static constexpr int steps = (backward ? TILE_BACK_COLS : TILE_COLS) / STEP;

    __device__ explicit step_walk(const struct tiles &t) : walk(t)
    {
    }

    __device__ int64_t col(const struct tiles &t) const
    {
        return (walk.col(t) * steps + step) * STEP;
    }

    __device__ void next(const struct tiles &t)
    {
        if (++step < steps)
            return;
        step = 0;
        walk.next(t);
    }
};

/* ---- Copies and products --------------------------------------------------------------------- */

/* `count` rows of the image from `first`, all slabs. The caller ends the group of copies. */
template <int width>
__device__ static inline void copy_rows(const struct tiles &t, uint32_t to, int64_t first,
                                        int count)
{
    int64_t rows = tiles_rows(t);
    for (int i = threadIdx.x; i < width / TILE_SLAB * count * 8; i += BLOCK) {
        int slab = i / (count * 8), chunk = i % (count * 8);
        const __half *from = t.image + (slab * rows + first) * TILE_SLAB + chunk * 8;
        copy_chunk(to + i * 16, from);
    }
}

/* Where row and 16-byte chunk lie in an image of `count` rows. */
__device__ static inline uint32_t place(uint32_t image, int count, int row, int chunk)
{
    return image + (chunk / 8 * count + row) * SLAB_BYTES + ((chunk % 8) ^ (row % 8)) * 16;
}

/* The warp's 16 rows of the block times a step's rows. */
template <int width>
__device__ static inline void similarities(float (&s)[STEP / 2], uint32_t rows, uint32_t stage)
{
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
#pragma unroll
    for (int i = 0; i < STEP / 2; i++)
        s[i] = 0;
#pragma unroll
    for (int k = 0; k < width / 16; k++) {
        uint32_t a[4], b[4];
        load(a, place(rows, TILE_ROWS, warp * WARP_ROWS + lane % 16, 2 * k + lane / 16));
#pragma unroll
        for (int j = 0; j < STEP / 16; j++) {
            load(b, place(stage, STEP, j * 16 + lane / 16 * 8 + lane % 8, 2 * k + lane / 8 % 2));
            multiply(s + 8 * j, a, b[0], b[1]);
            multiply(s + 8 * j + 4, a, b[2], b[3]);
        }
    }
}

/* sum (16, width) += w (16, STEP) times a step's rows. */
template <int width>
__device__ static inline void apply(float (&sum)[width / 2], const uint32_t (&w)[STEP / 16][4],
                                    uint32_t stage)
{
    int lane = threadIdx.x % WARP;
#pragma unroll
    for (int k = 0; k < STEP / 16; k++)
#pragma unroll
        for (int j = 0; j < width / 16; j++) {
            uint32_t b[4];
            load_transposed(b, place(stage, STEP, k * 16 + lane % 16, 2 * j + lane / 16));
            multiply(sum + 8 * j, w[k], b[0], b[1]);
            multiply(sum + 8 * j + 4, w[k], b[2], b[3]);
        }
}

/* Brings in the next step's rows and waits for this one's; the block of rows too where it changes.
 * Every thread is past the step before. */
template <bool backward, int width>
__device__ static inline void arrive(const struct tiles &t, const step_walk<backward> &at,
                                     uint32_t memory, int stage)
{
    typedef layout<width> shape;
    step_walk<backward> ahead = at;
    ahead.next(t);
    if (at.step == 0 && at.walk.row_begins())
        copy_rows<width>(t, memory, at.walk.row * TILE_ROWS, TILE_ROWS);
    copies_end();
    if (ahead.walk.more())
        copy_rows<width>(t, memory + shape::ring + (stage ^ 1) * STEP * shape::row_bytes,
                         ahead.col(t), STEP);
    copies_end();
    copies_wait<1>();
    __syncthreads();
}

/* ---- Forward --------------------------------------------------------------------------------- */

template <int width>
__global__ static void __launch_bounds__(BLOCK)
    forward_tiles(const __grid_constant__ struct tiles t)
{
    typedef layout<width> shape;
    extern __shared__ __align__(1024) char plain[];
    uint32_t memory = address_of(plain);
    float *folded = (float *)(plain + shape::sums), s[STEP / 2], rows[2], cols[STEP / 4];
    double sum[2][2] = {{0, 0}, {0, 0}};
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, y = warp * WARP_ROWS, stage = 0;
    step_walk<false> at(t);
    copy_rows<width>(t, memory + shape::ring, at.col(t), STEP);
    for (; at.walk.more(); at.next(t), stage ^= 1) {
        int64_t col = at.walk.col(t);
        bool between = at.walk.between(t);
        arrive<false, width>(t, at, memory, stage);
        similarities<width>(s, memory, memory + shape::ring + stage * STEP * shape::row_bytes);
        int x = at.step * STEP;
        tile_exponentials(s, t.scale, tiles_filled(t, at.walk.row, 1) - y,
                          tiles_filled(t, col, 1) - x, col == at.walk.row ? y - x : TILE_NOWHERE);
        tile_sums(rows, cols, s);
        tile_add(sum, rows, between);
        tile_fold<1>(cols);
        int chunk = (lane >> 4 & 1) * 2 + (lane >> 3 & 1);
        folded[warp * STEP + chunk * 8 + lane % 4 * 2 + (lane >> 2 & 1)] = cols[0];
        __syncthreads();
        if (warp == 0 && at.walk.row != col) {
            float total = 0;
            for (int i = 0; i < BLOCK_WARPS; i++)
                total += folded[i * STEP + lane];
            t.sums[(2 * blockIdx.x + between) * tiles_rows(t) + at.col(t) + lane] += total;
        }
        if (at.walk.row_ends() && at.step == at.steps - 1)
            tile_leave_sums(t, sum, at.walk.row, y);
        __syncthreads();
    }
}

/* ---- Backward -------------------------------------------------------------------------------- */

template <int width>
__global__ static void __launch_bounds__(BLOCK, 1)
    backward_tiles(const __grid_constant__ struct tiles t)
{
    typedef layout<width> shape;
    extern __shared__ __align__(1024) char plain[];
    uint32_t memory = address_of(plain), w[STEP / 16][4];
    float s[STEP / 2], sum[width / 2], own[2] = {0, 0};
    int64_t rows = tiles_rows(t);
    int y = (int)threadIdx.x / WARP * WARP_ROWS, stage = 0;
#pragma unroll
    for (int i = 0; i < width / 2; i++)
        sum[i] = 0;
    step_walk<true> at(t);
    copy_rows<width>(t, memory + shape::ring, at.col(t), STEP);
    for (; at.walk.more(); at.next(t), stage ^= 1) {
        uint32_t columns = memory + shape::ring + stage * STEP * shape::row_bytes;
        int64_t row = at.walk.row * TILE_ROWS + y, col = at.col(t);
        if (at.step == 0 && at.walk.row_begins()) {
            own[0] = t.inverse[row + tile_y(0)];
            own[1] = t.inverse[row + tile_y(2)];
        }
        arrive<true, width>(t, at, memory, stage);
        similarities<width>(s, memory, columns);
        int64_t self = row - col, partner = row < rows / 2 ? self + rows / 2 : self - rows / 2;
        int64_t diagonal = self > -WARP_ROWS && self < STEP ? self : partner;
        tile_weigh(w, s, t.scale, own, t.inverse + col,
                   diagonal > -WARP_ROWS && diagonal < STEP ? (int)diagonal : TILE_NOWHERE);
        tile_clear_weights(w, tiles_filled_from(t, col, STEP));
        apply<width>(sum, w, columns);
        if (at.walk.row_ends() && at.step == at.steps - 1)
            tile_leave<width>(t, at.walk, sum, y);
        __syncthreads();
    }
}

/* ---- Launching ------------------------------------------------------------------------------- */

template <int width>
static cudaError_t launch(void (*kernel)(struct tiles), const struct tiles &t, cudaStream_t stream)
{
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             layout<width>::bytes);
    if (error != cudaSuccess)
        return error;
    kernel<<<(unsigned)t.parts, BLOCK, layout<width>::bytes, stream>>>(t);
    return cudaGetLastError();
}

cudaError_t tiles_forward_mma(const struct tiles &t, cudaStream_t stream)
{
    return t.width == 64    ? launch<64>(forward_tiles<64>, t, stream)
           : t.width == 128 ? launch<128>(forward_tiles<128>, t, stream)
                            : launch<256>(forward_tiles<256>, t, stream);
}

cudaError_t tiles_backward_mma(const struct tiles &t, cudaStream_t stream)
{
    return t.width == 64    ? launch<64>(backward_tiles<64>, t, stream)
           : t.width == 128 ? launch<128>(backward_tiles<128>, t, stream)
                            : launch<256>(backward_tiles<256>, t, stream);
}
