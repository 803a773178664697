/* The contrast in panels of similarities: the version to read first. cuda_tiles.cuh does the same
 * in one kernel per direction, with panels so small that they fit into registers. Panels serve over
 * ranks; on GPUs other than the H100 family in bf16, and in halves where rows are too wide for tiles;
 * and in floats on GPUs with too little shared memory for tiles (way_of in cuda_contrast.cu).
 *
 *                      columns: all of Z, or the other view's rows of it
 *                      +-------------+-------------+---
 *     rows of Z        |    panel    |    next     |        x_ij = z_i . z_j
 *                      +-------------+-------------+---
 *     the next rows    |             |             |
 *
 * A panel is some rows of the matrix of similarities by some columns, small enough to stay in the
 * GPU's cache between the kernels that make and use it. Forward: cuBLAS multiplies, exp_sums
 * exponentiates and sums each row. Backward: cuBLAS makes each panel again, `weigh` turns it into
 * the weights e_ij (1/D_i + 1/D_j), and cuBLAS multiplies those with Z.
 *
 * Over ranks the rows are this rank's. The columns are those of each rank in turn, whose rows of Z come
 * by messages (exchange_visit): every rank has all terms of its own rows, and sends no results. */
#include "compute/cuda/cuda_contrast.cuh"

extern "C" {
#include "compute/exchange.h"
}

#include <cuda_bf16.h>
#include <cuda_fp16.h>

/* One sweep over all panels. */
struct panel_sweep {
    struct context *context;
    const struct contrast *spec;
    int64_t most;             /* nodes of the rank that has most: n where there is one */
    cudaDataType operands;    /* what products multiply: floats, halves or bf16 */
    int64_t width;            /* d, rounded up where operands are not floats */
    const void *Z;            /* (2n, width) operands: the rows */
    void *room;               /* (2 most, width) for the columns of other ranks, where not floats */
    float *S;                 /* a panel of similarities */
    void *weights;            /* backward: a panel of operands; S where they are floats */
    double *between, *within; /* (2n) forward: row sums over the other and the own view */
    const float *inverse;     /* (2n) backward: 1 / D, scaled */
    float *dZ;                /* (2n, d) backward */
    /* The columns that are met now. */
    const void *columns;          /* (2 nodes, width) operands */
    int64_t nodes;                /* of their rank */
    const float *columns_inverse; /* (2 nodes) backward */
    bool own;                     /* they are the rows: a row meets itself and its partner */
};

/* Rows first .. first + rows - 1 by columns from .. from + cols - 1 of the similarities. */
struct panel {
    int64_t first, rows, from, cols, ld;
};

/* The columns in which rows of a view have terms. */
static void columns_of(const struct panel_sweep *sweep, int view, int64_t *from, int64_t *end)
{
    bool within = sweep->spec->within;
    *from = within || view == 1 ? 0 : sweep->nodes;
    *end = within || view == 0 ? 2 * sweep->nodes : sweep->nodes;
}

__device__ static inline void put(float *to, float x)
{
    *to = x;
}

__device__ static inline void put(__half *to, float x)
{
    *to = __float2half_rn(x);
}

__device__ static inline void put(__nv_bfloat16 *to, float x)
{
    *to = __float2bfloat16_rn(x);
}

template <typename T>
__global__ static void round_rows(int64_t rows, int64_t d, int64_t width, T *out, const float *Z)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rows * width; i += step) {
        int64_t row = i / width, col = i % width;
        put(&out[i], col < d ? Z[row * d + col] : 0);
    }
}

/* Z (2 nodes, d) as halves or bf16 in `to` (2 nodes, half_width(d)), as the context's precision has it. */
static graco_status round_block(struct context *c, void *to, int64_t nodes, int64_t d,
                                const float *Z)
{
    struct cuda_state *state = state_of(c);
    int64_t width = half_width(d);
    int blocks = (int)blocks_striding(state, 2 * nodes * width, BLOCK);
    if (c->precision == PRECISION_FP16)
        round_rows<__half>
            <<<blocks, BLOCK, 0, state->stream>>>(2 * nodes, d, width, (__half *)to, Z);
    else
        round_rows<__nv_bfloat16>
            <<<blocks, BLOCK, 0, state->stream>>>(2 * nodes, d, width, (__nv_bfloat16 *)to, Z);
    PASS_LAUNCH("rounding rows");
    return GRACO_OK;
}

