/* Operations over the sources of each target: a warp per row of the result, which goes through the
 * row's entries in order. */
#include "compute/cuda/cuda_device.cuh"

/* The warp's row; lanes take columns, heads or entries. */
__device__ static inline int64_t warp_row()
{
    return (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP;
}

__global__ static void __launch_bounds__(BLOCK)
    max_of(struct segments g, int64_t cols, float *Y, const float *X, int32_t *winner)
{
    int64_t t = warp_row();
    if (t >= g.entries.rows)
        return;
    int64_t start = g.entries.start[t], end = g.entries.start[t + 1];
    for (int64_t j = threadIdx.x % WARP; j < cols; j += WARP) {
        float most = 0;
        int32_t place = -1;
        for (int64_t e = start; e < end; e++) {
            float x = X[g.entries.index[e] * cols + j];
            if (e == start || x > most) {
                most = x;
                place = (int32_t)(e - start);
            }
        }
        Y[t * cols + j] = most;
        winner[t * cols + j] = place;
    }
}

graco_status cuda_segment_max(struct context *c, const struct segments *g, int64_t cols, float *Y,
                              const float *X, int32_t *winner)
{
    max_of<<<blocks_for(g->entries.rows, BLOCK_WARPS), BLOCK, 0, state_of(c)->stream>>>(*g, cols, Y,
                                                                                        X, winner);
    PASS_LAUNCH("the largest of segments");
    return GRACO_OK;
}

__global__ static void __launch_bounds__(BLOCK)
    max_back(struct segments g, int64_t cols, float *dX, const float *dY, const int32_t *winner,
             bool accumulate)
{
    int64_t s = warp_row();
    if (s >= g.transpose.rows)
        return;
    for (int64_t j = threadIdx.x % WARP; j < cols; j += WARP) {
        float total = accumulate ? dX[s * cols + j] : 0;
        for (int64_t k = g.transpose.start[s]; k < g.transpose.start[s + 1]; k++) {
            int64_t t = g.transpose.index[k];
            if (winner[t * cols + j] == (int64_t)g.from[k] - g.entries.start[t])
                total += dY[t * cols + j];
        }
        dX[s * cols + j] = total;
    }
}

graco_status cuda_segment_max_backward(struct context *c, const struct segments *g, int64_t cols,
                                       float *dX, const float *dY, const int32_t *winner,
                                       bool accumulate)
{
    max_back<<<blocks_for(g->transpose.rows, BLOCK_WARPS), BLOCK, 0, state_of(c)->stream>>>(
        *g, cols, dX, dY, winner, accumulate);
    PASS_LAUNCH("the gradient of the largest");
    return GRACO_OK;
}

/* A lane per head. */
__global__ static void __launch_bounds__(BLOCK)
    softmax_of(struct segments g, int64_t heads, float *S)
{
    int64_t t = warp_row();
    if (t >= g.entries.rows)
        return;
    int64_t start = g.entries.start[t], end = g.entries.start[t + 1];
    for (int64_t k = threadIdx.x % WARP; k < heads; k += WARP) {
        float most = -INFINITY;
        double total = 0;
        for (int64_t e = start; e < end; e++)
            most = fmaxf(most, S[e * heads + k]);
        for (int64_t e = start; e < end; e++) {
            float x = expf(S[e * heads + k] - most);
            S[e * heads + k] = x;
            total += (double)x;
        }
        for (int64_t e = start; e < end; e++)
            S[e * heads + k] *= (float)(1 / total);
    }
}

graco_status cuda_segment_softmax(struct context *c, const struct segments *g, int64_t heads,
                                  float *S)
{
    softmax_of<<<blocks_for(g->entries.rows, BLOCK_WARPS), BLOCK, 0, state_of(c)->stream>>>(
        *g, heads, S);
    PASS_LAUNCH("the softmax of segments");
    return GRACO_OK;
}

__global__ static void __launch_bounds__(BLOCK)
    softmax_back(struct segments g, int64_t heads, float *dW, const float *W)
{
    int64_t t = warp_row();
    if (t >= g.entries.rows)
        return;
    int64_t start = g.entries.start[t], end = g.entries.start[t + 1];
    for (int64_t k = threadIdx.x % WARP; k < heads; k += WARP) {
        double along = 0;
        for (int64_t e = start; e < end; e++)
            along += (double)(W[e * heads + k] * dW[e * heads + k]);
        for (int64_t e = start; e < end; e++)
            dW[e * heads + k] = W[e * heads + k] * (dW[e * heads + k] - (float)along);
    }
}

graco_status cuda_segment_softmax_backward(struct context *c, const struct segments *g,
                                           int64_t heads, float *dW, const float *W)
{
    softmax_back<<<blocks_for(g->entries.rows, BLOCK_WARPS), BLOCK, 0, state_of(c)->stream>>>(
        *g, heads, dW, W);
    PASS_LAUNCH("the gradient of a softmax");
    return GRACO_OK;
}

/* What the kernels of heads get: a host's pointer to segments means nothing on the device. */
struct headed {
    struct segments g;
    int64_t heads, width;
    float scale;
};

static struct headed headed_of(const struct segment_heads *h)
{
    return {*h->segments, h->heads, h->width, (float)h->scale};
}

/* A lane per entry and head. */
__global__ static void __launch_bounds__(BLOCK)
    dots_of(struct headed h, float *S, const float *A, const float *B, bool accumulate)
{
    int64_t t = warp_row(), cols = h.heads * h.width;
    if (t >= h.g.entries.rows)
        return;
    int64_t end = h.g.entries.start[t + 1] * h.heads;
    for (int64_t i = h.g.entries.start[t] * h.heads + threadIdx.x % WARP; i < end; i += WARP) {
        int64_t first = i % h.heads * h.width;
        const float *a = A + t * cols + first;
        const float *b = B + h.g.entries.index[i / h.heads] * cols + first;
        float total = 0;
        for (int64_t j = 0; j < h.width; j++)
            total += a[j] * b[j];
        S[i] = (accumulate ? S[i] : 0) + h.scale * total;
    }
}

graco_status cuda_segment_dot(struct context *c, const struct segment_heads *h, float *S,
                              const float *A, const float *B, bool accumulate)
{
    unsigned blocks = blocks_for(h->segments->entries.rows, BLOCK_WARPS);
    dots_of<<<blocks, BLOCK, 0, state_of(c)->stream>>>(headed_of(h), S, A, B, accumulate);
    PASS_LAUNCH("products of targets and sources");
    return GRACO_OK;
}

template <bool turned>
__global__ static void __launch_bounds__(BLOCK)
    sums_of(struct headed h, float *Y, const float *W, const float *X, bool accumulate)
{
    const struct csr &rows = turned ? h.g.transpose : h.g.entries;
    int64_t row = warp_row(), cols = h.heads * h.width;
    if (row >= rows.rows)
        return;
    for (int64_t j = threadIdx.x % WARP; j < cols; j += WARP) {
        int64_t head = j / h.width;
        float total = 0;
        for (int64_t e = rows.start[row]; e < rows.start[row + 1]; e++) {
            int64_t entry = turned ? (int64_t)h.g.from[e] : e;
            total += W[entry * h.heads + head] * X[rows.index[e] * cols + j];
        }
        Y[row * cols + j] = (accumulate ? Y[row * cols + j] : 0) + h.scale * total;
    }
}

graco_status cuda_segment_sum(struct context *c, const struct segment_heads *h, float *Y,
                              const float *W, const float *X, bool turned, bool accumulate)
{
    const struct csr *rows = turned ? &h->segments->transpose : &h->segments->entries;
    (turned
         ? sums_of<true>
         : sums_of<false>)<<<blocks_for(rows->rows, BLOCK_WARPS), BLOCK, 0, state_of(c)->stream>>>(
        headed_of(h), Y, W, X, accumulate);
    PASS_LAUNCH("sums over sources");
    return GRACO_OK;
}
