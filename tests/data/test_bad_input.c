/* The same faults in every format: a wrong type, NaN, a negative or unknown node, a name that stands
 * twice, arrays of different lengths, weights of zero and below. Each cell writes a small graph with one
 * fault and must be refused with one line that says what is wrong; without a fault it must be read. A
 * format that cannot express a fault has no cell, and the table that is printed shows which. */
#include "data/small_files.h"

enum fault {
    FAULT_NONE,
    FAULT_TYPE,            /* a feature that is a word */
    FAULT_NAN,             /* a feature that is NaN */
    FAULT_NEGATIVE_ID,     /* an edge to node -1 */
    FAULT_FAR_ID,          /* an edge to a node that is not there */
    FAULT_NAME_TWICE,      /* two nodes of one name */
    FAULT_LENGTH,          /* features for fewer nodes */
    FAULT_ZERO_WEIGHT,     /* 0 */
    FAULT_NEGATIVE_WEIGHT, /* -1 */
    FAULT_NAN_WEIGHT,      /* NaN */
    FAULT_LABEL,           /* a label of another type, or too large */
    FAULT_COUNT
};

static const char *const fault_names[FAULT_COUNT] = {
    "none",    "type",  "nan",   "id < 0", "id > n", "name twice",
    "lengths", "w = 0", "w < 0", "w nan",  "label",
};

/* What the message must have one of, as the case may be. */
static const char *const wanted[FAULT_COUNT][5] = {
    {NULL},
    {"number", "type", "has x", "word", "expected a column"},
    {"nan", "number", "NaN", "bad JSON", "expected a column"},
    {"-1", "node", "a row and a column from 1 to 3", NULL, NULL},
    {"9", "node", "a row and a column from 1 to 3", NULL, NULL},
    {"ann", "twice", "repeated", "duplicate", NULL},
    {"row", "features", "entries", "expected two", "expected 2"},
    {"weight", "number", NULL, NULL, NULL},
    {"weight", "number", NULL, NULL, NULL},
    {"weight", "number", "NaN", "bad JSON", NULL},
    {"label", "class", "number", "integer", NULL},
};

/* The parts of a text that faults change: three nodes, two edges with weights, two features. */
struct words {
    const char *end, *weight, *x, *name, *label;
    bool cut; /* the last row of features is missing */
};

static struct words words_of(enum fault fault, const char *end, const char *name, const char *label)
{
    struct words w = {end, "0.5", "3", name, label, fault == FAULT_LENGTH};
    static const char *const weights[] = {"0", "-1", "nan"};
    if (fault == FAULT_TYPE)
        w.x = "word";
    if (fault == FAULT_NAN)
        w.x = "nan";
    if (fault == FAULT_NEGATIVE_ID)
        w.end = "-1";
    if (fault == FAULT_FAR_ID)
        w.end = "9";
    if (fault == FAULT_NAME_TWICE)
        w.name = "ann";
    if (fault >= FAULT_ZERO_WEIGHT && fault <= FAULT_NAN_WEIGHT)
        w.weight = weights[fault - FAULT_ZERO_WEIGHT];
    if (fault == FAULT_LABEL)
        w.label = "1.5e9";
    return w;
}

static graco_load_options options;
static char features_path[256], labels_path[256];

/* Writes a file by a format. */
#define WRITE(name, ...)                                                                           \
    do {                                                                                           \
        char text_[2048];                                                                          \
        snprintf(text_, sizeof text_, __VA_ARGS__);                                                \
        fixture_text(name, text_);                                                                 \
    } while (0)

static void use_tables(void)
{
    snprintf(features_path, sizeof features_path, "%s", fixture_path("x.csv"));
    snprintf(labels_path, sizeof labels_path, "%s", fixture_path("y.csv"));
    options = (graco_load_options){.features_path = features_path, .labels_path = labels_path};
}

/* Each returns what to load, NULL if the format cannot express the fault. */

static const char *csv(enum fault fault)
{
    struct words w = words_of(fault, "cid", "cid", "1");
    if (fault == FAULT_NAN)
        w.x = "inf";          /* nan is a gap */
    if (fault == FAULT_LABEL) /* any text is a name of a class */
        return NULL;
    WRITE("g.csv", "source,target,weight\nann,bob,1\nbob,%s,%s\n", w.end, w.weight);
    WRITE("x.csv", "id,a,b\nann,1,2\nbob,%s,4\n%s%s", w.x, w.cut ? "" : w.name,
          w.cut ? "" : ",5,6\n");
    WRITE("y.csv", "id,label\nann,0\nbob,%s\n", w.label);
    use_tables();
    return "g.csv";
}

