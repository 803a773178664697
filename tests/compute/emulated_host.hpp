/* What the objective's kernels ask of the files around them, for the emulated GPU: scratch memory, queues, cuBLAS and ranks. For
 * emulated_objective.cpp alone. */
#ifndef TESTS_COMPUTE_EMULATED_HOST_H
#define TESTS_COMPUTE_EMULATED_HOST_H

#include "emulated_gpu.hpp"

#include "compute/cuda/cuda_contrast.cuh"

extern "C" {
#include "compute/exchange.h"
}

#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

/* ---- What the kernels' files ask for ----------------------------------------------------------- */

graco_status scratch_take(struct cuda_scratch *s, void *out, int64_t items, size_t size)
{
    void *block = emulated_take((size_t)items * size);
    s->blocks[s->count++] = block;
    *(void **)out = block;
    return GRACO_OK;
}

graco_status cuda_check(cudaError_t error, const char *doing)
{
    if (error == cudaSuccess)
        return GRACO_OK;
    printf("does not hold: %s\n", doing);
    exit(1);
}

static graco_status zero(struct context *c, void *block, size_t bytes)
{
    emulated_ask(state_of(c)->stream, [=] { memset(block, 0, bytes); });
    return GRACO_OK;
}

static graco_status turn_queue(struct context *c, enum turn turn)
{
    state_of(c)->stream = turn == TURN_FIRST || turn == TURN_ASIDE;
    if (turn == TURN_JOIN)
        emulated_join();
    return GRACO_OK;
}

/* The kernels' buffers go back when the queues have met. */
static void meet_and_give_back(struct context *c, struct cuda_scratch *s)
{
    turn_queue(c, TURN_JOIN);
    while (s->count > 0)
        emulated_give(s->blocks[--s->count]);
}

static float rounded(float x, enum precision precision)
{
    return precision == PRECISION_FP32   ? x
           : precision == PRECISION_TF32 ? tile_tf32(x)
           : precision == PRECISION_FP16 ? (float)(_Float16)x
                                         : number_of(bf16_of_number(x));
}

static double number_at(const void *from, cudaDataType type, int64_t at)
{
    return type == CUDA_R_32F    ? (double)((const float *)from)[at]
           : type == CUDA_R_16BF ? (double)number_of(((const __nv_bfloat16 *)from)[at])
                                 : (double)number_of(((const __half *)from)[at]);
}

int emulated_gemm(int, int a, int b, int64_t m, int64_t n, int64_t k, const float *, const void *A,
                  cudaDataType, int64_t lda, const void *B, cudaDataType type, int64_t ldb,
                  const float *beta, float *C, cudaDataType, int64_t ldc, int, int)
{
    std::vector<double> left((size_t)(m * k)), sum((size_t)m); /* left: by columns */
    for (int64_t i = 0; i < m * k; i++)
        left[(size_t)i] =
            number_at(A, type, a == CUBLAS_OP_N ? i / m * lda + i % m : i % m * lda + i / m);
    for (int64_t j = 0; j < n; j++) {
        std::fill(sum.begin(), sum.end(), 0.0);
        for (int64_t t = 0; t < k; t++) {
            double x = number_at(B, type, b == CUBLAS_OP_N ? j * ldb + t : t * ldb + j);
            for (int64_t i = 0; i < m; i++)
                sum[(size_t)i] += x * left[(size_t)(t * m + i)];
        }
        for (int64_t i = 0; i < m; i++)
            C[j * ldc + i] = (*beta != 0 ? *beta * C[j * ldc + i] : 0) + (float)sum[(size_t)i];
    }
    return 0;
}

graco_status cuda_multiply(struct context *, struct result C, int64_t k, struct operand A,
                           struct operand B)
{
    const float one = 1, beta = C.accumulate ? 1 : 0;
    emulated_gemm(0, B.transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                  A.transposed ? CUBLAS_OP_T : CUBLAS_OP_N, C.n, C.m, k, &one, B.data, CUDA_R_32F,
                  B.ld, A.data, CUDA_R_32F, A.ld, &beta, C.data, CUDA_R_32F, C.ld, 0, 0);
    return GRACO_OK;
}

graco_status cuda_check_blas(int error, const char *doing)
{
    return cuda_check(error, doing);
}

/* Each rank is looked at by itself. */
graco_status cuda_add_ranks(struct context *, double *partial, int64_t blocks)
{
    double sums[2] = {0, 0};
    for (int64_t i = 0; i < 2 * blocks; i++)
        sums[i / blocks] += partial[i];
    memcpy(partial, sums, sizeof sums);
    return GRACO_OK;
}

graco_status graphs_forward(struct cuda_scratch *, struct contrast *)
{
    abort();
}

graco_status graphs_backward(struct context *, const struct contrast *, float *)
{
    abort();
}

/* A buffer of the GPU's memory. */
template <typename T> struct device_buffer {
    int64_t items;
    T *data;

    explicit device_buffer(int64_t count)
        : items(count), data((T *)emulated_take((size_t)count * sizeof(T)))
    {
    }
    ~device_buffer()
    {
        emulated_give(data);
    }
};

/* ---- Ranks ------------------------------------------------------------------------------------- */

/* The rank whose part is computed, and all nodes' rows and what goes with them; NULL: it is alone. */
static struct {
    int rank;
    const int64_t *bounds; /* (RANKS + 1) */
    const float *Z, *inverse;
} world;

enum { RANKS = 3 };

extern "C" int comm_rank(const struct comm *)
{
    return world.rank;
}

extern "C" int comm_ranks(const struct comm *)
{
    return world.bounds ? (int)RANKS : 1;
}

/* A rank's rows of both views, one view behind the other. */
static void copy_block(float *to, const float *from, int rank, int64_t width)
{
    int64_t first = world.bounds[rank], nodes = world.bounds[rank + 1] - first;
    for (int view = 0; view < 2; view++)
        memcpy(to + view * nodes * width, from + (view * world.bounds[RANKS] + first) * width,
               (size_t)(nodes * width) * sizeof(float));
}

extern "C" graco_status
exchange_visit(struct context *, const struct exchange_blocks *blocks,
               graco_status (*visit)(void *, int, int64_t, const float *const *), void *job)
{
    PASS(visit(job, world.rank, blocks->bounds[world.rank + 1] - blocks->bounds[world.rank],
               blocks->own));
    for (int i = 1; i < RANKS; i++) {
        int rank = (world.rank - i + RANKS) % RANKS;
        int64_t nodes = blocks->bounds[rank + 1] - blocks->bounds[rank];
        device_buffer<float> Z(nodes * blocks->width[0]), inverse(2 * nodes);
        const float *both[EXCHANGE_ARRAYS] = {Z.data, inverse.data};
        copy_block(Z.data, world.Z, rank, blocks->width[0] / 2);
        if (blocks->arrays > 1)
            copy_block(inverse.data, world.inverse, rank, 1);
        PASS(visit(job, rank, nodes, both));
    }
    return GRACO_OK;
}

#endif
