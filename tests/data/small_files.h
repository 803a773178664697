/* Small data sets in every format, written by the tests themselves. */
#ifndef TESTS_DATA_SMALL_FILES_H
#define TESTS_DATA_SMALL_FILES_H

#include "base/memory.h"
#include "fixture.h"
#include "io/files/file.h"
#include "io/npy.h"
#include "data/store.h"
#include "io/zip/npz.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Writes what gzip makes of the bytes; at level 0 they are stored. */
static inline void small_gzip(const char *name, const void *bytes, size_t length, int level)
{
    z_stream zlib = {0};
    CHECK(deflateInit2(&zlib, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    uLong room = deflateBound(&zlib, (uLong)length);
    uint8_t *packed = malloc(room);
    memcpy(&zlib.next_in, &bytes, sizeof bytes);
    zlib.avail_in = (uInt)length;
    zlib.next_out = packed;
    zlib.avail_out = (uInt)room;
    CHECK(deflate(&zlib, Z_FINISH) == Z_STREAM_END);
    fixture_write(name, packed, (size_t)zlib.total_out);
    deflateEnd(&zlib);
    free(packed);
}

/* ---- Pickles, protocol 2 ---- */

struct small_pickle {
    char bytes[4096];
    size_t length;
};

static inline void small_put(struct small_pickle *pickle, const void *bytes, size_t length)
{
    memcpy(pickle->bytes + pickle->length, bytes, length);
    pickle->length += length;
}

#define SMALL_PUT(pickle, literal) small_put(pickle, literal, sizeof(literal) - 1)

static inline void small_int(struct small_pickle *pickle, int32_t value)
{
    SMALL_PUT(pickle, "J");
    small_put(pickle, &value, 4);
}

/* A numpy array of 4-byte items, "i4" or "f4"; cols 0: one dimension. */
static inline void small_array(struct small_pickle *pickle, const char type[2], int32_t rows,
                               int32_t cols, const void *items)
{
    int32_t length = 4 * rows * (cols ? cols : 1);
    SMALL_PUT(pickle,
              "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\1b\x87R(K\1");
    small_int(pickle, rows);
    if (cols)
        small_int(pickle, cols);
    small_put(pickle, cols ? "\x86" : "\x85", 1);
    SMALL_PUT(pickle, "cnumpy\ndtype\nU\2");
    small_put(pickle, type, 2);
    SMALL_PUT(pickle, "K\0K\1\x87R(K\3U\1<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb\x89T");
    small_put(pickle, &length, 4);
    small_put(pickle, items, (size_t)length);
    SMALL_PUT(pickle, "tb");
}

static inline void small_matrix(struct small_pickle *pickle, int32_t rows, int32_t cols,
                                int32_t entries, const int32_t *start, const int32_t *index,
                                const float *value)
{
    SMALL_PUT(pickle, "cscipy.sparse.csr\ncsr_matrix\n)\x81}(U\6_shape");
    small_int(pickle, rows);
    small_int(pickle, cols);
    SMALL_PUT(pickle, "\x86U\6indptr");
    small_array(pickle, "i4", rows + 1, 0, start);
    SMALL_PUT(pickle, "U\7indices");
    small_array(pickle, "i4", entries, 0, index);
    SMALL_PUT(pickle, "U\4data");
    small_array(pickle, "f4", entries, 0, value);
    SMALL_PUT(pickle, "ub");
}

static inline void small_csr(struct small_pickle *pickle, int32_t rows, int32_t cols,
                             const int32_t *start, const int32_t *index, const float *value)
{
    small_matrix(pickle, rows, cols, start[rows], start, index, value);
}

static inline void small_finish(struct small_pickle *pickle, const char *name)
{
    SMALL_PUT(pickle, ".");
    fixture_write(name, pickle->bytes, pickle->length);
    pickle->length = 2;
}

/* {node: [neighbour, ...]} from pairs that end with -1; every pair is an entry of its own. */
static inline void small_graph(struct small_pickle *pickle, const int32_t (*pairs)[2])
{
    SMALL_PUT(pickle, "}(");
    for (; (*pairs)[0] >= 0; pairs++) {
        small_int(pickle, (*pairs)[0]);
        SMALL_PUT(pickle, "](");
        small_int(pickle, (*pairs)[1]);
        SMALL_PUT(pickle, "e");
    }
    SMALL_PUT(pickle, "u");
}

/* Seven nodes: 4 in allx, of which 1 for training, and tests 6 and 4; 5 is missing, as in Citeseer.
 * Row 1 of allx is not in order. Edges 0-1, 1-6, 4-6 and a self-loop. */
static inline void small_planetoid(void)
{
    struct small_pickle pickle = {.bytes = "\x80\x02", .length = 2};
    mkdir(fixture_path("tiny"), 0777);
    small_csr(&pickle, 1, 3, (int32_t[]){0, 1}, (int32_t[]){2}, (float[]){1});
    small_finish(&pickle, "tiny/ind.tiny.x");
    small_csr(&pickle, 4, 3, (int32_t[]){0, 1, 3, 3, 4}, (int32_t[]){2, 1, 0, 0},
              (float[]){1, 2, 3, 4});
    small_finish(&pickle, "tiny/ind.tiny.allx");
    small_csr(&pickle, 2, 3, (int32_t[]){0, 1, 2}, (int32_t[]){1, 2}, (float[]){5, 6});
    small_finish(&pickle, "tiny/ind.tiny.tx");
    small_array(&pickle, "i4", 1, 2, (int32_t[]){0, 1});
    small_finish(&pickle, "tiny/ind.tiny.y");
    small_array(&pickle, "i4", 4, 2, (int32_t[]){0, 1, 1, 0, 0, 1, 1, 0});
    small_finish(&pickle, "tiny/ind.tiny.ally");
    small_array(&pickle, "i4", 2, 2, (int32_t[]){0, 1, 1, 0});
    small_finish(&pickle, "tiny/ind.tiny.ty");
    small_graph(&pickle, (const int32_t[][2]){{0, 1}, {1, 6}, {6, 4}, {2, 2}, {-1, -1}});
    small_finish(&pickle, "tiny/ind.tiny.graph");
    fixture_text("tiny/ind.tiny.test.index", "6\n4\n");
}

/* ---- Archives ---- */

struct small_arrays {
    int count;
    struct array arrays[16];
    struct npz_entry entries[16];
};

static inline void small_add(struct small_arrays *arrays, const char *name, enum array_type type,
                             const void *data, int64_t rows, int64_t cols)
{
    const int64_t shape[2] = {rows, cols};
    struct array *array = &arrays->arrays[arrays->count];
    CHECK_OK(array_borrow(array, type, data, cols >= 0 ? 2 : rows >= 0 ? 1 : 0, shape));
    arrays->entries[arrays->count++] = (struct npz_entry){name, array};
}

static inline void small_npz(struct small_arrays *arrays, const char *name)
{
    for (int i = 0; i < arrays->count; i++)
        arrays->entries[i].array = &arrays->arrays[i]; /* the struct may have been copied */
    CHECK_OK(npz_write(fixture_path(name), arrays->entries, arrays->count));
}

/* Three nodes, edges 0-1, 1-2 and 1-1, two features; row 0 is not in order. */
static inline void small_citation(const char *name, const int32_t *indices, int64_t labels)
{
    static const float ones[] = {1, 1, 1};
    static const int64_t adjacency_shape[] = {3, 3}, feature_shape[] = {3, 2},
                         label[] = {0, 2, 1, 0};
    static const int32_t start[] = {0, 1, 3, 3}, feature_index[] = {1, 0, 1},
                         feature_start[] = {0, 2, 3, 3};
    struct small_arrays arrays = {0};
    small_add(&arrays, "adj_data", ARRAY_F32, ones, 3, -1);
    small_add(&arrays, "adj_indices", ARRAY_I32, indices, 3, -1);
    small_add(&arrays, "adj_indptr", ARRAY_I32, start, 4, -1);
    small_add(&arrays, "adj_shape", ARRAY_I64, adjacency_shape, 2, -1);
    small_add(&arrays, "attr_data", ARRAY_F32, ones, 3, -1);
    small_add(&arrays, "attr_indices", ARRAY_I32, feature_index, 3, -1);
    small_add(&arrays, "attr_indptr", ARRAY_I32, feature_start, 4, -1);
    small_add(&arrays, "attr_shape", ARRAY_I64, feature_shape, 2, -1);
    small_add(&arrays, "labels", ARRAY_I64, label, labels, -1);
    small_npz(&arrays, name);
}

/* What scipy's save_npz writes of the 4 x 4 matrix with 1 at (0, 1), 2 at (2, 1), 3 at (3, 0), as "csr",
 * "csc", "coo" or another format, which has the arrays of coo; `cols` is what the shape says. Good
 * until the next call. */
static inline struct small_arrays small_scipy(const char *format, int64_t cols)
{
    static const double values[] = {1, 2, 3}, by_col[] = {3, 1, 2};
    static const int32_t row[] = {0, 2, 3}, col[] = {1, 1, 0}, start[] = {0, 1, 1, 2, 3},
                         col_start[] = {0, 1, 3, 3, 3}, col_rows[] = {3, 0, 2};
    static int64_t shape[2];
    bool csc = strcmp(format, "csc") == 0, csr = strcmp(format, "csr") == 0;
    struct small_arrays arrays = {0};
    shape[0] = 4;
    shape[1] = cols;
    if (csr || csc) {
        small_add(&arrays, "indices", ARRAY_I32, csc ? col_rows : col, 3, -1);
        small_add(&arrays, "indptr", ARRAY_I32, csc ? col_start : start, 5, -1);
    } else {
        small_add(&arrays, "row", ARRAY_I32, row, 3, -1);
        small_add(&arrays, "col", ARRAY_I32, col, 3, -1);
    }
    small_add(&arrays, "shape", ARRAY_I64, shape, 2, -1);
    small_add(&arrays, "data", ARRAY_F64, csc ? by_col : values, 3, -1);
    arrays.arrays[arrays.count] =
        (struct array){.type = ARRAY_BYTES, .count = 1, .size = 3, .data = format};
    arrays.entries[arrays.count].name = "format";
    arrays.count++;
    return arrays;
}

/* GraphSAINT's layout: four nodes with the edges of small_scipy, two features, a split. */
static inline void small_graphsaint(const char *folder, const char *classes)
{
    static const double feats[] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct small_arrays arrays = small_scipy("csr", 4);
    struct array array;
    char name[64];
    mkdir(fixture_path(folder), 0777);
    snprintf(name, sizeof name, "%s/adj_full.npz", folder);
    small_npz(&arrays, name);
    CHECK_OK(array_borrow(&array, ARRAY_F64, feats, 2, (const int64_t[]){4, 2}));
    snprintf(name, sizeof name, "%s/feats.npy", folder);
    CHECK_OK(npy_write(fixture_path(name), &array));
    snprintf(name, sizeof name, "%s/class_map.json", folder);
    fixture_text(name, classes);
    snprintf(name, sizeof name, "%s/role.json", folder);
    fixture_text(name, "{\"tr\": [3, 0], \"va\": [1], \"te\": []}");
}

static inline void small_ogb_file(const char *folder, const char *file, const char *text)
{
    char name[128];
    snprintf(name, sizeof name, "%s/%s", folder, file);
    small_gzip(name, text, strlen(text), 6);
}

/* The Open Graph Benchmark's layout: three nodes, two edges, two features, a split. */
static inline void small_ogb(const char *folder)
{
    static const char *const folders[] = {"", "/raw", "/split", "/split/time"};
    char name[128];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%s", folder, folders[i]);
        mkdir(fixture_path(name), 0777);
    }
    small_ogb_file(folder, "raw/num-node-list.csv.gz", "3\n");
    small_ogb_file(folder, "raw/num-edge-list.csv.gz", "2\n");
    small_ogb_file(folder, "raw/edge.csv.gz", "0,1\n2,1\n");
    small_ogb_file(folder, "raw/node-feat.csv.gz", "0.5,-1\n2,3\n1e-1,4\n");
    small_ogb_file(folder, "raw/node-label.csv.gz", "4\n0\n2\n");
    small_ogb_file(folder, "split/time/train.csv.gz", "2\n");
    small_ogb_file(folder, "split/time/valid.csv.gz", "0\n");
    small_ogb_file(folder, "split/time/test.csv.gz", "1\n");
}

/* Wiki-CS's data.json: four nodes, two features, links 0 -> 1, 0 -> 2, 2 -> 0, 3 -> 3, two splits. */
static const char small_wikics[] =
    "{\"features\": [[0.5, 1], [-2, 3], [4e-1, 5], [6, 7]], \"labels\": [2, 0, 1, 0],\n"
    " \"links\": [[1, 2], [], [0], [3]],\n"
    " \"train_masks\": [[true, false, false, false], [false, true, false, false]],\n"
    " \"stopping_masks\": [[false, true, false, false], [true, false, false, false]],\n"
    " \"val_masks\": [[false, false, true, false], [false, false, true, false]],\n"
    " \"test_mask\": [false, false, false, true]}\n";

/* The layout of Facebook's pages: three nodes, edges 0-1 and 1-2, columns 0 to 4. */
static inline void small_musae(const char *folder)
{
    char name[128];
    mkdir(fixture_path(folder), 0777);
    snprintf(name, sizeof name, "%s/musae_f_edges.csv", folder);
    fixture_text(name, "id_1,id_2\n0,1\n1,2\n");
    snprintf(name, sizeof name, "%s/musae_f_target.csv", folder);
    fixture_text(name, "id,facebook_id,page_name,page_type\n2,145,\"The \"\"A\"\", B\",tvshow\n"
                       "0,191,,company\n1,100,C,tvshow\n");
    snprintf(name, sizeof name, "%s/musae_f_features.json", folder);
    fixture_text(name, "{\"0\": [4, 1, 4], \"2\": [], \"1\": [0]}");
}

/* The files of a folder, and of the folders in it, as an archive in which they lie below `within`. */
static inline void small_pack(struct store *store, const char *folder, const char *within)
{
    struct file_list list = {0};
    CHECK_OK(file_list_folder(&list, fixture_path(folder)));
    for (int64_t i = 0; i < list.count; i++) {
        char from[192], to[192];
        uint8_t *bytes = NULL;
        int64_t length = 0;
        snprintf(from, sizeof from, "%.100s/%.60s", folder, list.names[i]);
        bool deeper = file_is_folder(fixture_path(from));
        snprintf(to, sizeof to, "%.100s%.60s%s", within, list.names[i], deeper ? "/" : "");
        if (deeper) {
            small_pack(store, from, to);
            continue;
        }
        CHECK_OK(file_read(&bytes, &length, fixture_path(from), 1 << 20));
        CHECK_OK(store_begin(store, to));
        CHECK_OK(store_write(store, bytes, length));
        CHECK_OK(store_end(store));
        memory_free(bytes);
    }
    file_list_clear(&list);
}

static inline void small_zip(const char *name, const char *folder, const char *within)
{
    struct store *store = NULL;
    CHECK_OK(store_create(&store, fixture_path(name)));
    small_pack(store, folder, within);
    CHECK_OK(store_commit(store));
    store_free(store);
}

/* The start of graco's own format: five nodes, edges 0 -> 1, 1 -> 2, 1 -> 2. */
static inline struct small_arrays small_native(void)
{
    static const int64_t edges[] = {0, 1, 1, 1, 2, 2}, nodes = 5;
    struct small_arrays arrays = {0};
    small_add(&arrays, "edge_index", ARRAY_I64, edges, 2, 3);
    small_add(&arrays, "num_nodes", ARRAY_I64, &nodes, -1, -1);
    return arrays;
}

/* networkx's node-link JSON: three nodes with a number, a list and a label, two links with weights. */
static const char small_json[] =
    "{\"directed\": false, \"multigraph\": false, \"graph\": {},\n"
    " \"nodes\": [{\"age\": 31, \"x\": [0.5, 2], \"label\": \"red\", \"id\": \"ann\"},\n"
    "  {\"age\": 7, \"x\": [1, 3], \"id\": \"bob\"},\n"
    "  {\"age\": -2, \"x\": [4, 5], \"label\": \"blue\", \"id\": \"cid\"}],\n"
    " \"links\": [{\"weight\": 2, \"source\": \"ann\", \"target\": \"bob\"},\n"
    "  {\"weight\": 0.5, \"source\": \"bob\", \"target\": \"cid\"}]}\n";

/* The same graph in GraphML, with an edge before its nodes and what only GraphML has. */
static const char small_graphml[] =
    "<?xml version='1.0' encoding='utf-8'?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
    " <key id=\"d0\" for=\"node\" attr.name=\"age\" attr.type=\"long\"/>\n"
    " <key id=\"d1\" for=\"node\" attr.name=\"x[0]\" attr.type=\"double\"/>\n"
    " <key id=\"d2\" for=\"node\" attr.name=\"x[1]\" "
    "attr.type=\"float\"><default>2</default></key>\n"
    " <key id=\"d3\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n"
    " <key id=\"d4\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
    " <key id=\"d5\" for=\"node\"/>\n"
    " <graph edgedefault=\"undirected\"><desc>friends</desc>\n"
    "  <edge source=\"ann\" target=\"bob\"><data key=\"d4\">2</data></edge>\n"
    "  <node id=\"ann\"><data key=\"d0\">31</data><data key=\"d1\">0.5</data>\n"
    "   <data key=\"d3\">red</data></node>\n"
    "  <node id=\"bob\"><data key=\"d0\">7</data><data key=\"d1\">1</data>\n"
    "   <data key=\"d2\">3</data></node>\n"
    "  <node id=\"cid\"><data key=\"d0\">-<![CDATA[2]]></data><data key=\"d1\">4</data>\n"
    "   <data key=\"d2\">5</data><data key=\"d3\">b&#108;ue</data>\n"
    "   <data key=\"d5\"><y:ShapeNode><y:Label>7</y:Label></y:ShapeNode></data></node>\n"
    "  <edge source=\"bob\" target=\"cid\"><data key=\"d4\">.5</data></edge>\n"
    " </graph></graphml>\n";

/* Edges between named nodes, their features (one of them without an edge) and labels. */
static inline void small_tables(void)
{
    fixture_text("named.txt", "# friends\nann bob\nbob cid\nann bob\n");
    fixture_text("features.csv", "id,a,b\nbob,1,2\nann,3,4\neve,7,8\ncid,5,6\n");
    fixture_text("labels.csv", "cid,red\nann,blue\n");
}

#endif
