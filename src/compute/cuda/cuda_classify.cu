/* Logits against classes: a warp per listed row, rows strided over warps. */
#include "compute/cuda/cuda_soft.cuh"

__global__ static void report_loss(const double *partial, int64_t blocks, double scale, bool add,
                                   struct cuda_results *results)
{
    double2 total = totals_of(partial, blocks);
    if (threadIdx.x == 0)
        results->loss = (add ? results->loss : 0) + total.x * scale;
}

graco_status cuda_report_loss(struct context *c, const double *partial, unsigned blocks,
                              double scale, bool add, double *loss)
{
    struct cuda_state *s = state_of(c);
    report_loss<<<1, BLOCK, 0, s->stream>>>(partial, blocks, scale, add, s->results);
    PASS_LAUNCH("the loss");
    cuda_ask(s, {NULL, NULL, loss});
    return GRACO_OK;
}

/* Over the warp's lanes; in all of them. */
__device__ static inline float warp_most(float value)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        value = fmaxf(value, __shfl_xor_sync(~0u, value, step));
    return value;
}

/* log(sum_j exp(x_j)). */
__device__ static inline double log_sum(const float *x, int64_t cols)
{
    float most = -INFINITY;
    double total = 0;
    for (int64_t j = threadIdx.x % WARP; j < cols; j += WARP)
        most = fmaxf(most, x[j]);
    most = warp_most(most);
    for (int64_t j = threadIdx.x % WARP; j < cols; j += WARP)
        total += (double)expf(x[j] - most);
    return (double)most + log(warp_sum(total));
}

__device__ static inline double softmax_row(const struct classification &s, int64_t place,
                                            const float *x, float *dx, double scale)
{
    double weight = (s.weight ? (double)s.weight[place] : 1), all = log_sum(x, s.cols);
    int label = s.label[place];
    for (int64_t j = threadIdx.x % WARP; j < s.cols && dx; j += WARP)
        dx[j] += (float)(weight * scale * (exp((double)x[j] - all) - (j == label)));
    return threadIdx.x % WARP == 0 ? weight * (all - (double)x[label]) : 0;
}

__device__ static inline double sigmoid_row(const struct classification &s, int64_t place,
                                            const float *x, float *dx, double scale)
{
    double total = 0;
    for (int64_t j = threadIdx.x % WARP; j < s.cols; j += WARP) {
        int64_t at = place * s.cols + j;
        float sign = s.target[at] ? -1.0f : 1.0f, weight = s.weight ? s.weight[at] : 1.0f;
        total += (double)(weight * device_softplus(sign * x[j]));
        if (dx)
            dx[j] += (float)scale * weight * sign * device_logistic(sign * x[j]);
    }
    return total;
}

/* Each block's part of the loss, unless partial is NULL; with dX the gradient is added there. */
__global__ static void __launch_bounds__(BLOCK)
    classify_rows(struct classification s, double scale, double *partial, float *dX)
{
    int64_t warps = (int64_t)gridDim.x * BLOCK_WARPS;
    double total = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP; i < s.count;
         i += warps) {
        int64_t row = s.row ? s.row[i] : i;
        float *dx = dX ? dX + row * s.cols : NULL;
        const float *x = s.X + row * s.cols;
        total += s.kind == CLASSIFY_SOFTMAX ? softmax_row(s, i, x, dx, scale)
                                            : sigmoid_row(s, i, x, dx, scale);
    }
    if (partial)
        leave_sums(partial, total, 0);
}

graco_status cuda_classify(struct context *c, struct classification *s)
{
    struct cuda_scratch scratch(c);
    struct cuda_state *state = state_of(c);
    double *partial = NULL;
    unsigned blocks = blocks_striding(state, s->count, BLOCK_WARPS);
    PASS(scratch_take(&scratch, &partial, 2 * (int64_t)blocks, sizeof(double)));
    classify_rows<<<blocks, BLOCK, 0, state->stream>>>(*s, classification_scale(s), partial, NULL);
    PASS_LAUNCH("the costs of classes");
    return cuda_report_loss(c, partial, blocks, classification_scale(s), false, &s->loss);
}

graco_status cuda_classify_backward(struct context *c, const struct classification *s, float *dX)
{
    const struct cuda_state *state = state_of(c);
    unsigned blocks = blocks_striding(state, s->count, BLOCK_WARPS);
    classify_rows<<<blocks, BLOCK, 0, state->stream>>>(*s, classification_scale(s), NULL, dX);
    PASS_LAUNCH("the gradient of classes");
    return GRACO_OK;
}
