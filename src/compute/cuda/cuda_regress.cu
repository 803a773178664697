/* Logistic regressions on the same rows: cuBLAS's products, in double for scores and gradients, in
 * float32 for the Hessian, and what stands between them. A block has an output, so that its sums
 * have one order. */
#include "compute/cuda/cuda_device.cuh"

struct result_double {
    double *data; /* (m, n) */
    int64_t ld, m, n;
};

/* The listed outputs of a call, on the device. */
struct listed {
    int64_t rows, cols;
    const int32_t *list;
    const uint8_t *positive; /* (outputs, rows) */
    float *curvature;        /* (outputs, rows) */
};

/* Scores (count, rows) become residuals; loss and mean curvature go behind each row of G. */
__global__ static void __launch_bounds__(BLOCK)
    find_residuals(struct listed l, double *score, double *G)
{
    __shared__ double room[BLOCK_WARPS];
    int64_t k = l.list[blockIdx.x];
    const uint8_t *positive = l.positive + k * l.rows;
    float *curvature = l.curvature + k * l.rows;
    double loss = 0, curved = 0;
    score += blockIdx.x * l.rows;
    for (int64_t i = threadIdx.x; i < l.rows; i += BLOCK) {
        double t = positive[i] ? 1 : -1, margin = t * score[i], e = exp(-fabs(margin));
        double wrong = e / (1 + e); /* at most one half, so that 1 - wrong loses no digits */
        double now = wrong / (1 + e);
        score[i] = -t * (margin < 0 ? 1 - wrong : wrong);
        loss += fmax(-margin, 0.0) + log1p(e);
        curved += now;
        curvature[i] = (float)now;
    }
    loss = block_sum(loss, room);
    curved = block_sum(curved, room);
    if (threadIdx.x == 0) {
        double *g = G + blockIdx.x * (l.cols + 2) + l.cols;
        g[0] = loss;
        g[1] = curved / (double)l.rows;
    }
}

/* score *= curvature; blocks by rows and outputs. */
__global__ static void weigh(struct listed l, float *score)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x, k = l.list[blockIdx.y];
    if (i < l.rows)
        score[blockIdx.y * l.rows + i] *= l.curvature[k * l.rows + i];
}

/* C (m, n), rows ldc apart, = A (m, k) B (k, n) in double, or A B' with B (n, k). */
static graco_status multiply_double(struct context *c, struct result_double C, int64_t k,
                                    const double *A, const double *B, bool transpose_b)
{
    struct cuda_state *s = state_of(c);
    const double one = 1, zero = 0;
    return cuda_check_blas(s->call.gemm(s->blas, transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                                        CUBLAS_OP_N, C.n, C.m, k, &one, B, CUDA_R_64F,
                                        transpose_b ? k : C.n, A, CUDA_R_64F, k, &zero, C.data,
                                        CUDA_R_64F, C.ld, CUBLAS_COMPUTE_64F, CUBLAS_GEMM_DEFAULT),
                           "a product in double");
}

static graco_status list_outputs(struct listed *out, struct cuda_scratch *scratch,
                                 const struct regression *r)
{
    struct context *c = scratch->context;
    int32_t *list = NULL;
    PASS(scratch_take(scratch, &list, r->outputs, sizeof *list));
    PASS(cuda_upload(c, list, r->list, (size_t)r->count * sizeof *list));
    *out = {r->rows, r->cols, list, r->positive, r->curvature};
    return GRACO_OK;
}

graco_status cuda_regress(struct context *c, const struct regression *r, const double *W, double *G)
{
    struct cuda_scratch scratch(c);
    struct listed listed;
    int64_t wide = r->cols + 2;
    double *weights = NULL, *score = NULL, *sums = NULL;
    /* Sizes for all outputs, so that lists that shrink find their buffers in the cache. */
    PASS(scratch_take(&scratch, &weights, r->outputs * r->cols, sizeof *weights));
    PASS(scratch_take(&scratch, &score, r->outputs * r->rows, sizeof *score));
    PASS(scratch_take(&scratch, &sums, r->outputs * wide, sizeof *sums));
    PASS(list_outputs(&listed, &scratch, r));
    PASS(cuda_upload(c, weights, W, (size_t)(r->count * r->cols) * sizeof *W));
    PASS(multiply_double(c, {score, r->rows, r->count, r->rows}, r->cols, weights, r->X, true));
    find_residuals<<<(unsigned)r->count, BLOCK, 0, state_of(c)->stream>>>(listed, score, sums);
    PASS_LAUNCH("residuals of regressions");
    PASS(multiply_double(c, {sums, wide, r->count, r->cols}, r->rows, score, r->X, false));
    return cuda_download(c, G, sums, (size_t)(r->count * wide) * sizeof *G);
}

graco_status cuda_regress_curve(struct context *c, const struct regression *r, const float *Q,
                                float *H)
{
    struct cuda_scratch scratch(c);
    struct listed listed;
    size_t bytes = (size_t)(r->count * r->cols) * sizeof *Q;
    float *directions = NULL, *score = NULL;
    PASS(scratch_take(&scratch, &directions, r->outputs * r->cols, sizeof *directions));
    PASS(scratch_take(&scratch, &score, r->outputs * r->rows, sizeof *score));
    PASS(list_outputs(&listed, &scratch, r));
    PASS(cuda_upload(c, directions, Q, bytes));
    PASS(cuda_multiply(c, {score, r->rows, r->count, r->rows, false}, r->cols,
                       operand_of(directions, r->cols), transpose_of(r->X_rounded, r->cols)));
    dim3 blocks(blocks_for(r->rows, BLOCK), (unsigned)r->count);
    weigh<<<blocks, BLOCK, 0, state_of(c)->stream>>>(listed, score);
    PASS_LAUNCH("curvature of regressions");
    PASS(cuda_multiply(c, {directions, r->cols, r->count, r->cols, false}, r->rows,
                       operand_of(score, r->rows), operand_of(r->X_rounded, r->cols)));
    return cuda_download(c, H, directions, bytes);
}
