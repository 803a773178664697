/* Cuts a rank's rows out of a graph: bounds, then the nodes of others at the other ends of its edges,
 * then both lists of edges in the new numbers. */
#include "graph/shard.h"

#include "base/memory.h"
#include "comm/comm_tally.h"

#include <string.h>

void shard_free(struct shard *shard)
{
    if (!shard)
        return;
    memory_free(shard->bounds);
    memory_free(shard->nodes);
    memory_free(shard->order[0]);
    memory_free(shard->order[1]);
    memory_free(shard->drawn);
    comm_rows_clear(&shard->rows);
    graph_clear(&shard->graph);
    memory_free(shard);
}

/* Node i ends the range of all ranks up to r where its share of the nodes and edges before it reaches
 * r / ranks. Each range gets a node at least. */
graco_status shard_bounds(int64_t *bounds, int ranks, const int64_t *start, int64_t nodes)
{
    double edges = start[nodes] > 0 ? (double)start[nodes] : 1;
    int64_t node = 0;
    if (nodes < ranks)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%lld nodes for %d ranks: expected at least one for each",
                           (long long)nodes, ranks);
    bounds[0] = 0;
    for (int r = 1; r < ranks; r++) {
        double share = 2 * (double)r / ranks;
        int64_t least = bounds[r - 1] + 1, most = nodes - (ranks - r);
        while (node < most && (double)node / (double)nodes + (double)start[node] / edges < share)
            node++;
        node = node < least ? least : node;
        bounds[r] = node;
    }
    bounds[ranks] = nodes;
    return GRACO_OK;
}

int shard_owner(const int64_t *bounds, int ranks, int64_t node)
{
    int low = 0, high = ranks;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (bounds[middle] <= node)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* What the way from the whole graph to a shard needs. */
struct cutting {
    struct shard *shard;
    const struct graph *whole; /* or those of its edges that touch own nodes */
    int64_t first, last;       /* own nodes */
    int32_t *number;           /* (nodes of the whole graph) new numbers; -1: not read */
    uint32_t *ids; /* (edges of `whole`) in the whole graph; NULL: their places are their ids */
};

static bool is_own(const struct cutting *c, int32_t node)
{
    return node >= c->first && node < c->last;
}

/* Marks the others at the ends of a range of entries; returns how many are new. */
static int64_t mark_others(struct cutting *c, const struct csr *rows)
{
    int64_t count = 0;
    for (int64_t e = rows->start[c->first]; e < rows->start[c->last]; e++) {
        int32_t node = rows->index[e];
        count += !is_own(c, node) && c->number[node] < 0;
        c->number[node] = 0;
    }
    return count;
}

/* The rank that has `other` reads `node`, which an edge joins to it. Another rank that is met here for
 * the first time is counted in next[rank + 1] where `sent` is NULL, else gets the node at next[rank]. */
static void note_reader(const struct cutting *c, int64_t *next, int32_t *sent, int64_t *seen,
                        int64_t node, int32_t other)
{
    const struct shard *s = c->shard;
    int rank = shard_owner(s->bounds, s->comm->ranks, other);
    if (rank == s->comm->rank || seen[rank] > node)
        return;
    seen[rank] = node + 1;
    if (sent)
        sent[next[rank]++] = (int32_t)(node - c->first);
    else
        next[rank + 1]++;
}

/* Notes the readers of all own nodes. */
static void visit_readers(const struct cutting *c, int64_t *next, int32_t *sent, int64_t *seen)
{
    const struct csr *sides[] = {&c->whole->in, &c->whole->out};
    for (int64_t node = c->first; node < c->last; node++)
        for (int side = 0; side < 2; side++)
            for (int64_t e = sides[side]->start[node]; e < sides[side]->start[node + 1]; e++)
                note_reader(c, next, sent, seen, node, sides[side]->index[e]);
}

/* What comm_rows_init learns from the other ranks, found in the whole graph: a plan has no others. */
static graco_status find_rows(struct comm_rows *out, const struct cutting *c, int64_t others)
{
    const struct shard *s = c->shard;
    struct comm_rows rows = {.own = c->last - c->first, .others = others};
    int64_t ranks = s->comm->ranks, *next = NULL, *seen = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_zalloc(&rows.sent_start, ranks + 1, sizeof(int64_t)));
    TRY(memory_zalloc(&rows.received_start, ranks + 1, sizeof(int64_t)));
    TRY(memory_zalloc(&next, ranks + 1, sizeof *next));
    TRY(memory_zalloc(&seen, ranks, sizeof *seen));
    visit_readers(c, rows.sent_start, NULL, seen);
    for (int64_t i = 0; i < others; i++)
        rows.received_start[shard_owner(s->bounds, (int)ranks, s->nodes[rows.own + i]) + 1]++;
    for (int64_t r = 0; r < ranks; r++) {
        rows.sent_start[r + 1] += rows.sent_start[r];
        rows.received_start[r + 1] += rows.received_start[r];
        next[r] = rows.sent_start[r];
        seen[r] = 0;
    }
    TRY(memory_alloc(&rows.sent, rows.sent_start[ranks], sizeof *rows.sent));
    visit_readers(c, next, rows.sent, seen);
    *out = rows;
    rows = (struct comm_rows){0};
done:
    memory_free(next);
    memory_free(seen);
    comm_rows_clear(&rows);
    return status;
}

