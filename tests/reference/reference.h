/* The scalar reference: every kernel as its formula says, in double, one element after another. It
 * is the oracle of the back ends of src/compute/ and never meant to be fast; no name of a device leads to it. */
#ifndef REFERENCE_REFERENCE_H
#define REFERENCE_REFERENCE_H

#include "compute/context.h"

#define KERNEL(name, parameters, names) graco_status ref_##name parameters;
#include "compute/kernels.def"

extern const struct backend backend_reference;

#endif
