/* A GPU for tests, in plain C++: kernels of src/compute/cuda run on it thread block by thread block.
 *
 * Each thread of a block is a fiber. They go on in an order that is drawn anew each time, and stop
 * where they wait for each other: barriers, exchanges within a warp, barriers in shared memory. Some warps are late: they
 * stand still until no other can go on. What the GPU does on its own comes as late as it may: a copy spoils the place that it
 * goes to at once and arrives some time later, or at the wait for its group; matrix instructions of a warp group read
 * their operands and write their results at the wait for them. So a barrier that is missing gives
 * wrong numbers, and one too many an end to all progress. Matrix operands are read as their
 * descriptors say. What a GPU would refuse, or do slowly, is counted. The first byte before or behind a
 * buffer of its memory cannot be touched.
 *
 * To be included before a kernel's file, in place of cuda_device.cuh, cuda_mma.cuh and cuda_wgmma.cuh. */
#ifndef TESTS_COMPUTE_EMULATED_GPU_H
#define TESTS_COMPUTE_EMULATED_GPU_H
#define COMPUTE_CUDA_CUDA_DEVICE_CUH
#define COMPUTE_CUDA_CUDA_MMA_CUH
#define COMPUTE_CUDA_CUDA_WGMMA_CUH

extern "C" {
#include "compute/context.h"
#include "compute/device_scratch.h"
}

#include <float.h>
#include <functional>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define __host__
#define __device__
#define __global__
#define __shared__ thread_local /* static, and may stand after extern; blocks take turns */
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__
#define __launch_bounds__(...)

enum { WARP = 32, BLOCK = 256, BLOCK_WARPS = BLOCK / WARP, SHARED_BYTES = 48 << 10 };

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned a, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c)
    {
    }
};

struct float2 {
    float x, y;
};
struct double2 {
    double x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) uint4 {
    uint32_t x, y, z, w;
};

static inline float2 make_float2(float x, float y)
{
    return {x, y};
}

static inline float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}

static inline uint4 make_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    return {x, y, z, w};
}

/* ---- Numbers ----------------------------------------------------------------------------------- */

template <typename To, typename From> static inline To same_bits(From from)
{
    To to = {};
    memcpy(&to, &from, sizeof to < sizeof from ? sizeof to : sizeof from);
    return to;
}

#define __float_as_int same_bits<int, float>
#define __int_as_float same_bits<float, int>
#define __float_as_uint same_bits<uint32_t, float>
#define __uint_as_float same_bits<float, uint32_t>

struct __half {
    _Float16 x;
};
struct __half2 {
    __half x, y;
};
struct __nv_bfloat16 {
    uint16_t bits;
};
struct __nv_bfloat162 {
    __nv_bfloat16 x, y;
};

static inline float number_of(__half h)
{
    return (float)h.x;
}

static inline float number_of(__nv_bfloat16 b)
{
    return __uint_as_float((uint32_t)b.bits << 16);
}

