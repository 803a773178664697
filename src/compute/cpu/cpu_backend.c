#include "compute/cpu/cpu.h"

#include "base/memory.h"

#include <string.h>

graco_status host_allocate(void *out, size_t bytes)
{
    return memory_alloc(out, (int64_t)bytes, 1);
}

graco_status host_copy(struct context *c, void *to, const void *from, size_t bytes)
{
    (void)c;
    memcpy(to, from, bytes);
    return GRACO_OK;
}

graco_status host_zero(struct context *c, void *block, size_t bytes)
{
    (void)c;
    memset(block, 0, bytes);
    return GRACO_OK;
}

const struct backend backend_cpu = {
    .name = "cpu",
    .host = true,
    .tiles = true,
    .allocate = host_allocate,
    .release = memory_free,
    .upload = host_copy,
    .download = host_copy,
    .copy = host_copy,
    .zero = host_zero,
    .gemm = cpu_gemm,
    .spmm = cpu_spmm,
    .add = cpu_add,
    .scale_rows = cpu_scale_rows,
    .activate = cpu_activate,
    .activate_backward = cpu_activate_backward,
    .normalise = cpu_normalise,
    .normalise_backward = cpu_normalise_backward,
    .contrast = cpu_contrast,
    .contrast_backward = cpu_contrast_backward,
    .moment = cpu_moment,
    .moment_backward = cpu_moment_backward,
    .draw_bytes = cpu_draw_bytes,
    .draw_floats = cpu_draw_floats,
    .compact = cpu_compact,
    .degree_scale = cpu_degree_scale,
    .adam = cpu_adam,
    .finite = cpu_finite,
    .gather = cpu_gather,
};
