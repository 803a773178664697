/* Ranges of nodes follow from how many edges lead into each, which is known only once repeated edges are
 * found, and these once all that share an end are on one rank. So edges go to ranges that are counted with
 * repetitions first; where the ranges that follow differ, the edges that are left go on to these.
 *
 *     pairs of each rank --> owners of both ends --> graph of what touches own nodes --> shard
 *                              (again, if the ranges were others)
 */
#include "graph/shard_pairs.h"

#include "base/memory.h"

#include <string.h>

struct sharing {
    struct comm *comm;
    int64_t nodes;
    int64_t *bounds; /* (ranks + 1) */
    bool weighted;
};

void shard_pairs_clear(struct shard_pairs *pairs)
{
    memory_free(pairs->end[0]);
    memory_free(pairs->end[1]);
    memory_free(pairs->weight);
    *pairs = (struct shard_pairs){0};
}

/* Fills bounds (ranks + 1) by the edges into every node: `into` (nodes) has those of this rank. */
static graco_status find_bounds(int64_t *bounds, const struct sharing *s, double *into)
{
    int64_t *start = NULL;
    graco_status status = GRACO_OK;
    TRY(comm_sum_doubles(s->comm, into, s->nodes));
    TRY(memory_zalloc(&start, s->nodes + 1, sizeof *start));
    for (int64_t i = 0; i < s->nodes; i++)
        start[i + 1] = start[i] + (int64_t)into[i];
    TRY(shard_bounds(bounds, s->comm->ranks, start, s->nodes));
done:
    memory_free(start);
    return status;
}

static graco_status bounds_of_pairs(const struct sharing *s, const struct shard_pairs *pairs)
{
    double *into = NULL;
    PASS(memory_zalloc(&into, s->nodes, sizeof *into));
    for (int64_t e = 0; e < pairs->count; e++)
        into[pairs->end[1][e]]++;
    graco_status status = find_bounds(s->bounds, s, into);
    memory_free(into);
    return status;
}

/* The same by a graph of what touches own nodes; *same if they are those that it was gathered by. */
static graco_status bounds_of_graph(bool *same, const struct sharing *s, const struct graph *graph)
{
    int64_t ranks = s->comm->ranks, *bounds = NULL;
    double *into = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_zalloc(&into, s->nodes, sizeof *into));
    TRY(memory_alloc(&bounds, ranks + 1, sizeof *bounds));
    for (int64_t i = s->bounds[s->comm->rank]; i < s->bounds[s->comm->rank + 1]; i++)
        into[i] = (double)(graph->in.start[i + 1] - graph->in.start[i]);
    TRY(find_bounds(bounds, s, into));
    *same = memcmp(bounds, s->bounds, (size_t)(ranks + 1) * sizeof *bounds) == 0;
    memcpy(s->bounds, bounds, (size_t)(ranks + 1) * sizeof *bounds);
done:
    memory_free(into);
    memory_free(bounds);
    return status;
}

/* ---- To the owners ----------------------------------------------------------------------------- */

/* Where the pairs for each rank begin, `start` (ranks + 1), and which these are, `list`: every pair goes to
 * the owners of its ends. */
static graco_status list_owners(int64_t **list, int64_t *start, const struct sharing *s,
                                const struct shard_pairs *pairs)
{
    int ranks = s->comm->ranks;
    memset(start, 0, (size_t)(ranks + 1) * sizeof *start);
    for (int fill = 0; fill < 2; fill++) {
        for (int64_t e = 0; e < pairs->count; e++) {
            int from = shard_owner(s->bounds, ranks, pairs->end[0][e]);
            int to = shard_owner(s->bounds, ranks, pairs->end[1][e]);
            for (int once = 0; once < (from == to ? 1 : 2); once++) {
                int owner = once ? from : to;
                if (fill)
                    (*list)[start[owner]++] = e;
                else
                    start[owner + 1]++;
            }
        }
        for (int r = 0; !fill && r < ranks; r++)
            start[r + 1] += start[r];
        if (!fill)
            PASS(memory_alloc(list, start[ranks], sizeof **list));
    }
    for (int r = ranks; r > 0; r--) /* each start has moved to the next one's place */
        start[r] = start[r - 1];
    start[0] = 0;
    return GRACO_OK;
}

