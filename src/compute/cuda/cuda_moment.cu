/* The moment objective, O(N (d^2 + m d)); docs/math.md derives it, and cpu_moment.c has the same
 * parts. cuBLAS multiplies, and one warp per pair of rows does the rest. Coefficients are fitted on
 * the device, so that a step never waits for the host. */
#include "compute/cuda/cuda_moment.cuh"
#include "compute/moment_solve.h"

extern "C" {
#include "compute/exchange.h"
}

#include <string.h>

enum {
    WARP_PAIRS = 4, /* that one warp takes */
    SUM_COLS = 32,
    SUM_ROWS = 8,
    PIECE_ROWS = 256, /* rows that one block sums */
};

/* ---- Shared by both directions --------------------------------------------------------------- */

/* Where each row is in the sample, and the sampled rows themselves; `drawn` is the host's. A block
 * per sampled row, which also places the rows up to the next sampled one. */
__global__ static void place_rows(struct moment s, const int32_t *drawn)
{
    int64_t row = drawn[blockIdx.x], first = blockIdx.x == 0 ? 0 : row;
    int64_t next = blockIdx.x + 1 < gridDim.x ? drawn[blockIdx.x + 1] : 2 * s.n;
    for (int64_t i = first + threadIdx.x; i < next; i += blockDim.x)
        s.place[i] = i == row ? (int32_t)blockIdx.x : -1;
    if (threadIdx.x == 0)
        s.place[2 * s.n + blockIdx.x] = (int32_t)row;
    for (int64_t j = threadIdx.x; j < s.d; j += blockDim.x)
        s.sampled[blockIdx.x * s.d + j] = s.Z[row * s.d + j];
}

/* The same over ranks: a sampled row that another rank has is zeros here and has place -1, as all rows have
 * before. */
__global__ static void place_own_rows(struct moment s, const int32_t *drawn)
{
    int64_t all = s.among.all, drawn_row = drawn[blockIdx.x];
    int64_t at = drawn_row % all - s.among.first;
    int64_t row = at >= 0 && at < s.n ? drawn_row / all * s.n + at : -1;
    if (threadIdx.x == 0) {
        s.place[2 * s.n + blockIdx.x] = (int32_t)row;
        if (row >= 0)
            s.place[row] = (int32_t)blockIdx.x;
    }
    for (int64_t j = threadIdx.x; j < s.d; j += blockDim.x)
        s.sampled[blockIdx.x * s.d + j] = row >= 0 ? s.Z[row * s.d + j] : 0;
}

/* The sample goes through pinned memory, where a recording reads it whenever it is replayed. */
static graco_status place_sample(struct context *c, const struct moment *s)
{
    struct cuda_state *state = state_of(c);
    if (s->samples == 0)
        return GRACO_OK;
    if (s->samples > SAMPLES)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "a correction of %lld rows: a GPU takes %d at most",
                           (long long)s->samples, SAMPLES);
    if (!state->sample)
        PASS(cuda_check(cudaMallocHost((void **)&state->sample, SAMPLES * sizeof(int32_t)),
                        "allocating pinned memory"));
    memcpy(state->sample, s->sample, (size_t)s->samples * sizeof(int32_t));
    if (s->among.own)
        PASS(cuda_check(
            cudaMemsetAsync(s->place, 0xff, (size_t)(2 * s->n) * sizeof(int32_t), state->stream),
            "clearing memory"));
    (s->among.own ? place_own_rows : place_rows)<<<(unsigned)s->samples, BLOCK, 0, state->stream>>>(
        *s, state->sample);
    PASS_LAUNCH("gathering the sample");
    return GRACO_OK;
}

graco_status moment_open(struct cuda_scratch *scratch, struct moment_work *w,
                         const struct moment *s)
{
    w->spec = *s;
    w->spec.sample = s->place + 2 * s->n;
    w->rows = 2 * s->n;
    w->chunk = s->kept ? s->n : least(s->n, CHUNK_PAIRS);
    w->wide = s->samples + s->d;
    w->XT = s->kept;
    return s->kept ? GRACO_OK
                   : scratch_take(scratch, &w->XT, 2 * w->chunk * w->wide, sizeof(float));
}

