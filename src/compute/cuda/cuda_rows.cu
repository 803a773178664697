/* Activations, normalisation and gathering: row by row. Gradients of biases and slopes are sums
 * over all rows: each piece of rows sums its own, and a second kernel adds the pieces in order. */
#include "compute/cuda/cuda_activation.cuh"

enum {
    SUM_COLS = 8,
    SUM_ROWS = 64,
    PIECE_STEPS_MAX = 8,
};

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
    cut.steps = cut.steps < 1 ? 1 : least(cut.steps, PIECE_STEPS_MAX);
    cut.blocks.x = blocks_for(a->rows, cut.steps * cut.threads.y);
    return cut;
}

template <int wide>
__global__ static void __launch_bounds__(BLOCK)
    activate(struct activation a, const uint32_t *later, int64_t steps, float *Y, const float *X)
{
    int64_t col = ((int64_t)blockIdx.y * blockDim.x + threadIdx.x) * wide;
    int64_t first = block_from_end() * steps * blockDim.y + threadIdx.y;
    if (col >= a.cols)
        return;
    a.key = key_now(a.key, later);
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
        for (int j = 0; j < wide; j++)
            g.x[j] = activated(a, g.x[j] + bias[j], i + j);
        *(group<wide> *)(Y + i) = g;
    }
}

graco_status cuda_activate(struct context *c, const struct activation *a, float *Y, const float *X)
{
    const struct cuda_state *s = state_of(c);
    struct cut cut = cut_of(s, a);
    (cut.wide == 4 ? activate<4> : activate<1>)<<<cut.blocks, cut.threads, 0, s->stream>>>(
        *a, s->later, cut.steps, Y, X);
    PASS_LAUNCH("an activation");
    return GRACO_OK;
}

struct activate_gradients {
    float *dX;         /* (rows, cols) */
    const float *dY;   /* (rows, cols); may be dX */
    const float *seen; /* (rows, cols) what the forward kernel left */
    float *biases;     /* (pieces, cols) each piece's sums, or NULL: not wanted */
    double *slopes;    /* (blocks) each block's, or NULL */
};

template <int wide>
__global__ static void __launch_bounds__(BLOCK)
    activate_back(struct activation a, const uint32_t *later, int64_t steps,
                  struct activate_gradients g)
{
    __shared__ float sums[BLOCK * wide];
    __shared__ double room[BLOCK_WARPS];
    int64_t col = ((int64_t)blockIdx.y * blockDim.x + threadIdx.x) * wide;
    int64_t first = block_from_end() * steps * blockDim.y + threadIdx.y;
    bool inside = col < a.cols;
    float bias[wide], sum[wide] = {0};
    double dslope = 0;
    a.key = key_now(a.key, later);
    for (int j = 0; j < wide; j++)
        bias[j] = inside && a.kind == ACTIVATION_PRELU && a.bias ? a.bias[col + j] : 0;
    for (int64_t k = 0; k < steps; k++) {
        int64_t row = first + k * blockDim.y, i = row * a.cols + col;
        if (!inside || row >= a.rows)
            break;
        group<wide> d = *(const group<wide> *)(g.dY + i), x = *(const group<wide> *)(g.seen + i);
#pragma unroll
        for (int j = 0; j < wide; j++) {
            x.x[j] += bias[j];
            if (a.kind == ACTIVATION_SIGMOID) {
                d.x[j] *= x.x[j] * (1 - x.x[j]);
            } else if (x.x[j] <= 0) {
                dslope += (double)(x.x[j] * d.x[j]);
                d.x[j] *= a.kind == ACTIVATION_ELU ? x.x[j] + 1 : slope_of(a, i + j);
            }
            sum[j] += d.x[j];
        }
        *(group<wide> *)(g.dX + i) = d;
    }
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    for (int j = 0; j < wide; j++)
        sums[thread * wide + j] = sum[j];
    __syncthreads();
    int width = blockDim.x * wide;
    int64_t at = (int64_t)blockIdx.y * width + thread;
    for (int j = thread; g.biases && j < width && at < a.cols; j += BLOCK, at += BLOCK) {
        float total = 0;
        for (int k = 0; k < (int)blockDim.y; k++)
            total += sums[k * width + j];
        g.biases[blockIdx.x * a.cols + at] = total;
    }
    if (!g.slopes)
        return;
    dslope = warp_sum(dslope);
    if (thread % WARP == 0)
        room[thread / WARP] = dslope;
    __syncthreads();
    if (thread == 0) {
        for (int k = 1; k < BLOCK_WARPS; k++)
            dslope += room[k];
        g.slopes[(int64_t)blockIdx.y * gridDim.x + blockIdx.x] = dslope;
    }
}

