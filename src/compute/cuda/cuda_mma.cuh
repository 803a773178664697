/* What kernels for every GPU since the A100 are made of: copies that arrive in groups, and matrix
 * instructions of a warp. As in cuda_wgmma.cuh, a test can put plain code in the place of all of it. */
#ifndef COMPUTE_CUDA_CUDA_MMA_CUH
#define COMPUTE_CUDA_CUDA_MMA_CUH

#include "compute/cuda/cuda_tiles.cuh"

/* Of a place in shared memory: what the instructions below take. */
__device__ static inline uint32_t address_of(const void *place)
{
    return (uint32_t)__cvta_generic_to_shared(place);
}

/* 16 bytes; both places are multiples of 16. */
__device__ static inline void copy_chunk(uint32_t to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

/* The end of a group of this thread's copies. */
__device__ static inline void copies_end()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Until at most the last `pending` groups are under way. */
template <int pending> __device__ static inline void copies_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

/* Four matrices of 8 rows of 16 bytes: lane 8 m + r has the address of row r of matrix m, and gets
 * the four bytes lane % 4 of row lane / 4 of each. */
__device__ static inline void load(uint32_t (&r)[4], uint32_t address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

/* The same of matrices of 8 by 8 halves, transposed. */
__device__ static inline void load_transposed(uint32_t (&r)[4], uint32_t address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

/* d (16, 8) += a (16, 16) b (16, 8), of halves. */
__device__ static inline void multiply(float *d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* d (16, 8) += a (16, 8) b (8, 8), of TF32; `low` has two columns of row lane / 4, `high` of 8 rows
 * on. */
__device__ static inline void multiply(float *low, float *high, const uint32_t (&a)[4], uint32_t b0,
                                       uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(low[0]), "+f"(low[1]), "+f"(high[0]), "+f"(high[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

#endif
