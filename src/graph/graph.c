/* Building a graph without comparing edges.
 *
 * Bucketing the pairs by source and then, in that order, by target is a radix sort with two digits:
 * the rows of edges into a node come out ascending, repeated pairs end up side by side, and the
 * outgoing rows are one more pass over the result. An undirected graph merges, for each node, its
 * two ascending rows, the incoming and the outgoing one. Everything is O(nodes + edges) and the
 * result depends on the set of pairs alone, not on their order. */
#include "graph/graph.h"

#include "base/memory.h"

#include <string.h>

static graco_status check_pairs(int64_t nodes, int64_t edges, const int32_t *source,
                                const int32_t *target)
{
    if (nodes < 0 || nodes > INT32_MAX)
        return status_fail(GRACO_ERROR_ARGUMENT, "a graph of %lld nodes: expected 0 to %lld",
                           (long long)nodes, (long long)INT32_MAX);
    if (edges < 0)
        return status_fail(GRACO_ERROR_ARGUMENT, "a graph of %lld edges", (long long)edges);
    for (int64_t e = 0; e < edges; e++) {
        if (source[e] < 0 || source[e] >= nodes || target[e] < 0 || target[e] >= nodes)
            return status_fail(
                GRACO_ERROR_FORMAT, "edge %lld joins nodes %ld and %ld: expected 0 to %lld",
                (long long)e, (long)source[e], (long)target[e], (long long)nodes - 1);
    }
    return GRACO_OK;
}

/* Turns counts in start[1 .. nodes] into the starts of rows, with start[0] = 0. */
static void starts_from_counts(int64_t *start, int64_t nodes)
{
    for (int64_t i = 0; i < nodes; i++)
        start[i + 1] += start[i];
}

/* Rows were filled by moving each start to its end: shift them back. */
static void starts_after_fill(int64_t *start, int64_t nodes)
{
    if (nodes > 0)
        memmove(start + 1, start, (size_t)nodes * sizeof *start);
    start[0] = 0;
}

/* Edge ids are 32 bits wide. */
static graco_status check_edge_count(int64_t edges)
{
    if (edges > (int64_t)UINT32_MAX)
        return status_fail(GRACO_ERROR_ARGUMENT, "a graph of %lld edges: at most %lld are possible",
                           (long long)edges, (long long)UINT32_MAX);
    return GRACO_OK;
}

/* Buckets the pairs by source: fills start (nodes + 1) and targets (pairs without self-loops). */
static graco_status bucket_by_source(int64_t **start, int32_t **targets, int64_t nodes,
                                     int64_t edges, const int32_t *source, const int32_t *target)
{
    graco_status status;
    TRY(memory_zalloc(start, nodes + 1, sizeof **start));
    for (int64_t e = 0; e < edges; e++)
        (*start)[source[e] + 1] += source[e] != target[e];
    starts_from_counts(*start, nodes);
    TRY(memory_alloc(targets, (*start)[nodes], sizeof **targets));
    for (int64_t e = 0; e < edges; e++) {
        if (source[e] != target[e])
            (*targets)[(*start)[source[e]]++] = target[e];
    }
    starts_after_fill(*start, nodes);
done:
    return status;
}

/* Fills the incoming rows of `graph` from rows of targets, sources ascending within each. */
static graco_status transpose_in(struct graph *graph, const int64_t *start, const int32_t *targets)
{
    graco_status status;
    int64_t nodes = graph->nodes, edges = start[nodes];
    TRY(memory_zalloc(&graph->in_start, nodes + 1, sizeof *graph->in_start));
    TRY(memory_alloc(&graph->in_source, edges, sizeof *graph->in_source));
    for (int64_t k = 0; k < edges; k++)
        graph->in_start[targets[k] + 1]++;
    starts_from_counts(graph->in_start, nodes);
    for (int64_t s = 0; s < nodes; s++) {
        for (int64_t k = start[s]; k < start[s + 1]; k++)
            graph->in_source[graph->in_start[targets[k]]++] = (int32_t)s;
    }
    starts_after_fill(graph->in_start, nodes);
done:
    return status;
}

/* Keeps one of each run of equal sources in the incoming rows; returns how many were left out. */
static int64_t remove_repeats(struct graph *graph)
{
    int64_t kept = 0, begin = 0;
    for (int64_t t = 0; t < graph->nodes; t++) {
        int64_t end = graph->in_start[t + 1];
        for (int64_t k = begin; k < end; k++) {
            if (k == begin || graph->in_source[k] != graph->in_source[k - 1])
                graph->in_source[kept++] = graph->in_source[k];
        }
        graph->in_start[t + 1] = kept;
        begin = end;
    }
    graph->edges = kept;
    return begin - kept;
}

