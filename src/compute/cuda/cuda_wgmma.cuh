/* What kernels for the H100 family are made of: barriers in shared memory, copies that arrive at
 * them, matrix instructions of a warp group, and who has how many registers. All instructions that
 * C++ has no name for stand here, so that a test can put plain code in their place. */
#ifndef COMPUTE_CUDA_CUDA_WGMMA_CUH
#define COMPUTE_CUDA_CUDA_WGMMA_CUH

#include "compute/cuda/cuda_tiles.cuh"

#include <cuda_bf16.h>

enum {
    GROUP = 128, /* threads of a warp group */
    THREADS = 3 * GROUP,
    /* Registers of a thread. The three groups share 65536: those that multiply need them for a tile
     * and its sums, the one that fetches only copies and adds. */
    FETCH_REGISTERS = 40,
    MULTIPLY_REGISTERS = 232,
};

/* The kernel's shared memory from the first multiple of 1024 bytes on, the period in which chunks
 * change places: its address, and in *plain the same as a pointer. */
__device__ static inline uint32_t shared_memory(char **plain)
{
    extern __shared__ char unaligned[];
    uint32_t start = (uint32_t)__cvta_generic_to_shared(unaligned);
    uint32_t memory = (start + 1023) / 1024 * 1024;
    *plain = unaligned + (memory - start);
    return memory;
}

/* Registers go from the group that fetches to those that multiply. */
template <int fetch = FETCH_REGISTERS, int multiply = MULTIPLY_REGISTERS>
__device__ static inline void share_registers(bool multiplies)
{
    if (!multiplies)
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(fetch));
    else
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(multiply));
}

/* ---- Barriers in shared memory, copies ------------------------------------------------------- */

/* An mbarrier: waits are for the phase's parity. */
typedef uint32_t barrier; /* its address */

__device__ static inline void barrier_init(barrier b, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(arrivals));
}

/* Once all are there, before anybody uses one. */
__device__ static inline void barrier_init_done()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ static inline void barrier_arrive(barrier b)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory");
}

__device__ static inline void barrier_expect(barrier b, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(bytes)
                 : "memory");
}

__device__ static inline void barrier_wait(barrier b, uint32_t parity)
{
    uint32_t done;
    do
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(b), "r"(parity)
                     : "memory");
    while (!done);
}

__device__ static inline void copy_in(uint32_t to, const void *from, int bytes, barrier b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(b)
                 : "memory");
}

/* A place in a ring, and the parity of its use. */
template <int stages> struct ring_place {
    int stage = 0;
    uint32_t parity = 0;

    __device__ void next()
    {
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }

    __device__ void skip(int places)
    {
        stage += places;
        parity ^= (uint32_t)(stage / stages) & 1;
        stage %= stages;
    }
};

/* ---- Matrix instructions --------------------------------------------------------------------- */

/* Describes an operand in shared memory whose chunks change places every 128 bytes; both steps are
 * in bytes. */
__device__ static inline uint64_t describe(uint32_t address, uint32_t leading, uint32_t stride)
{
    return (uint64_t)(address >> 4 & 0x3fff) | (uint64_t)(leading >> 4) << 16 |
           (uint64_t)(stride >> 4) << 32 | (uint64_t)1 << 62;
}

#define R4(d, i) "+f"((d)[i]), "+f"((d)[(i) + 1]), "+f"((d)[(i) + 2]), "+f"((d)[(i) + 3])
#define R16(d, i) R4(d, i), R4(d, (i) + 4), R4(d, (i) + 8), R4(d, (i) + 12)
#define R32(d, i) R16(d, i), R16(d, (i) + 16)
#define R64(d, i) R32(d, i), R32(d, (i) + 32)
#define W4(d, i) "=f"((d)[i]), "=f"((d)[(i) + 1]), "=f"((d)[(i) + 2]), "=f"((d)[(i) + 3])
#define W16(d, i) W4(d, i), W4(d, (i) + 4), W4(d, (i) + 8), W4(d, (i) + 12)
#define W32(d, i) W16(d, i), W16(d, (i) + 16)
#define W64(d, i) W32(d, i), W32(d, (i) + 32)
#define N32                                                                                        \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"                                       \
    "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define N64                                                                                        \
    N32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"                        \
        "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define N128                                                                                       \
    N64 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,"                        \
        "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,"                         \
        "%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,"             \
        "%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"

