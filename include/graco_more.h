/* The explicit tier of graco's interface, for programs that look closer than graco.h: generated graphs, the
 * arrays of a data set, methods with their presets and keys, what a run folder holds, export, plans,
 * other evaluations, and the search for settings. The conventions are those of graco.h. */
#ifndef GRACO_MORE_H
#define GRACO_MORE_H

#include "graco.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Data sets ------------------------------------------------------------------------------- */

/* Everything that a data set holds, as graco_dataset_create would take it: edges without
 * self-loops and repetitions, by target (`source` and `edge_indptr`); features dense or
 * compressed; what it does not have is all zeros. Numbers have these types: node numbers,
 * columns, classes and graph ids int32; the two indptr int64; edge_weight, x and x_data float32;
 * split, label_mask and classes as 0 and 1 uint8. The arrays belong to the data set: they must
 * not be changed, and are there until it is freed. An x that lies in a file is read from there
 * when it is touched. O(1). */
graco_arrays graco_dataset_arrays(const graco_dataset *data);

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

/* A data set in one word: the number of nodes, then 64-bit hashes of the graph, the features, the
 * names of the nodes, the split and the labels, as NODES-GRAPH-FEATURES-NAMES-SPLIT-LABELS. Data
 * sets with the same word are the same to a training. The same on every machine; finds mistakes,
 * not forgeries. One pass over everything. GRACO_ERROR_IO if features in use in place were cut. */
enum { GRACO_FINGERPRINT = 112 };
graco_status graco_dataset_fingerprint(char text[GRACO_FINGERPRINT], const graco_dataset *data);

/* The nodes (count) that are called so: by name where nodes have names, and never by number then;
 * else by number, as text. GRACO_ERROR_ARGUMENT names the text that no node, or more than one, is
 * called by. O(bytes of all names). */
graco_status graco_dataset_find_nodes(int64_t *nodes, const graco_dataset *data,
                                      const char *const *of, int64_t count);

/* The name of the class of that number, where labels were words; NULL where they were numbers, and past the end.
 * Belongs to the data set. graco's own format keeps names. */
const char *graco_dataset_class(const graco_dataset *data, int64_t index);

/* The number of a node's class, from 0; -1 where it is not known or nodes have several, and past the end. */
int64_t graco_dataset_label(const graco_dataset *data, int64_t node);

/* ---- Methods and their settings --------------------------------------------------------------- */

/* The names of the methods, in order; NULL past the end. */
const char *graco_method(int index);

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

/* The preset of a data set's name, "general" if the method has none of it or `dataset` is NULL. */
const char *graco_preset_for(const char *method, const char *dataset);

/* The settings of a preset file, such as the best.json of graco_tune (docs/formats.md): those that
 * it names laid over its method's general ones. GRACO_ERROR_FORMAT says what is wrong with it. */
graco_status graco_config_load(graco_config **out, const char *path);

graco_status graco_config_copy(graco_config **out, const graco_config *config);

/* The name of its method. */
const char *graco_config_method(const graco_config *config);

/* One key's value as text. Fails if the method reads no such key or the buffer is too small. */
graco_status graco_config_get(const graco_config *config, const char *key, char *value,
                              size_t size);

/* Key `index` of those that the method reads, and its help, which may be NULL; NULL past the end. */
const char *graco_config_key(const graco_config *config, int index, const char **help);

/* What a setting is to a training. */
typedef enum graco_key_kind {
    GRACO_KEY_FIXED = 0,   /* it decides the result */
    GRACO_KEY_MACHINE = 1, /* it does too, but belongs to a machine: no preset has it */
    GRACO_KEY_LENGTH = 2,  /* epochs: a training that is resumed may have more */
    GRACO_KEY_EACH = 4,    /* each of several runs has its own */
    GRACO_KEY_FREE = 8,    /* it changes no result */
    GRACO_KEY_HOST = 16,   /* the same, and each process may have its own */
} graco_key_kind;

/* The kind of a key, of any method; GRACO_KEY_FIXED where there is no such key. */
graco_key_kind graco_config_kind(const char *key);

/* The words that a key takes, in order, for any method; NULL past the end, and where it takes none. */
const char *graco_config_word(const char *key, int index);

/* ---- Training -------------------------------------------------------------------------------- */

/* What output `index` of a supervised model is called: its class by name, or by number where numbers were left out
 * (classes 3 and 7). Borrowed from the model; NULL where output k is class k. */
const char *graco_model_class(const graco_model *model, int64_t index);

/* Part `index` of embeddings whose parts are whole (columns=all), such as "own": its columns. NULL past the last. */
const char *graco_model_part(const graco_model *model, int index, int64_t *first, int64_t *count);

enum { GRACO_DIFFERENCES = 64 };

