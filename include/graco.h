/* graco: node embeddings by graph contrastive learning (GRACE), the whole public interface.
 *
 * Simple use, in four calls:
 *
 *     graco_dataset *data = NULL;
 *     graco_config *config = NULL;
 *     graco_model *model = NULL;
 *     graco_matrix Z = {0};
 *     graco_dataset_load(&data, "cora", NULL);
 *     graco_config_create(&config, "grace", "cora");
 *     graco_train(&model, NULL, data, config, NULL);
 *     graco_model_embed(&Z, model, data, NULL);
 *
 * Conventions. A function that can fail returns a graco_status; its results come back through the
 * leading arguments, which stay untouched (or NULL) on failure. graco_message() then gives one line
 * that names the thing, the value found and the value wanted. Every free and clear accepts NULL.
 * The library never prints and never exits. Between calls it keeps idle threads and, of each thread, its
 * last message, nothing else; objects may be used from several threads as long as nobody changes them
 * meanwhile.
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

/* The message of the last failure in this thread; "" if there was none. Valid until the next one.
 */
const char *graco_message(void);

/* Makes `words` this thread's message and returns `status`: for a program that reports its own failures as
 * graco does. */
graco_status graco_fail(graco_status status, const char *words);

/* The version of the library in use, such as "0.1.0". */
const char *graco_version(void);

/* ---- Matrices -------------------------------------------------------------------------------- */

/* A dense row-major float matrix that owns its data. */
typedef struct graco_matrix {
    int64_t rows, cols;
    float *data; /* (rows, cols) */
} graco_matrix;

/* Reads a two-dimensional .npy file of any number type. */
graco_status graco_matrix_load(graco_matrix *out, const char *path);

/* Writes a .npy file of float32: to a temporary name first, synced, then renamed. */
graco_status graco_matrix_save(const graco_matrix *matrix, const char *path);

/* Writes the bytes of such a file to an open descriptor, which may be a pipe. */
graco_status graco_matrix_write(const graco_matrix *matrix, int fd);

void graco_matrix_clear(graco_matrix *matrix);

/* Replaces a file by these bytes in the same way: whatever happens, the file holds all of its old
 * content or all of the new. */
graco_status graco_file_save(const char *path, const void *bytes, int64_t length);

/* ---- Data sets ------------------------------------------------------------------------------- */

/* A graph with features and, if known, labels and a split. Immutable once made. */
typedef struct graco_dataset graco_dataset;

typedef struct graco_load_options {
    const char *features_path; /* table of node features beside an edge list, or NULL */
    const char *labels_path;   /* table of node labels beside an edge list, or NULL */
    bool undirected;           /* add the reverse of every edge; published sets have it,
                                * but for those of the Open Graph Benchmark */
    /* For a data set that comes without features: so many made-up ones, noise around a mean per
     * class. They hold what the labels say and so are good for tests of scale only. 0: none. */
    int64_t made_features;
    /* What an edge list and its tables are like, where looking is not enough; NULL: look. */
    const char *header;    /* "yes" or "no": whether their first lines are headers */
    const char *id_column; /* that names nodes: its name, its number from 1, or "none" */
    const char *delimiter; /* one character, or "tab", "comma", "space" (blanks and tabs) */
    bool directed;   /* take edges as they are, though graco_dataset_load_as would add reverses */
    bool unweighted; /* leave out the weights of the edges */
    /* Where several processes train together (graco_ranks), and the source is a folder of .npy that
     * allows it: each reads the rows of its own nodes alone, for graco_train and nothing else. */
    bool by_rows;
} graco_load_options;

/* Loads a data set. `source` is a file, a folder, or a name that is looked up under $GRACO_DATA,
 * else $XDG_DATA_HOME/graco, else ~/.local/share/graco. The format is recognised from the content:
 * Planetoid files, a CitationFull .npz, DGL's ppi.zip and reddit.zip or their unpacked folders, the
 * layouts of GraphSAINT, the Open Graph Benchmark, Wiki-CS and MUSAE, graco's own .npz or folder of
 * .npy, a scipy matrix, node-link JSON, GraphML, or an edge list; docs/formats.md has them all. A
 * folder's x.npy of float32 is used in place, so it may be larger than memory and must not change
 * meanwhile. `options` may be NULL. */
graco_status graco_dataset_load(graco_dataset **out, const char *source,
                                const graco_load_options *options);

/* Loads a data set as that of a run was read: what `options` do not say, config.json in the folder
 * `run` does. If `source` is written as it was then, that is every option; else it is `undirected`
 * and `unweighted` alone. A folder without such a record adds nothing. What was added is the last
 * graco_dataset_note. `options` may be NULL. */
graco_status graco_dataset_load_as(graco_dataset **out, const char *source,
                                   const graco_load_options *options, const char *run);

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

/* An array in memory that belongs to somebody else. All zeros: there is none. */
typedef struct graco_array {
    const void *data; /* items, aligned for their type; a row after the other */
    graco_type type;
    int dims;           /* 1: (rows), 2: (rows, cols) */
    int64_t rows, cols; /* of one dimension, cols does not count */
    int64_t stride;     /* items from the beginning of a row to that of the next; 0: no gaps */
} graco_array;

#ifndef __cplusplus
/* An array of C's: GRACO_VECTOR(source, 200), GRACO_MATRIX(x, 100, 16). The compiler finds the
 * type. */
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

/* A data set as arrays, under the names that they have in graco's own format (docs/formats.md).
 * Each may be missing. Numbers may have any type in which their values fit, as in a file. */
