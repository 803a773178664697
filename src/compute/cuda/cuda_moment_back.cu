/* The gradient of the moment objective. */
#include "compute/cuda/cuda_moment.cuh"

__global__ static void find_weights(struct work w)
{
    int64_t row = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (row < w.rows)
        w.weight[row] = w.spec.floor[row] ? 0.0f : (float)(1 / w.spec.D[row]);
}

/* What the parts of the gradient are multiplied by; all of it is over 2n. */
struct row_factors {
    float own, tau, c1, c2, pull, residual;
    int64_t self, partner; /* places in the sample */
};

__device__ static inline float residual(const struct row_factors &f, float x, int64_t j)
{
    float r = expf((x - 1) * f.tau) * f.tau - f.c1 - f.c2 * x;
    return j == f.self || j == f.partner ? 0 : f.residual * r;
}

/* XT becomes [R | V]: R = weight (2n - 2) / terms times r_ij, zero for the row itself and its
 * partner, and V = weight times the row. dZ gets all of the gradient but R S + 2 c2 Z M_w, which
 * products add. A warp per row, `wide` numbers of it at a time. */
template <int wide>
__global__ static void __launch_bounds__(BLOCK)
    gradient_rows(struct work w, int64_t first, int64_t count, const float *weighted_sum, float *dZ)
{
    const struct moment &s = w.spec;
    int64_t i = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP;
    int lane = threadIdx.x % WARP;
    if (i >= count)
        return;
    int64_t row = first + i, other = partner_of(s, row);
    const group<wide> *z = groups<wide>(s.Z + row * s.d), *zp = groups<wide>(s.Z + other * s.d);
    const group<wide> *sum = groups<wide>(s.moments + s.d * s.d), *ws = groups<wide>(weighted_sum);
    group<wide> *x = (group<wide> *)(w.XT + i * w.wide), *t = x + s.samples / wide;
    group<wide> *dz = (group<wide> *)(dZ + row * s.d);
    double pi = warp_dot(s.Z + row * s.d, s.Z + other * s.d, s.d), rows = (double)w.rows;
    float weight = w.weight[row], both = weight + w.weight[other];
    float e = expf((float)((pi - 1) / s.tau)) / (float)s.tau;
    struct row_factors f = {(float)((double)weight / rows),
                            (float)(1 / s.tau),
                            (float)s.fitted[1],
                            (float)(2 * s.fitted[2]),
                            0,
                            0,
                            -1,
                            -1};
    f.pull = (float)(((1 / s.D[row] + 1 / s.D[other]) * (double)e - 2 / s.tau -
                      (double)both * (s.fitted[1] + 2 * s.fitted[2] * pi)) /
                     rows);
    for (int64_t j = lane; j < s.d / wide; j += WARP) {
        group<wide> a = z[j], b = zp[j], c = t[j], m = sum[j], v = ws[j];
#pragma unroll
        for (int k = 0; k < wide; k++) {
            c.x[k] = f.own * (f.c1 * m.x[k] + f.c2 * c.x[k]) + v.x[k] + f.pull * b.x[k];
            a.x[k] *= weight;
        }
        dz[j] = c;
        t[j] = a;
    }
    if (s.samples == 0)
        return;
    f.self = w.where[row];
    f.partner = w.where[other];
    f.residual = (float)((double)weight * (rows - 2) / terms_of(w, row) / rows);
    for (int64_t j = lane; j < s.samples / wide; j += WARP) {
        group<wide> a = x[j];
#pragma unroll
        for (int k = 0; k < wide; k++)
            a.x[k] = residual(f, a.x[k], wide * j + k);
        x[j] = a;
    }
}

/* M_w times 2 c2 and s_w times c1, over 2n: what they are multiplied by in the gradient. */
__global__ static void scale_numbers(int64_t count, float *x, double rows, double more,
                                     const double *coefficient)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        x[i] *= (float)(more * *coefficient / rows);
}

/* What the other rows' corrections pull at the sampled rows. A block per sampled row. */
__global__ static void add_pulled(struct moment s, const float *pulled, float *dZ)
{
    float *dz = dZ + s.sample[blockIdx.x] * s.d;
    for (int64_t j = threadIdx.x; j < s.d; j += blockDim.x)
        dz[j] += pulled[blockIdx.x * s.d + j];
}

/* `products` (m + d, d) gathers [R | V]' Z over the chunks. */
static graco_status backward_chunk(struct context *c, struct work *w, int64_t first, int64_t count,
                                   const float *weighted_sum, float *products, float *dZ)
{
    const struct moment *s = &w->spec;
    int64_t d = s->d, m = s->samples;
    unsigned blocks = blocks_for(count, BLOCK_WARPS);
    const float *Z = s->Z + first * d;
    if (!s->kept)
        PASS(moment_products(c, w, first, count));
    (fours(w) ? gradient_rows<4> : gradient_rows<1>)<<<blocks, BLOCK, 0, state_of(c)->stream>>>(
        *w, first, count, weighted_sum, dZ);
    PASS_LAUNCH("the gradient of the objective");
    struct gemm gather = {
        true, false, w->wide, d, count, w->XT, w->wide, Z, d, first > 0 ? 1.0f : 0.0f, products, d};
    struct gemm apply = {false, false, count,          d, m, w->XT, w->wide, w->stack,
                         d,     1,     dZ + first * d, d};
    PASS(cuda_gemm(c, &gather));
    return m > 0 ? cuda_gemm(c, &apply) : GRACO_OK;
}

static graco_status backward(struct cuda_scratch *scratch, const struct moment *s, float *dZ)
{
    struct context *c = scratch->context;
    cudaStream_t stream = state_of(c)->stream;
    struct work w = {};
    int64_t d = s->d, m = s->samples;
    double rows = (double)(2 * s->n);
    float *products = NULL, *weighted_sum = NULL;
    PASS(moment_open(scratch, &w, s));
    PASS(scratch_take(scratch, &w.weight, w.rows, sizeof(float)));
    PASS(scratch_take(scratch, &products, w.wide * d, sizeof(float)));
    PASS(scratch_take(scratch, &weighted_sum, d, sizeof(float)));
    if (!s->kept)
        PASS(c->backend->copy(c, w.stack + m * d, s->moments, (size_t)(d * d) * sizeof(float)));
    find_weights<<<blocks_for(w.rows, BLOCK), BLOCK, 0, stream>>>(w);
    PASS_LAUNCH("weighing rows");
    PASS(moment_sum(scratch, &w, w.weight, weighted_sum));
    scale_numbers<<<blocks_for(d, BLOCK), BLOCK, 0, stream>>>(d, weighted_sum, rows, 1,
                                                              s->fitted + 1);
    PASS_LAUNCH("scaling moments");
    for (int64_t first = 0; first < w.rows; first += w.chunk)
        PASS(backward_chunk(c, &w, first, least(w.chunk, w.rows - first), weighted_sum, products,
                            dZ));
    float *weighted = products + m * d;
    scale_numbers<<<blocks_for(d * d, BLOCK), BLOCK, 0, stream>>>(d * d, weighted, rows, 2,
                                                                  s->fitted + 2);
    PASS_LAUNCH("scaling moments");
    struct gemm g = {false, false, w.rows, d, d, s->Z, d, weighted, d, 1, dZ, d};
    PASS(cuda_gemm(c, &g));
    if (m > 0) {
        add_pulled<<<(unsigned)m, 128, 0, stream>>>(w.spec, products, dZ);
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
