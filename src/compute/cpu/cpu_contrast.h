/* The contrast of several graphs, which cpu_contrast hands over. */
#ifndef COMPUTE_CPU_CPU_CONTRAST_H
#define COMPUTE_CPU_CPU_CONTRAST_H

#include "compute/cpu/cpu.h"

graco_status cpu_contrast_graphs(struct context *c, struct contrast *s);
graco_status cpu_contrast_graphs_backward(struct context *c, const struct contrast *s, float *dZ);

#endif
