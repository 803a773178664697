/* GraphSAINT's layout, in which Flickr, Yelp and others are published: a folder, or an archive, with
 *
 *     adj_full.npz     a scipy matrix, whose entries are the edges
 *     feats.npy        features (N, F)
 *     class_map.json   {"0": 3, "1": 0, ...}: the class of each node, or a list of 0 and 1
 *     role.json        {"tr": [...], "va": [...], "te": [...]}: the nodes of each part of the split
 *     adj_train.npz    not read: the edges among the training nodes
 *
 * The graph is undirected, and a training sees the training nodes alone. */
#include "data/readers.h"
#include "data/scipy_matrix.h"
#include "data/text_parts.h"

#include "base/memory.h"
#include "io/json/json.h"

static const char graph_name[] = "adj_full.npz", classes_name[] = "class_map.json",
                  role_name[] = "role.json";

static graco_status read_graph(struct dataset_parts *parts, const struct members *members)
{
    struct members inner = {0};
    graco_status status = member_archive(&inner.npz, members, graph_name);
    if (status == GRACO_OK)
        status = scipy_matrix_edges(parts, &inner, "feats.npy");
    npz_close(inner.npz);
    return member_named(status, graph_name);
}

/* ---- Classes --------------------------------------------------------------------------------- */

static graco_status take_class(struct dataset_parts *parts, int64_t node, const struct json *value)
{
    int64_t number;
    if (parts->label) {
        if (!json_as_int(&number, value) || number < -1 || number >= DATASET_CLASSES)
            return status_fail(GRACO_ERROR_FORMAT, "node %lld has no class: expected an integer",
                               (long long)node);
        parts->label[node] = (int32_t)number;
        return GRACO_OK;
    }
    for (int64_t c = 0; c < parts->classes; c++) {
        if (json_size(value) != parts->classes || !json_as_int(&number, json_at(value, c)) ||
            (number != 0 && number != 1))
            return status_fail(GRACO_ERROR_FORMAT,
                               "the classes of node %lld are no list of %lld times 0 or 1",
                               (long long)node, (long long)parts->classes);
        parts->multi[node * parts->classes + c] = (uint8_t)number;
    }
    return GRACO_OK;
}

/* Every node has an entry: as many as there are nodes, no two alike. */
static graco_status take_classes(struct dataset_parts *parts, const struct json *root)
{
    const struct json *first = json_at(root, 0);
    if (json_size(root) != parts->nodes || root->kind != JSON_KIND_OBJECT)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%lld entries: expected an object with %lld, as "
                           "feats.npy has rows",
                           (long long)json_size(root), (long long)parts->nodes);
    if (first->kind == JSON_KIND_ARRAY) {
        parts->classes = json_size(first);
        PASS(memory_alloc(&parts->multi, parts->nodes, (size_t)parts->classes));
    } else {
        PASS(memory_alloc(&parts->label, parts->nodes, sizeof *parts->label));
    }
    for (int64_t i = 0; i < parts->nodes; i++) {
        const struct json *entry = json_at(root, i);
        int64_t node;
        PASS(part_node(&node, entry, parts->nodes));
        PASS(take_class(parts, node, entry));
    }
    if (parts->label)
        parts->classes = dataset_classes(parts->label, parts->nodes);
    return GRACO_OK;
}

static graco_status read_classes(struct dataset_parts *parts, const struct members *members)
{
    struct json *root = NULL;
    graco_status status = part_json(&root, members, classes_name);
    if (status == GRACO_OK)
        status = take_classes(parts, root);
    json_free(root);
    return member_named(status, classes_name);
}

/* ---- The split ------------------------------------------------------------------------------- */

static graco_status read_roles(struct dataset_parts *parts, const struct members *members)
{
    static const char *const roles[] = {"tr", "va", "te"};
    graco_status status = GRACO_OK;
    struct json *root = NULL;
    TRY(part_json(&root, members, role_name));
    TRY(dataset_split_begin(&parts->split, parts->nodes));
    for (int part = 0; part < 3; part++) {
        const struct json *list;
        TRY(json_get_array(&list, root, roles[part]));
        for (int64_t i = 0; i < json_size(list); i++) {
            int64_t node = -1;
            json_as_int(&node, json_at(list, i));
            TRY(dataset_split_put(parts->split, parts->nodes, node, part));
        }
    }
done:
    json_free(root);
    return member_named(status, role_name);
}

static graco_status read_graphsaint(struct graco_dataset **out, const struct source *source)
{
    graco_status status = GRACO_OK;
    const struct members *members = &source->members;
    struct dataset_parts parts = {.name = source->name, .undirected = true, .inductive = true};
    struct features *X = &parts.features;
    X->rows = X->cols = -1;
    TRY(member_read(&X->dense, &X->rows, &X->cols, ARRAY_F32, members, "feats"));
    parts.nodes = X->rows;
    TRY(read_graph(&parts, members));
    TRY(read_classes(&parts, members));
    TRY(read_roles(&parts, members));
    TRY(dataset_create(out, &parts));
done:
    dataset_parts_clear(&parts);
    return status;
}

static bool knows(const struct source *source)
{
    return members_have(&source->members, graph_name) ||
           members_have(&source->members, classes_name);
}

const struct reader reader_graphsaint = {
    .format = "GraphSAINT's",
    .places = PLACE_ARCHIVE | PLACE_FOLDER,
    .sign = graph_name,
    .knows = knows,
    .read = read_graphsaint,
};
