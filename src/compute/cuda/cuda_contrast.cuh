/* The ways through the matrix of similarities: in panels, which is the one to read first, in tiles,
 * and in panels of tiles for wide rows. Each takes its buffers from `scratch`. */
#ifndef COMPUTE_CUDA_CUDA_CONTRAST_CUH
#define COMPUTE_CUDA_CUDA_CONTRAST_CUH

#include "compute/cuda/cuda_device.cuh"

/* exp((x - 1) / tau) = 2^(scale (x - 1)). */
static inline float contrast_scale(const struct contrast *s)
{
    return (float)(1.44269504088896340736 / s->tau);
}

static inline int64_t round_up(int64_t x, int64_t grain)
{
    return (x + grain - 1) / grain * grain;
}

/* Row sums of exp((x - 1) / tau) as a way leaves them: over the other view and over the own one, or in parts that are
 * still to be added up. */
struct row_sums {
    double *between, *within; /* (2n), unless there are parts */
    const float *parts;       /* (count, 2, rows) within, between; each view's rows are padded */
    int count;                /* 0: no parts */
    int64_t rows;
    double unit;    /* that the parts are still to be multiplied by */
    float *inverse; /* (rows) gets factor / D for the way back, but for padding; NULL: not wanted */
};

graco_status panels_forward(struct cuda_scratch *scratch, const struct contrast *s,
                            struct row_sums *sums);
graco_status tiles_forward(struct cuda_scratch *scratch, const struct contrast *s,
                           struct row_sums *sums);
graco_status wide_forward(struct cuda_scratch *scratch, const struct contrast *s,
                          struct row_sums *sums);

/* dZ_i = sum of e_ij factor (1/D_i + 1/D_j) z_j over j that are neither i nor its partner. Tiles leave some rows in
 * shares, still to be added up: left->shares. */
struct tiles;
graco_status panels_backward(struct cuda_scratch *scratch, const struct contrast *s, float factor,
                             float *dZ, struct tiles *left);
graco_status tiles_backward(struct cuda_scratch *scratch, const struct contrast *s, float factor,
                            float *dZ, struct tiles *left);
graco_status wide_backward(struct cuda_scratch *scratch, const struct contrast *s, float factor,
                           float *dZ, struct tiles *left);

/* What follows a way: D and the loss; and the gradient, from what the way left. */
graco_status contrast_losses(struct cuda_scratch *scratch, struct contrast *s,
                             const struct row_sums *sums);
graco_status contrast_gradient(struct context *c, const struct contrast *s,
                               const struct tiles &left, float factor, float *dZ);

/* Room for sums, cleared. */
static inline graco_status sums_open(struct cuda_scratch *scratch, struct row_sums *sums, int64_t n)
{
    struct context *c = scratch->context;
    const size_t bytes = (size_t)(2 * n) * sizeof(double);
    PASS(scratch_take(scratch, &sums->between, 2 * n, sizeof(double)));
    PASS(scratch_take(scratch, &sums->within, 2 * n, sizeof(double)));
    PASS(c->buffers->zero(c, sums->between, bytes));
    return c->buffers->zero(c, sums->within, bytes);
}

/* What the ways in panels share: Z in halves or bf16, (2n, half_width(d)), as the context's precision
 * has it; and C (+)= op(A) op(B), of such operands or of floats. */
graco_status panels_round(struct cuda_scratch *scratch, const struct contrast *s, const void **out);
graco_status panels_multiply(struct context *c, cudaDataType operands, struct result C, int64_t k,
                             struct operand A, struct operand B);

/* The whole of both kernels for several graphs. */
graco_status graphs_forward(struct cuda_scratch *scratch, struct contrast *s);
graco_status graphs_backward(struct context *c, const struct contrast *s, float *dZ);

#endif
