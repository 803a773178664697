/* Drawing views with two kernels, or three where edges have weights.
 *
 * The first fills a byte per edge, keyed by the edge id, and a number per column of features. The second lists the
 * kept edges of each row, in both orientations, from the place where the row begins in the graph, and turns their
 * counts into scales per node. The third makes the scales from sums of weights instead. The graph itself lies on the
 * device once and never changes. A view that removes nothing reads the graph's own lists, so buffers for kept edges are taken when a view first removes some. */
#include "graph/view.h"

#include "base/memory.h"
#include "compute/exchange.h"
#include "graph/shard.h"

#include <assert.h>

/* The buffers of one view; taken from the context when they are first needed. */
struct view {
    uint8_t *keep;                 /* (drawn) */
    int32_t *in, *out;             /* (edges) kept sources and targets */
    float *in_weight, *out_weight; /* (edges) their weights, where the graph has any */
    int32_t *in_count;             /* (nodes) */
    int32_t *out_count;            /* (sources) */
    float *scale;                  /* (nodes), and those of other ranks' that are read */
    float *from_scale;             /* (sources) of one hop, symmetric norm */
    float *mask;                   /* (columns) */
};

struct views_store {
    struct context *context;
    int64_t nodes, sources, edges, columns;
    int64_t out_rows, out_edges;     /* of the outgoing rows: as above, or those of a rank */
    int64_t drawn_count;             /* edges that are drawn, */
    const uint32_t *drawn;           /* by their ids; NULL: 0, 1, ... */
    const struct shard *shard;       /* NULL: the whole graph is here */
    int64_t in_longest, out_longest; /* edges into, and out of, the node that has most */
    enum view_norm norm;
    float *share; /* (nodes) of each neighbour in the mean of a node's; NULL: another norm. Host */
    /* The graph as the device sees it. */
    int64_t *in_start, *out_start;
    int32_t *in_source, *out_target;
    float *in_weight, *out_weight; /* NULL: no weights */
    int32_t *sent;                 /* of the shard's rows, those that others read */
    const uint32_t *out_edge;
    const float *source_degree; /* NULL: a graph, whose sources are its targets */
    /* The order of the second view's rows and its inverse (sources); rows that are not moved, and
     * where they begin as rows of one entry: the identity, which is on the host. */
    int32_t *rows, *places;
    const int32_t *same;
    const int64_t *starts;
    struct csr identity;
    struct view view[2];
};

static void clear_view(struct context *context, struct view *view)
{
    void *blocks[] = {view->keep,       view->in,       view->out,       view->in_weight,
                      view->out_weight, view->in_count, view->out_count, view->scale,
                      view->from_scale, view->mask};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        context_give(context, blocks[i]);
}

void views_free(struct views *views)
{
    if (!views)
        return;
    struct views_store *store = views->store;
    if (store) {
        clear_view(store->context, &store->view[0]);
        clear_view(store->context, &store->view[1]);
        context_unshare(store->context, store->in_start);
        context_unshare(store->context, store->out_start);
        context_unshare(store->context, store->in_source);
        context_unshare(store->context, store->out_target);
        context_unshare(store->context, store->in_weight);
        context_unshare(store->context, store->out_weight);
        context_unshare(store->context, store->out_edge);
        context_unshare(store->context, store->drawn);
        context_unshare(store->context, store->sent);
        context_unshare(store->context, store->source_degree);
        context_unshare(store->context, store->same);
        context_unshare(store->context, store->starts);
        context_give(store->context, store->rows);
        context_give(store->context, store->places);
        csr_clear(&store->identity);
    }
    if (store)
        memory_free(store->share);
    memory_free(store);
    memory_free(views);
}

/* The lists of kept edges: NULL counts and the graph's own lists where nothing was removed. */
struct edges {
    int32_t *in, *out, *in_count, *out_count;
    float *in_weight, *out_weight;
};

static double power_of(const struct views_store *s)
{
    return s->norm == VIEW_NORM_SYMMETRIC ? -0.5 : -1;
}

/* Who lists kept edges counts them, and makes the scales at once; weights are added up afterwards. */
static bool scaled_already(const struct views_store *s, const int32_t *in_count)
{
    return in_count && !s->in_weight;
}

/* Normalises on the kept edges and fills in the matrices of one view, which keeps `share` of all
 * edges on average. */
