/* JSON, over jansson, which only this file's source knows.
 *
 * A value is owned by whoever created or parsed it until it is put into an object or added to an
 * array, which takes it over, also when that fails. What the get functions return is borrowed from
 * the value they are called on. Integers have 64 bits. A double that is not finite cannot be
 * written in JSON: it becomes null. Other doubles are written so that they read back as the same
 * bits. */
#ifndef IO_JSON_JSON_H
#define IO_JSON_JSON_H

#include "base/status.h"

struct json;

/* ---- Parsing. Bad text is GRACO_ERROR_FORMAT with line and column; a repeated key is bad. ---- */

graco_status json_parse(struct json **out, const void *bytes, int64_t length);

/* Parses a file of at most `limit` bytes. Messages name the path. */
graco_status json_parse_file(struct json **out, const char *path, int64_t limit);

void json_free(struct json *value);

/* ---- Building. ------------------------------------------------------------------------------- */

graco_status json_create_object(struct json **out);
graco_status json_create_array(struct json **out);

graco_status json_put_string(struct json *object, const char *key, const char *value);
graco_status json_put_int(struct json *object, const char *key, int64_t value);
graco_status json_put_double(struct json *object, const char *key, double value);
graco_status json_put_bool(struct json *object, const char *key, bool value);
graco_status json_put_null(struct json *object, const char *key);
graco_status json_put(struct json *object, const char *key, struct json *value);

graco_status json_add_string(struct json *array, const char *value);
graco_status json_add_int(struct json *array, int64_t value);
graco_status json_add_double(struct json *array, double value);
graco_status json_add(struct json *array, struct json *value);

/* ---- Reading. -------------------------------------------------------------------------------- */

enum json_kind {
    JSON_KIND_NULL,
    JSON_KIND_BOOL,
    JSON_KIND_INT,
    JSON_KIND_DOUBLE,
    JSON_KIND_STRING,
    JSON_KIND_ARRAY,
    JSON_KIND_OBJECT,
};

enum json_kind json_kind_of(const struct json *value);

/* The value under a key, or NULL if it is missing or `object` is no object. */
const struct json *json_find(const struct json *object, const char *key);

/* A field that must be there and have this type: GRACO_ERROR_FORMAT names the key and what was
 * found. An integer passes as a double. The string is borrowed. */
graco_status json_get_string(const char **out, const struct json *object, const char *key);
graco_status json_get_int(int64_t *out, const struct json *object, const char *key);
graco_status json_get_double(double *out, const struct json *object, const char *key);
graco_status json_get_bool(bool *out, const struct json *object, const char *key);
graco_status json_get_array(const struct json **out, const struct json *object, const char *key);
graco_status json_get_object(const struct json **out, const struct json *object, const char *key);

/* Items of an array or keys of an object; 0 for anything else. */
int64_t json_size(const struct json *value);

/* An item of an array; NULL past the end. O(1). */
const struct json *json_at(const struct json *array, int64_t index);

/* A value itself, without a key: false if it has another type. */
bool json_as_int(int64_t *out, const struct json *value);
bool json_as_double(double *out, const struct json *value);
bool json_as_bool(bool *out, const struct json *value);
bool json_as_string(const char **out, const struct json *value);

/* Calls `visit` for each field in the order of the text until it fails; returns what it returned.
 */
typedef graco_status json_visit_fn(void *user, const char *key, const struct json *value);
graco_status json_each(const struct json *object, json_visit_fn *visit, void *user);

/* ---- Writing. -------------------------------------------------------------------------------- */

/* The value as text, on one line or indented by two spaces; no newline at the end. The caller owns
 * it. */
graco_status json_text(char **out, const struct json *value, bool indented);

/* Writes indented text and a newline, atomically. */
graco_status json_write(const char *path, const struct json *value);

#endif
