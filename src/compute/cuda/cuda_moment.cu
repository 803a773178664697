/* The moment objective, O(N (d^2 + m d)); docs/math.md derives it, and cpu_moment.c is laid out
 * alike. Products are cuBLAS's; one warp per row does the rest. Coefficients are fitted on the
 * device, so that nothing waits for the host between the passes. */
#include "compute/cuda/cuda_device.cuh"

#include <assert.h>
#include <string.h>

enum {
    FIT_SUMS = 8,
    CHUNK_ROWS = 16384, /* rows worked off at once where products are not kept */
    SUM_COLS = 32,
    SUM_ROWS = 8,
    PIECE_ROWS = 512, /* rows that one block sums */
};

/* What the kernels of both passes read. */
struct work {
    struct moment spec; /* its sample is the device's copy */
    int64_t rows;
    int64_t chunk;  /* rows of X and T */
    int32_t *where; /* (rows) the row's place in the sample, or -1 */
    float *sampled; /* (m, d) the sampled rows */
    float *X;       /* (chunk, m) cosines with the sampled rows */
    float *T;       /* (chunk, d) rows times M */
    double *row;    /* (rows, 6): z.s, z'Mz, positive, and sums of e, x, x^2 over the sample */
    float *weight;  /* (rows): 1 / D where not floored, else 0 */
};

/* ---- Shared by the passes -------------------------------------------------------------------- */

__global__ static void gather_sample(struct moment s, float *sampled, int32_t *where)
{
    const float *z = s.Z + s.sample[blockIdx.x] * s.d;
    if (threadIdx.x == 0)
        where[s.sample[blockIdx.x]] = (int32_t)blockIdx.x;
    for (int64_t j = threadIdx.x; j < s.d; j += blockDim.x)
        sampled[blockIdx.x * s.d + j] = z[j];
}

/* Through pinned memory: a recording copies from there whenever it is replayed. */
static graco_status upload_sample(struct context *c, int32_t *to, const struct moment *s)
{
    struct cuda_state *state = state_of(c);
    size_t bytes = (size_t)s->samples * sizeof(int32_t);
    assert(s->samples <= SAMPLES);
    if (!state->sample)
        PASS(cuda_check(cudaMallocHost((void **)&state->sample, SAMPLES * sizeof(int32_t)),
                        "allocating pinned memory"));
    memcpy(state->sample, s->sample, bytes);
    return c->backend->upload(c, to, state->sample, bytes);
}

static graco_status open_work(struct cuda_scratch *scratch, struct work *w, const struct moment *s)
{
    struct context *c = scratch->context;
    int64_t m = s->samples, d = s->d;
    int32_t *sample = NULL;
    w->spec = *s;
    w->rows = 2 * s->n;
    w->chunk = s->kept ? w->rows : least(w->rows, CHUNK_ROWS);
    w->X = s->kept;
    if (!s->kept)
        PASS(scratch_take(scratch, &w->X, w->chunk * (m + d), sizeof(float)));
    w->T = w->X + w->chunk * m;
    if (m == 0)
        return GRACO_OK;
    PASS(scratch_take(scratch, &sample, m, sizeof(int32_t)));
    PASS(upload_sample(c, sample, s));
    w->spec.sample = sample;
    PASS(scratch_take(scratch, &w->sampled, m * d, sizeof(float)));
    PASS(scratch_take(scratch, &w->where, w->rows, sizeof(int32_t)));
    PASS(cuda_check(
        cudaMemsetAsync(w->where, -1, (size_t)w->rows * sizeof(int32_t), state_of(c)->stream),
        "clearing memory"));
    gather_sample<<<(unsigned)m, 128, 0, state_of(c)->stream>>>(w->spec, w->sampled, w->where);
    PASS_LAUNCH("gathering the sample");
    return GRACO_OK;
}

static graco_status multiply(struct context *c, bool transpose_a, bool transpose_b, int64_t m,
                             int64_t n, int64_t k, const float *A, const float *B, float beta,
                             float *C)
{
    struct gemm g = {transpose_a, transpose_b,         m,    n, k, A, transpose_a ? m : k,
                     B,           transpose_b ? k : n, beta, C, n};
    return cuda_gemm(c, &g);
}

