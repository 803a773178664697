/* Layouts of benchmarks, on small files of that form: GraphSAINT's, in which Flickr is published, the Open
 * Graph Benchmark's, and the archives of Amazon and Coauthor. */
#include "base/memory.h"
#include "data/dataset.h"
#include "data/small_files.h"
#include "io/store.h"

#define LOAD_FAILS(name, part)                                                                     \
    CHECK_FAILS(graco_dataset_load(&nothing, small_path(name), NULL), GRACO_ERROR_FORMAT, part)

static graco_dataset *nothing;

static graco_dataset *load(const char *name, const graco_load_options *options)
{
    graco_dataset *data = NULL;
    CHECK_OK(graco_dataset_load(&data, small_path(name), options));
    return data;
}

static const char classes[] = "{\"0\": 2, \"3\": 0, \"1\": 1, \"2\": 1}";

static void graphsaint(void)
{
    small_graphsaint("flickr", classes);
    graco_dataset *data = load("flickr", NULL);
    CHECK(data->graph->nodes == 4 && data->graph->edges == 6 && !data->graph->in.value);
    CHECK(data->features.cols == 2 && data->features.dense[7] == 8 && data->inductive);
    CHECK(data->classes == 3 && data->label[0] == 2 && data->label[3] == 0);
    CHECK(data->split[0] == 0 && data->split[1] == 1 && data->split[2] == 3 && data->split[3] == 0);
    graco_dataset_free(data);
    small_graphsaint("flickr", "{\"0\": [0, 1], \"1\": [1, 1], \"2\": [0, 0], \"3\": [1, 0]}");
    data = load("flickr", NULL);
    CHECK(data->classes == 2 && data->multi[1] == 1 && data->multi[6] == 1 && !data->label);
    graco_dataset_free(data);

    small_text("flickr/class_map.json", "{\"0\": 2}");
    LOAD_FAILS("flickr", "class_map.json: 1 entries: expected an object with 4");
    small_text("flickr/class_map.json", "[1, 2, 3, 4]");
    LOAD_FAILS("flickr", "class_map.json: 4 entries: expected an object");
    small_text("flickr/class_map.json", "{\"0\": 1, \"00\": 2, \"1\": 0, \"2\": 0}");
    LOAD_FAILS("flickr", "an entry for \"00\": expected 0 to 3");
    small_text("flickr/class_map.json", "{\"0\": 1, \"4\": 2, \"1\": 0, \"2\": 0}");
    LOAD_FAILS("flickr", "an entry for \"4\"");
    small_text("flickr/class_map.json", "{\"0\": 1, \"1\": \"a\", \"2\": 0, \"3\": 0}");
    LOAD_FAILS("flickr", "node 1 has no class");
    small_text("flickr/class_map.json", "{\"0\": [1], \"1\": [2], \"2\": [0], \"3\": [0]}");
    LOAD_FAILS("flickr", "the classes of node 1 are no list");
    small_text("flickr/class_map.json", "{\"0\": [], \"1\": [], \"2\": [], \"3\": []}");
    LOAD_FAILS("flickr", "0 classes");
    small_text("flickr/class_map.json", classes);
    small_text("flickr/role.json", "{\"tr\": [0], \"va\": [0], \"te\": []}");
    LOAD_FAILS("flickr", "role.json: the split has node 0 twice");
    small_text("flickr/role.json", "{\"tr\": [0], \"va\": [4], \"te\": []}");
    LOAD_FAILS("flickr", "role.json: the split has node 4: expected 0 to 3");
    small_text("flickr/role.json", "{\"tr\": [0], \"va\": [\"a\"], \"te\": []}");
    LOAD_FAILS("flickr", "role.json: the split has node -1");
    small_text("flickr/role.json", "{\"tr\": [0], \"te\": []}");
    LOAD_FAILS("flickr", "role.json");
    struct small_arrays arrays = small_scipy("csr", 5);
    small_npz(&arrays, "flickr/adj_full.npz");
    LOAD_FAILS("flickr", "adj_full.npz: the matrix is 4 x 5");
    unlink(small_path("flickr/adj_full.npz"));
    LOAD_FAILS("flickr", "has no adj_full.npz");
}

