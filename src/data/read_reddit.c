/* DGL's reddit.zip: two archives,
 *
 *     reddit_data.npz   feature (N, F), label (N), node_types (N): 1 training, 2 validation, 3 test
 *     reddit_graph.npz  a scipy sparse matrix: row, col (COO) or indices, indptr (CSR), and shape
 *
 * The graph has a hundred million edges, so each array is narrowed to what we need and freed before
 * the next one is unpacked; the matrix's data, which is all ones, is not read at all, nor are
 * node_ids, which number the nodes. */
#include "data/members.h"
#include "data/readers.h"

#include "base/memory.h"

static const char data_name[] = "reddit_data.npz", graph_name[] = "reddit_graph.npz";

bool read_reddit_knows(const struct members *members)
{
    return members_have(members, data_name) || members_have(members, graph_name);
}

static graco_status read_features(struct dataset_parts *parts, struct npz *npz)
{
    graco_status status;
    struct array feature = {0};
    TRY(npz_read(&feature, npz, "feature", NPZ_LIMIT));
    TRY(array_expect(&feature, "feature", 2, -1, -1));
    parts->nodes = parts->features.rows = feature.shape[0];
    parts->features.cols = feature.shape[1];
    status = array_take_f32(&parts->features.dense, &feature);
    if (status != GRACO_OK)
        status = status_context(status, "feature");
done:
    array_clear(&feature);
    return status;
}

static graco_status read_labels(struct dataset_parts *parts, struct npz *npz)
{
    graco_status status;
    struct array label = {0};
    TRY(npz_read(&label, npz, "label", NPZ_LIMIT));
    TRY(array_expect(&label, "label", label.ndim == 2 ? 2 : 1, parts->nodes, 1));
    status = array_take_i32(&parts->label, &label);
    if (status != GRACO_OK) {
        status = status_context(status, "label");
        goto done;
    }
    for (int64_t i = 0; i < parts->nodes; i++) {
        if (parts->label[i] >= parts->classes)
            parts->classes = (int64_t)parts->label[i] + 1;
    }
done:
    array_clear(&label);
    return status;
}

static graco_status read_types(struct dataset_parts *parts, struct npz *npz)
{
    graco_status status;
    struct array types = {0};
    TRY(npz_read(&types, npz, "node_types", NPZ_LIMIT));
    TRY(array_expect(&types, "node_types", 1, parts->nodes, 0));
    status = array_to_u8(&parts->split, &types);
    if (status != GRACO_OK) {
        status = status_context(status, "node_types");
        goto done;
    }
    for (int64_t i = 0; i < parts->nodes; i++) {
        if (parts->split[i] < 1 || parts->split[i] > 3)
            FAIL(GRACO_ERROR_FORMAT,
                 "node_types: node %lld is of type %d: expected 1 (training), 2 (validation) or 3 "
                 "(test)",
                 (long long)i, parts->split[i]);
        parts->split[i]--;
    }
done:
    array_clear(&types);
    return status;
}

static graco_status read_data(struct dataset_parts *parts, const struct members *members)
{
    graco_status status;
    struct npz *npz = NULL;
    TRY(member_archive(&npz, members, data_name));
    TRY(read_features(parts, npz));
    TRY(read_labels(parts, npz));
    TRY(read_types(parts, npz));
done:
    npz_close(npz);
    return status;
}

static graco_status check_shape(struct npz *npz, int64_t nodes)
{
    graco_status status;
    struct array shape = {0};
    int64_t *size = NULL;
    TRY(npz_read(&shape, npz, "shape", NPZ_LIMIT));
    TRY(array_expect(&shape, "shape", 1, 2, 0));
    TRY(array_to_i64(&size, &shape));
    if (size[0] != nodes || size[1] != nodes)
        FAIL(GRACO_ERROR_FORMAT, "the matrix is %lld x %lld: expected %lld x %lld, as %s has nodes",
             (long long)size[0], (long long)size[1], (long long)nodes, (long long)nodes, data_name);
done:
    array_clear(&shape);
    memory_free(size);
    return status;
}

/* One end of every edge. */
static graco_status read_ends(int32_t **out, int64_t *count, struct npz *npz, const char *name)
{
    graco_status status;
    struct array ends = {0};
    TRY(npz_read(&ends, npz, name, NPZ_LIMIT));
    TRY(array_expect(&ends, name, 1, -1, 0));
    *count = ends.count;
    status = array_take_i32(out, &ends);
    if (status != GRACO_OK)
        status = status_context(status, "%s", name);
done:
    array_clear(&ends);
    return status;
}

/* The rows of a compressed matrix, one number per edge. */
static graco_status expand_rows(struct dataset_parts *parts, struct npz *npz)
{
    graco_status status;
    struct array indptr = {0};
    int64_t *start = NULL;
    TRY(npz_read(&indptr, npz, "indptr", NPZ_LIMIT));
    TRY(array_expect(&indptr, "indptr", 1, parts->nodes + 1, 0));
    TRY(array_to_i64(&start, &indptr));
    if (start[0] != 0 || start[parts->nodes] != parts->edges)
        FAIL(GRACO_ERROR_FORMAT, "indptr runs from %lld to %lld: expected 0 to %lld",
             (long long)start[0], (long long)start[parts->nodes], (long long)parts->edges);
    for (int64_t i = 0; i < parts->nodes; i++) {
        if (start[i + 1] < start[i])
            FAIL(GRACO_ERROR_FORMAT, "indptr: row %lld ends at %lld, before its start at %lld",
                 (long long)i, (long long)start[i + 1], (long long)start[i]);
    }
    TRY(memory_alloc(&parts->source, parts->edges, sizeof *parts->source));
    for (int64_t i = 0; i < parts->nodes; i++) {
        for (int64_t e = start[i]; e < start[i + 1]; e++)
            parts->source[e] = (int32_t)i;
    }
done:
    array_clear(&indptr);
    memory_free(start);
    return status;
}

static graco_status read_matrix(struct dataset_parts *parts, struct npz *npz)
{
    graco_status status;
    int64_t rows = 0;
    TRY(check_shape(npz, parts->nodes));
    if (npz_has(npz, "indptr")) {
        TRY(read_ends(&parts->target, &parts->edges, npz, "indices"));
        TRY(expand_rows(parts, npz));
        goto done;
    }
    TRY(read_ends(&parts->target, &parts->edges, npz, "col"));
    TRY(read_ends(&parts->source, &rows, npz, "row"));
    if (rows != parts->edges)
        FAIL(GRACO_ERROR_FORMAT, "row has %lld items: expected %lld, as col has", (long long)rows,
             (long long)parts->edges);
done:
    return status;
}

static graco_status read_graph(struct dataset_parts *parts, const struct members *members)
{
    graco_status status;
    struct npz *npz = NULL;
    TRY(member_archive(&npz, members, graph_name));
    TRY(read_matrix(parts, npz));
done:
    npz_close(npz);
    return status;
}

/* Puts the part's name in front of a message that has none yet. */
static graco_status named(graco_status status, const char *name)
{
    return status == GRACO_OK ? status : status_context(status, "%s", name);
}

graco_status read_reddit(struct graco_dataset **out, const struct members *members,
                         const char *name)
{
    graco_status status;
    struct dataset_parts parts = {.name = name, .undirected = true, .inductive = true};
    TRY(named(read_data(&parts, members), data_name));
    TRY(named(read_graph(&parts, members), graph_name));
    TRY(dataset_create(out, &parts));
done:
    dataset_parts_clear(&parts);
    return status;
}
