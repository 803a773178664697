/* Building a graph without comparing edges.
 *
 * Bucketing the pairs by source and then, in that order, by target is a radix sort with two digits:
 * the rows of edges into a node come out ascending, repeated pairs end up side by side, and the
 * outgoing rows are one more pass over the result. An undirected graph merges, for each node, its
 * two ascending rows, the incoming and the outgoing one. Everything is O(nodes + edges) and the
 * result depends on the set of pairs alone, not on their order; only sums of weights, of repeated
 * pairs, may round in another way. */
#include "graph/graph.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

static graco_status check_ends(const struct graph_pairs *pairs, int64_t first)
{
    int64_t nodes = pairs->nodes, edges = pairs->edges;
    const int32_t *source = pairs->source, *target = pairs->target;
    if (nodes < 0 || nodes > INT32_MAX)
        return status_fail(GRACO_ERROR_ARGUMENT, "a graph of %lld nodes: expected 0 to %lld",
                           (long long)nodes, (long long)INT32_MAX);
    if (edges < 0)
        return status_fail(GRACO_ERROR_ARGUMENT, "a graph of %lld edges", (long long)edges);
    for (int64_t e = 0; e < edges; e++) {
        if (source[e] < 0 || source[e] >= nodes || target[e] < 0 || target[e] >= nodes)
            return status_fail(
                GRACO_ERROR_FORMAT, "edge %lld joins nodes %ld and %ld: expected 0 to %lld",
                (long long)(first + e), (long)source[e], (long)target[e], (long long)nodes - 1);
    }
    return GRACO_OK;
}

static graco_status check_weights(const struct graph_pairs *pairs, int64_t first)
{
    for (int64_t e = 0; pairs->weight && e < pairs->edges; e++) {
        float weight = pairs->weight[e];
        if (!isfinite(weight) || weight < FLT_MIN)
            return status_fail(
                GRACO_ERROR_FORMAT,
                "edge %lld, from node %ld to node %ld, has the weight %g: expected a "
                "finite number above 0 (from %g)",
                (long long)(first + e), (long)pairs->source[e], (long)pairs->target[e],
                (double)weight, (double)FLT_MIN);
    }
    return GRACO_OK;
}

graco_status graph_check_pairs(const struct graph_pairs *pairs, int64_t first)
{
    PASS(check_ends(pairs, first));
    return check_weights(pairs, first);
}

static bool all_ones(const float *weight, int64_t edges)
{
    for (int64_t e = 0; e < edges; e++)
        if (weight[e] != 1)
            return false;
    return true;
}

/* Edge ids are 32 bits wide. */
static graco_status check_edge_count(int64_t edges)
{
    if (edges > (int64_t)UINT32_MAX)
        return status_fail(GRACO_ERROR_ARGUMENT, "a graph of %lld edges: at most %lld are possible",
                           (long long)edges, (long long)UINT32_MAX);
    return GRACO_OK;
}

/* Removes self-loops from the incoming rows, and makes one edge of each run of equal sources. */
static struct graph_removed clean_rows(struct graph *graph)
{
    struct graph_removed removed = {0, 0};
    int64_t kept = 0, begin = 0;
    float *weight = graph->in.value;
    for (int64_t t = 0; t < graph->nodes; t++) {
        int64_t end = graph->in.start[t + 1];
        for (int64_t k = begin; k < end; k++) {
            if (graph->in.index[k] == t) {
                removed.self_loops++;
            } else if (k > begin && graph->in.index[k] == graph->in.index[k - 1]) {
                removed.duplicates++;
                if (weight)
                    weight[kept - 1] += weight[k];
            } else {
                if (weight)
                    weight[kept] = weight[k];
                graph->in.index[kept++] = graph->in.index[k];
            }
        }
        graph->in.start[t + 1] = kept;
        begin = end;
    }
    graph->edges = kept;
    return removed;
}

/* Merges row `node` of two matrices into the same row of out, equal columns once, as a has them; out
 * may be NULL. Returns the length. */
static int64_t merge_rows(struct csr *out, const struct csr *a, const struct csr *b, int64_t node)
{
    int64_t i = a->start[node], a_end = a->start[node + 1];
    int64_t j = b->start[node], b_end = b->start[node + 1];
    int64_t first = out ? out->start[node] : 0, at = first;
    for (; i < a_end || j < b_end; at++) {
        bool from_a = j == b_end || (i < a_end && a->index[i] <= b->index[j]);
        int32_t item = from_a ? a->index[i] : b->index[j];
        if (out)
            out->index[at] = item;
        if (out && out->value)
            out->value[at] = from_a ? a->value[i] : b->value[j];
        i += i < a_end && a->index[i] == item;
        j += j < b_end && b->index[j] == item;
    }
    return at - first;
}

