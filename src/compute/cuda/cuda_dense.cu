/* Dense products on cuBLAS, and flat loops. */
#include "compute/cuda/cuda_device.cuh"

#include <cmath>

enum { TALL_ROWS = 4096 };

/* cuBLASLt takes it for granted that rows begin at multiples of 16 bytes. */
static bool in_sixteens(const struct gemm *g)
{
    uintptr_t places = (uintptr_t)g->A | (uintptr_t)g->B | (uintptr_t)g->C;
    return ((places | (uintptr_t)g->after->bias) % 16 | (g->lda | g->ldb | g->ldc) % 4) == 0;
}

/* cuBLAS counts by columns: there C' = op(B)' op(A)', of which nothing is transposed that was not
 * before. */
static graco_status multiply(struct context *c, const struct gemm *g)
{
    struct cuda_state *s = state_of(c);
    const float one = 1;
    bool done = false;
    if (g->after && g->after->kind == ACTIVATION_RELU && g->after->bias && in_sixteens(g))
        PASS(cuda_gemm_relu(c, g, &done));
    if (done)
        return GRACO_OK;
    cublasStatus_t error = s->call.gemm(
        s->blas, g->transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
        g->transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, g->n, g->m, g->k, &one, g->B, CUDA_R_32F,
        g->ldb, g->A, CUDA_R_32F, g->lda, &g->beta, g->C, CUDA_R_32F, g->ldc,
        c->precision == PRECISION_FP32 ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_32F_FAST_TF32,
        CUBLAS_GEMM_DEFAULT);
    PASS(cuda_check_blas(error, "a dense product"));
    return g->after ? cuda_activate(c, g->after, g->C, g->C) : GRACO_OK;
}

/* out (cols, rows) is the transpose of in (rows, cols). BLOCK_WARPS rows of a tile at a time. */
__global__ static void transpose(int64_t rows, int64_t cols, const float *in, int64_t in_row,
                                 float *out, int64_t out_row)
{
    __shared__ float tile[WARP][WARP + 1];
    int64_t row = (int64_t)blockIdx.y * WARP, col = (int64_t)blockIdx.x * WARP;
#pragma unroll
    for (int i = threadIdx.y; i < WARP; i += BLOCK_WARPS)
        if (row + i < rows && col + threadIdx.x < cols)
            tile[i][threadIdx.x] = in[(row + i) * in_row + col + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = threadIdx.y; i < WARP; i += BLOCK_WARPS)
        if (col + i < cols && row + threadIdx.x < rows)
            out[(col + i) * out_row + row + threadIdx.x] = tile[threadIdx.x][i];
}

/* The tensor cores read rounded operands along the sum. A tall product by weights that lie across
 * it is faster by their transpose, a small matrix, which lies along it. */
static bool turns(const struct context *c, const struct gemm *g)
{
    return c->precision != PRECISION_FP32 && !g->transpose_a && !g->transpose_b &&
           g->m >= TALL_ROWS && g->m >= 4 * g->n;
}

static graco_status turn_and_multiply(struct cuda_scratch *scratch, const struct gemm *g)
{
    struct context *c = scratch->context;
    struct gemm turned = *g;
    int64_t row = (g->k + WARP - 1) / WARP * WARP;
    float *B = NULL;
    PASS(scratch_take(scratch, &B, g->n * row, sizeof(float)));
    dim3 blocks(blocks_for(g->n, WARP), blocks_for(g->k, WARP));
    transpose<<<blocks, dim3(WARP, BLOCK_WARPS), 0, state_of(c)->stream>>>(g->k, g->n, g->B, g->ldb,
                                                                           B, row);
    PASS_LAUNCH("turning weights");
    turned.transpose_b = true;
    turned.B = B;
    turned.ldb = row;
    return multiply(c, &turned);
}

graco_status cuda_gemm(struct context *c, const struct gemm *g)
{
    struct cuda_scratch scratch = {c, 0, {}};
    graco_status status;
    if (g->m == 0 || g->n == 0)
        return GRACO_OK;
    status = turns(c, g) ? turn_and_multiply(&scratch, g) : multiply(c, g);
    scratch_give(&scratch);
    return status;
}