typedef struct graco_arrays {
    const char *name; /* of the data set; NULL: "unnamed" */
    int64_t nodes;    /* 0: as the arrays have it: the rows of x, y or edge_indptr, else the largest
                         number in an edge plus one */
    /* Edges, two of these three. Messages go from source[e] to target[e]. Compressed rows have
     * edge_indptr in place of one of them: entries edge_indptr[i] .. edge_indptr[i + 1] - 1 of
     * the other are the targets, or the sources, of the edges of node i. */
    graco_array source, target; /* (edges) node numbers from 0 */
    graco_array edge_indptr;    /* (nodes + 1) */
    graco_array edge_weight;    /* (edges) above 0, in the order of the edges; missing: all are 1 */
    /* Features: x, or compressed rows with ascending columns. */
    graco_array x;        /* (nodes, features) */
    graco_array x_indptr; /* (nodes + 1) */
    graco_array x_indices, x_data;
    int64_t x_cols;         /* features of compressed rows */
    graco_array y;          /* (nodes) class, -1: unknown; or (nodes, classes) of 0 and 1 */
    graco_array split;      /* (nodes) 0 training, 1 validation, 2 test, 3 none */
    graco_array label_mask; /* (nodes) 1 if the node counts in scores */
    graco_array graph_id; /* (nodes) for many graphs: ascending from 0; no edge joins two of them */
    graco_array node_ids; /* (nodes) strings; within a graph no name stands twice */
    graco_array class_names; /* (classes) strings, beside y */
    bool undirected;         /* add the reverse of every edge */
    bool inductive;          /* the split says which nodes a training may see: the first part */
    /* Use x in place if it is float32 without gaps: until the data set is freed it must stay where
     * it is and not change. All else is copied in every case. */
    bool borrow;
} graco_arrays;

/* Makes a data set from arrays, which must stay for the length of the call; with `borrow`, see
 * there. They are checked as those of a file are, with the same messages: GRACO_ERROR_FORMAT
 * names the array, what was found and what was expected. O(nodes + edges + entries of the
 * features). */
graco_status graco_dataset_create(graco_dataset **out, const graco_arrays *arrays);

/* Everything that a data set holds, as graco_dataset_create would take it: edges without
 * self-loops and repetitions, by target (`source` and `edge_indptr`); features dense or
 * compressed; what it does not have is all zeros. Numbers have these types: node numbers,
 * columns, classes and graph ids int32; the two indptr int64; edge_weight, x and x_data float32;
 * split, label_mask and classes as 0 and 1 uint8. The arrays belong to the data set: they must
 * not be changed, and are there until it is freed. An x that lies in a file is read from there
 * when it is touched. O(1). */
graco_arrays graco_dataset_arrays(const graco_dataset *data);

/* The folder in which data sets are looked up by name, as text with a NUL. Fails if none of the
 * three variables is set or the buffer is too small. The folder need not exist. */
graco_status graco_data_folder(char *path, size_t size);

typedef struct graco_generate_options {
    int64_t nodes;         /* default 2000 */
    int64_t classes;       /* default 6 */
    int64_t feature_count; /* size of the vocabulary, default 500; 0: no features */
    double degree;         /* average degree, default 8 */
    double homophily;      /* share of edges that stay within a class, default 0.8 */
    uint64_t seed;         /* default 0 */
    bool dense;            /* bell-shaped noise around a mean per class instead of words */
    /* One of graco_likeness: a graph of that one's size, degrees, features, labels and split, for
     * which of the other options only the scale and the seed count. NULL: as above. */
    const char *like;
    double scale; /* of like: the nodes are so many times as many, default 1 */
} graco_generate_options;

graco_generate_options graco_generate_defaults(void);

/* What `like` may be, in order; NULL past the end. */
const char *graco_likeness(int index);

/* Makes a degree-corrected block model with bag-of-words features, or one like a published set. The
 * same options give the same bits on every machine. */
graco_status graco_dataset_generate(graco_dataset **out, const graco_generate_options *options);

/* Ranks that may be planned for. */
enum { GRACO_RANKS_MOST = 65536 };

/* Writes graco's own format: one file if `path` ends in .npz, else a folder of .npy. */
graco_status graco_dataset_save(const graco_dataset *data, const char *path);

/* Writes the data set as graco_dataset_save does, with an order of its nodes in which few edges join nodes
 * of different ranks, of so many, by METIS: graco-mpi then sends less (docs/scale.md). Rows and names keep
 * their places, and so do results. GRACO_ERROR_ARGUMENT for several graphs, or more ranks than nodes;
 * GRACO_ERROR_DEVICE, which says how to get it, where the library was built without METIS. */
graco_status graco_dataset_partition(const graco_dataset *data, int64_t ranks, const char *path);

/* Writes the layout in which a data set is published: "ppi" (several graphs, dense features,
 * several labels per node, whole graphs in training, validation and test, in this order), "reddit"
 * (one graph, dense features, one label and a split for every node), or "native", which is what
 * graco_dataset_save does. An archive if `path` ends in .zip, else its unpacked folder.
 * GRACO_ERROR_ARGUMENT says what does not fit the layout. */
graco_status graco_dataset_export(const graco_dataset *data, const char *path, const char *layout);

/* The layouts, in order; NULL past the end. */
const char *graco_layout(int index);

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
    int64_t classes;         /* 0 if there are no labels */
    int64_t graphs;
    bool sparse_features, multi_label, directed, has_split;
    int64_t split_nodes[3]; /* training, validation, test */
    bool inductive;         /* its split says which nodes a training may see: the first part */
    bool weighted;          /* its edges have weights that are not all 1 */
} graco_dataset_info;

graco_dataset_info graco_dataset_describe(const graco_dataset *data);

/* A data set in one word: the number of nodes, then 64-bit hashes of the graph, the features, the
 * names of the nodes, the split and the labels, as NODES-GRAPH-FEATURES-NAMES-SPLIT-LABELS. Data
 * sets with the same word are the same to a training. The same on every machine; finds mistakes,
 * not forgeries. One pass over everything. GRACO_ERROR_IO if features in use in place were cut. */
enum { GRACO_FINGERPRINT = 112 };
graco_status graco_dataset_fingerprint(char text[GRACO_FINGERPRINT], const graco_dataset *data);

/* The name of a node, where the files named them; NULL where they were numbered, and past the end.
 * Belongs to the data set. */
const char *graco_dataset_node(const graco_dataset *data, int64_t node);

/* The nodes (count) that are called so: by name where nodes have names, and never by number then;
 * else by number, as text. GRACO_ERROR_ARGUMENT names the text that no node, or more than one, is
 * called by. O(bytes of all names). */
graco_status graco_dataset_find_nodes(int64_t *nodes, const graco_dataset *data,
                                      const char *const *of, int64_t count);

/* The name of a class, where labels were words; NULL where they were numbers, and past the end.
 * Belongs to the data set. graco's own format keeps names. */
const char *graco_dataset_class(const graco_dataset *data, int64_t index);

/* The class of a node, from 0; -1 where it is not known or nodes have several, and past the end. */
int64_t graco_dataset_label(const graco_dataset *data, int64_t node);

/* How an edge list and its tables were understood: a line for each, in order; NULL past the end,
 * and for other formats. Belongs to the data set. */
