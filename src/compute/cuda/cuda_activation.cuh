/* An activation of one number, as a kernel of its own or at the end of a product. */
#ifndef COMPUTE_CUDA_CUDA_ACTIVATION_CUH
#define COMPUTE_CUDA_CUDA_ACTIVATION_CUH

#include "compute/cuda/cuda_soft.cuh"

/* The slope below zero of the element at that place. */
__device__ static inline float slope_of(const struct activation &a, int64_t element)
{
    switch (a.kind) {
    case ACTIVATION_PRELU:
        return a.slope[0];
    case ACTIVATION_NONE:
        return 1;
    case ACTIVATION_LEAKY:
        return 0.1f;
    case ACTIVATION_RRELU:
        if (!a.training)
            return 11.0f / 48;
        if (a.slope)
            return a.slope[element];
        if (a.among.own) /* never of a mini-batch: ranks have none on a GPU */
            element = rank_row(&a.among, element / a.cols) * a.cols + element % a.cols;
        return 1.0f / 8 + (1.0f / 3 - 1.0f / 8) * device_random_float(a.key, (uint64_t)element);
    default:
        return 0;
    }
}

/* act(x), the bias being in x. */
__device__ static inline float activated(const struct activation &a, float x, int64_t element)
{
    if (a.kind == ACTIVATION_SIGMOID)
        return device_logistic(x);
    if (x > 0)
        return x;
    return a.kind == ACTIVATION_ELU ? expm1f(x) : slope_of(a, element) * x;
}

#endif
