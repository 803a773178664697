/* A GPU played by the host, one thread block at a time: a fiber for each thread, which others follow in an
 * order that changes; barriers, shuffles, matrix instructions, and copies that arrive only when they are
 * waited for. In the place of compute/cuda/cuda_device.cuh it lets g++ compile a kernel's own text. */
#ifndef TESTS_COMPUTE_EMULATED_GPU_CUH
#define TESTS_COMPUTE_EMULATED_GPU_CUH

extern "C" {
#include "compute/device_scratch.h"
}

#include <deque>
#include <functional>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ static
#define __shfl_xor_sync(mask, value, bit) emulated_shuffle(value, bit)

enum { WARP = 32, BLOCK = 256, BLOCK_WARPS = BLOCK / WARP, STACK_BYTES = 256 << 10 };

typedef void *cudaStream_t;
typedef int cudaError_t;

struct float2 {
    float x, y;
};

struct alignas(16) float4 {
    float x, y, z, w;
};

struct uint4 {
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

static inline uint32_t __float_as_uint(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float __uint_as_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ---- Threads --------------------------------------------------------------------------------- */

struct index3 {
    unsigned x, y;
};

typedef std::vector<std::pair<char *, const float *>> copy_group;

struct fiber {
    ucontext_t at;
    std::vector<char> stack;
    bool done;
    copy_group open;
    std::deque<copy_group> under_way;
};

static struct fiber fibers[BLOCK];
static ucontext_t scheduler;
static std::function<void()> kernel_body;
static struct index3 threadIdx, blockIdx, gridDim;
static std::vector<float> shared_room;
static char *shared_memory; /* of the block */
static long wrong;          /* that the emulated GPU would have done, or done slowly */

/* Threads that wait, and how often all have met. */
struct meeting {
    int waiting, met;
};

static struct meeting block_meeting, warp_meeting[BLOCK_WARPS];

static inline void say_wrong(const char *what)
{
    if (wrong++ < 5)
        printf("%s in thread %u\n", what, threadIdx.x);
}

static inline void meet(struct meeting *m, int all)
{
    int met = m->met;
    unsigned me = threadIdx.x;
    if (++m->waiting == all) {
        m->waiting = 0;
        m->met++;
    }
    while (m->met == met) {
        swapcontext(&fibers[me].at, &scheduler);
        threadIdx.x = me;
    }
}

static inline void __syncthreads()
{
    meet(&block_meeting, BLOCK);
}

static inline void meet_warp()
{
    meet(&warp_meeting[threadIdx.x / WARP], WARP);
}

static void run_fiber()
{
    unsigned me = threadIdx.x;
    kernel_body();
    fibers[me].done = true;
    swapcontext(&fibers[me].at, &scheduler);
}

static void run_block()
{
    static unsigned order = 1;
    int left = BLOCK;
    for (unsigned i = 0; i < BLOCK; i++) {
        struct fiber *f = &fibers[i];
        f->stack.resize(STACK_BYTES);
        f->done = false;
        f->open.clear();
        f->under_way.clear();
        getcontext(&f->at);
        f->at.uc_stack.ss_sp = f->stack.data();
        f->at.uc_stack.ss_size = STACK_BYTES;
        f->at.uc_link = NULL;
        makecontext(&f->at, run_fiber, 0);
    }
    while (left > 0) {
        order = order * 1664525u + 1013904223u;
        unsigned first = order >> 24, step = (order >> 8 & 127) * 2 + 1;
        for (unsigned k = 0; k < BLOCK; k++) {
            unsigned i = (first + k * step) % BLOCK;
            if (fibers[i].done)
                continue;
            threadIdx.x = i;
            swapcontext(&scheduler, &fibers[i].at);
            left -= fibers[i].done;
        }
    }
}

/* The blocks of a grid, the last first, each with shared memory that holds NaN. A kernel in which some threads
 * return before a barrier that others meet at would never end here. */
static void launch(int64_t x, int64_t y, size_t shared_bytes, std::function<void()> body)
{
    kernel_body = body;
    gridDim = {(unsigned)x, (unsigned)y};
    for (int64_t at = x * y - 1; at >= 0; at--) {
        blockIdx = {(unsigned)(at % x), (unsigned)(at / x)};
        shared_room.assign(shared_bytes / 4 + 32, NAN);
        shared_memory = (char *)(((uintptr_t)shared_room.data() + 127) / 128 * 128);
        run_block();
    }
}

/* ---- Instructions ---------------------------------------------------------------------------- */

template <typename T> static inline T emulated_shuffle(T value, int bit)
{
    static double room[BLOCK];
    room[threadIdx.x] = (double)value;
    meet_warp();
    T other = (T)room[threadIdx.x ^ (unsigned)bit];
    meet_warp();
    return other;
}

static inline float emulated_tf32(float x)
{
    return __uint_as_float((__float_as_uint(x) + 0x1000u) & ~0x1fffu);
}

/* From here until it has arrived nobody may read what is there. */
static inline void copy_chunk(char *to, const float *from)
{
    if (((uintptr_t)to | (uintptr_t)from) % 16 > 0)
        say_wrong("a copy that is not aligned");
    for (int i = 0; i < 4; i++)
        ((float *)to)[i] = NAN;
    fibers[threadIdx.x].open.push_back({to, from});
}

static inline void copies_end()
{
    struct fiber *f = &fibers[threadIdx.x];
    f->under_way.push_back(f->open);
    f->open.clear();
}

static inline void copies_wait_but(size_t last)
{
    struct fiber *f = &fibers[threadIdx.x];
    for (; f->under_way.size() > last; f->under_way.pop_front())
        for (const auto &copy : f->under_way.front())
            memcpy(copy.first, copy.second, 16);
}

/* ldmatrix.x4: its eight rows must fill all banks. */
static inline void load(uint32_t (&r)[4], const char *address)
{
    static const char *row[BLOCK];
    unsigned lane = threadIdx.x % WARP, first = threadIdx.x - lane, banks = 0;
    row[threadIdx.x] = address;
    meet_warp();
    for (unsigned m = 0; m < 4; m++)
        memcpy(&r[m], row[first + 8 * m + lane / 4] + lane % 4 * 4, sizeof r[m]);
    for (unsigned i = 0; i < 8; i++)
        banks |= 1u << ((row[first + lane / 8 * 8 + i] - shared_memory) / 16 % 8);
    if (banks != 255 || (uintptr_t)address % 16 > 0)
        say_wrong("a load of a matrix with conflicts");
    meet_warp();
}

/* mma.m16n8k8 of TF32, as its fragments are laid out. */
static inline void multiply(float *low, float *high, const uint32_t (&a)[4], uint32_t b0,
                            uint32_t b1)
{
    static float A[BLOCK_WARPS][16][8], B[BLOCK_WARPS][8][8];
    unsigned warp = threadIdx.x / WARP, y = threadIdx.x % WARP / 4, x = threadIdx.x % 4;
    for (int i = 0; i < 4; i++)
        A[warp][y + i % 2 * 8][x + i / 2 * 4] = __uint_as_float(a[i]);
    B[warp][x][y] = __uint_as_float(b0);
    B[warp][x + 4][y] = __uint_as_float(b1);
    if (((a[0] | a[1] | a[2] | a[3] | b0 | b1) & 0x1fff) && !isnan(low[0]))
        say_wrong("an operand that is not rounded");
    meet_warp();
    for (unsigned c = 0; c < 2; c++)
        for (unsigned k = 0; k < 8; k++) {
            low[c] += A[warp][y][k] * B[warp][k][2 * x + c];
            high[c] += A[warp][y + 8][k] * B[warp][k][2 * x + c];
        }
    meet_warp();
}

#endif
