/* JSON as a tree of values.
 *
 * A tree is owned by whoever parsed its root, and json_free frees all of it. Pointers to values and strings
 * of a tree are borrowed. Integers have 64 bits. */
#ifndef IO_JSON_JSON_H
#define IO_JSON_JSON_H

#include "base/writer.h"

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
    char *key; /* in an object; of the root: the block of all keys and strings; else NULL */
    union {
        struct {                /* the largest first: zeroing it zeroes all */
            struct json *items; /* room for `count`, rounded up to 2, 4, 8 ... */
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

/* One value of an object: `item` of an array that it holds under `key`, after a call with NULL where the array begins, or a
 * value that is no array. Borrowed until the call ends. */
typedef graco_status json_item_fn(void *user, const char *key, const struct json *item);

/* Parses an object and hands over its values one by one, so that arrays may be longer than memory has room for their trees.
 * The first failure of `take` ends it. */
graco_status json_parse_items(const void *bytes, int64_t length, json_item_fn *take, void *user);

/* Frees what is below a value. For the parser. */
void json_clear(struct json *value);

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

/* Fills the struct at `out` from the fields of an object, by the table that wrote them. A field that is missing stays as
 * it was if it may be left out, and is GRACO_ERROR_FORMAT otherwise, as is one of another type; a null is NaN or NULL.
 * Strings are borrowed; the caller frees lists, of which the earlier ones stay where a later field fails. */
graco_status json_fields(void *out, const struct field *fields, const struct json *object);

/* ---- Writing. -------------------------------------------------------------------------------- */

/* Writes a value again. */
void json_write(struct writer *writer, const char *key, const struct json *value);

#endif
