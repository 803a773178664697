/* What results.json says beside its samples: items, claims and explanations, written anew from the
 * manifest and the samples that are there. */
#ifndef PAPER_ITEMS_H
#define PAPER_ITEMS_H

#include "graco.h"

#include "cells.h"
#include "base/writer.h"
#include "results_file.h"

/* Who made the file, and with what. */
struct items_made {
    bool quick;
    const char *device; /* NULL: nothing is trained, and the file keeps who made it */
    const char *machine;
    int64_t runs, splits; /* runs 0: as the manifest says */
};

struct items {
    const struct cell *cells;
    int count;
    const struct results_file *results;
    struct items_made made;
    bool there[CELLS_SETS]; /* whether the data set is */
};

/* How a cell stands. */
struct items_state {
    const char *state; /* run, quick, look-alike or missing */
    const char *key;   /* of its samples */
    char note[256];
};

struct items_state items_state(const struct items *items, const struct cell *cell);

/* Writes the object that results_file_save wants. */
void items_write(struct writer *json, const struct items *items);

#endif
