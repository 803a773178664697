/* Every reader on hostile data sets that grow: each row writes a set of about so many bytes that
 * makes as much as it can of them, at two sizes. Archives are stored without compression, so that
 * the bytes of the file are the bytes that are read; docs/reliability.md says what deflate adds. */
#include "data/growth_files.h"
#include "data/growth_texts.h"
#include "growth.h"

#include "data/readers.h"

/* ---- Data sets ------------------------------------------------------------------------------- */

static const char *native_edges(int64_t size)
{
    put_bytes("edge_index", RAMP, 2, size / 2);
    return "set";
}

static const char *native_loops(int64_t size)
{
    put_bytes("edge_index", ZEROS, 2, size / 2);
    return "set";
}

static const char *native_classes(int64_t size)
{
    put_bytes("edge_index", ZEROS, 2, 0);
    put_bytes("y", RAMP, size, -1);
    return "set";
}

static const char *native_claim(int64_t size)
{
    const int64_t nodes = size / 2 * 16;
    put_bytes("edge_index", RAMP, 2, size / 2);
    put_array("num_nodes", ARRAY_I64, &nodes, 1, -1);
    return "set";
}

static const char *native_far(int64_t size)
{
    int32_t *ends = calloc((size_t)size / 4, sizeof *ends);
    ends[0] = (int32_t)(size / 8 * 16 - 1);
    put_array("edge_index", ARRAY_I32, ends, 2, size / 8);
    __real_free(ends);
    return "set";
}

static const char *native_dense(int64_t size)
{
    put_bytes("edge_index", ZEROS, 2, 0);
    put_bytes("x", RAMP, size, 1);
    return "set";
}

static const char *native_multi(int64_t size)
{
    put_bytes("edge_index", ZEROS, 2, 0);
    put_bytes("y", ONES, size / 2, 2);
    return "set";
}

static const char *native_rows(int64_t size)
{
    put_bytes("edge_index", ZEROS, 2, 0);
    put_bytes("x_indptr", ZEROS, size + 1, -1);
    put_bytes("x_indices", ZEROS, 0, -1);
    put_bytes("x_data", ZEROS, 0, -1);
    put_numbers("x_shape", size, INT32_MAX);
    return "set";
}

static const char *native_graphs(int64_t size)
{
    int32_t *id = malloc((size_t)size);
    for (int64_t i = 0; i < size / 4; i++)
        id[i] = (int32_t)i;
    put_bytes("edge_index", ZEROS, 2, 0);
    put_array("graph_id", ARRAY_I32, id, size / 4, -1);
    const int64_t nodes = size / 4;
    put_array("num_nodes", ARRAY_I64, &nodes, 1, -1);
    __real_free(id);
    return "set";
}

/* Names of four bytes each, as numpy's S4, that all differ. */
static const char *native_names(int64_t size)
{
    char header[128];
    const int64_t nodes = size / 4;
    int length = snprintf(header, sizeof header,
                          "{'descr': '|S4', 'fortran_order': False, 'shape': (%lld,), }\n",
                          (long long)nodes);
    uint8_t *file = calloc(1, (size_t)(10 + length + size));
    memcpy(file, "\x93NUMPY\1", 7);
    file[8] = (uint8_t)length;
    memcpy(file + 10, header, (size_t)length);
    for (int64_t i = 0; i < 4 * nodes; i++)
        file[10 + length + i] = (uint8_t)(' ' + (i / 4 >> 6 * (i % 4) & 63));
    fixture_write("set/node_ids.npy", file, (size_t)(10 + length + 4 * nodes));
    __real_free(file);
    put_bytes("edge_index", ZEROS, 2, 0);
    put_array("num_nodes", ARRAY_I64, &nodes, 1, -1);
    return "set";
}

static const char *native_archive(int64_t size)
{
    open_archive("set/set.npz");
    put_bytes("edge_index", RAMP, 2, size / 4);
    put_bytes("y", RAMP, size / 2, -1);
    close_archive();
    return "set/set.npz";
}

