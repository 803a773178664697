/* Dense products, which are cuBLAS's, and flat loops. cuBLAS counts by columns, so it is asked for
 * C' = op(B)' op(A)': the operands change places and keep their layout. */
#include "compute/cuda/cuda_device.cuh"

#include <cmath>

enum {
    TALL_ROWS = 4096
}; /* of a product that is worth a transposition of its weights, which have fewer */

/* Whether rows begin at multiples of 16 bytes, as cuBLASLt takes for granted. */
static bool rows_aligned(const struct gemm *g)
{
    uintptr_t places = (uintptr_t)g->A | (uintptr_t)g->B | (uintptr_t)g->C;
    return ((places | (uintptr_t)g->after->bias) % 16 | (g->lda | g->ldb | g->ldc) % 4) == 0;
}

static graco_status multiply(struct context *c, const struct gemm *g)
{
    struct cuda_state *s = state_of(c);
    const float one = 1, beta = g->accumulate ? 1 : 0;
    bool done = false;
    if (g->after && g->after->kind == ACTIVATION_RELU && g->after->bias && rows_aligned(g))
        PASS(cuda_gemm_relu(c, g, &done));
    if (done)
        return GRACO_OK;
    cublasStatus_t error = s->call.gemm(
        s->blas, g->transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
        g->transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, g->n, g->m, g->k, &one, g->B, CUDA_R_32F,
        g->ldb, g->A, CUDA_R_32F, g->lda, &beta, g->C, CUDA_R_32F, g->ldc,
        c->precision == PRECISION_FP32 ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_32F_FAST_TF32,
        CUBLAS_GEMM_DEFAULT);
    PASS(cuda_check_blas(error, "a dense product"));
    return g->after ? cuda_activate(c, g->after, g->C, g->C) : GRACO_OK;
}

/* out (cols, rows) is the transpose of in (rows, cols); its rows are padded with zeros. BLOCK_WARPS rows of a tile
 * at a time. */
__global__ static void transpose(int64_t rows, int64_t cols, const float *in, int64_t in_row,
                                 float *out, int64_t out_row)
{
    __shared__ float tile[WARP][WARP + 1];
    int64_t row = (int64_t)blockIdx.y * WARP, col = (int64_t)blockIdx.x * WARP;
#pragma unroll
    for (int i = threadIdx.y; i < WARP; i += BLOCK_WARPS)
        tile[i][threadIdx.x] = row + i < rows && col + threadIdx.x < cols
                                   ? in[(row + i) * in_row + col + threadIdx.x]
                                   : 0;
    __syncthreads();
#pragma unroll
    for (int i = threadIdx.y; i < WARP; i += BLOCK_WARPS)
        if (col + i < cols && row + threadIdx.x < out_row)
            out[(col + i) * out_row + row + threadIdx.x] = tile[threadIdx.x][i];
}

/* The tensor cores read rounded operands fastest if the sum runs along their rows. In A B it runs
 * along the columns of B; where A is tall and B, the weights, is small, it pays to transpose B. Where A's
 * rows are padded, the sum goes over the padding too: cuBLAS is slow with a number of terms that 4 does not divide. */
static bool transposes(const struct context *c, const struct gemm *g)
{
    return c->precision != PRECISION_FP32 && !g->transpose_a && !g->transpose_b &&
           g->m >= TALL_ROWS && g->m >= 4 * g->n && g->k < TALL_ROWS;
}

static graco_status transpose_and_multiply(struct context *c, const struct gemm *g)
{
    struct cuda_scratch scratch(c);
    struct gemm turned = *g;
    int64_t terms = g->A_padded ? g->lda : g->k, row = (terms + WARP - 1) / WARP * WARP;
    float *B = NULL;
    PASS(scratch_take(&scratch, &B, g->n * row, sizeof(float)));
    dim3 blocks(blocks_for(g->n, WARP), blocks_for(row, WARP));
    if (g->B_stays)
        PASS(context_turn(c, TURN_FIRST));
    transpose<<<blocks, dim3(WARP, BLOCK_WARPS), 0, state_of(c)->stream>>>(g->k, g->n, g->B, g->ldb,
                                                                           B, row);
    PASS_LAUNCH("turning weights");
    if (g->B_stays)
        PASS(context_turn(c, TURN_JOIN));
    turned.transpose_b = true;
    turned.k = terms;
    turned.B = B;
    turned.ldb = row;
    return multiply(c, &turned);
}

graco_status cuda_gemm(struct context *c, const struct gemm *g)
{
    if (g->m == 0 || g->n == 0)
        return GRACO_OK;
    return transposes(c, g) ? transpose_and_multiply(c, g) : multiply(c, g);
}

