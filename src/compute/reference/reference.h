/* The objectives of the reference back end. */
#ifndef COMPUTE_REFERENCE_REFERENCE_H
#define COMPUTE_REFERENCE_REFERENCE_H

#include "compute/compute.h"

graco_status reference_contrast(struct context *c, struct contrast *s);
graco_status reference_contrast_backward(struct context *c, const struct contrast *s, float *dZ);
graco_status reference_moment(struct context *c, struct moment *s);
graco_status reference_moment_backward(struct context *c, const struct moment *s, float *dZ);

#endif
