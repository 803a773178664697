/* Layouts of benchmarks, on small files of that form: GraphSAINT's, in which Flickr is published, the Open
 * Graph Benchmark's, Wiki-CS, Facebook's pages, and the archives of Amazon and Coauthor. */
#include "base/memory.h"
#include "data/dataset.h"
#include "data/small_files.h"
#include "data/store.h"

#include <zip.h>

#define LOAD_FAILS(name, part)                                                                     \
    CHECK_FAILS(graco_dataset_load(&nothing, fixture_path(name), NULL), GRACO_ERROR_FORMAT, part)

static graco_dataset *nothing;

static graco_dataset *load(const char *name, const graco_load_options *options)
{
    graco_dataset *data = NULL;
    CHECK_OK(graco_dataset_load(&data, fixture_path(name), options));
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

    fixture_text("flickr/class_map.json", "{\"0\": 2}");
    LOAD_FAILS("flickr", "class_map.json: 1 entries: expected an object with 4");
    fixture_text("flickr/class_map.json", "[1, 2, 3, 4]");
    LOAD_FAILS("flickr", "class_map.json: 4 entries: expected an object");
    fixture_text("flickr/class_map.json", "{\"0\": 1, \"00\": 2, \"1\": 0, \"2\": 0}");
    LOAD_FAILS("flickr", "an entry for \"00\": expected 0 to 3");
    fixture_text("flickr/class_map.json", "{\"0\": 1, \"4\": 2, \"1\": 0, \"2\": 0}");
    LOAD_FAILS("flickr", "an entry for \"4\"");
    fixture_text("flickr/class_map.json", "{\"0\": 1, \"1\": \"a\", \"2\": 0, \"3\": 0}");
    LOAD_FAILS("flickr", "node 1 has no class");
    fixture_text("flickr/class_map.json", "{\"0\": [1], \"1\": [2], \"2\": [0], \"3\": [0]}");
    LOAD_FAILS("flickr", "the classes of node 1 are no list");
    fixture_text("flickr/class_map.json", "{\"0\": [], \"1\": [], \"2\": [], \"3\": []}");
    LOAD_FAILS("flickr", "0 classes");
    fixture_text("flickr/class_map.json", classes);
    fixture_text("flickr/role.json", "{\"tr\": [0], \"va\": [0], \"te\": []}");
    LOAD_FAILS("flickr", "role.json: the split has node 0 twice");
    fixture_text("flickr/role.json", "{\"tr\": [0], \"va\": [4], \"te\": []}");
    LOAD_FAILS("flickr", "role.json: the split has node 4: expected 0 to 3");
    fixture_text("flickr/role.json", "{\"tr\": [0], \"va\": [\"a\"], \"te\": []}");
    LOAD_FAILS("flickr", "role.json: the split has node -1");
    fixture_text("flickr/role.json", "{\"tr\": [0], \"te\": []}");
    LOAD_FAILS("flickr", "role.json");
    struct small_arrays arrays = small_scipy("csr", 5);
    small_npz(&arrays, "flickr/adj_full.npz");
    LOAD_FAILS("flickr", "adj_full.npz: the matrix is 4 x 5");
    unlink(fixture_path("flickr/adj_full.npz"));
    LOAD_FAILS("flickr", "has no adj_full.npz");
}

static void ogb(void)
{
    small_ogb("arxiv");
    graco_dataset *data = load("arxiv", NULL);
    CHECK(data->graph->nodes == 3 && data->graph->edges == 2 && data->features.cols == 2);
    CHECK(data->features.dense[1] == -1 && data->features.dense[5] == 4);
    CHECK(data->classes == 3 && data->numbers == 5 && graco_dataset_label(data, 2) == 2 &&
          !data->inductive);
    CHECK(data->split[0] == 1 && data->split[1] == 2 && data->split[2] == 0);
    graco_dataset_free(data);
    data = load("arxiv", &(graco_load_options){.undirected = true});
    CHECK(data->graph->edges == 4);
    graco_dataset_free(data);
    unlink(fixture_path("arxiv/raw/node-feat.csv.gz"));
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
    small_ogb_file("arxiv", "raw/num-edge-list.csv.gz", "3\n");
    LOAD_FAILS("arxiv", "raw/edge.csv.gz has 2 edges: expected 3");
    unlink(fixture_path("arxiv/raw/num-edge-list.csv.gz"));
    mkdir(fixture_path("arxiv/split/random"), 0777);
    fixture_text("arxiv/split/.DS_Store", "");
    data = load("arxiv", NULL); /* what has no train.csv.gz is no split */
    graco_dataset_free(data);
    small_ogb_file("arxiv", "split/random/train.csv.gz", "2\n");
    LOAD_FAILS("arxiv", "split/ has 2 folders with train.csv.gz: expected one");
    unlink(fixture_path("arxiv/split/random/train.csv.gz"));
    rmdir(fixture_path("arxiv/split/random"));
    fixture_write("arxiv/raw/edge.csv.gz", "\x1f\x8b\10", 3);
    LOAD_FAILS("arxiv", "edge.csv.gz: a gzip file");
}

