/* graco: node embeddings by graph contrastive learning (GRACE): what a program needs.
 *
 * A complete program, examples/embed_graph.c:
 *
 *     // Embeds the nodes of a graph in memory, or of the data set that the first argument names.
 *     #include <graco.h>
 *     #include <stdio.h>
 *
 *     enum { NODES = 200, EDGES = 800, FEATURES = 8 };
 *
 *     #define TRY(call)                                                                                  \
 *         do                                                                                             \
 *             if ((call) != GRACO_OK)                                                                    \
 *                 goto done;                                                                             \
 *         while (0)
 *
 *     int main(int argc, char **argv)
 *     {
 *         static int32_t source[EDGES], target[EDGES], y[NODES];
 *         static float x[NODES * FEATURES];
 *         graco_dataset *data = NULL;
 *         graco_config *config = NULL;
 *         graco_model *model = NULL;
 *         graco_matrix Z = {0}; // (nodes, hidden)
 *         graco_eval_result scores = {0};
 *         graco_neighbours near = {0};
 *         graco_map *map = NULL;
 *         int exit_code = 1;
 *
 *         // Four communities; one edge in ten leaves its own.
 *         for (int i = 0; i < NODES; i++) {
 *             y[i] = i % 4;
 *             for (int k = 0; k < FEATURES; k++)
 *                 x[i * FEATURES + k] = (k % 4 == y[i] ? 1.0f : 0.0f) + (float)(i * (k + 7) % 11) / 10;
 *         }
 *         for (int e = 0; e < EDGES; e++) {
 *             source[e] = e % NODES;
 *             target[e] = (source[e] + (e % 10 == 0 ? 1 : 4 + 4 * (e / NODES))) % NODES;
 *         }
 *         const graco_arrays arrays = {
 *             .source = GRACO_VECTOR(source, EDGES),
 *             .target = GRACO_VECTOR(target, EDGES),
 *             .x = GRACO_MATRIX(x, NODES, FEATURES),
 *             .y = GRACO_VECTOR(y, NODES), // for the scores; training does not read it
 *             .undirected = true,
 *         };
 *
 *         if (argc > 1)
 *             TRY(graco_dataset_load(&data, argv[1], NULL));
 *         else
 *             TRY(graco_dataset_create(&data, &arrays));
 *         TRY(graco_config_create(&config, "grace", NULL));
 *         TRY(graco_config_set(config, "hidden", "32"));
 *         TRY(graco_config_set(config, "epochs", "50"));
 *         TRY(graco_train(&model, NULL, data, config, NULL));
 *         TRY(graco_model_embed(&Z, model, data, NULL));
 *         TRY(graco_embeddings_save(&Z, data, "embeddings.npy"));
 *         TRY(graco_evaluate(&scores, &Z, data, NULL));
 *         TRY(graco_neighbours_find(&near, &Z, NULL));
 *         TRY(graco_map_make(&map, &Z, NULL));
 *         TRY(graco_map_save(map, "map.html"));
 *         printf("%s %.1f %%; the node most similar to node 0 is node %d\n", scores.metric, scores.mean,
 *                (int)near.index[0]);
 *         exit_code = 0;
 *
 *     done:
 *         if (exit_code != 0)
 *             fprintf(stderr, "%s\n", graco_message());
 *         graco_map_free(map);
 *         graco_neighbours_clear(&near);
 *         graco_eval_result_clear(&scores);
 *         graco_matrix_clear(&Z);
 *         graco_model_free(model);
 *         graco_config_free(config);
 *         graco_dataset_free(data);
 *         return exit_code;
 *     }
 *
 * Conventions. A function that can fail returns a graco_status. Its results come back through its leading
 * arguments, which stay untouched (or NULL) on failure. graco_message() then gives one line that names the
 * thing, the value found and the value wanted. The caller owns what a function creates or fills, and ends it
 * with the free or clear of the same name, which accepts NULL. Arguments are borrowed for the length of the
 * call. `options` may always be NULL, for the defaults; a struct of options starts as the function
 * graco_*_defaults gives it, or as all zeros where there is no such function. A comment such as (nodes, hidden)
 * gives the shape of an array, rows first.
 *
 * The library never prints and never exits. Between calls it keeps idle threads and the last message of each
 * thread, nothing else. Several threads may use an object as long as none of them changes it.
 *
 * graco_more.h has the explicit tier: arrays of a data set, presets and keys, runs, export, prediction, links,
 * clusters, the search for settings, plans.
 */