graco_status panels_round(struct cuda_scratch *scratch, const struct contrast *s, const void **out)
{
    void *Z = NULL;
    PASS(scratch_take(scratch, &Z, 2 * s->n * half_width(s->d), HALF_BYTES));
    *out = Z;
    return round_block(scratch->context, Z, s->n, s->d, s->Z);
}

/* Sizes of panels for the rank that has most nodes. */
static struct contrast largest(const struct panel_sweep *sweep)
{
    struct contrast s = *sweep->spec;
    s.n = sweep->most;
    return s;
}

static graco_status open_sweep(struct cuda_scratch *scratch, struct panel_sweep *sweep,
                               const struct contrast *s, bool backward)
{
    struct context *c = scratch->context;
    sweep->context = c;
    sweep->spec = s;
    sweep->most = s->n;
    for (int r = 0; s->bounds && r < comm_ranks(c->comm); r++) {
        int64_t nodes = s->bounds[r + 1] - s->bounds[r];
        sweep->most = nodes > sweep->most ? nodes : sweep->most;
    }
    const struct contrast sizes = largest(sweep);
    int64_t floats = panel_rows(&sizes) * panel_cols(&sizes);
    sweep->operands = c->precision == PRECISION_FP16   ? CUDA_R_16F
                      : c->precision == PRECISION_BF16 ? CUDA_R_16BF
                                                       : CUDA_R_32F;
    sweep->width = s->d;
    sweep->Z = s->Z;
    PASS(scratch_take(scratch, &sweep->S, floats, sizeof(float)));
    sweep->weights = sweep->S;
    if (sweep->operands == CUDA_R_32F)
        return GRACO_OK;
    sweep->width = half_width(s->d);
    PASS(panels_round(scratch, s, &sweep->Z));
    if (s->bounds)
        PASS(scratch_take(scratch, &sweep->room, 2 * sweep->most * sweep->width, HALF_BYTES));
    if (backward)
        PASS(scratch_take(scratch, &sweep->weights, floats, HALF_BYTES));
    return GRACO_OK;
}

typedef graco_status visit_panel(struct context *c, struct panel_sweep *sweep,
                                 const struct panel *p);

/* Visits all panels of the columns that are met now, those of a row in the order of the columns. */
static graco_status visit_panels(struct panel_sweep *sweep, visit_panel *visit)
{
    const struct contrast *s = sweep->spec, sizes = largest(sweep);
    int64_t most = panel_rows(&sizes), from, end;
    for (int view = 0; view < 2; view++) {
        columns_of(sweep, view, &from, &end);
        for (int64_t row = 0; row < s->n; row += most)
            for (int64_t col = from; col < end; col += PANEL_COLS) {
                struct panel p = {view * s->n + row, least(most, s->n - row), col,
                                  least(PANEL_COLS, end - col), 0};
                p.ld = round_up(p.cols, HALF_GRAIN);
                PASS(visit(sweep->context, sweep, &p));
            }
    }
    return GRACO_OK;
}

struct block_visit {
    struct panel_sweep *sweep;
    visit_panel *visit;
};

/* The columns of one rank: its rows of Z, and backward their inverse. */
static graco_status visit_block(void *job, int rank, int64_t nodes,
                                const float *const block[EXCHANGE_ARRAYS])
{
    struct panel_sweep *sweep = ((struct block_visit *)job)->sweep;
    sweep->own = rank == comm_rank(sweep->context->comm);
    sweep->nodes = nodes;
    sweep->columns = sweep->own ? sweep->Z : sweep->room ? sweep->room : block[0];
    sweep->columns_inverse = block[1];
    if (!sweep->own && sweep->room)
        PASS(round_block(sweep->context, sweep->room, nodes, sweep->spec->d, block[0]));
    return visit_panels(sweep, ((struct block_visit *)job)->visit);
}