const char *graco_dataset_note(const graco_dataset *data, int index);

/* The files that a data set was read from, as they were named: its source, then its table of features and
 * its table of labels, if there are any; NULL past the end, and where none was read. Of bytes that are not UTF-8
 * each is '?'. Belongs to the data set. */
const char *graco_dataset_file(const graco_dataset *data, int index);

/* ---- Methods and their settings --------------------------------------------------------------- */

/* The methods, in order: name and one-line help of method `index`; NULL past the end. */
const char *graco_method(int index, const char **help);

typedef struct graco_method_info {
    const char *name, *help;
    bool supervised, needs_features, needs_labels;
    const char *scale;     /* how large a graph may be, in words */
    const char *reference; /* who published it, where */
} graco_method_info;

/* More of method `index`; false past the end. */
bool graco_method_describe(graco_method_info *info, int index);

/* The presets of a method, in order: hyperparameters by the name of a data set. NULL past the end,
 * or where there is no such method. */
const char *graco_preset(const char *method, int index);

/* A method with everything that decides the result of its training, reached by key. */
typedef struct graco_config graco_config;

/* The settings of a method ("grace"; NULL: that one): its general ones, with those of the preset of
 * that name laid over them if the method has it. So the name of a data set will do; NULL: none.
 * GRACO_ERROR_ARGUMENT if there is no such method. */
graco_status graco_config_create(graco_config **out, const char *method, const char *preset);

/* The settings of a preset file, such as the best.json of graco_tune (docs/formats.md): those that
 * it names laid over its method's general ones. GRACO_ERROR_FORMAT says what is wrong with it. */
graco_status graco_config_load(graco_config **out, const char *path);

graco_status graco_config_copy(graco_config **out, const graco_config *config);
void graco_config_free(graco_config *config);

/* The name of its method. */
const char *graco_config_method(const graco_config *config);

/* Sets one key from text, as `--set key=value` does. Fails with a message that says what is
 * allowed, also for a key that the method does not read. */
graco_status graco_config_set(graco_config *config, const char *key, const char *value);

/* One key's value as text. Fails if the method reads no such key or the buffer is too small. */
graco_status graco_config_get(const graco_config *config, const char *key, char *value,
                              size_t size);

/* The keys that the method reads, in order: name and one-line help of key `index`; NULL past the
 * end. `help` may be NULL. */
const char *graco_config_key(const graco_config *config, int index, const char **help);

/* The words that a key takes, in order, for any method; NULL past the end, and where the key is not
 * a choice of words. */
const char *graco_config_word(const char *key, int index);

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

/* Called after each epoch; returning false ends the training after a checkpoint (GRACO_STOPPED). Of several ranks any
 * may: all end. */
typedef bool graco_epoch_fn(void *user, const graco_epoch *epoch);

typedef struct graco_progress {
    int64_t epoch, epochs; /* the epoch under way, 1 .. epochs */
    int64_t step, steps;   /* steps done in it, and how many it has */
    double share;          /* of the step under way that is done, 0 .. 1 */
    double loss;           /* mean over the epoch's steps so far; NaN before the first has ended */
    double seconds;        /* of this call */
    double seconds_left;   /* estimate; NaN before anything is known */
    const char *faster;    /* a setting that takes far less time, "objective=moment"; NULL: none */
    double faster_seconds; /* what seconds_left would be with it, from counted operations */
} graco_progress;

/* Called at most ten times a second, between steps and within long ones, from the thread that
 * called graco_train. Returning false ends the training within about a second (GRACO_STOPPED): the
 * step under way is given up, and the checkpoint stands before it, perhaps within an epoch. On a
 * GPU, and over ranks, of which any may end it, a step runs to its end first. Must not change what the training uses. */
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

/* Trains on a data set. `model`, `result` and `options` may each be NULL. With a run folder it
 * holds config.json, metrics.jsonl, model.safetensors and embeddings.npy afterwards, and
 * node_ids.txt if the nodes have names; an embeddings.npy that was there is empty from the first
 * checkpoint on, until those of the last are written. A checkpoint with more epochs than
 * `config` asks for is left as it is. Costs O(epochs * N^2 * d) time for the exact objective and
 * O(N d) memory beside the tiles. */
graco_status graco_train(graco_model **model, graco_train_result *result, const graco_dataset *data,
                         const graco_config *config, const graco_train_options *options);

/* Reads the model of a run folder. */
graco_status graco_model_load(graco_model **out, const char *run);

/* Writes a model to a folder, which is made if it is not there, as the model.safetensors that
 * graco_model_load reads. It is for models that were trained without a run folder: a training that
 * is under way in the folder is not looked for. */
graco_status graco_model_save(const graco_model *model, const char *run);

/* The configuration that the model was trained with, borrowed from it. */
const graco_config *graco_model_config(const graco_model *model);

/* The name that a class had in the data set which a supervised model was trained on, borrowed from
 * the model; NULL where it had none. */
const char *graco_model_class(const graco_model *model, int64_t index);

/* Compares a data set with the one that a model was trained on. Fills `words` with what differs,
 * out of "number of nodes, graph, features, node names, split, labels"; "" if nothing does. The
 * split counts for inductive trainings and supervised methods, labels for the latter alone. Costs a
 * fingerprint. */
enum { GRACO_DIFFERENCES = 64 };
graco_status graco_model_compare(char words[GRACO_DIFFERENCES], const graco_model *model,
                                 const graco_dataset *data);

typedef struct graco_embed_options {
    int64_t threads;    /* 0: one per core */
    const char *device; /* one of graco_config_word("device", ...); NULL: "auto" */
    bool contaminated;  /* first zero the share of feature entries that the training zeroed */
} graco_embed_options;

/* Embeds every node of the whole graph, no edge removed: Z is (nodes, width): `hidden` columns, of a
 * supervised method one for each class, of sgc one for each feature. The data set must
 * have as many features as the one trained on; features that were made from the graph are made
 * again, and unless they are of the kind `degree` the graph must be the one trained on. A method
 * that learns a vector for each node (deepwalk, node2vec) gives a node the vector of its name, in
 * whatever graph; where nodes have no names the graph must be the one trained on.
 * GRACO_ERROR_ARGUMENT says what the training did not see. `options` may be NULL. */
graco_status graco_model_embed(graco_matrix *Z, const graco_model *model, const graco_dataset *data,
                               const graco_embed_options *options);

