/* The report of a results.json, while it is written: a page and a text of Markdown that say the
 * same, and a file for each table and picture. Parts of the report write to both through the
 * functions here. */
#ifndef PAPER_REPORT_H
#define PAPER_REPORT_H

#include "report/page.h"
#include "report/plot.h"
#include "results.h"

struct report {
    const struct results *results;
    const char *folder; /* NULL: tables and pictures get no files */
    struct web_page page;
    struct text markdown;
    graco_status status; /* of the files so far */
};

/* ---- Pieces of a report ---------------------------------------------------------------------- */

void report_section(struct report *report, const char *name, const char *title);
void report_paragraph(struct report *report, const char *words);

/* A list: items between begin and end. */
void report_list_begin(struct report *report);
void report_item(struct report *report, const char *lead, const char *words);
void report_list_end(struct report *report);

/* A table to look at. */
void report_table(struct report *report, const struct sheet *table, const char *caption);

/* The file NAME.csv, to which Markdown links. */
void report_csv(struct report *report, const char *name, const struct sheet *table);

/* A table of every number: folded away in the page, and the file NAME.csv. */
void report_numbers(struct report *report, const char *name, const struct sheet *table);

/* One picture among those of a figure: to the page, and as NAME.svg or, with `index` from 1,
 * NAME_INDEX.svg. One of the three is not NULL. */
struct report_plot {
    const char *name, *title, *about;
    int64_t index;
    const struct plot_lines *lines;
    const struct plot_heat *heat;
    const struct plot_scatter *scatter;
};

void report_plots_begin(struct report *report, bool narrow);
void report_plot(struct report *report, const struct report_plot *plot);
void report_plots_end(struct report *report, const char *caption);

/* ---- Comparison with the paper --------------------------------------------------------------- */

#define REPORT_POINTS 0.5 /* scores this close are the same, whatever their error */

/* What a cell comes to: ours, the paper's, and how they compare. */
struct comparison {
    struct summary ours; /* seeds 0: there is none */
    double difference;   /* ours - the paper's; NaN if one is missing */
    enum sheet_mark
        mark;    /* within: two standard errors or, for scores, 0.5 points; none on a look-alike */
    bool scores; /* in percent; else a named value */
    bool beyond; /* more than two standard errors apart */
};

struct comparison report_compare(const struct results_cell *cell);

/* ---- The whole ------------------------------------------------------------------------------- */

/* Makes a report of a results.json, which `graco reproduce` keeps (docs/formats.md): reads that
 * file alone, trains nothing, and writes into `folder`, which is made if its parent is there:
 * report.html, one page that needs neither network nor scripts; tables.md, the same as Markdown;
 * and for each item NAME.csv with all its numbers, and its pictures as NAME.svg or NAME_1.svg, ...
 * Each file is replaced whole. The same results.json gives the same bytes. GRACO_ERROR_FORMAT says
 * what is wrong with a results.json in one line; then nothing is written. */
graco_status paper_report(const char *results, const char *folder);

/* Writes page and Markdown of results that were read, and the files of tables and pictures if
 * `folder` is not NULL. */
graco_status report_write(struct text *html, struct text *markdown, const struct results *results,
                          const char *folder);

/* ---- Parts ----------------------------------------------------------------------------------- */

/* The section of one item. */
void report_table_item(struct report *report, const struct results_item *item);
void report_facts_item(struct report *report, const struct results_item *item);
void report_grid_item(struct report *report, const struct results_item *item);
void report_lines_item(struct report *report, const struct results_item *item);

/* Curves and maps, of every key that has some. */
void report_training(struct report *report);
void report_embeddings(struct report *report);

/* Whether each claim holds; what was tried to explain differences. */
void report_claims(struct report *report);
void report_explanations(struct report *report);

/* The table of every number of some cells: begin it with the headings that say where a cell
 * stands, then a row for each cell, with as many words. */
void report_long_begin(struct sheet *table, const char *const *headings, int count);
void report_long_row(struct sheet *table, const struct results_cell *cell, const char *const *words,
                     int count);

/* A mean, "82.96"; its error and spread, " ± 0.06 (1.3)"; and both together. A dash without a
 * seed. */
enum { REPORT_NUMBER = 96, REPORT_WHOLE = 2 * REPORT_NUMBER };
void report_mean(char words[REPORT_NUMBER], const struct summary *ours, bool scores);
void report_error(char words[REPORT_NUMBER], const struct summary *ours, bool scores);
void report_whole(char words[REPORT_WHOLE], const struct summary *ours, bool scores);

/* The paper's number, with a decimal at least, as it prints them. */
void report_paper(char words[REPORT_NUMBER], double paper);

/* What a metric is called on a page. */
const char *report_metric(const char *metric);

/* A difference: "+0.25", with a true minus. */
void report_difference(char words[REPORT_NUMBER], double difference, double error);

/* "over 20 seeds and 20 splits", for those of the fewest to the most of some cells. */
struct report_counts {
    int64_t seeds[2], splits[2]; /* fewest, most; 0, 0 at first */
};

void report_count(struct report_counts *counts, const struct summary *ours);

/* Adds how means were made to a caption. */
void report_counts_words(struct text *out, const struct report_counts *counts);

#endif
