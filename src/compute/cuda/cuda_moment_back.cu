/* The gradient of the moment objective. One kernel turns the products that the fit left into [R |
 * V] and starts dZ, then three products of cuBLAS add the rest: what the sample does to all rows,
 * what all rows do to the sample, and the part of M. */
#include "compute/cuda/cuda_moment.cuh"

extern "C" {
#include "compute/exchange.h"
}

/* Factors of the parts of a row's gradient, each over 2n. */
struct row_factors {
    float own, pull, residual;
};

__device__ static inline struct row_factors factors_of(const struct moment_work &w, int64_t row,
                                                       double pi)
{
    const struct moment &s = w.spec;
    int64_t other = partner_of(s, row);
    float inverse = s.inverse[row];
    double rows = (double)all_rows(s), both = (double)(inverse + s.inverse[other]);
    double e = exp((pi - 1) / s.tau) / s.tau;
    struct row_factors f = {(float)((double)inverse / rows), 0, 0};
    f.pull = (float)(((1 / s.D[row] + 1 / s.D[other]) * e - 2 / s.tau -
                      both * (s.fitted[1] + 2 * s.fitted[2] * pi)) /
                     rows);
    if (s.samples > 0)
        f.residual = (float)((double)inverse * (rows - 2) / terms_of(s, row) / rows);
    return f;
}

/* XT becomes [R | V]: R = inverse (2n - 2) / terms times r_ij, zero for the row itself and its
 * partner, and V = inverse 2 c2 / 2n times the row. dZ gets all of the gradient but R S + Z V' Z,
 * which products add. A warp per pair of rows, `wide` numbers of a row at a time. */
template <int wide>
__global__ static void __launch_bounds__(BLOCK, 4)
    gradient_pairs(struct moment_work w, int64_t first, int64_t count, const float *weighted_sum,
                   float *dZ)
{
    const struct moment &s = w.spec;
    int64_t i = block_from_end() * BLOCK_WARPS + threadIdx.x / WARP;
    int lane = threadIdx.x % WARP;
    if (i >= count)
        return;
    struct row_pair<wide> p = pair_of<wide>(w, first, count, i);
    const group<wide> *sum = (const group<wide> *)(s.moments + s.d * s.d);
    const group<wide> *ws = (const group<wide> *)weighted_sum;
    double pi = warp_dot(s.Z + p.row[0] * s.d, s.Z + p.row[1] * s.d, s.d);
    struct row_factors f[2] = {factors_of(w, p.row[0], pi), factors_of(w, p.row[1], pi)};
    float tau = (float)(1 / s.tau), c1 = (float)s.fitted[1], c2 = (float)(2 * s.fitted[2]);
#pragma unroll 2
    for (int j = lane; j < (int)s.samples / wide; j += WARP) {
        group<wide> x[2] = {p.x[0][j], p.x[1][j]};
#pragma unroll
        for (int k = 0; k < 2 * wide; k++) {
            float *at = &x[k / wide].x[k % wide];
            int place = wide * j + k % wide;
            float r = f[k / wide].residual * (expf((*at - 1) * tau) * tau - c1 - c2 * *at);
            *at = place == p.place[0] || place == p.place[1] ? 0 : r;
        }
        p.x[0][j] = x[0];
        p.x[1][j] = x[1];
    }
#pragma unroll 2
    for (int64_t j = lane; j < s.d / wide; j += WARP) {
        group<wide> z[2] = {p.z[0][j], p.z[1][j]}, t[2] = {p.t[0][j], p.t[1][j]};
        group<wide> m = sum[j], v = ws[j];
#pragma unroll
        for (int k = 0; k < 2 * wide; k++) {
            int a = k / wide, q = k % wide;
            t[a].x[q] =
                f[a].own * (c1 * m.x[q] + c2 * t[a].x[q]) + v.x[q] + f[a].pull * z[1 - a].x[q];
        }
#pragma unroll
        for (int a = 0; a < 2; a++) {
            ((group<wide> *)(dZ + p.row[a] * s.d))[j] = t[a];
            for (int q = 0; q < wide; q++)
                z[a].x[q] *= f[a].own * c2;
            p.t[a][j] = z[a];
        }
    }
}

/* Adds the gradient that the corrections of all rows give to the sampled rows, those that this rank has. A
 * block per sampled row. */
__global__ static void add_pulled(struct moment s, const float *pulled, float *dZ)
{
    float *dz = dZ + s.sample[blockIdx.x] * s.d;
    if (s.sample[blockIdx.x] < 0)
        return;
    for (int64_t j = threadIdx.x; j < s.d; j += blockDim.x)
        dz[j] += pulled[blockIdx.x * s.d + j];
}

/* `products` (m + d, d) gathers [R | V]' Z over the chunks. */
static graco_status backward_chunk(struct context *c, struct moment_work *w, int64_t first,
                                   int64_t count, const float *weighted_sum, float *products,
                                   float *dZ)
{
    const struct moment *s = &w->spec;
    int64_t d = s->d, m = s->samples;
    bool all = count == s->n;
    unsigned blocks = blocks_for(count, BLOCK_WARPS);
    if (!s->kept)
        PASS(moment_products(c, w, first, count));
    (by_fours(w) ? gradient_pairs<4>
                 : gradient_pairs<1>)<<<blocks, BLOCK, 0, state_of(c)->stream>>>(*w, first, count,
                                                                                 weighted_sum, dZ);
    PASS_LAUNCH("the gradient of the objective");
    for (int view = 0; view < (all ? 1 : 2); view++) {
        int64_t row = first + view * s->n, rows = all ? 2 * count : count;
        const float *RV = w->XT + view * count * w->wide;
        PASS(cuda_multiply(c, {products, d, w->wide, d, first > 0 || view > 0}, rows,
                           transpose_of(RV, w->wide), operand_of(s->Z + row * d, d)));
        if (m > 0)
            PASS(cuda_multiply(c, {dZ + row * d, d, rows, d, true}, m, operand_of(RV, w->wide),
                               operand_of(s->sampled, d)));
    }
    return GRACO_OK;
}

graco_status cuda_moment_backward(struct context *c, const struct moment *s, float *dZ)
{
    struct cuda_scratch scratch(c);
    cudaStream_t stream = state_of(c)->stream;
    struct moment_work w = {};
    int64_t d = s->d, m = s->samples;
    float *products = NULL, *weighted_sum = NULL;
    PASS(moment_open(&scratch, &w, s));
    PASS(scratch_take(&scratch, &products, w.wide * d, sizeof(float)));
    PASS(scratch_take(&scratch, &weighted_sum, d, sizeof(float)));
    PASS(moment_sum(&scratch, s, true, weighted_sum));
    if (s->among.own)
        PASS(exchange_sum_floats(c, weighted_sum, d));
    for (int64_t first = 0; first < s->n; first += w.chunk)
        PASS(
            backward_chunk(c, &w, first, least(w.chunk, s->n - first), weighted_sum, products, dZ));
    if (s->among.own)
        PASS(exchange_sum_floats(c, products, w.wide * d));
    /* V' Z is symmetric: its rows are its columns. */
    PASS(cuda_multiply(c, {dZ, d, w.rows, d, true}, d, operand_of(s->Z, d),
                       transpose_of(products + m * d, d)));
    if (m > 0) {
        add_pulled<<<(unsigned)m, 128, 0, stream>>>(w.spec, products, dZ);
        PASS_LAUNCH("the correction's pull");
    }
    return GRACO_OK;
}