static graco_status publish(struct views *views, int v, struct edges e, double share)
{
    struct views_store *s = views->store;
    struct view *view = &s->view[v];
    const struct kernels *kernels = s->context->kernels;
    bool symmetric = s->norm == VIEW_NORM_SYMMETRIC, self = s->norm != VIEW_NORM_NEIGHBOURS;
    const float *from = !symmetric ? NULL : view->from_scale ? view->from_scale : view->scale;
    views->map.matrix[v] =
        (struct sparse){.entries = {s->nodes, s->sources, s->in_start, e.in, e.in_weight},
                        .count = e.in_count,
                        .row_scale = view->scale,
                        .col_scale = from,
                        .longest = s->in_longest,
                        .self = self};
    views->map.transpose[v] =
        (struct sparse){.entries = {s->out_rows, s->shard ? s->sources : s->nodes, s->out_start,
                                    e.out, e.out_weight},
                        .count = e.out_count,
                        .row_scale = from,
                        .col_scale = view->scale,
                        .longest = s->out_longest,
                        .self = self};
    assert(self || !e.in_count);
    if (s->share)
        return s->context->buffers->upload(s->context, view->scale, s->share,
                                           (size_t)s->nodes * sizeof(float));
    if (!scaled_already(s, e.in_count))
        PASS(kernels->degree_scale(s->context,
                                   &(struct degrees){.rows = s->nodes,
                                                     .start = s->in_start,
                                                     .count = e.in_count,
                                                     .weight = e.in_weight,
                                                     .share = 1,
                                                     .power = power_of(s)},
                                   view->scale));
    if (s->shard)
        return exchange_rows(s->context, &s->shard->rows, s->sent, 1, 1, view->scale);
    if (view->from_scale)
        PASS(kernels->degree_scale(
            s->context,
            &(struct degrees){
                .rows = s->sources, .known = s->source_degree, .share = share, .power = -0.5},
            view->from_scale));
    return GRACO_OK;
}

static graco_status publish_whole(struct views *views, int v)
{
    const struct views_store *s = views->store;
    return publish(views, v,
                   (struct edges){.in = s->in_source,
                                  .out = s->out_target,
                                  .in_weight = s->in_weight,
                                  .out_weight = s->out_weight},
                   1);
}

static graco_status share_neighbours(struct views_store *s, const struct graph *graph)
{
    PASS(memory_alloc(&s->share, graph->nodes, sizeof(float)));
    for (int64_t i = 0; i < graph->nodes; i++) {
        double degree = graph_degree(graph, i);
        s->share[i] = degree > 0 ? (float)(1 / degree) : 0;
    }
    return GRACO_OK;
}

/* Which rows go to other ranks, and which rows of the products read none of theirs. */
static graco_status share_shard(struct views *views, const struct shard *shard)
{
    struct views_store *s = views->store;
    views->map.comm = shard->comm;
    views->map.rows = &shard->rows;
    PASS(context_share(s->context, &s->sent, shard->rows.sent,
                       shard->rows.sent_start[comm_ranks(shard->comm)], sizeof(int32_t)));
    views->map.sent = s->sent;
    for (int way = 0; way < 2; way++) {
        views->map.order[way] = shard->order[way];
        views->map.inner[way] = shard->inner[way];
    }
    return GRACO_OK;
}

static graco_status share_graph(struct views_store *s, const struct graph *graph)
{
    struct context *c = s->context;
    const struct csr *in = &graph->in, *out = &graph->out;
    if (graph->drawn)
        PASS(context_share(c, &s->drawn, graph->drawn, s->drawn_count, sizeof(uint32_t)));
    PASS(context_share(c, &s->in_start, in->start, s->nodes + 1, sizeof(int64_t)));
    PASS(context_share(c, &s->out_start, out->start, s->out_rows + 1, sizeof(int64_t)));
    PASS(context_share(c, &s->in_source, in->index, s->edges, sizeof(int32_t)));
    PASS(context_share(c, &s->out_target, out->index, s->out_edges, sizeof(int32_t)));
    PASS(context_share(c, &s->in_weight, in->value, s->edges, sizeof(float)));
    PASS(context_share(c, &s->out_weight, out->value, s->out_edges, sizeof(float)));
    return context_share(c, &s->out_edge, graph->out_edge, s->out_edges, sizeof(uint32_t));
}

