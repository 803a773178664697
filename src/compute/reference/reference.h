/* The scalar reference: every kernel as its formula says, in double, one element after another. It
 * is the oracle of the other back ends and never meant to be fast. */
#ifndef COMPUTE_REFERENCE_REFERENCE_H
#define COMPUTE_REFERENCE_REFERENCE_H

#include "compute/context.h"

#define KERNEL(name, ...) graco_status ref_##name(struct context *c, __VA_ARGS__);
#include "compute/kernels.def"

#endif
