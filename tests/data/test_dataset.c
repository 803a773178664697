#include "base/memory.h"
#include "check.h"
#include "data/dataset.h"

/* A copy of `count` items that the parts can own. */
static void *owned(const void *items, int64_t count, size_t size)
{
    void *block = NULL;
    CHECK_OK(memory_alloc(&block, count, size));
    memcpy(block, items, (size_t)count * size);
    return block;
}

#define OWNED(...)                                                                                 \
    owned((__VA_ARGS__), (int64_t)(sizeof(__VA_ARGS__) / sizeof *(__VA_ARGS__)),                   \
          sizeof *(__VA_ARGS__))

/* Four nodes in two graphs, edges 0-1 and 2-3, two sparse features each, labels and a split. */
static struct dataset_parts small_parts(void)
{
    return (struct dataset_parts){
        .name = "small",
        .nodes = 4,
        .edges = 4,
        .source = OWNED((int32_t[]){0, 1, 2, 3}),
        .target = OWNED((int32_t[]){1, 0, 3, 3}),
        .features = {.rows = 4,
                     .cols = 3,
                     .sparse = {.rows = 4,
                                .cols = 3,
                                .start = OWNED((int64_t[]){0, 2, 2, 3, 4}),
                                .index = OWNED((int32_t[]){0, 2, 1, 0}),
                                .value = OWNED((float[]){1, 2, 3, 4})}},
        .classes = 2,
        .label = OWNED((int32_t[]){0, 1, -1, 0}),
        .split = OWNED((uint8_t[]){0, 1, 2, 3}),
        .graph_id = OWNED((int32_t[]){0, 0, 1, 1}),
    };
}

static void builds(void)
{
    struct dataset_parts parts = small_parts();
    struct graco_dataset *data = NULL;
    CHECK_OK(dataset_create(&data, &parts));
    CHECK(parts.source == NULL && parts.label == NULL);
    graco_dataset_info info = graco_dataset_describe(data);
    CHECK(strcmp(info.name, "small") == 0 && info.nodes == 4 && info.edges == 3);
    CHECK(info.self_loops == 1 && info.duplicates == 0 && info.isolated == 0 && info.directed);
    CHECK(info.feature_count == 3 && info.feature_entries == 4 && info.sparse_features);
    CHECK(info.classes == 2 && info.graphs == 2 && info.has_split && !info.multi_label);
    CHECK(info.split_nodes[0] == 1 && info.split_nodes[1] == 1 && info.split_nodes[2] == 1);
    graco_dataset_free(data);
    graco_dataset_free(NULL);

    parts = small_parts();
    parts.undirected = true;
    CHECK_OK(dataset_create(&data, &parts));
    info = graco_dataset_describe(data);
    CHECK(info.edges == 4 && !info.directed);
    graco_dataset_free(data);
}

static void builds_little(void)
{
    struct dataset_parts parts = {.nodes = 1};
    struct graco_dataset *data = NULL;
    CHECK_OK(dataset_create(&data, &parts));
    graco_dataset_info info = graco_dataset_describe(data);
    CHECK(info.nodes == 1 && info.edges == 0 && info.isolated == 1 && !info.directed);
    CHECK(info.feature_count == 0 && info.classes == 0 && info.graphs == 1 && !info.has_split);
    graco_dataset_free(data);

    /* Labels that nobody knows are none. */
    parts = (struct dataset_parts){.nodes = 2, .label = OWNED((int32_t[]){-1, -1})};
    CHECK_OK(dataset_create(&data, &parts));
    CHECK(data->label == NULL && data->classes == 0);
    graco_dataset_free(data);

    parts = (struct dataset_parts){0};
    data = NULL;
    CHECK_FAILS(dataset_create(&data, &parts), GRACO_ERROR_FORMAT, "0 nodes: expected 1");
    CHECK(data == NULL);
}

