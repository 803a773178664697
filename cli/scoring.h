/* Scores of one embedding, or of all runs of a folder. */
#ifndef CLI_SCORING_H
#define CLI_SCORING_H

#include "graco_command.h"
#include "graco_more.h"

#include "runs.h"

struct scoring {
    const char *name;   /* as given on the command line; borrowed */
    bool with_features; /* they stood beside the embeddings */
    graco_run *run;     /* whose results they are; NULL: they are its own */
    graco_eval_options options;
    int64_t runs;
    const graco_eval_result *results; /* (runs) */
    graco_eval_result own;
    graco_eval_summary all; /* over runs x splits */
};

/* Evaluates a .npy file, a run folder, or a folder of several runs. Takes the run, whatever happens. */
graco_status scoring_run(struct scoring *out, graco_run *run, const graco_dataset *data,
                         const graco_eval_options *options);

/* Evaluates what embeddings should beat: a baseline of graco_baseline, or ("untrained") an encoder with its
 * initial weights under the settings of `run`, or of the data set's preset where that is NULL or does not say. */
graco_status scoring_baseline(struct scoring *out, const char *name, graco_run *run,
                              const graco_dataset *data, const graco_eval_options *options);

/* Fills `out` with the baselines that graco_run_baselines gave of a run, which must outlive them. */
int scoring_beside(struct scoring *out, const struct scoring *run, const graco_run_baseline *list,
                   int count);

void scoring_clear(struct scoring *scoring);

/* a minus b, paired by split; runs are averaged first. */
graco_status scoring_compare(graco_eval_comparison *out, const struct scoring *a,
                             const struct scoring *b);

/* Keeps the scores in the run folder, if they are of one. In a folder that may not be written to it leaves a note
 * on stderr instead, and does not fail. */
graco_status scoring_keep(const struct scoring *scoring);

/* Whether results may be kept in a folder; if not, a note says that `file` is not. */
bool scoring_may_keep(const char *folder, const char *file);

#endif
