/* What happens before and after the sweeps over tiles: Z becomes an image in halves or padded
 * floats, and what each part left is added up in the order of the parts. */
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
            x[j] = node < t.n && col + j < t.d ? z[j] : 0;
        uint32_t pair[4];
        for (int j = 0; j < 4; j++)
            pair[j] = tile_pack(x[2 * j], x[2 * j + 1], (H *)NULL);
        to[i] = make_uint4(pair[0], pair[1], pair[2], pair[3]);
    }
}

/* Z in floats, padded: (rows, width), or transposed. */
template <bool turned>
__global__ static void make_floats(const __grid_constant__ struct tiles t, const float *Z,
                                   bool tf32, float *to)
{
    int64_t rows = tiles_rows(t), step = (int64_t)gridDim.x * BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < rows * t.width; i += step) {
        int64_t row = turned ? i % rows : i / t.width, col = turned ? i / rows : i % t.width;
        int64_t view = row * 2 / rows, node = row - view * (rows / 2);
        float x = node < t.n && col < t.d ? Z[(view * t.n + node) * t.d + col] : 0;
        to[i] = tf32 ? tile_tf32(x) : x;
    }
}

static void set_sizes(struct tiles *t, const struct contrast *s, int width)
{
    t->n = s->n;
    t->d = s->d;
    t->blocks = (s->n + TILE_ROWS - 1) / TILE_ROWS;
    t->width = width;
    t->within = s->within;
    t->scale = contrast_scale(s);
}

graco_status tiles_open(struct cuda_scratch *scratch, struct tiles *t, const struct contrast *s,
                        int width, bool bf16)
{
    struct cuda_state *state = state_of(scratch->context);
    uint4 *image = NULL;
    set_sizes(t, s, width);
    PASS(scratch_take(scratch, &image, tiles_rows(*t) * t->width / 8, sizeof *image));
    t->image = (const __half *)image;
    unsigned blocks = blocks_striding(state, tiles_rows(*t) * t->width / 8, BLOCK);
    if (bf16)
        make_image<__nv_bfloat16><<<blocks, BLOCK, 0, state->stream>>>(*t, s->Z, image);
    else
        make_image<__half><<<blocks, BLOCK, 0, state->stream>>>(*t, s->Z, image);
    PASS_LAUNCH("rounding to halves");
    return GRACO_OK;
}

/* Float32 reads columns of Z for similarities and rows for products with weights; TF32 reads rows
 * for both. */
static graco_status take_floats(struct cuda_scratch *scratch, struct tiles *t, const float *Z,
                                bool backward)
{
    struct cuda_state *state = state_of(scratch->context);
    bool tf32 = scratch->context->precision == PRECISION_TF32;
    int64_t count = tiles_rows(*t) * t->width;
    unsigned blocks = blocks_striding(state, count, BLOCK);
    float *floats = NULL, *turned = NULL;
    if (tf32 || backward) {
        PASS(scratch_take(scratch, &floats, count, sizeof *floats));
        make_floats<false><<<blocks, BLOCK, 0, state->stream>>>(*t, Z, tf32, floats);
    }
    if (!tf32) {
        PASS(scratch_take(scratch, &turned, count, sizeof *turned));
        make_floats<true><<<blocks, BLOCK, 0, state->stream>>>(*t, Z, false, turned);
    }
    t->floats = floats;
    t->turned = turned;
    PASS_LAUNCH("padding rows");
    return GRACO_OK;
}

/* Sizes and operands; each thread block of a sweep has one part of its tiles. */
static graco_status open_sweep(struct cuda_scratch *scratch, struct tiles *t,
                               const struct contrast *s, bool backward)
{
    struct cuda_state *state = state_of(scratch->context);
    bool half = scratch->context->precision == PRECISION_FP16;
    set_sizes(t, s, tile_width(s->d));
    int64_t total = !backward ? tiles_total<false>(*t)
                    : half    ? tiles_total<true>(*t)
                              : tiles_total<true, TILE_COLS>(*t);
    t->parts = (int)least(state->processors, total);
    return half ? tiles_open(scratch, t, s, t->width, false)
                : take_floats(scratch, t, s->Z, backward);
}

/* Adds up the row sums of all parts. A block has WARP rows of Z; each warp sums every eighth
 * part. */
