/* The one way to a data set: everything that a reader, a generator or a caller hands over is
 * checked here, once, before anything is built from it. What does not change moves into the data
 * set; edges become a graph. */
#include "data/dataset.h"

#include "graco_command.h"
#include "base/memory.h"
#include "data/preparation.h"
#include "graph/shard.h"
#include "io/name_find.h"
#include "io/tables/names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void dataset_names_free(char **names)
{
    if (names)
        memory_free(names[0]);
    memory_free(names);
}

static void shard_clear(struct dataset_shard *shard)
{
    if (shard)
        shard_free(shard->shard);
    memory_free(shard);
}

int64_t dataset_nodes(const struct graco_dataset *data)
{
    return data->shard ? data->shard->shard->all_nodes : data->graph->nodes;
}

/* The first of a shard's own nodes. */
static int64_t first_of(const struct dataset_shard *shard)
{
    return shard ? shard->shard->bounds[comm_rank(shard->shard->comm)] : 0;
}

int64_t dataset_first(const struct graco_dataset *data)
{
    return first_of(data->shard);
}

void dataset_parts_clear(struct dataset_parts *parts)
{
    shard_clear(parts->shard);
    memory_free(parts->lent_source ? NULL : parts->source);
    memory_free(parts->lent_target ? NULL : parts->target);
    memory_free(parts->weights);
    features_clear(&parts->features);
    columns_free(parts->columns);
    preparation_free(parts->preparation);
    memory_free(parts->label);
    memory_free(parts->multi);
    memory_free(parts->label_known);
    memory_free(parts->split);
    memory_free(parts->graph_id);
    memory_free(parts->order);
    dataset_names_free(parts->node_ids);
    dataset_names_free(parts->class_names);
    for (int i = 0; i < DATASET_NOTES; i++)
        memory_free(parts->notes[i]);
    *parts = (struct dataset_parts){0};
}

/* One pass over all values, unless they lie in a file so large that they may not fit memory. */
static graco_status check_dense(const struct features *features, int64_t first)
{
    int64_t count = features->rows * features->cols;
    if (features->file && count > FEATURES_CHECKED / (int64_t)sizeof(float))
        return GRACO_OK;
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(features->dense[i]))
            return status_fail(GRACO_ERROR_FORMAT,
                               "feature %lld of node %lld is %g: expected a finite number",
                               (long long)(i % features->cols),
                               (long long)(first + i / features->cols), (double)features->dense[i]);
    }
    return GRACO_OK;
}

