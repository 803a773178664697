/* A table of words, built cell by cell and written as HTML, Markdown or CSV.
 *
 * The first cell of a row is its heading. Columns may stand in groups: in HTML a group is a
 * heading over its columns, elsewhere a part of their names. As with a text, a failure stays with
 * the table and is reported once, by what it is written into. */
#ifndef REPORT_SHEET_H
#define REPORT_SHEET_H

#include "base/text.h"

/* How a number compares with another that stands beside it. */
enum sheet_mark { SHEET_NONE, SHEET_WITHIN, SHEET_ABOVE, SHEET_BELOW };

/* One cell as it is handed over; the table copies the words. NULL is "". */
struct sheet_entry {
    const char *words;
    const char *more;  /* quieter words right behind them */
    const char *label; /* a short word behind it that says where it comes from */
    const char *hover; /* a sentence under the mouse */
    enum sheet_mark mark;
    bool strong;
};

struct sheet_cell;
struct sheet_column;

/* Zero it to begin, with a title; clear it at the end. */
struct sheet {
    const char *title; /* borrowed: its name for screen readers */
    struct text words; /* all words, each with a NUL; its status is the table's */
    int64_t column_count, column_room, cell_count, cell_room;
    struct sheet_column *columns;
    struct sheet_cell *cells; /* row by row */
};

/* Adds a column. `group` may be ""; columns of one group follow each other. */
void sheet_column(struct sheet *sheet, const char *group, const char *name, bool number);

/* Adds a cell: to the right of the last one, or at the beginning of the next row. */
void sheet_add(struct sheet *sheet, const struct sheet_entry *entry);
void sheet_words(struct sheet *sheet, const char *words);
void sheet_print(struct sheet *sheet, const char *format, ...) EXT_PRINTF(2, 3);

/* A number with so many decimals; NaN is an empty cell. */
void sheet_number(struct sheet *sheet, double number, int decimals);

/* The table in a box that scrolls by itself where it is too wide, and that the keyboard reaches.
 * `caption` is the name of an element that says what the numbers mean. */
void sheet_html(struct text *out, const struct sheet *sheet, const char *caption);
void sheet_markdown(struct text *out, const struct sheet *sheet);
void sheet_csv(struct text *out, const struct sheet *sheet);

void sheet_clear(struct sheet *sheet);

#endif
