/* The exact contrast and InfoNCE: the sums of exponentials, the loss, and the gradient.
 *
 * Nothing of size N x N is ever stored. In half precision the matrix of similarities lives in
 * tiles, in registers (cuda_tiles.cuh); else in panels, in the cache (cuda_panels.cu).
 *
 * With PRECISION_FP16 the operands are halves: of Z, whose entries are at most 1, and of the
 * weights, of which e_ij/D_i <= 1 and e_ij/D_j <= 1 bound the sum by 2: scaled by a factor of at
 * most 32000 they never overflow. Similarities, exponentials and sums stay in float32. The positive
 * pair is left out of the weights and added in full precision, because there the two terms of the
 * gradient nearly cancel. */
#include "compute/cuda/cuda_contrast.cuh"
#include "compute/cuda/cuda_tiles.cuh"

static bool in_tiles(const struct context *c, const struct contrast *s)
{
    return c->precision == PRECISION_FP16 && s->d <= TILE_WIDTH_MAX;
}

/* ---- Forward --------------------------------------------------------------------------------- */

/* D, and each block's part of loss and estimate; a warp per row, rows strided over warps. */
__global__ static void row_losses(struct contrast s, const double *inter, const double *intra,
                                  double *losses, double *estimates)
{
    __shared__ double room[BLOCK_WARPS];
    int64_t warps = (int64_t)gridDim.x * BLOCK_WARPS, rows = 2 * s.n;
    double loss = 0, estimate = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP; i < rows; i += warps) {
        const float *z = s.Z + i * s.d, *positive = s.Z + (i < s.n ? i + s.n : i - s.n) * s.d;
        double x = (warp_dot(z, positive, s.d) - 1) / s.tau;
        double D = inter[i] + (s.intra ? intra[i] : 0);
        if (threadIdx.x % WARP > 0)
            continue;
        s.D[i] = D;
        loss += log(D) - x;
        estimate += x - log(inter[i]);
    }
    loss = block_sum(loss, room);
    estimate = block_sum(estimate, room);
    if (threadIdx.x == 0) {
        losses[blockIdx.x] = loss;
        estimates[blockIdx.x] = estimate;
    }
}

__global__ static void total_loss(const double *losses, const double *estimates, int64_t count,
                                  int64_t n, struct cuda_results *result)
{
    __shared__ double room[BLOCK_WARPS];
    double loss = 0, estimate = 0;
    for (int64_t i = threadIdx.x; i < count; i += BLOCK) {
        loss += losses[i];
        estimate += estimates[i];
    }
    loss = block_sum(loss, room);
    estimate = block_sum(estimate, room);
    if (threadIdx.x == 0) {
        result->loss = loss / (double)(2 * n);
        result->mutual_information = log((double)n) + estimate / (double)(2 * n);
    }
}

static graco_status forward(struct cuda_scratch *scratch, struct contrast *s)
{
    struct context *c = scratch->context;
    struct cuda_state *state = state_of(c);
    double *inter = NULL, *intra = NULL, *losses = NULL;
    unsigned blocks = blocks_striding(state, 2 * s->n, BLOCK_WARPS);
    PASS(scratch_take(scratch, &inter, 2 * s->n, sizeof(double)));
    PASS(scratch_take(scratch, &intra, 2 * s->n, sizeof(double)));
    PASS(scratch_take(scratch, &losses, 2 * (int64_t)blocks, sizeof(double)));
    PASS((in_tiles(c, s) ? tiles_forward : panels_forward)(scratch, s, inter, intra));
    row_losses<<<blocks, BLOCK, 0, state->stream>>>(*s, inter, intra, losses, losses + blocks);
    total_loss<<<1, BLOCK, 0, state->stream>>>(losses, losses + blocks, blocks, s->n,
                                               state->result);
    PASS_LAUNCH("the loss");
    state->contrast = s;
    state->moment = NULL;
    return GRACO_OK;
}

graco_status cuda_contrast(struct context *c, struct contrast *s)
{
    struct cuda_scratch scratch = {c, 0, {}};
    graco_status status = forward(&scratch, s);
    scratch_give(&scratch);
    return status;
}

/* ---- Backward -------------------------------------------------------------------------------- */

/* What the weights are scaled by, so that halves neither overflow nor vanish. */
static float weight_factor(const struct context *c, const struct contrast *s)
{
    return c->precision == PRECISION_FP16 ? fminf(32000, (float)s->n / 2) : 1;
}

__global__ static void invert(int64_t rows, const double *D, float factor, float *inverse)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        inverse[i] = (float)(factor / D[i]);
}

/* A warp per row: takes the factor out, adds the positive pair. */
__global__ static void finish_gradient(struct contrast s, float factor, float *dZ)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP;
    if (i >= 2 * s.n)
        return;
    int64_t other = i < s.n ? i + s.n : i - s.n;
    const float *z = s.Z + i * s.d, *positive = s.Z + other * s.d;
    double x = (warp_dot(z, positive, s.d) - 1) / s.tau, scale = 1 / ((double)(2 * s.n) * s.tau);
    double both = exp(x) * (1 / s.D[i] + 1 / s.D[other]);
    float a = (float)(scale / (double)factor), b = (float)(scale * (both - 2));
    for (int64_t j = threadIdx.x % WARP; j < s.d; j += WARP)
        dZ[i * s.d + j] = a * dZ[i * s.d + j] + b * positive[j];
}

static graco_status backward(struct cuda_scratch *scratch, const struct contrast *s, float *dZ)
{
    struct context *c = scratch->context;
    cudaStream_t stream = state_of(c)->stream;
    float *inverse = NULL, factor = weight_factor(c, s);
    PASS(scratch_take(scratch, &inverse, 2 * s->n, sizeof(float)));
    invert<<<blocks_for(2 * s->n, BLOCK), BLOCK, 0, stream>>>(2 * s->n, s->D, factor, inverse);
    PASS_LAUNCH("inverting sums");
    PASS((in_tiles(c, s) ? tiles_backward : panels_backward)(scratch, s, inverse, dZ));
    finish_gradient<<<blocks_for(2 * s->n, BLOCK_WARPS), BLOCK, 0, stream>>>(*s, factor, dZ);
    PASS_LAUNCH("the gradient of the objective");
    return GRACO_OK;
}

graco_status cuda_contrast_backward(struct context *c, const struct contrast *s, float *dZ)
{
    struct cuda_scratch scratch = {c, 0, {}};
    graco_status status = backward(&scratch, s, dZ);
    scratch_give(&scratch);
    return status;
}
