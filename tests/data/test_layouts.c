/* DGL's layouts: small sets of each that the generator writes come back the same, packed and
 * unpacked; what is wrong with a file is said with the name of the part. */
#include "base/memory.h"
#include "data/dataset.h"
#include "data/published.h"
#include "data/small_files.h"
#include "data/subset.h"
#include "io/npy.h"
#include "data/store.h"

static bool same(const void *a, const void *b, int64_t count, size_t size)
{
    return (a == NULL) == (b == NULL) && (!a || memcmp(a, b, (size_t)count * size) == 0);
}

static void check_equal(const graco_dataset *a, const graco_dataset *b)
{
    const struct graph *g = a->graph, *h = b->graph;
    int64_t n = g->nodes;
    CHECK(n == h->nodes && g->edges == h->edges && a->graphs == b->graphs);
    CHECK(same(g->in.start, h->in.start, n + 1, 8) && same(g->in.index, h->in.index, g->edges, 4));
    CHECK(a->features.cols == b->features.cols && a->classes == b->classes);
    CHECK(same(a->features.dense, b->features.dense, n * a->features.cols, 4));
    CHECK(same(a->label, b->label, n, 4) && same(a->multi, b->multi, n * a->classes, 1));
    CHECK(same(a->split, b->split, n, 1) && same(a->graph_id, b->graph_id, n, 4));
    CHECK(same(a->label_known, b->label_known, n, 1));
    CHECK(a->inductive && b->inductive);
}

static graco_dataset *make(const char *like, double scale)
{
    return fixture_data(.like = like, .scale = scale);
}

static void read_back(const char *layout, double scale, bool masked)
{
    static const char *const paths[] = {"set.zip", "set"};
    graco_dataset *data = make(layout, scale);
    if (masked) {
        CHECK_OK(memory_alloc(&data->label_known, data->graph->nodes, 1));
        for (int64_t i = 0; i < data->graph->nodes; i++)
            data->label_known[i] = i % 7 != 0;
    }
    for (int i = 0; i < 2; i++) {
        graco_dataset *again = NULL;
        CHECK_OK(published_write(data, fixture_path(paths[i]), layout));
        CHECK_OK(graco_dataset_load(&again, fixture_path(paths[i]), NULL));
        check_equal(data, again);
        graco_dataset_free(again);
    }
    unlink(fixture_path("set.zip"));
    fixture_remove(fixture_path("set"));
    graco_dataset_free(data);
}

/* Sizes, shares and what the options refuse. */
static void likenesses(void)
{
    graco_dataset *ppi = make("ppi", 0.05), *other = NULL, *reddit = make("reddit", 0.01);
    graco_dataset_info info = graco_dataset_describe(ppi);
    graco_generate_options options = graco_generate_defaults();
    CHECK(info.graphs == 24 && info.classes == 121 && info.multi_label && info.feature_count == 50);
    CHECK(info.nodes > 2700 && info.nodes < 3000 && !info.directed);
    for (int64_t i = 0; i < info.nodes; i++)
        CHECK(ppi->split[i] == (ppi->graph_id[i] < 20 ? 0 : ppi->graph_id[i] < 22 ? 1 : 2));
    int64_t ones = 0;
    for (int64_t i = 0; i < info.nodes * 121; i++)
        ones += ppi->multi[i];
    CHECK(ones > info.nodes * 121 / 5 && ones < info.nodes * 121 / 2);
    info = graco_dataset_describe(reddit);
    CHECK(info.nodes == 2330 && info.feature_count == 602 && info.classes == 41 &&
          info.graphs == 1);
    CHECK(info.split_nodes[0] == 1535 && info.split_nodes[1] + info.split_nodes[2] == 795);
    int64_t most = 0, within = 0;
    for (int64_t i = 0; i < info.nodes; i++) {
        int64_t start = reddit->graph->in.start[i], degree = reddit->graph->in.start[i + 1] - start;
        most = degree > most ? degree : most;
        for (int64_t e = start; e < start + degree; e++)
            within += reddit->label[reddit->graph->in.index[e]] == reddit->label[i];
    }
    double share = (double)within / (double)info.edges;
    CHECK(share > 0.4 && share < 0.6); /* less than drawn: few nodes, so many repeated pairs */
    CHECK(most > 4 * info.edges / info.nodes); /* a heavy tail */
    options.like = "ppi";
    options.scale = 0.05;
    options.seed = 1;
    CHECK_OK(graco_dataset_generate(&other, &options));
    CHECK(memcmp(other->features.dense, ppi->features.dense, 400) != 0);
    graco_dataset_free(other);
    graco_dataset_free(ppi);
    graco_dataset_free(reddit);
    options.like = "cora";
    CHECK_FAILS(graco_dataset_generate(&other, &options), GRACO_ERROR_ARGUMENT,
                "like 'cora': expected reddit, ppi or arxiv");
    options.like = "ppi";
    options.scale = 0;
    CHECK_FAILS(graco_dataset_generate(&other, &options), GRACO_ERROR_ARGUMENT, "a scale of 0");
}

