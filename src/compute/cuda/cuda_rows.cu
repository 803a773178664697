/* Activations, normalisation and gathering: row by row. Gradients of biases and slopes are sums
 * over all rows; each piece of rows sums its own, and a second kernel adds the pieces in order. */
#include "compute/cuda/cuda_device.cuh"

enum { SUM_COLS = 32, SUM_ROWS = 32, PIECE_STEPS_MIN = 4, PIECE_STEPS_MAX = 32 };

__device__ static inline float slope_of(const struct activation &a, int64_t element)
{
    switch (a.kind) {
    case ACTIVATION_NONE:
        return 1;
    case ACTIVATION_PRELU:
        return a.slope[0];
    case ACTIVATION_RRELU:
        if (!a.training)
            return 11.0f / 48;
        if (a.slope)
            return a.slope[element];
        return 1.0f / 8 + (1.0f / 3 - 1.0f / 8) * device_random_float(a.key, (uint64_t)element);
    default:
        return 0;
    }
}

/* How an activation is cut: a block has blockDim.x groups of `wide` columns and a piece of rows,
 * each thread `steps` of them, blockDim.y apart. */
struct cut {
    int wide;
    int64_t steps;
    dim3 threads, blocks;
};

static struct cut cut_of(const struct cuda_state *s, const struct activation *a)
{
    struct cut cut = {a->cols % 4 == 0 ? 4 : 1, 0, dim3(8), dim3()};
    int64_t groups = a->cols / cut.wide;
    while (cut.threads.x < 64 && (int64_t)cut.threads.x < groups)
        cut.threads.x *= 2;
    cut.threads.y = BLOCK / cut.threads.x;
    cut.blocks.y = blocks_for(groups, cut.threads.x);
    cut.steps = a->rows * cut.blocks.y / (4 * s->processors * (int64_t)cut.threads.y);
    cut.steps =
        least(cut.steps < PIECE_STEPS_MIN ? (int64_t)PIECE_STEPS_MIN : cut.steps, PIECE_STEPS_MAX);
    cut.blocks.x = blocks_for(a->rows, cut.steps * cut.threads.y);
    return cut;
}

template <int wide>
__global__ static void __launch_bounds__(BLOCK)
    activate(struct activation a, const uint32_t *late, int64_t steps, float *Y, const float *X)
{
    int64_t col = ((int64_t)blockIdx.y * blockDim.x + threadIdx.x) * wide;
    int64_t first = (int64_t)blockIdx.x * steps * blockDim.y + threadIdx.y;
    if (col >= a.cols)
        return;
    a.key = key_now(a.key, late);
    float bias[wide];
    for (int j = 0; j < wide; j++)
        bias[j] = a.bias ? a.bias[col + j] : 0;
#pragma unroll 4
    for (int64_t k = 0; k < steps; k++) {
        int64_t row = first + k * blockDim.y, i = row * a.cols + col;
        if (row >= a.rows)
            return;
        group<wide> g = *(const group<wide> *)(X + i);
#pragma unroll
        for (int j = 0; j < wide; j++) {
            g.x[j] += bias[j];
            if (g.x[j] <= 0)
                g.x[j] = a.kind == ACTIVATION_ELU ? expm1f(g.x[j]) : slope_of(a, i + j) * g.x[j];
        }
        *(group<wide> *)(Y + i) = g;
    }
}

graco_status cuda_activate(struct context *c, const struct activation *a, float *Y, const float *X)
{
    const struct cuda_state *s = state_of(c);
    struct cut cut = cut_of(s, a);
    (cut.wide == 4 ? activate<4> : activate<1>)<<<cut.blocks, cut.threads, 0, s->stream>>>(
        *a, s->late, cut.steps, Y, X);
    PASS_LAUNCH("an activation");
    return GRACO_OK;
}

