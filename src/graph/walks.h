/* Random walks along the edges: uniform, or biased by where the step before came from (node2vec). Where
 * edges have weights a step takes an edge in proportion to its own.
 *
 * A walk is a function of the seed, its number and its start: whoever draws it when gets the same nodes.
 *
 *     from t over v to x     probability ~ 1/p   x = t           back
 *                                          1     t -> x is an edge
 *                                          1/q   otherwise       away
 *
 * times the weight of v -> x. The first step has no bias, and with p = q = 1 none has. A biased step is
 * drawn by rejection: a neighbour as without bias, kept with its bias' share of the largest; whether
 * t -> x is an edge is looked up in t's row, which is sorted. So no table per pair of edges is needed. */
#ifndef GRAPH_WALKS_H
#define GRAPH_WALKS_H

#include "graph/graph.h"

struct walks {
    const struct graph *graph; /* borrowed */
    uint64_t seed;
    int64_t length; /* nodes of a walk, the start included */
    double p, q;    /* above 0 */
};

/* Draws walk `number` from `start` into walk (length) and returns how many nodes it has: fewer where it
 * meets a node that no edge leaves. `number` is below 2^40. O(length log(degree)) expected for p, q of a
 * moderate size; a rejected draw costs one more, at most max / min of (1, 1/p, 1/q) of them on average. */
int64_t walks_draw(int32_t *walk, const struct walks *walks, int32_t start, int64_t number);

#endif
