#include "data/readers.h"

#include "base/memory.h"
#include "data/small_files.h"

static graco_dataset *load(const char *name, const graco_load_options *options)
{
    graco_dataset *data = NULL;
    CHECK_OK(graco_dataset_load(&data, fixture_path(name), options));
    return data;
}

#define LOAD_FAILS(name, options, code, text)                                                      \
    do {                                                                                           \
        graco_dataset *data_ = NULL;                                                               \
        CHECK_FAILS(graco_dataset_load(&data_, fixture_path(name), options), code, text);          \
        CHECK(data_ == NULL);                                                                      \
    } while (0)

static bool has_edge(const graco_dataset *data, int32_t source, int32_t target)
{
    for (int64_t e = data->graph->in.start[target]; e < data->graph->in.start[target + 1]; e++) {
        if (data->graph->in.index[e] == source)
            return true;
    }
    return false;
}

static void citation(void)
{
    small_citation("paper.npz", (int32_t[]){1, 2, 1}, 3);
    graco_dataset *data = load("paper.npz", NULL);
    CHECK(strcmp(data->name, "paper") == 0 && data->graph->nodes == 3 && data->graph->edges == 4);
    CHECK(data->self_loops == 1 && has_edge(data, 0, 1) && has_edge(data, 2, 1));
    CHECK(data->features.cols == 2 && data->features.sparse.index[0] == 0 &&
          data->features.sparse.index[1] == 1);
    CHECK(data->classes == 3 && data->label[1] == 2);
    graco_dataset_free(data);
    small_citation("far.npz", (int32_t[]){1, 3, 1}, 3);
    LOAD_FAILS("far.npz", NULL, GRACO_ERROR_FORMAT, "joins nodes 1 and 3");
    small_citation("long.npz", (int32_t[]){1, 2, 1}, 4);
    LOAD_FAILS("long.npz", NULL, GRACO_ERROR_FORMAT, "labels has 4 rows: expected 3");
    LOAD_FAILS("long.npz", (&(graco_load_options){.features_path = "x.csv"}), GRACO_ERROR_ARGUMENT,
               "x.csv");
}

static const int32_t labels[] = {0, 1, 2, -1, 0};
static const uint8_t split[] = {0, 1, 2, 3, 0}, mask[] = {1, 1, 1, 0, 1},
                     several[] = {0, 1, 1, 1, 0, 0, 0, 1, 1, 0};
static const float values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

static void native(void)
{
    struct small_arrays arrays = small_native();
    small_npz(&arrays, "bare.npz");
    graco_dataset *data = load("bare.npz", NULL);
    CHECK(data->graph->nodes == 5 && data->graph->edges == 2 && data->duplicates == 1);
    CHECK(data->features.cols == 0 && data->classes == 0 && !data->split);
    CHECK(has_edge(data, 0, 1) && !has_edge(data, 1, 0));
    graco_dataset_free(data);
    data = load("bare.npz", &(graco_load_options){.undirected = true});
    CHECK(data->graph->edges == 4 && has_edge(data, 1, 0) && data->duplicates == 1);
    graco_dataset_free(data);

    small_add(&arrays, "x", ARRAY_F32, values, 5, 2);
    small_add(&arrays, "y", ARRAY_I32, labels, 5, 1);
    small_add(&arrays, "split", ARRAY_U8, split, 5, -1);
    small_add(&arrays, "label_mask", ARRAY_BOOL, mask, 5, -1);
    small_npz(&arrays, "full.npz");
    data = load("full.npz", NULL);
    CHECK(data->features.dense[9] == 10 && data->classes == 3 && data->label[3] == -1);
    CHECK(data->split[2] == 2 && data->label_known[3] == 0);
    graco_dataset_free(data);

    /* Without num_nodes the largest id decides. */
    arrays = small_native();
    arrays.count = 1;
    small_npz(&arrays, "counted.npz");
    data = load("counted.npz", NULL);
    CHECK(data->graph->nodes == 3);
    graco_dataset_free(data);
}

