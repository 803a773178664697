/* JSON as the commands print it, one value after the other in the order of the calls:
 *
 *     struct writer json = {0};
 *     writer_open(&json, NULL, '{');
 *     writer_string(&json, "name", "cora");
 *     writer_open(&json, "splits", '[');
 *     writer_integer(&json, NULL, 140);
 *     writer_close(&json);
 *     writer_close(&json);                        {"name": "cora", "splits": [140]}
 *
 * A failure, memory that is out or a string that is not UTF-8, is kept: nothing needs to be checked
 * before writer_finish. */
#ifndef CLI_WRITER_H
#define CLI_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WRITER_DEPTH = 12, WRITER_DIGITS = 12, WRITER_FILE_DIGITS = 17 };

/* Starts as zeros but for `file`; owns its text. */
struct writer {
    bool file;     /* a line for each value, numbers to the last bit; else one line, 12 digits */
    bool failed;   /* the text is of no use ... */
    bool not_text; /* ... because a string was not UTF-8 */
    bool later;    /* something stands before in the same container */
    int depth;
    char closing[WRITER_DEPTH]; /* (depth) the brackets that are open */
    char *text;
    size_t length, room;
};

/* Opens an object ('{') or an array ('['); closes the innermost one. The key is NULL in an array
 * and at the root. */
void writer_open(struct writer *writer, const char *key, char bracket);
void writer_close(struct writer *writer);

void writer_string(struct writer *writer, const char *key, const char *value);
void writer_integer(struct writer *writer, const char *key, int64_t value);
/* Null if it is not finite. */
void writer_real(struct writer *writer, const char *key, double value);
void writer_bool(struct writer *writer, const char *key, bool value);
void writer_null(struct writer *writer, const char *key);

/* Ends the text with a newline; false if anything has failed. */
bool writer_finish(struct writer *writer);

/* The text as a string, for who needs a NUL behind it; NULL if anything has failed. */
const char *writer_text(struct writer *writer);

/* Frees the text. */
void writer_clear(struct writer *writer);

#endif