static const char *numbered_csv(enum fault fault)
{
    struct words w = words_of(fault, "2", "2", "1");
    if (fault == FAULT_NAN)
        w.x = "inf"; /* nan is a gap */
    if (fault == FAULT_LABEL)
        return NULL;
    WRITE("g.txt", "0 1 1\n1 %s %s\n", w.end, w.weight);
    WRITE("x.csv", "node,a,b\n0,1,2\n1,%s,4\n%s%s", w.x,
          w.cut                       ? ""
          : fault == FAULT_NAME_TWICE ? "0"
                                      : "2",
          w.cut ? "" : ",5,6\n");
    WRITE("y.csv", "node,label\n0,0\n1,%s\n", w.label);
    use_tables();
    return "g.txt";
}

static const char *market(enum fault fault)
{
    struct words w = words_of(fault, "3", "2", "1");
    if (fault == FAULT_LABEL || fault == FAULT_NAME_TWICE)
        return NULL;
    WRITE("g.mtx", "%%%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n2 %s %s\n",
          w.end, w.weight);
    WRITE("x.csv", "1,2\n%s,4\n%s", w.x, w.cut ? "" : "5,6\n");
    WRITE("y.csv", "0\n%s\n1\n", w.label);
    use_tables();
    return "g.mtx";
}

static const char *node_link(enum fault fault)
{
    struct words w = words_of(fault, "\"cid\"", "cid", "1");
    if (fault == FAULT_LENGTH ||
        fault == FAULT_TYPE) /* such an attribute is no feature: left out */
        return NULL;
    if (fault == FAULT_NAN || fault == FAULT_NAN_WEIGHT) /* as Python writes it */
        w.x = w.weight = "NaN";
    WRITE("g.json",
          "{\"nodes\": [{\"id\": \"ann\", \"a\": 1, \"label\": 0}, {\"id\": \"bob\", \"a\": %s, "
          "\"label\": %s}, {\"id\": \"%s\", \"a\": 5}], \"links\": [{\"source\": \"ann\", "
          "\"target\": \"bob\", \"weight\": 1}, {\"source\": \"bob\", \"target\": %s, \"weight\": "
          "%s}]}",
          w.x, w.label, w.name, w.end, w.weight);
    return fault == FAULT_LABEL ? NULL : "g.json";
}

static const char *graphml(enum fault fault)
{
    struct words w = words_of(fault, "cid", "cid", "1");
    if (fault == FAULT_LENGTH || fault == FAULT_NAN) /* such an attribute is no feature: left out */
        return NULL;
    if (fault == FAULT_LABEL)
        w.label = "word";
    WRITE("g.graphml",
          "<graphml><key id='a' for='node' attr.name='x' attr.type='double'/>"
          "<key id='l' for='node' attr.name='label' attr.type='int'/>"
          "<key id='w' for='edge' attr.name='weight' attr.type='double'/>"
          "<graph edgedefault='directed'><node id='ann'><data key='a'>1</data></node>"
          "<node id='bob'><data key='a'>%s</data><data key='l'>%s</data></node>"
          "<node id='%s'><data key='a'>5</data></node>"
          "<edge source='ann' target='bob'><data key='w'>1</data></edge>"
          "<edge source='bob' target='%s'><data key='w'>%s</data></edge></graph></graphml>",
          w.x, w.label, w.name, w.end, w.weight);
    return "g.graphml";
}

static const char *wikics(enum fault fault)
{
    struct words w = words_of(fault, "2", "2", "1");
    if (fault == FAULT_NAME_TWICE || fault >= FAULT_ZERO_WEIGHT)
        if (fault != FAULT_LABEL)
            return NULL;
    WRITE("data.json",
          "{\"features\": [[1], [%s]%s], \"labels\": [0, %s, 1], \"links\": [[1], [%s], []], "
          "\"train_masks\": [[true, false, false]], \"val_masks\": [[false, true, false]], "
          "\"test_mask\": [false, false, true]}",
          fault == FAULT_TYPE ? "\"word\"" : w.x, w.cut ? "" : ", [5]", w.label, w.end);
    return "data.json";
}

static const char *musae(enum fault fault)
{
    struct words w = words_of(fault, "2", "2", "1");
    if (fault == FAULT_LABEL || fault >= FAULT_ZERO_WEIGHT) /* any text is a class; no weights */
        return NULL;
    small_musae("pages");
    WRITE("pages/musae_f_edges.csv", "id_1,id_2\n0,1\n1,%s\n", w.end);
    WRITE("pages/musae_f_features.json", "{\"0\": [1], \"%s\": [%s]%s}",
          fault == FAULT_NAME_TWICE ? "0" : "1", fault == FAULT_TYPE ? "\"word\"" : w.x,
          w.cut ? "" : ", \"2\": []");
    return "pages";
}