/* Visits the panels of all columns. */
static graco_status visit_all(struct panel_sweep *sweep, visit_panel *visit)
{
    const struct contrast *s = sweep->spec;
    struct block_visit job = {sweep, visit};
    const float *own[EXCHANGE_ARRAYS] = {s->Z, sweep->inverse};
    if (!s->bounds)
        return visit_block(&job, comm_rank(sweep->context->comm), s->n, own);
    struct exchange_blocks blocks = {
        s->bounds, sweep->inverse ? 2 : 1, {2 * s->d, 2}, {s->Z, sweep->inverse}};
    return exchange_visit(sweep->context, &blocks, visit_block, &job);
}

/* Rows of Z from that one on, as products read them. */
static struct operand rows_of(const struct panel_sweep *sweep, const void *Z, int64_t row,
                              bool transposed)
{
    int64_t bytes = sweep->width * (sweep->operands == CUDA_R_32F ? 4 : (int)HALF_BYTES);
    return {(const char *)Z + row * bytes, sweep->width, transposed};
}

graco_status panels_multiply(struct context *c, cudaDataType operands, struct result C, int64_t k,
                             struct operand A, struct operand B)
{
    const struct cuda_state *s = state_of(c);
    const float one = 1, beta = C.accumulate ? 1 : 0;
    if (operands == CUDA_R_32F)
        return cuda_multiply(c, C, k, A, B);
    return cuda_check_blas(s->call.gemm(s->blas, B.transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                                        A.transposed ? CUBLAS_OP_T : CUBLAS_OP_N, C.n, C.m, k, &one,
                                        B.data, operands, B.ld, A.data, operands, A.ld, &beta,
                                        C.data, CUDA_R_32F, C.ld, CUBLAS_COMPUTE_32F,
                                        CUBLAS_GEMM_DEFAULT),
                           "a product of halves");
}

graco_status cuda_half_product(struct context *c, int64_t side, float *C, const uint16_t *A,
                               const uint16_t *B)
{
    return panels_multiply(c, CUDA_R_16F, {C, side, side, side, false}, side, operand_of(A, side),
                           transpose_of(B, side));
}

static graco_status similarities(struct context *c, const struct panel_sweep *sweep,
                                 const struct panel *p)
{
    return panels_multiply(c, sweep->operands, {sweep->S, p->ld, p->rows, p->cols, false},
                           sweep->width, rows_of(sweep, sweep->Z, p->first, false),
                           rows_of(sweep, sweep->columns, p->from, true));
}

/* ---- Forward --------------------------------------------------------------------------------- */

/* Rows and columns of a panel: nodes of either, and whether a column may be the row itself. */
struct panel_sides {
    int64_t n, nodes;
    bool own;
};

static struct panel_sides sides_of(const struct panel_sweep *sweep)
{
    return {sweep->spec->n, sweep->nodes, sweep->own};
}

/* A block per row: sums of exp((x - 1) / tau) over its own and over the other view. */
__global__ static void __launch_bounds__(BLOCK)
    exp_sums(struct panel p, struct panel_sides sides, const float *S, float scale, double *between,
             double *within)
{
    __shared__ double room[BLOCK_WARPS];
    int64_t row = p.first + blockIdx.x, itself = sides.own ? row : -1;
    const float *x = S + blockIdx.x * p.ld;
    bool second = row >= sides.n;
    float sum[2] = {0, 0}; /* over the first and the second view's columns */
    for (int64_t j = threadIdx.x; j < p.cols; j += BLOCK) {
        float e = p.from + j == itself ? 0 : exp2f((x[j] - 1) * scale);
        if (p.from + j < sides.nodes)
            sum[0] += e;
        else
            sum[1] += e;
    }
    double a = block_sum((double)sum[0], room), b = block_sum((double)sum[1], room);
    if (threadIdx.x > 0)
        return;
    between[row] += second ? a : b;
    within[row] += second ? b : a;
}

