/* Hostile data sets. A table of graco's own archive and of CitationFull with one array replaced,
 * and every format cut at every length and changed at every byte: each is refused with a message
 * that names the file, or read; sanitizers watch the rest. */
#include "data/dataset.h"
#include "data/readers.h"
#include "data/small_files.h"
#include "data/store.h"

#include "base/memory.h"
#include "data/published.h"

static int refused, accepted;

/* ---- One array replaced ---------------------------------------------------------------------- */

static const int64_t edges[] = {0, 1, 1, 1, 2, 2};
static const float x[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
static const int32_t y[5] = {0, 1, 0, 1, 0};
static const uint8_t ones[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const int64_t five = 5;

struct row {
    const char *name;
    enum array_type type;
    int64_t rows, cols; /* as in small_add: -1 for a dimension that is not there */
    const void *items;
    const char *part; /* of the message; NULL: the set is read */
};

static const float nan_item[10] = {0, 0, 0, (float)NAN}, infinite[10] = {-(float)INFINITY},
                   halves[10] = {0, 0.5};
static const double too_large[10] = {1e300}, not_number[1] = {(double)NAN};
static const int64_t far_ids[] = {0, 1, 5, 1, 2, 2}, below[] = {0, -1, 1, 1, 2, 2},
                     beyond[] = {0, 4294967296, 1, 1, 2, 2}, one_node = 1, none = 0, minus = -5,
                     claimed = INT64_C(1) << 60, starts[] = {0, 1, 2, 3, 3, 3},
                     falling[] = {0, 2, 1, 3, 3, 3}, short_end[] = {0, 1, 2, 2, 2, 2},
                     late[] = {1, 1, 2, 3, 3, 3}, size[] = {5, 2}, tall[] = {4, 2},
                     wide[] = {5, INT64_C(1) << 40}, negative[] = {5, -2};
static const int32_t too_low[5] = {0, -2}, graphs[5] = {0, 0, 0, 1, 1}, gap[5] = {0, 0, 0, 2, 2},
                     crossing[5] = {0, 0, 1, 1, 1}, later[5] = {1, 1, 1, 1, 1},
                     down[5] = {0, 1, 0, 0, 0}, index[3] = {1, 0, 1}, outside[3] = {0, 2, 1},
                     before[3] = {0, -1, 1};
static const int64_t turned[5] = {4, 2, 0, 1, 3};
static const uint8_t codes[5] = {0, 1, 2, 3, 4}, two[10] = {0, 2};

/* In place of an array of {edge_index, x, y, num_nodes}, or beside them. */
static const struct row rows[] = {
    {"edge_index", ARRAY_I64, 2, 3, edges, NULL},
    {"edge_index", ARRAY_I64, 2, 0, edges, NULL},
    {"edge_index", ARRAY_I64, 2, 3, far_ids, "joins nodes 5 and 2"},
    {"edge_index", ARRAY_I64, 2, 3, below, "joins nodes -1 and 2"},
    {"edge_index", ARRAY_I64, 2, 3, beyond, "4294967296"},
    {"edge_index", ARRAY_F32, 2, 3, halves, "0.5"},
    {"edge_index", ARRAY_F64, 2, 3, too_large, "1e+300"},
    {"edge_index", ARRAY_I64, 6, -1, edges, "expected (2, edges)"},
    {"edge_index", ARRAY_I64, 3, 2, edges, "expected (2, edges)"},
    {"edge_index", ARRAY_I64, -1, -1, edges, "expected (2, edges)"},
    {"edge_weight", ARRAY_F32, 3, -1, x, NULL},
    {"edge_weight", ARRAY_F32, 4, -1, x, "edge_weight has 4 rows: expected 3"},
    {"edge_weight", ARRAY_F32, 3, 1, x, "edge_weight has 2 dimensions: expected 1"},
    {"edge_weight", ARRAY_F32, 3, -1, nan_item, "edge 0, from node 0 to node 1, has the weight 0"},
    {"edge_weight", ARRAY_F32, 3, -1, infinite, "has the weight -inf"},
    {"edge_weight", ARRAY_F64, 3, -1, too_large, "1e+300"},
    {"edge_weight", ARRAY_I32, 3, -1, too_low, "has the weight 0"},
    {"x", ARRAY_F32, 5, 2, nan_item, "feature 1 of node 1 is nan"},
    {"x", ARRAY_F32, 5, 2, infinite, "feature 0 of node 0 is -inf"},
    {"x", ARRAY_F64, 5, 2, too_large, "1e+300"},
    {"x", ARRAY_F32, 4, 2, x, "features for 4 nodes: expected 5"},
    {"x", ARRAY_F32, 10, -1, x, "x has 1 dimensions: expected 2"},
    {"x", ARRAY_F32, 5, 0, x, NULL},
    {"y", ARRAY_I32, 4, -1, y, "y has 4 rows: expected 5"},
    {"y", ARRAY_F32, 5, -1, halves, "0.5"},
    {"y", ARRAY_I32, 5, -1, too_low, "node 1 has label -2"},
    {"y", ARRAY_U8, 5, 2, two, "label 1 of node 0 is 2"},
    {"y", ARRAY_U8, 5, 0, two, "labels of 0 classes"},
    {"y", ARRAY_U8, 5, 1, two, NULL},
    {"y", ARRAY_I32, -1, -1, y, "y has 0 dimensions: expected 1"},
    {"num_nodes", ARRAY_I64, -1, -1, &one_node, "expected 1"},
    {"num_nodes", ARRAY_I64, -1, -1, &none, "expected 0"},
    {"num_nodes", ARRAY_I64, -1, -1, &minus, "a graph of -5 nodes"},
    {"num_nodes", ARRAY_I64, -1, -1, &claimed, "expected 1152921504606846976"},
    {"num_nodes", ARRAY_I64, 2, -1, edges, "num_nodes has 2 items: expected 1"},
    {"num_nodes", ARRAY_F64, -1, -1, not_number, "num_nodes"},
    {"split", ARRAY_U8, 5, -1, codes, "node 4 is in split 4"},
    {"split", ARRAY_U8, 4, -1, codes, "split has 4 rows: expected 5"},
    {"split", ARRAY_U8, 5, 1, codes, "split has 2 dimensions: expected 1"},
    {"split", ARRAY_I32, 5, -1, too_low, "-2"},
    {"label_mask", ARRAY_U8, 5, -1, two, "the label mask of node 1 is 2"},
    {"label_mask", ARRAY_U8, 5, -1, ones, NULL},
    {"label_mask", ARRAY_U8, 6, -1, ones, "label_mask has 6 rows: expected 5"},
    {"graph_id", ARRAY_I32, 5, -1, graphs, NULL},
    {"graph_id", ARRAY_I32, 5, -1, gap, "node 3 is in graph 2 after graph 0"},
    {"graph_id", ARRAY_I32, 5, -1, later, "node 0 is in graph 1"},
    {"graph_id", ARRAY_I32, 5, -1, down, "node 2 is in graph 0 after graph 1"},
    {"graph_id", ARRAY_I32, 5, -1, crossing, "joins graphs 0 and 1"},
    {"graph_id", ARRAY_I32, 4, -1, graphs, "graph_id has 4 rows: expected 5"},
    {"graph_id", ARRAY_F32, 5, -1, halves, "graph_id"},
    {"rank_order", ARRAY_I64, 5, -1, turned, NULL},
    {"rank_order", ARRAY_I32, 4, -1, graphs, "rank_order has 4 rows: expected 5"},
    {"rank_order", ARRAY_I32, 5, -1, graphs,
     "place 1 of rank_order has node 0: expected each of 0"},
    {"rank_order", ARRAY_I32, 5, -1, too_low, "place 1 of rank_order has node -2"},
    {"rank_order", ARRAY_F32, 5, -1, halves, "rank_order"},
    {"node_ids", ARRAY_I32, 5, -1, y, "are both called '0'"},
    {"node_ids", ARRAY_F32, 5, -1, halves, "node_ids: an array holds float32 items"},
    {"node_ids", ARRAY_I32, 4, -1, y, "node_ids has 4 rows: expected 5"},
    {"x_data", ARRAY_F32, 3, -1, x, "both x and x_data"},
    {"x_shape", ARRAY_I64, 2, -1, size, "both x and x_shape"},
};

/* The same for sparse features: {edge_index, x_data, x_indices, x_indptr, x_shape}. */
static const struct row sparse_rows[] = {
    {"x_indices", ARRAY_I32, 3, -1, index, NULL},
    {"x_indices", ARRAY_I32, 3, -1, outside, "index 2: expected 0 to 1"},
    {"x_indices", ARRAY_I32, 3, -1, before, "index -1: expected 0 to 1"},
    {"x_indices", ARRAY_I32, 2, -1, index, "the column indices has 2 rows: expected 3"},
    {"x_indices", ARRAY_F32, 3, -1, halves, "0.5"},
    {"x_data", ARRAY_F32, 3, -1, infinite, "has the value -inf in column 1"},
    {"x_data", ARRAY_F32, 3, 1, x, "the values has 2 dimensions"},
    {"x_data", ARRAY_F64, 3, -1, too_large, "1e+300"},
    {"x_indptr", ARRAY_I64, 6, -1, falling, "row 1 ends at 1, before its start at 2"},
    {"x_indptr", ARRAY_I64, 6, -1, short_end, "row pointers run from 0 to 2: expected 0 to 3"},
    {"x_indptr", ARRAY_I64, 6, -1, late, "row pointers run from 1 to 3"},
    {"x_indptr", ARRAY_I64, 5, -1, starts, "the row pointers has 5 rows: expected 6"},
    {"x_indptr", ARRAY_F32, 6, -1, halves, "0.5"},
    {"x_shape", ARRAY_I64, 2, -1, tall, "the row pointers has 6 rows: expected 5"},
    {"x_shape", ARRAY_I64, 2, -1, wide, "a matrix of 5 x 1099511627776"},
    {"x_shape", ARRAY_I64, 2, -1, negative, "a matrix of 5 x -2"},
    {"x_shape", ARRAY_I64, 1, -1, size, "x_shape has 1 rows: expected 2"},
    {"x_shape", ARRAY_F32, 2, -1, halves, "x_shape"},
};

static void add_unless(struct small_arrays *arrays, const struct row *row, const char *name,
                       enum array_type type, const void *items, int64_t count, int64_t cols)
{
    if (strcmp(row->name, name) != 0)
        small_add(arrays, name, type, items, count, cols);
}

static void check_row(const struct row *row)
{
    graco_dataset *data = NULL;
    graco_status status = graco_dataset_load(&data, fixture_path("row.npz"), NULL);
    bool fine = row->part
                    ? status == GRACO_ERROR_FORMAT && !data && strstr(graco_message(), row->part)
                    : status == GRACO_OK;
    if (!fine)
        fprintf(stderr, "%s: expected '%s', found %d '%s'\n", row->name,
                row->part ? row->part : "success", (int)status, graco_message());
    CHECK(fine);
    CHECK(status == GRACO_OK || strstr(graco_message(), "row.npz"));
    refused += status != GRACO_OK;
    accepted += status == GRACO_OK;
    graco_dataset_free(data);
}

static void replaced(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct small_arrays arrays = {0};
        add_unless(&arrays, row, "edge_index", ARRAY_I64, edges, 2, 3);
        add_unless(&arrays, row, "x", ARRAY_F32, x, 5, 2);
        add_unless(&arrays, row, "y", ARRAY_I32, y, 5, -1);
        add_unless(&arrays, row, "num_nodes", ARRAY_I64, &five, -1, -1);
        small_add(&arrays, row->name, row->type, row->items, row->rows, row->cols);
        small_npz(&arrays, "row.npz");
        check_row(row);
    }
    for (size_t i = 0; i < sizeof sparse_rows / sizeof *sparse_rows; i++) {
        const struct row *row = &sparse_rows[i];
        struct small_arrays arrays = {0};
        small_add(&arrays, "edge_index", ARRAY_I64, edges, 2, 3);
        add_unless(&arrays, row, "x_data", ARRAY_F32, x, 3, -1);
        add_unless(&arrays, row, "x_indices", ARRAY_I32, index, 3, -1);
        add_unless(&arrays, row, "x_indptr", ARRAY_I64, starts, 6, -1);
        add_unless(&arrays, row, "x_shape", ARRAY_I64, size, 2, -1);
        small_add(&arrays, row->name, row->type, row->items, row->rows, row->cols);
        small_npz(&arrays, "row.npz");
        check_row(row);
    }
    static const char *const parts[] = {"x_data", "x_indices", "x_indptr", "x_shape"};
    for (int left_out = 0; left_out < 4; left_out++) {
        struct row row = {.name = parts[left_out], .part = parts[left_out]};
        struct small_arrays arrays = {0};
        small_add(&arrays, "edge_index", ARRAY_I64, edges, 2, 3);
        add_unless(&arrays, &row, "x_data", ARRAY_F32, x, 3, -1);
        add_unless(&arrays, &row, "x_indices", ARRAY_I32, index, 3, -1);
        add_unless(&arrays, &row, "x_indptr", ARRAY_I64, starts, 6, -1);
        add_unless(&arrays, &row, "x_shape", ARRAY_I64, size, 2, -1);
        small_npz(&arrays, "row.npz");
        check_row(&row);
    }
    static const char *const missing[] = {"x_indices", "x_data", "x_data", "x_data"};
    for (int alone = 0; alone < 4; alone++) {
        struct row row = {.name = parts[alone], .part = missing[alone]};
        struct small_arrays arrays = {0};
        small_add(&arrays, "edge_index", ARRAY_I64, edges, 2, 3);
        small_add(&arrays, row.name, ARRAY_I64, size, 2, -1);
        small_npz(&arrays, "row.npz");
        check_row(&row);
    }
}

/* Names of numpy's S and U: NULs fill them up, and are refused where anything stands behind them. */
static void strings(void)
{
    static const char padded[] = "a\0\0bc\0d\0\0e\0\0fgh", within[] = "a\0\0bc\0d\0\0e\0ffgh";
    static const uint32_t points[] = {'a', 0, 'b', 0, 'c', 0, 'd', 0, 'e', 0},
                          behind[] = {'a', 0, 'b', 0, 0, 'c', 'd', 0, 'e', 0};
    const struct array names[] = {{.type = ARRAY_BYTES, .size = 3, .data = padded},
                                  {.type = ARRAY_TEXT, .size = 8, .data = points},
                                  {.type = ARRAY_BYTES, .size = 3, .data = within},
                                  {.type = ARRAY_TEXT, .size = 8, .data = behind}};
    static const char *const parts[] = {NULL, NULL, "node_ids: string 3 of an array goes on behind",
                                        "node_ids: string 2 of an array goes on behind"};
    for (int i = 0; i < 4; i++) {
        struct small_arrays arrays = small_native();
        struct row row = {.name = "node_ids", .part = parts[i]};
        arrays.arrays[arrays.count] = names[i];
        arrays.arrays[arrays.count].ndim = 1;
        arrays.arrays[arrays.count].count = arrays.arrays[arrays.count].shape[0] = 5;
        arrays.entries[arrays.count++].name = row.name;
        small_npz(&arrays, "row.npz");
        check_row(&row);
    }
}

/* ---- Reddit: two archives within one --------------------------------------------------------- */

static const int64_t types[5] = {1, 2, 3, 1, 1}, odd_types[5] = {1, 2, 4, 1, 1},
                     no_type[5] = {0, 1, 2, 3, 1}, row_ids[3] = {0, 1, 1}, col_ids[3] = {1, 2, 7},
                     square[2] = {5, 5}, oblong[2] = {5, 4}, reddit_falling[6] = {0, 2, 1, 3, 3, 3};

/* The first three are members of reddit_data.npz. */
static const struct row reddit_sound[] = {
    {"feature", ARRAY_F32, 5, 2, x, NULL},         {"label", ARRAY_I32, 5, -1, y, NULL},
    {"node_types", ARRAY_I64, 5, -1, types, NULL}, {"shape", ARRAY_I64, 2, -1, square, NULL},
    {"row", ARRAY_I64, 3, -1, row_ids, NULL},      {"col", ARRAY_I64, 3, -1, row_ids, NULL},
};

static const struct row reddit_rows[] = {
    {"feature", ARRAY_F32, 5, 2, x, NULL},
    {"feature", ARRAY_F32, 10, -1, x, "feature has 1 dimensions: expected 2"},
    {"feature", ARRAY_F64, 5, 2, too_large, "1e+300"},
    {"feature", ARRAY_F32, 5, 2, nan_item, "feature 1 of node 1 is nan"},
    {"feature", ARRAY_F32, 4, 2, x, "label has 5 rows: expected 4"},
    {"label", ARRAY_I32, 5, 1, y, NULL},
    {"label", ARRAY_I32, 5, 2, far_ids, "label has 2 columns: expected 1"},
    {"label", ARRAY_I32, -1, -1, y, "label has 0 dimensions: expected 1"},
    {"label", ARRAY_F32, 5, -1, halves, "label"},
    {"label", ARRAY_I32, 5, -1, too_low, "node 1 has label -2"},
    {"node_types", ARRAY_I64, 5, -1, odd_types, "node 2 is of type 4"},
    {"node_types", ARRAY_I64, 5, -1, no_type, "node 0 is of type 0"},
    {"node_types", ARRAY_F32, 5, -1, halves, "node_types"},
    {"node_types", ARRAY_I64, 4, -1, types, "node_types has 4 rows: expected 5"},
    {"shape", ARRAY_I64, 2, -1, oblong, "the matrix is 5 x 4: expected 5 x 5"},
    {"shape", ARRAY_I64, 1, -1, square, "shape has 1 rows: expected 2"},
    {"shape", ARRAY_F32, 2, -1, halves, "0.5"},
    {"row", ARRAY_I64, 2, -1, row_ids, "row has 2 items: expected 3"},
    {"row", ARRAY_I64, 3, 1, row_ids, "row has 2 dimensions: expected 1"},
    {"row", ARRAY_F32, 3, -1, halves, "0.5"},
    {"row", ARRAY_I64, 3, -1, beyond, "4294967296"},
    {"col", ARRAY_I64, 3, -1, col_ids, "joins nodes 1 and 7"},
    {"col", ARRAY_I64, 3, -1, below, "joins nodes 1 and -1"},
    {"col", ARRAY_F32, 3, -1, halves, "0.5"},
    /* A member indptr makes the matrix a compressed one, whose columns are indices. */
    {"indptr", ARRAY_I64, 6, -1, starts, NULL},
    {"indptr", ARRAY_I64, 5, -1, starts, "indptr has 5 rows: expected 6"},
    {"indptr", ARRAY_I64, 6, -1, late, "indptr: row pointers run from 1 to 3: expected 0 to 3"},
    {"indptr", ARRAY_I64, 6, -1, short_end,
     "indptr: row pointers run from 0 to 2: expected 0 to 3"},
    {"indptr", ARRAY_I64, 6, -1, reddit_falling, "row 1 ends at 1, before its start at 2"},
    {"indptr", ARRAY_F32, 6, -1, halves, "0.5"},
};

/* The inner archive 0 or 1 of row.npz, with one member replaced. */
static void write_inner(struct store *outer, int which, const struct row *row)
{
    struct store *inner = NULL;
    struct array array;
    CHECK_OK(store_begin(outer, which == 0 ? "reddit_data.npz" : "reddit_graph.npz"));
    CHECK_OK(store_create_within(&inner, outer));
    for (int i = which == 0 ? 0 : 3; i < (which == 0 ? 3 : 6); i++) {
        const struct row *sound = &reddit_sound[i];
        const struct row *used = strcmp(sound->name, row->name) == 0 ? row : sound;
        const int64_t shape[2] = {used->rows, used->cols};
        CHECK_OK(array_borrow(&array, used->type, used->items,
                              used->cols >= 0   ? 2
                              : used->rows >= 0 ? 1
                                                : 0,
                              shape));
        CHECK_OK(store_array(inner, used->name, &array));
    }
    if (which == 1 && strcmp(row->name, "indptr") == 0) {
        CHECK_OK(array_borrow(&array, ARRAY_I64, row_ids, 1, (const int64_t[]){3}));
        CHECK_OK(store_array(inner, "indices", &array));
        CHECK_OK(array_borrow(&array, row->type, row->items, 1, &row->rows));
        CHECK_OK(store_array(inner, "indptr", &array));
    }
    CHECK_OK(store_commit(inner));
    CHECK_OK(store_end(outer));
    store_free(inner);
}

static void reddit(void)
{
    for (size_t i = 0; i < sizeof reddit_rows / sizeof *reddit_rows; i++) {
        struct store *outer = NULL;
        CHECK_OK(store_create(&outer, fixture_path("row.npz")));
        write_inner(outer, 0, &reddit_rows[i]);
        write_inner(outer, 1, &reddit_rows[i]);
        CHECK_OK(store_commit(outer));
        store_free(outer);
        check_row(&reddit_rows[i]);
    }
}

/* ---- Claims that nothing backs --------------------------------------------------------------- */

/* num_nodes alone: up to 2^16, or 16 for each edge; more with an array that has a row per node. */
static void claims(void)
{
    static const struct {
        int64_t nodes, edges;
        bool labelled;
        const char *part;
    } table[] = {
        {65536, 1, false, NULL},
        {65537, 1, false, "65537 nodes, with 1 edges and no array"},
        {65537, 1, true, NULL},
        {80000, 5000, false, NULL},
        {80001, 5000, false, "expected at most 80000, or such an array"},
        {INT32_MAX, 0, false, "2147483647 nodes, with 0 edges"},
        {(int64_t)INT32_MAX + 1, 0, false, "2147483648 nodes"},
    };
    static int64_t pairs[10000];
    int32_t *labels = calloc(65537, sizeof *labels);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct small_arrays arrays = {0};
        struct row row = {.name = "num_nodes", .part = table[i].part};
        small_add(&arrays, "edge_index", ARRAY_I64, pairs, 2, table[i].edges);
        small_add(&arrays, "num_nodes", ARRAY_I64, &table[i].nodes, -1, -1);
        if (table[i].labelled)
            small_add(&arrays, "y", ARRAY_I32, labels, table[i].nodes, -1);
        small_npz(&arrays, "row.npz");
        check_row(&row);
    }
    free(labels);
}

