/* The parts of GRACE, for its tests. */
#ifndef METHODS_GRACE_H
#define METHODS_GRACE_H

#include "layers/pass.h"

/* Z (views * nodes, hidden) from H: the projector g(u) = elu(u P1 + c1) P2 + c2, rows of length one. */
struct tensor *grace_project(struct pass *pass, struct tensor *H);

#endif