#ifndef GRACO_H
#define GRACO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GRACO_VERSION "0.1.0"

/* ---- Status ---------------------------------------------------------------------------------- */

typedef enum graco_status {
    GRACO_OK = 0,
    GRACO_ERROR_MEMORY,   /* an allocation failed */
    GRACO_ERROR_IO,       /* the system refused to read or write */
    GRACO_ERROR_FORMAT,   /* a file does not hold what its format promises */
    GRACO_ERROR_ARGUMENT, /* the caller asked for something that makes no sense */
    GRACO_ERROR_NUMBER,   /* a computation gave a value that is not finite */
    GRACO_ERROR_DEVICE,   /* the compute device failed or is missing */
    GRACO_STOPPED,        /* a callback asked to stop; what was done so far is kept */
} graco_status;

/* The message of the last failure in this thread; "" if there was none. Valid until the next failure. */
const char *graco_message(void);

/* The version of the library in use, such as "0.1.0". */
const char *graco_version(void);

/* ---- Matrices -------------------------------------------------------------------------------- */

/* A dense row-major float matrix that owns its data; {0} is an empty one. */
typedef struct graco_matrix {
    int64_t rows, cols;
    float *data; /* (rows, cols) */
} graco_matrix;

/* Reads a two-dimensional .npy file of any number type into float32. */
graco_status graco_matrix_load(graco_matrix *out, const char *path);

/* Writes a .npy file of float32. The file appears whole or not at all: graco writes to a temporary name first. */
graco_status graco_matrix_save(const graco_matrix *matrix, const char *path);

void graco_matrix_clear(graco_matrix *matrix);

/* ---- Data sets ------------------------------------------------------------------------------- */

/* A graph with features and, if known, labels and a split. Immutable once made. */
typedef struct graco_dataset graco_dataset;

typedef struct graco_load_options {
    const char *features_path; /* table of node features beside an edge list, or NULL */
    const char *labels_path;   /* table of node labels beside an edge list, or NULL */
    bool undirected; /* add the reverse of every edge, also where a format states its direction */
    /* What an edge list and its tables are like, where looking is not enough; NULL: look. */
    const char *header;    /* "yes" or "no": whether their first lines are headers */
    const char *id_column; /* the column that names nodes: its name, its number from 1, or "none" */
    const char *delimiter; /* one character, or "tab", "comma", "space" (blanks and tabs) */
    bool directed;         /* edges of a list or scipy matrix one way; else they go both ways */
    bool unweighted;       /* leave out the weights of the edges */
    const char *source, *target, *weight; /* columns of an edge list: names, or numbers from 1 */
    bool count_repeats; /* without weights: an edge weighs as much as it has rows */
    /* Where several processes train together (graco_ranks), and the source is a folder of .npy that
     * allows it: each reads the rows of its own nodes alone, for graco_train and nothing else. */
    bool by_rows;
} graco_load_options;

/* Loads a data set, which the caller frees. `source` is a file, a folder, or a name that is looked up
 * under $GRACO_DATA, else $XDG_DATA_HOME/graco, else ~/.local/share/graco. The format is recognised from the content:
 * published sets, graco's own, scipy matrices, node-link JSON, GraphML, edge lists; docs/formats.md has them all.
 * GRACO_ERROR_IO if there is no such source, GRACO_ERROR_FORMAT if its content is wrong. A
 * folder's x.npy of float32 is used in place, so it may be larger than memory, and it must not change
 * until the data set is freed. */