/* For nodes first .. first + nodes - 1. */
static graco_status check_features(struct features *features, int64_t first, int64_t nodes)
{
    bool none = !features->dense && !features->sparse.start;
    if (none)
        features->rows = nodes;
    if (features->rows != nodes)
        return status_fail(GRACO_ERROR_FORMAT, "features for %lld nodes: expected %lld",
                           (long long)features->rows, (long long)nodes);
    if (features->cols < 0 || features->cols > INT32_MAX)
        return status_fail(GRACO_ERROR_FORMAT, "%lld features per node: expected 0 to %lld",
                           (long long)features->cols, (long long)INT32_MAX);
    if (features->cols == 0 || none) {
        features_clear(features);
        features->rows = nodes;
        return GRACO_OK;
    }
    if (features->dense)
        return check_dense(features, first);
    graco_status status = csr_check(&features->sparse, first);
    return status == GRACO_OK ? status : status_context(status, "features");
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
    int64_t entries = parts->multi ? parts->nodes * parts->classes : 0;
    for (int64_t i = 0; parts->label && i < parts->nodes; i++) {
        if (parts->label[i] < -1 || parts->label[i] >= parts->classes)
            return status_fail(GRACO_ERROR_FORMAT,
                               "node %lld has label %ld: expected -1 (unknown) to %lld",
                               (long long)i, (long)parts->label[i], (long long)parts->classes - 1);
    }
    for (int64_t i = 0; i < entries; i++) {
        if (parts->multi[i] > 1)
            return status_fail(GRACO_ERROR_FORMAT, "label %lld of node %lld is %d: expected 0 or 1",
                               (long long)(i % parts->classes), (long long)(i / parts->classes),
                               parts->multi[i]);
    }
    for (int64_t i = 0; parts->label_known && i < parts->nodes; i++) {
        if (parts->label_known[i] > 1)
            return status_fail(GRACO_ERROR_FORMAT,
                               "the label mask of node %lld is %d: expected 0 or 1", (long long)i,
                               parts->label_known[i]);
    }
    return GRACO_OK;
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

/* Whether names begin .. end - 1 differ from each other; `kind` is for the message. */
static graco_status check_names(char *const *list, int64_t begin, int64_t end, const char *kind)
{
    graco_status status = GRACO_OK;
    struct names *names = NULL;
    int32_t number;
    TRY(names_create(&names));
    for (int64_t i = begin; i < end; i++) {
        TRY(names_add(&number, names, list[i], (int64_t)strlen(list[i])));
        if (number < i - begin)
            FAIL(GRACO_ERROR_FORMAT,
                 "%s %lld and %lld are both called '%.80s': expected other names", kind,
                 (long long)begin + number, (long long)i, list[i]);
    }
done:
    names_free(names);
    return status;
}

/* Nodes of different graphs may have the same name. Runs after check_graph_ids. */
static graco_status check_all_names(const struct dataset_parts *parts)
{
    const int32_t *id = parts->graph_id;
    int64_t begin = 0;
    for (int64_t i = 1; parts->node_ids && i <= parts->nodes; i++) {
        if (i < parts->nodes && (!id || id[i] == id[begin]))
            continue;
        PASS(check_names(parts->node_ids, begin, i, "nodes"));
        begin = i;
    }
    return parts->class_names ? check_names(parts->class_names, 0, parts->classes, "classes")
                              : GRACO_OK;
}

static graco_status check_order(const struct dataset_parts *parts)
{
    uint8_t *seen = NULL;
    graco_status status = GRACO_OK;
    if (!parts->order)
        return GRACO_OK;
    TRY(memory_zalloc(&seen, parts->nodes, sizeof *seen));
    for (int64_t i = 0; i < parts->nodes; i++) {
        int32_t node = parts->order[i];
        if (node < 0 || node >= parts->nodes || seen[node])
            FAIL(GRACO_ERROR_FORMAT,
                 "place %lld of rank_order has node %ld: expected each of 0 to %lld once",
                 (long long)i, (long)node, (long long)parts->nodes - 1);
        seen[node] = 1;
    }
done:
    memory_free(seen);
    return status;
}

/* Runs after graph_create, which has checked that the ids are in range. */
static graco_status check_crossings(const struct graph *graph, const int32_t *graph_id)
{
    for (int64_t t = 0; graph_id && t < graph->nodes; t++) {
        for (int64_t e = graph->in.start[t]; e < graph->in.start[t + 1]; e++) {
            int32_t s = graph->in.index[e];
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
    data->columns = parts->columns;
    data->preparation = parts->preparation;
    data->shard = parts->shard;
    data->classes = parts->label || parts->multi ? parts->classes : 0;
    if (data->classes == 0) {
        memory_free(parts->label); /* every node is unknown: there are no labels */
        parts->label = NULL;
    }
    data->numbers = data->classes;
    data->label = parts->label;
    data->multi = parts->multi;
    data->label_known = parts->label_known;
    data->split = parts->split;
    data->graph_id = parts->graph_id;
    data->graphs = parts->graph_id ? (int64_t)parts->graph_id[parts->nodes - 1] + 1 : 1;
    data->order = parts->order;
    data->node_ids = parts->node_ids;
    data->class_names = parts->class_names;
    memcpy(data->notes, parts->notes, sizeof data->notes);
    memset(parts->notes, 0, sizeof parts->notes);
    data->inductive = parts->inductive;
    data->listed = parts->listed;
    parts->features = (struct features){0};
    parts->columns = NULL;
    parts->preparation = NULL;
    parts->shard = NULL;
    parts->label = NULL;
    parts->multi = parts->label_known = parts->split = NULL;
    parts->graph_id = parts->order = NULL;
    parts->node_ids = parts->class_names = NULL;
}

/* Features of no table stay as they are; where that is doubtful a note says so. */
static graco_status warn_of_spreads(struct dataset_parts *parts)
{
    char warning[256], note[512];
    int slot = 0;
    preparation_warn(warning, sizeof warning, &parts->features);
    while (slot < DATASET_NOTES - 2 && parts->notes[slot])
        slot++;
    if (!*warning || parts->notes[slot])
        return GRACO_OK;
    snprintf(note, sizeof note, "%.200s: %s", parts->name ? parts->name : "unnamed", warning);
    return memory_string(&parts->notes[slot], note);
}

/* Learns how columns become features, from what a training may see, and makes them. */
static graco_status prepare_columns(struct dataset_parts *parts)
{
    graco_status status = GRACO_OK;
    struct columns *columns = parts->columns;
    struct features X = {0};
    uint8_t *seen = NULL;
    if (columns->rows != parts->nodes)
        FAIL(GRACO_ERROR_FORMAT, "columns of %lld rows: expected %lld, one for each node",
             (long long)columns->rows, (long long)parts->nodes);
    if (parts->inductive)
        TRY(preparation_seen(&seen, parts->split, parts->nodes));
    TRY(preparation_learn(&parts->preparation, columns, seen, PREPARATION_LOOK));
    if (columns->borrowed && parts->preparation->plain)
        goto done;
    TRY(preparation_apply(&X, parts->preparation, columns));
    if (columns->borrowed) { /* the numbers as they are now belong to the columns */
        columns->borrowed = false;
        parts->features.dense = NULL;
    }
    features_clear(&parts->features);
    parts->features = X;
done:
    memory_free(seen);
    return status;
}

graco_status dataset_create(struct graco_dataset **out, struct dataset_parts *parts)
{
    graco_status status = GRACO_OK;
    struct graco_dataset *data = NULL;
    struct graph_removed removed;
    if (parts->nodes < 1 || parts->nodes > INT32_MAX)
        FAIL(GRACO_ERROR_FORMAT, "a graph of %lld nodes: expected 1 to %lld",
             (long long)parts->nodes, (long long)INT32_MAX);
    if (parts->columns)
        TRY(prepare_columns(parts));
    TRY(check_features(&parts->features, first_of(parts->shard),
                       parts->shard ? parts->shard->shard->graph.nodes : parts->nodes));
    if (!parts->columns && !parts->shard)
        TRY(warn_of_spreads(parts));
    TRY(check_classes(parts));
    TRY(check_labels(parts));
    TRY(check_split(parts));
    TRY(check_graph_ids(parts));
    TRY(check_all_names(parts));
    TRY(check_order(parts));
    TRY(memory_zalloc(&data, 1, sizeof *data));
    TRY(memory_string(&data->name, parts->name ? parts->name : "unnamed"));
    if (parts->shard) {
        data->graph = &parts->shard->shard->graph;
        removed = parts->shard->removed;
    } else {
        TRY(graph_build(&data->graph, &removed,
                        &(struct graph_pairs){.nodes = parts->nodes,
                                              .edges = parts->edges,
                                              .source = parts->source,
                                              .target = parts->target,
                                              .weight = parts->weights,
                                              .undirected = parts->undirected}));
        TRY(check_crossings(data->graph, parts->graph_id));
    }
    data->self_loops = removed.self_loops;
    data->duplicates = removed.duplicates;
    int64_t nodes = parts->nodes;
    take_parts(data, parts);
    TRY(classes_compact(data, nodes));
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
    if (!data->shard)
        graph_free(data->graph);
    shard_clear(data->shard);
    features_clear(&data->features);
    columns_free(data->columns);
    preparation_free(data->preparation);
    memory_free(data->given);
    memory_free(data->label);
    memory_free(data->class_of);
    memory_free(data->multi);
    memory_free(data->label_known);
    memory_free(data->split);
    memory_free(data->graph_id);
    memory_free(data->order);
    dataset_names_free(data->node_ids);
    dataset_names_free(data->class_names);
    for (int i = 0; i < DATASET_NOTES; i++)
        memory_free(data->notes[i]);
    reading_clear(&data->reading);
    memory_free(data);
}

/* A name_at_fn. */
static graco_status name_at(const char **name, void *user, int64_t row)
{
    char *const *names = user;
    *name = names[row];
    return GRACO_OK;
}

graco_status graco_dataset_find_nodes(int64_t *nodes, const graco_dataset *data,
                                      const char *const *of, int64_t count)
{
    const struct name_rows all = {data->graph->nodes, data->node_ids ? name_at : NULL,
                                  data->node_ids};
    return name_find(nodes, of, count, &all);
}

const char *graco_dataset_node(const graco_dataset *data, int64_t node)
{
    return data->node_ids && node >= 0 && node < data->graph->nodes ? data->node_ids[node] : NULL;
}

const char *graco_dataset_class(const graco_dataset *data, int64_t index)
{
    return data->class_names && index >= 0 && index < data->numbers ? data->class_names[index]
                                                                    : NULL;
}

int64_t graco_dataset_label(const graco_dataset *data, int64_t node)
{
    const int32_t *number = class_numbers(data);
    return number && node >= 0 && node < data->graph->nodes ? number[node] : -1;
}

const char *graco_dataset_note(const graco_dataset *data, int index)
{
    return index >= 0 && index < DATASET_NOTES ? data->notes[index] : NULL;
}

void graco_dataset_feature(char *name, size_t size, const graco_dataset *data, int64_t feature)
{
    *name = '\0';
    if (data->preparation)
        preparation_feature(name, size, data->preparation, feature);
}

const char *graco_dataset_file(const graco_dataset *data, int index)
{
    const char *const files[] = {data->reading.source, data->reading.options.features_path,
                                 data->reading.options.labels_path};
    int found = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] && found++ == index)
            return files[i];
    return NULL;
}

graco_dataset_info graco_dataset_describe(const graco_dataset *data)
{
    const struct graph *graph = data->graph;
    const struct features *features = &data->features;
    const int64_t *sparse = features->sparse.start;
    if (data->shard && data->shard->info.nodes > 0)
        return data->shard->info;
    graco_dataset_info info = {
        .name = data->name,
        .nodes = graph->nodes,
        .edges = graph->edges,
        .self_loops = data->self_loops,
        .duplicates = data->duplicates,
        .feature_count = features->cols,
        .feature_entries = sparse ? sparse[features->rows] : features->rows * features->cols,
        .classes = data->classes,
        .graphs = data->graphs,
        .sparse_features = sparse,
        .multi_label = data->multi,
        .directed = !graph_is_symmetric(graph),
        .has_split = data->split,
        .inductive = data->inductive,
        .weighted = graph->in.value,
    };
    for (int64_t i = 0; i < graph->nodes; i++)
        info.isolated += graph->in.start[i] == graph->in.start[i + 1] &&
                         graph->out.start[i] == graph->out.start[i + 1];
    for (int64_t i = 0; data->split && i < dataset_nodes(data); i++)
        if (data->split[i] < 3)
            info.split_nodes[data->split[i]]++;
    return info;
}

graco_status dataset_split_begin(uint8_t **split, int64_t nodes)
{
    PASS(memory_alloc(split, nodes, sizeof **split));
    for (int64_t i = 0; i < nodes; i++)
        (*split)[i] = 3;
    return GRACO_OK;
}

graco_status dataset_split_put(uint8_t *split, int64_t nodes, int64_t node, int part)
{
    if (node < 0 || node >= nodes)
        return status_fail(GRACO_ERROR_FORMAT, "the split has node %lld: expected 0 to %lld",
                           (long long)node, (long long)nodes - 1);
    if (split[node] != 3)
        return status_fail(GRACO_ERROR_FORMAT, "the split has node %lld twice", (long long)node);
    split[node] = (uint8_t)part;
    return GRACO_OK;
}
