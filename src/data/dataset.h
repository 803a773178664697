/* The data set: a graph, features, and, if known, labels and a split.
 *
 * Readers fill a `struct dataset_parts` with what their file says; dataset_create checks
 * everything, removes self-loops and duplicate edges, symmetrises if asked, and builds the graph.
 */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include "graco_more.h"
#include "base/status.h"
#include "data/reading.h"
#include "graph/graph.h"

struct array;
struct columns;
struct npy_map;
struct preparation;

/* A file of features that is used in place, see features_map. */
struct features_file;

/* Mapped features up to this many bytes are checked for values that are not finite when they are
 * loaded, which reads them all once; larger ones are not. */
#define FEATURES_CHECKED ((int64_t)4 << 30)

/* Classes have numbers below this. */
enum { DATASET_CLASSES = 1 << 20 };

/* An edge list, features, labels, spreads, and what was read as a run's data were. */
enum { DATASET_NOTES = 5 };

/* The matrix X (rows, cols), dense or sparse. Owns its arrays. */
struct features {
    int64_t rows, cols;
    float *dense;               /* (rows, cols), NULL if sparse */
    struct csr sparse;          /* (rows, cols) with values; start is NULL if dense */
    struct features_file *file; /* where dense lies, which then is read-only; NULL: in memory */
    bool borrowed;              /* dense is the caller's, who keeps it; read-only too */
};

void features_clear(struct features *features);

/* The features that take over a sparse matrix. */
struct features features_of(struct csr matrix);

/* Uses a mapped .npy file of float32 (rows, cols) in C order in place: the rows are read from the
 * disk when they are touched, and the system may drop them again, so they can be larger than
 * memory. Takes the map over (and empties *map) and copies the path; if the file has another type
 * or order and must be converted, neither *out nor *map changes. The file must not be cut while it
 * is in use (see io/files/file.h): features_check says when it was. */
graco_status features_map(struct features *out, struct npy_map *map, const char *path);

/* Uses an array of float32 (rows, cols) in place, which must outlive *out. One that has another
 * type, or owns its items, leaves *out as it is. */
void features_borrow(struct features *out, const struct array *array);

/* GRACO_ERROR_IO if features lie in a file that is shorter now than when it was mapped; to be
 * called before each pass over them. Cheap, and free for features in memory. */
graco_status features_check(const struct features *features);

/* A model has weights for every column, and a dense copy a number: columns that nothing fills must
 * not decide how large these are. GRACO_ERROR_ARGUMENT if sparse features have more columns than
 * FEATURES_COLS and than FEATURES_COLS_PER_ENTRY for each entry. */
enum { FEATURES_COLS = 1 << 16, FEATURES_COLS_PER_ENTRY = 4 };
graco_status features_check_cols(const struct features *features);

/* The features as a new dense matrix, which the caller clears. O(rows * cols). */
graco_status features_densify(graco_matrix *X, const struct features *features);

/* Of a data set of which each rank has its rows alone (read_rows.h): what is known of the whole. */
struct dataset_shard {
    struct shard *shard; /* its graph is that of the data set; its rows are the features' */
    struct graph_removed removed; /* from own rows */
    int64_t entries_before;       /* stored ones of sparse features in the rows before */
    bool counts, seen_counts; /* preprocess_counts of the whole, and of its split's training part */
    graco_dataset_info info;  /* of the whole */
    char fingerprint[GRACO_FINGERPRINT];
};

struct graco_dataset {
    char *name;
    struct graph *graph;
    struct features features;
    /* The table that the features come from, and how they do (data/preparation.h); NULL: they are no table's. */
    struct columns *columns;
    struct preparation *preparation;
    struct dataset_shard *shard; /* graph and features are a rank's rows; NULL: all are here */
    int64_t classes;             /* that occur, if multi-label all; 0: no labels */
    int64_t numbers;             /* of classes, those that no node has too */
    int32_t *class_of;           /* (classes) their numbers, ascending; NULL: 0, 1, 2, ... */
    int32_t *label; /* (nodes) class by place, -1 if unknown; NULL if multi-label or unlabelled */
    int32_t *given; /* (nodes) class by number; NULL: label has them */
    uint8_t *multi; /* (nodes, classes) 0 or 1; NULL if single-label */
    uint8_t *label_known; /* (nodes) whether the row counts in scores; NULL: all do */
    uint8_t *split;       /* (nodes) 0 training, 1 validation, 2 test, 3 none; NULL: no split */
    int32_t *graph_id;    /* (nodes) ascending from 0; NULL: one graph */
    int64_t graphs;
    bool inductive;     /* its split says which nodes a training may see */
    int32_t *order;     /* (nodes) in which ranks divide them (graph/order.h); NULL: as they are */
    char **node_ids;    /* (nodes) names, one block behind node_ids[0]; NULL: numbers */
    char **class_names; /* (numbers) the same; NULL: numbers */
    char *notes[DATASET_NOTES];     /* how each table was understood; NULL past the last */
    int64_t self_loops, duplicates; /* removed */
    struct reading reading;         /* how it was read; no source: it was generated */
    bool listed;  /* read from a list of edges that does not state its direction */
    bool by_rows; /* ranks could read their rows of it alone (read_rows.h) */
};

