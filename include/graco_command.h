/* What graco's own command and Python package need beyond graco_more.h: files and pipes, notes, tables, memory,
 * ranks, the reproduction of the paper. Without promise of stability: any release may change or remove a function. */
#ifndef GRACO_COMMAND_H
#define GRACO_COMMAND_H

#include "graco_more.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ---------------------------------------------------------------------------------- */

/* Makes `words` this thread's message and returns `status`: for a program that reports its own failures as
 * graco does. */
graco_status graco_fail(graco_status status, const char *words);

/* ---- Matrices -------------------------------------------------------------------------------- */

/* Writes the bytes of such a file to an open descriptor, which may be a pipe. */
graco_status graco_matrix_write(const graco_matrix *matrix, int fd);

/* Replaces a file by these bytes in the same way: whatever happens, the file holds all of its old
 * content or all of the new. */
graco_status graco_file_save(const char *path, const void *bytes, int64_t length);

/* ---- Data sets ------------------------------------------------------------------------------- */

/* The folder in which data sets are looked up by name, as text with a NUL. Fails if none of the
 * three variables is set or the buffer is too small. The folder need not exist. */
graco_status graco_data_folder(char *path, size_t size);

/* Ranks that may be planned for. */
enum { GRACO_RANKS_MOST = 65536 };

/* Writes the data set as graco_dataset_save does, with an order of its nodes in which few edges join nodes
 * of different ranks, of so many, by METIS: graco-mpi then sends less (docs/scale.md). Rows and names keep
 * their places, and so do results. GRACO_ERROR_ARGUMENT for several graphs, or more ranks than nodes;
 * GRACO_ERROR_DEVICE, which says how to get it, where the library was built without METIS. */
graco_status graco_dataset_partition(const graco_dataset *data, int64_t ranks, const char *path);

/* How an edge list and its tables were understood: a line for each, in order; NULL past the end,
 * and for other formats. Belongs to the data set. */
const char *graco_dataset_note(const graco_dataset *data, int index);

/* What a caller says of the columns of a table of edges; NULL: their names decide. */
typedef struct graco_ends_options {
    const char *source, *target, *weight; /* a column's name, or its number from 1 */
    const char *table;                    /* what messages call it; NULL: "the table" */
    bool python; /* messages propose Graph(..., source=, target=), not options of the command */
} graco_ends_options;

/* How a table of edges was understood: columns count from 0. */
enum { GRACO_ENDS_READING = 640 };
typedef struct graco_ends {
    int64_t source, target;
    int64_t weight;   /* -1: no column has weights */
    int64_t left_out; /* how many columns are none of these */
    /* "edges from `a` to `b`; weights `c`; left out: `d`" */
    char reading[GRACO_ENDS_READING];
} graco_ends;

/* Decides which columns of a table of edges are its ends, by the names of the columns (count). Where the
 * options name neither end: two columns are both ends. Of more, the ends are called by a known pair of words,
 * such as source and target, src and dst, from and to, head and tail, subject and object, u and v; else by
 * such words and an equal rest, such as from_account and to_account; else they are the only two that end in
 * id, such as customer_id and product_id. A column called weight, weights, edge_weight or w has the weights.
 * GRACO_ERROR_FORMAT where no pair or more than one is found: the message lists the columns and what to
 * write. GRACO_ERROR_ARGUMENT where there is no column of a given name. */
graco_status graco_table_ends(graco_ends *out, const char *const *columns, int64_t count,
                              const graco_ends_options *options);

/* The name of a feature that came from a column of a table, such as "age" or "country=CH", as text with a NUL; "" where
 * features came from no table, and past the end. */
void graco_dataset_feature(char *name, size_t size, const graco_dataset *data, int64_t feature);

/* The files that a data set was read from, as they were named: its source, then its table of features and
 * its table of labels, if there are any; NULL past the end, and where none was read. Of bytes that are not UTF-8
 * each is '?'. Belongs to the data set. */
const char *graco_dataset_file(const graco_dataset *data, int index);

/* ---- Frames ---------------------------------------------------------------------------------- */

/* A table of another library, read through Arrow's C data interface, as polars, pyarrow, DuckDB and pandas give it
 * (__arrow_c_stream__ in Python). Its memory stays where that library has it, until the frame is freed. One
 * thread at a time may use a frame. */
