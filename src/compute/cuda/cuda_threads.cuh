/* What the threads of a kernel share: sums over warps and blocks, random numbers, groups of numbers. Plain C++, which
 * the emulated GPU of tests/compute has too. Included by cuda_device.cuh. */
#ifndef COMPUTE_CUDA_CUDA_THREADS_CUH
#define COMPUTE_CUDA_CUDA_THREADS_CUH

/* The block's number, counted from the last: the kernel before wrote the last rows last, so the
 * GPU's cache still has them. */
__device__ static inline int64_t block_from_end()
{
    return gridDim.x - 1 - blockIdx.x;
}

template <typename T> __device__ static inline T warp_sum(T value)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_xor_sync(~0u, value, step);
    return value;
}

/* The sum over a block of BLOCK threads, in all threads; `room` holds BLOCK_WARPS values. */
template <typename T> __device__ static inline T block_sum(T value, T *room)
{
    T total = 0;
    value = warp_sum(value);
    __syncthreads(); /* an earlier sum may still be read */
    if (threadIdx.x % WARP == 0)
        room[threadIdx.x / WARP] = value;
    __syncthreads();
    for (int i = 0; i < BLOCK_WARPS; i++)
        total += room[i];
    return total;
}

/* Two sums over the block, left for totals_of in partial (2, blocks). */
__device__ static inline void leave_sums(double *partial, double first, double second)
{
    __shared__ double room[BLOCK_WARPS];
    first = block_sum(first, room);
    second = block_sum(second, room);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = first;
        partial[gridDim.x + blockIdx.x] = second;
    }
}

/* What leave_sums left, summed by one block; in all threads. */
__device__ static inline double2 totals_of(const double *partial, int64_t blocks)
{
    __shared__ double room[BLOCK_WARPS];
    double first = 0, second = 0;
    for (int64_t i = threadIdx.x; i < blocks; i += BLOCK) {
        first += partial[i];
        second += partial[blocks + i];
    }
    first = block_sum(first, room);
    return {first, block_sum(second, room)};
}

/* A recorded kernel has the key of the step at which it was recorded. */
__device__ static inline struct random_key key_now(struct random_key key, const uint32_t *later)
{
    if (later)
        key.step += *later;
    return key;
}

/* random_block of base/random.c. */
__device__ static inline void device_random_block(uint32_t out[4], const struct random_key &key,
                                                  uint64_t block)
{
    uint32_t c0 = (uint32_t)block, c1 = (uint32_t)(block >> 32), c2 = key.step;
    uint32_t c3 = key.stream << 16 | (key.view & 0xffff);
    uint32_t k0 = (uint32_t)key.seed, k1 = (uint32_t)(key.seed >> 32);
    for (int round = 0; round < 10; round++) {
        uint32_t high0 = __umulhi(0xD2511F53u, c0), low0 = 0xD2511F53u * c0;
        uint32_t high1 = __umulhi(0xCD9E8D57u, c2), low1 = 0xCD9E8D57u * c2;
        c0 = high1 ^ c1 ^ k0;
        c2 = high0 ^ c3 ^ k1;
        c1 = low1;
        c3 = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* random_float and random_below of base/random.c. */
__device__ static inline float device_random_float(const struct random_key &key, uint64_t element)
{
    uint32_t lanes[4];
    device_random_block(lanes, key, element / 4);
    uint32_t low = element & 1 ? lanes[1] : lanes[0], high = element & 1 ? lanes[3] : lanes[2];
    return (float)((element & 2 ? high : low) >> 8) * 0x1p-24f;
}

__device__ static inline int64_t device_random_below(const struct random_key &key, uint64_t element,
                                                     int64_t n)
{
    uint32_t lanes[4];
    device_random_block(lanes, key, element);
    uint64_t low = (uint64_t)lanes[0] * (uint64_t)n, high = (uint64_t)lanes[1] * (uint64_t)n;
    return (int64_t)((high + (low >> 32)) >> 32);
}

/* random_normal of base/random.c, in single precision. */
__device__ static inline float device_random_normal(const struct random_key &key, uint64_t element)
{
    uint32_t lanes[4];
    device_random_block(lanes, key, element / 4);
    double u = ((element & 2 ? lanes[2] : lanes[0]) + 0.5) * 0x1p-32;
    double v = ((element & 2 ? lanes[3] : lanes[1]) + 0.5) * 0x1p-32;
    float angle = (float)(2 * v);
    return sqrtf(-2 * logf((float)u)) * (element & 1 ? sinpif(angle) : cospif(angle));
}

/* Numbers of a row that a thread takes at once; four where rows and their parts begin at multiples
 * of 16 bytes. */
template <int wide> struct alignas(4 * wide) group {
    float x[wide];
};

/* a . b over d numbers by one warp, in double; the sum is in all lanes. */
__device__ static inline double warp_dot(const float *a, const float *b, int64_t d)
{
    double total = 0;
    int lane = threadIdx.x % WARP;
    if (d % 4 == 0 && ((uintptr_t)a | (uintptr_t)b) % 16 == 0) {
        for (int64_t j = lane; j < d / 4; j += WARP) {
            float4 x = ((const float4 *)a)[j], y = ((const float4 *)b)[j];
            total += (double)(x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w);
        }
        return warp_sum(total);
    }
    for (int64_t j = lane; j < d; j += WARP)
        total += (double)a[j] * (double)b[j];
    return warp_sum(total);
}

#endif