/* Fills the outgoing rows from the incoming ones. */
static graco_status transpose_out(struct graph *graph)
{
    graco_status status;
    int64_t nodes = graph->nodes, edges = graph->edges;
    TRY(memory_zalloc(&graph->out_start, nodes + 1, sizeof *graph->out_start));
    TRY(memory_alloc(&graph->out_target, edges, sizeof *graph->out_target));
    TRY(memory_alloc(&graph->out_edge, edges, sizeof *graph->out_edge));
    for (int64_t e = 0; e < edges; e++)
        graph->out_start[graph->in_source[e] + 1]++;
    starts_from_counts(graph->out_start, nodes);
    for (int64_t t = 0; t < nodes; t++) {
        for (int64_t e = graph->in_start[t]; e < graph->in_start[t + 1]; e++) {
            int64_t at = graph->out_start[graph->in_source[e]]++;
            graph->out_target[at] = (int32_t)t;
            graph->out_edge[at] = (uint32_t)e;
        }
    }
    starts_after_fill(graph->out_start, nodes);
done:
    return status;
}

/* Merges two ascending rows into out, equal items once; out may be NULL. Returns the length. */
static int64_t merge_rows(int32_t *out, const int32_t *a, int64_t a_count, const int32_t *b,
                          int64_t b_count)
{
    int64_t i = 0, j = 0, length = 0;
    while (i < a_count || j < b_count) {
        bool from_a = j == b_count || (i < a_count && a[i] <= b[j]);
        int32_t item = from_a ? a[i] : b[j];
        i += i < a_count && a[i] == item;
        j += j < b_count && b[j] == item;
        if (out)
            out[length] = item;
        length++;
    }
    return length;
}

static int64_t merge_node(int32_t *out, const struct graph *graph, int64_t node)
{
    int64_t in = graph->in_start[node], from = graph->out_start[node];
    return merge_rows(out, graph->in_source + in, graph->in_start[node + 1] - in,
                      graph->out_target + from, graph->out_start[node + 1] - from);
}

/* Fills the incoming rows of `both` with the neighbours in `given` along either direction. */
static graco_status symmetrise(struct graph *both, const struct graph *given)
{
    graco_status status;
    int64_t nodes = both->nodes;
    TRY(memory_alloc(&both->in_start, nodes + 1, sizeof *both->in_start));
    both->in_start[0] = 0;
    for (int64_t v = 0; v < nodes; v++)
        both->in_start[v + 1] = both->in_start[v] + merge_node(NULL, given, v);
    both->edges = both->in_start[nodes];
    TRY(check_edge_count(both->edges));
    TRY(memory_alloc(&both->in_source, both->edges, sizeof *both->in_source));
    for (int64_t v = 0; v < nodes; v++)
        merge_node(both->in_source + both->in_start[v], given, v);
done:
    return status;
}

static graco_status graph_new(struct graph **out, int64_t nodes)
{
    graco_status status = memory_zalloc(out, 1, sizeof **out);
    if (status == GRACO_OK)
        (*out)->nodes = (*out)->sources = nodes;
    return status;
}

graco_status graph_create(struct graph **out, struct graph_removed *removed, int64_t nodes,
                          int64_t edges, const int32_t *source, const int32_t *target,
                          bool undirected)
{
    graco_status status;
    struct graph *given = NULL, *both = NULL;
    struct graph_removed left_out = {0, 0};
    int64_t *start = NULL;
    int32_t *targets = NULL;
    TRY(check_pairs(nodes, edges, source, target));
    TRY(graph_new(&given, nodes));
    TRY(bucket_by_source(&start, &targets, nodes, edges, source, target));
    left_out.self_loops = edges - start[nodes];
    TRY(transpose_in(given, start, targets));
    left_out.duplicates = remove_repeats(given);
    TRY(check_edge_count(given->edges));
    memory_free(start);
    memory_free(targets);
    start = NULL;
    targets = NULL;
    TRY(transpose_out(given));
    if (undirected) {
        TRY(graph_new(&both, nodes));
        TRY(symmetrise(both, given));
        graph_free(given);
        given = both;
        both = NULL;
        TRY(transpose_out(given));
    }
    *out = given;
    given = NULL;
    if (removed)
        *removed = left_out;
done:
    graph_free(given);
    graph_free(both);
    memory_free(start);
    memory_free(targets);
    return status;
}

void graph_free(struct graph *graph)
{
    if (!graph)
        return;
    memory_free(graph->in_start);
    memory_free(graph->in_source);
    memory_free(graph->out_start);
    memory_free(graph->out_target);
    memory_free(graph->out_edge);
    memory_free(graph);
}