/* ---- PPI with something wrong ---- */

static void put_npy(const char *name, enum array_type type, const void *items, int64_t rows,
                    int64_t cols)
{
    const int64_t shape[2] = {rows, cols};
    struct array array;
    CHECK_OK(array_borrow(&array, type, items, cols >= 0 ? 2 : 1, shape));
    CHECK_OK(npy_write(fixture_path(name), &array));
}

/* Three parts of two nodes each, in a folder of six graphs. */
static void put_ppi(void)
{
    static const char *const parts[] = {"train", "valid", "test"};
    static const double feats[] = {1, 2, 3, 4};
    static const int64_t labels[] = {1, 0, 0, 1, 1, 1}, ids[] = {1, 2, 5, 6, 7, 9};
    char name[64];
    mkdir(fixture_path("bad"), 0777);
    for (int p = 0; p < 3; p++) {
        snprintf(name, sizeof name, "bad/%s_graph.json", parts[p]);
        fixture_text(name, "{\"directed\": true, \"nodes\": [{\"id\": 0}, {\"id\": 1}],"
                           "\"links\": [{\"source\": 1, \"target\": 1}]}");
        snprintf(name, sizeof name, "bad/%s_feats.npy", parts[p]);
        put_npy(name, ARRAY_F64, feats, 2, 2);
        snprintf(name, sizeof name, "bad/%s_labels.npy", parts[p]);
        put_npy(name, ARRAY_I64, labels, 2, 3);
        snprintf(name, sizeof name, "bad/%s_graph_id.npy", parts[p]);
        put_npy(name, ARRAY_I64, ids + 2 * p, 2, -1);
    }
}

static void ppi_fails(const char *part)
{
    graco_dataset *data = NULL;
    CHECK_FAILS(graco_dataset_load(&data, fixture_path("bad"), NULL), GRACO_ERROR_FORMAT, part);
    CHECK(data == NULL);
    put_ppi();
}