typedef struct graco_frame graco_frame;

/* Reads `stream`, a struct ArrowArrayStream, to its end and releases it, also on failure. A stream of single
 * values is a frame of one column. GRACO_ERROR_FORMAT if lengths, nulls or buffers contradict each other; that
 * buffers are as long as their arrays cannot be checked. O(columns * chunks), and a pass over the nulls. */
graco_status graco_frame_read(graco_frame **out, void *stream);
void graco_frame_free(graco_frame *frame);

typedef enum graco_column_kind {
    GRACO_COLUMN_NUMBERS, /* integers, floats, decimals, and columns without any value */
    GRACO_COLUMN_TRUTHS,
    GRACO_COLUMN_TIMES, /* dates, times and durations */
    GRACO_COLUMN_WORDS, /* texts, also in a dictionary */
    GRACO_COLUMN_OTHER, /* lists and the like, which can only be left out */
} graco_column_kind;

typedef struct graco_column {
    const char *name; /* borrowed from the frame; "" without one */
    graco_column_kind kind;
    int64_t rows, nulls;
    bool coded;         /* its values are in a dictionary: words are categories */
    const char *format; /* of its values, in Arrow's words */
} graco_column;

/* A column of a frame, from 0; false past the end. */
bool graco_frame_column(graco_column *out, const graco_frame *frame, int64_t index);

/* A column (rows) that is not of words as numbers, which belong to the frame. Integers and floats without nulls
 * keep their type, and stay in place if they are in one chunk. All else is float64, NaN for a null: 0 and 1
 * of truth values, seconds of times. */
graco_status graco_frame_numbers(graco_array *out, graco_frame *frame, int64_t index);

/* Numbers the words of some columns, row by row, in the order in which they first appear: codes[i] (rows) is
 * filled with the numbers of column columns[i], -1 for a null. `words`, which belong to the frame, are the words by
 * their number. Whole numbers are the words that write them. Expected O(bytes of all words). */
graco_status graco_frame_words(graco_array *words, int32_t *const *codes, graco_frame *frame,
                               const int64_t *columns, int64_t count);

/* ---- Runs ------------------------------------------------------------------------------------ */

/* The folder of the training of seed `number` (from 1) and of a split in the run folder `path`; a negative
 * number leaves its part out. Fails if the name is too long. */
graco_status graco_run_folder(char *folder, size_t size, const char *path, int64_t number,
                              int64_t split);

/* Removes a run folder with all that is in it; nothing to do where there is none. */
graco_status graco_run_remove(const char *folder);

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

/* The scores that eval.json has of these embeddings and data, by whatever options: *results as graco_run_scores has them, NULL if there are
 * none, and in *options the protocol, the number of splits and the features beside the embeddings. */
graco_status graco_run_kept_scores(const graco_eval_result **results, graco_eval_options *options,
                                   graco_run *run, const graco_dataset *data);

/* Scores a training as graco_evaluate_clusters and graco_evaluate_links do. What eval-cluster.json or eval-link.json has of
 * the same embeddings, data and options is read and not computed again; graco_run_keep_task keeps what was computed last. */
graco_status graco_run_clusters(graco_cluster_result *result, graco_run *run, int64_t index,
                                const graco_dataset *data, const graco_cluster_options *options);
graco_status graco_run_links(graco_link_result *result, graco_run *run, int64_t index,
                             const graco_dataset *data, const graco_links *links, int64_t threads);
graco_status graco_run_keep_task(graco_run *run, int64_t index);

/* All scores over several results of one metric: those of several seeds, say. */
typedef struct graco_eval_summary {
    int64_t scores;
    double mean, deviation, macro_f1; /* sample deviation, 0 for one score; mean over the results */
    bool converged;                   /* all did */
} graco_eval_summary;

graco_eval_summary graco_eval_summarise(const graco_eval_result *results, int64_t count);

/* graco_eval_compare of the results of several seeds each, averaged first. */
graco_status graco_eval_compare_runs(graco_eval_comparison *out, const graco_eval_result *a,
                                     int64_t a_count, const graco_eval_result *b, int64_t b_count);