__global__ static void add_flat(int64_t n, float *y, const float *x)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        y[i] += x[i];
}

graco_status cuda_add(struct context *c, int64_t n, float *y, const float *x)
{
    struct cuda_state *s = state_of(c);
    add_flat<<<blocks_striding(s, n, BLOCK), BLOCK, 0, s->stream>>>(n, y, x);
    PASS_LAUNCH("adding");
    return GRACO_OK;
}

/* A block per row. */
__global__ static void scale_row(int64_t cols, float *Y, const float *scale, const float *X,
                                 bool accumulate)
{
    int64_t row = blockIdx.x;
    float factor = scale[row];
    for (int64_t j = row * cols + threadIdx.x; j < (row + 1) * cols; j += blockDim.x)
        Y[j] = (accumulate ? Y[j] : 0) + (factor != 0 ? factor * X[j] : 0);
}

graco_status cuda_scale_rows(struct context *c, int64_t rows, int64_t cols, float *Y,
                             const float *scale, const float *X, bool accumulate)
{
    if (rows == 0)
        return GRACO_OK;
    scale_row<<<(unsigned)rows, 128, 0, state_of(c)->stream>>>(cols, Y, scale, X, accumulate);
    PASS_LAUNCH("scaling rows");
    return GRACO_OK;
}

/* Adam's constants in float32, as the CPU has them. */
struct adam_factors {
    float b1, b2, decay, epsilon;
};

/* The bias corrections are the device's own arithmetic whether the step is recorded or not. No step
 * if the loss or a gradient is not finite: the host does not know yet. */
__global__ static void adam_flat(struct adam a, struct adam_factors f, const uint32_t *late,
                                 const struct cuda_results *result)
{
    __shared__ float rate, root;
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    if (!isfinite(result->loss) || result->spoiled != NOTHING_SPOILED)
        return;
    if (threadIdx.x == 0) {
        double now = (double)(a.step + (late ? *late : 0));
        rate = (float)(a.lr / (1 - pow(a.beta1, now)));
        root = (float)(1 / sqrt(1 - pow(a.beta2, now)));
    }
    __syncthreads();
#pragma unroll 4
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += step) {
        float value = a.value[i], g = a.grad[i] + f.decay * value;
        float m = f.b1 * a.m[i] + (1 - f.b1) * g, v = f.b2 * a.v[i] + (1 - f.b2) * g * g;
        a.m[i] = m;
        a.v[i] = v;
        a.value[i] = value - rate * m / (sqrtf(v) * root + f.epsilon);
    }
}

graco_status cuda_adam(struct context *c, const struct adam *a)
{
    struct cuda_state *s = state_of(c);
    struct adam_factors f;
    f.b1 = (float)a->beta1;
    f.b2 = (float)a->beta2;
    f.decay = (float)a->weight_decay;
    f.epsilon = (float)a->epsilon;
    /* Few blocks: each finds the powers for itself. */
    unsigned blocks = (unsigned)least(blocks_for(a->count, BLOCK), 2 * (int64_t)s->processors);
    adam_flat<<<blocks, BLOCK, 0, s->stream>>>(*a, f, s->late, s->result);
    PASS_LAUNCH("Adam's step");
    return GRACO_OK;
}

/* The least index needs no order, so an atomic minimum gives the same bits always; hardly a thread
 * ever comes to it. */
__global__ static void find_spoiled(unsigned long long *first, int64_t n, const float *x)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        if (!isfinite(x[i])) {
            atomicMin(first, (unsigned long long)i);
            break;
        }
}

graco_status cuda_finite(struct context *c, int64_t n, const float *x, int64_t *spoiled)
{
    struct cuda_state *s = state_of(c);
    s->finite = spoiled;
    PASS(
        cuda_check(cudaMemsetAsync(&s->result->spoiled, 0xff, sizeof s->result->spoiled, s->stream),
                   "clearing memory"));
    find_spoiled<<<blocks_striding(s, n, BLOCK), BLOCK, 0, s->stream>>>(&s->result->spoiled, n, x);
    PASS_LAUNCH("looking for numbers that are not finite");
    return GRACO_OK;
}
