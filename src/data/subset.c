/* Nodes are chosen by one pass over a run of them: the nodes of a graph stand together, because
 * graph ids ascend. */
#include "data/subset.h"

#include "base/memory.h"

#include <string.h>

/* The run of nodes that make up a graph. Graph ids ascend, so its ends are found by halving. */
static int64_t first_of_graph(const struct graco_dataset *data, int64_t graph)
{
    int64_t low = 0, high = dataset_nodes(data);
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
    *end = whole ? dataset_nodes(data) : first_of_graph(data, graph + 1);
}

static bool belongs(const struct graco_dataset *data, int64_t node, int split)
{
    return split == SUBSET_ALL || (data->split ? data->split[node] : 0) == split;
}

graco_status subset_nodes(int32_t **nodes, int64_t *count, const struct graco_dataset *data,
                          int split, int64_t graph)
{
    int64_t begin, end, found = 0;
    int32_t *list = NULL;
    if (split < SUBSET_ALL || split > 3)
        return status_fail(GRACO_ERROR_ARGUMENT, "split %d: expected 0 to 3, or %d for all", split,
                           SUBSET_ALL);
    if (graph < SUBSET_ALL || graph >= data->graphs)
        return status_fail(GRACO_ERROR_ARGUMENT, "graph %lld: expected 0 to %lld, or %d for all",
                           (long long)graph, (long long)data->graphs - 1, SUBSET_ALL);
    graph_run(&begin, &end, data, graph);
    for (int64_t i = begin; i < end; i++)
        found += belongs(data, i, split);
    PASS(memory_alloc(&list, found, sizeof *list));
    *count = 0;
    for (int64_t i = begin; i < end; i++) {
        if (belongs(data, i, split))
            list[(*count)++] = (int32_t)i;
    }
    *nodes = list;
    return GRACO_OK;
}

graco_status subset_upto(int32_t **nodes, int64_t *count, const struct graco_dataset *data,
                         int part)
{
    int64_t all = dataset_nodes(data), found = 0;
    int32_t *list = NULL;
    PASS(memory_alloc(&list, all, sizeof *list));
    for (int64_t i = 0; i < all; i++)
        if (data->split[i] <= part)
            list[found++] = (int32_t)i;
    *nodes = list;
    *count = found;
    return GRACO_OK;
}

static graco_status gather_dense(float **out, const struct features *X, const int32_t *nodes,
                                 int64_t count)
{
    PASS(memory_alloc(out, count * X->cols, sizeof **out));
    for (int64_t i = 0; i < count; i++)
        memcpy(*out + i * X->cols, X->dense + nodes[i] * X->cols,
               (size_t)X->cols * sizeof *X->dense);
    return GRACO_OK;
}

graco_status subset_features(struct features *out, const struct features *X, const int32_t *nodes,
                             int64_t count)
{
    struct features rows = {.rows = count, .cols = X->cols};
    PASS(features_check(X));
    for (int64_t i = 0; i < count; i++) {
        if (nodes[i] < 0 || nodes[i] >= X->rows)
            return status_fail(GRACO_ERROR_ARGUMENT, "row %ld of the features: expected 0 to %lld",
                               (long)nodes[i], (long long)X->rows - 1);
    }
    if (X->dense)
        PASS(gather_dense(&rows.dense, X, nodes, count));
    else if (X->sparse.start)
        PASS(csr_gather(&rows.sparse, NULL, &X->sparse, nodes, count));
    *out = rows;
    return GRACO_OK;
}