/* Keeps the scores in the run's eval.json, with what they depend on. */
graco_status graco_run_keep_scores(graco_run *run);

/* A baseline beside the scores of a run: those of the run minus its own, paired by split. */
typedef struct graco_run_baseline {
    const char *name;
    const graco_eval_result *result;
    graco_eval_comparison against;
} graco_run_baseline;

/* The baselines of graco_baseline on the splits of the last graco_run_scores, which must have been of these data; they
 * are the run's until the next one. eval.json keeps them with the scores. None, *count = 0, where the data set has no
 * features, and beside a supervised training on a split of its own number. */
graco_status graco_run_baselines(const graco_run_baseline **list, int *count, graco_run *run,
                                 const graco_dataset *data);

/* Writes scores as fields of the object that is open, as they stand in eval.json, eval-cluster.json and
 * eval-link.json. */
struct writer;
void graco_eval_write(struct writer *json, const char *name, const graco_eval_result *results,
                      int64_t count, const graco_eval_options *options);
void graco_clusters_write(struct writer *json, const graco_cluster_result *result);
void graco_links_write(struct writer *json, const graco_link_result *result);

/* The score of a baseline as the criterion validation of a search measures settings; its rules are those of
 * graco_evaluate_baseline. */
graco_status graco_tune_baseline(double *score, const char *name, const graco_dataset *data,
                                 int64_t threads);

/* ---- Training -------------------------------------------------------------------------------- */

/* The rows that the objective of GRACE contrasts, of two corrupted views of the whole graph as
 * the next step of its training would draw them: Z is (2 * nodes, hidden), projected, of length
 * one, the first view's nodes above the second's. `options` may be NULL. GRACO_ERROR_ARGUMENT
 * for other methods. */
graco_status graco_model_views(graco_matrix *Z, const graco_model *model, const graco_dataset *data,
                               const graco_embed_options *options);

/* ---- Planning -------------------------------------------------------------------------------- */

/* Decides in *config what `auto` means for a data set and so many ranks, as a training does when it begins, and fills
 * `why` (room: 160 bytes), "" if there was nothing to choose. */
graco_status graco_config_resolve(char *why, size_t room, graco_config *config,
                                  const graco_dataset *data, int64_t ranks);

/* What one rank of several will have and send, where graco-mpi trains (docs/scale.md). */
typedef struct graco_rank_plan {
    int64_t nodes;      /* its own */
    int64_t read_rows;  /* of others' nodes: the boundary */
    int64_t sent_rows;  /* its own that others read, once for each that does */
    int64_t host_bytes; /* the most memory of its process, data set included */
    int64_t own_bytes;  /* the same without the data set */
    bool by_rows;       /* host_bytes, an estimate then, has its own rows of the data set alone */
    int64_t sent_bytes, sent_messages; /* in an epoch */
} graco_rank_plan;

/* The same as graco_plan_train for each rank of a training by `ranks` processes, whose ranges of
 * nodes are the training's: fills out (ranks), of which a failure leaves nothing of use. Bytes and
 * messages are those that the training will count. What does not train over ranks is refused as by
 * graco_train. O(ranks nodes + edges), and the ring's meetings of ranks for exact and infonce. */
graco_status graco_plan_ranks(graco_rank_plan *out, int64_t ranks, const graco_dataset *data,
                              const graco_config *config);

/* What the system can give this process, in bytes: free or reclaimable memory and swap, within the
 * limits of the control group and of the process. INT64_MAX where that cannot be asked. */
int64_t graco_available_memory(void);

/* The largest resident memory of this process so far, in bytes. */
int64_t graco_peak_memory(void);

/* One of several jobs, a training for one; `alone`: no other runs beside it. */
typedef graco_status graco_job_fn(void *user, int64_t job, bool alone);

/* Runs the jobs 0 .. count - 1, begun in this order, up to `at_once` of them at a time in threads. Those that find too
 * little memory beside others run once more, alone. After any other failure none is begun, and those under way end: returns
 * the first, with its message and its number in *failed, which may be NULL; GRACO_STOPPED gives way to any other. */
graco_status graco_run_jobs(int64_t *failed, int64_t count, int at_once, graco_job_fn *function,
                            void *user);

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

#ifdef __cplusplus
}
#endif

#endif