static void ppi_refusals(void)
{
    static const int64_t down[] = {6, 5}, early[] = {2, 6}, many[] = {5, 6, 6};
    static const double nan[] = {1, (double)NAN, 3, 4};
    static const int64_t two[] = {1, 0, 2, 1, 1, 1};
    graco_dataset *data = NULL;
    put_ppi();
    CHECK_OK(graco_dataset_load(&data, fixture_path("bad"), NULL));
    CHECK(data->graphs == 6 && data->graph_id[5] == 5 && data->split[2] == 1);
    CHECK(data->self_loops == 3 && data->label_known == NULL);
    graco_dataset_free(data);
    data = NULL;
    put_npy("bad/valid_label_mask.npy", ARRAY_U8, "\1", 2, -1);
    CHECK_OK(graco_dataset_load(&data, fixture_path("bad"), NULL));
    CHECK(memcmp(data->label_known, "\1\1\1\0\1\1", 6) == 0);
    graco_dataset_free(data);
    unlink(fixture_path("bad/valid_label_mask.npy"));
    unlink(fixture_path("bad/test_graph.json"));
    ppi_fails("the folder has no test_graph.json");
    unlink(fixture_path("bad/train_feats.npy"));
    ppi_fails("the folder has no train_feats.npy");
    put_npy("bad/valid_graph_id.npy", ARRAY_I64, down, 2, -1);
    ppi_fails("valid_graph_id: node 1 is in graph 5 after graph 6");
    put_npy("bad/valid_graph_id.npy", ARRAY_I64, early, 2, -1);
    ppi_fails("valid_graph_id starts with graph 2: expected more than 2");
    put_npy("bad/valid_graph_id.npy", ARRAY_I64, many, 3, -1);
    ppi_fails("valid_graph_id has 3 rows: expected 2");
    put_npy("bad/test_feats.npy", ARRAY_F64, nan, 2, 1);
    ppi_fails("test has 1 features and 3 labels: expected 2 and 3");
    put_npy("bad/test_feats.npy", ARRAY_F64, nan, 2, 2);
    ppi_fails("feature 1 of node 4 is nan");
    put_npy("bad/train_labels.npy", ARRAY_I64, two, 2, 3);
    ppi_fails("label 2 of node 0 is 2");
    fixture_text("bad/valid_graph.json", "{\"nodes\": [{\"id\": 0}, {\"id\": 1}],"
                                         "\"links\": [{\"source\": 0, \"target\": 1}]}");
    ppi_fails("valid_graph.json: the link from node 0 to node 1 joins graphs 5 and 6");
    fixture_text("bad/valid_graph.json", "{\"nodes\": [{\"id\": 0}, ");
    ppi_fails("valid_graph.json: bad JSON at line 1, column 23");
    CHECK(truncate(fixture_path("bad/train_labels.npy"), 150) == 0);
    ppi_fails("train_labels.npy");
    fixture_remove(fixture_path("bad"));
}

/* ---- Reddit with something wrong ---- */

struct reddit {
    int64_t nodes, edges, side;
    int64_t types[3];
    int32_t col[4];
    const char *without; /* member that is left out */
    bool csr;
};

static void put_member(struct small_arrays *arrays, const struct reddit *how, const char *name,
                       enum array_type type, const void *items, int64_t rows, int64_t cols)
{
    if (!how->without || strcmp(how->without, name) != 0)
        small_add(arrays, name, type, items, rows, cols);
}

/* Three nodes, edges 0-1 both ways, 1-2, 2-2. */
static void put_reddit(const struct reddit *how)
{
    static const float feature[] = {1, 2, 3, 4, 5, 6};
    static const int64_t label[] = {0, 2, 1}, row[] = {0, 1, 1, 2}, indptr[] = {0, 1, 3, 4};
    const int64_t shape[] = {how->side, how->side};
    struct small_arrays data = {0}, graph = {0};
    mkdir(fixture_path("bad"), 0777);
    put_member(&data, how, "feature", ARRAY_F32, feature, 3, 2);
    put_member(&data, how, "label", ARRAY_I64, label, how->nodes, -1);
    put_member(&data, how, "node_types", ARRAY_I64, how->types, 3, -1);
    small_npz(&data, "bad/reddit_data.npz");
    put_member(&graph, how, "shape", ARRAY_I64, shape, 2, -1);
    if (how->csr) {
        put_member(&graph, how, "indices", ARRAY_I32, how->col, how->edges, -1);
        put_member(&graph, how, "indptr", ARRAY_I64, indptr, 4, -1);
    } else {
        put_member(&graph, how, "row", ARRAY_I64, row, 4, -1);
        put_member(&graph, how, "col", ARRAY_I32, how->col, how->edges, -1);
    }
    small_npz(&graph, "bad/reddit_graph.npz");
}

static const struct reddit good = {
    .nodes = 3, .edges = 4, .side = 3, .types = {3, 1, 2}, .col = {1, 0, 2, 2}};

static void reddit_fails(const struct reddit *how, const char *part)
{
    graco_dataset *data = NULL;
    put_reddit(how);
    CHECK_FAILS(graco_dataset_load(&data, fixture_path("bad"), NULL), GRACO_ERROR_FORMAT, part);
    CHECK(data == NULL);
}