/* One product gives XT: `sampled` and M lie one behind the other, and M is symmetric, so that its
 * rows are its columns. Where the chunk has all pairs, both views' rows lie one behind the
 * other. */
graco_status moment_products(struct context *c, const struct moment_work *w, int64_t first,
                             int64_t count)
{
    int64_t d = w->spec.d, n = w->spec.n;
    bool all = count == n;
    for (int view = 0; view < (all ? 1 : 2); view++) {
        struct result XT = {w->XT + view * count * w->wide, w->wide, all ? 2 * n : count, w->wide,
                            false};
        PASS(cuda_multiply(c, XT, d, operand_of(w->spec.Z + (first + view * n) * d, d),
                           transpose_of(w->spec.sampled, d)));
    }
    return GRACO_OK;
}

/* Each piece's sums of columns of Z, each row times its inverse if `weighted`; `wide` columns a
 * thread. */
template <int wide>
__global__ static void __launch_bounds__(BLOCK)
    column_pieces(struct moment s, bool weighted, double *partial)
{
    __shared__ group<wide> sums[SUM_ROWS][SUM_COLS];
    int64_t col = ((int64_t)blockIdx.y * SUM_COLS + threadIdx.x) * wide;
    int64_t first = (int64_t)blockIdx.x * PIECE_ROWS, last = first + PIECE_ROWS;
    group<wide> total = {};
    last = col >= s.d ? first : last < 2 * s.n ? last : 2 * s.n;
#pragma unroll 8
    for (int64_t i = first + threadIdx.y; i < last; i += SUM_ROWS) {
        group<wide> z = *(const group<wide> *)(s.Z + i * s.d + col);
        float w = weighted ? s.inverse[i] : 1;
        for (int k = 0; k < wide; k++)
            total.x[k] += w * z.x[k];
    }
    sums[threadIdx.y][threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.y > 0 || col >= s.d)
        return;
    for (int k = 0; k < wide; k++) {
        double sum = 0;
        for (int row = 0; row < SUM_ROWS; row++)
            sum += (double)sums[row][threadIdx.x].x[k];
        partial[blockIdx.x * s.d + col + k] = sum;
    }
}

/* The sums of the pieces; weighted ones times c1 / 2n, as the gradient needs them. */
__global__ static void column_totals(struct moment s, bool weighted, int64_t pieces,
                                     const double *partial, float *out)
{
    __shared__ double sums[SUM_ROWS][SUM_COLS];
    int64_t col = (int64_t)blockIdx.x * SUM_COLS + threadIdx.x;
    double total = 0;
#pragma unroll 4
    for (int64_t i = threadIdx.y; i < (col < s.d ? pieces : 0); i += SUM_ROWS)
        total += partial[i * s.d + col];
    sums[threadIdx.y][threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.y > 0 || col >= s.d)
        return;
    for (int k = 1; k < SUM_ROWS; k++)
        total += sums[k][threadIdx.x];
    out[col] = (float)(weighted ? total * s.fitted[1] / (double)all_rows(s) : total);
}

graco_status moment_sum(struct cuda_scratch *scratch, const struct moment *s, bool weighted,
                        float *out)
{
    cudaStream_t stream = state_of(scratch->context)->stream;
    int64_t pieces = blocks_for(2 * s->n, PIECE_ROWS);
    int wide = s->d % 4 == 0 ? 4 : 1;
    double *partial = NULL;
    dim3 threads(SUM_COLS, SUM_ROWS), blocks((unsigned)pieces, blocks_for(s->d, SUM_COLS * wide));
    PASS(scratch_take(scratch, &partial, pieces * s->d, sizeof(double)));
    (wide == 4 ? column_pieces<4> : column_pieces<1>)<<<blocks, threads, 0, stream>>>(*s, weighted,
                                                                                      partial);
    column_totals<<<blocks_for(s->d, SUM_COLS), threads, 0, stream>>>(*s, weighted, pieces, partial,
                                                                      out);
    PASS_LAUNCH("the sum of rows");
    return GRACO_OK;
}

