/* A dense product that ends with bias and ReLU, in one kernel of cuBLASLt, which has none of the
 * other activations. Without it a second kernel would read and write the whole result. */
#include "compute/cuda/cuda_device.cuh"

/* The product as cuBLASLt wants it described, by columns: C' = op(B)' op(A)'. */
struct description {
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t B, A, C;
    cublasLtMatmulPreference_t preference;
};

static void forget(const struct cuda_blas *call, struct description *d)
{
    if (d->product)
        call->lt_product_destroy(d->product);
    if (d->B)
        call->lt_layout_destroy(d->B);
    if (d->A)
        call->lt_layout_destroy(d->A);
    if (d->C)
        call->lt_layout_destroy(d->C);
    if (d->preference)
        call->lt_preference_destroy(d->preference);
}

static cublasStatus_t describe(const struct context *c, const struct cuda_blas *call,
                               const struct gemm *g, struct description *d)
{
    const cublasOperation_t b = g->transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t a = g->transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasLtEpilogue_t end = CUBLASLT_EPILOGUE_RELU_BIAS;
    const size_t workspace = WORKSPACE_BYTES;
    const int64_t columns[2] = {g->transpose_b ? g->k : g->n, g->transpose_a ? g->m : g->k};
    const int64_t rows[2] = {g->transpose_b ? g->n : g->k, g->transpose_a ? g->k : g->m};
    const struct {
        cublasLtMatmulDescAttributes_t name;
        const void *value;
        size_t bytes;
    } told[] = {{CUBLASLT_MATMUL_DESC_TRANSA, &b, sizeof b},
                {CUBLASLT_MATMUL_DESC_TRANSB, &a, sizeof a},
                {CUBLASLT_MATMUL_DESC_EPILOGUE, &end, sizeof end},
                {CUBLASLT_MATMUL_DESC_BIAS_POINTER, &g->after->bias, sizeof g->after->bias}};
    cublasStatus_t error = call->lt_product_create(
        &d->product,
        c->precision == PRECISION_FP32 ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_32F_FAST_TF32,
        CUDA_R_32F);
    for (size_t i = 0; i < sizeof told / sizeof *told && error == CUBLAS_STATUS_SUCCESS; i++)
        error = call->lt_product_set(d->product, told[i].name, told[i].value, told[i].bytes);
    if (error == CUBLAS_STATUS_SUCCESS)
        error = call->lt_layout_create(&d->B, CUDA_R_32F, (uint64_t)columns[0], (uint64_t)rows[0],
                                       g->ldb);
    if (error == CUBLAS_STATUS_SUCCESS)
        error = call->lt_layout_create(&d->A, CUDA_R_32F, (uint64_t)columns[1], (uint64_t)rows[1],
                                       g->lda);
    if (error == CUBLAS_STATUS_SUCCESS)
        error = call->lt_layout_create(&d->C, CUDA_R_32F, (uint64_t)g->n, (uint64_t)g->m, g->ldc);
    if (error == CUBLAS_STATUS_SUCCESS)
        error = call->lt_preference_create(&d->preference);
    if (error == CUBLAS_STATUS_SUCCESS)
        error = call->lt_preference_set(d->preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                        &workspace, sizeof workspace);
    return error;
}

graco_status cuda_gemm_relu(struct context *c, const struct gemm *g, bool *done)
{
    struct cuda_state *s = state_of(c);
    const struct cuda_blas *call = &s->call;
    struct description d = {};
    cublasLtMatmulHeuristicResult_t best = {};
    const float one = 1, beta = g->accumulate ? 1 : 0;
    int found = 0;
    cublasStatus_t error = describe(c, call, g, &d);
    if (error == CUBLAS_STATUS_SUCCESS)
        error = call->lt_choose(s->blas_lt, d.product, d.B, d.A, d.C, d.C, d.preference, 1, &best,
                                &found);
    if (error == CUBLAS_STATUS_SUCCESS && found > 0)
        error =
            call->lt_multiply(s->blas_lt, d.product, &one, g->B, d.B, g->A, d.A, &beta, g->C, d.C,
                              g->C, d.C, &best.algo, s->workspace, WORKSPACE_BYTES, s->stream);
    forget(call, &d);
    *done = error == CUBLAS_STATUS_SUCCESS && found > 0;
    /* A shape that it has no kernel for takes two steps. */
    return error == CUBLAS_STATUS_NOT_SUPPORTED
               ? GRACO_OK
               : cuda_check_blas(error, "a product with bias and ReLU");
}
