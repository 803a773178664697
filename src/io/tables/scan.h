/* A scanner over the lines and fields of a text table; the rules stand in io/tables/table.h. */
#ifndef IO_TABLES_SCAN_H
#define IO_TABLES_SCAN_H

#include "base/status.h"

struct scan {
    const char *next, *end;    /* what is left of the file */
    const char *at, *line_end; /* what is left of the line */
    const char *file;          /* for messages */
    int64_t line;              /* from 1 */
    char separator;            /* ',', ';', '\t', or ' ' for blanks and tabs; 0: not known yet */
    bool pending;              /* a separator was taken: a field must follow */
    bool empties;              /* a field may be empty */
    bool skipped;              /* empty lines stand before this one */
};

struct scan_field {
    const char *text; /* in the file's bytes, without the quotes around it */
    int64_t length;
    bool doubled; /* each quote in it stands there twice */
};

/* Starts at the first byte, after a byte order mark. */
void scan_start(struct scan *scan, const char *file, const void *bytes, int64_t length);

/* Moves to the next line that holds something; false at the end of the file. The first such line
 * decides what separates fields, unless `separator` is set. */
bool scan_line(struct scan *scan);

/* Takes the next field of the line: *found is false at its end. An empty field (unless
 * `empties` is set), an open quote or a NUL byte is GRACO_ERROR_FORMAT. */
graco_status scan_next(struct scan_field *field, bool *found, struct scan *scan);

/* Takes the fields of the line, `room` of them at most; *count is room + 1 if there are more. */
graco_status scan_fields(struct scan_field *fields, int *count, int room, struct scan *scan);

/* Checks that a line has `least` to `most` fields, as many as the first: *columns, 0 before it. */
graco_status scan_columns(int *columns, int count, int least, int most, const char *wanted,
                          const struct scan *scan);

/* How many lines the bytes have at most. */
int64_t scan_count_lines(const void *bytes, int64_t length);

/* Whether the field is one of the words, which end with NULL, in any case of the letters a to z. */
bool scan_listed(struct scan_field field, const char *const *words);

/* The field as an integer from low to high; false if it is none. */
bool scan_integer(int64_t *out, struct scan_field field, int64_t low, int64_t high);

/* The field as a decimal number, correctly rounded; false if it is none. nan and inf are numbers
 * here (and not finite). Does not depend on the locale. */
bool scan_number(double *out, struct scan_field field);
bool scan_is_number(struct scan_field field);

/* How many bytes of a field a message shows. */
int scan_shown(struct scan_field field);

#endif