/* The rows that the objective of GRACE contrasts, of two corrupted views of the whole graph as
 * the next step of its training would draw them: Z is (2 * nodes, hidden), projected, of length
 * one, the first view's nodes above the second's. `options` may be NULL. GRACO_ERROR_ARGUMENT
 * for other methods. */
graco_status graco_model_views(graco_matrix *Z, const graco_model *model, const graco_dataset *data,
                               const graco_embed_options *options);

void graco_model_free(graco_model *model);

/* Writes embeddings Z (nodes, any) of a data set as graco_matrix_save does and, if its nodes have
 * names, these beside them: NAME.node_ids.txt beside NAME.npy, one per line (docs/formats.md). Both
 * appear together: where that fails half-way, older embeddings are empty, so that no name is ever
 * that of another row. */
graco_status graco_embeddings_save(const graco_matrix *Z, const graco_dataset *data,
                                   const char *path);

typedef struct graco_export_options {
    bool spreadsheet_safe; /* in tables: put ' before names that a spreadsheet takes for formulas */
    /* Only these nodes, in this order, by what graco_embeddings_find_nodes takes. 0: all. */
    const char *const *of; /* (of_count) */
    int64_t of_count;
} graco_export_options;

typedef struct graco_export_result {
    int64_t rows, cols;
    bool named; /* with the nodes' names; else they are called 0, 1, 2, ... */
} graco_export_result;

/* Writes embeddings with the nodes' names in a format that other programs read, by the ending of
 * `path`: .csv and .tsv, tables; .txt and .vec, word2vec's text; .bin, word2vec's binary; .npz,
 * arrays node_ids and embeddings. `from` is a run folder, or a .npy file that
 * graco_embeddings_save has written. Numbers are read back to the same bits. Memory does not
 * grow with the embeddings. GRACO_ERROR_FORMAT if there is not one name for each row;
 * GRACO_ERROR_ARGUMENT for another ending, and for a name that the format cannot hold. `result`
 * and `options` may be NULL. */
graco_status graco_embeddings_export(graco_export_result *result, const char *from,
                                     const char *path, const graco_export_options *options);

/* Reads embeddings and the names of their nodes, `from` as above. *names (rows of Z) is NULL where
 * there are none; it ends with graco_names_free. */
graco_status graco_embeddings_load(graco_matrix *Z, char ***names, const char *from);

/* The same for embeddings of the nodes of `data`, row by row. GRACO_ERROR_ARGUMENT names a node
 * that the embeddings call by another name. Where one side has no names, or the numbers of rows
 * differ, nothing is checked. `names` and `data` may be NULL. */
graco_status graco_embeddings_load_of(graco_matrix *Z, char ***names, const char *from,
                                      const graco_dataset *data);
void graco_names_free(char **names);

/* The rows (count) of the nodes that are called so in embeddings, `from` as above: by name where
 * there are names, and never by number then; else by number, as text. GRACO_ERROR_ARGUMENT names
 * the text that no node, or more than one, is called by. O(bytes of all names). */
graco_status graco_embeddings_find_nodes(int64_t *rows, const char *from, const char *const *of,
                                         int64_t count);

/* ---- Planning -------------------------------------------------------------------------------- */

/* Seconds that this machine takes for a unit of each kind of work that a training does, measured
 * with the kernels themselves. They hold for one device and number of threads. */
enum { GRACO_RATES = 25 };
typedef struct graco_rates {
    double seconds[GRACO_RATES];
} graco_rates;

/* The names of the kinds; NULL past the end. */
const char *graco_rate_name(int index);

/* Where a training with this configuration computes, "cpu" or "cuda", and with how many threads. */
graco_status graco_config_machine(const char **device, int64_t *threads,
                                  const graco_config *config);

/* Measures the rates of the device and the threads that a configuration asks for: about a second. */
graco_status graco_rates_measure(graco_rates *out, const graco_config *config);

/* What a training will take. */
typedef struct graco_plan {
    const char *device;   /* "cpu" or "cuda" */
    int64_t now_bytes;    /* resident memory of this process before the training: its data set */
    int64_t host_bytes;   /* the most of it during the training */
    int64_t device_bytes; /* the most that buffers take on a device beside the host; 0 on the CPU */
    int64_t device_free, device_total; /* what it has: 0 on the CPU */
    int64_t parameters;                /* numbers that are learnt */
    int64_t steps;                     /* of an epoch */
    double prepare_seconds; /* before the first epoch: features made, graphs cut out, walks */
    double epoch_seconds;   /* NaN without rates, as the following ones */
    double embed_seconds;   /* the embeddings after the last epoch */
    double seconds;         /* in all, if no epoch is spared by `patience` */
} graco_plan;

/* Goes through a training without training: everything is prepared and every buffer asked for, but
 * buffers have no memory and kernels count in place of computing. Methods that learn from random
 * walks run an epoch, or as many of its steps as a second has. `rates` may be NULL. Fails as graco_train does where data and settings do
 * not fit together; GRACO_ERROR_ARGUMENT also for node_features = walk, whose features another
 * training makes. Costs about what preparing the training does, in time and memory. */
graco_status graco_plan_train(graco_plan *out, const graco_dataset *data,
                              const graco_config *config, const graco_rates *rates);

/* What one rank of several will have and send, where graco-mpi trains (docs/scale.md). */
typedef struct graco_rank_plan {
    int64_t nodes;      /* its own */
    int64_t read_rows;  /* of others' nodes: the boundary */
    int64_t sent_rows;  /* its own that others read, once for each that does */
    int64_t host_bytes; /* the most memory of its process, data set included */
    int64_t own_bytes;  /* the same without the data set */
    bool by_rows;       /* host_bytes, an estimate then, has its own rows of the data set alone */
    int64_t sent_bytes, sent_messages; /* in an epoch */
    double compute_seconds;            /* of an epoch, without waiting; NaN without rates */
} graco_rank_plan;

/* The same as graco_plan_train for each rank of a training by `ranks` processes, whose ranges of
 * nodes are the training's: fills out (ranks), of which a failure leaves nothing of use. Bytes and
 * messages are those that the training will count. What does not train over ranks is refused as by
 * graco_train. O(ranks nodes + edges), and the ring's meetings of ranks for exact and infonce. */
