/* A page: one file of HTML that needs no network and no script, and is XML too, so that a parser
 * can check it. Other pages within it may have scripts.
 *
 * Sections come in order; the list of contents is made from them. It is light or dark as the
 * reader prefers, prints, and fits a telephone: what is wider than the page scrolls in its own
 * box. All words are escaped. Failures stay with the page until page_write. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/sheet.h"

/* Zero it to begin, with title and lead; clear it at the end. */
struct web_page {
    const char *title, *lead; /* borrowed; lead: a sentence under the title */
    struct text body, contents;
    int64_t names; /* given so far to captions and plots */
    bool open;     /* a section is */
    bool frames;   /* it has pages within it */
};

/* Begins a section, named `name` in links: letters, digits and dashes. */
void page_section(struct web_page *page, const char *name, const char *title);

void page_heading(struct web_page *page, const char *title);
void page_paragraph(struct web_page *page, const char *words);

/* Items of a list; `lead`, in bold, may be "". */
void page_list_begin(struct web_page *page);
void page_list_item(struct web_page *page, const char *lead, const char *words);
void page_list_end(struct web_page *page);

/* A few numbers with their names, large: what the page comes to. `mark` gives a number its
 * colour. */
struct page_figure {
    const char *number, *name;
    enum sheet_mark mark;
};

void page_figures(struct web_page *page, const struct page_figure *figures, int64_t count);

/* A table with its caption above it. */
void page_table(struct web_page *page, const struct sheet *table, const char *caption);

/* The same, folded away under a line that opens it. */
void page_folded_table(struct web_page *page, const struct sheet *table, const char *caption);

/* Plots side by side, as many as fit, with a caption below. Between begin and end plots are
 * written to page->body; each gets a number of page_number. `narrow`: one plot, which is not
 * stretched. */
void page_plots_begin(struct web_page *page, bool narrow);
void page_plots_end(struct web_page *page, const char *caption);
int64_t page_number(struct web_page *page);

/* Another page, folded away under a line that opens it. Its scripts run without access to this one; they
 * may save files and ask nobody for anything. */
void page_folded_frame(struct web_page *page, const char *title, const struct text *html);

/* The style sheet of every page, as text of CSS. */
void page_style(struct text *out);

/* The whole page. */
void page_write(struct text *out, const struct web_page *page);

void page_clear(struct web_page *page);

#endif
