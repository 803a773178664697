/* Edges that ranks have between them, each some of the graph's in any order, become their shards: those that
 * a file holds, and those of shards that are divided anew. */
#ifndef GRAPH_SHARD_PAIRS_H
#define GRAPH_SHARD_PAIRS_H

#include "graph/shard.h"

/* Some edges of a graph. Owns its arrays; starts zeroed. */
struct shard_pairs {
    int64_t count;
    int32_t *end[2]; /* (count) sources, targets: numbers in the whole graph, in range */
    float *weight;   /* (count); NULL on every rank: there are none */
};

void shard_pairs_clear(struct shard_pairs *pairs);

/* This rank's shard of the graph that graph_build would make of the pairs of all ranks, in the order of the
 * ranks: the one that shard_create cuts out of it. Empties `pairs` in every case. What all ranks count in
 * *removed, which may be NULL, adds up to what graph_build removes. All ranks call it.
 * O(nodes + edges / ranks) of time and memory. */
graco_status shard_from_pairs(struct shard **out, struct graph_removed *removed, struct comm *comm,
                              int64_t nodes, struct shard_pairs *pairs, bool undirected);

/* Of a part of a shard's graph, or of the same under other numbers: node i is node nodes[i] of it, the others
 * and their edges are left out. All ranks come with the same nodes. */
graco_status shard_renumber(struct shard **out, const struct shard *shard, const int32_t *nodes,
                            int64_t count);

#endif
