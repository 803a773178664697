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
    int64_t edges_before;         /* the first id of an edge into own nodes */
    int32_t *nodes;               /* (own and others) their numbers in the whole graph */
    struct comm_rows rows;        /* how the others' rows are read */
    /* `nodes` own ones are targets of `in` and sources of `out`; `sources` counts the others too. An
     * entry of `out` names its place in `drawn`. */
    struct graph graph;
    /* The own nodes, those first that read no rows of others: over their sources, and over their targets. */
    int32_t *order[2]; /* (nodes) */
    int64_t inner[2];  /* how many come first */
    uint32_t *drawn; /* (drawn_count) ids of the edges into own nodes, then of those into others */
    int64_t drawn_count;
};

/* This rank's shard of a graph that all ranks have. Ranges have about equally many nodes and edges.
 * GRACO_ERROR_ARGUMENT if there are fewer nodes than ranks. Borrows comm; copies the rest.
 * O(nodes + edges). */
graco_status shard_create(struct shard **out, struct comm *comm, const struct graph *graph);

/* The same of a graph that no rank has whole. Each comes with the edges that begin or end in its own
 * nodes, as a graph of all nodes, and with the same bounds. Edges get the ids of the whole graph.
 * O(nodes + edges of this rank). */
graco_status shard_create_part(struct shard **out, struct comm *comm, const int64_t *bounds,
                               const struct graph *touching);

/* Bounds (ranks + 1) of ranges with about equally many nodes and edges, where start[i] (nodes + 1) counts
 * the edges into the nodes before i. GRACO_ERROR_ARGUMENT if there are fewer nodes than ranks. */
graco_status shard_bounds(int64_t *bounds, int ranks, const int64_t *start, int64_t nodes);

/* The rank whose range a node is in. */
int shard_owner(const int64_t *bounds, int ranks, int64_t node);

void shard_free(struct shard *shard);

#endif
