/* A table of methods on data sets: means over seeds and splits, beside the numbers of a paper where there are some. */
#ifndef REPORT_SCORE_TABLE_H
#define REPORT_SCORE_TABLE_H

#include "report/document.h"
#include "report/scores.h"

enum { SCORE_ROWS = 32, SCORE_COLUMNS = 8, SCORE_NOTE = 256 };

/* What a method comes to on a data set, or in another place of a figure. */
struct score_cell {
    int row, column; /* of a table, below SCORE_ROWS and SCORE_COLUMNS; of a figure, its places */
    const char *method, *set;
    const char *key, *metric; /* of its samples; metric NULL: there are none */
    const char *value;        /* that is shown; NULL: scores, in percent */
    struct summary ours;      /* seeds 0: there is none */
    double paper, deviation;  /* as printed; NaN: not */
    double difference;        /* ours - the paper's; NaN if one is missing */
    enum sheet_mark mark;
    const char *label; /* where ours comes from; "": as it should */
    char note[SCORE_NOTE];
};

/* The table with its caption, the notes of its cells, and every number of them, folded away and as NAME.csv. Cells come
 * row by row. */
void score_table(struct document *document, const char *name, const char *title,
                 const struct score_cell *cells, int count);

/* A table of every number of some cells: begin it with the headings that say where a cell
 * stands, then a row for each cell, with as many words. */
void score_long_begin(struct sheet *table, const char *const *headings, int count);
void score_long_row(struct sheet *table, const struct score_cell *cell, const char *const *words,
                    int count);

#endif
