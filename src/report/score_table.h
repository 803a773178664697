/* Methods on data sets, over seeds and splits: a table of means, beside the numbers of a paper where there are some;
 * figures over settings; paired differences. */
#ifndef REPORT_SCORE_TABLE_H
#define REPORT_SCORE_TABLE_H

#include "report/document.h"
#include "report/scores.h"

enum { SCORE_ROWS = 32, SCORE_COLUMNS = 8, SCORE_NOTE = 256, SCORE_TICKS = 9, SCORE_LINES = 8 };

#define SCORE_CLOSE 0.5 /* points: scores this close are the same, whatever their error */

/* What a method comes to on a data set, or in another place of a figure. */
struct score_cell {
    int row, column; /* of a table, below SCORE_ROWS and SCORE_COLUMNS; of a figure, its places */
    const char *method, *set;
    const char *key, *metric;         /* of its samples; metric NULL: there are none */
    const char *value;                /* that is shown; NULL: scores, in percent */
    const struct seed_scores *scores; /* (score_count) borrowed */
    int64_t score_count;
    struct summary ours;     /* seeds 0: there is none */
    double paper, deviation; /* as printed; NaN: not */
    double difference;       /* ours - the paper's; NaN if one is missing */
    enum sheet_mark mark;
    const char *label; /* where ours comes from; "": as it should */
    char note[SCORE_NOTE];
};

/* The table with its caption, the notes of its cells, and every number of them, folded away and as NAME.csv. Cells come
 * row by row. */
void score_table(struct document *document, const char *name, const char *title,
                 const struct score_cell *cells, int count);

/* Settings that are swept along axes with the same ticks. Without y_label each set has a panel and each method a line in
 * it, at row of cells; with one there is a single grid. Cells stand at their column's tick of x, and their row's of y. */
struct score_sweep {
    const char *name, *title, *x_label, *y_label;
    int tick_count; /* at most SCORE_TICKS; lines: SCORE_LINES */
    const double *ticks;
    const char *const *labels; /* that the caption counts, in order; ends with NULL */
};

/* The pictures with their caption, and every number of the cells, as score_table has it. */
void score_figure(struct document *document, const struct score_sweep *sweep,
                  const struct score_cell *cells, int count);

/* That on each set the first of two cells scores above the second, or `equal`: that both score the same. */
struct score_claim {
    const char *text;
    bool equal;
    const char *const *sets;                                               /* (SCORE_COLUMNS) */
    const struct score_cell *better[SCORE_COLUMNS], *worse[SCORE_COLUMNS]; /* NULL: there is none */
};

/* A table of what holds, by differences that are paired by seed and split, and every one of these. */
void score_claims(struct document *document, const char *name, const char *title,
                  const struct score_claim *claims, int count);

/* A section on how to read all of these; `labels` says what those of cells mean. */
void score_methods(struct document *document, const char *labels);

/* A table of every number of some cells: begin it with the headings that say where a cell
 * stands, then a row for each cell, with as many words. */
void score_long_begin(struct sheet *table, const char *const *headings, int count);
void score_long_row(struct sheet *table, const struct score_cell *cell, const char *const *words,
                    int count);

#endif