static graco_status number_nodes(struct cutting *c)
{
    int64_t own = c->last - c->first, others = 0, at = own;
    PASS(memory_alloc(&c->number, c->whole->nodes, sizeof *c->number));
    for (int64_t i = 0; i < c->whole->nodes; i++)
        c->number[i] = -1;
    others += mark_others(c, &c->whole->in);
    others += mark_others(c, &c->whole->out);
    PASS(memory_alloc(&c->shard->nodes, own + others, sizeof *c->shard->nodes));
    for (int64_t i = 0; i < c->whole->nodes; i++) {
        bool mine = is_own(c, (int32_t)i);
        if (!mine && c->number[i] < 0)
            continue;
        c->number[i] = (int32_t)(mine ? i - c->first : at++);
        c->shard->nodes[c->number[i]] = (int32_t)i;
    }
    c->shard->graph.nodes = own;
    c->shard->graph.sources = own + others;
    if (comm_is_tally(c->shard->comm))
        return find_rows(&c->shard->rows, c, others);
    return comm_rows_init(&c->shard->rows, c->shard->comm, c->shard->bounds, c->shard->nodes + own,
                          others);
}

/* The own rows of one orientation, with new numbers. */
static graco_status cut_rows(struct csr *out, const struct cutting *c, const struct csr *rows)
{
    int64_t base = rows->start[c->first], own = c->last - c->first;
    int64_t entries = rows->start[c->last] - base;
    PASS(csr_alloc(out, own, c->shard->graph.sources, entries, rows->value));
    for (int64_t i = 0; i <= own; i++)
        out->start[i] = rows->start[c->first + i] - base;
    for (int64_t e = 0; e < entries; e++)
        out->index[e] = c->number[rows->index[base + e]];
    if (rows->value)
        memcpy(out->value, rows->value + base, (size_t)entries * sizeof *out->value);
    return GRACO_OK;
}

/* Which rows can be summed before the others' have come. */
static graco_status order_rows(struct shard *s)
{
    const struct csr *ways[] = {&s->graph.in, &s->graph.out};
    for (int way = 0; way < 2; way++) {
        PASS(memory_alloc(&s->order[way], s->graph.nodes, sizeof(int32_t)));
        s->inner[way] = csr_inner_first(s->order[way], ways[way], s->graph.nodes);
    }
    return GRACO_OK;
}

/* Numbers the edges of all ranks: each rank's begin behind those into the nodes of the ranks before. */
static graco_status count_edges(struct cutting *c, struct comm *comm)
{
    const int64_t *start = c->whole->in.start;
    double *counts = NULL, before = 0, all = 0;
    graco_status status = GRACO_OK;
    TRY(memory_zalloc(&counts, comm->ranks, sizeof *counts));
    counts[comm->rank] = (double)(start[c->last] - start[c->first]);
    TRY(comm_sum_doubles(comm, counts, comm->ranks));
    for (int r = 0; r < comm->ranks; r++) {
        before += r < comm->rank ? counts[r] : 0;
        all += counts[r];
    }
    if (all > (double)UINT32_MAX)
        FAIL(GRACO_ERROR_ARGUMENT, "a graph of %.0f edges: at most %lld are possible", all,
             (long long)UINT32_MAX);
    c->shard->edges_before = (int64_t)before;
    c->shard->all_edges = (int64_t)all;
done:
    memory_free(counts);
    return status;
}

/* The ids of own edges by the rank that their sources belong to: `start` (ranks + 1), `list`. */
static graco_status list_ids(uint32_t **list, int64_t *start, const struct cutting *c, int ranks)
{
    const struct csr *in = &c->whole->in;
    const int64_t *bounds = c->shard->bounds;
    int64_t first = in->start[c->first], last = in->start[c->last];
    memset(start, 0, (size_t)(ranks + 1) * sizeof *start);
    PASS(memory_alloc(list, last - first, sizeof **list));
    for (int64_t e = first; e < last; e++)
        start[shard_owner(bounds, ranks, in->index[e]) + 1]++;
    for (int r = 0; r < ranks; r++)
        start[r + 1] += start[r];
    for (int64_t e = first; e < last; e++)
        (*list)[start[shard_owner(bounds, ranks, in->index[e])]++] = c->ids[e];
    for (int r = ranks; r > 0; r--) /* each start has moved to the next one's place */
        start[r] = start[r - 1];
    start[0] = 0;
    return GRACO_OK;
}

