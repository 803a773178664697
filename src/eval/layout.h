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

/* ---- How faithful it is ----------------------------------------------------------------------- */

/* Of a node i, U are the k nodes nearest to it in the plane and V the k nodes whose rows of Z have the
 * largest cosine with its own; r(i, j) is the rank of j by cosine and s(i, j) that in the plane, from 1,
 * equal ones by number. With n nodes
 *
 *     trustworthiness = 1 - 2 / (n k (2n - 3k - 1)) sum over i, j in U of max(r(i, j) - k, 0)
 *     continuity      = the same with V and s (Venna and Kaski, 2001) */
struct layout_quality {
    double trustworthiness, continuity; /* NaN for fewer than 4 nodes */
    int64_t k;                          /* that was used: less than half of the nodes */
    int64_t sample;                     /* nodes that the means are over */
};

/* Measures places (rows of Z, 2) by `sample` nodes at even distances, or by all if there are no more;
 * Z is finite. The same bits for any number of threads. O(sample * nodes * (columns + k)). */
graco_status layout_quality(struct layout_quality *out, const graco_matrix *Z, const float *place,
                            int64_t k, int64_t sample, int threads);

#endif
