/* Graphs and features as sparse matrices: scipy's save_npz in its three formats and MatrixMarket give the
 * same data set as an edge list with tables; what is wrong with one is said in one line. */
#include "base/memory.h"
#include "data/dataset.h"
#include "data/small_files.h"
#include "io/npy.h"
#include "data/store.h"

static char features[256], labels[256];

#define LOAD_FAILS(name, options, part)                                                            \
    do {                                                                                           \
        graco_dataset *none = NULL;                                                                \
        CHECK_FAILS(graco_dataset_load(&none, fixture_path(name), options), GRACO_ERROR_FORMAT,    \
                    part);                                                                         \
        CHECK(!none);                                                                              \
    } while (0)

static void put_scipy(const char *name, const char *format)
{
    struct small_arrays arrays = small_scipy(format, 4);
    small_npz(&arrays, name);
}

static void same_fingerprint(const char *name, const graco_load_options *options, const char *other,
                             const graco_load_options *other_options)
{
    char found[2][GRACO_FINGERPRINT];
    for (int i = 0; i < 2; i++) {
        graco_dataset *data = NULL;
        CHECK_OK(
            graco_dataset_load(&data, fixture_path(i ? other : name), i ? other_options : options));
        CHECK_OK(graco_dataset_fingerprint(found[i], data));
        graco_dataset_free(data);
    }
    CHECK(strcmp(found[0], found[1]) == 0);
}

static void graphs(void)
{
    static const char *const formats[] = {"csr", "csc", "coo"};
    graco_dataset *data = NULL;
    fixture_text("edges.txt", "0 1 1\n2 1 2\n3 0 3\n");
    fixture_text("plain.txt", "0 1\n2 1\n3 0\n");
    fixture_text("x.csv", "0,5\n-6,0\n0,0\n7,8\n");
    fixture_text("y.csv", "0\n1\n1\n0\n");
    fixture_text("x.mtx", "%%MatrixMarket matrix coordinate real general\n4 2 4\n4 1 7\n"
                          "1 2 5\n2 1 -6\n4 2 8\n");
    snprintf(features, sizeof features, "%s", fixture_path("x.csv"));
    snprintf(labels, sizeof labels, "%s", fixture_path("y.csv"));
    const graco_load_options both = {.features_path = features, .labels_path = labels},
                             plain = {.unweighted = true}, undirected = {.undirected = true};
    for (int f = 0; f < 3; f++) {
        put_scipy("graph.npz", formats[f]);
        same_fingerprint("graph.npz", NULL, "edges.txt", NULL);
        same_fingerprint("graph.npz", &both, "edges.txt", &both);
        same_fingerprint("graph.npz", &plain, "plain.txt", NULL);
        same_fingerprint("graph.npz", &undirected, "edges.txt", &undirected);
    }
    CHECK_OK(graco_dataset_load(&data, fixture_path("graph.npz"), &both));
    CHECK(strstr(graco_dataset_note(data, 0), "3 edges; nodes have numbers; values are weights"));
    CHECK(strstr(graco_dataset_note(data, 1), "x.csv") && data->classes == 2);
    CHECK(data->graph->nodes == 4 && data->features.cols == 2 && data->graph->in.value);
    graco_dataset_free(data);
}

/* Reads the features in `file` and compares them with the numbers (4, cols). */
static void check_features(const char *file, const float *wanted, int64_t cols, const char *note)
{
    graco_dataset *data = NULL;
    graco_matrix X = {0};
    snprintf(features, sizeof features, "%s", fixture_path(file));
    const graco_load_options options = {.features_path = features};
    CHECK_OK(graco_dataset_load(&data, fixture_path("edges.txt"), &options));
    CHECK(data->features.rows == 4 && data->features.cols == cols);
    CHECK(strstr(graco_dataset_note(data, 1), note));
    CHECK_OK(features_densify(&X, &data->features));
    CHECK(memcmp(X.data, wanted, (size_t)(4 * cols) * sizeof *wanted) == 0);
    graco_matrix_clear(&X);
    graco_dataset_free(data);
}