static void reddit_refusals(void)
{
    for (int csr = 0; csr < 2; csr++) {
        struct reddit how = good;
        graco_dataset *data = NULL;
        how.csr = csr;
        put_reddit(&how);
        CHECK_OK(graco_dataset_load(&data, fixture_path("bad"), NULL));
        CHECK(data->graph->edges == 4 && data->self_loops == 1 && data->classes == 3);
        CHECK(memcmp(data->split, "\2\0\1", 3) == 0 && data->features.dense[5] == 6);
        graco_dataset_free(data);
        how.edges = 3;
        reddit_fails(&how,
                     csr ? "reddit_graph.npz: indptr: row pointers run from 0 to 4: expected 0 to 3"
                         : "reddit_graph.npz: row has 4 items: expected 3");
        how.edges = 4;
        how.col[1] = 3;
        reddit_fails(&how, "edge 1 joins nodes 1 and 3");
    }
    struct reddit how = good;
    static const char *const members[] = {"feature", "label", "node_types", "shape", "row", "col"};
    for (size_t m = 0; m < sizeof members / sizeof *members; m++) {
        char message[64];
        how.without = members[m];
        snprintf(message, sizeof message, "reddit_%s.npz: the archive has no %s.npy",
                 m < 3 ? "data" : "graph", members[m]);
        reddit_fails(&how, message);
    }
    how = good;
    how.types[1] = 4;
    reddit_fails(&how, "node_types: node 1 is of type 4");
    how = good;
    how.nodes = 2;
    reddit_fails(&how, "reddit_data.npz: label has 2 rows: expected 3");
    how = good;
    how.side = 4;
    reddit_fails(&how, "the matrix is 4 x 4: expected 3 x 3");
    put_reddit(&good);
    CHECK(truncate(fixture_path("bad/reddit_graph.npz"), 300) == 0);
    graco_dataset *data = NULL;
    CHECK_FAILS(graco_dataset_load(&data, fixture_path("bad"), NULL), GRACO_ERROR_FORMAT,
                "reddit_graph.npz");
    unlink(fixture_path("bad/reddit_graph.npz"));
    CHECK_FAILS(graco_dataset_load(&data, fixture_path("bad"), NULL), GRACO_ERROR_FORMAT,
                "the folder has no reddit_graph.npz");
    fixture_remove(fixture_path("bad"));
}

/* An archive whose inner archive is cut, or is none. */
static void nested_refusals(void)
{
    struct store *store = NULL;
    graco_dataset *data = NULL;
    uint8_t *bytes = NULL;
    int64_t length = 0;
    CHECK_OK(store_create(&store, fixture_path("cut.zip")));
    CHECK_OK(store_begin(store, "reddit_data.npz"));
    CHECK_OK(store_write(store, "this is not a zip archive", 25));
    CHECK_OK(store_end(store));
    CHECK_OK(store_commit(store));
    store_free(store);
    CHECK_FAILS(graco_dataset_load(&data, fixture_path("cut.zip"), NULL), GRACO_ERROR_FORMAT,
                "member reddit_data.npz: this is no zip archive");
    data = make("reddit", 0.001);
    CHECK_OK(published_write(data, fixture_path("cut.zip"), "reddit"));
    graco_dataset_free(data);
    data = NULL;
    CHECK_OK(file_read(&bytes, &length, fixture_path("cut.zip"), 1 << 28));
    bytes[length / 2] ^= 1; /* a checksum notices */
    fixture_write("cut.zip", bytes, (size_t)length);
    CHECK_FAILS(graco_dataset_load(&data, fixture_path("cut.zip"), NULL), GRACO_ERROR_FORMAT,
                "reddit_data.npz");
    fixture_write("cut.zip", bytes, (size_t)(length / 2));
    CHECK(graco_dataset_load(&data, fixture_path("cut.zip"), NULL) == GRACO_ERROR_FORMAT);
    memory_free(bytes);
    unlink(fixture_path("cut.zip"));
}

int main(void)
{
    read_back("ppi", 0.02, false);
    read_back("ppi", 0.01, true);
    read_back("reddit", 0.002, false);
    likenesses();
    ppi_refusals();
    reddit_refusals();
    nested_refusals();
    return check_result();
}