/* Adds one wrong array to the small archive and says what must be refused. */
#define NATIVE_FAILS(name, type, items, rows, cols, text)                                          \
    do {                                                                                           \
        struct small_arrays arrays_ = small_native();                                              \
        small_add(&arrays_, name, type, items, rows, cols);                                        \
        small_npz(&arrays_, "wrong.npz");                                                          \
        LOAD_FAILS("wrong.npz", NULL, GRACO_ERROR_FORMAT, text);                                   \
        CHECK(strstr(graco_message(), "wrong.npz") != NULL);                                       \
    } while (0)

/* Two nodes of one name; and -1 nodes, which would match a split of one item and two names
 * alike. */
static void native_refuses_names(void)
{
    char a[] = "a", *const names[] = {a, a};
    struct small_arrays arrays = {0};
    const int64_t minus = -1;
    small_add(&arrays, "edge_index", ARRAY_I32, (int32_t[]){0, 1}, 2, 1);
    CHECK_OK(array_from_strings(&arrays.arrays[arrays.count], names, 2));
    arrays.entries[arrays.count] = (struct npz_entry){"node_ids", &arrays.arrays[arrays.count]};
    arrays.count++;
    small_npz(&arrays, "wrong.npz");
    LOAD_FAILS("wrong.npz", NULL, GRACO_ERROR_FORMAT, "nodes 0 and 1 are both called 'a'");
    small_add(&arrays, "split", ARRAY_U8, split, 1, -1);
    small_add(&arrays, "num_nodes", ARRAY_I64, &minus, -1, -1);
    small_npz(&arrays, "wrong.npz");
    LOAD_FAILS("wrong.npz", NULL, GRACO_ERROR_FORMAT, "a graph of -1 nodes: expected 1");
    array_clear(&arrays.arrays[1]);
}

static void native_refuses(void)
{
    NATIVE_FAILS("y", ARRAY_I32, labels, 4, -1, "y has 4 rows: expected 5");
    NATIVE_FAILS("y", ARRAY_U8, several, 3, 2, "y has 3 rows: expected 5");
    NATIVE_FAILS("y", ARRAY_I32, ((int32_t[]){0, -3, 0, 0, 0}), 5, -1, "node 1 has label -3");
    NATIVE_FAILS("x", ARRAY_F32, values, 4, 2, "features for 4 nodes: expected 5");
    NATIVE_FAILS("x", ARRAY_F32, values, 5, -1, "x has 1 dimensions: expected 2");
    NATIVE_FAILS("x", ARRAY_F32, ((float[]){1, 2, NAN, 3, 4}), 5, 1, "feature 0 of node 2 is");
    NATIVE_FAILS("x_data", ARRAY_F32, values, 3, -1, "the archive has no x_indices.npy");
    NATIVE_FAILS("split", ARRAY_U8, split, 3, -1, "split has 3 rows: expected 5");
    NATIVE_FAILS("split", ARRAY_I32, labels, 5, -1, "split");
    NATIVE_FAILS("graph_id", ARRAY_I32, ((int32_t[]){0, 0, 1, 1, 1}), 5, -1,
                 "joins graphs 0 and 1");
    NATIVE_FAILS("graph_id", ARRAY_I32, labels, 2, -1, "graph_id has 2 rows");
    NATIVE_FAILS("node_ids", ARRAY_I32, labels, 5, -1, "are both called '0'");
    NATIVE_FAILS("node_ids", ARRAY_F32, values, 5, -1, "node_ids: an array holds float32 items");
    NATIVE_FAILS("inductive", ARRAY_U8, split, 2, -1, "inductive has 2 items: expected 1");
    NATIVE_FAILS("inductive", ARRAY_I32, ((int32_t[]){2}), 1, -1,
                 "inductive is 2: expected 0 or 1");
    NATIVE_FAILS("inductive", ARRAY_U8, ((uint8_t[]){1}), 1, -1, "there is no array split");
    native_refuses_names();

    struct small_arrays arrays = {0};
    small_add(&arrays, "edge_index", ARRAY_I32, labels, 5, 1);
    small_npz(&arrays, "wrong.npz");
    LOAD_FAILS("wrong.npz", NULL, GRACO_ERROR_FORMAT, "5 rows: expected (2, edges)");
    arrays.count = 0;
    small_add(&arrays, "edge_index", ARRAY_F64, ((double[]){0, 0.5}), 2, 1);
    small_npz(&arrays, "wrong.npz");
    LOAD_FAILS("wrong.npz", NULL, GRACO_ERROR_FORMAT, "edge_index[1]");
    arrays.count = 0;
    small_add(&arrays, "edge_index", ARRAY_I32, labels, 2, 0);
    small_npz(&arrays, "wrong.npz");
    LOAD_FAILS("wrong.npz", NULL, GRACO_ERROR_FORMAT, "0 nodes: expected 1");
    arrays.count = 0;
    small_add(&arrays, "something", ARRAY_I32, labels, 5, -1);
    small_npz(&arrays, "wrong.npz");
    LOAD_FAILS("wrong.npz", NULL, GRACO_ERROR_FORMAT,
               "no data set in this archive: expected one of edge_index.npy (graco's own), "
               "adj_indptr.npy");
}

