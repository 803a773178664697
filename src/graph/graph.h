/* The graph: compressed rows in both orientations, with a map between edge ids.
 *
 * Edge (s, t) carries messages from s into t. Edge ids number the edges by target, then source; the
 * incoming rows list them in that order, and each outgoing entry names its edge id, so that a
 * random number keyed by the edge id is the same in both orientations. */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include "sparse/csr.h"

struct shard;

/* Owns its arrays. Weights are the values of `in` and, the same by edge id, of `out`: all above 0,
 * or NULL where every edge counts alike. */
struct graph {
    int64_t nodes, edges;
    int64_t sources; /* nodes that edges start from: the targets are the first `nodes` of them. More
                        than `nodes` in one hop of a sample only. */
    struct csr in;   /* rows: targets, index: sources; an entry's place is its edge id */
    struct csr out;  /* rows: sources, index: targets */
    uint32_t *out_edge; /* (edges) edge id of each entry of `out` */
    double
        *out_sum; /* (edges) of a graph with weights: what those of an outgoing row add up to, from
                           its first entry to each; by these a walk chooses. NULL in a hop of a sample */
    const struct shard *shard; /* these are one rank's rows of a graph (shard.h); NULL: all of it */
    /* Ids by which edges are drawn: entries of `out_edge` are places in it, of which the first are those of
     * `in`. Of one rank's rows (shard.h, batch_part.h), borrowed; NULL: edges are drawn by their ids here. */
    const uint32_t *drawn;
    int64_t drawn_count;
    const int32_t
        *places; /* (nodes) of a batch part: where its targets stand among all_targets; borrowed */
    int64_t all_targets;
};

/* Edges that graph_create left out. */
struct graph_removed {
    int64_t self_loops, duplicates;
};

/* What a graph is made from. Borrows its arrays. */
struct graph_pairs {
    int64_t nodes, edges;
    const int32_t *source, *target; /* (edges) */
    const float *weight;            /* (edges) or NULL */
    bool undirected;                /* add the reverse of every pair */
};

/* Builds a graph from pairs, in O(nodes + edges). Self-loops are left out and counted, repeated pairs
 * become one edge and are counted. With `undirected` the reverse of every pair is added first; pairs
 * that this repeats are not counted as duplicates unless the same direction was given twice. Endpoints
 * must be in 0 .. nodes - 1 (checked: GRACO_ERROR_FORMAT names the first that is not). The caller owns
 * *out. `removed` may be NULL.
 *
 * Weights must be finite and at least the smallest normal float, so that they can be divided by
 * (checked in the same way). Those of repeated pairs are added in the order of the pairs. A reverse
 * that `undirected` adds has the weight of its pair; where both directions were given each keeps its
 * own. Weights that are all 1 after that are as none. */
graco_status graph_build(struct graph **out, struct graph_removed *removed,
                         const struct graph_pairs *pairs);

/* The same without weights. */
graco_status graph_create(struct graph **out, struct graph_removed *removed, int64_t nodes,
                          int64_t edges, const int32_t *source, const int32_t *target,
                          bool undirected);

/* The checks of graph_build alone; messages number the edges from `first`. */
graco_status graph_check_pairs(const struct graph_pairs *pairs, int64_t first);

/* What the weights of the edges into a node add up to: their number where there are none. */
double graph_degree(const struct graph *graph, int64_t node);

/* Fills the outgoing rows, and what goes with them, from the incoming ones. O(nodes + edges). */
graco_status graph_turn(struct graph *graph);

/* Whether there is an edge from `source` to `target`. O(log of the source's edges). */
bool graph_links(const struct graph *graph, int32_t source, int32_t target);

/* Whether every edge has its reverse: both orientations then have the same rows. */
bool graph_is_symmetric(const struct graph *graph);

/* Frees the graph's arrays and empties it; graph_free frees the graph too. */
void graph_clear(struct graph *graph);
void graph_free(struct graph *graph);

#endif
