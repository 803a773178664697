/* The reconstruction of a graph by all pairs, and draws from a Gaussian.
 *
 * All pairs, as on the CPU: a sum that does not look at the graph, over s = Z Z', and a correction over
 * the entries of A + I. Where rows are narrow, which embeddings of auto-encoders are, a thread keeps its
 * row z_i and its sum of g z_j in registers while rows z_j go by in shared memory; s never exists.
 * The columns are cut into pieces, so that there are threads enough, and the pieces' sums are added
 * in order. Wider rows go by panels of s: cuBLAS multiplies, `logistic_panel` replaces s by g. */
#include "compute/cuda/cuda_device.cuh"

enum {
    NARROW = RECONSTRUCT_NARROW,
    PIECES = RECONSTRUCT_PIECES,
    STRIP = 64, /* rows of Z in shared memory at a time */
    ROWS = 128, /* of a block, one a thread */
};

struct soft {
    float logistic, softplus; /* 1 / (1 + e^-x), log(1 + e^x) */
};

__device__ static inline struct soft soft_of(float x)
{
    float e = __expf(-fabsf(x)), inverse = __fdividef(1, 1 + e);
    return {x > 0 ? inverse : e * inverse, fmaxf(x, 0) + log1pf(e)};
}

/* Row i of a piece: partial (pieces, n, d) gets sum_j g_ij z_j; losses (pieces, row blocks) the sums of
 * log(1 + e^s). `width` is d, or more: a power of two. */
template <int width>
__global__ static void __launch_bounds__(ROWS)
    narrow_pairs(int64_t n, int d, int64_t piece, const float *Z, float *partial, double *losses)
{
    __shared__ float strip[STRIP][width];
    __shared__ double room[ROWS / WARP];
    int64_t i = (int64_t)blockIdx.x * ROWS + threadIdx.x, from = blockIdx.y * piece;
    int64_t end = min(n, from + piece);
    float z[width] = {0}, sum[width] = {0};
    double total = 0;
    for (int k = 0; k < d && i < n; k++)
        z[k] = Z[i * d + k];
    for (; from < end; from += STRIP) {
        int count = (int)min((int64_t)STRIP, end - from);
        __syncthreads();
        for (int k = threadIdx.x; k < STRIP * width; k += ROWS) {
            int row = k / width, col = k % width;
            strip[row][col] = row < count && col < d ? Z[(from + row) * d + col] : 0;
        }
        __syncthreads();
        float softs = 0;
        for (int j = 0; j < count; j++) {
            float s = 0;
#pragma unroll
            for (int k = 0; k < width; k++)
                s += z[k] * strip[j][k];
            struct soft soft = soft_of(s);
            softs += soft.softplus;
#pragma unroll
            for (int k = 0; k < width; k++)
                sum[k] += soft.logistic * strip[j][k];
        }
        total += (double)softs;
    }
    for (int k = 0; k < d && i < n; k++)
        partial[(blockIdx.y * n + i) * d + k] = sum[k];
    total = warp_sum(i < n ? total : 0);
    if (threadIdx.x % WARP == 0)
        room[threadIdx.x / WARP] = total;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < ROWS / WARP; k++)
            total += room[k];
        losses[blockIdx.y * gridDim.x + blockIdx.x] = total;
    }
}

__global__ static void sum_partial(int64_t count, int pieces, const float *partial, float *dZ)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        float total = 0;
        for (int k = 0; k < pieces; k++)
            total += partial[k * count + i];
        dZ[i] = total;
    }
}

/* s becomes g; losses (blocks) get the sums of log(1 + e^s). */
__global__ static void __launch_bounds__(BLOCK)
    logistic_panel(int64_t count, float *S, double *losses)
{
    __shared__ double room[BLOCK_WARPS];
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    double total = 0;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        struct soft soft = soft_of(S[i]);
        S[i] = soft.logistic;
        total += (double)soft.softplus;
    }
    total = block_sum(total, room);
    if (threadIdx.x == 0)
        losses[blockIdx.x] += total;
}

/* What an entry of A + I costs beyond log(1 + e^s); *slope gets the derivative. */
__device__ static double correction(double s, double weight, float *slope)
{
    double e = exp(-fabs(s)), g = (s > 0 ? 1 : e) / (1 + e), soft = log1p(e) + fmax(s, 0.);
    *slope = (float)(-weight * (1 - g) - g);
    return weight * (soft - s) - soft;
}

