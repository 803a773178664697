/* JSON as a tree of values.
 *
 * A tree is owned by whoever parsed or created its root, and json_free frees all of it. Values are
 * made in the place where they belong: the put functions add a field to an object or, with the key
 * NULL, an item to an array. Pointers to values and strings of a tree are borrowed; those to the
 * fields or items of a container are good until that container gets another one.
 *
 * Integers have 64 bits. A double that is not finite cannot be written in JSON: it becomes null.
 * Other doubles are written so that they read back as the same bits. */
#ifndef IO_JSON_JSON_H
#define IO_JSON_JSON_H

#include "base/status.h"

enum json_kind {
    JSON_KIND_NULL,
    JSON_KIND_BOOL,
    JSON_KIND_INT,
    JSON_KIND_DOUBLE,
    JSON_KIND_STRING,
    JSON_KIND_ARRAY,
    JSON_KIND_OBJECT,
};

/* For readers outside of io/json/ only `kind` and `key` are of use. */
struct json {
    enum json_kind kind;
    bool parsed; /* its key and its string are part of the root's block */
    char *key;   /* in an object; of a parsed root: the block of all keys and strings; else NULL */
    union {
        struct {                /* the largest first: zeroing it zeroes all */
            struct json *items; /* room for `count` rounded up to a power of two */
            int64_t count;
        };
        bool truth;
        int64_t integer;
        double real;
        char *string;
    };
};

/* ---- Parsing. Bad text is GRACO_ERROR_FORMAT with line and column; a repeated key is bad. ---- */

graco_status json_parse(struct json **out, const void *bytes, int64_t length);

/* Parses a file of at most `limit` bytes. Messages name the path. */
graco_status json_parse_file(struct json **out, const char *path, int64_t limit);

void json_free(struct json *value);

/* ---- Building. `parent` is an object, or an array if `key` is NULL. -------------------------- */

graco_status json_create_object(struct json **out);

/* Strings and keys must be UTF-8, and a key new. */
graco_status json_put_string(struct json *parent, const char *key, const char *value);
graco_status json_put_int(struct json *parent, const char *key, int64_t value);
graco_status json_put_double(struct json *parent, const char *key, double value);
graco_status json_put_bool(struct json *parent, const char *key, bool value);
graco_status json_put_null(struct json *parent, const char *key);

/* Put an empty array or object, to be filled through *out. */
graco_status json_put_array(struct json **out, struct json *parent, const char *key);
graco_status json_put_object(struct json **out, struct json *parent, const char *key);

/* Adds a null without a key, which an object's field must be given then. For the parser. */
graco_status json_append(struct json **out, struct json *parent);

/* ---- Reading. -------------------------------------------------------------------------------- */

/* The value under a key, or NULL if it is missing or `object` is no object. O(size). */
const struct json *json_find(const struct json *object, const char *key);

/* A field that must be there and have this type: GRACO_ERROR_FORMAT names the key and what was
 * found. The string is borrowed. */
graco_status json_get_string(const char **out, const struct json *object, const char *key);
graco_status json_get_int(int64_t *out, const struct json *object, const char *key);
graco_status json_get_bool(bool *out, const struct json *object, const char *key);
graco_status json_get_array(const struct json **out, const struct json *object, const char *key);
graco_status json_get_object(const struct json **out, const struct json *object, const char *key);

/* How many items an array or fields an object has; 0 for anything else. */
int64_t json_size(const struct json *value);

/* An item or a field, in the order of the text; NULL past the end. O(1). */
const struct json *json_at(const struct json *container, int64_t index);

/* A value itself, without a key: false if it has another type or is NULL. An integer passes as a
 * double. */
bool json_as_int(int64_t *out, const struct json *value);
bool json_as_double(double *out, const struct json *value);
bool json_as_bool(bool *out, const struct json *value);
bool json_as_string(const char **out, const struct json *value);

/* ---- Writing. -------------------------------------------------------------------------------- */

/* The value as text, on one line or indented by two spaces; no newline at the end. The caller owns
 * it. */
graco_status json_text(char **out, const struct json *value, bool indented);

/* Writes indented text and a newline, atomically. */
graco_status json_write(const char *path, const struct json *value);

#endif
