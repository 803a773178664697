/* The report of a results.json: a page, the same as Markdown, and a file for each table and picture. */
#ifndef PAPER_REPORT_H
#define PAPER_REPORT_H

#include "cells.h"
#include "results.h"
#include "report/score_table.h"

/* What the samples do not say. */
struct report_about {
    bool quick;       /* a cell that is missing would be trained with --quick */
    bool there[SETS]; /* whether the data set is */
};

/* Reads that file alone, trains nothing, and writes into `folder`, which is made if its parent is there:
 * report.html, one page that needs neither network nor scripts; tables.md, the same as Markdown;
 * and for each item NAME.csv with all its numbers, and its pictures as NAME.svg or NAME_1.svg, ...
 * Each file is replaced whole. The same results.json gives the same bytes. GRACO_ERROR_FORMAT says
 * what is wrong with a results.json in one line; then nothing is written. */
graco_status report_make(const char *results, const char *folder, const struct report_about *about);

/* The same of results that were read, into two texts; `folder`, for the files of tables and pictures, may be NULL. */
graco_status report_write(struct text *html, struct text *markdown, const struct results *results,
                          const char *folder, const struct report_about *about);

/* ---- While it is written --------------------------------------------------------------------- */

struct report {
    struct document document;
    const struct results *results;
    const struct seed_scores *scores; /* of each sample */
    int count;                        /* of cells */
    const struct cell *cells;         /* (count) in the order of the items */
    const struct score_cell *shown;   /* (count) what each comes to */
};

/* Fills what a cell comes to. A mark says that it is within two standard errors or, for scores, 0.5 points, or above or
 * below; there is none on a look-alike. */
void report_show(struct score_cell *out, const struct report *report, const struct cell *cell,
                 const struct report_about *about);

/* How the samples of a key stand: "", as the paper says; "quick": fewer seeds or epochs, or a cheaper objective;
 * "look-alike": on a generated graph; "missing". */
const char *report_label(const struct results *results, const char *key);

/* Whether ours is more than two standard errors from the paper's. */
bool report_beyond(const struct score_cell *shown);

/* What was tried to explain a key's difference; NULL: nothing is said. */
const char *report_explanation(const char *key);

/* The cells of an item: *first .. *first + count - 1. */
int report_cells(int *first, const struct report *report, const struct item *item);

/* The section of one item. */
void report_datasets(struct report *report, const struct item *item);
void report_hyperparameters(struct report *report, const struct item *item);
void report_sweep(struct report *report, const struct item *item);

/* Curves and maps, of every key that has some. */
void report_training(struct report *report);
void report_embeddings(struct report *report);

/* Whether each claim holds; what was tried to explain differences. */
void report_claims(struct report *report);
void report_explanations(struct report *report);

#endif
