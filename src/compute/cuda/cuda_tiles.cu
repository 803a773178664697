/* What happens before the sweeps over tiles: Z becomes an image in halves or padded floats. What each part leaves is
 * added up in the order of the parts, by cuda_contrast.cu. */
#include "compute/cuda/cuda_contrast.cuh"
#include "compute/cuda/cuda_tiles.cuh"

/* Z as struct tiles wants it; a thread makes a chunk of eight halves. */
template <typename H>
__global__ static void make_image(const __grid_constant__ struct tiles t, const float *Z, uint4 *to)
{
    int64_t rows = tiles_rows(t), chunks = rows * t.width / 8, step = (int64_t)gridDim.x * BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < chunks; i += step) {
        int64_t row = i / 8 % rows, slab = i / 8 / rows, view = row * 2 / rows;
        int64_t node = row - view * (rows / 2);
        int64_t col = slab * TILE_SLAB + ((i ^ row) % 8) * 8;
        const float *z = Z + (view * t.n + node) * t.d + col;
        float x[8];
        for (int j = 0; j < 8; j++)
            x[j] = node < t.n && col + j < t.d ? z[j] * t.root : 0;
        uint32_t pair[4];
        for (int j = 0; j < 4; j++)
            pair[j] = tile_pack(x[2 * j], x[2 * j + 1], (H *)NULL);
        to[i] = make_uint4(pair[0], pair[1], pair[2], pair[3]);
    }
}

/* Z in floats, padded: (rows, width), rounded to TF32; or transposed. */
template <bool turned>
__global__ static void make_floats(const __grid_constant__ struct tiles t, const float *Z,
                                   float *to)
{
    int64_t rows = tiles_rows(t), step = (int64_t)gridDim.x * BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < rows * t.width; i += step) {
        int64_t row = turned ? i % rows : i / t.width, col = turned ? i / rows : i % t.width;
        int64_t view = row * 2 / rows, node = row - view * (rows / 2);
        float x = node < t.n && col < t.d ? Z[(view * t.n + node) * t.d + col] : 0;
        to[i] = turned ? x : tile_tf32(x);
    }
}

static void set_sizes(struct tiles *t, const struct contrast *s, int width, bool scaled)
{
    t->n = s->n;
    t->d = s->d;
    t->blocks = (s->n + TILE_ROWS - 1) / TILE_ROWS;
    t->width = width;
    t->within = s->within;
    t->scale = contrast_scale(s);
    t->scaled = scaled;
    t->root = scaled ? sqrtf(t->scale) : 1;
    t->unit = scaled ? exp2(-(double)t->root * (double)t->root) : 1;
}

/* The image for tiles of halves. Where they are multiplied ahead the root of scale multiplies it: exponentials are
 * 2^(scale x) then, without the factor 2^-scale, and sums of them must stay numbers. */
static enum tile_operands halves_of(struct context *c, const struct contrast *s)
{
    const float scale_most = 90; /* 2^90, times 2^32 rows */
    return state_of(c)->ahead && contrast_scale(s) <= scale_most ? TILE_HALVES_SCALED : TILE_HALVES;
}

graco_status tiles_open(struct cuda_scratch *scratch, struct tiles *t, const struct contrast *s,
                        int width, enum tile_operands operands)
{
    struct cuda_state *state = state_of(scratch->context);
    uint4 *image = (uint4 *)s->image;
    set_sizes(t, s, width, operands == TILE_HALVES_SCALED);
    if (!image)
        PASS(scratch_take(scratch, &image, tiles_rows(*t) * t->width / 8, sizeof *image));
    t->image = (const __half *)image;
    unsigned blocks = blocks_striding(state, tiles_rows(*t) * t->width / 8, BLOCK);
    if (operands == TILE_BF16)
        make_image<__nv_bfloat16><<<blocks, BLOCK, 0, state->stream>>>(*t, s->Z, image);
    else
        make_image<__half><<<blocks, BLOCK, 0, state->stream>>>(*t, s->Z, image);
    PASS_LAUNCH("rounding to halves");
    return GRACO_OK;
}

/* Float32 reads columns of Z, TF32 rows. */
graco_status tiles_open_floats(struct cuda_scratch *scratch, struct tiles *t,
                               const struct contrast *s)
{
    struct cuda_state *state = state_of(scratch->context);
    float *floats = NULL;
    set_sizes(t, s, wide_width(s->d), false);
    int64_t count = tiles_rows(*t) * t->width;
    unsigned blocks = blocks_striding(state, count, BLOCK);
    PASS(scratch_take(scratch, &floats, count, sizeof *floats));
    if (scratch->context->precision == PRECISION_TF32) {
        t->floats = floats;
        make_floats<false><<<blocks, BLOCK, 0, state->stream>>>(*t, s->Z, floats);
    } else {
        t->turned = floats;
        make_floats<true><<<blocks, BLOCK, 0, state->stream>>>(*t, s->Z, floats);
    }
    PASS_LAUNCH("padding rows");
    return GRACO_OK;
}