/* D (64, cols) (+)= A B' of 16 columns each, both in shared memory, rows of 128 bytes. */
__device__ static inline void multiply(float (&d)[32], uint64_t a, uint64_t b, int add)
{
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" N32 "}, %32, %33, p, 1, 1, "
                 "0, 0;\n}"
                 : R32(d, 0)
                 : "l"(a), "l"(b), "r"(add));
}

#define MULTIPLY_128(operands)                                                                     \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"                                      \
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32." operands "." operands " {" N64     \
                 "}, %64, %65, p, 1, 1, 0, 0;\n}"                                                  \
                 : R64(d, 0)                                                                       \
                 : "l"(a), "l"(b), "r"(add))

/* The last argument says what the operands are. */
__device__ static inline void multiply(float (&d)[64], uint64_t a, uint64_t b, int add,
                                       const __half * = NULL)
{
    MULTIPLY_128("f16");
}

__device__ static inline void multiply(float (&d)[64], uint64_t a, uint64_t b, int add,
                                       const __nv_bfloat16 *)
{
    MULTIPLY_128("bf16");
}

/* D (64, cols) = A B': the registers of D need not hold anything before. */
__device__ static inline void multiply_first(float (&d)[64], uint64_t a, uint64_t b)
{
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 0, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" N64
                 "}, %64, %65, p, 1, 1, 0, 0;\n}"
                 : W64(d, 0)
                 : "l"(a), "l"(b));
}

/* The same with A (64, 16) in registers, where D has its own rows and columns. */
__device__ static inline void multiply_first(float (&d)[32], const uint32_t (&a)[4], uint64_t b)
{
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 0, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" N32
                 "}, {%32,%33,%34,%35}, %36, p, 1, 1, 0;\n}"
                 : W32(d, 0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

__device__ static inline void multiply(float (&d)[32], const uint32_t (&a)[4], uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" N32
                 "}, {%32,%33,%34,%35}, %36, 1, 1, 1, 0;"
                 : R32(d, 0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

/* D (64, width) += A B with A (64, 16) in registers and 16 rows of B in shared memory. */
__device__ static inline void apply(float (&d)[32], const uint32_t (&a)[4], uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" N32
                 "}, {%32,%33,%34,%35}, %36, 1, 1, 1, 1;"
                 : R32(d, 0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

__device__ static inline void apply(float (&d)[64], const uint32_t (&a)[4], uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" N64
                 "}, {%64,%65,%66,%67}, %68, 1, 1, 1, 1;"
                 : R64(d, 0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

__device__ static inline void apply(float (&d)[128], const uint32_t (&a)[4], uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" N128
                 "}, {%128,%129,%130,%131}, %132, 1, 1, 1, 1;"
                 : R64(d, 0), R64(d, 64)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

/* Keeps the compiler from moving registers that matrix instructions write past their waits. */
template <int count> __device__ static inline void hold(float (&d)[count])
{
#pragma unroll
    for (int i = 0; i < count; i++)
        asm volatile("" : "+f"(d[i])::"memory");
}

__device__ static inline void matrix_begin()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ static inline void matrix_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Until at most `pending` of the commits are under way. */
template <int pending = 0> __device__ static inline void matrix_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

/* ---- Turns ----------------------------------------------------------------------------------- */

/* Of the two multiplying groups: turn_take waits until the other group has passed its turn. Barrier 0 of the block is
 * __syncthreads's; 1 and 2 are where group 0 and group 1 wait for their turn. */

__device__ static inline void turn_take(int group)
{
    asm volatile("bar.sync %0, %1;" ::"r"(1 + group), "r"(2 * GROUP) : "memory");
}

__device__ static inline void turn_pass(int group)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(2 - group), "r"(2 * GROUP) : "memory");
}

/* Among the threads of one multiplying group. */
__device__ static inline void group_sync(int group)
{
    asm volatile("bar.sync %0, %1;" ::"r"(3 + group), "r"((int)GROUP) : "memory");
}

#endif
