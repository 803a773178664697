/* An order of nodes in which neighbours are near each other, so that ranges of it have few edges between
 * them: what ranks divide among themselves (graph/shard.h). Node i of the order is node order[i] of the
 * graph. */
#ifndef GRAPH_ORDER_H
#define GRAPH_ORDER_H

#include "graph/graph.h"

/* Fills order (nodes) for so many ranks: those of each lie side by side, ascending, and have about equal
 * shares of the nodes and edges, as shard_create divides them. The same graph gives the same order.
 * GRACO_ERROR_ARGUMENT if there are fewer nodes than ranks; GRACO_ERROR_DEVICE without METIS. */
graco_status order_find(int32_t *order, const struct graph *graph, int ranks);

/* The graph with its nodes in an order: node i is node order[i] of `graph`. The caller owns *out. */
graco_status order_apply(struct graph **out, const struct graph *graph, const int32_t *order);

/* For order_find: the part 0 .. parts - 1 of every node, 2 parts or more of a graph with edges, each with
 * about the same sum of `weight` (nodes). order_metis.c or, where there is no METIS, order_none.c. */
graco_status order_divide(int32_t *part, const struct graph *graph, const int32_t *weight,
                          int parts);

#endif
