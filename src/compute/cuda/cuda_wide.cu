/* What happens around the panels of tiles: which there are, what becomes of their sums, and the
 * products of their weights. Forward they serve wide rows and bf16, backward floats too. */
#include "compute/cuda/cuda_contrast.cuh"
#include "compute/cuda/cuda_wide.cuh"

static bool bf16_of(const struct context *c)
{
    return c->precision == PRECISION_BF16;
}

static bool floats_of(const struct context *c)
{
    return c->precision <= PRECISION_TF32;
}

static graco_status open_panels(struct cuda_scratch *scratch, struct wide *p,
                                const struct contrast *s)
{
    if (floats_of(scratch->context))
        return tiles_open_floats(scratch, &p->t, s);
    return tiles_open(scratch, &p->t, s, wide_width(s->d),
                      bf16_of(scratch->context) ? TILE_BF16 : TILE_HALVES);
}

/* ---- Forward --------------------------------------------------------------------------------- */

/* Adds the sums of a panel's tiles: a thread per row for blockIdx.y 0, per column for 1. */
__global__ static void add_panel(const __grid_constant__ struct wide p, double *between,
                                 double *within)
{
    bool rows = blockIdx.y == 0;
    int64_t count = (int64_t)(rows ? p.rows : p.cols) * TILE_ROWS, tiles = rows ? p.cols : p.rows;
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x, first = rows ? p.row : p.col;
    const float *sums = rows ? p.row_sums : p.col_sums;
    bool second = first >= p.t.blocks;
    int64_t node = (first - (second ? p.t.blocks : 0)) * TILE_ROWS + i;
    if (i >= count || node >= p.t.n)
        return;
    double total = 0;
#pragma unroll 8
    for (int64_t k = 0; k < tiles; k++)
        total += (double)sums[k * count + i];
    double *to = (p.row < p.t.blocks) == (p.col < p.t.blocks) ? within : between;
    to[(second ? p.t.n : 0) + node] += total;
}

graco_status wide_forward(struct cuda_scratch *scratch, const struct contrast *s,
                          struct row_sums *all)
{
    struct context *c = scratch->context;
    struct cuda_state *state = state_of(c);
    struct wide p = {};
    int64_t side = wide_side(s->n, false), sums = side * side * TILE_ROWS;
    int a = 0, b = 0;
    PASS(sums_open(scratch, all, s->n));
    PASS(open_panels(scratch, &p, s));
    PASS(scratch_take(scratch, &p.row_sums, sums, sizeof(float)));
    PASS(scratch_take(scratch, &p.col_sums, sums, sizeof(float)));
    while (wide_next(&p, wide_pieces(s->n, false), &a, &b)) {
        p.shares = wide_shares(p.rows, p.cols, state->processors);
        PASS(cuda_check(wide_sums_wgmma(p, bf16_of(c), state->stream), "summing similarities"));
        /* A panel of rows with themselves has each pair twice. */
        unsigned blocks = blocks_for((p.rows > p.cols ? p.rows : p.cols) * TILE_ROWS, BLOCK);
        add_panel<<<dim3(blocks, p.row == p.col ? 1 : 2), BLOCK, 0, state->stream>>>(
            p, all->between, all->within);
        PASS_LAUNCH("summing similarities");
    }
    return GRACO_OK;
}

/* ---- Backward -------------------------------------------------------------------------------- */

static cudaError_t make_weights(struct context *c, const struct wide &p)
{
    cudaStream_t stream = state_of(c)->stream;
    return floats_of(c) ? float_weights(p, c->precision == PRECISION_TF32, stream)
                        : wide_weights_wgmma(p, bf16_of(c), stream);
}

/* Bytes of a weight, and of a number of Z. */
static int weight_bytes(const struct context *c)
{
    return floats_of(c) ? (int)sizeof(float) : (int)HALF_BYTES;
}

/* dZ of the rows from block `to` on += W, or W', times the rows of Z from block `from` on. */
static graco_status add_product(struct context *c, const struct wide *p, const void *Z, int to,
                                int from, bool transposed)
{
    const struct tiles &t = p->t;
    int64_t ld = floats_of(c) ? t.d : half_width(t.d);
    int64_t first = to < t.blocks ? to * TILE_ROWS : t.n + (to - t.blocks) * TILE_ROWS;
    int64_t other = from < t.blocks ? from * TILE_ROWS : t.n + (from - t.blocks) * TILE_ROWS;
    int64_t rows = tiles_filled(t, p->row, p->rows), cols = tiles_filled(t, p->col, p->cols);
    cudaDataType operands = floats_of(c) ? CUDA_R_32F : bf16_of(c) ? CUDA_R_16BF : CUDA_R_16F;
    return panels_multiply(
        c, operands, {t.dZ + first * t.d, t.d, transposed ? cols : rows, t.d, true},
        transposed ? rows : cols, {p->weights, (int64_t)p->cols * TILE_COLS, transposed},
        operand_of((const char *)Z + other * ld * weight_bytes(c), ld));
}

graco_status wide_backward(struct cuda_scratch *scratch, const struct contrast *s, float factor,
                           float *dZ, struct tiles *)
{
    struct context *c = scratch->context;
    struct cuda_state *state = state_of(c);
    struct wide p = {};
    const void *Z = s->Z;
    int64_t side = wide_side(s->n, true) * TILE_ROWS;
    int a = 0, b = 0;
    PASS(open_panels(scratch, &p, s));
    PASS(tiles_invert(scratch, &p.t, s->D, factor));
    if (!floats_of(c))
        PASS(panels_round(scratch, s, &Z));
    PASS(scratch_take(scratch, &p.weights, side * side, (size_t)weight_bytes(c)));
    p.t.dZ = dZ;
    PASS(c->buffers->zero(c, dZ, (size_t)(2 * s->n * s->d) * sizeof(float)));
    while (wide_next(&p, wide_pieces(s->n, true), &a, &b)) {
        p.shares = wide_shares(p.rows, p.cols, state->processors);
        PASS(cuda_check(make_weights(c, p), "weighing similarities"));
        PASS(add_product(c, &p, Z, p.row, p.col, false));
        if (p.row != p.col)
            PASS(add_product(c, &p, Z, p.col, p.row, true));
    }
    return GRACO_OK;
}