graco_status graco_dataset_load(graco_dataset **out, const char *source,
                                const graco_load_options *options);

/* What the items of an array are. */
typedef enum graco_type {
    GRACO_BOOL, /* one byte */
    GRACO_INT8,
    GRACO_INT16,
    GRACO_INT32,
    GRACO_INT64,
    GRACO_UINT8,
    GRACO_UINT16,
    GRACO_UINT32,
    GRACO_UINT64,
    GRACO_FLOAT16,
    GRACO_FLOAT32,
    GRACO_FLOAT64,
    GRACO_STRING, /* pointers to text with a NUL at its end, in UTF-8 */
} graco_type;

/* An array that the caller owns. All zeros: no array. */
typedef struct graco_array {
    const void *data; /* items, aligned for their type, row after row */
    graco_type type;
    int dims;           /* 1: (rows), 2: (rows, cols) */
    int64_t rows, cols; /* of one dimension, cols does not count */
    int64_t stride;     /* items from the beginning of a row to that of the next; 0: no gaps */
} graco_array;

#ifndef __cplusplus
/* A graco_array over an array of C, of the type that the compiler finds: GRACO_VECTOR(source, 200),
 * GRACO_MATRIX(x, 100, 16). */
#define GRACO_TYPE_OF(item)                                                                        \
    _Generic(item,                                                                                 \
        bool: GRACO_BOOL,                                                                          \
        int8_t: GRACO_INT8,                                                                        \
        int16_t: GRACO_INT16,                                                                      \
        int32_t: GRACO_INT32,                                                                      \
        int64_t: GRACO_INT64,                                                                      \
        uint8_t: GRACO_UINT8,                                                                      \
        uint16_t: GRACO_UINT16,                                                                    \
        uint32_t: GRACO_UINT32,                                                                    \
        uint64_t: GRACO_UINT64,                                                                    \
        float: GRACO_FLOAT32,                                                                      \
        double: GRACO_FLOAT64,                                                                     \
        char *: GRACO_STRING,                                                                      \
        const char *: GRACO_STRING)
#define GRACO_VECTOR(items, count)                                                                 \
    ((graco_array){.data = (items), .type = GRACO_TYPE_OF(*(items)), .dims = 1, .rows = (count)})
#define GRACO_MATRIX(items, height, width)                                                         \
    ((graco_array){.data = (items),                                                                \
                   .type = GRACO_TYPE_OF(*(items)),                                                \
                   .dims = 2,                                                                      \
                   .rows = (height),                                                               \
                   .cols = (width)})
#endif

/* A column of features, as docs/formats.md ("Columns") has them: numbers, NaN for a gap; strings, NULL for a gap, read as cells
 * of a text table; or integers that number `words` from 0, -1 for a gap. `times`: seconds since 1970. */
typedef struct graco_feature {
    const char *name;          /* by which a model finds it in other tables */
    graco_array values, words; /* (nodes); words may be missing */
    bool times;
} graco_feature;

/* A data set as arrays, under the names that they have in graco's own format (docs/formats.md).
 * Each may be missing. Numbers may have any type in which their values fit, as in a file. */
