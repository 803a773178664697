/* Logistic functions that nothing overflows, and the loss that a sum of costs comes to. */
#ifndef COMPUTE_CUDA_CUDA_SOFT_CUH
#define COMPUTE_CUDA_CUDA_SOFT_CUH

#include "compute/cuda/cuda_device.cuh"

/* log(1 + exp(x)). */
__device__ static inline float device_softplus(float x)
{
    return fmaxf(x, 0) + log1pf(expf(-fabsf(x))) + 0 * x; /* NaN stays NaN */
}

/* 1 / (1 + exp(-x)). */
__device__ static inline float device_logistic(float x)
{
    float e = expf(-fabsf(x));
    return (x < 0 ? e : 1) / (1 + e);
}

/* What leave_sums left in (2, blocks), times `scale`, becomes the loss that the host asks for; with
 * `add` it is added to the loss that is there. */
graco_status cuda_report_loss(struct context *c, const double *partial, unsigned blocks,
                              double scale, bool add, double *loss);

#endif
