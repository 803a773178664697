#include "data/readers.h"

#include "base/memory.h"

/* A compressed matrix of the archive: members PREFIX_data, _indices, _indptr, _shape. */
static graco_status read_matrix(struct features *out, struct npz *npz, const char *const names[4])
{
    graco_status status;
    struct array data = {0}, indices = {0}, indptr = {0}, shape = {0};
    int64_t *size = NULL;
    TRY(npz_read(&data, npz, names[0], NPZ_LIMIT));
    TRY(npz_read(&indices, npz, names[1], NPZ_LIMIT));
    TRY(npz_read(&indptr, npz, names[2], NPZ_LIMIT));
    TRY(npz_read(&shape, npz, names[3], NPZ_LIMIT));
    TRY(array_expect(&shape, names[3], 1, 2, 0));
    TRY(array_to_i64(&size, &shape));
    status = features_from_csr(out, size[0], size[1], &indptr, &indices, &data);
    if (status != GRACO_OK)
        status = status_context(status, "the matrix of %s", names[0]);
done:
    array_clear(&data);
    array_clear(&indices);
    array_clear(&indptr);
    array_clear(&shape);
    memory_free(size);
    return status;
}

/* The entries of the adjacency are the edges, whatever their values. */
static graco_status take_edges(struct dataset_parts *parts, const struct features *adjacency)
{
    graco_status status;
    if (adjacency->rows != adjacency->cols)
        FAIL(GRACO_ERROR_FORMAT, "the adjacency is %lld x %lld: expected a square",
             (long long)adjacency->rows, (long long)adjacency->cols);
    parts->nodes = adjacency->rows;
    parts->edges = adjacency->start[adjacency->rows];
    TRY(memory_alloc(&parts->source, parts->edges, sizeof *parts->source));
    TRY(memory_alloc(&parts->target, parts->edges, sizeof *parts->target));
    for (int64_t row = 0; row < adjacency->rows; row++) {
        for (int64_t k = adjacency->start[row]; k < adjacency->start[row + 1]; k++) {
            parts->source[k] = (int32_t)row;
            parts->target[k] = adjacency->index[k];
        }
    }
done:
    return status;
}

static graco_status read_labels(struct dataset_parts *parts, struct npz *npz)
{
    graco_status status;
    struct array labels = {0};
    TRY(npz_read(&labels, npz, "labels", NPZ_LIMIT));
    TRY(array_expect(&labels, "labels", 1, parts->nodes, 0));
    TRY(array_to_i32(&parts->label, &labels));
    for (int64_t i = 0; i < parts->nodes; i++) {
        if (parts->label[i] >= parts->classes)
            parts->classes = (int64_t)parts->label[i] + 1;
    }
done:
    array_clear(&labels);
    return status;
}

graco_status read_citation(struct graco_dataset **out, struct npz *npz, const char *name)
{
    static const char *const adjacency_names[4] = {"adj_data", "adj_indices", "adj_indptr",
                                                   "adj_shape"};
    static const char *const feature_names[4] = {"attr_data", "attr_indices", "attr_indptr",
                                                 "attr_shape"};
    graco_status status;
    struct features adjacency = {0};
    struct dataset_parts parts = {.name = name, .undirected = true};
    TRY(read_matrix(&adjacency, npz, adjacency_names));
    TRY(take_edges(&parts, &adjacency));
    TRY(read_matrix(&parts.features, npz, feature_names));
    TRY(features_sort(&parts.features));
    TRY(read_labels(&parts, npz));
    TRY(dataset_create(out, &parts));
done:
    features_clear(&adjacency);
    dataset_parts_clear(&parts);
    return status;
}