static void native_sparse_refuses(void)
{
    static const int64_t shape[] = {5, 4};
    static const struct {
        int32_t index[3];
        int64_t start[6];
        const char *text;
    } cases[] = {
        {{0, 4, 1}, {0, 2, 2, 3, 3, 3}, "index 4: expected 0 to 3"},
        {{3, 1, 1}, {0, 2, 2, 3, 3, 3}, "column index 1 after 3"},
        {{0, -1, 1}, {0, 2, 2, 3, 3, 3}, "index -1"},
        {{0, 1, 1}, {0, 2, 1, 3, 3, 3}, "row 1 ends at 1, before its start at 2"},
        {{0, 1, 1}, {0, 2, 2, 3, 3, 4}, "run from 0 to 4: expected 0 to 3"},
        {{0, 1, 1}, {0, INT64_MAX, 2, 3, 3, 3}, "before its start"},
    };
    struct small_arrays arrays;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        arrays = small_native();
        small_add(&arrays, "x_data", ARRAY_F32, values, 3, -1);
        small_add(&arrays, "x_indices", ARRAY_I32, cases[i].index, 3, -1);
        small_add(&arrays, "x_indptr", ARRAY_I64, cases[i].start, 6, -1);
        small_add(&arrays, "x_shape", ARRAY_I64, shape, 2, -1);
        small_npz(&arrays, "wrong.npz");
        LOAD_FAILS("wrong.npz", NULL, GRACO_ERROR_FORMAT, cases[i].text);
    }
    arrays.arrays[4].count = arrays.arrays[4].shape[0] = 5;
    small_npz(&arrays, "wrong.npz");
    LOAD_FAILS("wrong.npz", NULL, GRACO_ERROR_FORMAT, "row pointers has 5 rows: expected 6");
}

static bool same_dataset(const graco_dataset *a, const graco_dataset *b)
{
    int64_t nodes = a->graph->nodes, edges = a->graph->edges;
    const struct features *X = &a->features, *Y = &b->features;
    bool same = nodes == b->graph->nodes && edges == b->graph->edges && X->cols == Y->cols &&
                a->classes == b->classes && !a->label == !b->label && !a->multi == !b->multi &&
                !a->split == !b->split && !a->graph_id == !b->graph_id &&
                !a->label_known == !b->label_known && !a->node_ids == !b->node_ids &&
                !X->dense == !Y->dense && !X->sparse.start == !Y->sparse.start;
#define SAME(pointer, count)                                                                       \
    same = same && (!a->pointer ||                                                                 \
                    memcmp(a->pointer, b->pointer, (size_t)(count) * sizeof *a->pointer) == 0)
    SAME(graph->in.start, nodes + 1);
    SAME(graph->in.index, edges);
    same = same && !a->graph->in.value == !b->graph->in.value;
    SAME(graph->in.value, edges);
    SAME(features.dense, nodes * X->cols);
    SAME(features.sparse.start, nodes + 1);
    SAME(features.sparse.index, X->sparse.start[nodes]);
    SAME(features.sparse.value, X->sparse.start[nodes]);
    SAME(label, nodes);
    SAME(multi, nodes * a->classes);
    SAME(split, nodes);
    SAME(label_known, nodes);
    SAME(graph_id, nodes);
    same = same && a->inductive == b->inductive;
    for (int64_t i = 0; same && a->node_ids && i < nodes; i++)
        same = strcmp(a->node_ids[i], b->node_ids[i]) == 0;
    return same;
}

