/* What trainings came to, as text and as JSON. */
#ifndef CLI_TRAINED_H
#define CLI_TRAINED_H

#include "graco.h"
#include "runs.h"

/* One training. */
struct trained {
    char folder[RUNS_PATH_MAX];
    uint64_t seed;
    int64_t split; /* that it was trained on; -1: it serves all */
    graco_train_result result;
    int code; /* what the command ends with; -1: it was stopped */
};

/* All trainings of a command. */
struct trained_all {
    const char *run, *dataset, *preset;
    const graco_config *config; /* of the first */
    struct runs_form form;
    const struct trained *each; /* (runs * splits) */
    const graco_dataset *data;
    const char *source; /* of the data set, as it was typed; NULL: it was generated */
};

/* Prints all of them as one, or with `json` also each, and returns the exit code. As text the last rows score the first
 * training next to the raw and smoothed features, on few splits, where labels are known and that takes seconds at most. */
int trained_report(const struct trained_all *all, bool json);

/* Says how far a training came that was stopped, and which command line continues it: the one that was
 * given, with --resume. Returns the exit code. */
int trained_stopped(int argc, char **argv, const graco_config *config, bool resume,
                    const graco_train_result *result);

#endif
