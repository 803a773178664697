/* Activations and normalisation: row by row. Gradients of biases and slopes are sums over all rows;
 * each piece of rows sums its own, and a second kernel adds the pieces in order. */
#include "compute/cuda/cuda_device.cuh"

enum { TILE_COLS = 64, TILE_ROWS = 4, PIECE_ROWS = 128, SUM_COLS = 32, SUM_ROWS = 8 };

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

/* A block has TILE_COLS columns of PIECE_ROWS rows. */
__global__ static void activate(struct activation a, const uint32_t *late, float *Y, const float *X)
{
    a.key = key_now(a.key, late);
    int64_t col = (int64_t)blockIdx.y * TILE_COLS + threadIdx.x;
    int64_t first = (int64_t)blockIdx.x * PIECE_ROWS;
    if (col >= a.cols)
        return;
    float bias = a.bias ? a.bias[col] : 0;
    for (int64_t row = first + threadIdx.y; row < a.rows && row < first + PIECE_ROWS;
         row += TILE_ROWS) {
        int64_t i = row * a.cols + col;
        float x = X[i] + bias;
        if (x <= 0)
            x = a.kind == ACTIVATION_ELU ? expm1f(x) : slope_of(a, i) * x;
        Y[i] = x;
    }
}

static dim3 tiles_of(const struct activation *a)
{
    return dim3(blocks_for(a->rows, PIECE_ROWS), blocks_for(a->cols, TILE_COLS));
}

graco_status cuda_activate(struct context *c, const struct activation *a, float *Y, const float *X)
{
    activate<<<tiles_of(a), dim3(TILE_COLS, TILE_ROWS), 0, state_of(c)->stream>>>(
        *a, state_of(c)->late, Y, X);
    PASS_LAUNCH("an activation");
    return GRACO_OK;
}

/* dX, and the piece's sums for biases (pieces, cols) and slope (blocks), where they are wanted. */
__global__ static void activate_back(struct activation a, const uint32_t *late, float *dX,
                                     const float *dY, const float *seen, float *biases,
                                     double *slopes)
{
    __shared__ float sums[TILE_ROWS][TILE_COLS];
    __shared__ double room[BLOCK_WARPS];
    int64_t col = (int64_t)blockIdx.y * TILE_COLS + threadIdx.x;
    int64_t first = (int64_t)blockIdx.x * PIECE_ROWS;
    bool inside = col < a.cols;
    a.key = key_now(a.key, late);
    float bias = inside && a.kind == ACTIVATION_PRELU && a.bias ? a.bias[col] : 0, sum = 0;
    double dslope = 0;
    for (int64_t row = first + threadIdx.y; inside && row < a.rows && row < first + PIECE_ROWS;
         row += TILE_ROWS) {
        int64_t i = row * a.cols + col;
        float x = seen[i] + bias, d = dY[i];
        if (x <= 0) {
            dslope += (double)(x * d);
            d *= a.kind == ACTIVATION_ELU ? x + 1 : slope_of(a, i);
        }
        dX[i] = d;
        sum += d;
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (biases && inside && threadIdx.y == 0) {
        for (int k = 1; k < TILE_ROWS; k++)
            sum += sums[k][threadIdx.x];
        biases[blockIdx.x * a.cols + col] = sum;
    }
    if (!slopes)
        return;
    int thread = threadIdx.y * TILE_COLS + threadIdx.x;
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
    const struct cuda_state *state = state_of(scratch->context);
    cudaStream_t stream = state->stream;
    dim3 tiles = tiles_of(a);
    float *biases = NULL;
    double *slopes = NULL;
    if (dbias)
        PASS(scratch_take(scratch, &biases, tiles.x * a->cols, sizeof(float)));
    if (dslope)
        PASS(scratch_take(scratch, &slopes, (int64_t)tiles.x * tiles.y, sizeof(double)));
    activate_back<<<tiles, dim3(TILE_COLS, TILE_ROWS), 0, stream>>>(*a, state->late, dX, dY, Y,
                                                                    biases, slopes);
    if (dbias)
        sum_pieces<<<blocks_for(a->cols, SUM_COLS), dim3(SUM_COLS, SUM_ROWS), 0, stream>>>(
            dbias, biases, tiles.x, a->cols);
    if (dslope)
        sum_slopes<<<1, BLOCK, 0, stream>>>(dslope, slopes, (int64_t)tiles.x * tiles.y);
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