static void round_trip(const graco_dataset *data, const char *name)
{
    const char *forms[] = {"%s-saved.npz", "%s-saved"};
    for (int f = 0; f < 2; f++) {
        char file[64];
        snprintf(file, sizeof file, forms[f], name);
        CHECK_OK(graco_dataset_save(data, fixture_path(file)));
        graco_dataset *again = load(file, NULL);
        CHECK(same_dataset(data, again));
        graco_dataset_free(again);
        if (f == 1) /* a folder with content is not replaced */
            CHECK_FAILS(graco_dataset_save(data, fixture_path(file)), GRACO_ERROR_IO, "saved");
    }
    CHECK_FAILS(graco_dataset_save(data, ""), GRACO_ERROR_ARGUMENT, "empty");
    CHECK_FAILS(graco_dataset_save(data, fixture_path("none/of/these")), GRACO_ERROR_IO, "none/of");
    struct file_list list = {0};
    CHECK_OK(file_list_folder(&list, fixture_folder()));
    for (int64_t i = 0; i < list.count; i++)
        CHECK(strstr(list.names[i], ".tmp") == NULL);
    file_list_clear(&list);
}

/* Files without the array are as they always were; one that says so stays so. */
static void inductive_stays(void)
{
    graco_dataset *data = NULL;
    struct small_arrays arrays = small_native();
    small_add(&arrays, "split", ARRAY_U8, split, 5, -1);
    small_npz(&arrays, "split.npz");
    data = load("split.npz", NULL);
    CHECK(!data->inductive && !graco_dataset_describe(data).inductive);
    graco_dataset_free(data);
    small_add(&arrays, "inductive", ARRAY_BOOL, (uint8_t[]){1}, 1, -1);
    small_npz(&arrays, "inductive.npz");
    data = load("inductive.npz", NULL);
    CHECK(data->inductive && graco_dataset_describe(data).inductive);
    round_trip(data, "inductive");
    graco_dataset_free(data);
}

static void round_trips(void)
{
    graco_generate_options options = graco_generate_defaults();
    graco_dataset *data = NULL;
    options.nodes = 60;
    for (int form = 0; form < 3; form++) {
        static const char *const names[] = {"words", "bells", "nothing"};
        options.dense = form == 1;
        options.feature_count = form == 2 ? 0 : 20;
        CHECK_OK(graco_dataset_generate(&data, &options));
        round_trip(data, names[form]);
        graco_dataset_free(data);
    }
    static const int32_t graphs[] = {0, 0, 0, 1, 1};
    struct small_arrays arrays = small_native();
    small_add(&arrays, "y", ARRAY_U8, several, 5, 2);
    small_add(&arrays, "graph_id", ARRAY_I32, graphs, 5, -1);
    small_add(&arrays, "label_mask", ARRAY_BOOL, mask, 5, -1);
    small_npz(&arrays, "many.npz");
    data = load("many.npz", NULL);
    CHECK(data->classes == 2 && data->multi && data->graphs == 2);
    round_trip(data, "many");
    graco_dataset_free(data);
    data = load("named.txt", NULL);
    round_trip(data, "names");
    graco_dataset_free(data);
}

/* The weight of an edge; 0: there is none. */
static double weight(const graco_dataset *data, int32_t source, int32_t target)
{
    const struct csr *in = &data->graph->in;
    for (int64_t e = in->start[target]; e < in->start[target + 1]; e++)
        if (in->index[e] == source)
            return (double)in->value[e];
    return 0;
}

