/* What the tests reach of unsupervised GraphSAGE: its loss on a batch of given pairs. */
#ifndef METHODS_SAGE_H
#define METHODS_SAGE_H

#include "methods/method.h"
#include "methods/walk_pairs.h"

/* Of one mini-batch. */
struct sage_state {
    struct context *context;
    const struct graph *graph;
    struct walk_pairs batch;
    /* Pairs, and every pair's first node with every negative: rows of Z on the host, the pairs of each
     * row, and both where the device sees them. */
    int32_t *end[2];
    struct csr grouped[2];
    struct pairs pairs[2];
    double loss;
};

/* The loss over state->batch, drawn or given, which does not change before the end of the step. */
void sage_loss(struct pass *pass, struct sage_state *state);

#endif
