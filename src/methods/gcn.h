/* What a step of the supervised graph convolution keeps on a stage; its tests read it. */
#ifndef METHODS_GCN_H
#define METHODS_GCN_H

#include "methods/supervised.h"

struct gcn_state {
    struct supervised labels;
    float *first; /* (W1 and b1) on the host, for the cost of a validation */
};

/* The encoder's parameters, of which those of the first layer alone decay; what a stage needs; the cost
 * and the class probabilities of the whole graph. `state` of gcn_validate is a struct gcn_state. */
void gcn_declare(struct graco_model *model);
graco_status gcn_init(struct gcn_state *state, const struct graco_model *model,
                      const struct subject *subject);
void gcn_clear(struct gcn_state *state);
graco_status gcn_validate(double *cost, struct pass *pass, void *state);
graco_status gcn_embed(float *Z, struct pass *pass);

#endif
