/* Pairs of nodes that a short random walk joins, and negatives, for one mini-batch.
 *
 *     pair        a node, and where a walk from it is after 1 .. length - 1 steps, unless that is the node
 *                 itself: all nodes and steps are equally likely, walks as graph/walks.h says
 *     negative    a node, with probability ~ (edges that leave it)^0.75
 *
 * Everything is a function of seed, step and place in the batch: nothing is kept between batches, and
 * nothing grows with the graph. */
#ifndef METHODS_WALK_PAIRS_H
#define METHODS_WALK_PAIRS_H

#include "graph/graph.h"

struct walk_pairs {
    int64_t pairs, negatives;
    int64_t length; /* nodes of a walk, at least 2 */
    uint64_t seed;
    /* Filled by walk_pairs_draw and owned. */
    int64_t count;  /* of the roots */
    int32_t *roots; /* (count) the distinct nodes of the batch, ascending */
    int32_t *place; /* (2 pairs + negatives) in the roots: first of every pair, second, negatives */
};

/* Draws the batch of a step. The graph has an edge. */
graco_status walk_pairs_draw(struct walk_pairs *batch, const struct graph *graph, uint32_t step);
void walk_pairs_clear(struct walk_pairs *batch);

#endif