/* Replaces one array of the pairs, of 4-byte items, by what comes in; *items is such an array. */
static graco_status send_items(void *items, int64_t *count, struct comm *comm, const int64_t *list,
                               const int64_t *start)
{
    int64_t *come_start = NULL, all = start[comm->ranks];
    uint32_t *from, *out = NULL, *in = NULL;
    graco_status status = GRACO_OK;
    memcpy(&from, items, sizeof from);
    TRY(memory_alloc(&come_start, comm->ranks + 1, sizeof *come_start));
    TRY(memory_alloc(&out, all, sizeof *out));
    for (int64_t i = 0; i < all; i++)
        memcpy(&out[i], from + list[i], sizeof *out);
    TRY(comm_swap(&in, come_start, comm, out, start, sizeof *out));
    memory_free(from);
    memcpy(items, &in, sizeof in);
    *count = come_start[comm->ranks];
done:
    memory_free(come_start);
    memory_free(out);
    return status;
}

static graco_status send_pairs(const struct sharing *s, struct shard_pairs *pairs)
{
    int64_t *start = NULL, *list = NULL, count = 0;
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&start, s->comm->ranks + 1, sizeof *start));
    TRY(list_owners(&list, start, s, pairs));
    TRY(send_items(&pairs->end[0], &count, s->comm, list, start));
    TRY(send_items(&pairs->end[1], &count, s->comm, list, start));
    if (s->weighted)
        TRY(send_items(&pairs->weight, &count, s->comm, list, start));
    pairs->count = count;
done:
    memory_free(start);
    memory_free(list);
    return status;
}

/* ---- The graph of what touches own nodes ------------------------------------------------------- */

static struct graph_pairs described(const struct sharing *s, const struct shard_pairs *pairs)
{
    return (struct graph_pairs){.nodes = s->nodes,
                                .edges = pairs->count,
                                .source = pairs->end[0],
                                .target = pairs->end[1],
                                .weight = pairs->weight};
}

/* What a graph of these pairs leaves out of own rows: *removed counts them before, less what is there. */
static void count_removed(struct graph_removed *removed, const struct sharing *s,
                          const struct shard_pairs *pairs, const struct graph *graph)
{
    int64_t first = s->bounds[s->comm->rank], last = s->bounds[s->comm->rank + 1], into = 0;
    *removed = (struct graph_removed){0, 0};
    for (int64_t e = 0; e < pairs->count; e++) {
        int32_t source = pairs->end[0][e], target = pairs->end[1][e];
        bool own = target >= first && target < last;
        into += own && source != target;
        removed->self_loops += own && source == target;
    }
    removed->duplicates = into - (graph->in.start[last] - graph->in.start[first]);
}

/* Weights that are all 1 are none, but only if those of every rank are. */
static graco_status share_weights(const struct sharing *s, struct graph *graph)
{
    double weighted = graph->in.value ? 1 : 0;
    PASS(comm_sum_doubles(s->comm, &weighted, 1));
    if (weighted == 0 || graph->in.value)
        return GRACO_OK;
    PASS(memory_alloc(&graph->in.value, graph->edges, sizeof *graph->in.value));
    for (int64_t e = 0; e < graph->edges; e++)
        graph->in.value[e] = 1;
    csr_clear(&graph->out);
    memory_free(graph->out_edge);
    graph->out_edge = NULL;
    return graph_turn(graph);
}

/* Edges `first` to `last` - 1 of a graph by their targets as pairs. */
static graco_status pairs_of(struct shard_pairs *pairs, const struct graph *graph, int64_t first,
                             int64_t last)
{
    int64_t base = graph->in.start[first], count = graph->in.start[last] - base;
    PASS(memory_alloc(&pairs->end[0], count, sizeof **pairs->end));
    PASS(memory_alloc(&pairs->end[1], count, sizeof **pairs->end));
    if (graph->in.value)
        PASS(memory_alloc(&pairs->weight, count, sizeof *pairs->weight));
    for (int64_t i = first; i < last; i++)
        for (int64_t e = graph->in.start[i]; e < graph->in.start[i + 1]; e++) {
            pairs->end[0][e - base] = graph->in.index[e];
            pairs->end[1][e - base] = (int32_t)i;
            if (graph->in.value)
                pairs->weight[e - base] = graph->in.value[e];
        }
    pairs->count = count;
    return GRACO_OK;
}

