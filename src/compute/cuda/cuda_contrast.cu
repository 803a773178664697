/* The exact contrast and InfoNCE: the sums of exponentials, the loss, and the gradient.
 *
 * The matrix of similarities is never stored whole. In half precision it lives in tiles, in
 * registers (cuda_tiles.cuh), in bf16 and where rows are wide in panels of such tiles (cuda_wide.cuh), in
 * float32 and TF32 in tiles of floats (cuda_float_tiles.cu); else in panels, in the GPU's cache (cuda_panels.cu).
 *
 * With PRECISION_FP16 the operands are halves, with PRECISION_BF16 bf16. Entries of Z are at most 1. The weights e_ij (1/D_i
 * + 1/D_j) are at most 2, because e_ij/D_i and e_ij/D_j are at most 1; times a factor of at most
 * 32000 they do not overflow. Similarities, exponentials and sums stay in float32. The positive
 * pair, in which the two terms of the gradient nearly cancel, is left out of the weights and added
 * in full precision. */
#include "compute/cuda/cuda_contrast.cuh"
#include "compute/cuda/cuda_tiles.cuh"

/* One of the ways through the matrix of similarities. */
struct way {
    decltype(&panels_forward) forward;
    decltype(&panels_backward) backward;
};

static struct way way_of(struct context *c, const struct contrast *s, bool backward)
{
    const struct cuda_state *state = state_of(c);
    bool floats = c->precision <= PRECISION_TF32;
    bool able = floats ? state->shared_bytes >= FLOAT_TILES_SHARED : state->wgmma;
    if (s->bounds) /* panels alone can meet columns of other ranks */
        return {panels_forward, panels_backward};
    if (able && wide_rows(s, c->precision, backward))
        return {wide_forward, wide_backward};
    if (floats ? able : c->precision == PRECISION_FP16 && s->d <= TILE_WIDTH_MAX)
        return {tiles_forward, tiles_backward};
    return {panels_forward, panels_backward};
}

/* Nodes of all ranks. */
static int64_t all_nodes(const struct context *c, const struct contrast *s)
{
    return s->bounds ? s->bounds[comm_ranks(c->comm)] : s->n;
}

/* ---- Forward --------------------------------------------------------------------------------- */

/* D, and each block's part of loss and estimate; a warp per row, rows strided over warps. */
__global__ static void row_losses(struct contrast s, const double *between, const double *within,
                                  double *partial)
{
    int64_t warps = (int64_t)gridDim.x * BLOCK_WARPS, rows = 2 * s.n;
    double loss = 0, estimate = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP; i < rows; i += warps) {
        const float *z = s.Z + i * s.d, *positive = s.Z + (i < s.n ? i + s.n : i - s.n) * s.d;
        double x = (warp_dot(z, positive, s.d) - 1) / s.tau;
        double D = between[i] + (s.within ? within[i] : 0);
        if (threadIdx.x % WARP > 0)
            continue;
        s.D[i] = D;
        loss += log(D) - x;
        estimate += x - log(between[i]);
    }
    leave_sums(partial, loss, estimate);
}

__global__ static void total_loss(const double *partial, int64_t blocks, int64_t n,
                                  struct cuda_results *results)
{
    double2 total = totals_of(partial, blocks);
    if (threadIdx.x == 0) {
        results->loss = total.x / (double)(2 * n);
        results->mutual_information = log((double)n) + total.y / (double)(2 * n);
    }
}

graco_status cuda_contrast(struct context *c, struct contrast *s)
{
    struct cuda_scratch scratch(c);
    struct cuda_state *state = state_of(c);
    double *between = NULL, *within = NULL, *partial = NULL;
    unsigned blocks = blocks_striding(state, 2 * s->n, BLOCK_WARPS);
    if (s->graphs > 0)
        return graphs_forward(&scratch, s);
    PASS(scratch_take(&scratch, &between, 2 * s->n, sizeof(double)));
    PASS(scratch_take(&scratch, &within, 2 * s->n, sizeof(double)));
    PASS(scratch_take(&scratch, &partial, 2 * (int64_t)blocks, sizeof(double)));
    PASS(way_of(c, s, false).forward(&scratch, s, between, within));
    row_losses<<<blocks, BLOCK, 0, state->stream>>>(*s, between, within, partial);
    if (s->bounds) {
        PASS(cuda_add_ranks(c, partial, blocks));
        blocks = 1;
    }
    PASS(context_turn(c, TURN_ASIDE)); /* Adam is the first to ask for it */
    total_loss<<<1, BLOCK, 0, state->stream>>>(partial, blocks, all_nodes(c, s), state->results);
    PASS_LAUNCH("the loss");
    cuda_ask(state, {s});
    return context_turn(c, TURN_BACK);
}

/* ---- Backward -------------------------------------------------------------------------------- */

/* Weights are at most 2, halves at most 65504. */
static const float FACTOR_MOST = 32000;

/* The factor of the weights. With it halves neither overflow nor vanish: on average weights are about 1 / n. */
static float weight_factor(const struct context *c, const struct contrast *s)
{
    return c->precision == PRECISION_FP16 ? fminf(FACTOR_MOST, (float)all_nodes(c, s) / 2) : 1;
}

/* Takes the factor out and adds the positive pair; a warp per row. */
__global__ static void finish_gradient(struct contrast s, int64_t all, float factor, float *dZ)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP;
    if (i >= 2 * s.n)
        return;
    int64_t other = i < s.n ? i + s.n : i - s.n;
    const float *z = s.Z + i * s.d, *positive = s.Z + other * s.d;
    double x = (warp_dot(z, positive, s.d) - 1) / s.tau, scale = 1 / ((double)(2 * all) * s.tau);
    double both = exp(x) * (1 / s.D[i] + 1 / s.D[other]);
    float a = (float)(scale / (double)factor), b = (float)(scale * (both - 2));
    for (int64_t j = threadIdx.x % WARP; j < s.d; j += WARP)
        dZ[i * s.d + j] = a * dZ[i * s.d + j] + b * positive[j];
}

graco_status cuda_contrast_backward(struct context *c, const struct contrast *s, float *dZ)
{
    struct cuda_scratch scratch(c);
    cudaStream_t stream = state_of(c)->stream;
    float factor = weight_factor(c, s);
    if (s->graphs > 0)
        return graphs_backward(c, s, dZ);
    PASS(way_of(c, s, true).backward(&scratch, s, factor, dZ));
    finish_gradient<<<blocks_for(2 * s->n, BLOCK_WARPS), BLOCK, 0, stream>>>(*s, all_nodes(c, s),
                                                                             factor, dZ);
    PASS_LAUNCH("the gradient of the objective");
    return GRACO_OK;
}
