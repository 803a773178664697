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

enum {
    KINDS = 2, /* of sums: within a view, between views */
    /* Parts that a thread reads before it adds any: all that a row has on a GPU of up to 160 multiprocessors. */
    PARTS_AHEAD = 20,
};

/* Adds up BLOCK_WARPS rows of the block, from `first` on, over all parts. room[kind][k][row] has every BLOCK_WARPS-th
 * part from the k-th on. */
__device__ static inline void add_parts(double (&room)[KINDS][BLOCK_WARPS][BLOCK_WARPS],
                                        const struct row_sums &sums, int64_t n, int64_t first)
{
    int row = threadIdx.x % BLOCK_WARPS, k = threadIdx.x / BLOCK_WARPS % BLOCK_WARPS;
    int kind = threadIdx.x / (BLOCK_WARPS * BLOCK_WARPS);
    int64_t i = first + row, place = i < n ? i : i - n + sums.rows / 2;
    const float *x = sums.parts + kind * sums.rows + place;
    int count = kind < KINDS && i < 2 * n ? sums.count : 0;
    double total = 0;
    __syncthreads(); /* earlier sums may still be read */
    for (int part = k; part < count; part += PARTS_AHEAD * BLOCK_WARPS) {
        float ahead[PARTS_AHEAD];
#pragma unroll
        for (int j = 0; j < PARTS_AHEAD; j++)
            ahead[j] = part + j * BLOCK_WARPS < count
                           ? x[(part + j * BLOCK_WARPS) * KINDS * sums.rows]
                           : 0;
#pragma unroll
        for (int j = 0; j < PARTS_AHEAD; j++)
            total += (double)ahead[j]; /* no sum is -0, so that a 0 changes nothing */
    }
    if (kind < KINDS)
        room[kind][k][row] = total;
    __syncthreads();
}

/* A row's sums of both kinds, in all lanes of its warp. */
__device__ static inline double2 sums_of(const double (&room)[KINDS][BLOCK_WARPS][BLOCK_WARPS],
                                         const struct row_sums &sums, int64_t i)
{
    if (sums.count == 0)
        return {sums.within[i], sums.between[i]};
    int row = threadIdx.x / WARP;
    double2 total = {room[0][0][row], room[1][0][row]};
    for (int k = 1; k < BLOCK_WARPS; k++) {
        total.x += room[0][k][row];
        total.y += room[1][k][row];
    }
    total.x *= sums.unit;
    total.y *= sums.unit;
    return total;
}

