#include "graph/subgraph.h"

#include "base/memory.h"

/* The new number of a node: its place in a run of consecutive nodes, else from the table. */
struct numbering {
    int32_t first, count;
    int32_t *place; /* (graph->nodes) -1 for nodes left out; NULL for a run */
};

static int32_t new_number(const struct numbering *numbering, int32_t node)
{
    if (numbering->place)
        return numbering->place[node];
    int64_t place = (int64_t)node - numbering->first;
    return place >= 0 && place < numbering->count ? (int32_t)place : -1;
}

static graco_status check_nodes(const struct graph *graph, const int32_t *nodes, int64_t count)
{
    if (graph->sources != graph->nodes)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "a subgraph of a sampled hop: expected as many sources as nodes");
    if (count < 0 || count > graph->nodes)
        return status_fail(GRACO_ERROR_ARGUMENT, "a subgraph of %lld nodes: expected 0 to %lld",
                           (long long)count, (long long)graph->nodes);
    for (int64_t i = 0; i < count; i++) {
        if (nodes[i] < 0 || nodes[i] >= graph->nodes)
            return status_fail(GRACO_ERROR_ARGUMENT, "node %ld of a subgraph: expected 0 to %lld",
                               (long)nodes[i], (long long)graph->nodes - 1);
        if (i > 0 && nodes[i] <= nodes[i - 1])
            return status_fail(GRACO_ERROR_ARGUMENT,
                               "node %ld of a subgraph comes after node %ld: expected ascending "
                               "ones",
                               (long)nodes[i], (long)nodes[i - 1]);
    }
    return GRACO_OK;
}

static graco_status number_nodes(struct numbering *numbering, const struct graph *graph,
                                 const int32_t *nodes, int64_t count)
{
    graco_status status = GRACO_OK;
    numbering->first = count > 0 ? nodes[0] : 0;
    numbering->count = (int32_t)count;
    if (count == 0 || nodes[count - 1] - (int64_t)nodes[0] + 1 == count)
        goto done;
    TRY(memory_alloc(&numbering->place, graph->nodes, sizeof *numbering->place));
    for (int64_t i = 0; i < graph->nodes; i++)
        numbering->place[i] = -1;
    for (int64_t i = 0; i < count; i++)
        numbering->place[nodes[i]] = (int32_t)i;
done:
    return status;
}

/* The rows of edges into the chosen nodes; they stay ascending, as the numbering does. */
static graco_status fill_in(struct graph *part, const struct graph *graph, const int32_t *nodes,
                            const struct numbering *numbering)
{
    graco_status status;
    int64_t edges = 0;
    TRY(memory_alloc(&part->in_start, part->nodes + 1, sizeof *part->in_start));
    part->in_start[0] = 0;
    for (int64_t i = 0; i < part->nodes; i++) {
        for (int64_t e = graph->in_start[nodes[i]]; e < graph->in_start[nodes[i] + 1]; e++)
            edges += new_number(numbering, graph->in_source[e]) >= 0;
        part->in_start[i + 1] = edges;
    }
    part->edges = edges;
    TRY(memory_alloc(&part->in_source, edges, sizeof *part->in_source));
    for (int64_t i = 0, at = 0; i < part->nodes; i++) {
        for (int64_t e = graph->in_start[nodes[i]]; e < graph->in_start[nodes[i] + 1]; e++) {
            int32_t source = new_number(numbering, graph->in_source[e]);
            if (source >= 0)
                part->in_source[at++] = source;
        }
    }
done:
    return status;
}

graco_status subgraph_create(struct graph **out, const struct graph *graph, const int32_t *nodes,
                             int64_t count)
{
    graco_status status;
    struct graph *part = NULL;
    struct numbering numbering = {0};
    TRY(check_nodes(graph, nodes, count));
    TRY(number_nodes(&numbering, graph, nodes, count));
    TRY(memory_zalloc(&part, 1, sizeof *part));
    part->nodes = part->sources = count;
    TRY(fill_in(part, graph, nodes, &numbering));
    TRY(graph_transpose(part));
    *out = part;
    part = NULL;
done:
    memory_free(numbering.place);
    graph_free(part);
    return status;
}
