/* Neighbour sampling: the nodes of a batch, its roots, with a sampled neighbourhood, hop by hop.
 *
 * From the roots outward, hop h draws fanout[h] incoming neighbours with replacement for every node
 * found so far; a node without neighbours draws none. A neighbour drawn twice is two edges; a node
 * met again is stored once. A fanout of 0 takes every neighbour once.
 *
 * Where edges have weights they decide nothing about the draw; each drawn edge has its own. So the
 * weighted sum over the drawn ones, times a node's neighbours over its fanout, is on average that over
 * all of them, and their weighted mean comes near it as the fanout grows.
 *
 * Draw d of the target at place p in hop h is element e = p * fanout[h] + d of the key (seed,
 * RANDOM_NEIGHBOURS, view h, step): a sample does not depend on who draws it when. Of a node's n
 * neighbours it takes number floor(u n / 2^32), where u is the element's 32 bits; a neighbour's
 * probability differs from 1 / n by less than 2^-32. */
#ifndef GRAPH_SAMPLER_H
#define GRAPH_SAMPLER_H

#include "graph/graph.h"

enum { SAMPLER_HOPS = 8 };

/* Nodes nodes[0 .. count[0]) are the roots, nodes[0 .. count[h]) all within h hops, in the order of
 * their first appearance. hop[h] is a graph whose targets are the first count[h] of these and whose
 * sources the first count[h + 1]; its edge ids number its own edges, by target, then in the order
 * of the draws: unlike in other graphs, the sources of a target need not ascend and may repeat.
 * Owns everything and keeps its memory, which grows to the largest sample, from draw to draw. */
struct sample {
    int hops; /* 0: no sample */
    int64_t count[SAMPLER_HOPS + 1];
    int32_t *nodes; /* (count[hops]) in the sampled graph's numbering */
    struct graph hop[SAMPLER_HOPS];
    struct sample_room *room;
};

struct sampler;

/* Borrows the graph, of which only the incoming rows are read. One sampler serves one thread and
 * holds 8 bytes per node of the graph. 1 to SAMPLER_HOPS hops, fanouts 0 to 2^31 - 1. */
graco_status sampler_create(struct sampler **out, const struct graph *graph, int hops,
                            const int64_t *fanout, uint64_t seed);
void sampler_free(struct sampler *sampler);

/* Draws the neighbourhood of `count` distinct roots into *out, which starts out zeroed and may have
 * served any sampler before. O(edges drawn). A root that is no node or comes twice gives
 * GRACO_ERROR_ARGUMENT, as does a hop of more than 2^32 - 1 edges. After a failure *out holds no
 * sample; it may be drawn into again and must still be cleared. */
graco_status sampler_draw(struct sampler *sampler, struct sample *out, const int32_t *roots,
                          int64_t count, uint32_t step);

void sample_clear(struct sample *sample);

#endif
