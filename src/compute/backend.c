/* Which back ends this build has. */
#include "compute/compute.h"

#include <string.h>

#ifdef GRACO_CUDA
#include "compute/cuda/cuda_kernels.h"
#endif

static graco_status find_cuda(const struct backend **out)
{
#ifdef GRACO_CUDA
    return cuda_find(out);
#else
    (void)out;
    return status_fail(GRACO_ERROR_DEVICE,
                       "device is 'cuda', but graco was built without CUDA; expected 'cpu', or a "
                       "build where cmake finds nvcc");
#endif
}

graco_status backend_find(const struct backend **out, const char *name)
{
    if (strcmp(name, "cuda") == 0)
        return find_cuda(out);
    if (strcmp(name, "auto") == 0 && find_cuda(out) == GRACO_OK)
        return GRACO_OK;
    if (strcmp(name, "cpu") != 0 && strcmp(name, "auto") != 0)
        return status_fail(GRACO_ERROR_ARGUMENT, "device is '%s'; expected one of auto, cpu, cuda",
                           name);
    *out = &backend_cpu;
    return GRACO_OK;
}