/* A matrix of two billion columns with three entries, out of order: no memory for each column. */
static void wide_rows(void)
{
    int64_t start[] = {0, 2, 3};
    int32_t column[] = {2000000000, 7, 5};
    float value[] = {1, 2, 3};
    struct csr matrix = {
        .rows = 2, .cols = INT32_MAX, .start = start, .index = column, .value = value};
    CHECK_OK(csr_sort(&matrix));
    CHECK(column[0] == 7 && value[0] == 2 && column[1] == 2000000000 && value[1] == 1);
    CHECK(column[2] == 5 && value[2] == 3);
    column[2] = -1;
    CHECK_OK(csr_sort(&matrix));
    CHECK_FAILS(csr_check(&matrix, 0), GRACO_ERROR_FORMAT, "row 1 has a column index -1");
}

/* ---- Cut and changed ------------------------------------------------------------------------- */

static void try_load(const char *path, const graco_load_options *options, bool cut)
{
    graco_dataset *data = NULL;
    graco_status status = graco_dataset_load(&data, fixture_path(path), options);
    CHECK((status == GRACO_OK) == (data != NULL));
    CHECK(!cut || status != GRACO_OK);
    CHECK(status == GRACO_OK || strstr(graco_message(), fixture_folder()));
    refused += status != GRACO_OK;
    accepted += status == GRACO_OK;
    graco_dataset_free(data);
}

