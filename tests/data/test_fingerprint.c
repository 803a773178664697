/* Fingerprints, over every format: the same files give the same one, twice and through graco's own
 * format; another edge, another feature, another order of the nodes or reverses of the edges another. */
#include "data/fingerprint.h"
#include "data/published.h"
#include "data/small_files.h"

enum { NODES = 6, EDGES = 3, COLS = 2, ALL = FINGERPRINT_SPLIT | FINGERPRINT_LABELS };

/* Three graphs of two nodes, each with one edge, so that every layout can hold them. */
struct example {
    int32_t edges;
    int32_t edge[EDGES][2]; /* source, target */
    float X[NODES][COLS];
};

static const struct example base = {
    3, {{0, 1}, {2, 3}, {4, 5}}, {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}}};

static struct example other_edge(void)
{
    struct example out = base;
    out.edges--;
    return out;
}

static struct example other_feature(void)
{
    struct example out = base;
    out.X[5][1] += 0.5f;
    return out;
}

/* Nodes 0 and 1 change their numbers. */
static struct example other_order(void)
{
    struct example out = base;
    out.edge[0][0] = 1;
    out.edge[0][1] = 0;
    memcpy(out.X[0], base.X[1], sizeof out.X[0]);
    memcpy(out.X[1], base.X[0], sizeof out.X[1]);
    return out;
}

/* ---- A writer per format; each returns the path ---- */

static const char *write_native(const struct example *e)
{
    static const uint8_t split[NODES] = {0, 0, 1, 1, 2, 2},
                         multi[NODES][2] = {{1, 0}, {0, 1}, {1, 1}, {0, 0}, {1, 0}, {0, 1}};
    static const int32_t graph_id[NODES] = {0, 0, 1, 1, 2, 2};
    int32_t pairs[2 * EDGES];
    struct small_arrays arrays = {0};
    for (int32_t i = 0; i < e->edges; i++) {
        pairs[i] = e->edge[i][0];
        pairs[e->edges + i] = e->edge[i][1];
    }
    small_add(&arrays, "edge_index", ARRAY_I32, pairs, 2, e->edges);
    small_add(&arrays, "x", ARRAY_F32, e->X, NODES, COLS);
    small_add(&arrays, "y", ARRAY_U8, multi, NODES, 2);
    small_add(&arrays, "split", ARRAY_U8, split, NODES, -1);
    small_add(&arrays, "graph_id", ARRAY_I32, graph_id, NODES, -1);
    small_npz(&arrays, "native.npz");
    return fixture_path("native.npz");
}

/* The same in another place, in a published layout or, with NULL, in graco's own. */
static const char *export(const char *from, const char *name, const char *layout)
{
    graco_dataset *data = NULL;
    CHECK_OK(graco_dataset_load(&data, from, NULL));
    fixture_remove(fixture_path(name));
    if (data)
        CHECK_OK(layout ? published_write(data, fixture_path(name), layout)
                        : graco_dataset_save(data, fixture_path(name)));
    graco_dataset_free(data);
    return fixture_path(name);
}

static const char *write_folder(const struct example *e)
{
    return export(write_native(e), "folder", NULL);
}

static const char *write_ppi(const struct example *e)
{
    return export(write_native(e), "ppi", "ppi");
}

static const char *write_ppi_archive(const struct example *e)
{
    return export(write_native(e), "ppi.zip", "ppi");
}

static const char *write_reddit(const struct example *e)
{
    static const int32_t label[NODES] = {0, 1, 0, 1, 0, 1};
    static const uint8_t split[NODES] = {0, 0, 1, 1, 2, 2};
    int32_t pairs[2 * EDGES];
    struct small_arrays arrays = {0};
    for (int32_t i = 0; i < e->edges; i++) {
        pairs[i] = e->edge[i][0];
        pairs[e->edges + i] = e->edge[i][1];
    }
    small_add(&arrays, "edge_index", ARRAY_I32, pairs, 2, e->edges);
    small_add(&arrays, "x", ARRAY_F32, e->X, NODES, COLS);
    small_add(&arrays, "y", ARRAY_I32, label, NODES, -1);
    small_add(&arrays, "split", ARRAY_U8, split, NODES, -1);
    small_npz(&arrays, "single.npz");
    return export(fixture_path("single.npz"), "reddit", "reddit");
}

/* The rows of X, of which all entries are stored. */
static void feature_rows(int32_t start[NODES + 1], int32_t index[NODES * COLS])
{
    for (int32_t i = 0; i <= NODES; i++)
        start[i] = COLS * i;
    for (int32_t i = 0; i < NODES * COLS; i++)
        index[i] = i % COLS;
}