static void feature_files(void)
{
    static const float table[] = {0, 5, -6, 0, 0, 0, 7, 8},
                       matrix[] = {0, 1, 0, 0, 0, 0, 0, 2, 0, 3, 0, 0},
                       ones[] = {0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0};
    struct small_arrays arrays = small_scipy("coo", 3);
    struct array dense;
    CHECK_OK(array_borrow(&dense, ARRAY_F32, table, 2, (const int64_t[]){4, 2}));
    CHECK_OK(npy_write(fixture_path("x.npy"), &dense));
    small_npz(&arrays, "x.npz");
    check_features("x.csv", table, 2, "2 features; no header");
    check_features("x.mtx", table, 2, "2 features; MatrixMarket");
    check_features("x.npy", table, 2, "2 features; an array");
    check_features("x.npz", matrix, 3, "3 features; a scipy matrix");
    arrays = small_scipy("csr", 3);
    small_npz(&arrays, "x.npz");
    check_features("x.npz", matrix, 3, "3 features; a scipy matrix");
    fixture_text("p.mtx",
                 "%%MatrixMarket matrix coordinate pattern general\n4 3 3\n1 2\n2 1\n3 3\n");
    check_features("p.mtx", ones, 3, "3 features");
}

static void label_files(void)
{
    static const int64_t classes[] = {2, 0, -1, 1};
    struct array array;
    graco_dataset *data = NULL;
    CHECK_OK(array_borrow(&array, ARRAY_I64, classes, 1, (const int64_t[]){4}));
    CHECK_OK(npy_write(fixture_path("y.npy"), &array));
    snprintf(labels, sizeof labels, "%s", fixture_path("y.npy"));
    CHECK_OK(graco_dataset_load(&data, fixture_path("graph.npz"),
                                &(graco_load_options){.labels_path = labels}));
    CHECK(data->classes == 3 && data->label[0] == 2 && data->label[2] == -1);
    graco_dataset_free(data);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

/* A member of Python objects, as numpy.savez writes a list of lists, in place of one of `arrays`. */
static void put_objects(const char *name, struct small_arrays *arrays, const char *objects)
{
    static const char file[] =
        "\x93NUMPY\1\0\x36\0{'descr': '|O', 'fortran_order': False, 'shape': "
        "(), }\n";
    struct store *store = NULL;
    CHECK_OK(store_create(&store, fixture_path(name)));
    for (int i = 0; i < arrays->count; i++) {
        if (strcmp(arrays->entries[i].name, objects) != 0) {
            CHECK_OK(store_array(store, arrays->entries[i].name, &arrays->arrays[i]));
            continue;
        }
        char member[64];
        snprintf(member, sizeof member, "%s.npy", objects);
        CHECK_OK(store_begin(store, member));
        char whole[sizeof file];
        size_t length = sizeof file - 1;
        memcpy(whole, file, sizeof file);
        whole[8] = (char)(length - 10);
        CHECK_OK(store_write(store, whole, (int64_t)length));
        CHECK_OK(store_end(store));
    }
    CHECK_OK(store_commit(store));
    store_free(store);
}

/* Every array of every archive that is needed, one by one. */
static void objects(void)
{
    static const char *const formats[] = {"csr", "csc", "coo"};
    for (int f = 0; f < 3; f++) {
        struct small_arrays arrays = small_scipy(formats[f], 4);
        for (int i = 0; i < arrays.count; i++) {
            char part[64];
            put_objects("objects.npz", &arrays, arrays.entries[i].name);
            snprintf(part, sizeof part, "%s holds Python objects", arrays.entries[i].name);
            LOAD_FAILS("objects.npz", NULL, part);
            CHECK(strstr(graco_message(), "a.astype("));
        }
    }
    static const float x[10] = {0};
    struct small_arrays arrays = small_native();
    small_add(&arrays, "x", ARRAY_F32, x, 5, 2);
    small_add(&arrays, "y", ARRAY_F32, x, 5, -1);
    small_add(&arrays, "split", ARRAY_F32, x, 5, -1);
    small_add(&arrays, "node_ids", ARRAY_F32, x, 5, -1);
    for (int i = 0; i < arrays.count; i++) {
        put_objects("objects.npz", &arrays, arrays.entries[i].name);
        LOAD_FAILS("objects.npz", NULL, "holds Python objects");
        CHECK(strstr(graco_message(), arrays.entries[i].name));
    }
    static const char *const needed[] = {"adj_data",    "adj_indices", "adj_indptr",
                                         "adj_shape",   "attr_data",   "attr_indices",
                                         "attr_indptr", "attr_shape",  "labels"};
    static const int32_t zeros[4] = {0};
    static const int64_t size[2] = {3, 3};
    for (int o = 0; o < 9; o++) {
        arrays = (struct small_arrays){0};
        for (int i = 0; i < 9; i++)
            small_add(&arrays, needed[i], strstr(needed[i], "shape") ? ARRAY_I64 : ARRAY_I32,
                      strstr(needed[i], "shape") ? (const void *)size : zeros,
                      strstr(needed[i], "shape")    ? 2
                      : strstr(needed[i], "indptr") ? 4
                      : i == 8                      ? 3
                                                    : 0,
                      -1);
        put_objects("objects.npz", &arrays, needed[o]);
        LOAD_FAILS("objects.npz", NULL, "holds Python objects");
        CHECK(strstr(graco_message(), needed[o]));
    }
}

/* Strings among arrays: what is advised is what is read. */
static void strings(void)
{
    static const int32_t ids[] = {30, -7, 0, 5, 2000000000}, up[] = {0, 1, 2, 3, 4};
    static const float reals[] = {0, 1, 2, 3, 4};
    static char *const words[] = {(char *)"u", (char *)"v", (char *)"u", (char *)"", (char *)"v"};
    struct small_arrays arrays = small_native();
    graco_dataset *data = NULL;
    small_add(&arrays, "node_ids", ARRAY_I32, ids, 5, -1);
    small_npz(&arrays, "ids.npz");
    CHECK_OK(graco_dataset_load(&data, fixture_path("ids.npz"), NULL));
    CHECK(strcmp(data->node_ids[0], "30") == 0 && strcmp(data->node_ids[1], "-7") == 0 &&
          strcmp(data->node_ids[4], "2000000000") == 0);
    graco_dataset_free(data);
    arrays = small_native();
    small_add(&arrays, "node_ids", ARRAY_I32, up, 5, -1); /* nodes that are only counted */
    small_npz(&arrays, "ids.npz");
    CHECK_OK(graco_dataset_load(&data, fixture_path("ids.npz"), NULL));
    CHECK(!data->node_ids && data->graph->nodes == 5);
    graco_dataset_free(data);
    arrays = small_native();
    small_add(&arrays, "node_ids", ARRAY_F32, reals, 5, -1);
    small_npz(&arrays, "ids.npz");
    LOAD_FAILS("ids.npz", NULL, "node_ids: an array holds float32 items where strings or integers");

    arrays = small_native();
    small_add(&arrays, "y", ARRAY_I32, up, 5, -1);
    CHECK_OK(array_from_strings(&arrays.arrays[arrays.count - 1], words, 5));
    small_npz(&arrays, "y.npz");
    array_clear(&arrays.arrays[arrays.count - 1]);
    LOAD_FAILS("y.npz", NULL, "y holds strings: expected classes as integers");
    put_objects("y.npz", &arrays, "y");
    LOAD_FAILS("y.npz", NULL, "a.astype(int) makes it, names of classes in class_names");
    CHECK(!strstr(graco_message(), "astype(str)"));
}

/* A name that is not UTF-8 has no place in an array of names; the message says in which file. */
static void foreign_names(void)
{
    graco_dataset *data = NULL;
    fixture_text("latin.csv", "b,\xe9\n");
    CHECK_OK(graco_dataset_load(&data, fixture_path("latin.csv"), NULL));
    CHECK_FAILS(graco_dataset_save(data, fixture_path("latin.npz")), GRACO_ERROR_FORMAT,
                "latin.npz: node_ids: name 1 is not UTF-8");
    CHECK_FAILS(graco_dataset_save(data, fixture_path("latin")), GRACO_ERROR_FORMAT,
                "latin: node_ids: name 1 is not UTF-8");
    graco_dataset_free(data);
}

static void put_coo(const char *name, int64_t rows, int64_t cols, int32_t row, int32_t col)
{
    const int64_t size[2] = {rows, cols};
    const float one = 1;
    struct small_arrays arrays = {0};
    small_add(&arrays, "row", ARRAY_I32, &row, 1, -1);
    small_add(&arrays, "col", ARRAY_I32, &col, 1, -1);
    small_add(&arrays, "shape", ARRAY_I64, size, 2, -1);
    small_add(&arrays, "data", ARRAY_F32, &one, 1, -1);
    arrays.arrays[4] = (struct array){.type = ARRAY_BYTES, .count = 1, .size = 3, .data = "coo"};
    arrays.entries[4].name = "format";
    arrays.count = 5;
    small_npz(&arrays, name);
}

static void refusals(void)
{
    snprintf(features, sizeof features, "%s", fixture_path("x.npz"));
    const graco_load_options options = {.features_path = features};
    static const double zero[] = {1, 0, 3};
    put_scipy("graph.npz", "dia");
    LOAD_FAILS("graph.npz", NULL, "of the format 'dia': expected csr, csc or coo; A.tocsr()");
    struct small_arrays arrays = small_scipy("csr", 5);
    small_npz(&arrays, "graph.npz");
    LOAD_FAILS("graph.npz", NULL, "the matrix is 4 x 5: expected a square");
    arrays = small_scipy("coo", 4);
    arrays.arrays[3].data = zero;
    small_npz(&arrays, "graph.npz");
    LOAD_FAILS("graph.npz", NULL, "has the weight 0");
    put_coo("graph.npz", 70000, 70000, 0, 1);
    LOAD_FAILS("graph.npz", NULL, "70000 rows with 1 entries: expected at most 65536");
    put_coo("graph.npz", 3, 3, 0, 3);
    LOAD_FAILS("graph.npz", NULL, "entry 0 lies in row 0, column 3: the matrix is 3 x 3");
    put_coo("graph.npz", 3, 3, -1, 2);
    LOAD_FAILS("graph.npz", NULL, "row -1");
    put_coo("graph.npz", 3, INT64_C(1) << 40, 0, 0);
    LOAD_FAILS("graph.npz", NULL, "a matrix of 3 x 1099511627776");

    put_coo("x.npz", 70000, 2, 0, 1);
    LOAD_FAILS("edges.txt", &options, "70000 rows with 1 entries");
    put_coo("x.npz", 2, 2, 0, 1);
    LOAD_FAILS("edges.txt", &options, "x.npz has no row for 2 of 4 nodes: 2, 3");
    put_coo("x.npz", 2, 2, 2, 1);
    LOAD_FAILS("edges.txt", &options, "entry 0 lies in row 2");
    fixture_text("named.txt", "ann bob\nbob cid\n");
    LOAD_FAILS("named.txt", &options, "has no column of ids");
    fixture_text("x.npz", "%%MatrixMarket matrix coordinate real symmetric\n4 2 1\n1 1 1\n");
    LOAD_FAILS("edges.txt", &options, "line 2: no size of a matrix");
    fixture_text("x.npz", "%%MatrixMarket matrix coordinate real general\n4 2 1\n1 3 1\n");
    LOAD_FAILS("edges.txt", &options,
               "line 3: no entry: expected a row from 1 to 4, a column from "
               "1 to 2 and a finite number");
    fixture_text("x.npz", "%%MatrixMarket matrix coordinate real general\n4 2 2\n1 1 1\n1 1 2\n");
    LOAD_FAILS("edges.txt", &options, "row 0");
    fixture_text("x.npz", "%%MatrixMarket matrix array real general\n1 1\n1\n");
    LOAD_FAILS("edges.txt", &options, "a MatrixMarket file of another kind");
    fixture_text("x.npz", "PK\3\4 but no more than this is in it");
    LOAD_FAILS("edges.txt", &options, "x.npz");
}

/* Rows by name in any order; what is missing is counted and named. */
static void missing_rows(void)
{
    snprintf(features, sizeof features, "%s", fixture_path("named.csv"));
    const graco_load_options options = {.features_path = features};
    fixture_text("many.txt", "a b\nc d\ne f\ng h\na b\n");
    fixture_text("named.csv", "node,x\nh,1\nb,2\n");
    LOAD_FAILS("many.txt", &options,
               "named.csv has no row for 6 of 8 nodes: 'a', 'c', 'd', 'e', 'f', ...");
    fixture_text("named.csv", "node,x\nh,1\nb,2\na,3\nd,4\nc,5\ne,6\nf,7\n");
    LOAD_FAILS("many.txt", &options, "named.csv has no row for node 'g'");

    graco_dataset *data = NULL;
    fixture_text("named.csv", "node,class\nh,1\nb,2\na,-1\n");
    const graco_load_options some = {.labels_path = features};
    CHECK_OK(graco_dataset_load(&data, fixture_path("many.txt"), &some));
    CHECK(strstr(graco_dataset_note(data, 1), "header; 6 of 8 nodes have no label"));
    graco_dataset_free(data);
}

int main(void)
{
    graphs();
    feature_files();
    label_files();
    objects();
    strings();
    foreign_names();
    refusals();
    missing_rows();
    return check_result();
}
