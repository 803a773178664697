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

#include <stddef.h>

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

/* ---- Tables of fields. What a struct has under a name of JSON, so that what is printed, kept in files and read back
 * (json_fields of io/json/json.h) cannot drift apart:
 *
 *     static const struct field TREE[] = {FIELD(struct tree, height, REAL), FIELD(struct tree, leaves, INT), {0}};
 *     writer_fields(&json, TREE, &tree);          "height": 3.5, "leaves": 120
 * ---------------------------------------------------------------------------------------------- */

enum field_kind {
    FIELD_INT,     /* int64_t */
    FIELD_REAL,    /* double; NaN is null */
    FIELD_BOOL,    /* bool */
    FIELD_STRING,  /* const char *; NULL is null */
    FIELD_WORD,    /* a char array within the struct; only written */
    FIELD_REALS,   /* double *, with its count */
    FIELD_STRINGS, /* char **, with its count; only written */
    FIELD_IF =
        16, /* with one of these: left out where it is 0, NaN, false, NULL or empty; may be missing */
    FIELD_INT_IF = FIELD_INT | FIELD_IF,
    FIELD_REAL_IF = FIELD_REAL | FIELD_IF,
    FIELD_BOOL_IF = FIELD_BOOL | FIELD_IF,
    FIELD_STRING_IF = FIELD_STRING | FIELD_IF,
    FIELD_REALS_IF = FIELD_REALS | FIELD_IF,
};

/* A table of them ends with one without a name. */
struct field {
    const char *name;
    size_t offset;
    enum field_kind kind;
    size_t count; /* where a list's length is, an int64_t */
};

#define FIELD(type, member, kind) FIELD_AS(#member, type, member, kind)
#define FIELD_AS(name, type, member, kind)                                                         \
    {                                                                                              \
        name, offsetof(type, member), FIELD_##kind, 0                                              \
    }
#define FIELD_COUNTED(type, member, count, kind)                                                   \
    {                                                                                              \
#member, offsetof(type, member), FIELD_##kind, offsetof(type, count)                       \
    }

/* Writes the fields of the struct at `from` into the object that is open. */
void writer_fields(struct writer *writer, const struct field *fields, const void *from);

/* The same as an object of its own. */
void writer_object(struct writer *writer, const char *key, const struct field *fields,
                   const void *from);

/* Ends the text with a newline; what has failed, if anything has. */
graco_status writer_finish(struct writer *writer);

/* Frees the text. */
void writer_clear(struct writer *writer);

#endif
