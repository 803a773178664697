#include "io/json/json.h"

#include "base/memory.h"
#include "io/array.h"
#include "io/files/file.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

/* A struct json is a json_t under a name of our own. */
static json_t *inner(struct json *value)
{
    return (json_t *)value;
}

static const json_t *inner_const(const struct json *value)
{
    return (const json_t *)value;
}

static graco_status fail_memory(void)
{
    return status_fail(GRACO_ERROR_MEMORY, "out of memory for a JSON value");
}

static bool is_utf8(const char *text)
{
    return text[array_utf8_prefix(text)] == 0;
}

/* ---- Parsing --------------------------------------------------------------------------------- */

graco_status json_parse_file(struct json **out, const char *path, int64_t limit)
{
    uint8_t *bytes = NULL;
    int64_t length = 0;
    graco_status status = GRACO_OK;
    *out = NULL;
    TRY(file_read(&bytes, &length, path, limit));
    status = json_parse(out, bytes, length);
    if (status != GRACO_OK)
        status_context(status, "%s", path);
done:
    memory_free(bytes);
    return status;
}

void json_free(struct json *value)
{
    json_decref(inner(value));
}

/* ---- Building -------------------------------------------------------------------------------- */

static graco_status give(struct json **out, json_t *value)
{
    *out = (struct json *)value;
    return value ? GRACO_OK : fail_memory();
}

graco_status json_create_object(struct json **out)
{
    return give(out, json_object());
}

graco_status json_create_array(struct json **out)
{
    return give(out, json_array());
}

static json_t *double_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* jansson does not say whether text is not UTF-8, the caller's mistake, or memory is out. */
static graco_status string_value(json_t **out, const char *text)
{
    *out = NULL;
    if (is_utf8(text)) {
        *out = json_string(text);
        return *out ? GRACO_OK : fail_memory();
    }
    return status_fail(GRACO_ERROR_ARGUMENT, "text for JSON is not valid UTF-8: \"%.40s\"", text);
}

static graco_status put(struct json *object, const char *key, json_t *value)
{
    if (!value)
        return fail_memory();
    if (json_is_object(inner(object)) && is_utf8(key))
        return json_object_set_new(inner(object), key, value) == 0 ? GRACO_OK : fail_memory();
    json_decref(value);
    return status_fail(GRACO_ERROR_ARGUMENT,
                       "the JSON key \"%.40s\" cannot be set: it must be UTF-8, in an object", key);
}

static graco_status add(struct json *array, json_t *value)
{
    if (!value)
        return fail_memory();
    if (json_is_array(inner(array)))
        return json_array_append_new(inner(array), value) == 0 ? GRACO_OK : fail_memory();
    json_decref(value);
    return status_fail(GRACO_ERROR_ARGUMENT,
                       "an item cannot be added to a JSON value that is no array");
}

graco_status json_put_string(struct json *object, const char *key, const char *value)
{
    json_t *text;
    graco_status status = string_value(&text, value);
    return status == GRACO_OK ? put(object, key, text) : status;
}

graco_status json_put_int(struct json *object, const char *key, int64_t value)
{
    return put(object, key, json_integer(value));
}

graco_status json_put_double(struct json *object, const char *key, double value)
{
    return put(object, key, double_or_null(value));
}

graco_status json_put_bool(struct json *object, const char *key, bool value)
{
    return put(object, key, json_boolean(value));
}

graco_status json_put_null(struct json *object, const char *key)
{
    return put(object, key, json_null());
}

graco_status json_put(struct json *object, const char *key, struct json *value)
{
    return put(object, key, inner(value));
}

graco_status json_add_string(struct json *array, const char *value)
{
    json_t *text;
    graco_status status = string_value(&text, value);
    return status == GRACO_OK ? add(array, text) : status;
}

graco_status json_add_int(struct json *array, int64_t value)
{
    return add(array, json_integer(value));
}

graco_status json_add_double(struct json *array, double value)
{
    return add(array, double_or_null(value));
}

graco_status json_add(struct json *array, struct json *value)
{
    return add(array, inner(value));
}

/* ---- Reading --------------------------------------------------------------------------------- */