graco_status cuda_multiply(struct context *c, struct result C, int64_t k, struct operand A,
                           struct operand B)
{
    const float *a = (const float *)A.data, *b = (const float *)B.data;
    struct gemm g = {A.transposed, B.transposed, C.m,  C.n,          k,     a,     A.ld, b,
                     B.ld,         C.data,       C.ld, C.accumulate, false, false, NULL};
    return cuda_gemm(c, &g);
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
    float b1, b2, decay, epsilon, clip; /* clip: infinite where nothing is clipped */
};

/* A group of parameters with all that Adam has of them. */
template <int wide> struct adam_group {
    group<wide> value, grad, m, v;

    __device__ void load(const struct adam &a, int64_t i)
    {
        value = ((const group<wide> *)a.value)[i];
        grad = ((const group<wide> *)a.grad)[i];
        m = ((const group<wide> *)a.m)[i];
        v = ((const group<wide> *)a.v)[i];
    }

    __device__ void step(const struct adam_factors &f, float rate, float root)
    {
#pragma unroll
        for (int k = 0; k < wide; k++) {
            float g = fminf(fmaxf(grad.x[k], -f.clip), f.clip) + f.decay * value.x[k];
            m.x[k] = f.b1 * m.x[k] + (1 - f.b1) * g;
            v.x[k] = f.b2 * v.x[k] + (1 - f.b2) * g * g;
            value.x[k] -= rate * m.x[k] / (sqrtf(v.x[k]) * root + f.epsilon);
        }
    }

    __device__ void store(const struct adam &a, int64_t i) const
    {
        ((group<wide> *)a.value)[i] = value;
        ((group<wide> *)a.m)[i] = m;
        ((group<wide> *)a.v)[i] = v;
    }
};

/* The device finds the bias corrections itself, recorded or not, so that both give the same bits; two warps do, while the
 * block's first groups are read. There is no step if the loss or a gradient is not finite, which the host does not know
 * yet. */
template <int wide>
__global__ static void __launch_bounds__(BLOCK)
    adam_flat(struct adam a, struct adam_factors f, const struct cuda_results *results)
{
    __shared__ float rate, root;
    int64_t count = a.count / wide, step = (int64_t)gridDim.x * BLOCK;
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    adam_group<wide> mine;
    if (i < count)
        mine.load(a, i);
    double now = (double)(a.step + results->later);
    if (threadIdx.x == 0)
        rate = (float)(a.lr / (1 - pow(a.beta1, now)));
    else if (threadIdx.x == WARP)
        root = (float)(1 / sqrt(1 - pow(a.beta2, now)));
    bool finite = isfinite(results->loss) && results->not_finite == ALL_FINITE;
    __syncthreads();
    while (finite && i < count) {
        mine.step(f, rate, root);
        mine.store(a, i);
        i += step;
        if (i < count)
            mine.load(a, i);
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
    f.clip = a->clip > 0 ? (float)a->clip : INFINITY;
    uintptr_t places = (uintptr_t)a->value | (uintptr_t)a->grad | (uintptr_t)a->m | (uintptr_t)a->v;
    int wide = a->count % 4 == 0 && places % 16 == 0 ? 4 : 1;
    /* No more blocks than run at once, because each computes the powers for itself. */
    unsigned blocks =
        (unsigned)least(blocks_for(a->count, wide * BLOCK), 4 * (int64_t)s->processors);
    (wide == 4 ? adam_flat<4> : adam_flat<1>)<<<blocks, BLOCK, 0, s->stream>>>(*a, f, s->results);
    PASS_LAUNCH("Adam's step");
    return GRACO_OK;
}

__global__ static void __launch_bounds__(BLOCK)
    square_flat(double *partial, int64_t n, const float *g)
{
    int64_t step = (int64_t)gridDim.x * BLOCK;
    double square = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += step)
        square += (double)g[i] * (double)g[i];
    leave_sums(partial, square, 0);
}

/* Every block adds up what all have left, in the same order. */
__global__ static void __launch_bounds__(BLOCK)
    clip_flat(const double *partial, int64_t blocks, int64_t n, float *g, double most)
{
    int64_t step = (int64_t)gridDim.x * BLOCK;
    double square = totals_of(partial, blocks).x;
    float factor = (float)(most / sqrt(square));
    if (!(square > most * most))
        return;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += step)
        g[i] *= factor;
}

graco_status cuda_clip_norm(struct context *c, int64_t n, float *g, double most)
{
    struct cuda_scratch scratch(c);
    struct cuda_state *s = state_of(c);
    double *partial = NULL;
    unsigned blocks = blocks_striding(s, n, BLOCK);
    PASS(scratch_take(&scratch, &partial, 2 * (int64_t)blocks, sizeof(double)));
    square_flat<<<blocks, BLOCK, 0, s->stream>>>(partial, n, g);
    PASS_LAUNCH("the norm of the gradient");
    clip_flat<<<blocks, BLOCK, 0, s->stream>>>(partial, blocks, n, g, most);
    PASS_LAUNCH("clipping the gradient");
    return GRACO_OK;
}
