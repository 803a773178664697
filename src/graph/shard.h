/* A shard: the rows of a graph that one of several ranks has.
 *
 * A rank owns a range of nodes. It has the edges into and out of them, in the graph's order, and numbers
 * the ends anew: first its own nodes, then those of others that it reads, both ascending. So a sum over
 * a node's edges has the terms and the order of the whole graph's, and its bits. Edges keep their ids
 * of the whole graph as keys of random numbers: every rank draws the views of one process. */
#ifndef GRAPH_SHARD_H
#define GRAPH_SHARD_H

#include "comm/comm.h"
#include "graph/graph.h"

struct shard {
    struct comm *comm;
    int64_t *bounds; /* (ranks + 1) rank r has the nodes bounds[r] .. bounds[r + 1] - 1 */
    int64_t all_nodes, all_edges; /* of the whole graph */
    int32_t *nodes;               /* (own and others) their numbers in the whole graph */
    struct comm_rows rows;        /* how the others' rows are read */
    /* `nodes` own ones are targets of `in` and sources of `out`; `sources` counts the others too. An
     * entry of `out` names its place in `drawn`. */
    struct graph graph;
    uint32_t *drawn; /* (drawn_count) ids of the edges into own nodes, then of those into others */
    int64_t drawn_count;
};

/* This rank's shard of a graph that all ranks have. Ranges have about equally many nodes and edges.
 * GRACO_ERROR_ARGUMENT if there are fewer nodes than ranks. Borrows comm; copies the rest.
 * O(nodes + edges). */
graco_status shard_create(struct shard **out, struct comm *comm, const struct graph *graph);
void shard_free(struct shard *shard);

#endif