/* Zeros in an archive, which gzip packs again: to a millionth of them. */
static const char *native_twice(int64_t size)
{
    uint8_t *zeros = calloc(1, (size_t)size * 64), *bytes = NULL;
    int64_t length = 0;
    struct small_arrays arrays = {0};
    small_add(&arrays, "edge_index", ARRAY_U8, zeros, 2, 0);
    small_add(&arrays, "x", ARRAY_U8, zeros, size * 64, 1);
    small_npz(&arrays, "set/set.npz");
    __real_free(zeros);
    CHECK_OK(file_read(&bytes, &length, fixture_path("set/set.npz"), 1 << 20));
    unlink(fixture_path("set/set.npz"));
    small_gzip("set/set.npz.gz", bytes, (size_t)length, 9);
    memory_free(bytes);
    return "set/set.npz.gz";
}

/* Compressed rows with nothing in them. */
static void put_rows(const char *prefix, int64_t rows, int64_t cols)
{
    char name[4][32];
    static const char *const endings[] = {"indptr", "indices", "data", "shape"};
    for (int i = 0; i < 4; i++)
        snprintf(name[i], sizeof name[i], "%s_%s", prefix, endings[i]);
    put_bytes(name[0], ZEROS, rows + 1, -1);
    put_bytes(name[1], ZEROS, 0, -1);
    put_bytes(name[2], ZEROS, 0, -1);
    put_numbers(name[3], rows, cols);
}

static const char *citation_nodes(int64_t size)
{
    open_archive("set/set.npz");
    put_rows("adj", size / 3, size / 3);
    put_rows("attr", size / 3, INT32_MAX);
    put_bytes("labels", RAMP, size / 3, -1);
    close_archive();
    return "set/set.npz";
}

static const char *citation_entries(int64_t size)
{
    int64_t start[257] = {0};
    for (int i = 1; i < 257; i++)
        start[i] = size / 4;
    open_archive("set/set.npz");
    put_array("adj_indptr", ARRAY_I64, start, 257, -1);
    put_bytes("adj_indices", RAMP, size / 4, -1);
    put_bytes("adj_data", ONES, size / 4, -1);
    put_numbers("adj_shape", 256, 256);
    put_array("attr_indptr", ARRAY_I64, start, 257, -1);
    put_bytes("attr_indices", RAMP, size / 4, -1); /* in no order: they are sorted */
    put_bytes("attr_data", ONES, size / 4, -1);
    put_numbers("attr_shape", 256, INT32_MAX);
    put_bytes("labels", ZEROS, 256, -1);
    close_archive();
    return "set/set.npz";
}

/* The small set with one file replaced. */
static const char *planetoid(const char *part, const struct small_pickle *before,
                             const char *const pieces[2], int64_t times, const char *after)
{
    char name[64];
    small_planetoid();
    snprintf(name, sizeof name, "tiny/ind.tiny.%s", part);
    FILE *file = fopen(fixture_path(name), "wb");
    CHECK(file && fwrite(before->bytes, 1, before->length, file) == before->length);
    for (int p = 0; file && p < 2 && pieces[p]; p++) {
        for (int64_t i = 0; i < times; i++)
            fwrite(pieces[p], 1, 2 + 2 * (size_t)p, file); /* "K\0", then "K\0h\0" */
        fputs(p == 0 && pieces[1] ? "e0}(" : after, file);
    }
    if (file)
        fclose(file);
    return "tiny";
}

/* {0: [0, 0, ...], 0: the same list, 0: the same list, ...} */
static const char *planetoid_shared(int64_t size)
{
    struct small_pickle before = {0};
    SMALL_PUT(&before, "\x80\2]q\0(");
    return planetoid("graph", &before, (const char *const[]){"K\0", "K\0h\0"}, size / 6, "u.");
}

static const char *planetoid_list(int64_t size)
{
    struct small_pickle before = {0};
    SMALL_PUT(&before, "\x80\2}(K\0](");
    return planetoid("graph", &before, (const char *const[]){"K\0", NULL}, size / 2, "eu.");
}

static const char *planetoid_tests(int64_t size)
{
    small_planetoid();
    put_text("tiny/ind.tiny.test.index", "", "6\n", size / 2, "");
    return "tiny";
}