/* A table and graco's own format of the same weights are the same data set, also with reverses. */
static void weights(void)
{
    static const char *const texts[] = {"0 1 .5\n1 0 2\n1 2 3\n0 1 .25\n3 3 9\n",
                                        "from,to,weight\n0,1,.5\n1,0,2\n1,2,3\n0,1,.25\n3,3,9\n"};
    for (int i = 0; i < 4; i++) {
        graco_load_options options = {.undirected = i >= 2, .directed = i < 2};
        fixture_text("weights.csv", texts[i % 2]);
        graco_dataset *data = load("weights.csv", &options);
        CHECK(data->duplicates == 1 && data->self_loops == 1);
        CHECK(graco_dataset_describe(data).weighted &&
              strstr(graco_dataset_note(data, 0), "; weights"));
        CHECK(weight(data, 0, 1) == 0.75 && weight(data, 1, 0) == 2 && weight(data, 1, 2) == 3);
        CHECK(weight(data, 2, 1) == (options.undirected ? 3 : 0));
        round_trip(data, i == 0 ? "w0" : i == 1 ? "w1" : i == 2 ? "w2" : "w3");
        graco_dataset_free(data);
        options.unweighted = true;
        data = load("weights.csv", &options);
        CHECK(!data->graph->in.value && strstr(graco_dataset_note(data, 0), "left out"));
        graco_dataset_free(data);
        data = load("w0-saved.npz", &options);
        CHECK(!data->graph->in.value && !graco_dataset_describe(data).weighted);
        graco_dataset_free(data);
    }
}

/* Weights of 1 are the data set without weights, by its fingerprint too; others are another. */
static void weights_in_fingerprints(void)
{
    static const char *const texts[] = {"0 1\n1 2\n2 3\n", "0 1 1\n1 2 1.0\n2 3 1e0\n",
                                        "0 1 1\n1 2 1\n2 3 2\n", "0 1 1\n1 2 1\n2 3 3\n"};
    char found[4][GRACO_FINGERPRINT];
    for (int i = 0; i < 4; i++) {
        fixture_text("ones.txt", texts[i]);
        graco_dataset *data = load("ones.txt", NULL);
        CHECK_OK(graco_dataset_fingerprint(found[i], data));
        graco_dataset_free(data);
    }
    CHECK(strcmp(found[0], found[1]) == 0 && strcmp(found[1], found[2]) != 0);
    CHECK(strcmp(found[2], found[3]) != 0);
}

static void tables(void)
{
    char features[256], known[256];
    snprintf(features, sizeof features, "%s", fixture_path("features.csv"));
    snprintf(known, sizeof known, "%s", fixture_path("labels.csv"));
    graco_load_options options = {
        .features_path = features, .labels_path = known, .undirected = true};
    graco_dataset *data = load("named.txt", &options);
    CHECK(data->graph->nodes == 4 && data->graph->edges == 4 && data->duplicates == 1);
    CHECK(strcmp(data->node_ids[0], "ann") == 0 && strcmp(data->node_ids[3], "eve") == 0);
    CHECK(data->features.dense[0] == 3 && data->features.dense[7] == 8);
    CHECK(data->classes == 2 && data->label[0] == 0 && data->label[1] == -1 && data->label[2] == 1);
    graco_dataset_free(data);

    fixture_text("features.csv", "bob,1,2\nann,3,4\n");
    LOAD_FAILS("named.txt", &options, GRACO_ERROR_FORMAT, "has no row for node 'cid'");
    fixture_text("features.csv", "1,2\n3,4\n5,6\n");
    options.labels_path = NULL;
    fixture_text("numbers.txt", "0\t1\n1\t2\n");
    data = load("numbers.txt", &options);
    CHECK(data->graph->nodes == 3 && !data->node_ids && data->features.dense[4] == 5);
    graco_dataset_free(data);
    fixture_text("features.csv", "1,2\n3,4\n");
    LOAD_FAILS("numbers.txt", &options, GRACO_ERROR_FORMAT, "has no row for node 2");
    options.features_path = NULL;
    options.labels_path = known;
    fixture_text("labels.csv", "0,1\n2000000000,0\n");
    LOAD_FAILS("numbers.txt", &options, GRACO_ERROR_FORMAT, "a row for '2000000000'");
    fixture_text("labels.csv", "1,1\n3,0\n");
    data = load("numbers.txt", &options);
    CHECK(data->graph->nodes == 4 && data->label[0] == -1 && data->label[3] == 0);
    graco_dataset_free(data);
    fixture_text("labels.csv", "id,kind\n2,red\n0,\n1,blue\n");
    fixture_text("features.csv", "node_id,a,b\n2,5,6\n0,1,2\n1,3,4\n");
    options.features_path = features;
    data = load("numbers.txt", &options);
    CHECK(data->graph->nodes == 3 && data->features.cols == 2 && data->features.dense[0] == 1 &&
          data->features.dense[5] == 6);
    CHECK(data->classes == 2 && data->label[0] == -1 && data->label[1] == 0 && data->label[2] == 1);
    CHECK(data->class_names && strcmp(data->class_names[1], "red") == 0);
    CHECK(strstr(graco_dataset_note(data, 0), "numbers.txt: 2 edges; nodes have numbers"));
    CHECK(
        strstr(graco_dataset_note(data, 1), "column 1 `node_id` names nodes; 2 features; header"));
    CHECK(strstr(graco_dataset_note(data, 2), "2 classes, which have names; header"));
    CHECK(!graco_dataset_note(data, 3) && !graco_dataset_note(data, -1));
    graco_dataset_free(data);
    options.labels_path = fixture_path("absent.csv");
    LOAD_FAILS("numbers.txt", &options, GRACO_ERROR_IO, "absent.csv");
}

