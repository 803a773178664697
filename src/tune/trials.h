/* What a search has measured, how measurements compare, and trials.csv, which keeps them.
 *
 * The order of everything here is by trial, seed and epochs, never by the time at which a training
 * ended: so however many run at once, the same decisions follow. */
#ifndef TUNE_TRIALS_H
#define TUNE_TRIALS_H

#include "tune/space.h"

/* One training of a trial after some of its epochs. */
struct measurement {
    int64_t trial;
    int64_t seed; /* 0: that of the search; 1, 2, ...: those after it, which confirm a choice */
    int64_t epochs;
    graco_structure structure;
    double validation; /* in percent; NaN: not asked for */
    double seconds;    /* of training and measuring, all epochs included */
    bool failed;       /* its numbers went wrong: it comes after all others */
    bool used;         /* the search has asked for it; others were left by a shorter one */
};

/* Owns its list. */
struct trials {
    int64_t count, room;
    struct measurement *list; /* (count) by trial, seed and epochs */
};

/* Takes a measurement to its place; one that is there is replaced. */
graco_status trials_add(struct trials *trials, const struct measurement *one);
struct measurement *trials_find(const struct trials *trials, int64_t trial, int64_t seed,
                                int64_t epochs);
/* Drops those of trials from `first` on. */
void trials_cut(struct trials *trials, int64_t first);
void trials_clear(struct trials *trials);

/* The score of a measurement, the higher the better: by validation that, by structure structure_score; -INFINITY
 * for one that failed. */
double trials_score(const struct measurement *one, graco_criterion criterion);

/* Fills order (count) with the numbers of the measurements by falling score; among equals the one that
 * stands first comes first. */
graco_status trials_order(int64_t *order, const struct measurement *list, int64_t count,
                          graco_criterion criterion);

/* trials.csv: a row for each measurement, with its settings. `local` (trials) says of each trial whether
 * it was moved from another, `point` (trials) where it stands. */
struct trials_table {
    const struct space *space;
    const struct point *point;
    const bool *local;
    graco_criterion criterion;
};

graco_status trials_write(const struct trials *trials, const struct trials_table *table,
                          const char *path);

/* Reads what trials_write wrote; a file that is not there has no rows. */
graco_status trials_read(struct trials *out, const char *path);

#endif