/* X and T of rows first .. first + count - 1. */
static graco_status find_products(struct context *c, const struct work *w, int64_t first,
                                  int64_t count)
{
    const struct moment *s = &w->spec;
    const float *Z = s->Z + first * s->d;
    if (s->samples > 0)
        PASS(multiply(c, false, true, count, s->samples, s->d, Z, w->sampled, 0, w->X));
    return multiply(c, false, false, count, s->d, s->d, Z, s->moments, 0, w->T);
}

/* Each piece's sums of columns of A (rows, cols), each row times its weight where there are. */
__global__ static void column_pieces(int64_t rows, int64_t cols, const float *A, double *partial)
{
    __shared__ double sums[SUM_ROWS][SUM_COLS];
    int64_t col = (int64_t)blockIdx.y * SUM_COLS + threadIdx.x;
    int64_t first = (int64_t)blockIdx.x * PIECE_ROWS;
    int64_t last = rows < first + PIECE_ROWS ? rows : first + PIECE_ROWS;
    double total = 0;
    for (int64_t i = first + threadIdx.y; col < cols && i < last; i += SUM_ROWS)
        total += (double)A[i * cols + col];
    sums[threadIdx.y][threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.y > 0 || col >= cols)
        return;
    for (int k = 1; k < SUM_ROWS; k++)
        total += sums[k][threadIdx.x];
    partial[blockIdx.x * cols + col] = total;
}

__global__ static void column_totals(int64_t pieces, int64_t cols, const double *partial,
                                     float *out)
{
    __shared__ double sums[SUM_ROWS][SUM_COLS];
    int64_t col = (int64_t)blockIdx.x * SUM_COLS + threadIdx.x;
    double total = 0;
    for (int64_t i = threadIdx.y; col < cols && i < pieces; i += SUM_ROWS)
        total += partial[i * cols + col];
    sums[threadIdx.y][threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.y > 0 || col >= cols)
        return;
    for (int k = 1; k < SUM_ROWS; k++)
        total += sums[k][threadIdx.x];
    out[col] = (float)total;
}

/* out (d + 1, d): A' Z and, last, the sum of A's rows; A is Z or Z with weighted rows. */
static graco_status find_moments(struct cuda_scratch *scratch, const struct work *w, const float *A,
                                 float *out)
{
    struct context *c = scratch->context;
    cudaStream_t stream = state_of(c)->stream;
    int64_t d = w->spec.d, pieces = blocks_for(w->rows, PIECE_ROWS);
    double *partial = NULL;
    dim3 threads(SUM_COLS, SUM_ROWS), blocks((unsigned)pieces, blocks_for(d, SUM_COLS));
    PASS(scratch_take(scratch, &partial, pieces * d, sizeof(double)));
    PASS(multiply(c, true, false, d, d, w->rows, A, w->spec.Z, 0, out));
    column_pieces<<<blocks, threads, 0, stream>>>(w->rows, d, A, partial);
    column_totals<<<blocks.y, threads, 0, stream>>>(pieces, d, partial, out + d * d);
    PASS_LAUNCH("the moments");
    return GRACO_OK;
}

__device__ static inline int64_t partner_of(const struct moment &s, int64_t row)
{
    return row < s.n ? row + s.n : row - s.n;
}

/* How many sampled rows row i is compared with: not with itself, not with its partner. */
__device__ static inline double terms_of(const struct work &w, int64_t i)
{
    return (double)(w.spec.samples - (w.where[i] >= 0) - (w.where[partner_of(w.spec, i)] >= 0));
}

/* ---- Forward --------------------------------------------------------------------------------- */

/* Adds one cosine to the fit's sums: e, x, x^2, x^3, x^4, e x, e x^2. */
__device__ static inline void add_powers(float sums[7], float x, float inverse_tau)
{
    float e = expf((x - 1) * inverse_tau), x2 = x * x;
    sums[0] += e;
    sums[1] += x;
    sums[2] += x2;
    sums[3] += x2 * x;
    sums[4] += x2 * x2;
    sums[5] += e * x;
    sums[6] += e * x2;
}

/* Each block's part of the fit's sums: terms, then add_powers'. */
__device__ static inline void store_fit(double fit[FIT_SUMS], double *out)
{
    __shared__ double room[BLOCK_WARPS];
    for (int k = 0; k < FIT_SUMS; k++) {
        double total = block_sum(fit[k], room);
        if (threadIdx.x == 0)
            out[blockIdx.x * FIT_SUMS + k] = total;
    }
}

