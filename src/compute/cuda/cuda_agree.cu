/* Rows against a summary: warps take rows in turn, sums over rows are left by each block and added by a
 * second kernel in a fixed order. */
#include "compute/cuda/cuda_soft.cuh"

#include "compute/permutation.h"

enum {
    SUM_COLS = 32, /* columns that a block of sums takes */
    SUM_ROWS = 8,  /* rows that it reads at a time */
};

/* ---- Sums of columns ------------------------------------------------------------------------- */

/* Block (x, y) sums SUM_COLS columns over every gridDim.y-th group of SUM_ROWS rows, with the rows'
 * weights where there are some: partial (gridDim.y, cols). */
__global__ static void __launch_bounds__(SUM_COLS *SUM_ROWS)
    sum_columns(int64_t rows, int64_t cols, const float *X, const float *weight, float *partial)
{
    __shared__ float sums[SUM_ROWS][SUM_COLS];
    int64_t col = (int64_t)blockIdx.x * SUM_COLS + threadIdx.x;
    float total = 0;
#pragma unroll 4
    for (int64_t row = (int64_t)blockIdx.y * SUM_ROWS + threadIdx.y; row < rows;
         row += (int64_t)gridDim.y * SUM_ROWS)
        if (col < cols)
            total += X[row * cols + col] * (weight ? weight[row] : 1);
    sums[threadIdx.y][threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.y > 0 || col >= cols)
        return;
    for (int k = 1; k < SUM_ROWS; k++)
        total += sums[k][threadIdx.x];
    partial[blockIdx.y * cols + col] = total;
}

static unsigned sum_pieces_of(int64_t rows)
{
    return (unsigned)least(blocks_for(rows, 8 * SUM_ROWS), 128);
}

__global__ static void end_summary(int64_t rows, int64_t cols, unsigned pieces,
                                   const float *partial, float *s)
{
    int64_t j = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    double total = 0;
    for (unsigned piece = 0; j < cols && piece < pieces; piece++)
        total += (double)partial[piece * cols + j];
    if (j < cols)
        s[j] = (float)(1 / (1 + exp(-total / (double)rows)));
}

graco_status cuda_summarise(struct context *c, int64_t rows, int64_t cols, const float *X, float *s)
{
    struct cuda_scratch scratch(c);
    const struct cuda_state *state = state_of(c);
    float *partial = NULL;
    unsigned pieces = sum_pieces_of(rows);
    PASS(scratch_take(&scratch, &partial, pieces * cols, sizeof(float)));
    sum_columns<<<dim3(blocks_for(cols, SUM_COLS), pieces), dim3(SUM_COLS, SUM_ROWS), 0,
                  state->stream>>>(rows, cols, X, NULL, partial);
    end_summary<<<blocks_for(cols, BLOCK), BLOCK, 0, state->stream>>>(rows, cols, pieces, partial,
                                                                      s);
    PASS_LAUNCH("summing up a graph");
    return GRACO_OK;
}

/* ---- Logits ---------------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(BLOCK) agree_rows(struct agreement a, double *partial)
{
    int64_t rows = a.positives + a.negatives, warps = (int64_t)gridDim.x * BLOCK_WARPS;
    double share = 1 / (double)rows, cost = 0, sum = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP; i < rows; i += warps) {
        bool positive = i < a.positives;
        const float *h = positive ? a.H + i * a.d : a.G + (i - a.positives) * a.d;
        double x = warp_dot(h, a.v, a.d) + (double)*a.beta, sign = positive ? -1 : 1;
        if (threadIdx.x % WARP > 0)
            continue;
        x *= sign;
        double e = exp(-fabs(x)), r = sign * share * (x < 0 ? e : 1) / (1 + e);
        cost += fmax(x, 0.0) + log1p(e) + 0 * x; /* NaN stays NaN */
        sum += r;
        a.r[i] = (float)r;
    }
    leave_sums(partial, cost, sum);
}