graco_status graco_plan_ranks(graco_rank_plan *out, int64_t ranks, const graco_dataset *data,
                              const graco_config *config, const graco_rates *rates);

/* What the system can give this process, in bytes: free or reclaimable memory and swap, within the
 * limits of the control group and of the process. INT64_MAX where that cannot be asked. */
int64_t graco_available_memory(void);

/* The largest resident memory of this process so far, in bytes. */
int64_t graco_peak_memory(void);

/* Which of the processes that train together this one is, and how many they are: 0 of 1, but in
 * graco-mpi. There graco_train is called by all of them with the same arguments; rank 0 writes. */
int graco_rank(void);
int graco_ranks(void);

/* For what a program tells each of its ranks: fails on all of them with GRACO_ERROR_ARGUMENT if `value` is
 * another on one than on rank 0, in the first 1,023 bytes; the message has `what`, that rank and both
 * values. All ranks call it, in the same order. One process has nothing to compare. */
graco_status graco_ranks_alike(const char *what, const char *value);

/* Whether a training looks at more of a data set than a rank's own rows and their neighbours, as
 * mini-batches do: graco_train then refuses one that was loaded with by_rows. */
bool graco_looks_at_all(const graco_config *config, const graco_dataset *data);

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

/* The names of the protocols, in the order of the enumeration; NULL past the end. */
const char *graco_protocol_name(int index);

/* How many splits a protocol has for a data set where `wanted` are asked for: 1 where it means the
 * data set's own, which then is split 0. */
int64_t graco_split_count(const graco_dataset *data, graco_protocol protocol, int64_t wanted);

/* Called at most ten times a second, from the thread that asked for the work, with about the share
 * of it that is done. False stops it: it returns GRACO_STOPPED. */
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

/* Scores embeddings Z (nodes, any) by the labels of a data set. `options` may be NULL. Nodes
 * without a known label are left out. Fails if Z is not finite, if no label is known, or if a part
 * of a split is empty. Costs about 8 products with X and 8 with X' (X the training rows, `classes`
 * columns at once) per split and C. */
graco_status graco_evaluate(graco_eval_result *result, const graco_matrix *Z,
                            const graco_dataset *data, const graco_eval_options *options);

/* What a supervised model says of every node: P (nodes, classes), probabilities of the classes,
 * from a training on split number `split`. */
typedef struct graco_class_scores {
    int64_t split;
    graco_matrix P;
} graco_class_scores;

/* Scores them on the test parts of their splits, as many as there are in `scores`: the class with
 * the largest number is the prediction, or, for multi-label data, each with more than 1/2. There is
 * no regression, so every C is NaN. Of `options`, which may be NULL, the protocol and the seed
 * count: they say which splits those are. O(count * nodes * classes). */
graco_status graco_evaluate_classes(graco_eval_result *result, const graco_class_scores *scores,
                                    int64_t count, const graco_dataset *data,
                                    const graco_eval_options *options);

void graco_eval_result_clear(graco_eval_result *result);

/* How much structure embeddings have, measured without labels (docs/evaluation.md). NaN where the
 * data set has nothing to measure it by. */
typedef struct graco_structure {
    double modularity; /* of clusters on the graph's edges, below 1; NaN: no edges */
    double explained; /* share of the energy of the features, smoothed over the graph, that clusters
                         explain, 0 .. 1; NaN: no features */
    double
        predicted; /* share of nodes whose group, of those that features and edges make, a regression
                         predicts that saw a tenth of them, 0 .. 1; NaN: a single node, or no edges
                         and features that are the same for all */
} graco_structure;

/* Measures embeddings Z (nodes, any). `threads` 0: one per core; they never change the result.
 * Fails if Z is not finite. O(rounds of k-means * nodes * columns * 30), with some hundred rounds,
 * and to smooth the features O((their entries + nodes + edges) * 128) and cluster them. */
graco_status graco_measure_structure(graco_structure *out, const graco_matrix *Z,
                                     const graco_dataset *data, int64_t threads);

/* ---- Clusters -------------------------------------------------------------------------------- */

typedef struct graco_cluster_options {
    int64_t clusters; /* 0: as many as the labelled nodes have classes */
    int64_t starts;   /* of k-means, of which the best is kept; default 10 */
    uint64_t seed;    /* default 0 */
    int64_t threads;  /* 0: one per core; never changes the result */
} graco_cluster_options;

graco_cluster_options graco_cluster_defaults(void);

/* Numbers as scikit-learn has them, NaN where there is none. Clear it with
 * graco_cluster_result_clear. */
typedef struct graco_cluster_result {
    int64_t nodes, clusters;
    int32_t *cluster;  /* (nodes) */
    int64_t labelled;  /* nodes with a known label; 0: none, or several labels for each node */
    double nmi;        /* normalised mutual information with the labels, by the arithmetic mean */
    double ari;        /* adjusted Rand index */
    double accuracy;   /* share of nodes whose class the best matching gives their cluster */
    double modularity; /* of the clusters on the graph's edges */
    double silhouette; /* mean over at most 3,000 nodes, drawn by the seed */
    double seconds;
} graco_cluster_result;

/* Clusters embeddings Z (nodes, any), rows scaled to length one, by k-means, and compares the
 * clusters with labels, edges and themselves. `options` may be NULL. GRACO_ERROR_ARGUMENT for more
 * clusters than nodes, and where neither says how many there are. */
graco_status graco_evaluate_clusters(graco_cluster_result *result, const graco_matrix *Z,
                                     const graco_dataset *data,
                                     const graco_cluster_options *options);

void graco_cluster_result_clear(graco_cluster_result *result);

/* ---- Links ----------------------------------------------------------------------------------- */

typedef struct graco_links_options {
    double test, validation; /* shares of the links that are held out; default 0.1 and 0.05 */
    uint64_t seed;           /* default 0 */
} graco_links_options;

graco_links_options graco_links_defaults(void);

/* Pairs of nodes for link prediction. Clear it with graco_links_clear. */
typedef struct graco_links {
    int64_t count;
    /* (count, 4) in each row two nodes; the part they belong to, 0 training, 1 validation, 2 test;
     * and 1 for a link, 0 for a pair without one. */
    int32_t *pair;
} graco_links;