/* D, factor / D, and each block's part of loss and estimate; a warp per row, rows strided over warps. */
__global__ static void __launch_bounds__(BLOCK)
    row_losses(struct contrast s, struct row_sums sums, float factor, double *partial)
{
    __shared__ double room[KINDS][BLOCK_WARPS][BLOCK_WARPS];
    int64_t warps = (int64_t)gridDim.x * BLOCK_WARPS, rows = 2 * s.n;
    double loss = 0, estimate = 0;
    for (int64_t first = (int64_t)blockIdx.x * BLOCK_WARPS; first < rows; first += warps) {
        int64_t i = first + threadIdx.x / WARP, other = i < s.n ? i + s.n : i - s.n;
        if (sums.count > 0)
            add_parts(room, sums, s.n, first);
        if (i >= rows)
            continue;
        double x = (warp_dot(s.Z + i * s.d, s.Z + other * s.d, s.d) - 1) / s.tau;
        double2 sum = sums_of(room, sums, i);
        double D = sum.y + (s.within ? sum.x : 0);
        if (threadIdx.x % WARP > 0)
            continue;
        s.D[i] = D;
        if (sums.inverse)
            sums.inverse[i < s.n ? i : i - s.n + sums.rows / 2] = (float)(factor * sums.unit / D);
        loss += log(D) - x;
        estimate += x - log(sum.y);
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

/* Weights are at most 2, halves at most 65504. */
static const float FACTOR_MOST = 32000;

/* The factor of the weights. With it halves neither overflow nor vanish: on average weights are about 1 / n. */
static float weight_factor(const struct context *c, const struct contrast *s)
{
    return c->precision == PRECISION_FP16 ? fminf(FACTOR_MOST, (float)all_nodes(c, s) / 2) : 1;
}

graco_status contrast_losses(struct cuda_scratch *scratch, struct contrast *s,
                             const struct row_sums *sums)
{
    struct context *c = scratch->context;
    struct cuda_state *state = state_of(c);
    double *partial = NULL;
    unsigned blocks = blocks_striding(state, 2 * s->n, BLOCK_WARPS);
    PASS(scratch_take(scratch, &partial, 2 * (int64_t)blocks, sizeof(double)));
    row_losses<<<blocks, BLOCK, 0, state->stream>>>(*s, *sums, weight_factor(c, s), partial);
    if (s->bounds) {
        PASS(cuda_add_ranks(c, partial, blocks));
        blocks = 1;
    }
    PASS(context_turn(c, TURN_ASIDE)); /* Adam is the first to ask for it */
    total_loss<<<1, BLOCK, 0, state->stream>>>(partial, blocks, all_nodes(c, s), state->results);
    PASS_LAUNCH("the loss");
    return context_turn(c, TURN_BACK);
}

graco_status cuda_contrast(struct context *c, struct contrast *s)
{
    struct cuda_scratch scratch(c);
    struct row_sums sums = {};
    if (s->graphs > 0)
        return graphs_forward(&scratch, s);
    PASS(way_of(c, s, false).forward(&scratch, s, &sums));
    PASS(contrast_losses(&scratch, s, &sums));
    cuda_ask(state_of(c), {s});
    return GRACO_OK;
}

/* ---- Backward -------------------------------------------------------------------------------- */

enum { SHARES_AHEAD = 4 }; /* that are read before any is added */

/* What several parts have of a row. */
struct row_shares {
    const float *first; /* (width) the first part's */
    int64_t next, step; /* floats from there to the second part's, and from that to the third's */
    int count;          /* 0: the row is whole, in dZ */
};

__device__ static inline struct row_shares shares_of(const struct tiles &t, int64_t i)
{
    int64_t view = i < t.n ? 0 : 1, node = i - view * t.n;
    int64_t block = view * t.blocks + node / TILE_ROWS, total = tiles_total<true>(t);
    int64_t tile = tiles_first<true>(t, block), half = TILE_ROWS * (int64_t)t.width;
    int64_t from = tiles_owner(total, t.parts, tile);
    int64_t to = tiles_owner(total, t.parts, tile + tiles_in_row<true>(t, block) - 1);
    const float *first = t.shares + (2 * from + 1) * half + node % TILE_ROWS * t.width;
    return {first, half, 2 * half, from < to ? (int)(to - from + 1) : 0};
}

/* A group of a row's columns, added up in the order of the parts. */
template <int wide>
__device__ static inline group<wide> add_shares(const struct row_shares &row, int64_t j)
{
    group<wide> sum = {};
    for (int share = 0; share < row.count; share += SHARES_AHEAD) {
        group<wide> ahead[SHARES_AHEAD] = {};
#pragma unroll
        for (int i = 0; i < SHARES_AHEAD; i++)
            if (share + i < row.count) {
                int64_t at = share + i > 0 ? row.next + (share + i - 1) * row.step : 0;
                ahead[i] = ((const group<wide> *)(row.first + at))[j];
            }
#pragma unroll
        for (int i = 0; i < SHARES_AHEAD; i++)
            for (int k = 0; k < wide; k++)
                sum.x[k] += ahead[i].x[k]; /* which is not -0 */
    }
    return sum;
}

/* Adds up shares, takes the factor out, dZ = a dZ, and adds the positive pair; a warp per row. */
template <int wide>
__global__ static void __launch_bounds__(BLOCK)
    finish_gradient(struct contrast s, const __grid_constant__ struct tiles t, double scale,
                    float a, float *dZ)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP;
    if (i >= 2 * s.n)
        return;
    int64_t other = i < s.n ? i + s.n : i - s.n;
    const float *z = s.Z + i * s.d, *positive = s.Z + other * s.d;
    double x = (warp_dot(z, positive, s.d) - 1) / s.tau;
    double both = exp(x) * (1 / s.D[i] + 1 / s.D[other]);
    float b = (float)(scale * (both - 2));
    struct row_shares shares = {};
    if (t.shares)
        shares = shares_of(t, i);
    group<wide> *dz = (group<wide> *)(dZ + i * s.d);
    for (int64_t j = threadIdx.x % WARP; j < s.d / wide; j += WARP) {
        group<wide> g = shares.count > 0 ? add_shares<wide>(shares, j) : dz[j];
        group<wide> p = ((const group<wide> *)positive)[j];
        for (int k = 0; k < wide; k++)
            g.x[k] =
                fmaf(a, g.x[k], b * p.x[k]); /* one of the two products is rounded: always this */
        dz[j] = g;
    }
}

graco_status contrast_gradient(struct context *c, const struct contrast *s,
                               const struct tiles &left, float factor, float *dZ)
{
    cudaStream_t stream = state_of(c)->stream;
    double scale = 1 / ((double)(2 * all_nodes(c, s)) * s->tau);
    float a = (float)(scale / (double)factor);
    unsigned blocks = blocks_for(2 * s->n, BLOCK_WARPS);
    if (s->d % 4 == 0 && ((uintptr_t)s->Z | (uintptr_t)dZ) % 16 == 0)
        finish_gradient<4><<<blocks, BLOCK, 0, stream>>>(*s, left, scale, a, dZ);
    else
        finish_gradient<1><<<blocks, BLOCK, 0, stream>>>(*s, left, scale, a, dZ);
    PASS_LAUNCH("the gradient of the objective");
    return GRACO_OK;
}

graco_status cuda_contrast_backward(struct context *c, const struct contrast *s, float *dZ)
{
    struct cuda_scratch scratch(c);
    struct tiles left = {};
    float factor = weight_factor(c, s);
    if (s->graphs > 0)
        return graphs_backward(c, s, dZ);
    PASS(way_of(c, s, true).backward(&scratch, s, factor, dZ, &left));
    return contrast_gradient(c, s, left, factor, dZ);
}