/* out[j] += sum over the pieces, in a fixed order. */
__global__ static void __launch_bounds__(SUM_COLS *SUM_ROWS)
    sum_pieces(float *out, const float *partial, int64_t pieces, int64_t cols)
{
    __shared__ double sums[SUM_ROWS][SUM_COLS];
    int64_t col = (int64_t)blockIdx.x * SUM_COLS + threadIdx.x;
    double total = 0;
#pragma unroll 4
    for (int64_t piece = threadIdx.y; piece < (col < cols ? pieces : 0); piece += SUM_ROWS)
        total += (double)partial[piece * cols + col];
    sums[threadIdx.y][threadIdx.x] = total;
    for (int half = SUM_ROWS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.y < half)
            sums[threadIdx.y][threadIdx.x] += sums[threadIdx.y + half][threadIdx.x];
    }
    if (threadIdx.y == 0 && col < cols)
        out[col] = (float)((double)out[col] + sums[0][threadIdx.x]);
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

graco_status cuda_activate_backward(struct context *c, const struct activation *a, float *dX,
                                    const float *dY, const float *Y, float *dbias, float *dslope)
{
    struct cuda_scratch scratch(c);
    const struct cuda_state *s = state_of(c);
    struct activate_gradients g = {dX, dY, Y, NULL, NULL};
    struct cut cut = cut_of(s, a);
    int64_t blocks = (int64_t)cut.blocks.x * cut.blocks.y;
    if (dbias)
        PASS(scratch_take(&scratch, &g.biases, cut.blocks.x * a->cols, sizeof(float)));
    if (dslope)
        PASS(scratch_take(&scratch, &g.slopes, blocks, sizeof(double)));
    (cut.wide == 4
         ? activate_back<4>
         : activate_back<1>)<<<cut.blocks, cut.threads, 0, s->stream>>>(*a, s->later, cut.steps, g);
    PASS(context_turn(c, TURN_ASIDE));
    if (dbias)
        sum_pieces<<<blocks_for(a->cols, SUM_COLS), dim3(SUM_COLS, SUM_ROWS), 0, s->stream>>>(
            dbias, g.biases, cut.blocks.x, a->cols);
    if (dslope)
        sum_slopes<<<1, BLOCK, 0, s->stream>>>(dslope, g.slopes, blocks);
    PASS_LAUNCH("the gradient of an activation");
    return context_turn(c, TURN_BACK);
}

/* ---- Normalisation: a warp per row ----------------------------------------------------------- */

/* Whether rows and bias can be read four numbers at a time: they begin at multiples of 16 bytes. */
static bool by_fours(int64_t cols, const float *bias)
{
    return cols % 4 == 0 && (uintptr_t)bias % 16 == 0;
}

template <int wide>
__global__ static void __launch_bounds__(BLOCK)
    normalise(int64_t rows, int64_t cols, float *X, const float *bias, float *norm)
{
    int64_t row = block_from_end() * BLOCK_WARPS + threadIdx.x / WARP;
    int lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    group<wide> *x = (group<wide> *)(X + row * cols);
    const group<wide> *b = (const group<wide> *)bias;
    double square = 0;
    for (int64_t j = lane; j < cols / wide; j += WARP) {
        group<wide> g = x[j];
        float part = 0;
        for (int k = 0; k < wide; k++) {
            g.x[k] += b ? b[j].x[k] : 0;
            part += g.x[k] * g.x[k];
        }
        square += (double)part;
    }
    double length = fmax(sqrt(warp_sum(square)), 1e-12);
    float inverse = (float)(1 / length);
    if (lane == 0)
        norm[row] = (float)length;
    for (int64_t j = lane; j < cols / wide; j += WARP) {
        group<wide> g = x[j];
        for (int k = 0; k < wide; k++)
            g.x[k] = (g.x[k] + (b ? b[j].x[k] : 0)) * inverse;
        x[j] = g;
    }
}