static void ppi_part(const char *part, int64_t nodes, int64_t links)
{
    char name[64];
    snprintf(name, sizeof name, "set/%s_graph.json", part);
    put_text(name, "{\"links\":[", "{\"source\":0,\"target\":1},", links,
             "{\"source\":0,\"target\":0}],\"nodes\":[");
    FILE *file = fopen(fixture_path(name), "ab");
    for (int64_t i = 0; file && i < nodes; i++)
        fprintf(file, "%s{\"id\":%lld}", i ? "," : "", (long long)i);
    fputs("]}", file);
    fclose(file);
    snprintf(name, sizeof name, "%s_feats", part);
    put_bytes(name, ONES, nodes, 1);
    snprintf(name, sizeof name, "%s_labels", part);
    put_bytes(name, ONES, nodes, 2);
    snprintf(name, sizeof name, "%s_graph_id", part);
    put_bytes(name, *part == 't' ? part[1] == 'r' ? ZEROS : TWOS : ONES, nodes, -1);
}

static const char *ppi_nodes(int64_t size)
{
    ppi_part("train", size / 14, 0);
    ppi_part("valid", 2, 0);
    ppi_part("test", 2, 0);
    return "set";
}

static const char *ppi_links(int64_t size)
{
    ppi_part("train", 2, size / 24);
    ppi_part("valid", 2, 0);
    ppi_part("test", 2, 0);
    return "set";
}

static void reddit(int64_t nodes, int64_t edges)
{
    open_archive("set/reddit_data.npz");
    put_bytes("feature", RAMP, nodes, 1);
    put_bytes("label", RAMP, nodes, -1);
    put_bytes("node_types", ONES, nodes, -1);
    close_archive();
    open_archive("set/reddit_graph.npz");
    put_bytes("row", RAMP, edges, -1);
    put_bytes("col", ZEROS, edges, -1);
    put_numbers("shape", nodes, nodes);
    close_archive();
}

static const char *reddit_nodes(int64_t size)
{
    reddit(size / 3, 0);
    return "set";
}

static const char *reddit_edges(int64_t size)
{
    reddit(256, size / 2);
    return "set";
}

/* A format member, as numpy's S3 without dimensions. */
static void put_format(const char *format)
{
    const struct array array = {.type = ARRAY_BYTES, .count = 1, .size = 3, .data = format};
    CHECK_OK(store_array(store, "format", &array));
}

static const char *scipy_entries(int64_t size)
{
    open_archive("set/set.npz");
    put_bytes("row", RAMP, size / 3, -1);
    put_bytes("col", ONES, size / 3, -1);
    put_bytes("data", ONES, size / 3, -1);
    put_numbers("shape", size / 3 * 16, size / 3 * 16);
    put_format("coo");
    close_archive();
    return "set/set.npz";
}

static const char *scipy_nodes(int64_t size)
{
    open_archive("set/set.npz");
    put_bytes("indptr", ZEROS, size + 1, -1);
    put_bytes("indices", ZEROS, 0, -1);
    put_bytes("data", ZEROS, 0, -1);
    put_numbers("shape", size, size);
    put_format("csr");
    close_archive();
    return "set/set.npz";
}

/* The same as features: rows and columns that nothing fills. */
static const char *scipy_features(int64_t size)
{
    static char path[256];
    scipy_entries(size);
    put_text("set/edges.txt", "", "0 1\n", 1, "");
    snprintf(path, sizeof path, "%s", fixture_path("set/set.npz"));
    options = (graco_load_options){.features_path = path};
    return "set/edges.txt";
}

static const char *market_features(int64_t size)
{
    static char path[256];
    char head[128];
    snprintf(head, sizeof head,
             "%%%%MatrixMarket matrix coordinate pattern general\n%lld 2000000000 %lld\n",
             (long long)(size / 8 * 16), (long long)(size / 8));
    FILE *file = fopen(fixture_path("set/x.mtx"), "wb");
    fputs(head, file);
    for (int64_t i = 0; i < size / 8; i++)
        fprintf(file, "1 %lld\n", (long long)(size / 8 - i));
    fclose(file);
    put_text("set/edges.txt", "", "0 1\n", 1, "");
    snprintf(path, sizeof path, "%s", fixture_path("set/x.mtx"));
    options = (graco_load_options){.features_path = path};
    return "set/edges.txt";
}

