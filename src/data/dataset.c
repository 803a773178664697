#include "data/dataset.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

void features_clear(struct features *features)
{
    if (features->file)
        features_file_close(features->file); /* the dense rows are in it */
    else
        memory_free(features->dense);
    memory_free(features->start);
    memory_free(features->index);
    memory_free(features->value);
    *features = (struct features){0};
}

void dataset_names_free(char **names)
{
    if (names)
        memory_free(names[0]);
    memory_free(names);
}

void dataset_parts_clear(struct dataset_parts *parts)
{
    memory_free(parts->source);
    memory_free(parts->target);
    features_clear(&parts->features);
    memory_free(parts->label);
    memory_free(parts->multi);
    memory_free(parts->label_known);
    memory_free(parts->split);
    memory_free(parts->graph_id);
    dataset_names_free(parts->node_ids);
    *parts = (struct dataset_parts){0};
}

/* One pass over all values, unless they lie in a file so large that they may not fit memory. */
static graco_status check_dense(const struct features *features)
{
    int64_t count = features->rows * features->cols;
    if (features->file && count > FEATURES_CHECKED / (int64_t)sizeof(float))
        return GRACO_OK;
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(features->dense[i]))
            return status_fail(GRACO_ERROR_FORMAT,
                               "feature %lld of node %lld is %g: expected a finite number",
                               (long long)(i % features->cols), (long long)(i / features->cols),
                               (double)features->dense[i]);
    }
    return GRACO_OK;
}

static graco_status check_sparse_row(const struct features *features, int64_t row)
{
    int64_t begin = features->start[row], end = features->start[row + 1];
    for (int64_t k = begin; k < end; k++) {
        int32_t column = features->index[k];
        if (column < 0 || column >= features->cols)
            return status_fail(GRACO_ERROR_FORMAT,
                               "node %lld has a feature with index %ld: expected 0 to %lld",
                               (long long)row, (long)column, (long long)features->cols - 1);
        if (k > begin && column <= features->index[k - 1])
            return status_fail(GRACO_ERROR_FORMAT,
                               "node %lld has feature index %ld after %ld: expected ascending ones",
                               (long long)row, (long)column, (long)features->index[k - 1]);
        if (!isfinite(features->value[k]))
            return status_fail(GRACO_ERROR_FORMAT,
                               "feature %ld of node %lld is %g: expected a finite number",
                               (long)column, (long long)row, (double)features->value[k]);
    }
    return GRACO_OK;
}

static graco_status check_sparse(const struct features *features)
{
    graco_status status = GRACO_OK;
    if (features->start[0] != 0)
        return status_fail(GRACO_ERROR_FORMAT, "the features' rows start at %lld: expected 0",
                           (long long)features->start[0]);
    for (int64_t row = 0; row < features->rows; row++) {
        if (features->start[row + 1] < features->start[row])
            return status_fail(GRACO_ERROR_FORMAT,
                               "the features of node %lld end at %lld, before their start at %lld",
                               (long long)row, (long long)features->start[row + 1],
                               (long long)features->start[row]);
    }
    for (int64_t row = 0; row < features->rows && status == GRACO_OK; row++)
        status = check_sparse_row(features, row);
    return status;
}

static graco_status check_features(struct features *features, int64_t nodes)
{
    if (!features->dense && !features->start)
        features->rows = nodes;
    if (features->rows != nodes)
        return status_fail(GRACO_ERROR_FORMAT, "features for %lld nodes: expected %lld",
                           (long long)features->rows, (long long)nodes);
    if (features->cols < 0 || features->cols > INT32_MAX)
        return status_fail(GRACO_ERROR_FORMAT, "%lld features per node: expected 0 to %lld",
                           (long long)features->cols, (long long)INT32_MAX);
    if (features->cols == 0 || (!features->dense && !features->start)) {
        features_clear(features);
        features->rows = nodes;
        return GRACO_OK;
    }
    return features->dense ? check_dense(features) : check_sparse(features);
}

static graco_status check_classes(const struct dataset_parts *parts)
{
    if (parts->label && parts->multi)
        return status_fail(GRACO_ERROR_ARGUMENT, "both one label and several labels per node");
    if (parts->classes < 0 || parts->classes > DATASET_CLASSES ||
        (parts->multi && parts->classes == 0))
        return status_fail(GRACO_ERROR_FORMAT, "labels of %lld classes: expected 1 to %d",
                           (long long)parts->classes, DATASET_CLASSES);
    return GRACO_OK;
}

static graco_status check_labels(const struct dataset_parts *parts)
{
    graco_status status = check_classes(parts);
    for (int64_t i = 0; status == GRACO_OK && parts->label && i < parts->nodes; i++) {
        if (parts->label[i] < -1 || parts->label[i] >= parts->classes)
            status = status_fail(
                GRACO_ERROR_FORMAT, "node %lld has label %ld: expected -1 (unknown) to %lld",
                (long long)i, (long)parts->label[i], (long long)parts->classes - 1);
    }
    int64_t entries = parts->multi ? parts->nodes * parts->classes : 0;
    for (int64_t i = 0; status == GRACO_OK && i < entries; i++) {
        if (parts->multi[i] > 1)
            status = status_fail(
                GRACO_ERROR_FORMAT, "label %lld of node %lld is %d: expected 0 or 1",
                (long long)(i % parts->classes), (long long)(i / parts->classes), parts->multi[i]);
    }
    for (int64_t i = 0; status == GRACO_OK && parts->label_known && i < parts->nodes; i++) {
        if (parts->label_known[i] > 1)
            status = status_fail(GRACO_ERROR_FORMAT,
                                 "the label mask of node %lld is %d: expected 0 or 1", (long long)i,
                                 parts->label_known[i]);
    }
    return status;
}

