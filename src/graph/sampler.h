/* Neighbour sampling: a batch of nodes with a sampled neighbourhood, hop by hop.
 *
 * From the seeds outward, hop h draws fanout[h] incoming neighbours with replacement for every node
 * found so far; a node without neighbours draws none. A neighbour drawn twice is two edges; a node
 * met again is stored once. A fanout of 0 takes every neighbour once. All draws are keyed by (seed,
 * step, hop, target's place, draw), so a sample does not depend on who draws it when. */
#ifndef GRAPH_SAMPLER_H
#define GRAPH_SAMPLER_H

#include "graph/graph.h"

enum { SAMPLER_HOPS = 8 };

/* Nodes nodes[0 .. count[0]) are the seeds, nodes[0 .. count[h]) all within h hops. hop[h] is a
 * graph whose targets are the first count[h] of these and whose sources the first count[h + 1]; its
 * edge ids number its own edges. Owns everything and keeps its memory from draw to draw. */
struct sample {
    int hops;
    int64_t count[SAMPLER_HOPS + 1];
    int32_t *nodes; /* (count[hops]) in the sampled graph's numbering */
    struct graph hop[SAMPLER_HOPS];
    struct sample_room *room;
};

struct sampler;

/* Borrows the graph, of which only the incoming rows are read. One sampler serves one thread. */
graco_status sampler_create(struct sampler **out, const struct graph *graph, int hops,
                            const int64_t *fanout, uint64_t seed);
void sampler_free(struct sampler *sampler);

/* Draws the neighbourhood of `count` distinct seeds into *out, which starts out zeroed. */
graco_status sampler_draw(struct sampler *sampler, struct sample *out, const int32_t *seeds,
                          int64_t count, uint32_t step);

void sample_clear(struct sample *sample);

#endif