static inline __nv_bfloat16 bf16_of_number(float x)
{
    uint32_t bits = __float_as_uint(x);
    if (isnan(x)) /* rounding would carry into the sign */
        return {0x7fff};
    return {(uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

static inline __half2 __floats2half2_rn(float x, float y)
{
    return {{(_Float16)x}, {(_Float16)y}};
}

static inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return {bf16_of_number(x), bf16_of_number(y)};
}

static inline __half __float2half_rn(float x)
{
    return {(_Float16)x};
}

static inline __nv_bfloat16 __float2bfloat16_rn(float x)
{
    return bf16_of_number(x);
}

static inline float exp2_quick(float x)
{
    float e = exp2f(x);
    return e < FLT_MIN ? 0 : e; /* NaN stays */
}

static inline float tile_tf32(float x)
{
    if (isnan(x))
        return __uint_as_float(0x7fffe000);
    return __uint_as_float((__float_as_uint(x) + 0x1000) & ~0x1fffu);
}

/* ---- Threads ----------------------------------------------------------------------------------- */

extern struct emulated_place {
    unsigned x, y, z;
} threadIdx, blockIdx, blockDim, gridDim;

/* What a GPU would refuse, or do slowly: how often. */
extern long emulated_wrong;

/* Runs the block once per place in the grid, with so many bytes of shared memory. */
void emulated_run(dim3 grid, dim3 block, size_t bytes, const std::function<void()> &thread);

/* The GPU's memory: `bytes` of it, no numbers yet. It begins or ends at the edge of memory that cannot be
 * touched, as is drawn; whoever does so ends the program with a message. */
void *emulated_take(size_t bytes);
void emulated_give(void *block);

/* Barrier `id` of the block for `count` threads: arrives and, if asked to, waits. */
void emulated_barrier(int id, int count, bool wait);

/* What all lanes of the warp, which take part, show each other: (WARP), until the next call. */
struct emulated_words {
    uint32_t word[6];
};
const struct emulated_words *emulated_share(const struct emulated_words &mine);

static inline void __syncthreads()
{
    emulated_barrier(0, -1, true); /* all of the block */
}

template <typename T> static inline T __shfl_xor_sync(unsigned, T value, int bits)
{
    const struct emulated_words *all = emulated_share(same_bits<struct emulated_words>(value));
    return same_bits<T>(all[(int)threadIdx.x % WARP ^ bits]);
}

template <typename T> static inline T __shfl_sync(unsigned, T value, int lane)
{
    return same_bits<T>(emulated_share(same_bits<struct emulated_words>(value))[lane % WARP]);
}

/* The lane that is `lanes` further on, or the own one where there is none. */
template <typename T> static inline T __shfl_down_sync(unsigned, T value, int lanes)
{
    int lane = (int)threadIdx.x % WARP;
    return __shfl_sync(~0u, value, lane + lanes < WARP ? lane + lanes : lane);
}

/* A bit for each lane. */
static inline unsigned __ballot_sync(unsigned, bool holds)
{
    const struct emulated_words *all = emulated_share({{holds}});
    unsigned bits = 0;
    for (int i = 0; i < WARP; i++)
        bits |= all[i].word[0] << i;
    return bits;
}

static inline int __popc(unsigned bits)
{
    return __builtin_popcount(bits);
}

/* Whether it holds for any thread of the block. */
bool __syncthreads_or(bool holds);

static inline void __syncwarp()
{
    emulated_share({});
}

static inline uint32_t __umulhi(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

static inline float sinpif(float x)
{
    return (float)sin(M_PI * (double)x);
}

static inline float cospif(float x)
{
    return (float)cos(M_PI * (double)x);
}

/* Two queues, 0 and 1. What the first is asked for is done at once, what the second is asked for as late as it may:
 * when they join. */
void emulated_ask(int queue, const std::function<void()> &job);
void emulated_join();

template <typename... P>
static inline auto emulate(void (*kernel)(P...), dim3 grid, dim3 block, size_t bytes, int queue)
{
    return [=](P... arguments) {
        emulated_ask(queue,
                     [=] { emulated_run(grid, block, bytes, [&] { kernel(arguments...); }); });
    };
}

/* ---- What the host's side needs ---------------------------------------------------------------- */

typedef int cudaError_t;
typedef int cudaStream_t;
typedef int cudaDataType;
enum {
    cudaSuccess,
    cudaFuncAttributeMaxDynamicSharedMemorySize,
    CUDA_R_32F,
    CUDA_R_16F,
    CUDA_R_16BF,
    CUBLAS_OP_N,
    CUBLAS_OP_T,
    CUBLAS_COMPUTE_32F,
    CUBLAS_GEMM_DEFAULT,
};
enum { SHARED_BYTES_MOST = 232448 }; /* of a block, on any GPU: on the H100 family */
extern int emulated_shared_most;     /* on the GPU that is emulated now */

static inline cudaError_t cudaGetLastError()
{
    return cudaSuccess;
}

template <typename K> static inline cudaError_t cudaFuncSetAttribute(K, int, int bytes)
{
    return bytes <= emulated_shared_most ? cudaSuccess : -1;
}

/* cublasGemmEx_64: C (m, n) = op(A) op(B) + beta C, by columns; alpha is 1. */
int emulated_gemm(int, int a, int b, int64_t m, int64_t n, int64_t k, const float *, const void *A,
                  cudaDataType, int64_t lda, const void *B, cudaDataType type, int64_t ldb,
                  const float *beta, float *C, cudaDataType, int64_t ldc, int, int);

struct cuda_results {
    double loss, mutual_information;
};
struct cuda_asked {
    struct contrast *contrast;
};
struct cuda_state {
    struct cuda_results *results = NULL;
    const uint32_t *later = NULL;
    int shared_bytes = 0;
    cudaStream_t stream = 0;
    int blas = 0;
    struct {
        decltype(&emulated_gemm) gemm = emulated_gemm;
    } call;
    int processors = 3;
    bool wgmma = true, ahead = false;
};
struct cuda_scratch {
    struct context *context = NULL;
    void *blocks[16];
    int count = 0;

    cuda_scratch() = default;
    explicit cuda_scratch(struct context *c) : context(c)
    {
    }
};
struct operand {
    const void *data;
    int64_t ld;
    bool transposed;
};
struct result {
    float *data;
    int64_t ld, m, n;
    bool accumulate;
};

static inline struct operand operand_of(const void *data, int64_t ld)
{
    return {data, ld, false};
}

static inline struct operand transpose_of(const void *data, int64_t ld)
{
    return {data, ld, true};
}

static inline struct cuda_state *state_of(struct context *c)
{
    return (struct cuda_state *)c->device;
}

static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline unsigned blocks_for(int64_t items, int64_t per_block)
{
    return (unsigned)((items + per_block - 1) / per_block);
}

static inline unsigned blocks_striding(const struct cuda_state *, int64_t, int64_t)
{
    return 2;
}

graco_status scratch_take(struct cuda_scratch *s, void *out, int64_t count, size_t size);
graco_status cuda_check(cudaError_t error, const char *doing);
graco_status cuda_check_blas(int error, const char *doing);
graco_status cuda_multiply(struct context *c, struct result C, int64_t k, struct operand A,
                           struct operand B);
graco_status cuda_add_ranks(struct context *c, double *partial, int64_t blocks);
#define PASS_LAUNCH(doing) PASS(cuda_check(cudaGetLastError(), doing))

static inline void cuda_ask(struct cuda_state *, struct cuda_asked)
{
}

#include "compute/cuda/cuda_threads.cuh"
#include "compute/cuda/cuda_tiles.cuh"

/* ---- cuda_mma.cuh ------------------------------------------------------------------------------ */

uint32_t address_of(const void *place);
void copy_chunk(uint32_t to, const void *from);
void copies_end();
void emulated_copies_wait(int pending);
void load(uint32_t (&r)[4], uint32_t address);
void load_transposed(uint32_t (&r)[4], uint32_t address);
void multiply(float *d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1);
void multiply(float *low, float *high, const uint32_t (&a)[4], uint32_t b0, uint32_t b1);

template <int pending> static inline void copies_wait()
{
    emulated_copies_wait(pending);
}

/* ---- cuda_wgmma.cuh ---------------------------------------------------------------------------- */

enum { GROUP = 128, THREADS = 3 * GROUP };

typedef uint32_t barrier;
void barrier_init(barrier b, int arrivals);
void barrier_arrive(barrier b);
void barrier_expect(barrier b, int bytes);
void barrier_wait(barrier b, uint32_t parity);
void copy_in(uint32_t to, const void *from, int bytes, barrier b);
uint32_t shared_memory(char **plain);

/* D (64, n) (+)= A B', or A B, when it is waited for. */
struct emulated_product {
    float *d;
    int n;
    uint64_t a, b;
    const uint32_t *registers; /* A, if it is there */
    bool add, bf16;
    bool plain; /* B is not transposed */
};
void emulated_multiply(const struct emulated_product &product);
void matrix_commit();
void emulated_matrix_wait(int pending);

template <int stages> struct ring_place {
    int stage = 0;
    uint32_t parity = 0;
    void next()
    {
        skip(1);
    }
    void skip(int places)
    {
        for (; places > 0; places--)
            if (++stage == stages) {
                stage = 0;
                parity ^= 1;
            }
    }
};

static inline uint64_t describe(uint32_t address, uint32_t leading, uint32_t stride)
{
    return (uint64_t)(address >> 4) | (uint64_t)(leading >> 4) << 16 |
           (uint64_t)(stride >> 4) << 32;
}

template <int count>
static inline void multiply(float (&d)[count], uint64_t a, uint64_t b, int add,
                            const __half * = NULL)
{
    emulated_multiply({d, count * 2, a, b, NULL, add != 0, false});
}

template <int count>
static inline void multiply(float (&d)[count], uint64_t a, uint64_t b, int add,
                            const __nv_bfloat16 *)
{
    emulated_multiply({d, count * 2, a, b, NULL, add != 0, true});
}

template <int count> static inline void multiply_first(float (&d)[count], uint64_t a, uint64_t b)
{
    emulated_multiply({d, count * 2, a, b, NULL, false, false});
}

template <int count>
static inline void multiply_first(float (&d)[count], const uint32_t (&a)[4], uint64_t b)
{
    emulated_multiply({d, count * 2, 0, b, a, false, false});
}

template <int count>
static inline void multiply(float (&d)[count], const uint32_t (&a)[4], uint64_t b)
{
    emulated_multiply({d, count * 2, 0, b, a, true, false});
}

template <int count> static inline void apply(float (&d)[count], const uint32_t (&a)[4], uint64_t b)
{
    emulated_multiply({d, count * 2, 0, b, a, true, false, true});
}

template <int pending = 0> static inline void matrix_wait()
{
    emulated_matrix_wait(pending);
}

template <int count> static inline void hold(float (&)[count])
{
}

static inline void matrix_begin()
{
}
static inline void barrier_init_done()
{
}
template <int fetch = 0, int multiply = 0> static inline void share_registers(bool)
{
}

static inline void turn_take(int group)
{
    emulated_barrier(1 + group, 2 * GROUP, true);
}

static inline void turn_pass(int group)
{
    emulated_barrier(2 - group, 2 * GROUP, false);
}

static inline void group_sync(int group)
{
    emulated_barrier(3 + group, GROUP, true);
}

#endif
