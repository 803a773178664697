/* A document: a page of HTML and a text of Markdown that say the same, and a file for each table and
 * picture. Every part is written once, to both. */
#ifndef REPORT_DOCUMENT_H
#define REPORT_DOCUMENT_H

#include "report/page.h"
#include "report/plot.h"

/* Zero it to begin, with the page's title and lead and the folder; document_end clears it. */
struct document {
    struct web_page page;
    const char *folder; /* for the files of tables and pictures; NULL: they get none */
    struct text markdown;
    graco_status status; /* of the files so far, and of what document_keep was given */
};

/* The title and the lead; then sections. */
void document_begin(struct document *document);
void document_section(struct document *document, const char *name, const char *title);
void document_paragraph(struct document *document, const char *words);

/* A list: items between begin and end; `lead`, in bold, may be "". */
void document_list_begin(struct document *document);
void document_item(struct document *document, const char *lead, const char *words);
void document_list_end(struct document *document);

/* A table to look at. */
void document_table(struct document *document, const struct sheet *table, const char *caption);

/* The file NAME.csv, to which Markdown links. */
void document_csv(struct document *document, const char *name, const struct sheet *table);

/* A table of every number: folded away in the page, and the file NAME.csv. */
void document_numbers(struct document *document, const char *name, const struct sheet *table);

/* One picture among those of a figure: to the page, and as NAME.svg or, with `index` from 1,
 * NAME_INDEX.svg. One of the three is not NULL. */
struct document_plot {
    const char *name, *title, *about;
    int64_t index;
    const struct plot_lines *lines;
    const struct plot_heat *heat;
    const struct plot_scatter *scatter;
};

void document_plots_begin(struct document *document, bool narrow);
void document_plot(struct document *document, const struct document_plot *plot);
void document_plots_end(struct document *document, const char *caption);

/* Keeps a failure, unless there is one. */
void document_keep(struct document *document, graco_status status);

/* Adds the whole to both texts, clears it, and returns the first failure. */
graco_status document_end(struct text *html, struct text *markdown, struct document *document);

#endif