static void same_packed(const char *folder)
{
    static const char *const within[] = {"", "published/"};
    char fingerprint[2][GRACO_FINGERPRINT];
    graco_dataset *data = load(folder, NULL);
    CHECK_OK(graco_dataset_fingerprint(fingerprint[0], data));
    graco_dataset_free(data);
    for (int i = 0; i < 2; i++) {
        small_zip("packed.zip", folder, within[i]);
        data = load("packed.zip", NULL);
        CHECK_OK(graco_dataset_fingerprint(fingerprint[1], data));
        CHECK(strcmp(fingerprint[0], fingerprint[1]) == 0);
        graco_dataset_free(data);
    }
}

/* Archives as publishers pack them: all in one folder. */
static void packed(void)
{
    struct store *store = NULL;
    small_ogb("arxiv");
    same_packed("arxiv");
    small_graphsaint("flickr", classes);
    same_packed("flickr");
    small_musae("pages");
    same_packed("pages");
    mkdir(fixture_path("wiki"), 0777);
    fixture_text("wiki/data.json", small_wikics);
    same_packed("wiki");
    CHECK_OK(store_create(&store, fixture_path("packed.zip")));
    small_pack(store, "pages", "a/");
    small_pack(store, "pages", "b/");
    CHECK_OK(store_commit(store));
    store_free(store);
    LOAD_FAILS("packed.zip", "no data set in this archive");
}

/* gzip within a zip could expand a million times: it may no more than one packing can. */
static void packed_twice(void)
{
    enum { SIZE = 32 << 20 };
    char *zeros = malloc(SIZE);
    uint8_t *bytes = NULL;
    int64_t length = 0;
    int error = 0;
    memset(zeros, '0', SIZE);
    small_gzip("zeros.gz", zeros, SIZE, 9);
    CHECK_OK(file_read(&bytes, &length, fixture_path("zeros.gz"), 1 << 20));
    zip_t *zip = zip_open(fixture_path("twice.zip"), ZIP_CREATE | ZIP_TRUNCATE, &error);
    zip_source_t *edges = zip_source_buffer(zip, bytes, (zip_uint64_t)length, 0);
    zip_source_t *nodes = zip_source_buffer(zip, "1\n", 2, 0);
    zip_source_t *labels = zip_source_buffer(zip, "0\n", 2, 0);
    CHECK(zip_file_add(zip, "a/raw/edge.csv.gz", edges, 0) >= 0 &&
          zip_file_add(zip, "a/raw/num-node-list.csv.gz", nodes, 0) >= 0 &&
          zip_file_add(zip, "a/raw/node-label.csv.gz", labels, 0) >= 0 && zip_close(zip) == 0);
    LOAD_FAILS("twice.zip", "raw/edge.csv.gz: a gzip file unpacks to more than");
    memory_free(bytes);
    free(zeros);
}

static void wikics(void)
{
    static const char *const rows[][3] = {
        {"\"features\": [[0.5, 1]", "\"features\": [[0.5]", "node 1 has 2 features: expected 1"},
        {"[0.5, 1]", "[0.5, \"a\"]", "feature 1 of node 0 is no number"},
        {"[0.5, 1]", "[0.5, 1e300]", "feature 1 of node 0 is inf"},
        {"[[0.5, 1], ", "[[], ", "features of node 0: expected a list"},
        {"[2, 0, 1, 0]", "[2, 0, 1]", "labels has 3 items: expected 4"},
        {"[2, 0, 1, 0]", "[2, 0, 1.5, 0]", "node 2 has no class"},
        {"[2, 0, 1, 0]", "[2, 0, -2, 0]", "node 2 has no class"},
        {"[[1, 2], []", "[[1, 4], []", "link 1 of node 0: expected a node from 0 to 3"},
        {"[[1, 2], []", "[[1, -1], []", "link 1 of node 0: expected a node"},
        {"[[1, 2], []", "[[1, 2], 5", "the links of node 1 are no list"},
        {"\"links\": [[1, 2], ", "\"links\": [", "links has 3 items: expected 4"},
        {"[false, false, false, true]}", "[true, false, false, true]}",
         "test_mask: the split has node 0 twice"},
        {"[false, false, false, true]}", "[false, 1, false, true]}",
         "test_mask of node 1: expected true or false"},
        {"[false, false, false, true]}", "[false]}", "test_mask has 1 items: expected 4"},
        {"\"test_mask\"", "\"test\"", "test_mask"},
        {"\"labels\"", "\"features\"", "duplicate key"},
    };
    fixture_text("data.json", small_wikics);
    graco_dataset *data = load("data.json", NULL);
    CHECK(data->graph->nodes == 4 && data->graph->edges == 4 && data->self_loops == 1);
    CHECK(data->features.cols == 2 && data->features.dense[4] == 0.4f && data->classes == 3);
    CHECK(data->split[0] == 0 && data->split[1] == 3 && data->split[2] == 1 && data->split[3] == 2);
    CHECK(!data->inductive && data->label[0] == 2);
    graco_dataset_free(data);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char text[1024];
        const char *at = strstr(small_wikics, rows[r][0]);
        CHECK(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - small_wikics), small_wikics, rows[r][1],
                 at + strlen(rows[r][0]));
        fixture_text("data.json", text);
        LOAD_FAILS("data.json", rows[r][2]);
    }
    fixture_text("data.json", "{\"features\": 3}");
    LOAD_FAILS("data.json", "features");
    fixture_text("data.json", "{\"features\": []}");
    LOAD_FAILS("data.json", "features of node 0");
}