static const char *write_citation(const struct example *e)
{
    static const float ones[EDGES] = {1, 1, 1};
    static const int64_t square[] = {NODES, NODES}, shape[] = {NODES, COLS},
                         label[NODES] = {0, 1, 0, 1, 0, 1};
    int32_t start[NODES + 1], index[NODES * COLS], from[NODES + 1] = {0}, to[EDGES], count = 0;
    struct small_arrays arrays = {0};
    feature_rows(start, index);
    for (int32_t i = 0; i < NODES; i++) {
        for (int32_t k = 0; k < e->edges; k++)
            if (e->edge[k][0] == i)
                to[count++] = e->edge[k][1];
        from[i + 1] = count;
    }
    small_add(&arrays, "adj_data", ARRAY_F32, ones, count, -1);
    small_add(&arrays, "adj_indices", ARRAY_I32, to, count, -1);
    small_add(&arrays, "adj_indptr", ARRAY_I32, from, NODES + 1, -1);
    small_add(&arrays, "adj_shape", ARRAY_I64, square, 2, -1);
    small_add(&arrays, "attr_data", ARRAY_F32, e->X, NODES * COLS, -1);
    small_add(&arrays, "attr_indices", ARRAY_I32, index, NODES * COLS, -1);
    small_add(&arrays, "attr_indptr", ARRAY_I32, start, NODES + 1, -1);
    small_add(&arrays, "attr_shape", ARRAY_I64, shape, 2, -1);
    small_add(&arrays, "labels", ARRAY_I64, label, NODES, -1);
    small_npz(&arrays, "citation.npz");
    return fixture_path("citation.npz");
}

static const char *write_planetoid(const struct example *e)
{
    struct small_pickle pickle = {.bytes = "\x80\x02", .length = 2};
    int32_t start[NODES + 1], index[NODES * COLS], pairs[EDGES + 1][2] = {{0}};
    feature_rows(start, index);
    memcpy(pairs, e->edge, (size_t)e->edges * sizeof *pairs);
    pairs[e->edges][0] = -1;
    mkdir(fixture_path("six"), 0777);
    small_csr(&pickle, 1, COLS, start, index, e->X[0]);
    small_finish(&pickle, "six/ind.six.x");
    small_csr(&pickle, 4, COLS, start, index, e->X[0]);
    small_finish(&pickle, "six/ind.six.allx");
    small_csr(&pickle, 2, COLS, start, index, e->X[4]);
    small_finish(&pickle, "six/ind.six.tx");
    small_array(&pickle, "i4", 1, 2, (int32_t[]){0, 1});
    small_finish(&pickle, "six/ind.six.y");
    small_array(&pickle, "i4", 4, 2, (int32_t[]){0, 1, 1, 0, 0, 1, 1, 0});
    small_finish(&pickle, "six/ind.six.ally");
    small_array(&pickle, "i4", 2, 2, (int32_t[]){0, 1, 1, 0});
    small_finish(&pickle, "six/ind.six.ty");
    small_graph(&pickle, (const int32_t(*)[2])pairs);
    small_finish(&pickle, "six/ind.six.graph");
    fixture_text("six/ind.six.test.index", "4\n5\n");
    return fixture_path("six");
}

/* Edges and x.csv; `name` is put before a node's number, and `head` before the edges. */
static const char *write_tables(const struct example *e, const char *file, const char *head,
                                const char *name, int first)
{
    char text[512];
    int used = snprintf(text, sizeof text, "%s", head);
    for (int32_t i = 0; i < e->edges; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%d %s%d\n", name,
                         (int)e->edge[i][0] + first, name, (int)e->edge[i][1] + first);
    fixture_text(file, text);
    used = snprintf(text, sizeof text, "node_id,a,b\n");
    for (int i = 0; i < NODES; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%d,%g,%g\n", name, i,
                         (double)e->X[i][0], (double)e->X[i][1]);
    fixture_text("x.csv", text);
    return fixture_path(file);
}

static const char *write_numbers(const struct example *e)
{
    return write_tables(e, "numbers.txt", "", "", 0);
}

static const char *write_names(const struct example *e)
{
    return write_tables(e, "names.txt", "", "n", 0);
}

static const char *write_matrix_market(const struct example *e)
{
    char head[128];
    snprintf(head, sizeof head, "%%%%MatrixMarket matrix coordinate pattern general\n%d %d %d\n",
             NODES, NODES, (int)e->edges);
    return write_tables(e, "graph.mtx", head, "", 1);
}