graco_status views_create(struct views **out, struct context *context, const struct graph *graph,
                          const float *source_degree, int64_t columns, enum view_norm norm,
                          int count)
{
    graco_status status = GRACO_OK;
    struct views *views = NULL;
    struct views_store *s = NULL;
    const struct shard *shard = graph->shard;
    int64_t n = graph->nodes, sources = graph->sources, edges = graph->edges;
    assert(!shard || norm != VIEW_NORM_NEIGHBOURS);
    TRY(memory_zalloc(&views, 1, sizeof *views));
    TRY(memory_zalloc(&views->store, 1, sizeof *views->store));
    s = views->store;
    *s = (struct views_store){.context = context,
                              .nodes = n,
                              .sources = sources,
                              .edges = edges,
                              .columns = columns,
                              .out_rows = shard ? n : sources,
                              .out_edges = shard ? graph->out.start[n] : edges,
                              .drawn_count = graph->drawn ? graph->drawn_count : edges,
                              .shard = shard,
                              .in_longest = csr_longest_row(&graph->in),
                              .out_longest = csr_longest_row(&graph->out),
                              .norm = norm};
    views->count = views->map.views = count;
    views->edges = edges;
    views->graph = graph;
    if (shard)
        TRY(share_shard(views, shard));
    TRY(share_graph(s, graph));
    TRY(context_share(context, &s->source_degree, source_degree, sources, sizeof(float)));
    views->segments =
        (struct segments){.entries = {n, sources, s->in_start, s->in_source, NULL},
                          .transpose = {sources, n, s->out_start, s->out_target, NULL},
                          .from = s->out_edge,
                          .count = edges,
                          .longest = s->in_longest};
    if (norm == VIEW_NORM_NEIGHBOURS)
        TRY(share_neighbours(s, graph));
    for (int v = 0; v < count; v++) {
        TRY(context_take(context, &s->view[v].scale, shard ? sources : n, sizeof(float)));
        if (source_degree && norm == VIEW_NORM_SYMMETRIC)
            TRY(context_take(context, &s->view[v].from_scale, sources, sizeof(float)));
        TRY(publish_whole(views, v));
    }
    *out = views;
    return GRACO_OK;
done:
    views_free(views);
    return status;
}

static graco_status need_edges(struct views_store *s, struct view *view)
{
    struct context *c = s->context;
    if (view->out_count)
        return GRACO_OK;
    if (!view->keep)
        PASS(context_take(c, &view->keep, s->drawn_count, sizeof(uint8_t)));
    if (!view->in)
        PASS(context_take(c, &view->in, s->edges, sizeof(int32_t)));
    if (!view->out)
        PASS(context_take(c, &view->out, s->out_edges, sizeof(int32_t)));
    if (s->in_weight && !view->in_weight)
        PASS(context_take(c, &view->in_weight, s->edges, sizeof(float)));
    if (s->out_weight && !view->out_weight)
        PASS(context_take(c, &view->out_weight, s->out_edges, sizeof(float)));
    if (!view->in_count)
        PASS(context_take(c, &view->in_count, s->nodes, sizeof(int32_t)));
    return context_take(c, &view->out_count, s->out_rows, sizeof(int32_t));
}

static graco_status need_mask(struct views_store *s, struct view *view)
{
    return view->mask ? GRACO_OK : context_take(s->context, &view->mask, s->columns, sizeof(float));
}

/* Lists what the drawn views keep, in both orientations; on average view v keeps share[v] of its
 * edges. */
static graco_status keep_edges(struct views *views, const bool drawn[2], const double share[2])
{
    struct views_store *s = views->store;
    struct compaction list[COMPACTIONS_MAX];
    int count = 0;
    for (int v = 0; v < views->count; v++) {
        const struct view *view = &s->view[v];
        if (!drawn[v])
            continue;
        list[count++] =
            (struct compaction){.rows = s->nodes,
                                .start = s->in_start,
                                .index = s->in_source,
                                .keep = view->keep,
                                .kept = view->in,
                                .count = view->in_count,
                                .weight = s->in_weight,
                                .kept_weight = view->in_weight,
                                .scale = scaled_already(s, view->in_count) ? view->scale : NULL,
                                .power = power_of(s)};
        list[count++] = (struct compaction){.rows = s->out_rows,
                                            .start = s->out_start,
                                            .index = s->out_target,
                                            .id = s->out_edge,
                                            .keep = view->keep,
                                            .kept = view->out,
                                            .count = view->out_count,
                                            .weight = s->out_weight,
                                            .kept_weight = view->out_weight};
    }
    if (count > 0)
        PASS(s->context->kernels->compact(s->context, count, list));
    for (int v = 0; v < views->count; v++) {
        const struct view *view = &s->view[v];
        if (!drawn[v])
            continue;
        PASS(publish(views, v,
                     (struct edges){view->in, view->out, view->in_count, view->out_count,
                                    view->in_weight, view->out_weight},
                     share[v]));
    }
    return GRACO_OK;
}

