/* Writing graco's own format; read_native.c lists the arrays. */
#include "data/dataset.h"

#include "base/memory.h"
#include "io/files/folder.h"
#include "io/npy.h"
#include "io/zip/npz.h"

#include <stdio.h>
#include <string.h>

enum { ARRAYS_MAX = 13 };

/* The arrays of a data set under their names. They borrow from it, but for the two below. */
struct content {
    int count;
    struct npz_entry entries[ARRAYS_MAX];
    struct array arrays[ARRAYS_MAX];
    int32_t *edge_index; /* (2, edges) */
    int64_t x_shape[2];
    uint8_t inductive;
};

static void content_clear(struct content *content)
{
    for (int i = 0; i < content->count; i++)
        array_clear(&content->arrays[i]);
    memory_free(content->edge_index);
}

/* Adds an array if there is one: data NULL is none. cols 0: one dimension; rows 0: one item. */
static graco_status add(struct content *content, const char *name, enum array_type type,
                        const void *data, int64_t rows, int64_t cols)
{
    const int64_t shape[2] = {rows, cols};
    if (!data)
        return GRACO_OK;
    struct array *array = &content->arrays[content->count];
    graco_status status = array_borrow(array, type, data, cols > 0 ? 2 : rows > 0 ? 1 : 0, shape);
    if (status == GRACO_OK)
        content->entries[content->count++] = (struct npz_entry){name, array};
    return status;
}

/* Edges in the order of their ids. */
static graco_status add_edges(struct content *content, const struct graph *graph)
{
    graco_status status;
    const int64_t shape[2] = {2, graph->edges};
    struct array *array = &content->arrays[content->count];
    TRY(memory_alloc(&content->edge_index, 2 * graph->edges, sizeof *content->edge_index));
    for (int64_t t = 0; t < graph->nodes; t++) {
        for (int64_t e = graph->in_start[t]; e < graph->in_start[t + 1]; e++) {
            content->edge_index[e] = graph->in_source[e];
            content->edge_index[graph->edges + e] = (int32_t)t;
        }
    }
    TRY(array_borrow(array, ARRAY_I32, content->edge_index, 2, shape));
    content->entries[content->count++] = (struct npz_entry){"edge_index", array};
done:
    return status;
}

static graco_status add_features(struct content *content, const struct features *X)
{
    graco_status status = GRACO_OK;
    if (X->dense)
        TRY(add(content, "x", ARRAY_F32, X->dense, X->rows, X->cols));
    if (!X->start)
        goto done;
    /* A matrix without entries still has its arrays, of length 0. */
    const int64_t entries[1] = {X->start[X->rows]};
    struct array *array = &content->arrays[content->count];
    TRY(array_borrow(array, ARRAY_F32, X->value, 1, entries));
    content->entries[content->count++] = (struct npz_entry){"x_data", array++};
    TRY(array_borrow(array, ARRAY_I32, X->index, 1, entries));
    content->entries[content->count++] = (struct npz_entry){"x_indices", array};
    TRY(add(content, "x_indptr", ARRAY_I64, X->start, X->rows + 1, 0));
    content->x_shape[0] = X->rows;
    content->x_shape[1] = X->cols;
    TRY(add(content, "x_shape", ARRAY_I64, content->x_shape, 2, 0));
done:
    return status;
}

static graco_status content_fill(struct content *content, const graco_dataset *data)
{
    graco_status status;
    int64_t nodes = data->graph->nodes;
    TRY(add(content, "num_nodes", ARRAY_I64, &data->graph->nodes, 0, 0));
    TRY(add_edges(content, data->graph));
    TRY(add_features(content, &data->features));
    TRY(add(content, "y", ARRAY_I32, data->label, nodes, 0));
    TRY(add(content, "y", ARRAY_U8, data->multi, nodes, data->classes));
    TRY(add(content, "split", ARRAY_U8, data->split, nodes, 0));
    content->inductive = data->inductive;
    TRY(add(content, "inductive", ARRAY_U8, data->inductive ? &content->inductive : NULL, 0, 0));
    TRY(add(content, "label_mask", ARRAY_U8, data->label_known, nodes, 0));
    TRY(add(content, "graph_id", ARRAY_I32, data->graph_id, nodes, 0));
    if (data->node_ids) {
        struct array *array = &content->arrays[content->count];
        TRY(array_from_strings(array, data->node_ids, nodes));
        content->entries[content->count++] = (struct npz_entry){"node_ids", array};
    }
done:
    return status;
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
    graco_status status;
    struct folder *folder = NULL;
    TRY(folder_begin(&folder, path));
    TRY(write_arrays(content, folder_path(folder)));
    TRY(folder_commit(folder));
done:
    folder_free(folder);
    return status;
}

graco_status graco_dataset_save(const graco_dataset *data, const char *path)
{
    graco_status status;
    struct content content = {0};
    size_t length = path ? strlen(path) : 0;
    if (length == 0)
        FAIL(GRACO_ERROR_ARGUMENT, "the path to write the data set to is empty");
    TRY(features_check(&data->features));
    TRY(content_fill(&content, data));
    if (length > 4 && strcmp(path + length - 4, ".npz") == 0)
        TRY(npz_write(path, content.entries, content.count));
    else
        TRY(write_folder(&content, path));
done:
    content_clear(&content);
    return status;
}