typedef struct graco_arrays {
    const char *name; /* of the data set; NULL: "unnamed" */
    int64_t nodes;    /* 0: the rows of x, y or edge_indptr, else the largest number in an edge plus
                         one */
    /* Edges: exactly two of these three. Messages go from source[e] to target[e]. Compressed rows have
     * edge_indptr in place of one of them: entries edge_indptr[i] .. edge_indptr[i + 1] - 1 of
     * the other are the targets, or the sources, of the edges of node i. */
    graco_array source, target; /* (edges) node numbers from 0 */
    graco_array edge_indptr;    /* (nodes + 1) */
    graco_array edge_weight;    /* (edges) above 0, in the order of the edges; missing: all are 1 */
    /* Features: x, or x_indptr, x_indices and x_data, compressed rows with ascending columns. */
    graco_array x;        /* (nodes, features) */
    graco_array x_indptr; /* (nodes + 1) */
    graco_array x_indices, x_data;
    int64_t x_cols;               /* features of compressed rows */
    const graco_feature *columns; /* (column_count) or these, from which graco makes features */
    int64_t column_count;
    graco_array y;          /* (nodes) class, -1: unknown; or (nodes, classes) of 0 and 1 */
    graco_array split;      /* (nodes) 0 training, 1 validation, 2 test, 3 none */
    graco_array label_mask; /* (nodes) 1 if the node counts in scores */
    graco_array graph_id; /* (nodes) for many graphs: ascending from 0; no edge joins two of them */
    graco_array node_ids; /* (nodes) strings; within a graph no name stands twice */
    graco_array class_names; /* (classes) strings, beside y: item c is the name of class c */
    bool undirected;         /* add the reverse of every edge */
    bool inductive;          /* the split says which nodes a training may see: the first part */
    /* Use x in place if it is float32 without gaps: x must then stay where it is, unchanged, until the
     * data set is freed. graco copies everything else. */
    bool borrow;
} graco_arrays;

/* Makes a data set, which the caller frees, from arrays. graco checks them as it checks those of a file:
 * GRACO_ERROR_FORMAT names the array, the value found and the value wanted. O(nodes + edges + entries of
 * the features). */
graco_status graco_dataset_create(graco_dataset **out, const graco_arrays *arrays);

/* Writes graco's own format: one file if `path` ends in .npz, else a folder of .npy files. */
graco_status graco_dataset_save(const graco_dataset *data, const char *path);

void graco_dataset_free(graco_dataset *data);

typedef struct graco_dataset_info {
    const char *name; /* borrowed from the data set */
    int64_t nodes;
    int64_t edges;      /* both directions, without self-loops and duplicates */
    int64_t self_loops; /* removed at loading */
    int64_t duplicates; /* removed at loading */
    int64_t isolated;   /* nodes without any edge */
    int64_t feature_count;
    int64_t feature_entries; /* stored entries: nodes * features if dense */
    int64_t classes;         /* that occur, if multi-label all; 0 if there are no labels */
    int64_t graphs;
    bool sparse_features, multi_label, directed, has_split;
    int64_t split_nodes[3]; /* training, validation, test */
    bool inductive;         /* its split says which nodes a training may see: the first part */
    bool weighted;          /* its edges have weights that are not all 1 */
} graco_dataset_info;

/* The sizes of a data set. O(1). */
graco_dataset_info graco_dataset_describe(const graco_dataset *data);

/* What a graph is like. What cannot be known is NaN. */
typedef struct graco_graph_facts {
    int64_t components, largest; /* pieces of the graph, and the nodes of the largest one */
    double degree_mean;          /* of edges into a node */
    int64_t degree_median, degree_most;
    double edge_cosine,
        pair_cosine; /* mean cosine of features over edges, and over pairs of any two nodes */
    double alike;    /* how often an edge has the more alike features of the two: 0.5 is chance */
    double same_class, same_by_chance; /* share of edges within a class, and of any two nodes */
} graco_graph_facts;

/* O(edges + nodes log nodes); features are compared on at most 16,384 edges, the same ones each time. */
graco_status graco_dataset_facts(graco_graph_facts *out, const graco_dataset *data,
                                 int64_t threads);

/* The name of a node, which belongs to the data set; NULL if nodes have no names, or past the end. */
const char *graco_dataset_node(const graco_dataset *data, int64_t node);

/* ---- Methods and their settings --------------------------------------------------------------- */

/* A method with all its settings, which callers reach by key and as text. */
typedef struct graco_config graco_config;

