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

/* Edge ids are 32 bits wide. */
static graco_status check_edge_count(int64_t edges)
{
    if (edges > (int64_t)UINT32_MAX)
        return status_fail(GRACO_ERROR_ARGUMENT, "a graph of %lld edges: at most %lld are possible",
                           (long long)edges, (long long)UINT32_MAX);
    return GRACO_OK;
}

/* Removes self-loops, and all but one of each run of equal sources, from the incoming rows. */
static struct graph_removed clean_rows(struct graph *graph)
{
    struct graph_removed removed = {0, 0};
    int64_t kept = 0, begin = 0;
    for (int64_t t = 0; t < graph->nodes; t++) {
        int64_t end = graph->in.start[t + 1];
        for (int64_t k = begin; k < end; k++) {
            if (graph->in.index[k] == t)
                removed.self_loops++;
            else if (k > begin && graph->in.index[k] == graph->in.index[k - 1])
                removed.duplicates++;
            else
                graph->in.index[kept++] = graph->in.index[k];
        }
        graph->in.start[t + 1] = kept;
        begin = end;
    }
    graph->edges = kept;
    return removed;
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
    int64_t in = graph->in.start[node], from = graph->out.start[node];
    return merge_rows(out, graph->in.index + in, graph->in.start[node + 1] - in,
                      graph->out.index + from, graph->out.start[node + 1] - from);
}

/* Fills the incoming rows of `both` with the neighbours in `given` along either direction. */
static graco_status symmetrise(struct graph *both, const struct graph *given)
{
    struct csr *in = &both->in;
    for (int64_t v = 0; v < both->nodes; v++)
        both->edges += merge_node(NULL, given, v);
    PASS(check_edge_count(both->edges));
    PASS(csr_alloc(in, both->nodes, both->nodes, both->edges, false));
    for (int64_t v = 0; v < both->nodes; v++)
        in->start[v + 1] = in->start[v] + merge_node(in->index + in->start[v], given, v);
    return GRACO_OK;
}

bool graph_is_symmetric(const struct graph *graph)
{
    size_t starts = (size_t)(graph->nodes + 1) * sizeof *graph->in.start;
    size_t ends = (size_t)graph->edges * sizeof *graph->in.index;
    return memcmp(graph->in.start, graph->out.start, starts) == 0 &&
           memcmp(graph->in.index, graph->out.index, ends) == 0;
}

static graco_status graph_new(struct graph **out, int64_t nodes)
{
    PASS(memory_zalloc(out, 1, sizeof **out));
    (*out)->nodes = (*out)->sources = nodes;
    return GRACO_OK;
}

graco_status graph_create(struct graph **out, struct graph_removed *removed, int64_t nodes,
                          int64_t edges, const int32_t *source, const int32_t *target,
                          bool undirected)
{
    graco_status status = GRACO_OK;
    struct graph *given = NULL, *both = NULL;
    struct graph_removed left_out;
    struct csr by_source = {0};
    TRY(check_pairs(nodes, edges, source, target));
    TRY(graph_new(&given, nodes));
    TRY(csr_from_pairs(&by_source, nodes, nodes, edges, source, target));
    TRY(csr_transpose(&given->in, NULL, &by_source));
    csr_clear(&by_source);
    left_out = clean_rows(given);
    TRY(check_edge_count(given->edges));
    TRY(csr_transpose(&given->out, &given->out_edge, &given->in));
    if (undirected && !graph_is_symmetric(given)) {
        TRY(graph_new(&both, nodes));
        TRY(symmetrise(both, given));
        graph_free(given);
        given = both;
        both = NULL;
        TRY(csr_transpose(&given->out, &given->out_edge, &given->in));
    }
    *out = given;
    given = NULL;
    if (removed)
        *removed = left_out;
done:
    graph_free(given);
    graph_free(both);
    csr_clear(&by_source);
    return status;
}

bool graph_links(const struct graph *graph, int32_t source, int32_t target)
{
    int64_t low = graph->out.start[source], high = graph->out.start[source + 1], end = high;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (graph->out.index[middle] < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && graph->out.index[low] == target;
}

void graph_clear(struct graph *graph)
{
    csr_clear(&graph->in);
    csr_clear(&graph->out);
    memory_free(graph->out_edge);
    *graph = (struct graph){0};
}

void graph_free(struct graph *graph)
{
    if (graph)
        graph_clear(graph);
    memory_free(graph);
}