/* Nodes of the whole data set, whatever this rank has of it; the number of its first row here. */
int64_t dataset_nodes(const struct graco_dataset *data);
int64_t dataset_first(const struct graco_dataset *data);

/* What a reader found; dataset_create takes ownership of every array, also when it fails. */
struct dataset_parts {
    const char *name; /* copied */
    int64_t nodes;
    int64_t edges;
    int32_t *source;               /* (edges) */
    int32_t *target;               /* (edges) */
    bool lent_source, lent_target; /* it is the caller's: only read */
    float *weights;                /* (edges) or NULL */
    bool undirected;               /* add the reverse of every edge */
    bool listed;                   /* edges are a list that does not state its direction */
    bool inductive;
    struct features features;
    struct columns *columns; /* whose features are made here; or those that `features` has */
    struct preparation *preparation; /* made here */
    struct dataset_shard *shard;     /* in the place of edges: a rank's rows; NULL: all are here */
    int64_t classes;                 /* numbers that they have: the largest plus one, or names */
    int32_t *label;                  /* by number */
    uint8_t *multi;
    uint8_t *label_known;
    uint8_t *split;
    int32_t *graph_id;
    int32_t *order;
    char **node_ids;
    char **class_names;
    char *notes[DATASET_NOTES];
};

/* Checks what the reader found, and builds. At least one node; ids in range; weights finite and above
 * 0 (graph_build says what becomes of them); features (nodes, cols) finite, their indices in range
 * and ascending within a row; labels -1 .. classes - 1 or a table of 0 and 1, not both, at most
 * DATASET_CLASSES of them; split 0 .. 3; graph ids ascending from 0 without gaps, crossed by no edge;
 * no name twice among the nodes of a graph or among the classes; the ranks' order has every node once. The lengths of the arrays are the
 * reader's to check. A data set without features gets none here: features.cols is 0 and its arrays are
 * NULL. GRACO_ERROR_FORMAT names the first thing that is wrong. Empties `parts` in every case.
 * O(nodes + edges + entries of the features + bytes of the names). */
graco_status dataset_create(struct graco_dataset **out, struct dataset_parts *parts);

/* ---- Classes (classes.c) ---------------------------------------------------------------------- */

/* The largest number of labels (count), plus one. */
int64_t dataset_classes(const int32_t *label, int64_t count);

/* Gives the classes of data->label (nodes), which are numbers, their places. Those of masked labels alone have none.
 * O(nodes); what it takes does not depend on the numbers. */
graco_status classes_compact(struct graco_dataset *data, int64_t nodes);

/* How many numbers occur among labels (nodes) that were not checked yet: those that no class can have do not count. */
graco_status classes_count(int64_t *count, const int32_t *label, int64_t nodes);

/* Labels (nodes) by number; NULL if there are none. */
const int32_t *class_numbers(const struct graco_dataset *data);

/* The number of a class; the class of a number, -1 if none has it. */
int64_t class_number(const struct graco_dataset *data, int64_t class);
int64_t class_place(const struct graco_dataset *data, int64_t number);

/* Outputs of a model, one for each class, or, as older ones have them, one for each number: whether a table
 * has so many columns, and the column of a class. */
bool class_columns(const struct graco_dataset *data, int64_t cols);
int64_t class_column(const struct graco_dataset *data, int64_t class, int64_t cols);

/* A class by its name or, where classes have none, its number, for which `number` is. */
enum { CLASS_NUMBER = 24 };
const char *class_called(char number[CLASS_NUMBER], const struct graco_dataset *data,
                         int64_t class);

/* Whoever learns classes has a number for each node and class: GRACO_ERROR_ARGUMENT if there are more than
 * CLASSES_FREE of them and more than one for each CLASSES_NODES_PER labelled nodes. */
enum { CLASSES_FREE = 1024, CLASSES_NODES_PER = 10 };
graco_status classes_check(const struct graco_dataset *data);

/* ---- Splits ------------------------------------------------------------------------------------ */

/* A split in which every node is in none; then, one by one, nodes into its parts 0, 1 or 2. A node that is
 * out of range, or in a part already, is GRACO_ERROR_FORMAT. The caller owns *split. */
graco_status dataset_split_begin(uint8_t **split, int64_t nodes);
graco_status dataset_split_put(uint8_t *split, int64_t nodes, int64_t node, int part);

/* Frees the arrays of `parts` and empties it; for a reader that fails half-way. */
void dataset_parts_clear(struct dataset_parts *parts);

/* Frees names in one block, as in node_ids; accepts NULL. */
void dataset_names_free(char **names);

/* graco_dataset_save with one array more, a matrix under another name than the format's own; NULL: none. */
graco_status dataset_save_with(const graco_dataset *data, const char *path, const char *name,
                               const struct array *more);

#endif