/* M = Z' Z and the sum of the rows. Over ranks they are summed, and with them the sampled rows, which lie
 * right before: of each, one rank has what is not zero. */
static graco_status find_moments(struct cuda_scratch *scratch, const struct moment_work *w)
{
    const struct moment *s = &w->spec;
    int64_t d = s->d;
    PASS(cuda_multiply(scratch->context, {s->moments, d, d, d, false}, w->rows,
                       transpose_of(s->Z, d), operand_of(s->Z, d)));
    PASS(moment_sum(scratch, s, false, s->moments + d * d));
    return s->among.own ? exchange_sum_floats(scratch->context, s->sampled, (w->wide + 1) * d)
                        : GRACO_OK;
}

/* ---- The fit --------------------------------------------------------------------------------- */

/* Powers of the cosines x and of their exponentials e that the fit wants summed. */
enum power { POWER_E, POWER_X, POWER_X2, POWER_X3, POWER_X4, POWER_EX, POWER_EX2, POWERS };

/* The first three to `low`, the others to `high`. */
__device__ static inline void add_powers(float *low, float *high, float x, float inverse_tau)
{
    float e = expf((x - 1) * inverse_tau), x2 = x * x;
    low[POWER_E] += e;
    low[POWER_X] += x;
    low[POWER_X2] += x2;
    high[POWER_X3] += x2 * x;
    high[POWER_X4] += x2 * x2;
    high[POWER_EX] += e * x;
    high[POWER_EX2] += e * x2;
}

/* Each block's part of the fit's sums: terms, then the powers'. */
__device__ static inline void store_fit(double fit[FIT_SUMS], double *out)
{
    __shared__ double room[BLOCK_WARPS];
    for (int k = 0; k < FIT_SUMS; k++) {
        double total = block_sum(fit[k], room);
        if (threadIdx.x == 0)
            out[blockIdx.x * FIT_SUMS + k] = total;
    }
}

/* z.s and z'Mz of both rows, and the cosine of the one with the other. */
template <int wide>
__device__ static inline void pair_dots(const struct moment_work &w, const struct row_pair<wide> &p)
{
    const group<wide> *sum = (const group<wide> *)(w.spec.moments + w.spec.d * w.spec.d);
    int lane = threadIdx.x % WARP;
    float dot[5] = {0};
#pragma unroll 2
    for (int64_t j = lane; j < w.spec.d / wide; j += WARP) {
        group<wide> s = sum[j], a = p.z[0][j], b = p.z[1][j], ta = p.t[0][j], tb = p.t[1][j];
#pragma unroll
        for (int k = 0; k < wide; k++) {
            dot[0] += a.x[k] * s.x[k];
            dot[1] += b.x[k] * s.x[k];
            dot[2] += a.x[k] * ta.x[k];
            dot[3] += b.x[k] * tb.x[k];
            dot[4] += a.x[k] * b.x[k];
        }
    }
    for (int k = 0; k < 5; k++) {
        double total = warp_sum((double)dot[k]);
        if (lane > 0)
            continue;
        if (k < 4)
            w.spec.row[p.row[k % 2] * 6 + k / 2] = total;
        else
            w.spec.row[p.row[0] * 6 + 2] = w.spec.row[p.row[1] * 6 + 2] = total;
    }
}