/* A warp per row of a chunk, rows strided over warps. */
__global__ static void __launch_bounds__(BLOCK)
    forward_rows(struct work w, int64_t first, int64_t count, double *partial)
{
    const struct moment &s = w.spec;
    int lane = threadIdx.x % WARP;
    int64_t warps = (int64_t)gridDim.x * BLOCK_WARPS;
    float inverse_tau = (float)(1 / s.tau);
    double fit[FIT_SUMS] = {0};
    for (int64_t i = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP; i < count;
         i += warps) {
        int64_t row = first + i, other = partner_of(s, row);
        const float *z = s.Z + row * s.d, *x = w.X + i * s.samples;
        float sums[7] = {0};
        int64_t a = s.samples ? w.where[row] : -1, b = s.samples ? w.where[other] : -1;
        int64_t fours = s.samples % 4 == 0 ? s.samples / 4 : 0;
        for (int64_t k = lane; k < fours; k += WARP) {
            float4 four = ((const float4 *)x)[k];
            const float each[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (4 * k + j != a && 4 * k + j != b)
                    add_powers(sums, each[j], inverse_tau);
        }
        for (int64_t j = 4 * fours + lane; j < s.samples; j += WARP)
            if (j != a && j != b)
                add_powers(sums, x[j], inverse_tau);
        double values[6] = {warp_dot(z, s.moments + s.d * s.d, s.d),
                            warp_dot(z, w.T + i * s.d, s.d),
                            warp_dot(z, s.Z + other * s.d, s.d),
                            warp_sum((double)sums[0]),
                            warp_sum((double)sums[1]),
                            warp_sum((double)sums[2])};
        for (int k = 0; k < 7; k++)
            fit[1 + k] += (double)sums[k];
        if (lane > 0)
            continue;
        fit[0] += (double)(s.samples - (a >= 0) - (b >= 0));
        for (int k = 0; k < 6; k++)
            w.row[row * 6 + k] = values[k];
    }
    store_fit(fit, partial);
}

/* Without a sample the fit looks at random pairs, none of them a row with itself or its partner. */
__global__ static void random_pairs(struct moment s, const uint32_t *late, double *partial)
{
    const struct random_key key = key_now(s.key, late);
    int64_t warps = (int64_t)gridDim.x * BLOCK_WARPS, rows = 2 * s.n;
    double fit[FIT_SUMS] = {0};
    for (int64_t k = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP; k < s.pairs;
         k += warps) {
        int64_t i = device_random_below(key, (uint64_t)(2 * k), rows);
        int64_t j = device_random_below(key, (uint64_t)(2 * k + 1), rows);
        float x = (float)warp_dot(s.Z + i * s.d, s.Z + j * s.d, s.d), sums[7] = {0};
        if (i == j || j == partner_of(s, i) || threadIdx.x % WARP > 0)
            continue;
        add_powers(sums, x, (float)(1 / s.tau));
        fit[0] += 1;
        for (int p = 0; p < 7; p++)
            fit[1 + p] += (double)sums[p];
    }
    store_fit(fit, partial);
}

/* Least squares: the normal equations of 1, x, x^2 by elimination. Where the cosines do not vary
 * enough to tell a power from the lower ones, its coefficient is 0. */
__device__ static void solve_fit(double c[3], const double f[FIT_SUMS])
{
    double A[3][4] = {{f[0], f[2], f[3], f[1]}, {f[2], f[3], f[4], f[6]}, {f[3], f[4], f[5], f[7]}};
    bool usable[3];
    for (int k = 0; k < 3; k++) {
        double scale = k == 0 ? 1 : k == 1 ? f[3] : f[5];
        usable[k] = A[k][k] > 1e-9 * scale && A[k][k] > 0;
        for (int r = k + 1; r < 3 && usable[k]; r++) {
            double factor = A[r][k] / A[k][k];
            for (int q = k; q < 4; q++)
                A[r][q] -= factor * A[k][q];
        }
    }
    for (int k = 2; k >= 0; k--) {
        double value = A[k][3];
        for (int q = k + 1; q < 3; q++)
            value -= A[k][q] * c[q];
        c[k] = usable[k] ? value / A[k][k] : 0;
    }
}

struct fixed {
    bool given;
    double coefficient[3];
};

/* One block. */
__global__ static void find_coefficients(struct fixed fixed, const double *partial, int64_t count,
                                         double *out, double *result)
{
    __shared__ double room[BLOCK_WARPS];
    double total[FIT_SUMS] = {0};
    for (int64_t i = threadIdx.x; i < count; i += BLOCK)
        for (int k = 0; k < FIT_SUMS; k++)
            total[k] += partial[i * FIT_SUMS + k];
    for (int k = 0; k < FIT_SUMS; k++)
        total[k] = block_sum(total[k], room);
    if (threadIdx.x > 0)
        return;
    if (!fixed.given)
        solve_fit(fixed.coefficient, total);
    for (int k = 0; k < 3; k++)
        out[k] = result[RESULT_COEFFICIENT + k] = fixed.coefficient[k];
}

/* Estimates of D, floored, and each block's part of the loss; a thread per row, strided. */
__global__ static void estimate_rows(struct work w, double *losses, double *floored)
{
    __shared__ double room[BLOCK_WARPS];
    const struct moment &s = w.spec;
    const double *c = s.fitted, rows = (double)w.rows;
    double lowest = (rows - 2) * exp(-2 / s.tau), loss = 0, floors = 0;
    int64_t step = (int64_t)gridDim.x * BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < w.rows; i += step) {
        const double *r = w.row + i * 6;
        double pi = r[2], positive = exp((pi - 1) / s.tau);
        double D = rows * c[0] + c[1] * r[0] + c[2] * r[1] - (c[0] + c[1] + c[2]) -
                   (c[0] + pi * (c[1] + pi * c[2])) + positive;
        if (s.samples > 0) {
            double terms = terms_of(w, i);
            if (terms > 0)
                D += (rows - 2) / terms * (r[3] - terms * c[0] - c[1] * r[4] - c[2] * r[5]);
        }
        bool floor = !(D > positive + lowest);
        D = floor ? positive + lowest : D;
        s.floor[i] = floor;
        s.D[i] = D;
        floors += floor;
        loss += log(D) + (1 - pi) / s.tau;
    }
    loss = block_sum(loss, room);
    floors = block_sum(floors, room);
    if (threadIdx.x == 0) {
        losses[blockIdx.x] = loss;
        floored[blockIdx.x] = floors;
    }
}