static void musae(void)
{
    static const char *const rows[][3] = {
        {"features.json", "[1]", "musae_f_features.json: expected an object"},
        {"features.json", "{}", "expected an object with an entry for each node"},
        {"features.json", "{\"0\": [1], \"1\": 2, \"2\": []}", "node 1: expected a list"},
        {"features.json", "{\"0\": [1], \"1\": [-1], \"2\": []}", "item 0 of node 1"},
        {"features.json", "{\"0\": [1], \"1\": [0.5], \"2\": []}", "item 0 of node 1"},
        {"features.json", "{\"0\": [1], \"01\": [], \"2\": []}", "an entry for \"01\""},
        {"features.json", "{\"0\": [1], \"3\": [], \"2\": []}", "an entry for \"3\""},
        {"features.json", "{\"0\": [1], \"1\": [2]}", "expected two node numbers below 2"},
        {"edges.csv", "id_1,id_2\n0,3\n", "expected two node numbers below 3"},
        {"edges.csv", "id_1,id_2\n0,-1\n", "expected two node numbers below 3"},
        {"edges.csv", "id_1,id_2\n0,x\n", "expected two node numbers below 3"},
        {"edges.csv", "", "musae_f_edges.csv"},
        {"target.csv", "id,name\n0,a\n", "expected a header with id and one of page_type"},
        {"target.csv", "page_type\na\n", "expected a header"},
        {"target.csv", "", "expected a header"},
        {"target.csv", "id,target\n0,a\n0,b\n", "line 3: expected a node from 0 to 2 that no line"},
        {"target.csv", "id,target\n-1,a\n", "line 2: expected a node from 0 to 2"},
        {"target.csv", "id,target\n3,a\n", "line 2: expected a node from 0 to 2"},
        {"target.csv", "id,target\n1\n", "line 2: 1 fields: expected 2"},
        {"target.csv", "id,target\n1,\"a\n", "line 2"},
    };
    char name[64];
    small_musae("pages");
    graco_dataset *data = load("pages", NULL);
    CHECK(data->graph->nodes == 3 && data->graph->edges == 4 && data->features.cols == 5);
    CHECK(data->features.sparse.start[1] == 2 && data->features.sparse.index[1] == 4);
    CHECK(data->features.sparse.start[3] == 3 && data->features.sparse.value[2] == 1);
    CHECK(data->classes == 2 && data->label[0] == 0 && data->label[2] == 1 && !data->split);
    CHECK(strcmp(data->class_names[1], "tvshow") == 0);
    graco_dataset_free(data);
    /* Twitch: new_id is the node; a node without a line has no label. */
    fixture_text("pages/musae_f_target.csv", "id,mature,new_id\n73045350,True,1\n618,False,0\n");
    data = load("pages", NULL);
    CHECK(data->label[1] == 1 && data->label[0] == 0 && data->label[2] == -1);
    graco_dataset_free(data);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        small_musae("pages");
        snprintf(name, sizeof name, "pages/musae_f_%s", rows[r][0]);
        fixture_text(name, rows[r][1]);
        LOAD_FAILS("pages", rows[r][2]);
    }
    unlink(fixture_path("pages/musae_f_target.csv"));
    LOAD_FAILS("pages", "has no musae_f_target.csv");
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
    CHECK_OK(store_create(&store, fixture_path("amazon_electronics_photo.npz")));
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
    graphsaint();
    ogb();
    packed();
    packed_twice();
    wikics();
    musae();
    shchur();
    CHECK(!nothing);
    return check_result();
}
