/* A search: its trials, what was measured of them, and the work under way. */
#ifndef TUNE_SEARCH_H
#define TUNE_SEARCH_H

#include "eval/hidden.h"
#include "tune/trials.h"

#include <pthread.h>
#include <stdatomic.h>

struct lock;

/* One call of graco_tune. */
struct search {
    const struct graco_dataset *data;
    const graco_tune_options *options;
    struct hidden hidden; /* what embeddings are asked for, once something is measured */
    double raw; /* score of the raw features by structure, likewise; NaN: there are none */
    struct space space;
    struct trials trials;
    int64_t most;                             /* trials in all */
    int64_t count, room;                      /* trials drawn so far */
    struct point *point;                      /* (count) */
    bool *local;                              /* (count) */
    char *table, *best, *page, *about, *runs; /* paths: trials.csv, best.json, ..., and a folder */
    struct lock *lock;
    int threads, at_once;
    double begun, asked;  /* when the call began, and when on_progress was called last */
    double saved;         /* when trials.csv was written last */
    int64_t fresh;        /* measurements of this call */
    double trained;       /* epochs of this call, of measurements */
    atomic_bool stop;     /* no training goes on */
    bool out_of_time;     /* and that is why */
    pthread_mutex_t hold; /* of trials, asked and saved */
};

/* A training that is wanted: a trial with a seed up to so many epochs. */
struct wanted {
    int64_t trial, seed, epochs;
};

/* Takes the folder, whose lock is held, for this search: writes tune.json, or holds it against the one that is there,
 * and removes what killed searches have left beside the files.
 * GRACO_ERROR_ARGUMENT names what differs, or says that trials lie there without it. */
graco_status search_claim(const struct search *search);

/* Scores a column of zeros: what the criterion validation would refuse of the labels or the machine, told before anything
 * is trained. */
graco_status search_check_labels(const struct search *search);

/* Trains and measures those of `wanted` (count) that are not measured yet, several at a time.
 * GRACO_STOPPED if the search shall end, at the first failure too; what was measured until then is kept. */
graco_status search_measure(struct search *search, const struct wanted *wanted, int64_t count);

/* Makes what embeddings are measured by, once. GRACO_ERROR_ARGUMENT if the data set has nothing for the criterion. */
graco_status search_prepare(struct search *search);

/* Epochs that all trainings of the search have, about. */
double search_epochs(const struct search *search);

/* Trials that have a measurement. */
int64_t search_measured(const struct search *search);

/* Removes the run folder of a training, if it is there. */
graco_status search_forget(const struct search *search, const struct wanted *wanted);

/* Writes trials.csv. */
graco_status search_save(struct search *search);

/* Asks on_progress, at most ten times a second unless `now`; sets `stop`. */
void search_report(struct search *search, bool now);

/* The choice so far: the mean over its seeds. False if nothing was measured. */
struct choice {
    struct measurement mean;
    int64_t seeds;
};

graco_status search_choose(struct choice *out, bool *found, const struct search *search);

/* The settings of a choice. */
graco_status search_configure(struct graco_config *config, const struct search *search,
                              const struct choice *choice);

/* Writes report.html. */
graco_status search_write_page(const struct search *search, const struct choice *choice);

#endif
