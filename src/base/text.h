/* A text that grows: what every page, table, plot and JSON is written into.
 *
 * A failure stays with the text: later calls do nothing, and text_status or file_write_text reports the
 * first one. So whoever writes need not check each piece. What comes from a file or a user goes
 * through one of the functions that escape; the others take words of the source alone. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/status.h"

/* Zero it to begin; clear it at the end. */
struct text {
    char *bytes; /* (length) and a NUL; NULL while it is empty */
    int64_t length, room;
    graco_status status;
};

/* The words as they are. */
void text_add(struct text *text, const char *words);
void text_add_bytes(struct text *text, const char *bytes, int64_t length);

void text_integer(struct text *text, int64_t number);

/* printf, with a decimal point in every locale. */
void text_print(struct text *text, const char *format, ...) EXT_PRINTF(2, 3);

/* The words for an element or an attribute in quotes of HTML, SVG or XML: & < > " ' become
 * references, and what no XML may hold (control characters, bytes that are not UTF-8) the sign for
 * an unknown character. */
void text_html(struct text *text, const char *words);

/* The words for a line or a table's cell of Markdown: no mark keeps its meaning, a line break
 * becomes a blank. */
void text_markdown(struct text *text, const char *words);

/* The words as a field of a table (RFC 4180): in quotes where a reader would take it apart, take it for a comment or
 * leave out blanks around it. `safe` puts an apostrophe before what a spreadsheet would take for a formula. */
void text_field(struct text *text, const char *words, char separator, bool safe);

/* The words as a string of JSON, in quotes; bytes that are not UTF-8 are GRACO_ERROR_ARGUMENT. For a script of a
 * page < > & are written by their numbers, and so are the two line ends that JavaScript has beside JSON's; what no XML
 * may hold becomes the sign for an unknown character. */
void text_json(struct text *text, const char *words, bool script);

/* The same after another text, whatever that failed with. */
void text_append(struct text *text, const struct text *other);

/* The words so far, with a NUL; "" while it is empty. Borrowed until the next call. */
const char *text_words(const struct text *text);

graco_status text_status(const struct text *text);

void text_clear(struct text *text);

#endif
