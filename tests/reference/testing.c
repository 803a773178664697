#include "reference/testing.h"

#ifdef GRACO_CUDA
#include "compute/cuda/cuda.h"
#endif

void testing_portable(struct context *cuda)
{
#ifdef GRACO_CUDA
    cuda_portable(cuda);
#else
    (void)cuda;
#endif
}

graco_status testing_half_product(struct context *cuda, int64_t side, float *C, const uint16_t *A,
                                  const uint16_t *B)
{
#ifdef GRACO_CUDA
    return cuda_half_product(cuda, side, C, A, B);
#else
    (void)cuda, (void)side, (void)C, (void)A, (void)B;
    return status_fail(GRACO_ERROR_DEVICE, "built without CUDA");
#endif
}