/* The settings of a method ("grace"; NULL: that one): its general ones, with those of a preset, such as
 * "cora", laid over them; NULL or "general": the general ones alone. GRACO_ERROR_ARGUMENT if there is no such
 * method, or if it has no such preset; the message lists those that it has. */
graco_status graco_config_create(graco_config **out, const char *method, const char *preset);

void graco_config_free(graco_config *config);

/* Sets one key from text, as `--set key=value` of the command does; `graco help train` lists the keys.
 * GRACO_ERROR_ARGUMENT if the method does not read the key or the value is not allowed; the message says
 * what is. */
graco_status graco_config_set(graco_config *config, const char *key, const char *value);

/* ---- Training -------------------------------------------------------------------------------- */

/* A trained encoder with its configuration. */
typedef struct graco_model graco_model;

typedef struct graco_epoch {
    int64_t epoch, epochs;     /* 1 .. epochs */
    double loss;               /* the objective that is minimised, -J of the paper */
    double mutual_information; /* the InfoNCE estimate of I(U; V) in nats; NaN if not computed */
    int64_t floored;           /* anchors whose moment estimate hit the floor */
    double seconds;            /* of this epoch */
    double seconds_left;       /* estimate */
    double cost;        /* that early stopping looks at: the loss, a validation's, or that of the
                                  embeddings' structure; NaN: it did not look after this epoch */
    int64_t best_epoch; /* that of the lowest cost so far; 0: the training keeps none */
    const char *ended;  /* NULL, or why this epoch is the last: as in the result */
} graco_epoch;

/* graco calls it after each epoch, on the thread that called graco_train. Returning false ends the training
 * after a checkpoint (GRACO_STOPPED); if one rank of several does so, all end. */
typedef bool graco_epoch_fn(void *user, const graco_epoch *epoch);

typedef struct graco_progress {
    int64_t epoch, epochs; /* the epoch under way, 1 .. epochs */
    int64_t step, steps;   /* steps done in it, and how many it has */
    double share;          /* of the step under way that is done, 0 .. 1 */
    double loss;           /* mean over the epoch's steps so far; NaN before the first has ended */
    double seconds;        /* of this call */
    double step_seconds; /* estimate for a step, with its share of what follows epochs: the mean of
                              those of this call, in the first what its tiles tell; NaN: not known */
    double seconds_left; /* the same for all steps that are left */
    const char *faster;  /* a setting that takes far less time, "objective=moment"; NULL: none */
    double faster_seconds; /* what seconds_left would be with it, from counted operations */
} graco_progress;

/* graco calls it about ten times a second at most, between steps and within long ones, on the thread that called
 * graco_train. Returning false ends the training within about a second (GRACO_STOPPED): graco gives up the
 * step under way, and the checkpoint stands before it, perhaps within an epoch. On a GPU, and over ranks, of
 * which any may end it, a step runs to its end first. It must not change what the training uses. */
typedef bool graco_progress_fn(void *user, const graco_progress *progress);

typedef struct graco_train_options {
    const char *run; /* folder for checkpoints, metrics and embeddings; NULL: nothing on disk */
    bool resume; /* continue from the checkpoint in `run`, to the same bits; other data than it was
                        trained on are GRACO_ERROR_ARGUMENT */
    graco_epoch_fn *on_epoch;
    void *user; /* of both functions */
    graco_progress_fn *on_progress;
} graco_train_options;

typedef struct graco_train_result {
    int64_t epochs; /* done in all, those before a resume included */
    int64_t step;   /* steps done in the epoch after these: not 0 only where it was stopped there */
    int64_t steps;  /* that an epoch has */
    double loss;    /* of the last epoch; NaN if this call had none to do */
    double mutual_information;
    double seconds;         /* of this call */
    double epoch_ms_median; /* of all epochs of this call, or of evenly spaced ones if very many */
    const char *device;     /* that was used: "cpu" or "cuda" */
    int64_t buffer_bytes;   /* most that the training's buffers took there; 0: it did not begin */
    int64_t best_epoch;     /* whose parameters the model has; 0: those of the last epoch */
    double best_cost;       /* of that epoch */
    const char *ended; /* "epochs": all were done; "patience": the cost fell no more; "stopped" */
    int64_t ranks;     /* processes that trained together: graco_ranks() */
    int64_t sent_bytes, sent_messages; /* by this one to others, in the epochs of this call */
    double waited;                     /* seconds in which it waited for others meanwhile */
} graco_train_result;

