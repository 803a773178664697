/* DGL's reddit.zip: two archives,
 *
 *     reddit_data.npz   feature (N, F), label (N), node_types (N): 1 training, 2 validation, 3 test
 *     reddit_graph.npz  a scipy sparse matrix
 *
 * The graph is undirected. The matrix's data, which is all ones, and node_ids, which number the nodes,
 * are not read at all. */
#include "data/readers.h"

#include "data/scipy_matrix.h"

static const char data_name[] = "reddit_data.npz", graph_name[] = "reddit_graph.npz";

static graco_status read_labels(struct dataset_parts *parts, const struct members *members)
{
    graco_status status = GRACO_OK;
    struct member label = {0};
    TRY(member_need(&label, members, "label"));
    TRY(array_expect(label.array, "label", label.array->ndim == 2 ? 2 : 1, parts->nodes, 1));
    TRY(member_take(&parts->label, ARRAY_I32, &label, "label"));
    parts->classes = dataset_classes(parts->label, parts->nodes);
done:
    member_clear(&label);
    return status;
}

static graco_status read_types(struct dataset_parts *parts, const struct members *members)
{
    PASS(member_read(&parts->split, &parts->nodes, NULL, ARRAY_U8, members, "node_types"));
    for (int64_t i = 0; i < parts->nodes; i++) {
        if (parts->split[i] < 1 || parts->split[i] > 3)
            return status_fail(GRACO_ERROR_FORMAT,
                               "node_types: node %lld is of type %d: expected 1 (training), 2 "
                               "(validation) or 3 (test)",
                               (long long)i, parts->split[i]);
        parts->split[i]--;
    }
    return GRACO_OK;
}

static graco_status read_data(struct dataset_parts *parts, const struct members *members)
{
    struct features *X = &parts->features;
    X->rows = X->cols = -1;
    PASS(member_read(&X->dense, &X->rows, &X->cols, ARRAY_F32, members, "feature"));
    parts->nodes = X->rows;
    PASS(read_labels(parts, members));
    return read_types(parts, members);
}

static graco_status read_graph(struct dataset_parts *parts, const struct members *members)
{
    return scipy_matrix_edges(parts, members, data_name);
}

/* Opens one of the two archives and reads it; its name begins every message. */
static graco_status
read_archive(struct dataset_parts *parts, const struct members *members, const char *name,
             graco_status (*read)(struct dataset_parts *, const struct members *))
{
    struct members inner = {0};
    graco_status status = member_archive(&inner.npz, members, name);
    if (status == GRACO_OK)
        status = read(parts, &inner);
    npz_close(inner.npz);
    return member_named(status, name);
}

static graco_status read_reddit(struct graco_dataset **out, const struct source *source)
{
    graco_status status = GRACO_OK;
    const struct members *members = &source->members;
    struct dataset_parts parts = {.name = source->name, .undirected = true, .inductive = true};
    TRY(read_archive(&parts, members, data_name, read_data));
    TRY(read_archive(&parts, members, graph_name, read_graph));
    TRY(dataset_create(out, &parts));
done:
    dataset_parts_clear(&parts);
    return status;
}

static bool knows(const struct source *source)
{
    return members_have(&source->members, data_name) || members_have(&source->members, graph_name);
}

const struct reader reader_reddit = {
    .format = "DGL's Reddit",
    .places = PLACE_ARCHIVE | PLACE_FOLDER,
    .sign = graph_name,
    .knows = knows,
    .read = read_reddit,
};
