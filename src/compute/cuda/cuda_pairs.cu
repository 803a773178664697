/* Pairs of rows: a warp per pair gives its product and cost, a warp per row sums what its pairs give
 * it, in the order of the list. And copies of blocks. */
#include "compute/cuda/cuda_soft.cuh"

__global__ static void __launch_bounds__(BLOCK) pair_costs(struct pairs s, double *partial)
{
    int64_t warps = (int64_t)gridDim.x * BLOCK_WARPS;
    float sign = s.together ? -1.0f : 1.0f;
    double total = 0;
    for (int64_t p = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP; p < s.count;
         p += warps) {
        const float *a = s.Z + s.end[p] * s.d, *b = s.Z + s.end[s.count + p] * s.d;
        float x = sign * (float)warp_dot(a, b, s.d), weight = s.weight ? s.weight[p] : 1;
        if (threadIdx.x % WARP > 0)
            continue;
        total += (double)(weight * device_softplus(x));
        if (s.slope)
            s.slope[p] = (float)s.scale * sign * weight * device_logistic(x);
    }
    leave_sums(partial, total, 0);
}

graco_status cuda_pairs(struct context *c, struct pairs *s)
{
    struct cuda_scratch scratch(c);
    struct cuda_state *state = state_of(c);
    double *partial = NULL;
    unsigned blocks = blocks_striding(state, s->count, BLOCK_WARPS);
    PASS(scratch_take(&scratch, &partial, 2 * (int64_t)blocks, sizeof(double)));
    pair_costs<<<blocks, BLOCK, 0, state->stream>>>(*s, partial);
    PASS_LAUNCH("the costs of pairs");
    return cuda_report_loss(c, partial, blocks, s->scale, s->add, s->loss);
}

__global__ static void __launch_bounds__(BLOCK) pairs_back(struct pairs s, float *dZ)
{
    int64_t row = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP;
    if (row >= s.rows)
        return;
    for (int64_t j = threadIdx.x % WARP; j < s.d; j += WARP) {
        float total = dZ[row * s.d + j];
        for (int64_t k = s.ends.start[row]; k < s.ends.start[row + 1]; k++) {
            int64_t at = s.ends.index[k];
            total += s.slope[at < s.count ? at : at - s.count] * s.Z[pairs_other(&s, at) * s.d + j];
        }
        dZ[row * s.d + j] = total;
    }
}

graco_status cuda_pairs_backward(struct context *c, const struct pairs *s, float *dZ)
{
    pairs_back<<<blocks_for(s->rows, BLOCK_WARPS), BLOCK, 0, state_of(c)->stream>>>(*s, dZ);
    PASS_LAUNCH("the gradient of pairs");
    return GRACO_OK;
}

__global__ static void copy_cells(struct block_copy b)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b.rows * b.cols)
        return;
    int64_t row = i / b.cols, col = i % b.cols;
    float *y = b.Y + row * b.ldy + col;
    *y = (b.accumulate ? *y : 0) + b.X[row * b.ldx + col];
}

graco_status cuda_copy_block(struct context *c, const struct block_copy *b)
{
    copy_cells<<<blocks_for(b->rows * b->cols, BLOCK), BLOCK, 0, state_of(c)->stream>>>(*b);
    PASS_LAUNCH("copying columns");
    return GRACO_OK;
}