/* Half of what a row of A or A' adds to dz_i, by one warp; the cost of its entries. */
__device__ static double correct_row(const struct reconstruction &s, const struct sparse &m,
                                     int64_t i)
{
    int64_t first = m.entries.start[i];
    int64_t count = m.count ? m.count[i] : m.entries.start[i + 1] - first;
    int lane = threadIdx.x % WARP;
    double total = 0;
    for (int64_t k = first; k < first + count; k++) {
        const float *z = s.Z + m.entries.index[k] * s.d;
        float slope;
        total += correction(warp_dot(s.Z + i * s.d, z, s.d), s.weight, &slope);
        for (int64_t j = lane; j < s.d; j += WARP)
            s.dZ[i * s.d + j] += slope / 2 * z[j];
    }
    return total;
}

/* A warp for each row. partial (2, blocks). */
__global__ static void __launch_bounds__(BLOCK)
    correct_rows(struct reconstruction s, struct sparse edges, struct sparse transpose,
                 double *partial)
{
    int64_t warps = (int64_t)gridDim.x * BLOCK_WARPS;
    int lane = threadIdx.x % WARP;
    double total = 0;
    for (int64_t i = ((int64_t)blockIdx.x * BLOCK + threadIdx.x) / WARP; i < s.n; i += warps) {
        const float *z = s.Z + i * s.d;
        float slope;
        total += correction(warp_dot(z, z, s.d), s.weight, &slope);
        for (int64_t j = lane; j < s.d; j += WARP)
            s.dZ[i * s.d + j] += slope * z[j];
        total += correct_row(s, edges, i);
        correct_row(s, transpose, i);
        for (int64_t j = lane; j < s.d; j += WARP)
            s.dZ[i * s.d + j] *= (float)(2 * s.scale);
    }
    leave_sums(partial, lane == 0 ? total : 0, 0);
}

__global__ static void __launch_bounds__(BLOCK)
    reconstruct_loss(double scale, const double *losses, int64_t count, const double *partial,
                     int64_t blocks, struct cuda_results *results)
{
    __shared__ double room[BLOCK_WARPS];
    double total = 0;
    for (int64_t i = threadIdx.x; i < count; i += BLOCK)
        total += losses[i];
    total = block_sum(total, room);
    total += totals_of(partial, blocks).x;
    if (threadIdx.x == 0)
        results->loss = scale * total;
}

static graco_status run_narrow(struct cuda_scratch *scratch, const struct reconstruction *s,
                               double **losses, int64_t *count)
{
    struct cuda_state *state = state_of(scratch->context);
    unsigned blocks = blocks_for(s->n, ROWS);
    int64_t piece = (s->n + PIECES - 1) / PIECES;
    float *partial = NULL;
    *count = (int64_t)blocks * PIECES;
    PASS(scratch_take(scratch, &partial, PIECES * s->n * s->d, sizeof(float)));
    PASS(scratch_take(scratch, losses, *count, sizeof(double)));
    (s->d <= 16 ? narrow_pairs<16>
                : narrow_pairs<NARROW>)<<<dim3(blocks, PIECES), ROWS, 0, state->stream>>>(
        s->n, (int)s->d, piece, s->Z, partial, *losses);
    PASS_LAUNCH("all pairs");
    sum_partial<<<blocks_striding(state, s->n * s->d, BLOCK), BLOCK, 0, state->stream>>>(
        s->n * s->d, PIECES, partial, s->dZ);
    PASS_LAUNCH("all pairs");
    return GRACO_OK;
}

static graco_status run_panels(struct cuda_scratch *scratch, const struct reconstruction *s,
                               double **losses, int64_t *count)
{
    struct context *c = scratch->context;
    struct cuda_state *state = state_of(c);
    int64_t most = reconstruct_rows(s->n);
    unsigned blocks = blocks_striding(state, most * s->n, BLOCK);
    float *S = NULL;
    *count = blocks;
    PASS(scratch_take(scratch, &S, most * s->n, sizeof(float)));
    PASS(scratch_take(scratch, losses, *count, sizeof(double)));
    PASS(c->buffers->zero(c, *losses, (size_t)*count * sizeof(double)));
    for (int64_t first = 0; first < s->n; first += most) {
        int64_t rows = least(most, s->n - first);
        PASS(cuda_multiply(c, {S, s->n, rows, s->n, false}, s->d,
                           operand_of(s->Z + first * s->d, s->d), transpose_of(s->Z, s->d)));
        logistic_panel<<<blocks, BLOCK, 0, state->stream>>>(rows * s->n, S, *losses);
        PASS_LAUNCH("all pairs");
        PASS(cuda_multiply(c, {s->dZ + first * s->d, s->d, rows, s->d, false}, s->n,
                           operand_of(S, s->n), operand_of(s->Z, s->d)));
    }
    return GRACO_OK;
}