static const char *ogb(enum fault fault)
{
    struct words w = words_of(fault, "2", "2", "1");
    char text[64];
    if (fault == FAULT_NAME_TWICE || (fault >= FAULT_ZERO_WEIGHT && fault != FAULT_LABEL))
        return NULL;
    small_ogb("arxiv");
    snprintf(text, sizeof text, "0,1\n1,%s\n", w.end);
    small_ogb_file("arxiv", "raw/edge.csv.gz", text);
    snprintf(text, sizeof text, "1,2\n%s,4\n%s", w.x, w.cut ? "" : "5,6\n");
    small_ogb_file("arxiv", "raw/node-feat.csv.gz", text);
    snprintf(text, sizeof text, "0\n%s\n1\n", w.label);
    small_ogb_file("arxiv", "raw/node-label.csv.gz", text);
    return "arxiv";
}

/* ---- Arrays: in memory, in graco's own archive, as scipy and CitationFull have them ------------ */

struct arrays {
    double source[2], target[2], weight[2], x[6], label[3];
    int64_t nodes, rows;
    const char *names[3];
};

static struct arrays arrays_of(enum fault fault)
{
    struct arrays a = {.source = {0, 1},
                       .target = {1, 2},
                       .weight = {1, 0.5},
                       .x = {1, 2, 3, 4, 5, 6},
                       .label = {0, 1, 1},
                       .nodes = 3,
                       .rows = fault == FAULT_LENGTH ? 2 : 3,
                       .names = {"ann", "bob", fault == FAULT_NAME_TWICE ? "ann" : "cid"}};
    if (fault == FAULT_NAN)
        a.x[2] = (double)NAN;
    if (fault == FAULT_NEGATIVE_ID || fault == FAULT_FAR_ID)
        a.target[1] = fault == FAULT_FAR_ID ? 9 : -1;
    if (fault >= FAULT_ZERO_WEIGHT && fault <= FAULT_NAN_WEIGHT)
        a.weight[1] = fault == FAULT_ZERO_WEIGHT       ? 0
                      : fault == FAULT_NEGATIVE_WEIGHT ? -1
                                                       : (double)NAN;
    if (fault == FAULT_LABEL)
        a.label[1] = 0.5;
    return a;
}

static graco_status create(graco_dataset **out, enum fault fault)
{
    struct arrays a = arrays_of(fault);
    const char *const words[6] = {"a", "b", "c", "d", "e", "f"};
    graco_arrays arrays = {.nodes = 3,
                           .source = GRACO_VECTOR(a.source, 2),
                           .target = GRACO_VECTOR(a.target, 2),
                           .edge_weight = GRACO_VECTOR(a.weight, 2),
                           .x = GRACO_MATRIX(a.x, a.rows, 2),
                           .y = GRACO_VECTOR(a.label, 3),
                           .node_ids = GRACO_VECTOR(a.names, 3)};
    if (fault == FAULT_TYPE)
        arrays.x = GRACO_MATRIX(words, 3, 2);
    return graco_dataset_create(out, &arrays);
}

static const char *native(enum fault fault)
{
    struct arrays a = arrays_of(fault);
    struct small_arrays arrays = {0};
    double pairs[4];
    char names[12] = {0};
    memcpy(pairs, a.source, sizeof a.source);
    memcpy(pairs + 2, a.target, sizeof a.target);
    for (int i = 0; i < 3; i++)
        memcpy(names + 4 * i, a.names[i], 3);
    small_add(&arrays, "edge_index", ARRAY_F64, pairs, 2, 2);
    small_add(&arrays, "edge_weight", ARRAY_F64, a.weight, 2, -1);
    small_add(&arrays, "x", ARRAY_F64, a.x, a.rows, 2);
    small_add(&arrays, "y", ARRAY_F64, a.label, 3, -1);
    small_add(&arrays, "num_nodes", ARRAY_I64, &a.nodes, -1, -1);
    struct array named = {.type = ARRAY_BYTES, .ndim = 1, .count = 3, .size = 4, .data = names};
    named.shape[0] = 3;
    arrays.arrays[arrays.count] = named;
    arrays.entries[arrays.count++].name = "node_ids";
    if (fault == FAULT_TYPE) {
        struct array *x = &arrays.arrays[2];
        *x = (struct array){.type = ARRAY_BYTES, .ndim = 2, .count = 6, .size = 2, .data = names};
        x->shape[0] = 3;
        x->shape[1] = 2;
    }
    small_npz(&arrays, "g.npz");
    return "g.npz";
}