static graco_status check_split(const struct dataset_parts *parts)
{
    for (int64_t i = 0; parts->split && i < parts->nodes; i++) {
        if (parts->split[i] > 3)
            return status_fail(GRACO_ERROR_FORMAT,
                               "node %lld is in split %d: expected 0 (training), 1 (validation), "
                               "2 (test) or 3 (none)",
                               (long long)i, parts->split[i]);
    }
    return GRACO_OK;
}

static graco_status check_graph_ids(const struct dataset_parts *parts)
{
    const int32_t *id = parts->graph_id;
    if (!id)
        return GRACO_OK;
    for (int64_t i = 0; i < parts->nodes; i++) {
        int32_t previous = i > 0 ? id[i - 1] : 0;
        if (id[i] != previous && (i == 0 || id[i] - (int64_t)previous != 1))
            return status_fail(
                GRACO_ERROR_FORMAT,
                "node %lld is in graph %ld after graph %ld: expected ids that ascend "
                "from 0 without gaps",
                (long long)i, (long)id[i], (long)previous);
    }
    return GRACO_OK;
}

/* Runs after graph_create, which has checked that the ids are in range. */
static graco_status check_crossings(const struct graph *graph, const int32_t *graph_id)
{
    for (int64_t t = 0; graph_id && t < graph->nodes; t++) {
        for (int64_t e = graph->in_start[t]; e < graph->in_start[t + 1]; e++) {
            int32_t s = graph->in_source[e];
            if (graph_id[s] != graph_id[t])
                return status_fail(GRACO_ERROR_FORMAT,
                                   "the edge from node %ld to node %lld joins graphs %ld and %ld: "
                                   "expected edges within a graph only",
                                   (long)s, (long long)t, (long)graph_id[s], (long)graph_id[t]);
        }
    }
    return GRACO_OK;
}

/* Moves the arrays that need no change. */
static void take_parts(struct graco_dataset *data, struct dataset_parts *parts)
{
    data->features = parts->features;
    data->classes = parts->label || parts->multi ? parts->classes : 0;
    if (data->classes == 0) {
        memory_free(parts->label); /* every node is unknown: there are no labels */
        parts->label = NULL;
    }
    data->label = parts->label;
    data->multi = parts->multi;
    data->label_known = parts->label_known;
    data->split = parts->split;
    data->graph_id = parts->graph_id;
    data->graphs = parts->graph_id ? (int64_t)parts->graph_id[parts->nodes - 1] + 1 : 1;
    data->node_ids = parts->node_ids;
    data->inductive = parts->inductive;
    parts->features = (struct features){0};
    parts->label = NULL;
    parts->multi = parts->label_known = parts->split = NULL;
    parts->graph_id = NULL;
    parts->node_ids = NULL;
}

graco_status dataset_create(struct graco_dataset **out, struct dataset_parts *parts)
{
    graco_status status;
    struct graco_dataset *data = NULL;
    struct graph_removed removed;
    if (parts->nodes < 1 || parts->nodes > INT32_MAX)
        FAIL(GRACO_ERROR_FORMAT, "a graph of %lld nodes: expected 1 to %lld",
             (long long)parts->nodes, (long long)INT32_MAX);
    TRY(check_features(&parts->features, parts->nodes));
    TRY(check_labels(parts));
    TRY(check_split(parts));
    TRY(check_graph_ids(parts));
    TRY(memory_zalloc(&data, 1, sizeof *data));
    TRY(memory_string(&data->name, parts->name ? parts->name : "unnamed"));
    TRY(graph_create(&data->graph, &removed, parts->nodes, parts->edges, parts->source,
                     parts->target, parts->undirected));
    TRY(check_crossings(data->graph, parts->graph_id));
    data->self_loops = removed.self_loops;
    data->duplicates = removed.duplicates;
    take_parts(data, parts);
    *out = data;
    data = NULL;
done:
    graco_dataset_free(data);
    dataset_parts_clear(parts);
    return status;
}

void graco_dataset_free(graco_dataset *data)
{
    if (!data)
        return;
    memory_free(data->name);
    graph_free(data->graph);
    features_clear(&data->features);
    memory_free(data->label);
    memory_free(data->multi);
    memory_free(data->label_known);
    memory_free(data->split);
    memory_free(data->graph_id);
    dataset_names_free(data->node_ids);
    memory_free(data);
}

graco_dataset_info graco_dataset_describe(const graco_dataset *data)
{
    const struct graph *graph = data->graph;
    const struct features *features = &data->features;
    graco_dataset_info info = {
        .name = data->name,
        .nodes = graph->nodes,
        .edges = graph->edges,
        .self_loops = data->self_loops,
        .duplicates = data->duplicates,
        .features = features->cols,
        .feature_entries =
            features->start ? features->start[features->rows] : features->rows * features->cols,
        .classes = data->classes,
        .graphs = data->graphs,
        .sparse_features = features->start != NULL,
        .multi_label = data->multi != NULL,
        .directed = !graph_is_symmetric(graph),
        .has_split = data->split != NULL,
        .inductive = data->inductive,
    };
    for (int64_t i = 0; i < graph->nodes; i++) {
        info.isolated += graph->in_start[i] == graph->in_start[i + 1] &&
                         graph->out_start[i] == graph->out_start[i + 1];
        if (data->split && data->split[i] < 3)
            info.split_nodes[data->split[i]]++;
    }
    return info;
}
