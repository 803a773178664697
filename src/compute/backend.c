/* Which back ends this build has: the only file that asks whether it has CUDA. Beside it the memory
 * of back ends on the host. */
#include "compute/backend.h"

#include "base/memory.h"
#include "base/words.h"

#include <string.h>

#ifdef GRACO_CUDA
#include "compute/cuda/cuda.h"
#endif

static graco_status host_allocate(struct context *c, void *out, size_t bytes)
{
    (void)c;
    return memory_alloc(out, (int64_t)bytes, 1);
}

static void host_release(struct context *c, void *block)
{
    (void)c;
    memory_free(block);
}

static graco_status host_copy(struct context *c, void *to, const void *from, size_t bytes)
{
    (void)c;
    memcpy(to, from, bytes);
    return GRACO_OK;
}

static graco_status host_zero(struct context *c, void *block, size_t bytes)
{
    (void)c;
    memset(block, 0, bytes);
    return GRACO_OK;
}

const struct buffers host_buffers = {
    .allocate = host_allocate,
    .release = host_release,
    .upload = host_copy,
    .download = host_copy,
    .copy = host_copy,
    .zero = host_zero,
};

static graco_status find_cuda(const struct backend **out)
{
#ifdef GRACO_CUDA
    PASS(cuda_find());
    *out = &backend_cuda;
    return GRACO_OK;
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
        return words_unknown("device is", name, (const char *const[]){"auto", "cpu", "cuda", NULL});
    *out = &backend_cpu;
    return GRACO_OK;
}

graco_status backend_find_for(const struct backend **out, const char *name, double operations)
{
    const double worth = 5e11; /* operations that take the CPU as long as a GPU's start */
    bool open = !name || strcmp(name, "auto") == 0;
    return backend_find(out, open ? (operations < worth ? "cpu" : "auto") : name);
}