static const char *scipy(enum fault fault)
{
    struct arrays a = arrays_of(fault);
    struct words w = words_of(fault, "2", "2", "1");
    static const int64_t shape[] = {3, 3};
    struct small_arrays arrays = {0};
    if (fault == FAULT_LABEL || fault == FAULT_NAME_TWICE)
        return NULL;
    small_add(&arrays, "row", ARRAY_F64, a.source, 2, -1);
    small_add(&arrays, "col", ARRAY_F64, a.target, 2, -1);
    small_add(&arrays, "data", ARRAY_F64, a.weight, 2, -1);
    small_add(&arrays, "shape", ARRAY_I64, shape, 2, -1);
    arrays.arrays[arrays.count] =
        (struct array){.type = ARRAY_BYTES, .count = 1, .size = 3, .data = "coo"};
    arrays.entries[arrays.count++].name = "format";
    small_npz(&arrays, "matrix.npz");
    WRITE("x.csv", "1,2\n%s,4\n%s", w.x, w.cut ? "" : "5,6\n");
    WRITE("y.csv", "0\n%s\n1\n", w.label);
    use_tables();
    return "matrix.npz";
}

/* What is wrong with the edges stands in the file, values of which are no weights. */
static const char *graphsaint(enum fault fault)
{
    struct arrays a = arrays_of(fault);
    struct small_arrays arrays = {0};
    static const int64_t shape[] = {3, 3};
    struct array x;
    if (fault == FAULT_NAME_TWICE || fault == FAULT_TYPE ||
        (fault >= FAULT_ZERO_WEIGHT && fault != FAULT_LABEL))
        return NULL;
    small_graphsaint("flickr", fault == FAULT_LABEL ? "{\"0\": 1, \"1\": \"a\", \"2\": 0}"
                                                    : "{\"0\": 1, \"1\": 1, \"2\": 0}");
    small_add(&arrays, "row", ARRAY_F64, a.source, 2, -1);
    small_add(&arrays, "col", ARRAY_F64, a.target, 2, -1);
    small_add(&arrays, "shape", ARRAY_I64, shape, 2, -1);
    small_npz(&arrays, "flickr/adj_full.npz");
    CHECK_OK(array_borrow(&x, ARRAY_F64, a.x, 2, (const int64_t[]){a.rows, 2}));
    CHECK_OK(npy_write(fixture_path("flickr/feats.npy"), &x));
    fixture_text("flickr/role.json", "{\"tr\": [0], \"va\": [1], \"te\": []}");
    return "flickr";
}

/* ---- The table --------------------------------------------------------------------------------- */

static const struct format {
    const char *name;
    const char *(*write)(enum fault fault); /* NULL: arrays in memory */
} formats[] = {
    {"arrays", NULL},
    {"native", native},
    {"csv, names", csv},
    {"csv, numbers", numbered_csv},
    {"MatrixMarket", market},
    {"scipy", scipy},
    {"node-link", node_link},
    {"GraphML", graphml},
    {"Wiki-CS", wikics},
    {"MUSAE", musae},
    {"OGB", ogb},
    {"GraphSAINT", graphsaint},
};

static bool says(enum fault fault)
{
    for (int i = 0; i < 5 && wanted[fault][i]; i++)
        if (strstr(graco_message(), wanted[fault][i]))
            return true;
    return false;
}

/* 1: refused as it should be; 0: the format cannot express the fault. */
static int try_cell(const struct format *format, enum fault fault)
{
    graco_dataset *data = NULL;
    options = (graco_load_options){0};
    const char *file = format->write ? format->write(fault) : "";
    if (!file)
        return 0;
    graco_status status = format->write ? graco_dataset_load(&data, fixture_path(file), &options)
                                        : create(&data, fault);
    bool fine = fault == FAULT_NONE
                    ? status == GRACO_OK && data
                    : status == GRACO_ERROR_FORMAT && !data && says(fault) &&
                          !strchr(graco_message(), '\n') &&
                          (!format->write || strstr(graco_message(), fixture_folder()));
    if (!fine)
        fprintf(stderr, "%s, %s: status %d, '%s'\n", format->name, fault_names[fault], (int)status,
                graco_message());
    CHECK(fine);
    graco_dataset_free(data);
    return 1;
}

int main(void)
{
    int cells[FAULT_COUNT] = {0};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        printf("%-14s", formats[f].name);
        for (enum fault fault = FAULT_NONE; fault < FAULT_COUNT; fault++) {
            int tried = try_cell(&formats[f], fault);
            cells[fault] += tried;
            printf(" %s", tried ? fault_names[fault] : "-");
        }
        printf("\n");
    }
    for (int fault = 0; fault < FAULT_COUNT; fault++)
        CHECK(cells[fault] >= 3);
    return check_result();
}