/* The ids of all edges that this rank has. It counts those into own nodes; the ranks that have the other
 * targets tell the rest, in the order of targets and sources, in which the edges stand here too. */
static graco_status learn_ids(struct cutting *c, struct comm *comm)
{
    const int64_t *start = c->whole->in.start, *bounds = c->shard->bounds;
    int64_t first = start[c->first], *sent = NULL, *received = NULL;
    uint32_t *list = NULL, *told = NULL;
    graco_status status = GRACO_OK;
    TRY(count_edges(c, comm));
    TRY(memory_alloc(&c->ids, c->whole->edges, sizeof *c->ids));
    for (int64_t e = first; e < start[c->last]; e++)
        c->ids[e] = (uint32_t)(c->shard->edges_before + e - first);
    TRY(memory_alloc(&sent, comm->ranks + 1, sizeof *sent));
    TRY(memory_alloc(&received, comm->ranks + 1, sizeof *received));
    TRY(list_ids(&list, sent, c, comm->ranks));
    TRY(comm_swap(&told, received, comm, list, sent, sizeof *list));
    for (int r = 0; r < comm->ranks; r++) {
        int64_t from = start[bounds[r]], count = start[bounds[r + 1]] - from;
        if (r == comm->rank)
            continue;
        if (received[r + 1] - received[r] != count)
            FAIL(GRACO_ERROR_IO, "ranks have read different edges: were they changed meanwhile?");
        if (count > 0)
            memcpy(c->ids + from, told + received[r], (size_t)count * sizeof *told);
    }
done:
    memory_free(sent);
    memory_free(received);
    memory_free(list);
    memory_free(told);
    return status;
}

static uint32_t id_of(const struct cutting *c, int64_t edge)
{
    return c->ids ? c->ids[edge] : (uint32_t)edge;
}

/* The ids by which edges are drawn. Those into own nodes are a range of ids. */
static graco_status list_drawn(struct cutting *c)
{
    struct shard *s = c->shard;
    const struct graph *whole = c->whole;
    int64_t base = whole->in.start[c->first], into = s->graph.edges;
    int64_t from = whole->out.start[c->first], entries = whole->out.start[c->last] - from;
    PASS(memory_alloc(&s->drawn, into + entries, sizeof *s->drawn));
    PASS(memory_alloc(&s->graph.out_edge, entries, sizeof *s->graph.out_edge));
    for (int64_t e = 0; e < into; e++)
        s->drawn[e] = id_of(c, base + e);
    s->drawn_count = into;
    for (int64_t e = 0; e < entries; e++) {
        uint32_t id = whole->out_edge[from + e];
        bool mine = is_own(c, whole->out.index[from + e]);
        if (!mine)
            s->drawn[s->drawn_count] = id_of(c, id);
        s->graph.out_edge[e] = (uint32_t)(mine ? id - base : s->drawn_count++);
    }
    return GRACO_OK;
}

/* Of a whole graph, or, where the bounds are given, of what touches own nodes. */
static graco_status create(struct shard **out, struct comm *comm, const struct graph *graph,
                           const int64_t *bounds)
{
    struct cutting c = {.whole = graph};
    struct shard *s = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_zalloc(&s, 1, sizeof *s));
    *s = (struct shard){.comm = comm, .all_nodes = graph->nodes, .all_edges = graph->edges};
    TRY(memory_alloc(&s->bounds, comm_ranks(comm) + 1, sizeof *s->bounds));
    if (bounds)
        memcpy(s->bounds, bounds, (size_t)(comm_ranks(comm) + 1) * sizeof *bounds);
    else
        TRY(shard_bounds(s->bounds, comm_ranks(comm), graph->in.start, graph->nodes));
    c.shard = s;
    c.first = s->bounds[comm_rank(comm)];
    c.last = s->bounds[comm_rank(comm) + 1];
    s->edges_before = graph->in.start[c.first];
    if (bounds)
        TRY(learn_ids(&c, comm));
    TRY(number_nodes(&c));
    TRY(cut_rows(&s->graph.in, &c, &graph->in));
    TRY(cut_rows(&s->graph.out, &c, &graph->out));
    TRY(order_rows(s));
    s->graph.edges = s->graph.in.start[s->graph.nodes];
    s->graph.shard = s;
    TRY(list_drawn(&c));
    s->graph.drawn = s->drawn;
    s->graph.drawn_count = s->drawn_count;
    *out = s;
    s = NULL;
done:
    memory_free(c.number);
    memory_free(c.ids);
    shard_free(s);
    return status;
}

graco_status shard_create(struct shard **out, struct comm *comm, const struct graph *graph)
{
    return create(out, comm, graph, NULL);
}

graco_status shard_create_part(struct shard **out, struct comm *comm, const int64_t *bounds,
                               const struct graph *touching)
{
    return create(out, comm, touching, bounds);
}