/* Every prefix of an archive is refused without harm. */
static void truncated(void)
{
    uint8_t *bytes = NULL;
    int64_t length = 0;
    CHECK_OK(file_read(&bytes, &length, fixture_path("full.npz"), 1 << 20));
    for (int64_t end = 4; end < length; end += 7) {
        graco_dataset *data = NULL;
        fixture_write("cut.npz", bytes, (size_t)end);
        CHECK(graco_dataset_load(&data, fixture_path("cut.npz"), NULL) != GRACO_OK);
        CHECK(data == NULL && strstr(graco_message(), "cut.npz"));
    }
    memory_free(bytes);
    fixture_write("blob.bin", "\0\1\2\3", 4);
    LOAD_FAILS("blob.bin", NULL, GRACO_ERROR_FORMAT, "neither an .npz archive nor a text file");
}

static void finding(void)
{
    graco_dataset *data = NULL;
    setenv("GRACO_DATA", fixture_folder(), 1);
    CHECK_OK(graco_dataset_load(&data, "full", NULL));
    CHECK(strcmp(data->name, "full") == 0);
    graco_dataset_free(data);
    data = NULL;
    CHECK_FAILS(graco_dataset_load(&data, "no-such-set", NULL), GRACO_ERROR_IO,
                fixture_path("no-such-set.npz"));
    CHECK_FAILS(graco_dataset_load(&data, "../full", NULL), GRACO_ERROR_IO, "no such file");
    CHECK_FAILS(graco_dataset_load(&data, "", NULL), GRACO_ERROR_ARGUMENT, "empty");
    unsetenv("GRACO_DATA");
    setenv("XDG_DATA_HOME", "/nowhere", 1);
    CHECK_FAILS(graco_dataset_load(&data, "full", NULL), GRACO_ERROR_IO, "/nowhere/graco/full.npz");
    unsetenv("XDG_DATA_HOME");
    setenv("HOME", "/nowhere", 1);
    CHECK_FAILS(graco_dataset_load(&data, "full", NULL), GRACO_ERROR_IO,
                "/nowhere/.local/share/graco/full");
    unsetenv("HOME");
    CHECK_FAILS(graco_dataset_load(&data, "full", NULL), GRACO_ERROR_IO, "is set");
    mkdir(fixture_path("empty"), 0777);
    LOAD_FAILS("empty", NULL, GRACO_ERROR_FORMAT, "no data set in this folder");
    mkdir(fixture_path("holder"), 0777);
    small_citation("holder/a.npz", (int32_t[]){1, 2, 1}, 3);
    data = load("holder", NULL);
    CHECK(strcmp(data->name, "holder") == 0);
    graco_dataset_free(data);
    small_citation("holder/b.npz", (int32_t[]){1, 2, 1}, 3);
    LOAD_FAILS("holder", NULL, GRACO_ERROR_FORMAT, "several archives");
}

int main(void)
{
    small_tables();
    citation();
    native();
    native_refuses();
    native_sparse_refuses();
    round_trips();
    weights();
    weights_in_fingerprints();
    inductive_stays();
    tables();
    truncated();
    finding();
    return check_result();
}
