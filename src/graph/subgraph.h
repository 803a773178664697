/* Induced subgraphs: some nodes of a graph with the edges between them, as a graph of its own. */
#ifndef GRAPH_SUBGRAPH_H
#define GRAPH_SUBGRAPH_H

#include "graph/graph.h"

/* Builds the graph on nodes[0 .. count), which must ascend: node i of it is node nodes[i] of
 * `graph`, and its edge ids count its own edges, so that nothing outside the chosen nodes can
 * influence what is drawn by edge id. `graph` must be an ordinary one (sources equals nodes).
 * GRACO_ERROR_ARGUMENT names a node that is out of range or out of order. The caller owns *out.
 *
 * O(count + edges of the chosen nodes), apart from a table with a number for every node from the
 * first chosen to the last, which is filled where they are no run of consecutive ones. */
graco_status subgraph_create(struct graph **out, const struct graph *graph, const int32_t *nodes,
                             int64_t count);

#endif
