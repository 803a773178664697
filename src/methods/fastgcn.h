/* What a step of FastGCN draws; its tests give the draws instead. */
#ifndef METHODS_FASTGCN_H
#define METHODS_FASTGCN_H

#include "methods/gcn.h"

enum { FASTGCN_BOTTOM, FASTGCN_TOP, FASTGCN_LAYERS, FASTGCN_COPIES = 24 };

/* The sampled columns of the propagation matrix for some rows: 1 / t S(v, u_j) / q(u_j). */
struct fastgcn_layer {
    int64_t samples;              /* t */
    struct csr matrix, transpose; /* (rows, samples) on the host, with room for every entry */
    struct sparse_map map;        /* the same on the device */
    int32_t *sample;              /* (samples) nodes u_j, on the host */
    struct row_list list;         /* the same on the device */
};

struct fastgcn_state {
    struct gcn_state gcn; /* first: validation takes this for all of it */
    struct context *context;
    const struct graph *graph;
    int64_t rows;           /* of a step: training rows */
    bool precomputed;       /* the bottom layer is exact */
    double *degree;         /* (nodes) */
    double *chance, *below; /* (nodes) q, and its sums: the distribution function */
    int32_t *first,
        *next;      /* (nodes), (most samples) places of a node in a sample, as a list; -1 ends */
    int32_t *order; /* (training rows) their places, in the order of pass `round` */
    int64_t round;
    int32_t *batch;  /* (rows) nodes of the step */
    int32_t *label;  /* (rows) or NULL */
    uint8_t *target; /* (rows, classes) or NULL */
    struct fastgcn_layer layer[FASTGCN_LAYERS];
    struct classification classes; /* of the batch */
    float *base; /* (nodes, features) on the device: S X, or X where the bottom is sampled */
    /* What a device must be sent for each step. */
    struct {
        const void *here;
        void *there;
        size_t bytes;
    } copy[FASTGCN_COPIES];
    int copies;
};

/* Draws the rows and samples of a step. */
void fastgcn_draw(struct fastgcn_state *state, uint64_t seed, uint32_t step);

/* Fills the matrices and the classes of the batch that the state names. */
void fastgcn_fill(struct fastgcn_state *state);

/* The loss of what is drawn, on the tape. */
void fastgcn_loss(struct pass *pass, struct fastgcn_state *state);

#endif
