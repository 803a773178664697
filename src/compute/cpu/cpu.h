/* The CPU kernels, one family per file; kernels.def says what each does. Bits never depend on the
 * number of threads: work is cut by shape alone, and partial sums are added in a fixed order. */
#ifndef COMPUTE_CPU_CPU_H
#define COMPUTE_CPU_CPU_H

#include "compute/context.h"

#define KERNEL(name, ...) graco_status cpu_##name(struct context *c, __VA_ARGS__);
#include "compute/kernels.def"

#endif
