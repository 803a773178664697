/* A batch part: one rank's part of a mini-batch, its range of the roots and the nodes that these reach.
 *
 * Every rank draws the whole sample, which costs little, and cuts out what its own roots need. So edges are
 * those of one process, in its order, and keep their ids as keys of random numbers. Nodes that roots of
 * several ranks reach are computed by each of these: in the layers nothing is exchanged. */
#ifndef GRAPH_BATCH_PART_H
#define GRAPH_BATCH_PART_H

#include "graph/sampler.h"
#include "graph/shard.h"

struct batch_part {
    struct sample sample;          /* as sampler.h has it, of the own roots */
    uint32_t *drawn[SAMPLER_HOPS]; /* (edges of each hop) their ids in the whole sample */
    int32_t *places;               /* (nodes of the sample) where they stand in the whole one */
    struct shard shard;            /* of the roots: comm, bounds and all_nodes, nothing else */
};

/* Cuts this rank's part out of a sample that all ranks have drawn, with at least one root for each. The
 * caller clears *out. Borrows comm. O(nodes of the sample + edges of the part). */
graco_status batch_part_cut(struct batch_part *out, struct comm *comm, const struct sample *whole);
void batch_part_clear(struct batch_part *part);

#endif
