/* The table of the CPU back end, which has none of the optional kernels. */
#include "compute/cpu/cpu.h"

static const struct kernels kernels = {
#define KERNEL(name, ...) .name = cpu_##name,
#define OPTIONAL(name, ...)
#include "compute/kernels.def"
};

const struct backend backend_cpu = {
    .name = "cpu",
    .host = true,
    .keeps_tiles = cpu_keeps_tiles,
    .buffers = &host_buffers,
    .kernels = &kernels,
};
