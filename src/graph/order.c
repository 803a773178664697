/* Orders nodes by parts. A node weighs as much as shard.c counts for it, an average node's edges and its
 * own, so that the ranges that ranks take end where parts do, or nearly. */
#include "graph/order.h"

#include "base/memory.h"

#include <string.h>

/* Nodes of part 0, then of part 1, ...: a counting sort, which keeps their order. */
static graco_status sort_by_part(int32_t *order, const int32_t *part, int64_t nodes, int parts)
{
    int64_t *next = NULL;
    PASS(memory_zalloc(&next, (int64_t)parts + 1, sizeof *next));
    for (int64_t i = 0; i < nodes; i++)
        next[part[i] + 1]++;
    for (int p = 0; p < parts; p++)
        next[p + 1] += next[p];
    for (int64_t i = 0; i < nodes; i++)
        order[next[part[i]]++] = (int32_t)i;
    memory_free(next);
    return GRACO_OK;
}

static graco_status weigh(int32_t *weight, const struct graph *graph)
{
    int64_t mean = graph->edges / graph->nodes + 1;
    for (int64_t i = 0; i < graph->nodes; i++) {
        int64_t sum = mean + graph->in.start[i + 1] - graph->in.start[i];
        weight[i] = (int32_t)(sum < INT32_MAX ? sum : INT32_MAX);
    }
    return GRACO_OK;
}

graco_status order_find(int32_t *order, const struct graph *graph, int ranks)
{
    int32_t *part = NULL, *weight = NULL;
    graco_status status = GRACO_OK;
    if (graph->nodes < ranks)
        FAIL(GRACO_ERROR_ARGUMENT, "%lld nodes for %d ranks: expected at least one for each",
             (long long)graph->nodes, ranks);
    TRY(memory_zalloc(&part, graph->nodes, sizeof *part));
    TRY(memory_alloc(&weight, graph->nodes, sizeof *weight));
    TRY(weigh(weight, graph));
    if (ranks > 1 && graph->edges > 0)
        TRY(order_divide(part, graph, weight, ranks));
    TRY(sort_by_part(order, part, graph->nodes, ranks));
done:
    memory_free(part);
    memory_free(weight);
    return status;
}

graco_status order_apply(struct graph **out, const struct graph *graph, const int32_t *order)
{
    int32_t *number = NULL, *source = NULL, *target = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&number, graph->nodes, sizeof *number));
    TRY(memory_alloc(&source, graph->edges, sizeof *source));
    TRY(memory_alloc(&target, graph->edges, sizeof *target));
    for (int64_t i = 0; i < graph->nodes; i++)
        number[order[i]] = (int32_t)i;
    csr_entry_rows(target, &graph->in);
    for (int64_t e = 0; e < graph->edges; e++) {
        source[e] = number[graph->in.index[e]];
        target[e] = number[target[e]];
    }
    TRY(graph_build(out, NULL,
                    &(struct graph_pairs){.nodes = graph->nodes,
                                          .edges = graph->edges,
                                          .source = source,
                                          .target = target,
                                          .weight = graph->in.value}));
done:
    memory_free(number);
    memory_free(source);
    memory_free(target);
    return status;
}
