/* What the kernels of tiles for the H100 family share: blocks of the image come into shared memory, similarities of two
 * of them, barriers, and the launch. */
#ifndef COMPUTE_CUDA_CUDA_RING_CUH
#define COMPUTE_CUDA_CUDA_RING_CUH

#include "compute/cuda/cuda_tiles.cuh"
#include "compute/cuda/cuda_wgmma.cuh"

enum {
    GROUP_ROWS = TILE_ROWS / 2,
    MULTIPLIERS = 2 * GROUP / WARP, /* warps */
#ifdef GRACO_RACECHECK
    ARRIVING = WARP,
#else
    ARRIVING = 1, /* lanes of a warp that is done with a stage it has read itself */
#endif
};

/* The thread's warp, so that the compiler knows that all lanes have the same: what is reckoned from it alone, as descriptions
 * of operands are, is reckoned once for a warp. */
__device__ static inline int warp_of_block()
{
    return __shfl_sync(~0u, (int)threadIdx.x / WARP, 0);
}

/* `count` rows of the image from `first`, all slabs. */
template <int width>
__device__ static inline void fetch(const struct tiles &t, uint32_t to, int64_t first, int count,
                                    barrier b)
{
    int64_t rows = tiles_rows(t);
#pragma unroll
    for (int slab = 0; slab < width / TILE_SLAB; slab++)
        copy_in(to + slab * count * SLAB_BYTES, t.image + (slab * rows + first) * TILE_SLAB,
                count * SLAB_BYTES, b);
}

/* Describes the first 16 columns of Z of rows in shared memory; the next ones are some steps further, `count` rows. */
__device__ static inline uint64_t describe_rows(uint32_t rows)
{
    return describe(rows, 16, 8 * SLAB_BYTES);
}

template <int count> __device__ static inline int describe_step(int k)
{
    return (k / 4 * count * SLAB_BYTES + k % 4 * 32) >> 4;
}

/* S = a group's rows of a block times `cols` rows, over the whole width. */
template <int width, int cols, int count>
__device__ static inline void similarities(float (&s)[count], uint32_t rows, uint32_t others)
{
    uint64_t a = describe_rows(rows), b = describe_rows(others);
#pragma unroll
    for (int k = 0; k < width / 16; k++)
        multiply(s, a + describe_step<TILE_ROWS>(k), b + describe_step<cols>(k), k > 0);
}

/* Blocks of a ring in shared memory: a stage is `full` when it has arrived, and `empty` when `lanes` of every multiplying warp
 * are done with it. Further barriers of the kernel follow. */
template <int stages> struct ring_signals {
    uint32_t base;

    __device__ barrier full(int stage) const
    {
        return base + 8 * stage;
    }
    __device__ barrier empty(int stage) const
    {
        return base + 8 * (stages + stage);
    }
    __device__ barrier further(int i) const
    {
        return base + 8 * (2 * stages + i);
    }
    __device__ void init(int lanes) const
    {
        for (int i = 0; i < stages; i++) {
            barrier_init(full(i), 1);
            barrier_init(empty(i), MULTIPLIERS * lanes);
        }
    }
};

/* Everything that the warp wrote and read before is done when its first lane arrives. compute-sanitizer's racecheck does not
 * see that the lanes met before; a build for it (-DGRACO_RACECHECK) has every lane arrive, which takes longer. */
__device__ static inline void warp_arrive(barrier b)
{
    __syncwarp();
    if (threadIdx.x % WARP < ARRIVING)
        barrier_arrive(b);
}

/* A thread block for each part. */
template <typename shape>
static cudaError_t launch(void (*kernel)(struct tiles), const struct tiles &t, cudaStream_t stream)
{
    cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shape::bytes);
    if (error != cudaSuccess)
        return error;
    kernel<<<(unsigned)t.parts, THREADS, shape::bytes, stream>>>(t);
    return cudaGetLastError();
}

#endif