__global__ static void total_loss(const double *losses, const double *floored, int64_t count,
                                  double rows, double *result)
{
    __shared__ double room[BLOCK_WARPS];
    double loss = 0, floors = 0;
    for (int64_t i = threadIdx.x; i < count; i += BLOCK) {
        loss += losses[i];
        floors += floored[i];
    }
    loss = block_sum(loss, room);
    floors = block_sum(floors, room);
    if (threadIdx.x == 0) {
        result[RESULT_LOSS] = loss / rows;
        result[RESULT_FLOORED] = floors;
    }
}

/* The rows' values and the fit's sums, chunk by chunk; *parts gets the number of parts. */
static graco_status run_rows(struct cuda_scratch *scratch, struct work *w, double **partial,
                             int64_t *parts)
{
    struct context *c = scratch->context;
    struct cuda_state *state = state_of(c);
    unsigned blocks = blocks_striding(state, w->chunk, BLOCK_WARPS);
    int64_t chunks = (w->rows + w->chunk - 1) / w->chunk;
    PASS(scratch_take(scratch, partial, chunks * blocks * FIT_SUMS, sizeof(double)));
    *parts = chunks * blocks;
    for (int64_t i = 0; i < chunks; i++) {
        int64_t first = i * w->chunk, count = least(w->chunk, w->rows - first);
        PASS(find_products(c, w, first, count));
        forward_rows<<<blocks, BLOCK, 0, state->stream>>>(*w, first, count,
                                                          *partial + i * blocks * FIT_SUMS);
        PASS_LAUNCH("the rows of the objective");
    }
    if (w->spec.samples > 0 || w->spec.fixed)
        return GRACO_OK;
    *parts = 2 * state->processors;
    PASS(scratch_take(scratch, partial, *parts * FIT_SUMS, sizeof(double)));
    random_pairs<<<(unsigned)*parts, BLOCK, 0, state->stream>>>(w->spec, state->late, *partial);
    PASS_LAUNCH("random pairs");
    return GRACO_OK;
}

