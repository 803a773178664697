/* What `graco eval` asks of embeddings besides classes. */
#ifndef CLI_TASKS_H
#define CLI_TASKS_H

#include "graco.h"

#include "options.h"

struct task_request {
    const char *task; /* one of task_word, but the first */
    bool json;
    uint64_t seed;
    int64_t clusters; /* 0: as many as there are classes */
    int64_t threads;
    const graco_load_options *load;
};

/* The tasks, in order; NULL past the end. The first, "classify", is `graco eval`'s own. */
const char *task_word(int index);

/* Scores the arguments of the command but the last, which is the data set, and prints a row for each.
 * Returns the exit code. */
int task_run(const struct command *command, const struct task_request *request);

#endif
