/* Cuts a part hop by hop from the roots outward: the sources of the nodes so far, in the order in which
 * they first appear, become the next nodes. */
#include "graph/batch_part.h"

#include "base/memory.h"

#include <string.h>

void batch_part_clear(struct batch_part *part)
{
    for (int h = 0; h < SAMPLER_HOPS; h++) {
        memory_free(part->drawn[h]);
        graph_clear(&part->sample.hop[h]);
    }
    memory_free(part->sample.nodes);
    memory_free(part->places);
    memory_free(part->shard.bounds);
    *part = (struct batch_part){0};
}

/* Where the nodes of a part stand in the whole sample, and the other way round; -1: nowhere. */
struct places {
    int32_t *of, *number;
    int64_t count;
};

/* Hop h of the part, without its outgoing rows. Adds the sources to the places. */
static graco_status cut_hop(struct batch_part *s, struct places *places, const struct graph *whole,
                            int h)
{
    struct graph *hop = &s->sample.hop[h];
    int64_t targets = places->count, edges = 0;
    for (int64_t i = 0; i < targets; i++)
        edges += whole->in.start[places->of[i] + 1] - whole->in.start[places->of[i]];
    PASS(csr_alloc(&hop->in, targets, whole->sources, edges, whole->in.value));
    PASS(memory_alloc(&s->drawn[h], edges, sizeof **s->drawn));
    int64_t at = 0;
    for (int64_t i = 0; i < targets; i++) {
        int32_t target = places->of[i];
        for (int64_t e = whole->in.start[target]; e < whole->in.start[target + 1]; e++, at++) {
            int32_t source = whole->in.index[e];
            if (places->number[source] < 0) {
                places->number[source] = (int32_t)places->count;
                places->of[places->count++] = source;
            }
            hop->in.index[at] = places->number[source];
            if (hop->in.value)
                hop->in.value[at] = whole->in.value[e];
            s->drawn[h][at] = (uint32_t)e;
        }
        hop->in.start[i + 1] = at;
    }
    hop->nodes = targets;
    hop->edges = hop->drawn_count = edges;
    hop->drawn = s->drawn[h];
    hop->places = places->of;
    hop->all_targets = whole->nodes;
    hop->sources = hop->in.cols = places->count;
    s->sample.count[h + 1] = places->count;
    return graph_turn(hop);
}

/* The own range of the roots. */
static graco_status share_roots(struct batch_part *s, struct places *places, struct comm *comm,
                                int64_t roots)
{
    int64_t *bounds = NULL;
    PASS(memory_alloc(&bounds, comm->ranks + 1, sizeof *bounds));
    for (int r = 0; r <= comm->ranks; r++)
        bounds[r] = roots * r / comm->ranks;
    s->shard = (struct shard){.comm = comm, .bounds = bounds, .all_nodes = roots};
    for (int64_t root = bounds[comm->rank]; root < bounds[comm->rank + 1]; root++) {
        places->number[root] = (int32_t)places->count;
        places->of[places->count++] = (int32_t)root;
    }
    s->sample.count[0] = places->count;
    return GRACO_OK;
}

graco_status batch_part_cut(struct batch_part *out, struct comm *comm, const struct sample *whole)
{
    struct batch_part s = {.sample = {.hops = whole->hops}};
    struct places places = {0};
    int64_t all = whole->count[whole->hops];
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&places.of, all, sizeof *places.of));
    TRY(memory_alloc(&places.number, all, sizeof *places.number));
    memset(places.number, -1, (size_t)all * sizeof *places.number);
    TRY(share_roots(&s, &places, comm, whole->count[0]));
    for (int h = 0; h < whole->hops; h++)
        TRY(cut_hop(&s, &places, &whole->hop[h], h));
    TRY(memory_alloc(&s.sample.nodes, places.count, sizeof *s.sample.nodes));
    for (int64_t i = 0; i < places.count; i++)
        s.sample.nodes[i] = whole->nodes[places.of[i]];
    s.places = places.of;
    places.of = NULL;
    *out = s;
    s = (struct batch_part){0};
done:
    memory_free(places.of);
    memory_free(places.number);
    batch_part_clear(&s);
    return status;
}
