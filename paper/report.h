/* The report of a results.json: a page, the same as Markdown, and a file for each table and picture. */
#ifndef PAPER_REPORT_H
#define PAPER_REPORT_H

#include "cells.h"
#include "results.h"
#include "report/document.h"
#include "report/scores.h"

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

/* Where a cell's numbers come from. */
enum state {
    STATE_RUN,       /* as the paper says, here */
    STATE_QUICK,     /* fewer seeds or epochs, or a cheaper objective */
    STATE_LOOKALIKE, /* on a generated graph */
    STATE_QUOTED,    /* the paper's number alone */
    STATE_MISSING,   /* nothing; the note says why */
    STATES,
};

extern const char *const state_names[STATES];

/* What a cell comes to: ours, and how it compares with the paper's. */
struct shown {
    const struct cell *cell;
    const char *key; /* of its samples */
    enum state state;
    char note[256];
    bool scores;         /* in percent; else a named value */
    struct summary ours; /* seeds 0: there is none */
    double difference;   /* ours - the paper's; NaN if one is missing */
    bool beyond;         /* more than two standard errors apart */
    enum sheet_mark
        mark; /* within: two standard errors or, for scores, 0.5 points; none on a look-alike */
};

#define REPORT_POINTS 0.5 /* scores this close are the same, whatever their error */

struct report {
    struct document document;
    const struct results *results;
    const struct seed_scores *scores; /* of each sample */
    const struct shown *shown;        /* (shown_count) in the order of the items */
    int shown_count;
};

/* Fills what `out->cell` comes to. */
void report_show(struct shown *out, const struct report *report, const struct report_about *about);

/* How the samples of a key stand; STATE_MISSING without one. */
enum state report_state(const struct results *results, const char *key);

/* What was tried to explain a key's difference; NULL: nothing is said. */
const char *report_explanation(const char *key);

/* The cells of an item: *first .. *first + count - 1. */
int report_cells(const struct shown **first, const struct report *report, const struct item *item);

/* The section of one item. */
void report_datasets(struct report *report, const struct item *item);
void report_hyperparameters(struct report *report, const struct item *item);
void report_table(struct report *report, const struct item *item);
void report_grid(struct report *report, const struct item *item);
void report_lines(struct report *report, const struct item *item);

/* Curves and maps, of every key that has some. */
void report_training(struct report *report);
void report_embeddings(struct report *report);

/* Whether each claim holds; what was tried to explain differences. */
void report_claims(struct report *report);
void report_explanations(struct report *report);

/* The table of every number of some cells: begin it with the headings that say where a cell
 * stands, then a row for each cell, with as many words. */
void report_long_begin(struct sheet *table, const char *const *headings, int count);
void report_long_row(struct sheet *table, const struct shown *shown, const char *const *words,
                     int count);

#endif
