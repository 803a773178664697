/* Writing graco's own format; read_native.c lists the arrays. They borrow from the data set, and nothing
 * is written before all of them are known to fit. */
#include "data/dataset.h"

#include "base/memory.h"
#include "io/files/folder.h"
#include "io/npy.h"
#include "io/zip/npz.h"

#include <stdio.h>
#include <string.h>

enum { ARRAYS_MAX = 16 };

/* The arrays of a data set under their names. They borrow from it, or from what is below them. */
struct content {
    int count;
    struct npz_entry entries[ARRAYS_MAX];
    struct array arrays[ARRAYS_MAX];
    int32_t *edge_index; /* (2, edges) */
    int32_t *graph_id;   /* (nodes) where nothing else shows how many there are; else NULL */
    int64_t x_shape[2];
    uint8_t inductive;
};

static void content_clear(struct content *content)
{
    for (int i = 0; i < content->count; i++)
        array_clear(&content->arrays[i]);
    memory_free(content->graph_id);
    memory_free(content->edge_index);
}

/* Adds an array if there is one: data NULL is none. cols -1: one dimension; rows -1: one item. */
static graco_status add(struct content *content, const char *name, enum array_type type,
                        const void *data, int64_t rows, int64_t cols)
{
    const int64_t shape[2] = {rows, cols};
    struct array *array = &content->arrays[content->count];
    if (!data)
        return GRACO_OK;
    PASS(array_borrow(array, type, data, (rows >= 0) + (cols >= 0), shape));
    content->entries[content->count++] = (struct npz_entry){name, array};
    return GRACO_OK;
}

static graco_status add_names(struct content *content, const char *name, char *const *names,
                              int64_t count)
{
    struct array *array = &content->arrays[content->count];
    if (!names)
        return GRACO_OK;
    graco_status status = array_from_strings(array, names, count);
    if (status != GRACO_OK)
        return status_context(status, "%s", name);
    content->entries[content->count++] = (struct npz_entry){name, array};
    return GRACO_OK;
}

/* Edges and their weights in the order of their ids. */
static graco_status add_edges(struct content *content, const struct graph *graph)
{
    int32_t *pairs = NULL;
    PASS(memory_alloc(&pairs, 2 * graph->edges, sizeof *pairs));
    content->edge_index = pairs;
    memcpy(pairs, graph->in.index, (size_t)graph->edges * sizeof *pairs);
    csr_entry_rows(pairs + graph->edges, &graph->in);
    PASS(add(content, "edge_index", ARRAY_I32, pairs, 2, graph->edges));
    return add(content, "edge_weight", ARRAY_F32, graph->in.value, graph->edges, -1);
}

static graco_status add_features(struct content *content, const struct features *X)
{
    const struct csr *sparse = &X->sparse;
    int64_t entries = sparse->start ? sparse->start[X->rows] : 0;
    content->x_shape[0] = X->rows;
    content->x_shape[1] = X->cols;
    PASS(add(content, "x", ARRAY_F32, X->dense, X->rows, X->cols));
    PASS(add(content, "x_data", ARRAY_F32, sparse->value, entries, -1));
    PASS(add(content, "x_indices", ARRAY_I32, sparse->index, entries, -1));
    PASS(add(content, "x_indptr", ARRAY_I64, sparse->start, X->rows + 1, -1));
    return add(content, "x_shape", ARRAY_I64, sparse->start ? content->x_shape : NULL, 2, -1);
}

/* Readers believe a number of nodes far above that of edges only if an array has a row for each. */
static graco_status add_graph_ids(struct content *content, const graco_dataset *data)
{
    const struct features *X = &data->features;
    int64_t nodes = data->graph->nodes;
    bool shown = (X->dense && X->cols > 0) || X->sparse.start || data->label || data->multi ||
                 data->split || data->label_known || data->node_ids;
    if (!data->graph_id && !shown && nodes > data->graph->edges)
        PASS(memory_zalloc(&content->graph_id, nodes, sizeof *content->graph_id));
    return add(content, "graph_id", ARRAY_I32, data->graph_id ? data->graph_id : content->graph_id,
               nodes, -1);
}

static graco_status content_fill(struct content *content, const graco_dataset *data)
{
    int64_t nodes = data->graph->nodes;
    PASS(add(content, "num_nodes", ARRAY_I64, &data->graph->nodes, -1, -1));
    PASS(add_edges(content, data->graph));
    PASS(add_features(content, &data->features));
    PASS(add(content, "y", ARRAY_I32, class_numbers(data), nodes, -1));
    PASS(add(content, "y", ARRAY_U8, data->multi, nodes, data->classes));
    PASS(add(content, "split", ARRAY_U8, data->split, nodes, -1));
    content->inductive = data->inductive;
    PASS(add(content, "inductive", ARRAY_U8, data->inductive ? &content->inductive : NULL, -1, -1));
    PASS(add(content, "label_mask", ARRAY_U8, data->label_known, nodes, -1));
    PASS(add_graph_ids(content, data));
    PASS(add(content, "rank_order", ARRAY_I32, data->order, nodes, -1));
    PASS(add_names(content, "node_ids", data->node_ids, nodes));
    return add_names(content, "class_names", data->class_names, data->numbers);
}

static graco_status write_arrays(const struct content *content, const char *folder)
{
    graco_status status = GRACO_OK;
    char *path = NULL, file[32];
    for (int i = 0; i < content->count; i++) {
        snprintf(file, sizeof file, "%s.npy", content->entries[i].name);
        TRY(memory_path(&path, folder, file));
        TRY(npy_write(path, content->entries[i].array));
        memory_free(path);
        path = NULL;
    }
done:
    memory_free(path);
    return status;
}

static graco_status write_folder(const struct content *content, const char *path)
{
    graco_status status = GRACO_OK;
    struct folder *folder = NULL;
    TRY(folder_begin(&folder, path));
    TRY(write_arrays(content, folder_path(folder)));
    TRY(folder_commit(folder));
done:
    folder_free(folder);
    return status;
}

graco_status dataset_save_with(const graco_dataset *data, const char *path, const char *name,
                               const struct array *more)
{
    graco_status status = GRACO_OK;
    struct content content = {0};
    size_t length = path ? strlen(path) : 0;
    if (length == 0)
        FAIL(GRACO_ERROR_ARGUMENT, "the path to write the data set to is empty");
    TRY(features_check(&data->features));
    status = content_fill(&content, data);
    if (status == GRACO_ERROR_FORMAT)
        status_context(status, "cannot write %s", path);
    TRY(status);
    if (more)
        TRY(add(&content, name, more->type, more->data, more->shape[0], more->shape[1]));
    if (length > 4 && strcmp(path + length - 4, ".npz") == 0)
        TRY(npz_write(path, content.entries, content.count));
    else
        TRY(write_folder(&content, path));
done:
    content_clear(&content);
    return status;
}

graco_status graco_dataset_save(const graco_dataset *data, const char *path)
{
    return dataset_save_with(data, path, NULL, NULL);
}
