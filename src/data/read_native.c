/* graco's own format: the same named arrays in an .npz archive or in a folder of .npy files.
 *
 *     edge_index                          (2, E) sources and targets
 *     edge_weight                         (E) above 0
 *     x                                   (N, F) dense features, or
 *     x_data, x_indices, x_indptr, x_shape  compressed rows
 *     y                                   (N) or (N, 1) classes, -1 unknown; (N, K) 0 or 1
 *     split, label_mask, graph_id         (N)
 *     node_ids, class_names               (N), (K) strings, or integers
 *     rank_order                          (N) the order in which ranks divide the nodes
 *     num_nodes                           one number
 *     inductive                           0 or 1: the split says what a training may see
 *
 * All but edge_index may be missing. */
#include "data/given.h"
#include "data/read_rows.h"
#include "data/readers.h"

#include "base/memory.h"
#include "io/tables/columns.h"

#include <stdio.h>
#include <string.h>

/* So many nodes are believed without proof, or so many for each edge. */
enum { NODES_FREE = 1 << 16, NODES_PER_EDGE = 16 };

static graco_status read_edge_index(struct dataset_parts *parts, const struct members *members)
{
    graco_status status = GRACO_OK;
    struct member edges = {0};
    struct array half;
    int64_t bytes;
    if (members->arrays)
        return given_edges(parts, members);
    TRY(member_need(&edges, members, "edge_index"));
    if (edges.array->ndim != 2 || edges.array->shape[0] != 2)
        FAIL(GRACO_ERROR_FORMAT, "edge_index has %d dimensions and %lld rows: expected (2, edges)",
             edges.array->ndim, (long long)(edges.array->ndim ? edges.array->shape[0] : 1));
    parts->edges = edges.array->shape[1];
    bytes = parts->edges * edges.array->size;
    TRY(array_borrow(&half, edges.array->type, edges.array->data, 1, &parts->edges));
    TRY(member_named(array_to_i32(&parts->source, &half), "edge_index[0]"));
    half.data = (const char *)edges.array->data + bytes;
    TRY(member_named(array_to_i32(&parts->target, &half), "edge_index[1]"));
done:
    member_clear(&edges);
    return status;
}

/* Dense features: x.npy of a folder, and an array that may be borrowed, stay in place if they
 * can. */
static graco_status read_dense(struct features *X, const struct members *members, struct member *x)
{
    graco_status status = GRACO_OK;
    char *path = NULL;
    TRY(array_expect(x->array, "x", 2, -1, -1));
    if (members->folder) {
        TRY(memory_path(&path, members->folder, "x.npy"));
        TRY(features_map(X, &x->map, path));
    }
    if (members->arrays && members->arrays->borrow)
        features_borrow(X, x->array);
    if (X->dense)
        goto done;
    X->rows = x->array->shape[0];
    X->cols = x->array->shape[1];
    TRY(member_take(&X->dense, ARRAY_F32, x, "x"));
done:
    memory_free(path);
    return status;
}

static graco_status read_features(struct features *X, const struct members *members)
{
    graco_status status = GRACO_OK;
    struct member x = {0};
    struct csr sparse;
    char name[PART_NAME];
    const char *compressed = members_csr_part(name, members, "x");
    TRY(member_open(&x, members, "x"));
    if (x.array && compressed)
        FAIL(GRACO_ERROR_FORMAT, "both x and %s: expected one of them", compressed);
    if (x.array)
        TRY(read_dense(X, members, &x));
    if (compressed) {
        TRY(member_csr(&sparse, members, "x"));
        *X = features_of(sparse);
    }
done:
    member_clear(&x);
    return status;
}

/* The number of nodes: num_nodes, else the rows of the features, else those of y, else the largest
 * id of an edge plus one. */
