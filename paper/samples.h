/* Samples: a training of a cell, scored. Each has a run folder of its own, DIR/runs/KEY-WORD-SEED, whose WORD
 * follows from its settings and its data, so a killed training goes on and a changed one does
 * not. A supervised method has a run folder for each split in it, and WORD their number too. */
#ifndef PAPER_SAMPLES_H
#define PAPER_SAMPLES_H

#include "graco_more.h"

#include "cells.h"
#include "results.h"

/* What the samples of one data set have in common. */
struct samples_set {
    graco_dataset *data; /* owned by whoever filled it */
    char fingerprint[GRACO_FINGERPRINT];
    bool look_alike; /* a generated graph stands in */
    double scale;    /* of that graph */
};

/* How they are made. */
struct samples_way {
    bool quick, quiet, keep;
    int64_t splits;
    const char *device;
    const char *folder; /* for run folders */
};

/* A training and its seed. */
struct samples_job {
    const struct samples_set *set;
    const struct samples_way *way;
    const struct cells_training *training;
    int64_t seed;
};

/* Which evaluations of a job have no sample in `results` of the same settings, evaluation and data: a bit for each. */
graco_status samples_wanted(unsigned *wanted, const struct results *results,
                            const struct samples_job *job);

/* Trains, or goes on with what the run folder has, and adds a sample for each
 * evaluation whose bit is set. `label` is for the progress. GRACO_STOPPED if a signal came: the
 * run folder stays. */
graco_status samples_make(struct results *results, const struct samples_job *job,
                          unsigned evaluations, const char *label);

/* Removes the run folder of a sample that is saved. */
void samples_forget(const struct samples_job *job);

#endif
