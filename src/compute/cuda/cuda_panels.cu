/* The contrast in panels of similarities: in float32 or TF32, and in halves where rows are too wide
 * for tiles in registers.
 *
 * A panel is some rows of the matrix of similarities by some columns, small enough to stay in the
 * GPU's cache between the kernels that make and use it: cuBLAS multiplies, one kernel exponentiates
 * and sums rows. The backward pass makes each panel again, turns it into the weights
 * e_ij (1/D_i + 1/D_j), and multiplies with Z. */
#include "compute/cuda/cuda_contrast.cuh"

#include <cuda_fp16.h>

enum {
    PANEL_BYTES = 32 << 20, /* of similarities, in float32 */
    PANEL_COLS = 65536,
    PANEL_GRAIN = 128, /* rows of a panel are a multiple of this */
    HALF_GRAIN = 8,    /* columns of half matrices are, as the tensor cores like it */
};

/* One pass; buffers from the pool. */
struct pass {
    const struct contrast *spec;
    bool half;
    int64_t width;         /* d, rounded up where operands are halves */
    __half *Z;             /* (2n, width) */
    float *S;              /* a panel */
    __half *weights;       /* a panel */
    double *inter, *intra; /* (2n) */
    const float *inverse;  /* (2n) 1 / D, scaled */
    float *dZ;
};

/* Rows first .. first + rows - 1 by columns from .. from + cols - 1 of the similarities. */
struct panel {
    int64_t first, rows, from, cols, ld;
};

/* The columns in which rows of a view have terms. */
static void columns_of(const struct contrast *s, int view, int64_t *from, int64_t *end)
{
    *from = s->intra || view == 1 ? 0 : s->n;
    *end = s->intra || view == 0 ? 2 * s->n : s->n;
}

static int64_t panel_rows(const struct contrast *s)
{
    int64_t cols = least(PANEL_COLS, s->intra ? 2 * s->n : s->n);
    int64_t rows = PANEL_BYTES / (int64_t)sizeof(float) / round_up(cols, HALF_GRAIN);
    rows = rows / PANEL_GRAIN * PANEL_GRAIN;
    return least(rows < PANEL_GRAIN ? (int64_t)PANEL_GRAIN : rows, s->n);
}

__global__ static void to_half(int64_t rows, int64_t d, int64_t width, __half *out, const float *Z)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rows * width; i += step) {
        int64_t row = i / width, col = i % width;
        out[i] = __float2half_rn(col < d ? Z[row * d + col] : 0);
    }
}

static graco_status open_pass(struct cuda_scratch *scratch, struct pass *pass,
                              const struct contrast *s, bool backward)
{
    struct context *c = scratch->context;
    struct cuda_state *state = state_of(c);
    int64_t cols = round_up(least(PANEL_COLS, s->intra ? 2 * s->n : s->n), HALF_GRAIN);
    int64_t floats = panel_rows(s) * cols;
    pass->spec = s;
    pass->half = c->precision == PRECISION_FP16;
    pass->width = s->d;
    PASS(scratch_take(scratch, &pass->S, floats, sizeof(float)));
    if (!pass->half)
        return GRACO_OK;
    pass->width = round_up(s->d, HALF_GRAIN);
    PASS(scratch_take(scratch, &pass->Z, 2 * s->n * pass->width, sizeof(__half)));
    if (backward)
        PASS(scratch_take(scratch, &pass->weights, floats, sizeof(__half)));
    to_half<<<blocks_striding(state, 2 * s->n * pass->width, BLOCK), BLOCK, 0, state->stream>>>(
        2 * s->n, s->d, pass->width, pass->Z, s->Z);
    PASS_LAUNCH("rounding to halves");
    return GRACO_OK;
}

/* Visits all panels, those of a row in the order of the columns. */
static graco_status visit_panels(struct context *c, struct pass *pass,
                                 graco_status (*visit)(struct context *, struct pass *,
                                                       const struct panel *))
{
    const struct contrast *s = pass->spec;
    int64_t most = panel_rows(s), from, end;
    for (int view = 0; view < 2; view++) {
        columns_of(s, view, &from, &end);
        for (int64_t row = 0; row < s->n; row += most)
            for (int64_t col = from; col < end; col += PANEL_COLS) {
                struct panel p = {view * s->n + row, least(most, s->n - row), col,
                                  least(PANEL_COLS, end - col), 0};
                p.ld = round_up(p.cols, HALF_GRAIN);
                PASS(visit(c, pass, &p));
            }
    }
    return GRACO_OK;
}

