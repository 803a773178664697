/* Two passes over the rows of the chosen nodes, one to count the edges that stay, one to copy them.
 * A run of consecutive nodes, as one graph of many is, is numbered by subtraction; others need a
 * table from the first of them to the last. */
#include "graph/subgraph.h"

#include "base/memory.h"

/* The new number of a node: its place in a run of consecutive nodes, else from the table. */
struct numbering {
    int32_t first;
    int64_t span;   /* nodes from the first to the last, chosen or not */
    int32_t *place; /* (span) -1 for nodes left out; NULL for a run */
};

static int32_t new_number(const struct numbering *numbering, int32_t node)
{
    int64_t place = (int64_t)node - numbering->first;
    if (place < 0 || place >= numbering->span)
        return -1;
    return numbering->place ? numbering->place[place] : (int32_t)place;
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

static graco_status number_nodes(struct numbering *numbering, const int32_t *nodes, int64_t count)
{
    numbering->first = count > 0 ? nodes[0] : 0;
    numbering->span = count > 0 ? nodes[count - 1] - (int64_t)nodes[0] + 1 : 0;
    if (numbering->span == count)
        return GRACO_OK;
    PASS(memory_alloc(&numbering->place, numbering->span, sizeof *numbering->place));
    for (int64_t i = 0; i < numbering->span; i++)
        numbering->place[i] = -1;
    for (int64_t i = 0; i < count; i++)
        numbering->place[nodes[i] - numbering->first] = (int32_t)i;
    return GRACO_OK;
}

/* The rows of edges into the chosen nodes; they stay ascending, as the numbering does. */
static graco_status fill_in(struct graph *part, const struct graph *graph, const int32_t *nodes,
                            const struct numbering *numbering)
{
    const struct csr *whole = &graph->in;
    struct csr *in = &part->in;
    for (int64_t i = 0; i < part->nodes; i++) {
        for (int64_t e = whole->start[nodes[i]]; e < whole->start[nodes[i] + 1]; e++)
            part->edges += new_number(numbering, whole->index[e]) >= 0;
    }
    PASS(csr_alloc(in, part->nodes, part->nodes, part->edges, whole->value));
    for (int64_t i = 0, at = 0; i < part->nodes; i++) {
        for (int64_t e = whole->start[nodes[i]]; e < whole->start[nodes[i] + 1]; e++) {
            int32_t source = new_number(numbering, whole->index[e]);
            if (source < 0)
                continue;
            if (in->value)
                in->value[at] = whole->value[e];
            in->index[at++] = source;
        }
        in->start[i + 1] = at;
    }
    return GRACO_OK;
}

graco_status subgraph_create(struct graph **out, const struct graph *graph, const int32_t *nodes,
                             int64_t count)
{
    graco_status status = GRACO_OK;
    struct graph *part = NULL;
    struct numbering numbering = {0};
    TRY(check_nodes(graph, nodes, count));
    TRY(number_nodes(&numbering, nodes, count));
    TRY(memory_zalloc(&part, 1, sizeof *part));
    part->nodes = part->sources = count;
    TRY(fill_in(part, graph, nodes, &numbering));
    TRY(graph_turn(part));
    *out = part;
    part = NULL;
done:
    memory_free(numbering.place);
    graph_free(part);
    return status;
}
