/* The two ways through the matrix of similarities: in panels, which is the one to read first, and
 * in tiles. Either takes its buffers from `scratch`. */
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

/* Row sums of exp((x - 1) / tau) over the other view and over the own one: (2n) each. */
graco_status panels_forward(struct cuda_scratch *scratch, const struct contrast *s, double *between,
                            double *within);
graco_status tiles_forward(struct cuda_scratch *scratch, const struct contrast *s, double *between,
                           double *within);

/* dZ_i = sum of e_ij (inverse_i + inverse_j) z_j over j that are neither i nor its partner. */
graco_status panels_backward(struct cuda_scratch *scratch, const struct contrast *s,
                             const float *inverse, float *dZ);
graco_status tiles_backward(struct cuda_scratch *scratch, const struct contrast *s,
                            const float *inverse, float *dZ);

/* The whole of both kernels for several graphs. */
graco_status graphs_forward(struct cuda_scratch *scratch, struct contrast *s);
graco_status graphs_backward(struct context *c, const struct contrast *s, float *dZ);

#endif