/* Adds the reverse of every edge: an edge touches own nodes where its reverse does. */
static graco_status add_reverses(struct graph **graph, const struct sharing *s)
{
    struct shard_pairs pairs = {0};
    graco_status status = GRACO_OK;
    TRY(pairs_of(&pairs, *graph, 0, s->nodes));
    graph_free(*graph);
    *graph = NULL;
    struct graph_pairs both = described(s, &pairs);
    both.undirected = true;
    TRY(graph_build(graph, NULL, &both));
    if (s->weighted)
        TRY(share_weights(s, *graph));
done:
    shard_pairs_clear(&pairs);
    return status;
}

/* Gathers what touches own nodes, by the bounds so far, and makes a graph of it; empties the pairs. */
static graco_status gather(struct graph **out, struct graph_removed *removed, struct sharing *s,
                           struct shard_pairs *pairs)
{
    PASS(send_pairs(s, pairs));
    struct graph_pairs all = described(s, pairs);
    PASS(graph_build(out, NULL, &all));
    if (removed)
        count_removed(removed, s, pairs, *out);
    shard_pairs_clear(pairs);
    if (s->weighted)
        PASS(share_weights(s, *out));
    s->weighted = (*out)->in.value;
    return GRACO_OK;
}

graco_status shard_from_pairs(struct shard **out, struct graph_removed *removed, struct comm *comm,
                              int64_t nodes, struct shard_pairs *pairs, bool undirected)
{
    struct sharing s = {.comm = comm, .nodes = nodes, .weighted = pairs->weight};
    struct graph *touching = NULL;
    bool same = false;
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&s.bounds, comm->ranks + 1, sizeof *s.bounds));
    TRY(bounds_of_pairs(&s, pairs));
    TRY(gather(&touching, removed, &s, pairs));
    if (undirected)
        TRY(add_reverses(&touching, &s));
    int64_t first = s.bounds[comm->rank], last = s.bounds[comm->rank + 1];
    TRY(bounds_of_graph(&same, &s, touching));
    if (!same) {
        TRY(pairs_of(pairs, touching, first, last));
        graph_free(touching);
        touching = NULL;
        TRY(gather(&touching, NULL, &s, pairs));
    }
    TRY(shard_create_part(out, comm, s.bounds, touching));
done:
    graph_free(touching);
    shard_pairs_clear(pairs);
    memory_free(s.bounds);
    return status;
}

/* ---- Other numbers ------------------------------------------------------------------------------ */

graco_status shard_renumber(struct shard **out, const struct shard *shard, const int32_t *nodes,
                            int64_t count)
{
    const struct csr *in = &shard->graph.in;
    struct shard_pairs pairs = {0};
    int32_t *place = NULL; /* (all nodes) new numbers, -1: left out */
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&place, shard->all_nodes, sizeof *place));
    memset(place, -1, (size_t)shard->all_nodes * sizeof *place);
    for (int64_t i = 0; i < count; i++)
        place[nodes[i]] = (int32_t)i;
    TRY(pairs_of(&pairs, &shard->graph, 0, shard->graph.nodes));
    int64_t kept = 0;
    for (int64_t e = 0; e < pairs.count; e++) {
        int32_t source = place[shard->nodes[pairs.end[0][e]]];
        int32_t target = place[shard->nodes[pairs.end[1][e]]];
        if (source < 0 || target < 0)
            continue;
        pairs.end[0][kept] = source;
        pairs.end[1][kept] = target;
        if (in->value)
            pairs.weight[kept] = pairs.weight[e];
        kept++;
    }
    pairs.count = kept;
    memory_free(place);
    place = NULL;
    TRY(shard_from_pairs(out, NULL, shard->comm, count, &pairs, false));
done:
    memory_free(place);
    shard_pairs_clear(&pairs);
    return status;
}
