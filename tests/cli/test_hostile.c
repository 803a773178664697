/* Hostile input, as the command meets it: every row runs graco in a process of its own, under
 * limits of memory and time, and expects exit code 1, one line on stderr that says what is wrong,
 * nothing on stdout and nothing in the folder for results; or code 0 where the input is odd but
 * sound. */
#include "cli/spawn.h"
#include "cli/hostile_archives.h"

static int refused, accepted;

/* ---- Files --------------------------------------------------------------------------------- */

static const float numbers[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
static const int32_t classes[5] = {0, 1, 0, 1, 0};

static void write_array(const char *name, enum array_type type, const void *items, int ndim,
                        int64_t rows, int64_t cols)
{
    struct array array;
    CHECK_OK(array_borrow(&array, type, items, ndim, (const int64_t[2]){rows, cols}));
    CHECK_OK(npy_write(fixture_path(name), &array));
}

/* A .npy file with any header; `items` may be fewer than it claims. */
static void write_header(const char *name, const char *header, const void *items, size_t length)
{
    uint8_t file[1024] = "\x93NUMPY\1";
    size_t size = strlen(header);
    file[8] = (uint8_t)size;
    file[9] = (uint8_t)(size >> 8);
    memcpy(file + 10, header, size);
    memcpy(file + 10 + size, items, length);
    fixture_write(name, file, 10 + size + length);
}

/* graco's own set, with one array replaced; rows and cols as in small_add. */
static void write_native(const char *name, const char *member, enum array_type type,
                         const void *items, int64_t rows, int64_t cols)
{
    static const int64_t edges[] = {0, 1, 1, 1, 2, 2};
    struct small_arrays arrays = {0};
    if (!member || strcmp(member, "edge_index") != 0)
        small_add(&arrays, "edge_index", ARRAY_I64, edges, 2, 3);
    if (!member || strcmp(member, "x") != 0)
        small_add(&arrays, "x", ARRAY_F32, numbers, 5, 2);
    if (!member || strcmp(member, "y") != 0)
        small_add(&arrays, "y", ARRAY_I32, classes, 5, -1);
    if (member)
        small_add(&arrays, member, type, items, rows, cols);
    small_npz(&arrays, name);
}

/* One stored member with any bytes. */
static void write_zip(const char *name, const char *member, const void *bytes, int64_t length)
{
    struct store *store = NULL;
    CHECK_OK(store_create(&store, fixture_path(name)));
    CHECK_OK(store_begin(store, member));
    CHECK_OK(store_write(store, bytes, length));
    CHECK_OK(store_end(store));
    CHECK_OK(store_commit(store));
    store_free(store);
}

static void write_repeated(const char *name, const char *first, const char *again, int64_t times)
{
    FILE *file = fopen(fixture_path(name), "wb");
    CHECK(file && fputs(first, file) >= 0);
    for (int64_t i = 0; file && i < times; i++)
        fputs(again, file);
    if (file)
        fclose(file);
}

static void write_archives(void)
{
    static const int64_t far[] = {0, 1, 1, 1, 2, 7}, negative[] = {0, 1, -1, 1, 2, 2},
                         many = 2000000000, ends[] = {0, 2147483646};
    static const float nan_x[10] = {1, (float)NAN}, infinite[10] = {(float)INFINITY},
                       halves[5] = {0, 0.5};
    static const int32_t large[5] = {0, 2147483646, 0, 1, 0}, wide_index[] = {0, 7, 299999};
    static const int32_t wide_start[21] = {0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3,
                                           3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
    static const int64_t wide_shape[] = {20, 300000};
    static const int64_t empty_edges[1];
    static float twenty[40] = {1, 2, 3, 5, 7, 11, 13, 17};
    struct small_arrays bare = {0}, one = {0};
    int32_t known[20];
    write_native("good.npz", NULL, ARRAY_U8, NULL, 0, 0);
    write_native("far.npz", "edge_index", ARRAY_I64, far, 2, 3);
    write_native("negative.npz", "edge_index", ARRAY_I64, negative, 2, 3);
    write_native("nan.npz", "x", ARRAY_F32, nan_x, 5, 2);
    write_native("infinite.npz", "x", ARRAY_F32, infinite, 5, 2);
    write_native("short.npz", "y", ARRAY_I32, classes, 4, -1);
    write_native("halves.npz", "y", ARRAY_F32, halves, 5, -1);
    write_native("large.npz", "y", ARRAY_I32, large, 5, -1);
    write_native("no_edges.npz", "edge_index", ARRAY_I64, empty_edges, 2, 0);
    write_native("three.npz", "edge_index", ARRAY_I64, far, 3, 2);
    small_add(&bare, "edge_index", ARRAY_I64, ends, 2, 1);
    small_npz(&bare, "claims_id.npz");
    small_add(&bare, "num_nodes", ARRAY_I64, &many, -1, -1);
    small_npz(&bare, "claims.npz");
    bare.count = 0;
    small_add(&bare, "edge_index", ARRAY_I64, empty_edges, 2, 0);
    small_npz(&bare, "empty.npz");
    small_add(&one, "edge_index", ARRAY_I64, empty_edges, 2, 0);
    small_add(&one, "x", ARRAY_F32, numbers, 1, 3);
    small_npz(&one, "one.npz");
    for (int i = 0; i < 20; i++)
        known[i] = i == 19 ? 2147483646 : i % 2;
    bare.count = 0;
    small_add(&bare, "edge_index", ARRAY_I64, ends, 2, 0);
    small_add(&bare, "y", ARRAY_I32, known, 20, -1);
    small_npz(&bare, "classes.npz");
    write_array("twenty.npy", ARRAY_F32, twenty, 2, 20, 2);
    known[19] = 1048575; /* the largest label that is read */
    known[18] = 10000;
    small_npz(&bare, "far_classes.npz");
    bare.count = 0;
    small_add(&bare, "edge_index", ARRAY_I64, far, 2, 3);
    small_add(&bare, "x_data", ARRAY_F32, numbers, 3, -1);
    small_add(&bare, "x_indices", ARRAY_I32, wide_index, 3, -1);
    small_add(&bare, "x_indptr", ARRAY_I32, wide_start, 21, -1);
    small_add(&bare, "x_shape", ARRAY_I64, wide_shape, 2, -1);
    small_add(&bare, "y", ARRAY_I32, known, 20, -1);
    small_npz(&bare, "columns.npz");
    small_citation("citation.npz", (int32_t[]){1, 2, 1}, 3);
    write_bomb("bomb.npz", "edge_index.npy", 512, false);
    write_bomb("flat.npz", "edge_index.npy", 64, true);
    write_bomb("bomb.zip", "train_graph.json", 64, false);
    write_zip("escape.zip", "../../edge_index.npy", "x", 1);
    write_zip("nested.zip", "reddit_data.npz", "PK\3\4 and nothing else behind it ...", 32);
    fixture_write("zip_head.npz", "PK\3\4", 4);
    fixture_write("object.npz", "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
}

static void write_folders(void)
{
    static const char header[] = "{'descr': '<i8', 'fortran_order': False, 'shape': (2, %s), }\n";
    char text[128];
    const int64_t edge[2] = {0, 1};
    mkdir(fixture_path("rows"), 0777);
    snprintf(text, sizeof text, header, "1152921504606846976");
    write_header("rows/edge_index.npy", text, edge, sizeof edge);
    mkdir(fixture_path("wide"), 0777);
    write_array("wide/edge_index.npy", ARRAY_I64, edge, 2, 2, 1);
    write_header("wide/x.npy",
                 "{'descr': '<f4', 'fortran_order': False, 'shape': (2000000000, 0), }\n", "", 0);
    mkdir(fixture_path("pickled"), 0777);
    write_header("pickled/edge_index.npy",
                 "{'descr': '|O', 'fortran_order': False, 'shape': (2, 1000000000000), }\n",
                 "cos\nsystem\n", 11);
    mkdir(fixture_path("fifo"), 0777);
    mkfifo(fixture_path("fifo/edge_index.npy"), 0666);
    mkdir(fixture_path("folders"), 0777);
    mkdir(fixture_path("folders/edge_index.npy"), 0777);
    mkfifo(fixture_path("fifo.txt"), 0666);
    mkfifo(fixture_path("fifo.npz"), 0666);
    small_planetoid();
}

/* Copies of the small Planetoid set with one file replaced. */
static void write_planetoid(const char *folder, const char *part, const void *bytes, size_t length)
{
    static const char *const parts[] = {"x",  "tx",   "allx",  "y",
                                        "ty", "ally", "graph", "test.index"};
    char name[128];
    mkdir(fixture_path(folder), 0777);
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        uint8_t content[4096];
        snprintf(name, sizeof name, "tiny/ind.tiny.%s", parts[p]);
        FILE *file = fopen(fixture_path(name), "rb");
        size_t got = fread(content, 1, sizeof content, file);
        fclose(file);
        snprintf(name, sizeof name, "%s/ind.tiny.%s", folder, parts[p]);
        if (strcmp(parts[p], part) == 0)
            fixture_write(name, bytes, length);
        else
            fixture_write(name, content, got);
    }
}

static void write_pickles(void)
{
    static const char call[] = "cos\nsystem\n(S'touch /tmp/graco-was-here'\ntR.",
                      missing[] = "\x80\2h\7.", cycle[] = "\x80\2]q\0h\0a.",
                      names[] = "\x80\2}U\1aK\1s.";
    uint8_t deep[100001];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '.';
    write_planetoid("calls", "graph", call, sizeof call - 1);
    write_planetoid("missing", "graph", missing, sizeof missing - 1);
    write_planetoid("cycle", "graph", cycle, sizeof cycle - 1);
    write_planetoid("deep", "graph", deep, sizeof deep);
    write_planetoid("names", "graph", names, sizeof names - 1);
    struct small_pickle shared = {0};
    SMALL_PUT(&shared, "\x80\2]q\0(");
    for (int i = 0; i < 100; i++)
        SMALL_PUT(&shared, "K\0");
    SMALL_PUT(&shared, "e0}(");
    for (int i = 0; i < 100; i++)
        SMALL_PUT(&shared, "K\0h\0");
    SMALL_PUT(&shared, "u.");
    write_planetoid("shared", "graph", shared.bytes, shared.length);
    write_planetoid("tests", "test.index", "6\n2000000000\n", 13);
    write_planetoid("minus", "test.index", "6\n-4\n", 5);
}

static void write_texts(void)
{
    small_tables();
    fixture_text("empty.txt", "");
    fixture_text("comments.txt", "# nothing\n\n% here\n");
    fixture_text("one_field.txt", "0\n1\n");
    fixture_text("loop.txt", "0 0\n");
    fixture_text("repeats.txt", "0 1\n0 1\n0 1\n");
    fixture_text("minus.txt", "0 1\n-1 2\n");
    fixture_text("sparse.txt", "0 2147483646\n");
    fixture_text("weights.txt", "0 1 nan\n");
    fixture_text("market.mtx", "%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 2\n"
                               "2 1 .5\n3 2 1\n");
    fixture_text("claims.mtx", "%%MatrixMarket matrix coordinate pattern general\n"
                               "2147483646 2147483646 1\n1 2\n");
    fixture_text("entries.mtx", "%%MatrixMarket matrix coordinate pattern general\n"
                                "2147483646 2147483646 2147483646\n1 2\n");
    fixture_text("outside.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 3\n");
    fixture_text("zero.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n0 1\n");
    fixture_text("oblong.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n");
    fixture_text("array.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n");
    fixture_text("nan.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 nan\n");
    fixture_text("banner.mtx", "%%MatrixMarket");
    fixture_text("three.txt", "0 1\n1 2\n2 0\n");
    fixture_text("nan.csv", "1\nnan\n2\n");
    fixture_text("inf.csv", "1\n-inf\n2\n");
    fixture_text("ragged.csv", "1,2\n3\n4,5\n");
    fixture_text("short.csv", "1\n2\n");
    fixture_text("far.csv", "0,1\n1000000,2\n");
    fixture_text("open.csv", "\"1\n2\n3\n");
    fixture_text("three.labels", "0\n1\n0\n");
    fixture_text("huge.labels", "0\n1\n99999999999\n");
    fixture_text("half.labels", "0 1 2\n1 2 3\n");
    write_repeated("fields.txt", "0", " 1", 1000000);
    FILE *wide = fopen(fixture_path("wide.csv"), "wb");
    for (int row = 0; wide && row < 3; row++)
        for (int col = 0; col < 1000000; col++)
            fputs(col < 999999 ? "1," : "1\n", wide);
    fclose(wide);
    write_repeated("deep.xml", "<graphml>", "<a>", 100000);
    fixture_text("entities.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><graphml>&b;</graphml>");
    fixture_text("graph.xml", small_graphml);
    write_repeated("deep_wiki.json", "{\"features\":", "[", 100000);
    fixture_text("wiki.json", small_wikics);
    small_musae("pages");
    small_ogb("arxiv");
    small_zip("arxiv.zip", "arxiv", "arxiv/");
    write_repeated("brackets.json", "{\"x\":", "[", 1000000);
    mkdir(fixture_path("nested"), 0777);
    rename(fixture_path("brackets.json"), fixture_path("nested/train_graph.json"));
    fixture_text("closed.txt", "0 1\n");
    chmod(fixture_path("closed.txt"), 0);
}

/* A trained run, and copies of it with something wrong. */
static void write_runs(void)
{
    char train[1024];
    struct spawn_result result;
    snprintf(train, sizeof train,
             "train @/good.npz -q -o @/run --epochs 1 --set hidden=2 --threads 1");
    spawn(&result, fixture_folder(), train, 0);
    CHECK(result.code == 0);
    static const char *const copies[] = {"cut_run", "fifo_run", "folder_run", "flat_run",
                                         "nan_run"};
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        uint8_t *model = NULL;
        int64_t length = 0;
        char name[64];
        mkdir(fixture_path(copies[i]), 0777);
        CHECK_OK(file_read(&model, &length, fixture_path("run/model.safetensors"), 1 << 24));
        snprintf(name, sizeof name, "%s/model.safetensors", copies[i]);
        if (i == 0)
            fixture_write(name, model, (size_t)length - 1);
        else if (i == 1)
            mkfifo(fixture_path(name), 0666);
        else if (i == 2)
            mkdir(fixture_path(name), 0777);
        else
            fixture_write(name, model, (size_t)length);
        free(model);
    }
    const float wrong[4] = {1, 2, 3, (float)NAN};
    write_array("flat_run/embeddings.npy", ARRAY_F32, wrong, 1, 4, 0);
    float Z[10] = {1, 2, 3, (float)NAN};
    write_array("nan_run/embeddings.npy", ARRAY_F32, Z, 2, 5, 2);
    write_array("rows.npy", ARRAY_F32, numbers, 2, 2, 5);
    write_array("splits.npy", ARRAY_F32, numbers, 2, 2, 5);
    write_header("claims.npy",
                 "{'descr': '<f4', 'fortran_order': False, 'shape': (1152921504606846976, 4), }\n",
                 numbers, 40);
    mkfifo(fixture_path("fifo.npy"), 0666);
}

/* ---- The table ------------------------------------------------------------------------------- */

struct row {
    const char *command; /* @ is the folder of the test */
    const char *part;    /* of the message; NULL: the command must work */
    int code;            /* 0: 1, or 0 where the part is NULL */
};

static const struct row rows[] = {
    /* Archives. */
    {"info @/good.npz", NULL, 0},
    {"info @/one.npz", NULL, 0},
    {"info @/no_edges.npz", NULL, 0},
    {"info @/large.npz", "labels of 2147483647 classes", 0},
    {"info @/citation.npz", NULL, 0},
    {"info @/far.npz", "7", 0},
    {"info @/negative.npz", "-1", 0},
    {"info @/nan.npz", "feature 1 of node 0 is nan", 0},
    {"info @/infinite.npz", "feature 0 of node 0 is inf", 0},
    {"info @/short.npz", "y has 4 rows: expected 5", 0},
    {"info @/halves.npz", "0.5", 0},
    {"info @/three.npz", "expected (2, edges)", 0},
    {"info @/empty.npz", "a graph of 0 nodes", 0},
    {"info @/claims.npz", "2000000000 nodes, with 1 edges and no array", 0},
    {"info @/claims_id.npz", "2147483647 nodes, with 1 edges and no array", 0},
    {"convert @/claims.npz @/out/x.npz", "2000000000 nodes", 0},
    {"plan @/claims.npz", "2000000000 nodes, with 1 edges and no array", 0},
    {"info @/bomb.npz", "member edge_index: this is no .npy file", 0},
    {"info @/flat.npz", "edge_index has 1 dimensions", 0},
    {"info @/bomb.zip", "train_graph.json", 0},
    {"info @/twice.zip", "reddit_data.npz: member feature has 4194432 bytes: with them more", 0},
    {"info @/twice.npz.gz", "member x has 16777344 bytes: with them more than 1100 times", 0},
    {"info @/thrice.zip.gz", "reddit_data.npz: member feature has 4194432 bytes", 0},
    {"info @/saint.zip", "adj_full.npz: member col has 4194432 bytes", 0},
    {"info @/three.txt --features @/scipy.npz.gz", "scipy.npz.gz: member col has 4194432 bytes", 0},
    {"info @/three.txt --features @/scipy.npz", "data has 4194303 rows: expected", 0},
    {"info @/text.zip", "num-node-list.csv.gz: a gzip file unpacks to more than the", 0},
    {"info @/bzip2.npz", "member edge_index is packed by method 12: expected", 0},
    {"info @/crowd.npz", "an archive of 65536 members: expected at most 4096", 0},
    {"info @/cut_names.npz", "node_ids: string 0 of an array goes on behind a NUL", 0},
    {"info @/escape.zip", "no data set in this archive: expected one of edge_index", 0},
    {"info @/nested.zip", "reddit_data.npz", 0},
    {"info @/zip_head.npz", "no zip archive", 0},
    {"info @/object.npz", "neither an .npz archive nor a text file", 0},
    {"eval @/rows.npy @/good.npz", "the embeddings have 2 rows", 2},
    {"eval @/twenty.npy @/classes.npz", "labels of 2147483647 classes", 0},
    {"eval @/twenty.npy @/far_classes.npz", NULL, 0},
    {"eval @/twenty.npy @/far_classes.npz --confusion --json", NULL, 0},
    {"info @/columns.npz", NULL, 0},
    {"train @/columns.npz -o @/out/run", "300000 columns of features with 3 entries", 2},
    {"eval --baseline raw @/columns.npz", "300000 columns of features with 3 entries", 2},
    {"eval --baseline untrained @/columns.npz", "300000 columns of features with 3 entries", 2},
    {"train @/one.npz -o @/out/run", "training needs at least 2", 2},
    {"train @/one.npz -o @/out/run --runs 3", "training needs at least 2", 2},
    {"train @/empty.npz -o @/out/run", "a graph of 0 nodes", 0},
    {"train @/nan.npz -o @/out/run", "is nan", 0},
    /* Folders. */
    {"info @/rows", "edge_index.npy", 0},
    {"info @/wide", "2000000000 nodes, with 1 edges", 0},
    {"plan @/wide", "2000000000 nodes, with 1 edges", 0},
    {"plan @/rows", "edge_index.npy", 0},
    {"info @/pickled", "edge_index holds Python objects", 0},
    {"info @/fifo", "it is not a regular file", 0},
    {"info @/folders", "it is a folder, not a file", 0},
    {"info @/out", "no data set in this folder", 0},
    {"info @/nested", "too great a depth", 0},
    {"info @/tiny", NULL, 0},
    {"info @/calls", "os.system", 0},
    {"info @/missing", "ind.tiny.graph", 0},
    {"info @/cycle", "ind.tiny.graph", 0},
    {"info @/deep", "ind.tiny.graph", 0},
    {"info @/names", "the neighbours of a node of the graph are a", 0},
    {"info @/shared", "more neighbours than its", 0},
    {"info @/tests", "test.index has node 2000000000", 0},
    {"info @/minus", "number 2 in the file is no node number", 0},
    /* Text. */
    {"info @/repeats.txt", NULL, 0},
    {"info @/loop.txt", NULL, 0},
    {"info @/sparse.txt", NULL, 0},
    {"info @/market.mtx", NULL, 0},
    {"info @/claims.mtx", "2147483646 nodes with 1 entries", 0},
    {"plan @/claims.mtx", "2147483646 nodes with 1 entries", 0},
    {"info @/entries.mtx", "has 1 entries: expected 2147483646", 0},
    {"info @/outside.mtx", "line 3: no entry: expected a row and a column from 1 to 2", 0},
    {"info @/zero.mtx", "line 3: no entry", 0},
    {"info @/oblong.mtx", "line 2: no size of a graph", 0},
    {"info @/array.mtx", "a MatrixMarket file of another kind", 0},
    {"info @/nan.mtx", "and a finite number", 0},
    {"info @/banner.mtx", "a MatrixMarket file of another kind", 0},
    {"info @/three.txt --features @/wide.csv", NULL, 0},
    {"info @/named.txt --features @/features.csv --labels @/labels.csv", NULL, 0},
    {"info @/graph.xml", NULL, 0},
    {"info @/graph.xml --of cid", NULL, 0},
    {"info @/deep.xml", "elements nest more than 64 deep", 0},
    {"info @/entities.xml", "a document type", 0},
    {"info @/wiki.json", NULL, 0},
    {"info @/deep_wiki.json", "more than 2048 values within each other", 0},
    {"info @/pages", NULL, 0},
    {"info @/arxiv.zip", NULL, 0},
    {"info @/empty.txt", "empty.txt", 0},
    {"info @/comments.txt", "comments.txt", 0},
    {"info @/one_field.txt", "one_field.txt", 0},
    {"info @/fields.txt", "fields.txt", 0},
    {"info @/weights.txt", "weights.txt", 0},
    {"info @/three.txt --features @/nan.csv", "nan.csv", 0},
    {"info @/three.txt --features @/inf.csv", "inf.csv", 0},
    {"info @/three.txt --features @/ragged.csv", "ragged.csv", 0},
    {"info @/three.txt --features @/short.csv", "has no row for node 2", 0},
    {"info @/three.txt --features @/open.csv", "open.csv", 0},
    {"info @/three.txt --features @/fifo.npy", "it is not a regular file", 0},
    {"info @/three.txt --features @/out", "it is a folder, not a file", 0},
    {"info @/three.txt --features /dev/zero", "it is not a regular file", 0},
    {"info @/three.txt --labels @/far.csv", "a row for '1000000'", 0},
    {"info @/three.txt --labels @/half.labels", "half.labels", 0},
    {"info @/three.txt --labels /dev/null", "it is not a regular file", 0},
    {"info @/three.txt --labels @/absent", "absent", 0},
    {"info @/fifo.txt", "it is not a regular file", 0},
    {"info @/fifo.npz", "it is not a regular file", 0},
    {"info /dev/zero", "it is not a regular file", 0},
    {"info /dev/null", "it is not a regular file", 0},
    {"info /dev/tty", "/dev/tty", 0},
    {"info @/absent.npz", "no such file or folder", 0},
    /* Runs. */
    {"embed @/run @/good.npz -o @/out2.npy", NULL, 0},
    {"eval @/run @/good.npz", "5 nodes have a known label", 2},
    {"embed @/cut_run @/good.npz -o @/out/Z.npy", "model.safetensors", 0},
    {"embed @/fifo_run @/good.npz -o @/out/Z.npy", "it is not a regular file", 0},
    {"embed @/folder_run @/good.npz -o @/out/Z.npy", "it is a folder, not a file", 0},
    {"embed @/tiny @/good.npz -o @/out/Z.npy", "model.safetensors", 0},
    {"embed @/good.npz @/good.npz -o @/out/Z.npy", "model.safetensors", 0},
    {"embed @/run @/one.npz -o @/out/Z.npy", "features", 2},
    {"embed @/run @/far.npz -o @/out/Z.npy", "7", 0},
    {"train @/good.npz -o @/cut_run --resume", "model.safetensors", 0},
    {"train @/good.npz -o @/fifo_run --resume", "it is not a regular file", 0},
    {"eval @/flat_run @/good.npz", "has 1 dimensions; expected a matrix", 0},
    {"eval @/nan_run @/good.npz", "the embedding of node 1 has the value nan", 0},
    {"eval @/cut_run @/good.npz", "model.safetensors", 0},
    {"eval @/claims.npy @/good.npz", "claims.npy", 0},
    {"eval @/fifo.npy @/good.npz", "it is not a regular file", 0},
    {"eval @/out @/good.npz", "embeddings.npy", 0},
    {"eval --baseline raw --splits-file @/fifo.npy @/good.npz", "it is not a regular file", 0},
    {"eval --baseline raw --splits-file @/claims.npy @/good.npz", "claims.npy", 0},
    {"eval --baseline raw --splits-file @/splits.npy @/good.npz", "code 4", 0},
};

/* Runs one command and holds what every row must hold. */
static void check_row(const struct row *row)
{
    struct spawn_result result;
    int code = row->part ? row->code ? row->code : 1 : 0;
    spawn(&result, fixture_folder(), row->command, 0);
    bool fine = result.code == code && !result.slow && result.peak <= SPAWN_PEAK;
    if (row->part)
        fine = fine && result.lines == 1 && strncmp(result.errors, "graco: ", 7) == 0 &&
               strstr(result.errors, row->part) && result.output == 0;
    struct file_list list = {0};
    CHECK_OK(file_list_folder(&list, fixture_path("out")));
    fine = fine && list.count == 0;
    file_list_clear(&list);
    if (!fine)
        fprintf(stderr, "graco %s: code %d (expected %d), %d lines, %lld MB, %s: %s\n",
                row->command, result.code, code, result.lines, (long long)result.peak >> 20,
                result.slow ? "too slow" : "in time", result.errors);
    CHECK(fine);
    refused += row->part != NULL;
    accepted += row->part == NULL;
}

/* ---- Every file, cut and changed ------------------------------------------------------------- */

/* A file of `name`, damaged, must give one line and code 1, or be read. */
static void check_damage(const char *file, const char *command, const uint8_t *bytes,
                         int64_t length, bool cut)
{
    struct spawn_result result;
    fixture_write(file, bytes, (size_t)length);
    spawn(&result, fixture_folder(), command, 0);
    bool fine = !result.slow && result.peak <= SPAWN_PEAK &&
                ((result.code == 0 && !cut) ||
                 (result.code == 1 && result.lines == 1 && result.output == 0));
    if (!fine)
        fprintf(stderr, "graco %s, %s of %lld bytes: code %d: %s\n", command, file,
                (long long)length, result.code, result.errors);
    CHECK(fine);
    refused += result.code == 1;
    accepted += result.code == 0;
}

static void damage(const char *file, const char *command, bool text)
{
    uint8_t *bytes = NULL;
    int64_t length = 0;
    CHECK_OK(file_read(&bytes, &length, fixture_path(file), 1 << 24));
    const int64_t cuts[] = {0, 1, 3, 8, 30, length / 2, length - 23, length - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        if (cuts[i] >= 0 && cuts[i] < length)
            check_damage(file, command, bytes, cuts[i], !text);
    for (int i = 0; i < 6; i++) {
        int64_t at = length * i / 6;
        bytes[at] ^= (uint8_t)(1 << i);
        check_damage(file, command, bytes, length, false);
        bytes[at] ^= (uint8_t)(1 << i);
    }
    fixture_write(file, bytes, (size_t)length);
    free(bytes);
}

static void damaged(void)
{
    damage("good.npz", "info @/good.npz", false);
    damage("citation.npz", "info @/citation.npz", false);
    damage("run/model.safetensors", "embed @/run @/good.npz -o @/out2.npy", false);
    damage("tiny/ind.tiny.allx", "info @/tiny", false);
    damage("tiny/ind.tiny.graph", "info @/tiny", false);
    damage("market.mtx", "info @/market.mtx", true);
    damage("named.txt", "info @/named.txt", true);
    damage("features.csv", "info @/named.txt --features @/features.csv", true);
}

/* ---- Files that change ----------------------------------------------------------------------- */

/* A file that is cut while graco reads it: the moment is left to chance, so either is right. */
static void shrinking(void)
{
    int caught = 0;
    for (int i = 0; i < 6; i++) {
        struct spawn_result result;
        write_repeated("big.txt", "", "1 2\n3 4\n5 6\n7 8\n", 300000);
        spawn_then_cut(&result, fixture_folder(), "info @/big.txt", fixture_path("big.txt"),
                       8 + 8 * i);
        bool fine = result.code == 0 || (result.code == 1 && result.lines == 1);
        if (!fine)
            fprintf(stderr, "cut file: code %d: %s\n", result.code, result.errors);
        CHECK(fine && !result.slow);
        caught += result.code == 1;
    }
    unlink(fixture_path("big.txt"));
    printf("a file was cut while it was read 6 times, noticed %d times\n", caught);
}

static void permissions(void)
{
    struct spawn_result result;
    chmod(fixture_folder(), 0777);
    spawn(&result, fixture_folder(), "info @/closed.txt", SPAWN_NOBODY);
    if (result.code == 127) {
        printf("left out: another user's permissions (that user cannot run graco here)\n");
        return;
    }
    CHECK(result.code == 1 && result.lines == 1 && strstr(result.errors, "Permission denied"));
    refused++;
}

int main(void)
{
    chmod(fixture_folder(), 0755);
    mkdir(fixture_path("out"), 0777);
    write_archives();
    write_twice_packed();
    write_odd_archives();
    write_folders();
    write_pickles();
    write_texts();
    write_runs();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i]);
    CHECK(access("/tmp/graco-was-here", F_OK) != 0);
    damaged();
    shrinking();
    permissions();
    printf("%d inputs refused, %d read\n", refused, accepted);
    return check_result();
}