static graco_status forward_panel(struct context *c, struct panel_sweep *sweep,
                                  const struct panel *p)
{
    PASS(similarities(c, sweep, p));
    exp_sums<<<(unsigned)p->rows, BLOCK, 0, state_of(c)->stream>>>(
        *p, sides_of(sweep), sweep->S, contrast_scale(sweep->spec), sweep->between, sweep->within);
    PASS_LAUNCH("summing similarities");
    return GRACO_OK;
}

graco_status panels_forward(struct cuda_scratch *scratch, const struct contrast *s,
                            struct row_sums *sums)
{
    struct panel_sweep sweep = {};
    PASS(sums_open(scratch, sums, s->n));
    sweep.between = sums->between;
    sweep.within = sums->within;
    PASS(open_sweep(scratch, &sweep, s, false));
    return visit_all(&sweep, forward_panel);
}

/* ---- Backward -------------------------------------------------------------------------------- */

/* W = e_ij (1/D_i + 1/D_j), without the row itself and its partner. W may be S. */
template <typename T>
__global__ static void __launch_bounds__(BLOCK)
    weigh(struct panel p, struct panel_sides sides, const float *S, T *W, float scale,
          const float *inverse, const float *columns_inverse)
{
    int64_t n = sides.n, row = p.first + blockIdx.x, partner = row < n ? row + n : row - n;
    const float *x = S + blockIdx.x * p.ld;
    T *w = W + blockIdx.x * p.ld;
    float own = inverse[row];
    for (int64_t j = threadIdx.x; j < p.cols; j += BLOCK) {
        int64_t col = p.from + j;
        float e = exp2f((x[j] - 1) * scale) * (own + columns_inverse[col]);
        put(&w[j], sides.own && (col == row || col == partner) ? 0 : e);
    }
}

template <typename T>
static void launch_weigh(const struct panel_sweep *sweep, const struct panel *p, T *W)
{
    weigh<T><<<(unsigned)p->rows, BLOCK, 0, state_of(sweep->context)->stream>>>(
        *p, sides_of(sweep), sweep->S, W, contrast_scale(sweep->spec), sweep->inverse,
        sweep->columns_inverse);
}

static graco_status backward_panel(struct context *c, struct panel_sweep *sweep,
                                   const struct panel *p)
{
    const struct contrast *s = sweep->spec;
    float *dZ = sweep->dZ + p->first * s->d;
    int64_t from, end;
    columns_of(sweep, p->first >= s->n, &from, &end);
    PASS(similarities(c, sweep, p));
    if (sweep->operands == CUDA_R_16F)
        launch_weigh(sweep, p, (__half *)sweep->weights);
    else if (sweep->operands == CUDA_R_16BF)
        launch_weigh(sweep, p, (__nv_bfloat16 *)sweep->weights);
    else
        launch_weigh(sweep, p, sweep->S);
    PASS_LAUNCH("weighing similarities");
    /* Later panels of a row add; the own columns come first. */
    return panels_multiply(
        c, sweep->operands, {dZ, s->d, p->rows, s->d, !sweep->own || p->from != from}, p->cols,
        operand_of(sweep->weights, p->ld), rows_of(sweep, sweep->columns, p->from, false));
}

__global__ static void invert(int64_t rows, const double *D, float factor, float *inverse)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < rows)
        inverse[i] = (float)(factor / D[i]);
}

graco_status panels_backward(struct cuda_scratch *scratch, const struct contrast *s, float factor,
                             float *dZ, struct tiles *)
{
    cudaStream_t stream = state_of(scratch->context)->stream;
    struct panel_sweep sweep = {};
    float *inverse = NULL;
    PASS(scratch_take(scratch, &inverse, 2 * s->n, sizeof(float)));
    invert<<<blocks_for(2 * s->n, BLOCK), BLOCK, 0, stream>>>(2 * s->n, s->D, factor, inverse);
    PASS_LAUNCH("inverting sums");
    sweep.inverse = inverse;
    sweep.dZ = dZ;
    PASS(open_sweep(scratch, &sweep, s, true));
    return visit_all(&sweep, backward_panel);
}