static graco_status count_nodes(struct dataset_parts *parts, const struct members *members,
                                const struct array *y)
{
    int64_t rows = parts->nodes; /* that ranks have found */
    bool found;
    PASS(member_number(&found, &parts->nodes, members, "num_nodes"));
    if (parts->shard && parts->nodes != rows)
        return status_fail(GRACO_ERROR_FORMAT, "features for %lld nodes: expected %lld",
                           (long long)rows, (long long)parts->nodes);
    if (found && parts->nodes < 0) /* which would match arrays of every length */
        return status_fail(GRACO_ERROR_FORMAT, "a graph of %lld nodes: expected 1 to %lld",
                           (long long)parts->nodes, (long long)INT32_MAX);
    if (found || parts->shard)
        return GRACO_OK;
    if (parts->features.dense || parts->features.sparse.start) {
        parts->nodes = parts->features.rows;
    } else if (parts->columns) {
        parts->nodes = parts->columns->rows;
    } else if (y && y->ndim > 0) {
        parts->nodes = y->shape[0];
    } else {
        for (int64_t e = 0; e < parts->edges; e++) {
            int32_t larger =
                parts->source[e] > parts->target[e] ? parts->source[e] : parts->target[e];
            parts->nodes = larger >= parts->nodes ? (int64_t)larger + 1 : parts->nodes;
        }
    }
    return GRACO_OK;
}

/* The number of nodes is a claim until an array has a row for each of them. Without one it must not
 * be far more than the edges could need: a file of a hundred bytes would cost gigabytes. */
static graco_status check_claim(const struct dataset_parts *parts)
{
    const struct features *X = &parts->features;
    bool shown = (X->dense && X->cols > 0) || X->sparse.start || parts->label || parts->multi ||
                 parts->split || parts->label_known || parts->graph_id || parts->node_ids;
    int64_t most =
        parts->edges > NODES_FREE / NODES_PER_EDGE ? parts->edges * NODES_PER_EDGE : NODES_FREE;
    if (shown || parts->nodes <= most)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "%lld nodes, with %lld edges and no array that has a row per node: expected "
                       "at most %lld, or such an array",
                       (long long)parts->nodes, (long long)parts->edges, (long long)most);
}

/* Numbers of one graph say how many nodes there are, and nothing else. */
static void drop_one_graph(struct dataset_parts *parts)
{
    for (int64_t i = 0; parts->graph_id && i < parts->nodes; i++)
        if (parts->graph_id[i] != 0)
            return;
    memory_free(parts->graph_id);
    parts->graph_id = NULL;
}

static graco_status take_labels(struct dataset_parts *parts, struct member *y)
{
    if (!y->array)
        return GRACO_OK;
    if (y->array->type == ARRAY_TEXT || y->array->type == ARRAY_BYTES)
        return status_fail(GRACO_ERROR_FORMAT,
                           "y holds strings: expected classes as integers from 0, -1 if unknown, "
                           "and their names in class_names");
    if (y->array->ndim == 2 && y->array->shape[1] != 1) {
        PASS(array_expect(y->array, "y", 2, parts->nodes, -1));
        parts->classes = y->array->shape[1];
        return member_take(&parts->multi, ARRAY_U8, y, "y");
    }
    PASS(array_expect(y->array, "y", y->array->ndim == 2 ? 2 : 1, parts->nodes, -1));
    PASS(member_take(&parts->label, ARRAY_I32, y, "y"));
    parts->classes = dataset_classes(parts->label, parts->nodes);
    return GRACO_OK;
}

/* Whether names are the numbers 0, 1, ... of what they name. */
static bool count_up(char *const *names, int64_t count)
{
    char number[24];
    for (int64_t i = 0; i < count; i++) {
        snprintf(number, sizeof number, "%lld", (long long)i);
        if (strcmp(names[i], number) != 0)
            return false;
    }
    return true;
}

/* Names for `count` things, if there are any; count -1: for as many as there are. Integers are names in
 * decimal, but none where they only count. */
static graco_status read_names(char ***out, int64_t *count, const struct members *members,
                               const char *name)
{
    graco_status status = GRACO_OK;
    struct member names = {0};
    if (members->arrays)
        return given_strings(out, count, members->arrays, name);
    TRY(member_open(&names, members, name));
    if (!names.array)
        goto done;
    TRY(array_expect(names.array, name, 1, *count, 0));
    TRY(member_named(array_to_strings(out, names.array), name));
    *count = names.array->shape[0];
    if (names.array->type < ARRAY_BYTES && count_up(*out, *count)) {
        dataset_names_free(*out);
        *out = NULL;
    }
done:
    member_clear(&names);
    return status;
}