static graco_status forward(struct cuda_scratch *scratch, struct moment *s)
{
    struct context *c = scratch->context;
    struct cuda_state *state = state_of(c);
    struct work w = {};
    struct fixed fixed = {};
    double *partial = NULL, *losses = NULL;
    int64_t parts = 0;
    PASS(open_work(scratch, &w, s));
    unsigned blocks = blocks_striding(state, w.rows, BLOCK);
    PASS(scratch_take(scratch, &w.row, w.rows * 6, sizeof(double)));
    PASS(scratch_take(scratch, &losses, 2 * (int64_t)blocks, sizeof(double)));
    PASS(find_moments(scratch, &w, s->Z, s->moments));
    PASS(run_rows(scratch, &w, &partial, &parts));
    fixed.given = s->fixed != NULL;
    for (int k = 0; k < 3 && s->fixed; k++)
        fixed.coefficient[k] = s->fixed[k] * exp(-1 / s->tau);
    find_coefficients<<<1, BLOCK, 0, state->stream>>>(fixed, partial, parts, s->fitted,
                                                      state->result);
    estimate_rows<<<blocks, BLOCK, 0, state->stream>>>(w, losses, losses + blocks);
    total_loss<<<1, BLOCK, 0, state->stream>>>(losses, losses + blocks, blocks, (double)w.rows,
                                               state->result);
    PASS_LAUNCH("the loss");
    state->moment = s;
    state->contrast = NULL;
    return cuda_report(c);
}

graco_status cuda_moment(struct context *c, struct moment *s)
{
    struct cuda_scratch scratch = {c, 0, {}};
    graco_status status = forward(&scratch, s);
    scratch_give(&scratch);
    return status;
}

/* ---- Backward -------------------------------------------------------------------------------- */

/* Weights, and the rows of Z times them. A warp per row. */
__global__ static void weigh_rows(struct work w, float *weighted)
{
    const struct moment &s = w.spec;
    int64_t row = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP;
    if (row >= w.rows)
        return;
    float weight = s.floor[row] ? 0.0f : (float)(1 / s.D[row]);
    if (threadIdx.x % WARP == 0)
        w.weight[row] = weight;
    const float *z = s.Z + row * s.d;
    float *to = weighted + row * s.d;
    int64_t fours = s.d % 4 == 0 ? s.d / 4 : 0;
    for (int64_t j = threadIdx.x % WARP; j < fours; j += WARP) {
        float4 x = ((const float4 *)z)[j];
        ((float4 *)to)[j] = make_float4(weight * x.x, weight * x.y, weight * x.z, weight * x.w);
    }
    for (int64_t j = 4 * fours + threadIdx.x % WARP; j < s.d; j += WARP)
        to[j] = weight * z[j];
}

/* M_w times 2 c2 and s_w times c1, over 2n: what they are multiplied by in the gradient. */
__global__ static void scale_moments(struct moment s, float *weighted)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, square = s.d * s.d;
    if (i < square + s.d)
        weighted[i] *= (float)((i < square ? 2 * s.fitted[2] : s.fitted[1]) / (double)(2 * s.n));
}

/* X becomes R: weight (2n - 2) / terms times r_ij, zero for the row itself and its partner. dZ gets
 * all of the gradient but R S + 2 c2 Z M_w, which products add. All over 2n. A warp per row. */