/* Writes a data set without some of its links, drawn at random, and these beside it, as the array
 * `links` (docs/formats.md): one file if `path` ends in .npz, else a folder. A link is a pair of
 * nodes with an edge in either direction, and both go. Each part has as many pairs without an edge
 * as links, of two nodes of one graph; the training part is at most 20,000 of the links that stay.
 * The same seed gives the same bytes. `options` may be NULL. GRACO_ERROR_ARGUMENT if a part would
 * be empty, or if there are too few pairs without an edge. O(edges log edges). */
graco_status graco_links_split(const graco_dataset *data, const char *path,
                               const graco_links_options *options);

/* Reads the links of a data set that graco_links_split wrote; `source` as graco_dataset_load takes
 * it. */
graco_status graco_links_load(graco_links *out, const char *source);
void graco_links_clear(graco_links *links);

/* How pairs are scored: "dot", z_a . z_b; "cosine"; "hadamard", a logistic regression on z_a * z_b,
 * number by number. */
enum { GRACO_LINK_SCORES = 3 };

typedef struct graco_link_result {
    int64_t links, others; /* pairs of the test part: with a link, without one */
    struct {
        const char *name;
        double auc; /* area under the ROC curve, 0 .. 1 */
        double average_precision;
    } score[GRACO_LINK_SCORES];
    double C; /* of the regression, the best of 2^-10, 2^-8 .. 2^10 by the validation part's AUC; 1
                 without it */
    bool converged;
    double seconds;
} graco_link_result;

/* Scores embeddings Z (nodes, any) by how well they tell the test part's links from its other
 * pairs. `data` is what Z was trained on: GRACO_ERROR_ARGUMENT if it has an edge where a link was
 * held out. Equal scores count as scikit-learn counts them. The result is the same for any number
 * of threads. */
graco_status graco_evaluate_links(graco_link_result *result, const graco_matrix *Z,
                                  const graco_dataset *data, const graco_links *links,
                                  int64_t threads);

/* ---- Neighbours ------------------------------------------------------------------------------ */

typedef struct graco_neighbours_options {
    int64_t k;          /* how many for each node; default 10, less than there are nodes */
    const char *metric; /* one of graco_metric: "cosine", NULL too, or "inner", the inner product */
    const int64_t *nodes; /* (count) whose neighbours are asked for; NULL: those of all nodes */
    int64_t count;
    int64_t memory;     /* bytes that copies of rows may fill on the CPU; default 1 GiB */
    int64_t threads;    /* 0: one per core; never changes the result */
    const char *device; /* "cpu", "cuda"; "auto", NULL too: a GPU where the work is worth it */
} graco_neighbours_options;

graco_neighbours_options graco_neighbours_defaults(void);

/* The metrics, in order; NULL past the end. */
const char *graco_metric(int index);

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
 * are asked for; memory beside Z is `memory` and about twice the result. `options` may be NULL.
 * GRACO_ERROR_ARGUMENT for a k that is not 1 to nodes - 1, a node that is not there and an unknown
 * metric; GRACO_ERROR_NUMBER for a Z that is not finite. */
graco_status graco_neighbours_find(graco_neighbours *out, const graco_matrix *Z,
                                   const graco_neighbours_options *options);

/* Writes them to a file, by its ending: .json; .csv, a line for each pair; .npz, arrays nodes,
 * indptr, indices and scores, and node_ids if there are names. `names` (out->nodes) may be NULL:
 * then nodes are called by their numbers. GRACO_ERROR_ARGUMENT for another ending. */
graco_status graco_neighbours_save(const graco_neighbours *neighbours, const char *const *names,
                                   const char *path);

void graco_neighbours_clear(graco_neighbours *neighbours);

/* ---- Map ------------------------------------------------------------------------------------- */

/* Numbers of nodes, by which a map can be coloured. */
typedef struct graco_map_values {
    const char *name;
    const float *values; /* (nodes) NaN: not known */
} graco_map_values;

typedef struct graco_map_options {
    const char *title;              /* of the page; NULL: "Map" */
    const char *const *names;       /* (nodes) or NULL: nodes are called by their numbers */
    const graco_dataset *data;      /* for labels and degrees, or NULL */
    const graco_map_values *values; /* (value_count) */
    int64_t value_count;
    int64_t k;          /* neighbours of a node that the layout follows; default 15, at most 256 */
    int64_t clusters;   /* of k-means; default 0: as many as there are classes, else 10 */
    int64_t epochs;     /* of the layout; default 0: 500 up to 10,000 nodes, 200 above */
    uint64_t seed;      /* default 0 */
    int64_t threads;    /* 0: one per core; never changes the result */
    const char *device; /* for the neighbours, as in graco_neighbours_options */
} graco_map_options;

graco_map_options graco_map_defaults(void);

/* A place in the plane for every node, with what is shown of it. */
typedef struct graco_map graco_map;

/* Lays out the nodes of embeddings Z (nodes, any): nodes that are nearest by cosine lie side by
 * side. Everything is copied; `options` may be NULL. GRACO_ERROR_ARGUMENT for a data set of another
 * number of nodes, GRACO_ERROR_NUMBER for a Z that is not finite. The search for neighbours takes
 * O(nodes^2 columns), the layout O(epochs nodes k). */
graco_status graco_map_make(graco_map **out, const graco_matrix *Z,
                            const graco_map_options *options);

typedef struct graco_map_info {
    int64_t nodes, clusters;
    double seconds; /* that it took */
    /* Whether nodes that lie side by side are alike, and whether alike ones lie side by side: 1 at
     * best, over a sample of nodes; NaN for fewer than four (docs/evaluation.md). */
    double trustworthiness, continuity;
    int64_t quality_k, quality_nodes; /* that both look at: so many neighbours of so many nodes */
} graco_map_info;

graco_map_info graco_map_describe(const graco_map *map);

/* Writes it by the ending of `path`: .html, a page of one file that needs no network; .svg and
 * .png, a picture by class, or by cluster where there are no labels; .npy, the places (nodes, 2).
 * Whole or not at all. GRACO_ERROR_ARGUMENT for another ending. */
graco_status graco_map_save(const graco_map *map, const char *path);

void graco_map_free(graco_map *map);

/* ---- Prediction ------------------------------------------------------------------------------ */

typedef struct graco_predict_options {
    bool all;           /* also nodes whose label is known; else those alone whose label is not */
    int64_t threads;    /* 0: one per core; never changes the result */
    const char *device; /* as in graco_embed_options */
} graco_predict_options;