/* dX, and the piece's sums for biases (pieces, cols) and slope (blocks), where they are wanted. */
template <int wide>
__global__ static void __launch_bounds__(BLOCK)
    activate_back(struct activation a, const uint32_t *late, int64_t steps, float *dX,
                  const float *dY, const float *seen, float *biases, double *slopes)
{
    __shared__ float sums[BLOCK * wide];
    __shared__ double room[BLOCK_WARPS];
    int64_t col = ((int64_t)blockIdx.y * blockDim.x + threadIdx.x) * wide;
    int64_t first = (int64_t)blockIdx.x * steps * blockDim.y + threadIdx.y;
    bool inside = col < a.cols;
    float bias[wide], sum[wide] = {0};
    double dslope = 0;
    a.key = key_now(a.key, late);
    for (int j = 0; j < wide; j++)
        bias[j] = inside && a.kind == ACTIVATION_PRELU && a.bias ? a.bias[col + j] : 0;
#pragma unroll 4
    for (int64_t k = 0; k < steps; k++) {
        int64_t row = first + k * blockDim.y, i = row * a.cols + col;
        if (!inside || row >= a.rows)
            break;
        group<wide> d = *(const group<wide> *)(dY + i);
        if (a.kind == ACTIVATION_NONE) {
            for (int j = 0; j < wide; j++)
                sum[j] += d.x[j];
            if (dX != dY)
                *(group<wide> *)(dX + i) = d;
            continue;
        }
        group<wide> x = *(const group<wide> *)(seen + i);
#pragma unroll
        for (int j = 0; j < wide; j++) {
            x.x[j] += bias[j];
            if (x.x[j] <= 0) {
                dslope += (double)(x.x[j] * d.x[j]);
                d.x[j] *= a.kind == ACTIVATION_ELU ? x.x[j] + 1 : slope_of(a, i + j);
            }
            sum[j] += d.x[j];
        }
        *(group<wide> *)(dX + i) = d;
    }
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    for (int j = 0; j < wide; j++)
        sums[thread * wide + j] = sum[j];
    __syncthreads();
    int width = blockDim.x * wide;
    int64_t at = (int64_t)blockIdx.y * width + thread;
    for (int j = thread; biases && j < width && at < a.cols; j += BLOCK, at += BLOCK) {
        float total = 0;
        for (int k = 0; k < (int)blockDim.y; k++)
            total += sums[k * width + j];
        biases[blockIdx.x * a.cols + at] = total;
    }
    if (!slopes)
        return;
    dslope = warp_sum(dslope);
    if (thread % WARP == 0)
        room[thread / WARP] = dslope;
    __syncthreads();
    if (thread == 0) {
        for (int k = 1; k < BLOCK_WARPS; k++)
            dslope += room[k];
        slopes[(int64_t)blockIdx.y * gridDim.x + blockIdx.x] = dslope;
    }
}

/* out[j] += sum over the pieces, in a fixed order. */
__global__ static void sum_pieces(float *out, const float *partial, int64_t pieces, int64_t cols)
{
    __shared__ double sums[SUM_ROWS][SUM_COLS];
    int64_t col = (int64_t)blockIdx.x * SUM_COLS + threadIdx.x;
    double total = 0;
    for (int64_t piece = threadIdx.y; col < cols && piece < pieces; piece += SUM_ROWS)
        total += (double)partial[piece * cols + col];
    sums[threadIdx.y][threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.y > 0 || col >= cols)
        return;
    for (int k = 1; k < SUM_ROWS; k++)
        total += sums[k][threadIdx.x];
    out[col] = (float)((double)out[col] + total);
}

__global__ static void sum_slopes(float *out, const double *partial, int64_t count)
{
    __shared__ double room[BLOCK_WARPS];
    double total = 0;
    for (int64_t i = threadIdx.x; i < count; i += BLOCK)
        total += partial[i];
    total = block_sum(total, room);
    if (threadIdx.x == 0)
        *out = (float)((double)*out + total);
}