/* A warp takes WARP_PAIRS pairs of rows, `wide` numbers of a row at a time. */
template <int wide>
__global__ static void __launch_bounds__(BLOCK, 3)
    fit_pairs(struct moment_work w, int64_t first, int64_t count, double *partial)
{
    int lane = threadIdx.x % WARP, terms = 0;
    int64_t warps = (int64_t)gridDim.x * BLOCK_WARPS;
    float inverse_tau = (float)(1 / w.spec.tau), both[POWERS] = {0};
    for (int64_t i = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP; i < count;
         i += warps) {
        struct row_pair<wide> p = pair_of<wide>(w, first, count, i);
        float own[2][3] = {{0}};
#pragma unroll 2
        for (int j = lane; j < (int)w.spec.samples / wide; j += WARP) {
            group<wide> x[2] = {p.x[0][j], p.x[1][j]};
#pragma unroll
            for (int k = 0; k < wide; k++)
                if (wide * j + k != p.place[0] && wide * j + k != p.place[1]) {
                    add_powers(own[0], both, x[0].x[k], inverse_tau);
                    add_powers(own[1], both, x[1].x[k], inverse_tau);
                    terms += 2;
                }
        }
        pair_dots(w, p);
#pragma unroll
        for (int k = 0; k < 6; k++) {
            both[k / 2] += own[k % 2][k / 2];
            float total = warp_sum(own[k % 2][k / 2]);
            if (lane == 0)
                w.spec.row[p.row[k % 2] * 6 + 3 + k / 2] = (double)total;
        }
    }
    double fit[FIT_SUMS] = {(double)terms};
    for (int k = 0; k < POWERS; k++)
        fit[1 + k] = (double)both[k];
    store_fit(fit, partial);
}

/* Without a sample the fit looks at random pairs, none of them a row with itself or its partner. */
__global__ static void random_pairs(struct moment s, const uint32_t *later, double *partial)
{
    const struct random_key key = key_now(s.key, later);
    int64_t warps = (int64_t)gridDim.x * BLOCK_WARPS, rows = 2 * s.n;
    double fit[FIT_SUMS] = {0};
    for (int64_t k = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP; k < s.pairs;
         k += warps) {
        int64_t i = device_random_below(key, (uint64_t)(2 * k), rows);
        int64_t j = device_random_below(key, (uint64_t)(2 * k + 1), rows);
        float x = (float)warp_dot(s.Z + i * s.d, s.Z + j * s.d, s.d), sums[POWERS] = {0};
        if (i == j || j == partner_of(s, i) || threadIdx.x % WARP > 0)
            continue;
        add_powers(sums, sums, x, (float)(1 / s.tau));
        fit[0] += 1;
        for (int p = 0; p < POWERS; p++)
            fit[1 + p] += (double)sums[p];
    }
    store_fit(fit, partial);
}

/* One block: in all threads, the sums of the fit. */
__device__ static inline void total_fit(double total[FIT_SUMS], const double *partial,
                                        int64_t count)
{
    __shared__ double room[BLOCK_WARPS];
    for (int64_t i = threadIdx.x; i < count; i += BLOCK)
        for (int k = 0; k < FIT_SUMS; k++)
            total[k] += partial[i * FIT_SUMS + k];
    for (int k = 0; k < FIT_SUMS; k++)
        total[k] = block_sum(total[k], room);
}

__global__ static void find_coefficients(const double *partial, int64_t count, double *out)
{
    double total[FIT_SUMS] = {0};
    total_fit(total, partial, count);
    if (threadIdx.x == 0)
        moment_solve(out, total);
}

/* The sums of all parts, in the place of the first one's. */
__global__ static void add_parts(double *partial, int64_t count)
{
    double total[FIT_SUMS] = {0};
    total_fit(total, partial, count);
    for (int k = 0; threadIdx.x == 0 && k < FIT_SUMS; k++)
        partial[k] = total[k];
}

/* What each row contributes and the sums of the fit, chunk by chunk; *parts: how many parts of the
 * sums there are. */
static graco_status run_pairs(struct cuda_scratch *scratch, struct moment_work *w, double **partial,
                              int64_t *parts)
{
    struct context *c = scratch->context;
    struct cuda_state *state = state_of(c);
    unsigned blocks = blocks_for(w->chunk, WARP_PAIRS * BLOCK_WARPS);
    int64_t n = w->spec.n, chunks = (n + w->chunk - 1) / w->chunk;
    PASS(scratch_take(scratch, partial, chunks * blocks * FIT_SUMS, sizeof(double)));
    *parts = chunks * blocks;
    for (int64_t i = 0; i < chunks; i++) {
        int64_t first = i * w->chunk, count = least(w->chunk, n - first);
        PASS(moment_products(c, w, first, count));
        (by_fours(w) ? fit_pairs<4> : fit_pairs<1>)<<<blocks, BLOCK, 0, state->stream>>>(
            *w, first, count, *partial + i * blocks * FIT_SUMS);
        PASS_LAUNCH("the rows of the objective");
    }
    if (w->spec.samples > 0)
        return GRACO_OK;
    *parts = 2 * state->processors;
    PASS(scratch_take(scratch, partial, *parts * FIT_SUMS, sizeof(double)));
    random_pairs<<<(unsigned)*parts, BLOCK, 0, state->stream>>>(w->spec, state->later, *partial);
    PASS_LAUNCH("random pairs");
    return GRACO_OK;
}