graco_status cuda_reconstruct(struct context *c, struct reconstruction *s)
{
    struct cuda_scratch scratch(c);
    struct cuda_state *state = state_of(c);
    double *losses = NULL, *partial = NULL;
    int64_t count = 0;
    unsigned blocks = blocks_striding(state, s->n, BLOCK_WARPS);
    PASS(scratch_take(&scratch, &partial, 2 * (int64_t)blocks, sizeof(double)));
    PASS((s->d <= NARROW ? run_narrow : run_panels)(&scratch, s, &losses, &count));
    correct_rows<<<blocks, BLOCK, 0, state->stream>>>(*s, *s->edges, *s->transpose, partial);
    reconstruct_loss<<<1, BLOCK, 0, state->stream>>>(s->scale, losses, count, partial, blocks,
                                                     state->results);
    PASS_LAUNCH("the loss");
    cuda_ask(state, {NULL, NULL, &s->loss});
    return GRACO_OK;
}

/* ---- Draws ----------------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(BLOCK)
    draw_gaussian(struct gaussian s, const uint32_t *later, float *Z, double *partial)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x, count = s.rows * s.cols;
    struct random_key key = key_now(s.key, later);
    double total = 0;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < count; k += step) {
        float mean = s.mean[k], spread = fminf(s.spread[k], SPREAD_MOST), wide = expf(spread);
        if (!s.given)
            s.noise[k] = device_random_normal(key, (uint64_t)k);
        Z[k] = mean + s.noise[k] * wide;
        total += 1 + 2 * (double)spread - (double)mean * (double)mean - (double)wide * (double)wide;
    }
    leave_sums(partial, total, 0);
}

__global__ static void __launch_bounds__(BLOCK)
    gaussian_divergence(double scale, const double *partial, int64_t blocks,
                        struct cuda_results *results)
{
    double total = totals_of(partial, blocks).x;
    if (threadIdx.x == 0)
        results->divergence = -scale / 2 * total;
}

graco_status cuda_gaussian(struct context *c, struct gaussian *s, float *Z)
{
    struct cuda_scratch scratch(c);
    struct cuda_state *state = state_of(c);
    unsigned blocks = blocks_striding(state, s->rows * s->cols, BLOCK);
    double *partial = NULL;
    PASS(scratch_take(&scratch, &partial, 2 * (int64_t)blocks, sizeof(double)));
    draw_gaussian<<<blocks, BLOCK, 0, state->stream>>>(*s, state->later, Z, partial);
    gaussian_divergence<<<1, BLOCK, 0, state->stream>>>(s->scale, partial, blocks, state->results);
    PASS_LAUNCH("drawing rows");
    state->asked.gaussian = s;
    return GRACO_OK;
}

__global__ static void gaussian_back(struct gaussian s, const float *dZ, float *dmean,
                                     float *dspread)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x, count = s.rows * s.cols;
    float scale = (float)s.scale;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < count; k += step) {
        float spread = s.spread[k], wide = expf(fminf(spread, SPREAD_MOST)), d = dZ[k];
        dspread[k] = spread > SPREAD_MOST ? 0 : d * s.noise[k] * wide + scale * (wide * wide - 1);
        dmean[k] = d + scale * s.mean[k];
    }
}

graco_status cuda_gaussian_backward(struct context *c, const struct gaussian *s, const float *dZ,
                                    float *dmean, float *dspread)
{
    struct cuda_state *state = state_of(c);
    gaussian_back<<<blocks_striding(state, s->rows * s->cols, BLOCK), BLOCK, 0, state->stream>>>(
        *s, dZ, dmean, dspread);
    PASS_LAUNCH("drawing rows, backward");
    return GRACO_OK;
}