graco_status views_draw(struct views *views, const struct view_drop *drop, uint64_t seed,
                        uint32_t step, uint32_t hop)
{
    struct views_store *s = views->store;
    const double share[2] = {1 - drop->edge[0], 1 - drop->edge[1]};
    struct drawing list[DRAWINGS_MAX];
    bool drawn[2] = {false};
    int count = 0;
    for (int v = 0; v < views->count; v++) {
        struct view *view = &s->view[v];
        struct random_key key = {
            .seed = seed, .stream = RANDOM_EDGES, .view = hop << 1 | (uint32_t)v, .step = step};
        if (drop->edge[v] > 0) {
            PASS(need_edges(s, view));
            list[count++] =
                (struct drawing){key, drop->edge[v], s->drawn_count, s->drawn, view->keep, NULL};
            drawn[v] = true;
        } else if (views->map.matrix[v].count) { /* an earlier draw removed some */
            PASS(publish_whole(views, v));
        }
        views->mask[v] = NULL;
        if (drop->feature[v] > 0 && s->columns > 0) {
            key.stream = RANDOM_FEATURES;
            key.view = (uint32_t)v;
            PASS(need_mask(s, view));
            list[count++] =
                (struct drawing){key, drop->feature[v], s->columns, NULL, NULL, view->mask};
            views->mask[v] = view->mask;
        }
    }
    if (count > 0)
        PASS(s->context->kernels->draw(s->context, count, list));
    return keep_edges(views, drawn, share);
}

graco_status views_set(struct views *views, int v, const uint8_t *keep, const float *mask)
{
    struct views_store *s = views->store;
    struct view *view = &s->view[v];
    const bool drawn[2] = {v == 0, v == 1};
    const double share[2] = {1, 1};
    PASS(need_edges(s, view));
    PASS(need_mask(s, view));
    PASS(s->context->buffers->upload(s->context, view->keep, keep, (size_t)s->edges));
    PASS(s->context->buffers->upload(s->context, view->mask, mask,
                                     (size_t)s->columns * sizeof(float)));
    PASS(keep_edges(views, drawn, share));
    views->mask[v] = view->mask;
    return GRACO_OK;
}

/* ---- The order of rows ----------------------------------------------------------------------- */

/* Buffers for an order, and the parts of its matrices that never change. */
static graco_status need_order(struct views_store *s)
{
    struct context *c = s->context;
    int64_t n = s->sources;
    if (s->starts)
        return GRACO_OK;
    if (!s->identity.start)
        PASS(csr_identity(&s->identity, n, false));
    if (!s->rows)
        PASS(context_take(c, &s->rows, n, sizeof(int32_t)));
    if (!s->places)
        PASS(context_take(c, &s->places, n, sizeof(int32_t)));
    if (!s->same)
        PASS(context_share(c, &s->same, s->identity.index, n, sizeof(int32_t)));
    return context_share(c, &s->starts, s->identity.start, n + 1, sizeof(int64_t));
}

static struct sparse permutation(const struct views_store *s, const int32_t *index)
{
    return (struct sparse){
        .entries = {s->sources, s->sources, (int64_t *)s->starts, (int32_t *)index, NULL},
        .longest = 1};
}

graco_status views_shuffle(struct views *views, uint64_t seed, uint32_t step)
{
    struct views_store *s = views->store;
    const struct random_key key = {.seed = seed, .stream = RANDOM_ROWS, .step = step};
    PASS(need_order(s));
    views->order =
        (struct sparse_map){.views = views->count,
                            .shared = true,
                            .matrix = {permutation(s, s->same), permutation(s, s->rows)},
                            .transpose = {permutation(s, s->same), permutation(s, s->places)}};
    return s->context->kernels->draw_order(s->context, &key, s->sources, s->rows, s->places);
}

void views_single(struct views *views)
{
    views->count = views->map.views = 1;
}