static void ogb(void)
{
    small_ogb("arxiv");
    graco_dataset *data = load("arxiv", NULL);
    CHECK(data->graph->nodes == 3 && data->graph->edges == 2 && data->features.cols == 2);
    CHECK(data->features.dense[1] == -1 && data->features.dense[5] == 4);
    CHECK(data->classes == 5 && data->label[2] == 2 && !data->inductive);
    CHECK(data->split[0] == 1 && data->split[1] == 2 && data->split[2] == 0);
    graco_dataset_free(data);
    data = load("arxiv", &(graco_load_options){.undirected = true});
    CHECK(data->graph->edges == 4);
    graco_dataset_free(data);
    unlink(small_path("arxiv/raw/node-feat.csv.gz"));
    data = load("arxiv", NULL);
    CHECK(data->features.cols == 0);
    graco_dataset_free(data);

    static const char *const rows[][3] = {
        {"raw/num-node-list.csv.gz", "3\n4\n", "has 2 lines: expected one"},
        {"raw/num-node-list.csv.gz", "4\n", "raw/node-label.csv.gz has 3 rows: expected 4"},
        {"raw/num-node-list.csv.gz", "2000000000\n", "expected 2000000000"},
        {"raw/num-node-list.csv.gz", "x\n", "line 1: expected one integer"},
        {"raw/node-label.csv.gz", "0\n1,2\n0\n", "line 2: expected one integer"},
        {"raw/node-label.csv.gz", "0\nnan\n0\n", "line 2: expected one integer"},
        {"raw/edge.csv.gz", "0,3\n", "expected two node numbers below 3"},
        {"raw/edge.csv.gz", "0,a\n", "expected two node numbers"},
        {"raw/edge.csv.gz", "0,1,2\n", "expected two node numbers"},
        {"raw/node-feat.csv.gz", "1\n2\n", "raw/node-feat.csv.gz has 2 rows: expected 3"},
        {"raw/node-feat.csv.gz", "1\n2\nnan\n", "line 3"},
        {"split/time/valid.csv.gz", "2\n", "valid.csv.gz: the split has node 2 twice"},
        {"split/time/valid.csv.gz", "3\n", "line 1: expected one integer from 0 to 2"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        small_ogb("arxiv");
        small_ogb_file("arxiv", rows[r][0], rows[r][1]);
        LOAD_FAILS("arxiv", rows[r][2]);
    }
    small_ogb("arxiv");
    mkdir(small_path("arxiv/split/random"), 0777);
    LOAD_FAILS("arxiv", "split/ holds 2 files: expected one folder");
    rmdir(small_path("arxiv/split/random"));
    small_write("arxiv/raw/edge.csv.gz", "\x1f\x8b\10", 3);
    LOAD_FAILS("arxiv", "edge.csv.gz: a gzip file");
}

/* Amazon and Coauthor: CitationFull's arrays beside names, which are Python objects. */
static void shchur(void)
{
    static const float ones[] = {1, 1, 1};
    static const int32_t index[] = {1, 2, 1}, start[] = {0, 1, 3, 3};
    static const int64_t size[] = {3, 3}, label[] = {0, 2, 1};
    static const char objects[] =
        "\x93NUMPY\1\0\x36\0{'descr': '|O', 'fortran_order': False, 'shape': (3,), }\ncpickled";
    static const char *const others[] = {"node_names.npy", "attr_names.npy", "class_names.npy",
                                         "metadata.npy"};
    struct small_arrays arrays = {0};
    struct store *store = NULL;
    for (int matrix = 0; matrix < 2; matrix++) {
        small_add(&arrays, matrix ? "attr_data" : "adj_data", ARRAY_F32, ones, 3, -1);
        small_add(&arrays, matrix ? "attr_indices" : "adj_indices", ARRAY_I32, index, 3, -1);
        small_add(&arrays, matrix ? "attr_indptr" : "adj_indptr", ARRAY_I32, start, 4, -1);
        small_add(&arrays, matrix ? "attr_shape" : "adj_shape", ARRAY_I64, size, 2, -1);
    }
    small_add(&arrays, "labels", ARRAY_I64, label, 3, -1);
    CHECK_OK(store_create(&store, small_path("amazon_electronics_photo.npz")));
    for (int i = 0; i < arrays.count; i++)
        CHECK_OK(store_array(store, arrays.entries[i].name, &arrays.arrays[i]));
    for (int i = 0; i < 4; i++) {
        CHECK_OK(store_begin(store, others[i]));
        CHECK_OK(store_write(store, objects, sizeof objects - 1));
        CHECK_OK(store_end(store));
    }
    CHECK_OK(store_commit(store));
    store_free(store);
    graco_dataset *data = load("amazon_electronics_photo.npz", NULL);
    CHECK(data->graph->nodes == 3 && data->classes == 3 && !data->class_names && !data->node_ids);
    CHECK(data->features.cols == 3 && data->graph->edges == 4);
    graco_dataset_free(data);
}

int main(void)
{
    small_begin();
    graphsaint();
    ogb();
    shchur();
    CHECK(!nothing);
    small_remove(small_root);
    return check_result();
}
