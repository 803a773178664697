/* Scores of one embedding, or of all runs of a folder. */
#ifndef CLI_SCORING_H
#define CLI_SCORING_H

#include "graco_more.h"

#include "runs.h"
#include "base/writer.h"

struct scoring {
    const char *name;   /* as given on the command line; borrowed */
    bool folder;        /* a run folder, which gets an eval.json */
    bool with_features; /* they stood beside the embeddings */
    int64_t runs;
    graco_eval_result *results; /* (runs) */
    /* Over runs x splits. */
    int64_t scores;
    double mean, deviation, macro_f1;
    bool converged;
};

/* Evaluates a .npy file, a run folder, or a folder of several runs. */
graco_status scoring_embeddings(struct scoring *out, const char *path, const graco_dataset *data,
                                const graco_eval_options *options);

/* The file of embeddings that a run wrote, which must be of this data set. */
graco_status scoring_file(char file[RUNS_PATH_MAX + 64], const char *folder,
                          const graco_dataset *data);

/* Evaluates what embeddings should beat: the data set's features ("raw"), or those of an encoder
 * with its initial weights ("untrained") under the settings of `run`, or of the data set's preset
 * where that is NULL or no run folder. */
graco_status scoring_baseline(struct scoring *out, const char *name, const char *run,
                              const graco_dataset *data, const graco_eval_options *options);

void scoring_clear(struct scoring *scoring);

/* a minus b, paired by split; runs are averaged first. */
graco_status scoring_compare(graco_eval_comparison *out, const struct scoring *a,
                             const struct scoring *b);

/* Writes everything about it as fields of the object that is open. */
void scoring_json(struct writer *json, const struct scoring *scoring);

/* Replaces FOLDER/FILE, such as eval.json, by what was written, whole or not at all, and clears the
 * writer. In a folder that may not be written to it leaves a note on stderr instead, and does not fail. */
graco_status scoring_save(const char *folder, const char *file, struct writer *json);

#endif