static const struct {
    const char *name;
    const char *(*write)(const struct example *);
    bool tables, symmetric; /* x.csv goes with it; it has both directions anyway */
} formats[] = {
    {"native", write_native, false, false},
    {"native folder", write_folder, false, false},
    {"citation", write_citation, false, true},
    {"planetoid", write_planetoid, false, true},
    {"ppi", write_ppi, false, true},
    {"ppi archive", write_ppi_archive, false, true},
    {"reddit", write_reddit, false, true},
    {"edge list", write_numbers, true, false},
    {"edge list with names", write_names, true, false},
    {"MatrixMarket", write_matrix_market, true, false},
};
enum { FORMATS = sizeof formats / sizeof *formats, NUMBERED = 7, NAMED = 8 };

/* ---- The rule ---- */

static void fingerprint(char out[GRACO_FINGERPRINT], const char *path, int format, bool undirected)
{
    graco_load_options options = {.undirected = undirected, .directed = !undirected};
    graco_dataset *data = NULL;
    *out = '\0';
    if (format >= 0 && formats[format].tables)
        options.features_path = fixture_path("x.csv");
    CHECK_OK(graco_dataset_load(&data, path, &options));
    if (data)
        CHECK_OK(graco_dataset_fingerprint(out, data));
    graco_dataset_free(data);
}

/* Converted to graco's own format in `name`, and read again. */
static void converted(char out[GRACO_FINGERPRINT], const char *path, int format, const char *name)
{
    graco_load_options options = {.directed = true};
    graco_dataset *data = NULL;
    if (formats[format].tables)
        options.features_path = fixture_path("x.csv");
    fixture_remove(fixture_path(name));
    CHECK_OK(graco_dataset_load(&data, path, &options));
    if (data)
        CHECK_OK(graco_dataset_save(data, fixture_path(name)));
    graco_dataset_free(data);
    fingerprint(out, fixture_path(name), -1, false);
}

static void differs(int format, const char *first, struct example e, const char *what)
{
    char next[GRACO_FINGERPRINT], words[GRACO_DIFFERENCES];
    fingerprint(next, formats[format].write(&e), format, false);
    fingerprint_compare(words, first, next, ALL);
    if (!strstr(words, what))
        fprintf(stderr, "%s: %s differs in '%s'\n", formats[format].name, what, words);
    CHECK(strstr(words, what) && !strstr(words, "number"));
}

static void rule(int format)
{
    char first[GRACO_FINGERPRINT], next[GRACO_FINGERPRINT], words[GRACO_DIFFERENCES];
    char path[256];
    snprintf(path, sizeof path, "%s", formats[format].write(&base));
    fingerprint(first, path, format, false);
    CHECK(fingerprint_valid(first));
    fingerprint(next, path, format, false);
    CHECK(strcmp(first, next) == 0);
    converted(next, path, format, "converted.npz");
    CHECK(strcmp(first, next) == 0);
    converted(next, path, format, "converted");
    CHECK(strcmp(first, next) == 0);
    fingerprint(next, path, format, true);
    fingerprint_compare(words, first, next, ALL);
    CHECK(strcmp(words, formats[format].symmetric ? "" : "graph") == 0);
    differs(format, first, other_edge(), "graph");
    differs(format, first, other_feature(), "features");
    /* Names are numbered as they appear: then the names change places, and each keeps its row. */
    differs(format, first, other_order(), format == NAMED ? "node names" : "features");
}

/* What each part is about, and what is no part of it. */
static void parts(void)
{
    static const char
        a[] = "3-0000000000000000-1111111111111111-2222222222222222-3333333333333333-4",
        b[] = "30-0000000000000001-1111111111111111-2222222222222223-3333333333333334-5";
    char words[GRACO_DIFFERENCES], numbers[GRACO_FINGERPRINT], names[GRACO_FINGERPRINT];
    fingerprint_compare(words, a, b, ALL);
    CHECK(strcmp(words, "number of nodes, graph, node names, split, labels") == 0);
    fingerprint_compare(words, b, a, 0);
    CHECK(strcmp(words, "number of nodes, graph, node names") == 0);
    CHECK(!fingerprint_valid(a) && !fingerprint_valid(a + 1));
    CHECK(!fingerprint_valid("") && !fingerprint_valid("3") && !fingerprint_valid("3-0-0-0-0"));
    fingerprint(numbers, write_numbers(&base), NUMBERED, false);
    fingerprint(names, write_names(&base), NAMED, false);
    fingerprint_compare(words, numbers, names, ALL);
    CHECK(strcmp(words, "node names") == 0);
}

/* The word that is in run folders must stay the same from version to version. */
static void fixed(void)
{
    char text[GRACO_FINGERPRINT];
    fingerprint(text, write_native(&base), 0, false);
    CHECK(strcmp(text, "6-3e206652eea20dbb-b2dbdf4b3eeb22ac-0000000000000003-a0bb8af70bde765c-"
                       "343c4292e6d35fd5") == 0);
}

int main(void)
{
    for (int format = 0; format < FORMATS; format++)
        rule(format);
    parts();
    fixed();
    return check_result();
}