/* Clear it with graco_prediction_clear. */
typedef struct graco_prediction {
    int64_t count, classes;
    bool multi_label;
    int64_t *node;      /* (count) ascending */
    float *probability; /* (count, classes) of each class; rows add up to 1 unless multi-label */
    double C;           /* of the regression; NaN: the model is supervised and has none */
} graco_prediction;

/* Says of nodes which class they probably have. A supervised model gives its own probabilities, of
 * the classes in the order of its training (graco_model_class), and refuses a data set with a class
 * that it was not trained on: by name, where classes without names are called 0, 1, 2, ..., or by
 * their count if the data set has no names. For any other model, logistic regressions, one per class,
 * are fitted to the embeddings of all nodes with a known label. Their C is the best of 2^-10 .. 2^9
 * over 5 folds of these nodes, as in the protocol `authors`. Where a node has one label, its
 * probabilities are divided by their sum. `options` may be NULL. GRACO_ERROR_ARGUMENT if there is
 * nothing to predict, or too few labels to learn from. */
graco_status graco_predict(graco_prediction *out, const graco_model *model,
                           const graco_dataset *data, const graco_predict_options *options);

/* The same from embeddings Z (nodes, any), as graco_predict does it for a model that is not
 * supervised. It reads only the labels of the data set, and `options`, which may be NULL, without the
 * device. */
graco_status graco_predict_embeddings(graco_prediction *out, const graco_matrix *Z,
                                      const graco_dataset *data,
                                      const graco_predict_options *options);

void graco_prediction_clear(graco_prediction *prediction);

/* ---- Comparison ------------------------------------------------------------------------------ */

/* Two embeddings on the same splits: the mean of a's scores minus b's, paired by split, and the
 * standard error of that mean (NaN for one split). Fails if the numbers of splits differ. */
typedef struct graco_eval_comparison {
    double difference, error; /* in points */
} graco_eval_comparison;

graco_status graco_eval_compare(graco_eval_comparison *out, const graco_eval_result *a,
                                const graco_eval_result *b);

/* The data set's features as a dense matrix: what embeddings should beat. As they are; with a
 * `config`, with the share of entries zeroed that its `contaminate` says. */
graco_status graco_dataset_features(graco_matrix *X, const graco_dataset *data,
                                    const graco_config *config);

/* ---- Searching for settings ------------------------------------------------------------------ */

/* What settings are compared by. */
typedef enum graco_criterion {
    GRACO_CRITERION_STRUCTURE, /* ranks of graco_measure_structure: no label is read */
    GRACO_CRITERION_VALIDATION, /* graco_evaluate's score of validation parts, of splits that are others
                                   than those of seed 0; the labels of test parts are not read */
} graco_criterion;

/* Their names, in the order of the enumeration; NULL past the end. */
const char *graco_criterion_name(int index);

typedef struct graco_tune_progress {
    int64_t trials_done, trials; /* measured at least once; wanted in all, 0: as time allows */
    int64_t measured;            /* measurements so far */
    int64_t best_trial;          /* -1: none yet */
    graco_structure best;        /* of it */
    double best_validation;      /* in percent; NaN: not asked for */
    double seconds;              /* of this call */
    double seconds_left;         /* estimate; NaN before anything is known */
} graco_tune_progress;

/* Called at most ten times a second, from one thread at a time, which need not be the caller's.
 * Returning false ends the search within about a second (GRACO_STOPPED), with the best so far in
 * best.json. */
typedef bool graco_tune_fn(void *user, const graco_tune_progress *progress);

typedef struct graco_tune_options {
    const char *folder; /* where everything is kept; made if its parent is there */
    const char *method; /* "grace"; NULL: that one. One that learns without labels */
    const char *const
        *search; /* "KEY=a,b,c", "KEY=low..high" or "KEY=value", ending with NULL: in place
                                  of those settings' own ranges; NULL: none */
    graco_criterion criterion;
    int64_t trials;     /* default 50; 0: until the time is over. Settings that can be counted are
                           tried once each, though that be fewer */
    double seconds;     /* after which it ends with the best so far; 0: no limit */
    uint64_t seed;      /* default 0 */
    int64_t threads;    /* 0: one per core; never changes the choice */
    int64_t at_once;    /* trainings, 0: as memory and threads allow; never changes the choice */
    const char *device; /* as in graco_embed_options */
    graco_tune_fn *on_progress;
    void *user;
} graco_tune_options;

graco_tune_options graco_tune_defaults(void);

typedef struct graco_tune_result {
    int64_t trials, measured;  /* that were measured at least once; measurements of them */
    int64_t trial;             /* that was chosen */
    int64_t epochs;            /* after which it was best */
    graco_structure structure; /* of it: a mean over seeds where it was confirmed */
    double validation;
    int64_t seeds;  /* that it was trained with */
    double seconds; /* of this call */
    bool out_of_time;
} graco_tune_result;

/* Searches for settings of a method for a data set: random ones first, then ones near the best,
 * trained in rungs of more and more epochs, of which the better half goes on; the best few are
 * trained again with other seeds (docs/tune.md). The folder then has best.json, which
 * graco_config_load reads, trials.csv with every measurement, and report.html. A folder in which a
 * search with the same options was ended, killed or given fewer trials is continued: what stands in
 * trials.csv is not trained again. The same seed and trials give the same choice on one machine.
 * `config`, which the caller frees, and `result` may be NULL; with GRACO_STOPPED they are filled if
 * there is a best so far, with GRACO_OK always. */
graco_status graco_tune(graco_config **config, graco_tune_result *result, const graco_dataset *data,
                        const graco_tune_options *options);

/* ---- Runs ------------------------------------------------------------------------------------ */

/* What trainings left on disk: the folder of one, or a folder that holds one for each seed (run-1, run-2,
 * ...), for each split (split-0, ...) or for both. A .npy file is a run of which only its embeddings are
 * known. Every file is read when it is first asked for, and once; what is returned belongs to the run. One
 * thread at a time may use a run. */
typedef struct graco_run graco_run;

/* Opens a run, which may have nothing in it yet. */
graco_status graco_run_open(graco_run **out, const char *path);
void graco_run_free(graco_run *run);

typedef struct graco_run_info {
    const char *path;
    /* seeds * splits trainings, those of a seed together: training i is of split i % splits. */
    int64_t seeds, splits;            /* 1 at least */
    bool seed_folders, split_folders; /* they have folders of their own */
} graco_run_info;

graco_run_info graco_run_describe(const graco_run *run);

