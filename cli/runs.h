/* Run folders: which there are, whether they hold a run, how to make them; and whether a command may
 * write to a name that exists. */
#ifndef CLI_RUNS_H
#define CLI_RUNS_H

#include "graco_more.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RUNS_PATH_MAX = 4096 };

/* How many trainings a folder has: runs that differ in their seed, each with a model per split. */
struct runs_form {
    int64_t runs, splits;
};

/* The folder of training `index` of runs * splits, those of a run together: RUN itself if there is one,
 * else RUN/run-1 ..., and in each of these split-0 ... if there are several. Returns false, after a
 * message, if the name is too long. */
bool runs_folder(char folder[RUNS_PATH_MAX], const char *run, int64_t index, struct runs_form form);

/* Opens `count` runs; the caller frees what is there, whatever happens. And the first of them that is a folder, NULL
 * if none is. */
graco_status runs_open(graco_run *runs[], const char *const *paths, int count);
graco_run *runs_first(graco_run *const *runs, int count);

/* Notes, of a run that holds several trainings, `what` is of the first: "these are embeddings by". */
void runs_say_first(graco_run *run, const char *what);

/* Whether a folder was made by a training: one run or several. */
bool runs_made(const char *folder);

/* Checks that trainings may be written to RUN: nothing there yet unless `resume`, and the same form, one
 * run or several, of one split or several, if there is. Returns false after a message. */
bool runs_check(const char *run, struct runs_form form, bool resume);

/* Makes a folder and those above it; `kind` is for the message, such as "run folder". Returns false
 * after a message, or without one if `kind` is NULL. */
bool runs_make(const char *folder, const char *kind);

/* Checks, before the work, that a result may be written to `target`: with `force` it may replace a
 * file, but never one of `sources`, a list that ends with NULL and may have "" in it; a folder must
 * be empty. Returns false after a message. What else a target may be, the library decides. */
bool runs_target(const char *target, bool force, const char *const *sources);

/* Of a target that is read, too. */
#define RUNS_READ "%s would be read and replaced at once; expected another target"

/* Whether two names are of one file that is there. */
bool runs_same(const char *a, const char *b);

/* As runs_target, of the sources alone. */
bool runs_spares(const char *target, const char *const *sources);

/* Whether a file is the embeddings of a training, whose names lie beside it; of another than `run`, which may
 * be NULL. */
bool runs_owns(const char *run, const char *target);

#endif