/* Fills the incoming rows of `both` with the neighbours in `given` along either direction. */
static graco_status symmetrise(struct graph *both, const struct graph *given)
{
    struct csr *in = &both->in;
    for (int64_t v = 0; v < both->nodes; v++)
        both->edges += merge_rows(NULL, &given->in, &given->out, v);
    PASS(check_edge_count(both->edges));
    PASS(csr_alloc(in, both->nodes, both->nodes, both->edges, given->in.value));
    for (int64_t v = 0; v < both->nodes; v++)
        in->start[v + 1] = in->start[v] + merge_rows(in, &given->in, &given->out, v);
    return GRACO_OK;
}

/* Sums of repeated weights may leave the range of floats. Where all weights are 1, but not before they
 * are summed, there are none: what is repeated must not count once because of its value. */
static graco_status check_sums(struct csr *in)
{
    int64_t edges = in->start[in->rows];
    for (int64_t t = 0; in->value && t < in->rows; t++)
        for (int64_t e = in->start[t]; e < in->start[t + 1]; e++)
            if (!isfinite(in->value[e]))
                return status_fail(GRACO_ERROR_FORMAT,
                                   "the weights of the edge from node %ld to node %lld, which is "
                                   "repeated, add up to %g: expected a finite number",
                                   (long)in->index[e], (long long)t, (double)in->value[e]);
    if (in->value && all_ones(in->value, edges)) {
        memory_free(in->value);
        in->value = NULL;
    }
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

graco_status graph_turn(struct graph *graph)
{
    const struct csr *out = &graph->out;
    PASS(csr_transpose(&graph->out, &graph->out_edge, &graph->in));
    if (!out->value)
        return GRACO_OK;
    PASS(memory_alloc(&graph->out_sum, graph->edges, sizeof *graph->out_sum));
    for (int64_t s = 0; s < graph->sources; s++) {
        double sum = 0;
        for (int64_t k = out->start[s]; k < out->start[s + 1]; k++)
            graph->out_sum[k] = sum += (double)out->value[k];
    }
    return GRACO_OK;
}

graco_status graph_build(struct graph **out, struct graph_removed *removed,
                         const struct graph_pairs *pairs)
{
    graco_status status = GRACO_OK;
    struct graph *given = NULL, *both = NULL;
    struct graph_removed left_out;
    struct csr by_source = {0};
    int64_t nodes = pairs->nodes;
    TRY(graph_check_pairs(pairs, 0));
    TRY(graph_new(&given, nodes));
    TRY(csr_from_pairs(&by_source, nodes, nodes, pairs->edges, pairs->source, pairs->target,
                       pairs->weight));
    TRY(csr_transpose(&given->in, NULL, &by_source));
    csr_clear(&by_source);
    left_out = clean_rows(given);
    TRY(check_edge_count(given->edges));
    TRY(check_sums(&given->in));
    TRY(graph_turn(given));
    if (pairs->undirected && !graph_is_symmetric(given)) {
        TRY(graph_new(&both, nodes));
        TRY(symmetrise(both, given));
        graph_free(given);
        given = both;
        both = NULL;
        TRY(graph_turn(given));
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

graco_status graph_create(struct graph **out, struct graph_removed *removed, int64_t nodes,
                          int64_t edges, const int32_t *source, const int32_t *target,
                          bool undirected)
{
    return graph_build(out, removed,
                       &(struct graph_pairs){nodes, edges, source, target, NULL, undirected});
}

double graph_degree(const struct graph *graph, int64_t node)
{
    const struct csr *in = &graph->in;
    double degree = 0;
    if (!in->value)
        return (double)(in->start[node + 1] - in->start[node]);
    for (int64_t e = in->start[node]; e < in->start[node + 1]; e++)
        degree += (double)in->value[e];
    return degree;
}

bool graph_links(const struct graph *graph, int32_t source, int32_t target)
{
    return csr_find(&graph->out, source, target) >= 0;
}

void graph_clear(struct graph *graph)
{
    csr_clear(&graph->in);
    csr_clear(&graph->out);
    memory_free(graph->out_edge);
    memory_free(graph->out_sum);
    *graph = (struct graph){0};
}

void graph_free(struct graph *graph)
{
    if (graph)
        graph_clear(graph);
    memory_free(graph);
}
