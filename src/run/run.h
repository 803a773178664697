/* A run, while it is read: graco_run_open and what follows in graco.h. Everything is read when it is first
 * asked for, and kept. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "graco_command.h"
#include "base/text.h"
#include "data/dataset.h"
#include "layers/model.h"
#include "run/embeddings.h"

struct json;
struct writer;

/* What is read of metrics.jsonl, while it may grow. */
enum curve_column { CURVE_EPOCH, CURVE_LOSS, CURVE_INFORMATION, CURVE_SECONDS, CURVE_COLUMNS };

struct run_curve {
    int64_t count, room;
    double *at[CURVE_COLUMNS]; /* (count) */
    int64_t peak, best_epoch;
    char ended[48];
    int file;       /* descriptor of the open file plus one; 0: none */
    int64_t offset; /* of the first byte that was not understood */
    int64_t rest;   /* bytes from there */
};

struct run_training {
    char *folder;  /* of a .npy file, its path */
    bool numbered; /* one of several */
    bool asked;    /* config.json was read, or is not there */
    struct json *json;
    struct graco_config *config;
    struct reading reading;
    graco_training about;
    struct run_curve curve;
    bool opened; /* embeddings */
    bool handed; /* the caller has them: they stay open */
    struct embeddings embeddings;
    graco_matrix Z;
    float *converted; /* the rows where the file has another type; else Z borrows */
    char **names;
    struct graco_model *model;
    struct text task;      /* the file of the task that was computed last, to be kept */
    const char *task_file; /* its name */
};

/* What scores that are kept depend on, as hashes: the embeddings; the data set; all that decides them but the
 * embeddings, "" if it cannot be asked for again. */
enum { HASH_TEXT = 17 };
struct made_from {
    char embeddings[HASH_TEXT], data[HASH_TEXT], options[HASH_TEXT];
};

/* Scores of all trainings, and what they depend on. */
struct run_scores {
    int64_t count; /* a result for each seed; 0: there are none */
    graco_eval_result *results;
    graco_eval_options options;
    bool kept; /* they were read from eval.json */
    struct made_from from;
};

/* The baselines that were asked for beside the scores. */
enum { RUN_BASELINES = 2 };
struct run_baselines {
    int count;
    graco_eval_result result[RUN_BASELINES];
    graco_run_baseline row[RUN_BASELINES];
};

struct graco_run {
    graco_run_info info;
    char *path;
    struct run_training *trainings;       /* (seeds * splits) */
    const struct graco_dataset *compared; /* whose fingerprint is known */
    char fingerprint[GRACO_FINGERPRINT];
    struct run_scores scores;
    struct run_baselines baselines; /* beside the scores */
};

/* As graco_run_data; *missing: nothing is where the data set is looked for, which is GRACO_ERROR_IO too. */
graco_status run_data(struct graco_dataset **out, char words[GRACO_DIFFERENCES], bool *missing,
                      struct graco_run *run, const char *source, const graco_load_options *options);

/* config.json of a training; NULL where it is missing, or was not asked for yet. */
const struct json *run_json(const struct graco_run *run, int64_t index);

/* ---- Scores (run_scores.c) --------------------------------------------------------------------- */

/* Scores those trainings of a run that have number `seed` (from 0), one for each split; nothing is kept. */
graco_status scores_of_seed(graco_eval_result *out, struct graco_run *run, int64_t seed,
                            const struct graco_dataset *data, const graco_eval_options *options);

void scores_clear(struct run_scores *scores);

/* Takes the results of an object of eval.json, of which there must be `count`; what was taken before a failure stays. */
graco_status scores_read(struct run_scores *out, const struct json *kept, int64_t count,
                         const struct graco_dataset *data);

void baselines_clear(struct run_baselines *baselines);

/* The baselines of a run's scores as a list in its eval.json; those that were not asked for as `file`, which may be NULL,
 * has them. */
void baselines_write(struct writer *json, const struct json *file, const struct graco_run *run);

/* As graco_run_embeddings, until they are given back: of all trainings of a run there may be more than files can be
 * open. */
graco_status run_borrow(const graco_matrix **Z, struct graco_run *run, int64_t index,
                        const struct graco_dataset *data);
void run_give_back(struct graco_run *run, int64_t index);

/* ---- Kept (run_scores.c) ----------------------------------------------------------------------- */

/* Of `count` trainings: maps their embeddings, and with them whatever keeps them from being scored on these data. With
 * the embeddings goes the split that they were trained on, which decides the scores of classes. */
graco_status made_from_embeddings(struct made_from *out, struct graco_run *run, int64_t first,
                                  int64_t count, const struct graco_dataset *data);

/* The same of a task and the numbers that decide it; after made_from_embeddings. */
void made_from_options(struct made_from *out, const struct graco_run *run, const char *task,
                       const int64_t *numbers, int64_t count);

void made_from_write(struct writer *json, const struct made_from *from);

/* Whether kept scores carry these hashes; without one of options, those of embeddings and data. */
bool made_from_same(const struct json *kept, const struct made_from *from);

/* Whether they were found by the same options on the same data set, of whatever embeddings. */
bool made_from_options_same(const struct json *kept, const struct made_from *from);

/* A file of a run folder; *out is NULL where it is missing or damaged, which keeps nothing. */
graco_status kept_read(struct json **out, const char *folder, const char *name);

/* ---- Lines of metrics.jsonl (run_curve.c) ----------------------------------------------------- */

struct curve_line {
    double at[CURVE_COLUMNS]; /* NaN: the line has none */
    int64_t peak, best_epoch;
    char ended[48];
};

/* Reads a line; *good: it is one, about an epoch. Fails for the system's reasons alone. */
graco_status curve_parse(struct curve_line *out, bool *good, const uint8_t *bytes, int64_t length);

/* Closes the file. What was read stays until graco_run_curve reads the file again, from its beginning. */
void curve_close(struct run_curve *curve);

void curve_clear(struct run_curve *curve);

#endif