static const char *graphsaint_nodes(int64_t size)
{
    const int64_t nodes = size / 16;
    open_archive("set/adj_full.npz");
    put_bytes("row", ZEROS, 0, -1);
    put_bytes("col", ZEROS, 0, -1);
    put_numbers("shape", nodes, nodes);
    close_archive();
    put_bytes("feats", ONES, nodes, 1);
    put_text("set/class_map.json", "{", "\"%d\":1048575,", nodes - 1, "");
    FILE *file = fopen(fixture_path("set/class_map.json"), "ab");
    fprintf(file, "\"%lld\":0}", (long long)nodes - 1);
    fclose(file);
    put_text("set/role.json", "{\"va\":[],\"te\":[],\"tr\":[0", ",0", nodes, "]}");
    return "set";
}

/* Stored in gzip's format, so that the bytes of the file are those that are read. */
static const char *ogb_nodes(int64_t size)
{
    char count[32];
    char *text = malloc((size_t)size);
    small_ogb("tiny");
    for (int64_t i = 0; i < size; i++)
        text[i] = "0\n"[i % 2];
    snprintf(count, sizeof count, "%lld\n", (long long)(size / 2));
    small_ogb_file("tiny", "raw/num-node-list.csv.gz", count);
    small_gzip("tiny/raw/node-label.csv.gz", text, (size_t)size, 0);
    small_gzip("tiny/raw/node-feat.csv.gz", text, (size_t)size, 0);
    small_gzip("tiny/split/time/train.csv.gz", "0\n", 2, 0);
    small_gzip("tiny/split/time/valid.csv.gz", "1\n", 2, 0);
    small_gzip("tiny/split/time/test.csv.gz", "2\n", 2, 0);
    __real_free(text);
    return "tiny/raw";
}

/* ---- The table ------------------------------------------------------------------------------- */

/* What each reader may take: docs/reliability.md states these numbers. The base is 65,536 nodes that
 * are believed without proof, or a million in an edge list. */
#define READER_INDEX(name) READER_##name,
enum { READERS(READER_INDEX) READER_COUNT };

static const struct growth_limit limits[READER_COUNT] = {
    [READER_native] = {192, 1, 4 << 20},     [READER_citation] = {64, 1, 1 << 20},
    [READER_planetoid] = {128, 1, 1 << 20},  [READER_ppi] = {32, 1, 1 << 20},
    [READER_reddit] = {64, 1, 1 << 20},      [READER_scipy] = {192, 1, 4 << 20},
    [READER_graphsaint] = {128, 1, 1 << 20}, [READER_ogb] = {64, 1, 1 << 20},
    [READER_musae] = {64, 1, 1 << 20},       [READER_wikics] = {64, 1, 1 << 20},
    [READER_node_link] = {256, 1, 1 << 20},  [READER_graphml] = {64, 1, 1 << 20},
    [READER_edges] = {768, 2, 32 << 20},
};