/* Trains on a data set. `model`, which the caller frees, `result` and `options` may each be NULL. A run
 * folder then has config.json, metrics.jsonl, model.safetensors and embeddings.npy, and node_ids.txt
 * if the nodes have names; an embeddings.npy that was there is empty from the first checkpoint until the
 * last one's are written. A checkpoint with more epochs than `config` asks for stays as it is.
 * GRACO_ERROR_ARGUMENT if data and settings do not fit together, GRACO_ERROR_NUMBER if the training
 * diverges. Costs O(epochs * N^2 * d) time for the exact objective and
 * O(N d) memory beside the tiles. */
graco_status graco_train(graco_model **model, graco_train_result *result, const graco_dataset *data,
                         const graco_config *config, const graco_train_options *options);

/* Reads the model of a run folder; the caller frees it. */
graco_status graco_model_load(graco_model **out, const char *run);

/* Writes a model as the model.safetensors that graco_model_load reads, into a folder, which it makes if
 * need be. It is for models that were trained without a run folder: it does not look for a training that
 * is under way in the folder. */
graco_status graco_model_save(const graco_model *model, const char *run);

typedef struct graco_embed_options {
    int64_t threads;    /* 0: one per core */
    const char *device; /* one of graco_config_word("device", ...); NULL: "auto" */
    bool contaminated;  /* first zero the share of feature entries that the training zeroed */
} graco_embed_options;

/* Embeds every node of the whole graph, no edge removed. Z is (nodes, width): `hidden` columns, one for
 * each class with a supervised method, one for each feature with sgc, at most `columns` with propagate. The data set must have as many
 * features as the one trained on. Features that were made from the graph are made again, and unless they
 * are of the kind `degree` the graph must be the one trained on. A method that learns a vector for each
 * node (deepwalk, node2vec) gives a node the vector of its name, in whatever graph; if nodes have no names
 * the graph must be the one trained on. GRACO_ERROR_ARGUMENT says what the training did not see. */
graco_status graco_model_embed(graco_matrix *Z, const graco_model *model, const graco_dataset *data,
                               const graco_embed_options *options);

void graco_model_free(graco_model *model);

/* Writes embeddings Z (nodes, any) of a data set as graco_matrix_save does and, if its nodes have names,
 * NAME.node_ids.txt next to NAME.npy, a name per line (docs/formats.md). Both appear together: if that
 * fails half-way, older embeddings are empty, so that no name is ever that of another row. */
graco_status graco_embeddings_save(const graco_matrix *Z, const graco_dataset *data,
                                   const char *path);

/* ---- Evaluation ------------------------------------------------------------------------------ */

/* How embeddings are scored: one-vs-rest logistic regression with LIBLINEAR's objective, on rows of
 * length one; for multi-label data on columns standardised by the training rows. docs/evaluation.md
 * has the details. */
typedef enum graco_protocol {
    GRACO_PROTOCOL_PAPER,   /* random 10/10/80, C in 2^-10 .. 2^10 chosen on validation; for a data
                               set that is inductive or has several graphs, with a split of its own:
                               as PUBLIC */
    GRACO_PROTOCOL_AUTHORS, /* random 10/90, C in 2^-10 .. 2^9 by 5-fold cross-validation, refit */
    GRACO_PROTOCOL_PUBLIC,  /* the data set's own split, C in 2^-10 .. 2^10 chosen on validation */
} graco_protocol;