enum json_kind json_kind_of(const struct json *value)
{
    switch (json_typeof(inner_const(value))) {
    case JSON_OBJECT:
        return JSON_KIND_OBJECT;
    case JSON_ARRAY:
        return JSON_KIND_ARRAY;
    case JSON_STRING:
        return JSON_KIND_STRING;
    case JSON_INTEGER:
        return JSON_KIND_INT;
    case JSON_REAL:
        return JSON_KIND_DOUBLE;
    case JSON_TRUE:
    case JSON_FALSE:
        return JSON_KIND_BOOL;
    default:
        return JSON_KIND_NULL;
    }
}

const struct json *json_find(const struct json *object, const char *key)
{
    return (const struct json *)json_object_get(inner_const(object), key);
}

static graco_status fail_field(const struct json *found, const char *key, const char *wanted)
{
    static const char *const kinds[] = {"null",     "a boolean", "an integer", "a number",
                                        "a string", "an array",  "an object"};
    if (!found)
        return status_fail(GRACO_ERROR_FORMAT, "the JSON key \"%.80s\" is missing, %s expected",
                           key, wanted);
    return status_fail(GRACO_ERROR_FORMAT, "the JSON key \"%.80s\" is %s, %s expected", key,
                       kinds[json_kind_of(found)], wanted);
}

graco_status json_get_string(const char **out, const struct json *object, const char *key)
{
    const struct json *value = json_find(object, key);
    return json_as_string(out, value) ? GRACO_OK : fail_field(value, key, "a string");
}

graco_status json_get_int(int64_t *out, const struct json *object, const char *key)
{
    const struct json *value = json_find(object, key);
    return json_as_int(out, value) ? GRACO_OK : fail_field(value, key, "an integer");
}

graco_status json_get_double(double *out, const struct json *object, const char *key)
{
    const struct json *value = json_find(object, key);
    return json_as_double(out, value) ? GRACO_OK : fail_field(value, key, "a number");
}

graco_status json_get_bool(bool *out, const struct json *object, const char *key)
{
    const struct json *value = json_find(object, key);
    return json_as_bool(out, value) ? GRACO_OK : fail_field(value, key, "a boolean");
}

graco_status json_get_array(const struct json **out, const struct json *object, const char *key)
{
    const struct json *value = json_find(object, key);
    if (!json_is_array(inner_const(value)))
        return fail_field(value, key, "an array");
    *out = value;
    return GRACO_OK;
}

graco_status json_get_object(const struct json **out, const struct json *object, const char *key)
{
    const struct json *value = json_find(object, key);
    if (!json_is_object(inner_const(value)))
        return fail_field(value, key, "an object");
    *out = value;
    return GRACO_OK;
}

int64_t json_size(const struct json *value)
{
    if (json_is_object(inner_const(value)))
        return (int64_t)json_object_size(inner_const(value));
    return (int64_t)json_array_size(inner_const(value));
}

const struct json *json_at(const struct json *array, int64_t index)
{
    if (index < 0)
        return NULL;
    return (const struct json *)json_array_get(inner_const(array), (size_t)index);
}

bool json_as_int(int64_t *out, const struct json *value)
{
    if (!json_is_integer(inner_const(value)))
        return false;
    *out = json_integer_value(inner_const(value));
    return true;
}

bool json_as_double(double *out, const struct json *value)
{
    if (!json_is_number(inner_const(value)))
        return false;
    *out = json_number_value(inner_const(value));
    return true;
}

bool json_as_bool(bool *out, const struct json *value)
{
    if (!json_is_boolean(inner_const(value)))
        return false;
    *out = json_is_true(inner_const(value));
    return true;
}

bool json_as_string(const char **out, const struct json *value)
{
    if (!json_is_string(inner_const(value)))
        return false;
    *out = json_string_value(inner_const(value));
    return true;
}

graco_status json_each(const struct json *object, json_visit_fn *visit, void *user)
{
    json_t *table;
    graco_status status = GRACO_OK;
    memcpy(&table, &object, sizeof table); /* jansson iterates without const, but changes nothing */
    for (void *at = json_object_iter(table); at && status == GRACO_OK;
         at = json_object_iter_next(table, at))
        status =
            visit(user, json_object_iter_key(at), (const struct json *)json_object_iter_value(at));
    return status;
}
