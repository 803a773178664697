/* JSON as text, one value after the other in the order of the calls:
 *
 *     struct writer json = {0};
 *     writer_open(&json, NULL, '{');
 *     writer_string(&json, "name", "cora");
 *     writer_open(&json, "splits", '[');
 *     writer_integer(&json, NULL, 140);
 *     writer_close(&json);
 *     writer_close(&json);                        {"name": "cora", "splits": [140]}
 *
 * A failure, memory that is out or a string that is not UTF-8, stays with the text: nothing needs to be
 * checked before its end. A number that is not finite becomes null. */
#ifndef BASE_WRITER_H
#define BASE_WRITER_H

#include "base/text.h"

/* As deep as the parser of io/json/ goes. */
enum { WRITER_DEPTH = 2050 };

enum writer_style {
    WRITER_LINE,   /* one line for people: blanks, reals of 12 digits */
    WRITER_FILE,   /* each value on its line, reals of 17 digits */
    WRITER_DATA,   /* one line without blanks, the shortest reals that read back as the same */
    WRITER_PRETTY, /* the same reals; indented by two, an array of plain values on one line */
};

/* Starts as zeros but for `style`. */
struct writer {
    enum writer_style style;
    struct text text;
    bool later; /* something stands before in the same container */
    bool
        nested; /* the last of it is a container, or a field: the bracket that closes it gets a line */
    int depth;
    char closing[WRITER_DEPTH]; /* (depth) the brackets that are open */
};

/* Opens an object ('{') or an array ('['); closes the innermost one. The key is NULL in an array
 * and at the root. */
void writer_open(struct writer *writer, const char *key, char bracket);
void writer_close(struct writer *writer);

void writer_string(struct writer *writer, const char *key, const char *value);
void writer_integer(struct writer *writer, const char *key, int64_t value);
void writer_real(struct writer *writer, const char *key, double value);
void writer_bool(struct writer *writer, const char *key, bool value);
void writer_null(struct writer *writer, const char *key);

/* Ends the text with a newline; what has failed, if anything has. */
graco_status writer_finish(struct writer *writer);

/* Frees the text. */
void writer_clear(struct writer *writer);

#endif
