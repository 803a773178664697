/* graco's own format: the same named arrays in an .npz archive or in a folder of .npy files.
 *
 *     edge_index                          (2, E) sources and targets
 *     x                                   (N, F) dense features, or
 *     x_data, x_indices, x_indptr, x_shape  compressed rows
 *     y                                   (N) or (N, 1) classes, -1 unknown; (N, K) 0 or 1
 *     split, label_mask, graph_id         (N)
 *     node_ids                            (N) strings
 *     num_nodes                           one number
 *     inductive                           0 or 1: the split says what a training may see
 *
 * All but edge_index may be missing. */
#include "data/members.h"
#include "data/readers.h"

#include "base/memory.h"

#include <string.h>

/* Nodes that need not be shown by anything, and those that one edge makes credible. */
enum { NODES_FREE = 1 << 16, NODES_PER_EDGE = 128 };

static graco_status missing(const char *name, const char *because)
{
    return status_fail(GRACO_ERROR_FORMAT, "no array %s: expected one %s", name, because);
}

/* Adds the array's name to the message of a failed conversion. */
static graco_status named(graco_status status, const char *name)
{
    return status == GRACO_OK ? status : status_context(status, "%s", name);
}

static graco_status read_edge_index(struct dataset_parts *parts, const struct members *source)
{
    graco_status status;
    struct member edges = {0};
    struct array half;
    int64_t bytes;
    TRY(member_open(&edges, source, "edge_index"));
    if (!edges.array) {
        status = missing("edge_index", "of shape (2, edges)");
        goto done;
    }
    if (edges.array->ndim != 2 || edges.array->shape[0] != 2)
        FAIL(GRACO_ERROR_FORMAT, "edge_index has %d dimensions and %lld rows: expected (2, edges)",
             edges.array->ndim, (long long)(edges.array->ndim ? edges.array->shape[0] : 1));
    if (edges.array->type == ARRAY_OBJECT)
        FAIL(GRACO_ERROR_FORMAT, "edge_index holds pickled objects: expected integers");
    parts->edges = edges.array->shape[1];
    bytes = parts->edges * edges.array->size;
    TRY(array_borrow(&half, edges.array->type, edges.array->data, 1, &parts->edges));
    TRY(named(array_to_i32(&parts->source, &half), "edge_index[0]"));
    half.data = (const char *)edges.array->data + bytes;
    TRY(named(array_to_i32(&parts->target, &half), "edge_index[1]"));
done:
    member_clear(&edges);
    return status;
}

static graco_status read_sparse(struct dataset_parts *parts, const struct members *source,
                                const struct array *data)
{
    graco_status status;
    struct member indices = {0}, indptr = {0}, shape = {0};
    int64_t *size = NULL;
    TRY(member_open(&indices, source, "x_indices"));
    TRY(member_open(&indptr, source, "x_indptr"));
    TRY(member_open(&shape, source, "x_shape"));
    if (!indices.array || !indptr.array || !shape.array) {
        status = missing(!indices.array  ? "x_indices"
                         : !indptr.array ? "x_indptr"
                                         : "x_shape",
                         "beside x_data");
        goto done;
    }
    TRY(array_expect(shape.array, "x_shape", 1, 2, 0));
    TRY(named(array_to_i64(&size, shape.array), "x_shape"));
    TRY(named(
        features_from_csr(&parts->features, size[0], size[1], indptr.array, indices.array, data),
        "x_data, x_indices, x_indptr"));
done:
    member_clear(&indices);
    member_clear(&indptr);
    member_clear(&shape);
    memory_free(size);
    return status;
}

/* Dense features: x.npy of a folder stays in place if it can. */
static graco_status read_dense(struct features *X, const struct members *source, struct member *x)
{
    graco_status status;
    char *path = NULL;
    TRY(array_expect(x->array, "x", 2, -1, -1));
    if (source->folder) {
        TRY(memory_path(&path, source->folder, "x.npy"));
        TRY(features_map(X, &x->map, path));
    }
    if (X->file)
        goto done;
    X->rows = x->array->shape[0];
    X->cols = x->array->shape[1];
    TRY(named(array_take_f32(&X->dense, x->array), "x"));
done:
    memory_free(path);
    return status;
}

static graco_status read_features(struct dataset_parts *parts, const struct members *source)
{
    graco_status status;
    struct member dense = {0}, sparse = {0};
    TRY(member_open(&dense, source, "x"));
    TRY(member_open(&sparse, source, "x_data"));
    if (dense.array && sparse.array)
        FAIL(GRACO_ERROR_FORMAT, "both x and x_data: expected one of them");
    if (dense.array)
        TRY(read_dense(&parts->features, source, &dense));
    if (sparse.array)
        TRY(read_sparse(parts, source, sparse.array));
done:
    member_clear(&dense);
    member_clear(&sparse);
    return status;
}

/* An optional array of one number: *value is untouched if there is none. */
static graco_status read_number(bool *found, int64_t *value, const struct members *source,
                                const char *name)
{
    graco_status status;
    struct member number = {0};
    int64_t *items = NULL;
    TRY(member_open(&number, source, name));
    *found = number.array != NULL;
    if (!*found)
        goto done;
    if (number.array->count != 1)
        FAIL(GRACO_ERROR_FORMAT, "%s has %lld items: expected 1", name,
             (long long)number.array->count);
    TRY(named(array_to_i64(&items, number.array), name));
    *value = items[0];
done:
    member_clear(&number);
    memory_free(items);
    return status;
}