/* graco calls it at most ten times a second, on the thread that asked for the work, with about the share
 * of it that is done. Returning false stops the work, which returns GRACO_STOPPED. */
typedef bool graco_share_fn(void *user, double share);

typedef struct graco_eval_options {
    graco_protocol protocol;
    int64_t splits;           /* random splits, default 20 */
    uint64_t seed;            /* of the splits; default 0. The same seed, the same splits */
    int64_t threads;          /* 0: one per core; never changes the result */
    const char *splits_read;  /* .npy (splits, nodes) of 0 training, 1 validation, 2 test, 3 none
                                 to use instead of drawing splits, or NULL */
    const char *splits_write; /* where to write the splits that were used, or NULL */
    bool with_features;       /* score [Z ; X], rows of both halves scaled to length one, in
                                 place of Z */
    const char *device;       /* "cpu", "cuda", or "auto", NULL too: a GPU where the work is worth
                                 its start. Scores on a GPU may differ by 0.02 points */
    bool validation;          /* score the validation parts, on which C is chosen too, and leave the
                                 labels of the test parts unread: to choose settings by */
    graco_share_fn *on_progress; /* or NULL */
    void *user;
} graco_eval_options;

graco_eval_options graco_eval_defaults(void);

/* All scores in percent. Clear it with graco_eval_result_clear. */
typedef struct graco_eval_result {
    const char *metric;     /* "accuracy", or "micro_f1" for multi-label data */
    double mean, deviation; /* of that metric over the splits; sample deviation, 0 for one split */
    int64_t splits;
    double *scores;                      /* (splits) */
    double *C;                           /* (splits) the value that was chosen; NaN: none was */
    double accuracy, micro_f1, macro_f1; /* means over the splits */
    int64_t classes;                     /* that a labelled node has; multi-label: all */
    int32_t *class_of;                   /* (classes) their numbers in the data set, ascending */
    bool multi_label;
    int64_t *confusion;     /* (classes, confusion_cols) test rows summed over the splits */
    int64_t confusion_cols; /* `classes`: truth by prediction. 4 if multi-label, or with more than
                               1,024 classes: true positives, false positives, false negatives,
                               true negatives of each class */
    bool converged;         /* every solve met the stopping rule */
    double worst_gap; /* the largest proven relative distance of an objective from its minimum */
    int64_t solves, unconverged;
    double seconds;
    int64_t note_count;
    char **notes; /* what deserves attention: "class 3 has no training rows in 2 of 20 ..." */
} graco_eval_result;

/* Scores embeddings Z (nodes, any) by the labels of a data set, without the nodes whose label is not
 * known. GRACO_ERROR_NUMBER if Z is not finite, GRACO_ERROR_ARGUMENT if no label is known or a part of a
 * split is empty. Costs about 8 products with X and 8 with X' (X the training rows, `classes`
 * columns at once) per split and C. */
graco_status graco_evaluate(graco_eval_result *result, const graco_matrix *Z,
                            const graco_dataset *data, const graco_eval_options *options);

void graco_eval_result_clear(graco_eval_result *result);

/* ---- Neighbours ------------------------------------------------------------------------------ */

typedef struct graco_neighbours_options {
    int64_t k;          /* how many for each node; default 10, less than there are nodes */
    const char *metric; /* one of graco_metric: "cosine", NULL too, or "inner", the inner product */
    const int64_t *nodes; /* (count) whose neighbours are asked for; NULL: those of all nodes */
    int64_t count;
    int64_t memory;     /* bytes that copies of rows may fill on the CPU; default 1 GiB */
    int64_t threads;    /* 0: one per core; never changes the result */
    const char *device; /* "cpu", "cuda"; "auto", NULL too: a GPU where the work is worth it */
    graco_share_fn *on_progress; /* or NULL; the share is not known: NaN */
    void *user;
} graco_neighbours_options;

graco_neighbours_options graco_neighbours_defaults(void);