typedef struct graco_export_options {
    bool spreadsheet_safe; /* in tables: put ' before names that a spreadsheet takes for formulas */
    /* Only these nodes, in this order, by what graco_run_find_nodes takes. 0: all. */
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

/* What needs no training: "raw" features, and "propagate", the method in its settings for the data set. NULL: the end. */
const char *graco_baseline(int index);

/* Scores a baseline on the splits of graco_evaluate. `config`, of a training or NULL, says which entries of features it zeroed.
 * Unless `whole`, raw features of more than 2^24 numbers are scored along their 256 leading principal components, as a note
 * says. GRACO_ERROR_ARGUMENT if there are no features. */
graco_status graco_evaluate_baseline(graco_eval_result *result, const char *name,
                                     const graco_dataset *data, const graco_config *config,
                                     bool whole, const graco_eval_options *options);

/* True if embeddings are not better than a baseline by two standard errors; `words` say so, and what to try. */
enum { GRACO_ADVICE = 512 };
bool graco_baseline_advice(char words[GRACO_ADVICE], const char *who, const char *name,
                           const graco_eval_comparison *against, const graco_config *config);

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

/* What a training was begun with. */
typedef struct graco_training {
    const graco_config *config; /* NULL: not known */
    const char *dataset;        /* its name; NULL: not known */
    const char *source;         /* where it was read, as it was typed; NULL: likewise */
    const char *fingerprint;    /* of its data set; NULL: likewise */
    uint64_t seed;
    int64_t split; /* that it was trained on; -1: it serves all */
} graco_training;

/* Reads config.json and, where it is missing or has no settings or no fingerprint, the checkpoint.
 * GRACO_ERROR_FORMAT if config.json is damaged, or the checkpoint where that is missing. */
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
 * the path that was typed, and by its place relative to the run; what was trained on is preferred to other
 * data. `words`, which may be NULL, is filled as by graco_run_compare. The caller frees *out. */
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

/* Closes the embeddings of a training, whose Z and names are no more: of very many trainings, all of them would be
 * more files than can be open. They are opened again when they are asked for. */
void graco_run_close(graco_run *run, int64_t index);

/* The rows (count) of the nodes that are called so in the embeddings: by name where there are names, and
 * never by number then; else by number, as text. GRACO_ERROR_ARGUMENT names the text that no node, or more
 * than one, is called by. O(bytes of all names). */
graco_status graco_run_find_nodes(int64_t *rows, graco_run *run, int64_t index,
                                  const char *const *of, int64_t count);

/* Scores a run, as graco_evaluate does, or graco_evaluate_classes for supervised trainings: *results (seeds of the
 * run) belong to it until the next call. Scores that eval.json has of the same embeddings, data set and options are
 * read and not computed again. GRACO_ERROR_ARGUMENT if the data set is another one, and for a supervised run by
 * another protocol or on other splits than its own. */
graco_status graco_run_scores(const graco_eval_result **results, graco_run *run,
                              const graco_dataset *data, const graco_eval_options *options);

/* The model of a training. */
graco_status graco_run_model(const graco_model **out, graco_run *run, int64_t index);

/* ---- Planning -------------------------------------------------------------------------------- */

/* What memory a training will take. Its time is measured by the training itself: graco_progress. */
typedef struct graco_plan {
    const char *device;   /* "cpu" or "cuda" */
    int64_t now_bytes;    /* resident memory of this process before the training: its data set */
    int64_t host_bytes;   /* the most of it during the training */
    int64_t device_bytes; /* the most that buffers take on a device beside the host; 0 on the CPU */
    int64_t device_free, device_total; /* what it has: 0 on the CPU */
    int64_t parameters;                /* numbers that are learnt */
    int64_t steps;                     /* of an epoch */
} graco_plan;

/* Dry-runs a training: prepares everything and requests every buffer, but neither allocates nor
 * computes. Methods that learn from random walks run an epoch, or as many of its steps as a second
 * has. Fails as graco_train does where data and settings do not fit together; GRACO_ERROR_ARGUMENT
 * also for node_features = walk, whose features another training makes. Costs about what preparing
 * the training does, in time and memory. */
graco_status graco_plan_train(graco_plan *out, const graco_dataset *data,
                              const graco_config *config);

/* ---- Evaluation ------------------------------------------------------------------------------ */

/* The names of the protocols, in the order of the enumeration; NULL past the end. */
const char *graco_protocol_name(int index);

/* How many splits a protocol has for a data set where `wanted` are asked for: 1 where it means the
 * data set's own, which then is split 0. */
int64_t graco_split_count(const graco_dataset *data, graco_protocol protocol, int64_t wanted);

/* What a supervised model says of every node: P (nodes, classes that occur), probabilities, from a training on
 * split number `split`. */
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

/* How much structure embeddings have, measured without labels (docs/evaluation.md). NaN where the
 * data set has nothing to measure it by. */
typedef struct graco_structure {
    double modularity; /* of clusters on the graph's edges, below 1; NaN: no edges */
    double columns; /* share of the variance of hidden columns of the features that a regression of
                       embeddings which did not see them predicts, 0 .. 1; NaN: fewer than two
                       columns, or the hidden ones are the same for all nodes */
    double edges;   /* P(a hidden edge's nodes are more alike than those of a random pair), in
                       embeddings that did not see the edge; NaN: no edge is hidden */
} graco_structure;

/* ---- Clusters -------------------------------------------------------------------------------- */

typedef struct graco_cluster_options {
    int64_t clusters;            /* 0: as many as the labelled nodes have classes, at most 1,024 */
    int64_t starts;              /* of k-means, of which the best is kept; default 10 */
    uint64_t seed;               /* default 0 */
    int64_t threads;             /* 0: one per core; never changes the result */
    graco_share_fn *on_progress; /* or NULL; the share is not known: NaN */
    void *user;
} graco_cluster_options;

graco_cluster_options graco_cluster_defaults(void);

/* Numbers as scikit-learn has them, NaN where there is none. Clear it with
 * graco_cluster_result_clear. */
typedef struct graco_cluster_result {
    int64_t nodes, clusters;
    int32_t *cluster; /* (nodes) */
    int64_t labelled; /* nodes with a known label; 0: none, or several labels for each node */
    double nmi;       /* normalised mutual information with the labels, by the arithmetic mean */
    double ari;       /* adjusted Rand index */
    double accuracy; /* share of nodes whose cluster is matched with their class; NaN above 1,024 */
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
const char *graco_link_score(int index);

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

/* The metrics, in order; NULL past the end. */
const char *graco_metric(int index);

/* Writes them to a file, by its ending: .json; .csv, a line for each pair; .npz, arrays nodes,
 * indptr, indices and scores, and node_ids if there are names. `names` (out->nodes) may be NULL:
 * then nodes are called by their numbers. GRACO_ERROR_ARGUMENT for another ending. */
graco_status graco_neighbours_save(const graco_neighbours *neighbours, const char *const *names,
                                   const char *path);

/* ---- Map ------------------------------------------------------------------------------------- */

typedef struct graco_map_info {
    int64_t nodes, clusters;
    double seconds; /* that it took */
    /* Whether nodes that lie side by side are alike, and whether alike ones lie side by side: 1 at
     * best, over a sample of nodes; NaN for fewer than four (docs/evaluation.md). */
    double trustworthiness, continuity;
    int64_t quality_k, quality_nodes; /* that both look at: so many neighbours of so many nodes */
} graco_map_info;

graco_map_info graco_map_describe(const graco_map *map);

/* ---- Prediction ------------------------------------------------------------------------------ */

typedef struct graco_predict_options {
    bool all;           /* also nodes whose label is known; else those alone whose label is not */
    int64_t threads;    /* 0: one per core; never changes the result */
    const char *device; /* as in graco_embed_options */
    graco_share_fn *on_progress; /* or NULL; the share is not known: NaN */
    void *user;
} graco_predict_options;

/* Clear it with graco_prediction_clear. */
typedef struct graco_prediction {
    int64_t count, classes;
    bool multi_label;
    int64_t *node;      /* (count) ascending */
    int32_t *class_of;  /* (classes) numbers in the data; NULL: those of graco_model_class */
    float *probability; /* (count, classes) of each class; rows add up to 1 unless multi-label */
    double C;           /* of the regression; NaN: the model is supervised and has none */
} graco_prediction;

/* Says of nodes which class they probably have. A supervised model gives its own probabilities, of
 * the classes in the order of its training (graco_model_class), and refuses a data set with a class
 * that it was not trained on: by name, where classes without names are called by their numbers; if only the data set
 * has no names, or nodes have several labels, by their count. For any other model, logistic regressions, one per class,
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

/* ---- Searching for settings ------------------------------------------------------------------ */

/* What settings are compared by. */
typedef enum graco_criterion {
    GRACO_CRITERION_STRUCTURE, /* the three numbers of a graco_structure: no label is read */
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
    double score,
        raw; /* of it and of the raw features by structure, the higher the better; NaN: none */
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

/* ---- Reports --------------------------------------------------------------------------------- */

typedef struct graco_report_options {
    const char *title; /* of the page; NULL: the run's name */
    const char *data;  /* the data set, as graco_dataset_load takes it; NULL: where graco_run_data
                         finds that of each run */
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
graco_status graco_report(const char *path, int64_t *notes, graco_run *const *runs, int64_t count,
                          const graco_report_options *options);

#ifdef __cplusplus
}
#endif

#endif
