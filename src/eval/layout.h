/* A layout: a place in the plane for every node, so that nearest neighbours lie side by side.
 *
 * The functions know neither embeddings nor pages: neighbours in, places out. docs/evaluation.md
 * has the formulas. */
#ifndef EVAL_LAYOUT_H
#define EVAL_LAYOUT_H

#include "base/status.h"

/* The neighbours of every node. A score of at most 0 is no neighbour: nothing says that such nodes are
 * alike. Borrows its arrays. */
struct layout_neighbours {
    int64_t nodes, k;
    const int64_t *index; /* (nodes, k) none of them the node itself */
    const float *score;   /* (nodes, k) cosines, falling */
};

struct layout_options {
    int64_t epochs; /* 0: 500 up to LAYOUT_SMALL nodes, 200 above */
    uint64_t seed;
    int threads; /* never changes the result */
};

enum { LAYOUT_SMALL = 10000 };

/* Fills place (nodes, 2), around 0. Nodes without a neighbour are put on a disc of their own below the
 * others. The same bits for any number of threads. O(epochs * nodes * k) time and 24 bytes a
 * neighbour. */
graco_status layout_fit(float *place, const struct layout_neighbours *near,
                        const struct layout_options *options);

#endif