__global__ static void __launch_bounds__(BLOCK)
    gradient_rows(struct work w, int64_t first, int64_t count, const float *weighted_sum, float *dZ)
{
    const struct moment &s = w.spec;
    int64_t i = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP;
    int lane = threadIdx.x % WARP;
    if (i >= count)
        return;
    int64_t row = first + i, other = partner_of(s, row);
    const float *z = s.Z + row * s.d, *zp = s.Z + other * s.d, *sum = s.moments + s.d * s.d;
    const float *t = w.T + i * s.d;
    double pi = warp_dot(z, zp, s.d), e = exp((pi - 1) / s.tau) / s.tau, rows = (double)w.rows;
    float own = w.weight[row], both = own + w.weight[other];
    float c1 = (float)s.fitted[1], c2 = (float)(2 * s.fitted[2]), a = (float)((double)own / rows);
    float pull = (float)(((1 / s.D[row] + 1 / s.D[other]) * e - 2 / s.tau -
                          (double)both * (s.fitted[1] + 2 * s.fitted[2] * pi)) /
                         rows);
    float *dz = dZ + row * s.d;
    for (int64_t j = lane; j < s.d; j += WARP)
        dz[j] = a * (c1 * sum[j] + c2 * t[j]) + weighted_sum[j] + pull * zp[j];
    if (s.samples == 0)
        return;
    int64_t self = w.where[row], partner = w.where[other];
    float factor = (float)((double)own * (rows - 2) / terms_of(w, row) / rows);
    float inverse_tau = (float)(1 / s.tau), *x = w.X + i * s.samples;
    for (int64_t j = lane; j < s.samples; j += WARP) {
        float r = expf((x[j] - 1) * inverse_tau) * inverse_tau - c1 - c2 * x[j];
        x[j] = j == self || j == partner ? 0 : factor * r;
    }
}

/* What the other rows' corrections pull at the sampled rows. A block per sampled row. */
__global__ static void add_pulled(struct moment s, const float *pulled, float *dZ)
{
    float *dz = dZ + s.sample[blockIdx.x] * s.d;
    for (int64_t j = threadIdx.x; j < s.d; j += blockDim.x)
        dz[j] += pulled[blockIdx.x * s.d + j];
}

static graco_status backward_chunk(struct context *c, struct work *w, int64_t first, int64_t count,
                                   const float *weighted, float *pulled, float *dZ)
{
    const struct moment *s = &w->spec;
    cudaStream_t stream = state_of(c)->stream;
    int64_t d = s->d, m = s->samples;
    const float *Z = s->Z + first * d;
    if (!s->kept)
        PASS(find_products(c, w, first, count));
    gradient_rows<<<blocks_for(count, BLOCK_WARPS), BLOCK, 0, stream>>>(*w, first, count,
                                                                        weighted + d * d, dZ);
    PASS_LAUNCH("the gradient of the objective");
    if (m > 0) {
        PASS(multiply(c, true, false, m, d, count, w->X, Z, first > 0, pulled));
        PASS(multiply(c, false, false, count, d, m, w->X, w->sampled, 1, dZ + first * d));
    }
    return multiply(c, false, false, count, d, d, Z, weighted, 1, dZ + first * d);
}

static graco_status backward(struct cuda_scratch *scratch, const struct moment *s, float *dZ)
{
    struct context *c = scratch->context;
    cudaStream_t stream = state_of(c)->stream;
    struct work w = {};
    float *weighted_rows = NULL, *weighted = NULL, *pulled = NULL;
    PASS(open_work(scratch, &w, s));
    PASS(scratch_take(scratch, &w.weight, w.rows, sizeof(float)));
    PASS(scratch_take(scratch, &weighted_rows, w.rows * s->d, sizeof(float)));
    PASS(scratch_take(scratch, &weighted, (s->d + 1) * s->d, sizeof(float)));
    PASS(scratch_take(scratch, &pulled, s->samples * s->d, sizeof(float)));
    weigh_rows<<<blocks_for(w.rows, BLOCK_WARPS), BLOCK, 0, stream>>>(w, weighted_rows);
    PASS_LAUNCH("weighing rows");
    PASS(find_moments(scratch, &w, weighted_rows, weighted));
    scale_moments<<<blocks_for((s->d + 1) * s->d, BLOCK), BLOCK, 0, stream>>>(*s, weighted);
    PASS_LAUNCH("scaling moments");
    for (int64_t first = 0; first < w.rows; first += w.chunk)
        PASS(backward_chunk(c, &w, first, least(w.chunk, w.rows - first), weighted, pulled, dZ));
    if (s->samples > 0) {
        add_pulled<<<(unsigned)s->samples, 128, 0, stream>>>(w.spec, pulled, dZ);
        PASS_LAUNCH("the correction's pull");
    }
    return GRACO_OK;
}

graco_status cuda_moment_backward(struct context *c, const struct moment *s, float *dZ)
{
    struct cuda_scratch scratch = {c, 0, {}};
    graco_status status = backward(&scratch, s, dZ);
    scratch_give(&scratch);
    return status;
}
