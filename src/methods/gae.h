/* What a step of an auto-encoder keeps on a stage; tests give it their own draws. */
#ifndef METHODS_GAE_H
#define METHODS_GAE_H

#include "methods/method.h"

struct gae_state {
    bool variational;
    struct context *context;
    const struct graph *graph;
    struct reconstruction exact; /* objective exact; edges NULL: sampled */
    struct gaussian gaussian;    /* VGAE's draws */
    /* Objective sampled: edges, and as many pairs that are none, drawn anew in each step. */
    struct pairs edges, others;
    int32_t *ends[2];      /* (2, pairs) of both, on the host */
    struct csr grouped[2]; /* their `ends`, on the host */
    double loss;           /* of sampled pairs */
};

/* The loss of a forward pass, from draws that are in the state already. */
void gae_loss(struct pass *pass, struct gae_state *state);

/* Fills ends[1] and grouped[1] with the pairs of a step. */
void gae_draw(struct gae_state *state, uint64_t seed, uint32_t step);

#endif