/* Where 1 / D is kept for the backward kernel: behind Z in halves. */
static float *kept_inverse(const struct contrast *s, const struct tiles &t)
{
    return s->image ? (float *)((__half *)s->image + tiles_rows(t) * t.width) : NULL;
}

graco_status tiles_forward(struct cuda_scratch *scratch, const struct contrast *s,
                           struct row_sums *all)
{
    struct context *c = scratch->context;
    struct cuda_state *state = state_of(c);
    struct tiles t = {};
    bool half = c->precision == PRECISION_FP16;
    PASS(half ? tiles_open(scratch, &t, s, tile_width(s->d), halves_of(c, s))
              : tiles_open_floats(scratch, &t, s));
    t.parts = (int)least((half ? 1 : FLOAT_TILES_SHARE) * state->processors, tiles_total<false>(t));
    int64_t sums = 2 * t.parts * tiles_rows(t);
    PASS(scratch_take(scratch, &t.sums, sums, sizeof(float)));
    PASS(context_turn(c, TURN_FIRST));
    PASS(c->buffers->zero(c, t.sums, (size_t)sums * sizeof(float)));
    PASS(context_turn(c, TURN_JOIN));
    cudaError_t error = !half
                            ? float_tiles_forward(t, c->precision == PRECISION_TF32, state->stream)
                        : t.scaled ? tiles_forward_ahead(t, state->stream)
                                   : tiles_forward_mma(t, state->stream);
    PASS(cuda_check(error, "summing similarities"));
    *all = {NULL, NULL, t.sums, t.parts, tiles_rows(t), t.unit, kept_inverse(s, t)};
    return GRACO_OK;
}

/* factor / D for padded rows. */
__global__ static void invert(const __grid_constant__ struct tiles t, const double *D,
                              double factor, float *inverse)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x, rows = tiles_rows(t);
    if (i >= rows)
        return;
    int64_t view = i * 2 / rows, node = i - view * (rows / 2);
    inverse[i] = node < t.n ? (float)(factor / D[view * t.n + node]) : 0;
}

graco_status tiles_invert(struct cuda_scratch *scratch, struct tiles *t, const double *D,
                          double factor)
{
    float *inverse = NULL;
    PASS(scratch_take(scratch, &inverse, tiles_rows(*t), sizeof(float)));
    t->inverse = inverse;
    unsigned blocks = blocks_for(tiles_rows(*t), BLOCK);
    invert<<<blocks, BLOCK, 0, state_of(scratch->context)->stream>>>(*t, D, factor, inverse);
    PASS_LAUNCH("inverting sums");
    return GRACO_OK;
}

/* Z and 1 / D as the forward kernel kept them, or made again. */
static graco_status open_backward(struct cuda_scratch *scratch, struct tiles *t,
                                  const struct contrast *s, float factor)
{
    struct context *c = scratch->context;
    enum tile_operands operands = halves_of(c, s);
    if (s->image) {
        set_sizes(t, s, tile_width(s->d), operands == TILE_HALVES_SCALED);
        t->image = (const __half *)s->image;
        t->inverse = kept_inverse(s, *t);
        return GRACO_OK;
    }
    PASS(context_turn(c, TURN_ASIDE));
    PASS(tiles_open(scratch, t, s, tile_width(s->d), operands));
    PASS(context_turn(c, TURN_BACK));
    PASS(tiles_invert(scratch, t, s->D, factor * t->unit));
    return context_turn(c, TURN_JOIN);
}

graco_status tiles_backward(struct cuda_scratch *scratch, const struct contrast *s, float factor,
                            float *dZ, struct tiles *left)
{
    struct cuda_state *state = state_of(scratch->context);
    struct tiles t = {};
    PASS(open_backward(scratch, &t, s, factor));
    t.parts = (int)least(state->processors, tiles_total<true>(t));
    PASS(scratch_take(scratch, &t.shares, 2 * t.parts * TILE_ROWS * (int64_t)t.width,
                      sizeof(float)));
    t.dZ = dZ;
    cudaError_t error =
        t.scaled && t.width <= TILE_AHEAD_BACK_MAX
            ? tiles_backward_ahead(t, state->stream)
            : (state->wgmma ? tiles_backward_wgmma : tiles_backward_mma)(t, state->stream);
    PASS(cuda_check(error, "weighing similarities"));
    *left = t;
    return GRACO_OK;
}