/* Changes one thing about the small parts: dataset_create must refuse it. */
#define REFUSED(change, text)                                                                      \
    do {                                                                                           \
        struct dataset_parts parts = small_parts();                                                \
        struct graco_dataset *data = NULL;                                                         \
        change;                                                                                    \
        CHECK_FAILS(dataset_create(&data, &parts), GRACO_ERROR_FORMAT, text);                      \
        CHECK(data == NULL && parts.source == NULL && parts.features.sparse.start == NULL);        \
    } while (0)

static void refuses(void)
{
    REFUSED(parts.source[2] = 4, "edge 2 joins nodes 4 and 3: expected 0 to 3");
    REFUSED(parts.target[1] = -1, "edge 1 joins nodes 1 and -1");
    REFUSED(parts.features.rows = 3, "features for 3 nodes: expected 4");
    REFUSED(parts.features.cols = -1, "-1 features");
    REFUSED(parts.features.sparse.start[0] = 1,
            "features: row pointers run from 1 to 4: expected 0");
    REFUSED(parts.features.sparse.start[2] = 1, "features: row 1 ends at 1, before its start at 2");
    REFUSED(parts.features.sparse.index[1] = 0, "features: row 0 has column index 0 after 0");
    REFUSED(parts.features.sparse.index[0] = 3,
            "features: row 0 has a column index 3: expected 0 to 2");
    REFUSED(parts.features.sparse.index[2] = -7, "features: row 2 has a column index -7");
    REFUSED(parts.features.sparse.value[3] = NAN, "features: row 3 has the value nan in column 0");
    REFUSED(parts.features.sparse.value[2] = -INFINITY,
            "features: row 2 has the value -inf in column 1");
    REFUSED(parts.label[1] = 2, "node 1 has label 2: expected -1 (unknown) to 1");
    REFUSED(parts.label[1] = -2, "node 1 has label -2");
    REFUSED(parts.classes = -1, "-1 classes");
    REFUSED(parts.split[3] = 4, "node 3 is in split 4");
    REFUSED(parts.graph_id[0] = 1, "node 0 is in graph 1 after graph 0");
    REFUSED(parts.graph_id[3] = 0, "node 3 is in graph 0 after graph 1");
    REFUSED(parts.graph_id[3] = 3, "node 3 is in graph 3 after graph 1");
    REFUSED(parts.target[2] = 1, "the edge from node 2 to node 1 joins graphs 1 and 0");
    REFUSED(parts.label_known = OWNED((uint8_t[]){1, 1, 2, 0}), "mask of node 2 is 2");
}

static void refuses_dense_and_multi(void)
{
    struct graco_dataset *data = NULL;
    struct dataset_parts parts = {
        .nodes = 2,
        .features = {.rows = 2, .cols = 2, .dense = OWNED((float[]){1, 2, 3, INFINITY})}};
    CHECK_FAILS(dataset_create(&data, &parts), GRACO_ERROR_FORMAT, "feature 1 of node 1 is inf");
    parts =
        (struct dataset_parts){.nodes = 2, .classes = 2, .multi = OWNED((uint8_t[]){0, 1, 2, 0})};
    CHECK_FAILS(dataset_create(&data, &parts), GRACO_ERROR_FORMAT, "label 0 of node 1 is 2");
    parts = (struct dataset_parts){
        .nodes = 1, .classes = 1, .multi = OWNED((uint8_t[]){0}), .label = OWNED((int32_t[]){0})};
    CHECK_FAILS(dataset_create(&data, &parts), GRACO_ERROR_ARGUMENT, "both one label");
    parts =
        (struct dataset_parts){.nodes = 2, .classes = 2, .multi = OWNED((uint8_t[]){0, 1, 1, 0})};
    CHECK_OK(dataset_create(&data, &parts));
    CHECK(graco_dataset_describe(data).multi_label && data->classes == 2);
    graco_dataset_free(data);
}

int main(void)
{
    builds();
    builds_little();
    refuses();
    refuses_dense_and_multi();
    return check_result();
}