/* q from the sums of the two kinds of rows, and what follows it: the sum of r. */
__global__ static void end_agreement(struct agreement a, unsigned pieces, const float *partial,
                                     const double *costs, unsigned blocks,
                                     struct cuda_results *results)
{
    for (int64_t j = threadIdx.x; j < a.d; j += BLOCK) {
        double total = 0;
        for (unsigned piece = 0; piece < pieces; piece++)
            total += (double)partial[piece * a.d + j];
        a.q[j] = (float)total;
    }
    double2 total = totals_of(costs, blocks);
    if (threadIdx.x > 0)
        return;
    a.q[a.d] = (float)total.y;
    results->loss = total.x / (double)(a.positives + a.negatives);
}

graco_status cuda_agree(struct context *c, struct agreement *a)
{
    struct cuda_scratch scratch(c);
    struct cuda_state *s = state_of(c);
    unsigned blocks = blocks_striding(s, a->positives + a->negatives, BLOCK_WARPS);
    unsigned first = sum_pieces_of(a->positives), second = sum_pieces_of(a->negatives);
    unsigned columns = blocks_for(a->d, SUM_COLS);
    double *costs = NULL;
    float *partial = NULL;
    PASS(scratch_take(&scratch, &costs, 2 * (int64_t)blocks, sizeof(double)));
    PASS(scratch_take(&scratch, &partial, (first + second) * a->d, sizeof(float)));
    agree_rows<<<blocks, BLOCK, 0, s->stream>>>(*a, costs);
    sum_columns<<<dim3(columns, first), dim3(SUM_COLS, SUM_ROWS), 0, s->stream>>>(
        a->positives, a->d, a->H, a->r, partial);
    sum_columns<<<dim3(columns, second), dim3(SUM_COLS, SUM_ROWS), 0, s->stream>>>(
        a->negatives, a->d, a->G, a->r + a->positives, partial + first * a->d);
    end_agreement<<<1, BLOCK, 0, s->stream>>>(*a, first + second, partial, costs, blocks,
                                              s->results);
    PASS_LAUNCH("the loss of an agreement");
    cuda_ask(s, {NULL, NULL, &a->loss});
    return GRACO_OK;
}

template <int wide>
__global__ static void __launch_bounds__(BLOCK)
    agree_rows_back(struct agreement a, float *dH, float *dG)
{
    int64_t rows = a.positives + a.negatives, warps = (int64_t)gridDim.x * BLOCK_WARPS;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP; i < rows; i += warps) {
        bool positive = i < a.positives;
        float *dh = positive ? dH + i * a.d : dG + (i - a.positives) * a.d, r = a.r[i];
        float share = positive ? 1 / (float)a.positives : 0;
        for (int64_t j = threadIdx.x % WARP * wide; j < a.d; j += WARP * wide) {
            group<wide> out;
            for (int k = 0; k < wide; k++) {
                float s = a.s[j + k];
                out.x[k] = r * a.v[j + k] + a.ds[j + k] * s * (1 - s) * share;
            }
            *(group<wide> *)(dh + j) = out;
        }
    }
}

graco_status cuda_agree_backward(struct context *c, const struct agreement *a, float *dH, float *dG)
{
    const struct cuda_state *s = state_of(c);
    unsigned blocks = blocks_striding(s, a->positives + a->negatives, BLOCK_WARPS);
    (a->d % 4 == 0 ? agree_rows_back<4>
                   : agree_rows_back<1>)<<<blocks, BLOCK, 0, s->stream>>>(*a, dH, dG);
    PASS_LAUNCH("the gradient of an agreement");
    return GRACO_OK;
}

/* ---- The order of a view's rows -------------------------------------------------------------- */

__global__ static void draw_order(struct random_key key, const uint32_t *later, int64_t n,
                                  int32_t *order, int32_t *place)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t words[PERMUTATION_ROUNDS];
    if (i >= n)
        return;
    for (int block = 0; block < PERMUTATION_ROUNDS / 4; block++)
        device_random_block(words + 4 * block, key_now(key, later), (uint64_t)block);
    int64_t row = permutation_at(words, permutation_bits(n), n, i);
    order[i] = (int32_t)row;
    place[row] = (int32_t)i;
}

graco_status cuda_draw_order(struct context *c, const struct random_key *key, int64_t n,
                             int32_t *order, int32_t *place)
{
    draw_order<<<blocks_for(n, BLOCK), BLOCK, 0, state_of(c)->stream>>>(*key, state_of(c)->later, n,
                                                                        order, place);
    PASS_LAUNCH("drawing an order");
    return GRACO_OK;
}