static graco_status half_product(struct context *c, bool transpose_b, int64_t m, int64_t n,
                                 int64_t k, const __half *A, int64_t lda, const __half *B,
                                 int64_t ldb, float beta, float *C, int64_t ldc)
{
    const float one = 1;
    return cuda_check_blas(
        state_of(c)->call.gemm(state_of(c)->blas, transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                               CUBLAS_OP_N, n, m, k, &one, B, CUDA_R_16F, ldb, A, CUDA_R_16F, lda,
                               &beta, C, CUDA_R_32F, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        "a product of halves");
}

static graco_status full_product(struct context *c, bool transpose_b, int64_t m, int64_t n,
                                 int64_t k, const float *A, int64_t lda, const float *B,
                                 int64_t ldb, float beta, float *C, int64_t ldc)
{
    struct gemm g = {false, transpose_b, m, n, k, A, lda, B, ldb, beta, C, ldc, NULL};
    return cuda_gemm(c, &g);
}

static graco_status similarities(struct context *c, const struct pass *pass, const struct panel *p)
{
    int64_t w = pass->width;
    if (pass->half)
        return half_product(c, true, p->rows, p->cols, w, pass->Z + p->first * w, w,
                            pass->Z + p->from * w, w, 0, pass->S, p->ld);
    return full_product(c, true, p->rows, p->cols, w, pass->spec->Z + p->first * w, w,
                        pass->spec->Z + p->from * w, w, 0, pass->S, p->ld);
}

/* ---- Forward --------------------------------------------------------------------------------- */

/* A block per row: sums of exp((x - 1) / tau) over its own and over the other view. */
__global__ static void __launch_bounds__(BLOCK)
    exp_sums(struct panel p, int64_t n, const float *S, float scale, double *inter, double *intra)
{
    __shared__ double room[BLOCK_WARPS];
    int64_t row = p.first + blockIdx.x;
    const float *x = S + blockIdx.x * p.ld;
    bool second = row >= n;
    float sum[2] = {0, 0}; /* over the first and the second view's columns */
    for (int64_t j = threadIdx.x; j < p.cols; j += BLOCK) {
        float e = p.from + j == row ? 0 : exp2f((x[j] - 1) * scale);
        if (p.from + j < n)
            sum[0] += e;
        else
            sum[1] += e;
    }
    double a = block_sum((double)sum[0], room), b = block_sum((double)sum[1], room);
    if (threadIdx.x > 0)
        return;
    inter[row] += second ? a : b;
    intra[row] += second ? b : a;
}

static graco_status forward_panel(struct context *c, struct pass *pass, const struct panel *p)
{
    PASS(similarities(c, pass, p));
    exp_sums<<<(unsigned)p->rows, BLOCK, 0, state_of(c)->stream>>>(
        *p, pass->spec->n, pass->S, contrast_scale(pass->spec), pass->inter, pass->intra);
    PASS_LAUNCH("summing similarities");
    return GRACO_OK;
}

graco_status panels_forward(struct cuda_scratch *scratch, const struct contrast *s, double *inter,
                            double *intra)
{
    struct context *c = scratch->context;
    struct pass pass = {};
    size_t bytes = (size_t)(2 * s->n) * sizeof(double);
    pass.inter = inter;
    pass.intra = intra;
    PASS(open_pass(scratch, &pass, s, false));
    PASS(c->buffers->zero(c, inter, bytes));
    PASS(c->buffers->zero(c, intra, bytes));
    return visit_panels(c, &pass, forward_panel);
}

/* ---- Backward -------------------------------------------------------------------------------- */

__device__ static inline void put(float *to, float x)
{
    *to = x;
}

__device__ static inline void put(__half *to, float x)
{
    *to = __float2half_rn(x);
}

/* W = e_ij (1/D_i + 1/D_j), without the row itself and its partner. W may be S. */
template <typename T>
__global__ static void __launch_bounds__(BLOCK)
    weigh(struct panel p, int64_t n, const float *S, T *W, float scale, const float *inverse)
{
    int64_t row = p.first + blockIdx.x, partner = row < n ? row + n : row - n;
    const float *x = S + blockIdx.x * p.ld;
    T *w = W + blockIdx.x * p.ld;
    float own = inverse[row];
    for (int64_t j = threadIdx.x; j < p.cols; j += BLOCK) {
        int64_t col = p.from + j;
        float e = exp2f((x[j] - 1) * scale) * (own + inverse[col]);
        put(&w[j], col == row || col == partner ? 0 : e);
    }
}

static graco_status backward_panel(struct context *c, struct pass *pass, const struct panel *p)
{
    const struct contrast *s = pass->spec;
    float *dZ = pass->dZ + p->first * s->d, scale = contrast_scale(s);
    cudaStream_t stream = state_of(c)->stream;
    int64_t from, end;
    columns_of(s, p->first >= s->n, &from, &end);
    float beta = p->from == from ? 0 : 1; /* later panels of a row add */
    PASS(similarities(c, pass, p));
    if (pass->half)
        weigh<<<(unsigned)p->rows, BLOCK, 0, stream>>>(*p, s->n, pass->S, pass->weights, scale,
                                                       pass->inverse);
    else
        weigh<<<(unsigned)p->rows, BLOCK, 0, stream>>>(*p, s->n, pass->S, pass->S, scale,
                                                       pass->inverse);
    PASS_LAUNCH("weighing similarities");
    int64_t w = pass->width;
    if (pass->half)
        return half_product(c, false, p->rows, s->d, p->cols, pass->weights, p->ld,
                            pass->Z + p->from * w, w, beta, dZ, s->d);
    return full_product(c, false, p->rows, s->d, p->cols, pass->S, p->ld, s->Z + p->from * w, w,
                        beta, dZ, s->d);
}

graco_status panels_backward(struct cuda_scratch *scratch, const struct contrast *s,
                             const float *inverse, float *dZ)
{
    struct pass pass = {};
    pass.inverse = inverse;
    pass.dZ = dZ;
    PASS(open_pass(scratch, &pass, s, true));
    return visit_panels(scratch->context, &pass, backward_panel);
}
