#include "data/subset.h"

#include "base/memory.h"

#include <string.h>

/* The run of nodes that make up a graph. Graph ids ascend, so its ends are found by halving. */
static int64_t first_of_graph(const struct graco_dataset *data, int64_t graph)
{
    int64_t low = 0, high = data->graph->nodes;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (data->graph_id[middle] < graph)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void graph_run(int64_t *begin, int64_t *end, const struct graco_dataset *data, int64_t graph)
{
    bool whole = graph == SUBSET_ALL || !data->graph_id;
    *begin = whole ? 0 : first_of_graph(data, graph);
    *end = whole ? data->graph->nodes : first_of_graph(data, graph + 1);
}

static bool belongs(const struct graco_dataset *data, int64_t node, int split)
{
    return split == SUBSET_ALL || (data->split ? data->split[node] : 0) == split;
}

graco_status subset_nodes(int32_t **nodes, int64_t *count, const struct graco_dataset *data,
                          int split, int64_t graph)
{
    graco_status status;
    int64_t begin, end, found = 0;
    int32_t *list = NULL;
    if (split < SUBSET_ALL || split > 3)
        FAIL(GRACO_ERROR_ARGUMENT, "split %d: expected 0 to 3, or %d for all", split, SUBSET_ALL);
    if (graph < SUBSET_ALL || graph >= data->graphs)
        FAIL(GRACO_ERROR_ARGUMENT, "graph %lld: expected 0 to %lld, or %d for all",
             (long long)graph, (long long)data->graphs - 1, SUBSET_ALL);
    graph_run(&begin, &end, data, graph);
    for (int64_t i = begin; i < end; i++)
        found += belongs(data, i, split);
    TRY(memory_alloc(&list, found, sizeof *list));
    *count = 0;
    for (int64_t i = begin; i < end; i++) {
        if (belongs(data, i, split))
            list[(*count)++] = (int32_t)i;
    }
    *nodes = list;
done:
    return status;
}

static graco_status gather_dense(struct features *out, const struct features *X,
                                 const int32_t *nodes)
{
    graco_status status = memory_alloc(&out->dense, out->rows * X->cols, sizeof *out->dense);
    for (int64_t i = 0; status == GRACO_OK && i < out->rows; i++)
        memcpy(out->dense + i * X->cols, X->dense + nodes[i] * X->cols,
               (size_t)X->cols * sizeof *X->dense);
    return status;
}

static graco_status gather_sparse(struct features *out, const struct features *X,
                                  const int32_t *nodes)
{
    graco_status status;
    TRY(memory_alloc(&out->start, out->rows + 1, sizeof *out->start));
    out->start[0] = 0;
    for (int64_t i = 0; i < out->rows; i++)
        out->start[i + 1] = out->start[i] + X->start[nodes[i] + 1] - X->start[nodes[i]];
    TRY(memory_alloc(&out->index, out->start[out->rows], sizeof *out->index));
    TRY(memory_alloc(&out->value, out->start[out->rows], sizeof *out->value));
    for (int64_t i = 0; i < out->rows; i++) {
        int64_t from = X->start[nodes[i]], to = out->start[i], n = out->start[i + 1] - to;
        memcpy(out->index + to, X->index + from, (size_t)n * sizeof *X->index);
        memcpy(out->value + to, X->value + from, (size_t)n * sizeof *X->value);
    }
done:
    return status;
}

graco_status subset_features(struct features *out, const struct features *X, const int32_t *nodes,
                             int64_t count)
{
    graco_status status;
    struct features rows = {.rows = count, .cols = X->cols};
    TRY(features_check(X));
    for (int64_t i = 0; i < count; i++) {
        if (nodes[i] < 0 || nodes[i] >= X->rows)
            FAIL(GRACO_ERROR_ARGUMENT, "row %ld of the features: expected 0 to %lld",
                 (long)nodes[i], (long long)X->rows - 1);
    }
    if (X->dense)
        TRY(gather_dense(&rows, X, nodes));
    else if (X->start)
        TRY(gather_sparse(&rows, X, nodes));
    *out = rows;
    rows = (struct features){0};
done:
    features_clear(&rows);
    return status;
}

int subset_graph_split(const struct graco_dataset *data, int64_t graph)
{
    int64_t begin, end;
    graph_run(&begin, &end, data, graph);
    if (!data->split || begin == end)
        return 0;
    for (int64_t i = begin + 1; i < end; i++) {
        if (data->split[i] != data->split[begin])
            return -1;
    }
    return data->split[begin];
}