/* Damages `file` of the set at `path`; `whole`: no prefix of it may be read. */
static void damage(const char *path, const char *file, const graco_load_options *options,
                   bool whole)
{
    static const uint8_t flips[] = {1, 0x40, 0xff};
    uint8_t *bytes = NULL;
    int64_t length = 0;
    CHECK_OK(file_read(&bytes, &length, fixture_path(file), 1 << 20));
    int64_t step = length > 1500 ? length / 500 : 1;
    for (int64_t end = 0; end < length; end += end < 64 ? 1 : step) {
        fixture_write(file, bytes, (size_t)end);
        try_load(path, options, whole);
    }
    for (int64_t at = 0; at < length; at += step)
        for (size_t f = 0; f < sizeof flips; f++) {
            bytes[at] ^= flips[f];
            fixture_write(file, bytes, (size_t)length);
            try_load(path, options, false);
            bytes[at] ^= flips[f];
        }
    fixture_write(file, bytes, (size_t)length);
    try_load(path, options, false);
    memory_free(bytes);
}

static void published(const char *like, double scale, const char *file)
{
    graco_dataset *data = fixture_data(.like = like, .scale = scale);
    CHECK_OK(published_write(data, fixture_path(file), like));
    graco_dataset_free(data);
    damage(file, file, NULL, true);
}

