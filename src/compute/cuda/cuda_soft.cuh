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

/* What leave_sums left, times `scale`, becomes the loss; with `add` it is added to the loss. */
__global__ static void report_loss(const double *partial, int64_t blocks, double scale, bool add,
                                   struct cuda_results *results)
{
    double2 total = totals_of(partial, blocks);
    if (threadIdx.x == 0)
        results->loss = (add ? results->loss : 0) + total.x * scale;
}

#endif