/* Names go with labels. A class that has a name is there, though no node may belong to it. */
static graco_status read_class_names(struct dataset_parts *parts, const struct members *members)
{
    int64_t count = parts->multi ? parts->classes : -1;
    if (!parts->label && !parts->multi)
        return GRACO_OK;
    PASS(read_names(&parts->class_names, &count, members, "class_names"));
    if (parts->class_names && count < parts->classes)
        return status_fail(GRACO_ERROR_FORMAT,
                           "class_names has %lld items: expected one for each of %lld classes",
                           (long long)count, (long long)parts->classes);
    parts->classes = parts->class_names ? count : parts->classes;
    return GRACO_OK;
}

static graco_status read_inductive(struct dataset_parts *parts, const struct members *members)
{
    int64_t value = 0;
    bool found;
    PASS(member_number(&found, &value, members, "inductive"));
    if (value != 0 && value != 1)
        return status_fail(GRACO_ERROR_FORMAT, "inductive is %lld: expected 0 or 1",
                           (long long)value);
    if (value == 1 && !parts->split)
        return status_fail(GRACO_ERROR_FORMAT,
                           "inductive is 1, but there is no array split: expected one that"
                           " says which nodes a training may see");
    parts->inductive = value == 1;
    return GRACO_OK;
}

/* Edges and features, all of them. */
static graco_status read_whole(struct dataset_parts *parts, const struct source *source)
{
    const struct members *members = &source->members;
    PASS(read_edge_index(parts, members));
    if (!source->options->unweighted)
        PASS(member_optional(&parts->weights, parts->edges, ARRAY_F32, members, "edge_weight"));
    PASS(given_columns(&parts->columns, members->arrays));
    return read_features(&parts->features, members);
}

static graco_status read_native(struct graco_dataset **out, const struct source *source)
{
    struct graco_dataset *data = NULL;
    graco_status status = GRACO_OK;
    const struct members *members = &source->members;
    struct dataset_parts parts = {.name = source->name, .undirected = source->options->undirected};
    struct member y = {0};
    if (source->by_rows)
        TRY(rows_read(&parts, source));
    else
        TRY(read_whole(&parts, source));
    TRY(member_open(&y, members, "y"));
    TRY(count_nodes(&parts, members, y.array));
    TRY(take_labels(&parts, &y));
    TRY(member_optional(&parts.split, parts.nodes, ARRAY_U8, members, "split"));
    TRY(member_optional(&parts.label_known, parts.nodes, ARRAY_U8, members, "label_mask"));
    TRY(member_optional(&parts.graph_id, parts.nodes, ARRAY_I32, members, "graph_id"));
    TRY(member_optional(&parts.order, parts.nodes, ARRAY_I32, members, "rank_order"));
    TRY(read_names(&parts.node_ids, &parts.nodes, members, "node_ids"));
    TRY(read_class_names(&parts, members));
    TRY(read_inductive(&parts, members));
    if (!members->arrays) /* these take the memory of their nodes, and a caller is trusted */
        TRY(check_claim(&parts));
    drop_one_graph(&parts);
    TRY(dataset_create(&data, &parts));
    if (source->by_rows)
        TRY(rows_describe(data));
    data->by_rows = source->by_rows || rows_possible(source);
    *out = data;
    data = NULL;
done:
    graco_dataset_free(data);
    member_clear(&y);
    dataset_parts_clear(&parts);
    return status;
}

static bool knows(const struct source *source)
{
    return members_have(&source->members, "edge_index.npy");
}

const struct reader reader_native = {
    .format = "graco's own",
    .places = PLACE_ARCHIVE | PLACE_FOLDER,
    .sign = "edge_index.npy",
    .knows = knows,
    .read = read_native,
};