/* The number of nodes: num_nodes, else the rows of the features, else those of y, else the largest
 * id of an edge plus one. */
static graco_status count_nodes(struct dataset_parts *parts, const struct members *source,
                                const struct array *y)
{
    graco_status status;
    bool found;
    TRY(read_number(&found, &parts->nodes, source, "num_nodes"));
    if (found)
        goto done;
    if (parts->features.dense || parts->features.start) {
        parts->nodes = parts->features.rows;
    } else if (y && y->ndim > 0) {
        parts->nodes = y->shape[0];
    } else {
        for (int64_t e = 0; e < parts->edges; e++) {
            int32_t larger =
                parts->source[e] > parts->target[e] ? parts->source[e] : parts->target[e];
            parts->nodes = larger >= parts->nodes ? (int64_t)larger + 1 : parts->nodes;
        }
    }
done:
    return status;
}

/* The number of nodes is a claim until an array has a row for each of them. Without one it must not
 * be far more than the edges could need: a file of a hundred bytes would cost gigabytes. */
static graco_status check_claim(const struct dataset_parts *parts)
{
    const struct features *X = &parts->features;
    bool shown = (X->dense && X->cols > 0) || X->start || parts->label || parts->multi ||
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

static graco_status take_labels(struct dataset_parts *parts, const struct array *y)
{
    graco_status status = GRACO_OK;
    if (!y)
        goto done;
    if (y->ndim == 2 && y->shape[1] != 1) {
        TRY(array_expect(y, "y", 2, parts->nodes, -1));
        TRY(named(array_to_u8(&parts->multi, y), "y"));
        parts->classes = y->shape[1];
        goto done;
    }
    TRY(array_expect(y, "y", y->ndim == 2 ? 2 : 1, parts->nodes, -1));
    TRY(named(array_to_i32(&parts->label, y), "y"));
    for (int64_t i = 0; i < parts->nodes; i++) {
        if (parts->label[i] >= parts->classes)
            parts->classes = (int64_t)parts->label[i] + 1;
    }
done:
    return status;
}

/* An optional array with one byte per node. */
static graco_status read_bytes(uint8_t **out, const struct members *source, const char *name,
                               int64_t nodes)
{
    graco_status status;
    struct member member = {0};
    TRY(member_open(&member, source, name));
    if (!member.array)
        goto done;
    TRY(array_expect(member.array, name, 1, nodes, 0));
    TRY(named(array_to_u8(out, member.array), name));
done:
    member_clear(&member);
    return status;
}

static graco_status read_ids(struct dataset_parts *parts, const struct members *source)
{
    graco_status status;
    struct member graphs = {0}, names = {0};
    TRY(member_open(&graphs, source, "graph_id"));
    if (graphs.array) {
        TRY(array_expect(graphs.array, "graph_id", 1, parts->nodes, 0));
        TRY(named(array_to_i32(&parts->graph_id, graphs.array), "graph_id"));
    }
    TRY(member_open(&names, source, "node_ids"));
    if (names.array) {
        TRY(array_expect(names.array, "node_ids", 1, parts->nodes, 0));
        TRY(named(array_to_strings(&parts->node_ids, names.array), "node_ids"));
    }
done:
    member_clear(&graphs);
    member_clear(&names);
    return status;
}

static graco_status read_inductive(struct dataset_parts *parts, const struct members *source)
{
    graco_status status;
    int64_t value = 0;
    bool found;
    TRY(read_number(&found, &value, source, "inductive"));
    if (value != 0 && value != 1)
        FAIL(GRACO_ERROR_FORMAT, "inductive is %lld: expected 0 or 1", (long long)value);
    if (value == 1 && !parts->split)
        FAIL(GRACO_ERROR_FORMAT, "inductive is 1, but there is no array split: expected one that"
                                 " says which nodes a training may see");
    parts->inductive = value == 1;
done:
    return status;
}

static graco_status read_native(struct graco_dataset **out, const struct members *source,
                                const char *name, bool undirected)
{
    graco_status status;
    struct dataset_parts parts = {.name = name, .undirected = undirected};
    struct member y = {0};
    TRY(read_edge_index(&parts, source));
    TRY(read_features(&parts, source));
    TRY(member_open(&y, source, "y"));
    TRY(count_nodes(&parts, source, y.array));
    TRY(take_labels(&parts, y.array));
    TRY(read_bytes(&parts.split, source, "split", parts.nodes));
    TRY(read_bytes(&parts.label_known, source, "label_mask", parts.nodes));
    TRY(read_ids(&parts, source));
    TRY(read_inductive(&parts, source));
    TRY(check_claim(&parts));
    TRY(dataset_create(out, &parts));
done:
    member_clear(&y);
    dataset_parts_clear(&parts);
    return status;
}

graco_status read_native_npz(struct graco_dataset **out, struct npz *npz, const char *name,
                             bool undirected)
{
    return read_native(out, &(struct members){.npz = npz}, name, undirected);
}

graco_status read_native_folder(struct graco_dataset **out, const char *folder, const char *name,
                                bool undirected)
{
    return read_native(out, &(struct members){.folder = folder}, name, undirected);
}