/* Clear it with graco_neighbours_clear. */
typedef struct graco_neighbours {
    const char *metric;
    int64_t nodes;     /* how many the embeddings have */
    int64_t count, k;  /* so many were asked for; each has k */
    int64_t *node;     /* (count) whose neighbours these are, in the order asked */
    int64_t *index;    /* (count, k) rows of Z, the nearest first, never the node itself */
    float *score;      /* (count, k) cosines or inner products, falling */
    int64_t zero_rows; /* of Z: their cosine with everything is 0 */
} graco_neighbours;

/* The nodes whose rows of Z (nodes, any) are nearest to those of the nodes asked for: exactly, by
 * looking at all pairs. Of equal scores the lower row comes first. Scores are found in float32, k +
 * 4 of them, and these again in double: only neighbours that float32 cannot tell apart may be
 * others than in exact arithmetic. O(nodes^2 cols) time, half as much on the CPU where all nodes
 * are asked for; memory beside Z is `memory` and about twice the result.
 * GRACO_ERROR_ARGUMENT for a k that is not 1 to nodes - 1, a node that is not there and an unknown
 * metric; GRACO_ERROR_NUMBER for a Z that is not finite. */
graco_status graco_neighbours_find(graco_neighbours *out, const graco_matrix *Z,
                                   const graco_neighbours_options *options);

void graco_neighbours_clear(graco_neighbours *neighbours);

/* ---- Map ------------------------------------------------------------------------------------- */

/* Numbers of nodes, by which a map can be coloured. */
typedef struct graco_map_values {
    const char *name;
    const float *values; /* (nodes) NaN: not known */
} graco_map_values;

enum { GRACO_CLASS_CLUSTERS = 1024 }; /* classes, at most, that say how many clusters to make */

typedef struct graco_map_options {
    const char *title;              /* of the page; NULL: "Map" */
    const char *scores;             /* words beside the title; NULL: none */
    const char *const *names;       /* (nodes) or NULL: nodes are called by their numbers */
    const graco_dataset *data;      /* for labels and degrees, or NULL */
    const graco_map_values *values; /* (value_count) */
    int64_t value_count;
    int64_t k; /* neighbours of a node that the layout follows; default 15, at most 256 */
    int64_t
        clusters; /* of k-means; default 0: as many as there are classes, up to 1,024, else 10 */
    const int32_t *cluster; /* (nodes) of each node, below `clusters`; NULL: k-means finds them */
    int64_t epochs;         /* of the layout; default 0: 500 up to 10,000 nodes, 200 above */
    uint64_t seed;          /* default 0 */
    int64_t threads;        /* 0: one per core; never changes the result */
    const char *device;     /* for the neighbours, as in graco_neighbours_options */
    graco_share_fn *on_progress; /* or NULL; the share is not known: NaN */
    void *user;
} graco_map_options;

graco_map_options graco_map_defaults(void);

/* A place in the plane for every node, with what a page shows of it. */
typedef struct graco_map graco_map;

/* Lays out the nodes of embeddings Z (nodes, any): nodes that are nearest by cosine lie side by side. The
 * caller frees the map, which keeps copies of everything. GRACO_ERROR_ARGUMENT for a data set of another
 * number of nodes, GRACO_ERROR_NUMBER for a Z that is not finite. The search for neighbours takes
 * O(nodes^2 columns), the layout O(epochs nodes k). */
graco_status graco_map_make(graco_map **out, const graco_matrix *Z,
                            const graco_map_options *options);

/* Writes a map by the ending of `path`: .html, a page of one file that needs no network; .svg and
 * .png, a picture by class, or by cluster where there are no labels; .npy, the places (nodes, 2).
 * Whole or not at all. GRACO_ERROR_ARGUMENT for another ending. */
graco_status graco_map_save(const graco_map *map, const char *path);

void graco_map_free(graco_map *map);

#ifdef __cplusplus
}
#endif

#endif