static graco_status run_back(struct cuda_scratch *scratch, const struct activation *a, float *dX,
                             const float *dY, const float *Y, float *dbias, float *dslope)
{
    const struct cuda_state *s = state_of(scratch->context);
    struct cut cut = cut_of(s, a);
    float *biases = NULL;
    double *slopes = NULL;
    int64_t blocks = (int64_t)cut.blocks.x * cut.blocks.y;
    if (dbias)
        PASS(scratch_take(scratch, &biases, cut.blocks.x * a->cols, sizeof(float)));
    if (dslope)
        PASS(scratch_take(scratch, &slopes, blocks, sizeof(double)));
    (cut.wide == 4 ? activate_back<4>
                   : activate_back<1>)<<<cut.blocks, cut.threads, 0, s->stream>>>(
        *a, s->late, cut.steps, dX, dY, Y, biases, slopes);
    if (dbias)
        sum_pieces<<<blocks_for(a->cols, SUM_COLS), dim3(SUM_COLS, SUM_ROWS), 0, s->stream>>>(
            dbias, biases, cut.blocks.x, a->cols);
    if (dslope)
        sum_slopes<<<1, BLOCK, 0, s->stream>>>(dslope, slopes, blocks);
    PASS_LAUNCH("the gradient of an activation");
    return GRACO_OK;
}

graco_status cuda_activate_backward(struct context *c, const struct activation *a, float *dX,
                                    const float *dY, const float *Y, float *dbias, float *dslope)
{
    struct cuda_scratch scratch = {c, 0, {}};
    graco_status status = run_back(&scratch, a, dX, dY, Y, dbias, dslope);
    scratch_give(&scratch);
    return status;
}

/* A warp per row. */
__global__ static void normalise(int64_t rows, int64_t cols, float *X, float *norm)
{
    int64_t row = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP;
    if (row >= rows)
        return;
    float *x = X + row * cols;
    double length = fmax(sqrt(warp_dot(x, x, cols)), 1e-12);
    float inverse = (float)(1 / length);
    if (threadIdx.x % WARP == 0)
        norm[row] = (float)length;
    for (int64_t j = threadIdx.x % WARP; j < cols; j += WARP)
        x[j] *= inverse;
}

graco_status cuda_normalise(struct context *c, int64_t rows, int64_t cols, float *X, float *norm)
{
    normalise<<<blocks_for(rows, BLOCK_WARPS), BLOCK, 0, state_of(c)->stream>>>(rows, cols, X,
                                                                                norm);
    PASS_LAUNCH("normalising rows");
    return GRACO_OK;
}

__global__ static void normalise_back(int64_t rows, int64_t cols, float *dZ, const float *Z,
                                      const float *norm)
{
    int64_t row = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP;
    if (row >= rows)
        return;
    float *dz = dZ + row * cols;
    const float *z = Z + row * cols;
    float along = (float)warp_dot(z, dz, cols), inverse = 1 / norm[row];
    for (int64_t j = threadIdx.x % WARP; j < cols; j += WARP)
        dz[j] = (dz[j] - z[j] * along) * inverse;
}

graco_status cuda_normalise_backward(struct context *c, int64_t rows, int64_t cols, float *dZ,
                                     const float *Z, const float *norm)
{
    normalise_back<<<blocks_for(rows, BLOCK_WARPS), BLOCK, 0, state_of(c)->stream>>>(rows, cols, dZ,
                                                                                     Z, norm);
    PASS_LAUNCH("the gradient of normalising");
    return GRACO_OK;
}

/* A warp per row, whose lanes copy groups of `wide` columns. */
template <int wide>
__global__ static void __launch_bounds__(BLOCK)
    gather(int64_t rows, int64_t cols, float *Y, const float *X, const int32_t *index)
{
    int64_t row = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP;
    if (row >= rows)
        return;
    const float *x = X + index[row] * cols;
    float *y = Y + row * cols;
#pragma unroll 4
    for (int64_t j = threadIdx.x % WARP * wide; j < cols; j += WARP * wide)
        *(group<wide> *)(y + j) = *(const group<wide> *)(x + j);
}

graco_status cuda_gather(struct context *c, int64_t rows, int64_t cols, float *Y, const float *X,
                         const int32_t *index)
{
    uintptr_t odd = (uintptr_t)X | (uintptr_t)Y | (uintptr_t)cols * sizeof(float);
    (odd % 16 == 0  ? gather<4>
     : odd % 8 == 0 ? gather<2>
                    : gather<1>)<<<blocks_for(rows, BLOCK_WARPS), BLOCK, 0, state_of(c)->stream>>>(
        rows, cols, Y, X, index);
    PASS_LAUNCH("gathering rows");
    return GRACO_OK;
}