static void damaged(void)
{
    static const char *const parts[] = {"x", "tx", "allx", "y", "ty", "ally", "graph"};
    char name[64], features[128], labels[128];
    struct small_arrays arrays = small_native();
    small_add(&arrays, "x", ARRAY_F32, x, 5, 2);
    small_npz(&arrays, "native.npz");
    damage("native.npz", "native.npz", NULL, true);
    small_citation("citation.npz", (int32_t[]){1, 2, 1}, 3);
    damage("citation.npz", "citation.npz", NULL, true);
    small_planetoid();
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        snprintf(name, sizeof name, "tiny/ind.tiny.%s", parts[p]);
        damage("tiny", name, NULL, true);
    }
    damage("tiny", "tiny/ind.tiny.test.index", NULL, false);
    graco_dataset *data = NULL;
    CHECK_OK(graco_dataset_load(&data, fixture_path("native.npz"), NULL));
    CHECK_OK(graco_dataset_save(data, fixture_path("folder")));
    graco_dataset_free(data);
    damage("folder", "folder/edge_index.npy", NULL, true);
    damage("folder", "folder/x.npy", NULL, true);
    damage("folder", "folder/num_nodes.npy", NULL, true);
    small_tables();
    snprintf(features, sizeof features, "%s", fixture_path("features.csv"));
    snprintf(labels, sizeof labels, "%s", fixture_path("labels.csv"));
    const graco_load_options options = {.features_path = features, .labels_path = labels};
    damage("named.txt", "named.txt", &options, false);
    damage("named.txt", "features.csv", &options, false);
    damage("named.txt", "labels.csv", &options, false);
    static const char *const formats[] = {"csr", "csc", "coo"};
    for (int f = 0; f < 3; f++) {
        arrays = small_scipy(formats[f], 4);
        small_npz(&arrays, "scipy.npz");
        damage("scipy.npz", "scipy.npz", NULL, true);
    }
    fixture_text("graph.json", small_json);
    damage("graph.json", "graph.json", NULL, false);
    fixture_text("graph.xml", small_graphml);
    damage("graph.xml", "graph.xml", NULL, false);
    fixture_text("numbers.txt", "0 1\n2 3\n");
    snprintf(features, sizeof features, "%s", fixture_path("scipy.npz"));
    const graco_load_options matrix = {.features_path = features};
    damage("numbers.txt", "scipy.npz", &matrix, true);
    fixture_text("scipy.npz", "%%MatrixMarket matrix coordinate real general\n4 2 1\n1 2 .5\n");
    damage("numbers.txt", "scipy.npz", &matrix, false);
    small_graphsaint("flickr", "{\"0\": 2, \"3\": 0, \"1\": 1, \"2\": 1}");
    damage("flickr", "flickr/adj_full.npz", NULL, true);
    damage("flickr", "flickr/class_map.json", NULL, true);
    damage("flickr", "flickr/role.json", NULL, true);
    small_ogb("arxiv");
    damage("arxiv", "arxiv/raw/edge.csv.gz", NULL, true);
    damage("arxiv", "arxiv/split/time/train.csv.gz", NULL,
           false); /* an empty file is an empty part */
    small_zip("arxiv.zip", "arxiv", "arxiv/");
    damage("arxiv.zip", "arxiv.zip", NULL, true);
    small_musae("pages");
    damage("pages", "pages/musae_f_edges.csv", NULL, false);
    damage("pages", "pages/musae_f_target.csv", NULL, false);
    damage("pages", "pages/musae_f_features.json", NULL, true);
    fixture_text("wiki.json", small_wikics);
    damage("wiki.json", "wiki.json", NULL, false);
    published("ppi", 0.0005, "ppi.zip");
    published("reddit", 0.0001, "reddit.zip");
}

int main(void)
{
    replaced();
    strings();
    reddit();
    claims();
    wide_rows();
    damaged();
    printf("%d inputs refused, %d read\n", refused, accepted);
    return check_result();
}