graco_status cuda_moment_fit(struct context *c, struct moment *s)
{
    struct cuda_scratch scratch(c);
    struct moment_work w = {};
    double *partial = NULL;
    int64_t parts = 0;
    PASS(moment_open(&scratch, &w, s));
    PASS(place_sample(c, s));
    PASS(find_moments(&scratch, &w));
    PASS(run_pairs(&scratch, &w, &partial, &parts));
    if (s->among.own) {
        add_parts<<<1, BLOCK, 0, state_of(c)->stream>>>(partial, parts);
        PASS_LAUNCH("adding sums");
        PASS(exchange_sum_doubles(c, partial, FIT_SUMS));
        parts = 1;
    }
    find_coefficients<<<1, BLOCK, 0, state_of(c)->stream>>>(partial, parts, s->fitted);
    PASS_LAUNCH("the coefficients");
    return GRACO_OK;
}

/* ---- The loss -------------------------------------------------------------------------------- */

/* Estimates of D, floored, and each block's part of the loss; a thread per row, strided. */
__global__ static void estimate_rows(struct moment s, double *partial)
{
    const double *c = s.fitted, rows = (double)all_rows(s);
    double lowest = (rows - 2) * exp(-2 / s.tau), loss = 0, floors = 0;
    int64_t step = (int64_t)gridDim.x * BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < 2 * s.n; i += step) {
        const double *r = s.row + i * 6;
        double pi = r[2], positive = exp((pi - 1) / s.tau);
        double D = rows * c[0] + c[1] * r[0] + c[2] * r[1] - moment_self(c, r[1]) -
                   (c[0] + pi * (c[1] + pi * c[2])) + positive;
        if (s.samples > 0) {
            double terms = terms_of(s, i);
            if (terms > 0)
                D += (rows - 2) / terms * (r[3] - terms * c[0] - c[1] * r[4] - c[2] * r[5]);
        }
        bool floor = !(D > positive + lowest);
        D = floor ? positive + lowest : D;
        s.floor[i] = floor;
        s.inverse[i] = floor ? 0.0f : (float)(1 / D);
        s.D[i] = D;
        floors += floor;
        loss += log(D) + (1 - pi) / s.tau;
    }
    leave_sums(partial, loss, floors);
}

__global__ static void total_loss(struct moment s, const double *partial, int64_t blocks,
                                  struct cuda_results *results)
{
    double2 total = totals_of(partial, blocks);
    if (threadIdx.x == 0) {
        results->loss = total.x / (double)all_rows(s);
        results->floored = total.y;
        for (int k = 0; k < 3; k++)
            results->coefficient[k] = s.fitted[k];
    }
}

graco_status cuda_moment(struct context *c, struct moment *s)
{
    struct cuda_scratch scratch(c);
    struct cuda_state *state = state_of(c);
    double *partial = NULL;
    unsigned blocks = blocks_striding(state, 2 * s->n, BLOCK);
    PASS(scratch_take(&scratch, &partial, 2 * (int64_t)blocks, sizeof(double)));
    estimate_rows<<<blocks, BLOCK, 0, state->stream>>>(*s, partial);
    if (s->among.own) {
        PASS(cuda_add_ranks(c, partial, blocks));
        blocks = 1;
    }
    total_loss<<<1, BLOCK, 0, state->stream>>>(*s, partial, blocks, state->results);
    PASS_LAUNCH("the loss");
    cuda_ask(state, {NULL, s});
    return GRACO_OK;
}