__global__ static void __launch_bounds__(BLOCK)
    add_sums(const __grid_constant__ struct tiles t, double *between, double *within)
{
    __shared__ double room[2][BLOCK_WARPS][WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    int64_t i = (int64_t)blockIdx.x * WARP + lane, rows = tiles_rows(t);
    double own = 0, other = 0;
    const float *sums = t.sums + (i < t.n ? i : i - t.n + rows / 2);
#pragma unroll 4
    for (int part = warp; part < t.parts && i < 2 * t.n; part += BLOCK_WARPS) {
        own += (double)sums[2 * part * rows];
        other += (double)sums[(2 * part + 1) * rows];
    }
    room[0][warp][lane] = own;
    room[1][warp][lane] = other;
    __syncthreads();
    if (warp > 0 || i >= 2 * t.n)
        return;
    for (int k = 1; k < BLOCK_WARPS; k++) {
        own += room[0][k][lane];
        other += room[1][k][lane];
    }
    within[i] = own;
    between[i] = other;
}

graco_status tiles_forward(struct cuda_scratch *scratch, const struct contrast *s, double *between,
                           double *within)
{
    struct context *c = scratch->context;
    struct cuda_state *state = state_of(c);
    struct tiles t = {};
    PASS(open_sweep(scratch, &t, s, false));
    int64_t sums = 2 * t.parts * tiles_rows(t);
    PASS(scratch_take(scratch, &t.sums, sums, sizeof(float)));
    PASS(context_turn(c, TURN_FIRST));
    PASS(c->buffers->zero(c, t.sums, (size_t)sums * sizeof(float)));
    PASS(context_turn(c, TURN_JOIN));
    cudaError_t error =
        c->precision != PRECISION_FP16
            ? float_tiles_forward(t, c->precision == PRECISION_TF32, state->stream)
            : (state->wgmma ? tiles_forward_wgmma : tiles_forward_mma)(t, state->stream);
    PASS(cuda_check(error, "summing similarities"));
    add_sums<<<blocks_for(2 * s->n, WARP), BLOCK, 0, state->stream>>>(t, between, within);
    PASS_LAUNCH("summing similarities");
    return GRACO_OK;
}

/* 1 / D for padded rows. */
__global__ static void pad_inverse(const __grid_constant__ struct tiles t, const float *inverse,
                                   float *padded)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x, rows = tiles_rows(t);
    if (i >= rows)
        return;
    int64_t view = i * 2 / rows, node = i - view * (rows / 2);
    padded[i] = node < t.n ? inverse[view * t.n + node] : 0;
}

graco_status tiles_pad_inverse(struct cuda_scratch *scratch, struct tiles *t, const float *inverse)
{
    float *padded = NULL;
    PASS(scratch_take(scratch, &padded, tiles_rows(*t), sizeof(float)));
    t->inverse = padded;
    pad_inverse<<<blocks_for(tiles_rows(*t), BLOCK), BLOCK, 0,
                  state_of(scratch->context)->stream>>>(*t, inverse, padded);
    PASS_LAUNCH("padding");
    return GRACO_OK;
}

/* Adds what several parts have of a block of rows, in the order of the parts. Eight blocks of
 * threads per block of rows. */
template <int cols> __global__ static void add_shares(const __grid_constant__ struct tiles t)
{
    int64_t row = blockIdx.x, total = tiles_total<true, cols>(t);
    int64_t first = tiles_first<true, cols>(t, row);
    int64_t from = tiles_owner(total, t.parts, first);
    int64_t to = tiles_owner(total, t.parts, first + tiles_in_row<true, cols>(t, row) - 1);
    if (from == to)
        return;
    int64_t view = row / t.blocks, node = row % t.blocks * TILE_ROWS;
    int64_t rows = t.n - node < TILE_ROWS ? t.n - node : TILE_ROWS;
    for (int64_t i = blockIdx.y * BLOCK + threadIdx.x; i < rows * t.d; i += gridDim.y * BLOCK) {
        int64_t at = i / t.d * t.width + i % t.d;
        float sum = 0;
#pragma unroll 4
        for (int64_t part = from; part <= to; part++)
            sum += t.shares[(2 * part + (part == from)) * TILE_ROWS * t.width + at];
        t.dZ[(view * t.n + node) * t.d + i] = sum;
    }
}

graco_status tiles_backward(struct cuda_scratch *scratch, const struct contrast *s,
                            const float *inverse, float *dZ)
{
    struct context *c = scratch->context;
    struct cuda_state *state = state_of(c);
    struct tiles t = {};
    PASS(context_turn(c, TURN_ASIDE));
    PASS(open_sweep(scratch, &t, s, true));
    PASS(context_turn(c, TURN_BACK));
    PASS(tiles_pad_inverse(scratch, &t, inverse));
    PASS(context_turn(c, TURN_JOIN));
    PASS(scratch_take(scratch, &t.shares, 2 * t.parts * TILE_ROWS * (int64_t)t.width,
                      sizeof(float)));
    t.dZ = dZ;
    const dim3 adding((unsigned)(2 * t.blocks), 8);
    cudaError_t error =
        c->precision != PRECISION_FP16
            ? float_tiles_backward(t, c->precision == PRECISION_TF32, state->stream)
            : (state->wgmma ? tiles_backward_wgmma : tiles_backward_mma)(t, state->stream);
    PASS(cuda_check(error, "weighing similarities"));
    if (c->precision == PRECISION_FP16)
        add_shares<TILE_BACK_COLS><<<adding, BLOCK, 0, state->stream>>>(t);
    else
        add_shares<TILE_COLS><<<adding, BLOCK, 0, state->stream>>>(t);
    PASS_LAUNCH("adding gradients");
    return GRACO_OK;
}