graco_status cuda_normalise(struct context *c, int64_t rows, int64_t cols, float *X,
                            const float *bias, float *norm)
{
    (by_fours(cols, bias)
         ? normalise<4>
         : normalise<1>)<<<blocks_for(rows, BLOCK_WARPS), BLOCK, 0, state_of(c)->stream>>>(
        rows, cols, X, bias, norm);
    PASS_LAUNCH("normalising rows");
    return GRACO_OK;
}

/* Warps take rows in turn. Where sums of columns are wanted, each warp has its own in
 * shared memory, and the block adds them up into biases (blocks, cols). */
template <int wide>
__global__ static void __launch_bounds__(BLOCK)
    normalise_back(int64_t rows, int64_t cols, float *dZ, const float *Z, const float *norm,
                   float *biases)
{
    extern __shared__ __align__(16) float room[];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    group<wide> *sums = (group<wide> *)(room + warp * cols);
    for (int64_t j = lane; biases && j < cols / wide; j += WARP)
        sums[j] = group<wide>{};
    for (int64_t row = (int64_t)blockIdx.x * warps + warp; row < rows;
         row += (int64_t)gridDim.x * warps) {
        group<wide> *dz = (group<wide> *)(dZ + row * cols);
        const group<wide> *z = (const group<wide> *)(Z + row * cols);
        float along = (float)warp_dot(Z + row * cols, dZ + row * cols, cols);
        float inverse = 1 / norm[row];
        for (int64_t j = lane; j < cols / wide; j += WARP) {
            group<wide> d = dz[j], g = z[j], sum = biases ? sums[j] : d;
            for (int k = 0; k < wide; k++) {
                d.x[k] = (d.x[k] - g.x[k] * along) * inverse;
                sum.x[k] += d.x[k];
            }
            dz[j] = d;
            if (biases)
                sums[j] = sum;
        }
    }
    if (!biases)
        return;
    __syncthreads();
    for (int64_t j = threadIdx.x; j < cols; j += blockDim.x) {
        float total = 0;
        for (int k = 0; k < warps; k++)
            total += room[k * cols + j];
        biases[blockIdx.x * cols + j] = total;
    }
}

/* Where rows are too wide for sums in shared memory, every row is a piece of its own: sum_pieces
 * adds up dZ itself. */
graco_status cuda_normalise_backward(struct context *c, int64_t rows, int64_t cols, float *dZ,
                                     const float *Z, const float *norm, float *dbias)
{
    struct cuda_scratch scratch(c);
    const struct cuda_state *s = state_of(c);
    int64_t fit = SHARED_BYTES / (cols * (int64_t)sizeof(float));
    bool sums = dbias && fit > 0;
    int64_t warps = sums ? least(fit, BLOCK_WARPS) : (int64_t)BLOCK_WARPS;
    unsigned blocks = (unsigned)least(blocks_for(rows, warps), 6 * (int64_t)s->processors);
    size_t shared = sums ? (size_t)(warps * cols) * sizeof(float) : 0;
    float *biases = NULL;
    if (sums)
        PASS(scratch_take(&scratch, &biases, blocks * cols, sizeof(float)));
    (by_fours(cols, NULL)
         ? normalise_back<4>
         : normalise_back<1>)<<<blocks, (unsigned)warps * WARP, shared, s->stream>>>(
        rows, cols, dZ, Z, norm, biases);
    /* Without sums it reads dZ, which goes on changing. */
    PASS(context_turn(c, sums ? TURN_ASIDE : TURN_JOIN));
    if (dbias)
        sum_pieces<<<blocks_for(cols, SUM_COLS), dim3(SUM_COLS, SUM_ROWS), 0, s->stream>>>(
            dbias, sums ? biases : dZ, sums ? blocks : rows, cols);
    PASS_LAUNCH("the gradient of normalising");
    return context_turn(c, TURN_BACK);
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