static const struct row {
    int reader;
    const char *what;
    const char *(*write)(int64_t size);
    bool refused;
} rows[] = {
    {READER_native, "native: edges", native_edges, false},
    {READER_native, "native: self-loops", native_loops, false},
    {READER_native, "native: classes", native_classes, false},
    {READER_native, "native: claimed nodes", native_claim, false},
    {READER_native, "native: a far node", native_far, false},
    {READER_native, "native: dense features", native_dense, false},
    {READER_native, "native: several labels", native_multi, false},
    {READER_native, "native: empty rows", native_rows, false},
    {READER_native, "native: graphs", native_graphs, false},
    {READER_native, "native: names", native_names, false},
    {READER_native, "native: an archive", native_archive, false},
    {READER_native, "native: packed twice", native_twice, true},
    {READER_citation, "citation: nodes", citation_nodes, false},
    {READER_citation, "citation: entries", citation_entries, true},
    {READER_planetoid, "planetoid: a shared list", planetoid_shared, true},
    {READER_planetoid, "planetoid: a list", planetoid_list, false},
    {READER_planetoid, "planetoid: tests", planetoid_tests, true},
    {READER_ppi, "ppi: nodes", ppi_nodes, false},
    {READER_ppi, "ppi: links", ppi_links, false},
    {READER_reddit, "reddit: nodes", reddit_nodes, false},
    {READER_reddit, "reddit: edges", reddit_edges, false},
    {READER_scipy, "scipy: entries", scipy_entries, false},
    {READER_scipy, "scipy: nodes", scipy_nodes, false},
    {READER_graphsaint, "GraphSAINT: nodes", graphsaint_nodes, true},
    {READER_ogb, "OGB: nodes", ogb_nodes, false},
    {READER_musae, "MUSAE: nodes", musae_nodes, false},
    {READER_musae, "MUSAE: columns", musae_columns, false},
    {READER_wikics, "Wiki-CS: nodes", wikics_nodes, false},
    {READER_wikics, "Wiki-CS: lists", wikics_lists, true},
    {READER_node_link, "node-link: links", node_link_links, false},
    {READER_node_link, "node-link: nodes", node_link_nodes, false},
    {READER_node_link, "node-link: a list", node_link_list, false},
    {READER_node_link, "node-link: names", node_link_names, false},
    {READER_graphml, "GraphML: nodes", graphml_nodes, false},
    {READER_graphml, "GraphML: edges", graphml_edges, false},
    {READER_graphml, "GraphML: keys", graphml_keys, false},
    {READER_graphml, "GraphML: defaults", graphml_defaults, false},
    {READER_graphml, "GraphML: a label of all nodes", graphml_usual, false},
    {READER_graphml, "GraphML: text", graphml_text, false},
    {READER_edges, "edges: scipy features", scipy_features, true},
    {READER_edges, "edges: MatrixMarket features", market_features, false},
    {READER_edges, "edges: numbers", edges_numbers, false},
    {READER_edges, "edges: a far number", edges_far, false},
    {READER_edges, "edges: names", edges_names, false},
    {READER_edges, "edges: MatrixMarket", edges_market, false},
    {READER_edges, "edges: gzip", edges_gzip, false},
    {READER_edges, "edges: tables", edges_tables, false},
};

static graco_status load(const void *path)
{
    graco_dataset *data = NULL;
    graco_status status = graco_dataset_load(&data, path, &options);
    graco_dataset_free(data);
    return status;
}

/* The bytes of a folder of the test. */
static int64_t folder_bytes(const char *folder)
{
    struct file_list list = {0};
    int64_t bytes = 0;
    if (file_list_folder(&list, fixture_path(folder)) != GRACO_OK)
        return 0;
    for (int64_t i = 0; i < list.count; i++) {
        struct stat about;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", fixture_path(folder), list.names[i]);
        bytes += stat(path, &about) == 0 ? about.st_size : 0;
    }
    file_list_clear(&list);
    return bytes;
}

int main(void)
{
    bool tested[READER_COUNT] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct growth_cost cost[2];
        char message[512];
        for (int large = 0; large < 2; large++) {
            char path[256];
            mkdir(fixture_path("set"), 0777);
            options = (graco_load_options){0};
            const char *name = rows[i].write((int64_t)GROWTH_SMALL * (large ? GROWTH_TIMES : 1));
            snprintf(path, sizeof path, "%s", fixture_path(name));
            int64_t bytes = folder_bytes(strncmp(name, "set", 3) == 0 ? "set" : name);
            if (strcmp(name, "tiny/raw") == 0) /* the bytes are there, the set is above */
                snprintf(path, sizeof path, "%s", fixture_path("tiny"));
            cost[large] = growth_measure(load, path, bytes);
            snprintf(message, sizeof message, "%s", graco_message());
            fixture_remove(fixture_path("set"));
            fixture_remove(fixture_path("tiny"));
        }
        growth_check(rows[i].what, cost, limits[rows[i].reader]);
        if ((cost[1].status != GRACO_OK) != rows[i].refused)
            fprintf(stderr, "%s: %s\n", rows[i].what, message);
        CHECK((cost[1].status != GRACO_OK) == rows[i].refused);
        tested[rows[i].reader] = true;
    }
    for (int r = 0; r < READER_COUNT; r++)
        CHECK(tested[r]);
    return check_result();
}