/* The folder of the training of seed `number` (from 1) and of a split in the run folder `path`; a negative
 * number leaves its part out. Fails if the name is too long. */
graco_status graco_run_folder(char *folder, size_t size, const char *path, int64_t number,
                              int64_t split);

/* The folder of training `index`. */
const char *graco_run_path(const graco_run *run, int64_t index);

/* What is in the folder of a training now. */
typedef struct graco_run_files {
    bool begun;    /* it has a checkpoint, and can be continued */
    bool embedded; /* it has embeddings, of its last checkpoint */
    /* The files beside a checkpoint: "config.json, metrics.jsonl"; "": none. */
    char others[80];
} graco_run_files;

graco_run_files graco_run_look(const char *folder);

typedef enum graco_run_state {
    GRACO_RUN_NONE,     /* no training has begun */
    GRACO_RUN_TRAINING, /* one is under way */
    GRACO_RUN_KILLED,   /* one was, and nobody continues it */
    GRACO_RUN_STOPPED,  /* it can be continued */
    GRACO_RUN_ENDED,
} graco_run_state;

/* How the training of a folder stands. Only with `certain` a killed one is told from one under way: that takes
 * holding the folder's lock for a moment, which could turn away a training that starts just then. */
graco_run_state graco_run_stands(const char *folder, bool certain);

/* What a training was begun with. */
typedef struct graco_training {
    const graco_config *config; /* NULL: not known */
    const char *dataset;        /* its name; NULL: not known */
    const char *source;         /* where it was read, as it was typed; NULL: likewise */
    const char *fingerprint;    /* of its data set; NULL: likewise */
    uint64_t seed;
    int64_t split; /* that it was trained on; -1: it serves all */
} graco_training;

/* Reads config.json or, where it is missing, the checkpoint. GRACO_ERROR_FORMAT if that is damaged. */
graco_status graco_run_training(graco_training *out, graco_run *run, int64_t index);

/* A training epoch by epoch. What a line of metrics.jsonl does not have is NaN. */
typedef struct graco_curve {
    int64_t count;
    const double *epoch, *loss, *information, *seconds; /* (count) epochs ascend */
    int64_t peak_bytes; /* the largest resident memory; 0: not known */
    int64_t best_epoch; /* whose parameters are kept; 0: those of the last */
    const char *ended;  /* as in graco_train_result; "": it does not say */
    bool there;         /* there is a metrics.jsonl */
    int64_t rest;       /* bytes behind the last line that is whole and follows the one before */
} graco_curve;

/* Reads what metrics.jsonl has beyond what was read before: a training that is under way is followed by
 * calling it again. One that was begun again is read from its beginning. */
graco_status graco_run_curve(graco_curve *out, graco_run *run, int64_t index);

/* Loads a data set as that of training 0 was read: what `options`, which may be NULL, do not say, config.json
 * does. If `source` is written as it was then, that is every option; else it is `undirected` and `unweighted`
 * alone. What was added is the last graco_dataset_note. With the source NULL it is looked for by its name, by
 * the path that was typed, and by its place relative to the run, and what is found must be what was trained
 * on. `words` is filled as by graco_run_compare. The caller frees *out. */
graco_status graco_run_data(graco_dataset **out, char words[GRACO_DIFFERENCES], graco_run *run,
                            const char *source, const graco_load_options *options);

/* Compares a data set with the one of a training. Fills `words` with what differs, out of "number of nodes,
 * graph, features, node names, split, labels"; "" if nothing does, or if the training's is not known. The split
 * counts for inductive trainings and supervised methods, labels for the latter alone. Costs a fingerprint, once
 * for a run and a data set, which is not freed before the run. */
graco_status graco_run_compare(char words[GRACO_DIFFERENCES], graco_run *run, int64_t index,
                               const graco_dataset *data);

/* The embeddings of a training and the names of their rows, in place: Z must not be changed. *names is NULL
 * where there are none. With `data`, which may be NULL, they must be of that data set: GRACO_ERROR_ARGUMENT if
 * the training was on another one, or names a node otherwise. GRACO_ERROR_IO if there are no embeddings of
 * the last checkpoint. `names` may be NULL. */
graco_status graco_run_embeddings(const graco_matrix **Z, char *const **names, graco_run *run,
                                  int64_t index, const graco_dataset *data);

/* The rows (count) of the nodes that are called so in the embeddings: by name where there are names, and
 * never by number then; else by number, as text. GRACO_ERROR_ARGUMENT names the text that no node, or more
 * than one, is called by. O(bytes of all names). */
graco_status graco_run_find_nodes(int64_t *rows, graco_run *run, int64_t index,
                                  const char *const *of, int64_t count);

/* The model of a training. */
graco_status graco_run_model(const graco_model **out, graco_run *run, int64_t index);

/* ---- Reports --------------------------------------------------------------------------------- */

/* A run in a report: the folders of its trainings, each as graco_train leaves it. */
typedef struct graco_report_run {
    const char *name;           /* what the page calls it: the path of its folder will do */
    const char *const *folders; /* (count) one for each seed, those of several splits together */
    int64_t count;
    int64_t splits; /* of a supervised method with a training for each; 0 or 1: one for all */
} graco_report_run;

typedef struct graco_report_options {
    const char *title; /* of the page; NULL: the run's name */
    const char *data;  /* the data set, as graco_dataset_load takes it; NULL: where each run's
                         config.json says that it was read from */
    const graco_load_options *load; /* beside what the runs say; NULL: nothing */
    graco_eval_options eval;        /* of the scores; its threads are those of everything */
    bool no_map;
} graco_report_options;

graco_report_options graco_report_defaults(void);

/* Writes one page, `path`, about trainings: settings beside the preset's, curves, scores with the
 * confusion of classes, effective rank, spectrum, alignment and uniformity of the embeddings,
 * clusters, a map of up to 20,000 nodes, and how runs compare (docs/evaluation.md). The page needs
 * no network. What is missing or damaged in a folder is named there, beside what there is; *notes,
 * which may be NULL, counts such remarks. GRACO_ERROR_IO if a folder holds nothing of a run. The
 * same folders give the same bytes, for any number of threads. `options` may be NULL. */
graco_status graco_report_runs(const char *path, int64_t *notes, const graco_report_run *runs,
                               int64_t count, const graco_report_options *options);

#ifdef __cplusplus
}
#endif

#endif
