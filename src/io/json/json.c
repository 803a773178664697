/* The tree. Each container holds its values in one block, which doubles as it fills: 32 bytes an
 * item; all texts are in one block of the root. Fields stay in the order in which they came and are
 * looked at one after the other: nobody looks for many keys in one object. */
#include "io/json/json.h"

#include "base/memory.h"
#include "io/files/file.h"

#include <math.h>
#include <string.h>

static bool is_container(const struct json *value)
{
    return value && (value->kind == JSON_KIND_ARRAY || value->kind == JSON_KIND_OBJECT);
}

void json_clear(struct json *value)
{
    for (int64_t i = 0; i < json_size(value); i++)
        json_clear(&value->items[i]);
    if (is_container(value))
        memory_free(value->items);
}

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
    if (!value)
        return;
    json_clear(value);
    memory_free(value->key);
    memory_free(value);
}

/* ---- Reading --------------------------------------------------------------------------------- */

const struct json *json_find(const struct json *object, const char *key)
{
    for (int64_t i = 0; object && object->kind == JSON_KIND_OBJECT && i < object->count; i++)
        if (strcmp(object->items[i].key, key) == 0)
            return &object->items[i];
    return NULL;
}

static graco_status fail_field(const struct json *found, const char *key, const char *wanted)
{
    static const char *const kinds[] = {"null",     "a boolean", "an integer", "a number",
                                        "a string", "an array",  "an object"};
    if (!found)
        return status_fail(GRACO_ERROR_FORMAT, "the JSON key \"%.80s\" is missing, %s expected",
                           key, wanted);
    return status_fail(GRACO_ERROR_FORMAT, "the JSON key \"%.80s\" is %s, %s expected", key,
                       kinds[found->kind], wanted);
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

graco_status json_get_bool(bool *out, const struct json *object, const char *key)
{
    const struct json *value = json_find(object, key);
    return json_as_bool(out, value) ? GRACO_OK : fail_field(value, key, "a boolean");
}

graco_status json_get_array(const struct json **out, const struct json *object, const char *key)
{
    const struct json *value = json_find(object, key);
    if (!value || value->kind != JSON_KIND_ARRAY)
        return fail_field(value, key, "an array");
    *out = value;
    return GRACO_OK;
}

graco_status json_get_object(const struct json **out, const struct json *object, const char *key)
{
    const struct json *value = json_find(object, key);
    if (!value || value->kind != JSON_KIND_OBJECT)
        return fail_field(value, key, "an object");
    *out = value;
    return GRACO_OK;
}

int64_t json_size(const struct json *value)
{
    return is_container(value) ? value->count : 0;
}

const struct json *json_at(const struct json *container, int64_t index)
{
    return index >= 0 && index < json_size(container) ? &container->items[index] : NULL;
}

bool json_as_int(int64_t *out, const struct json *value)
{
    if (!value || value->kind != JSON_KIND_INT)
        return false;
    *out = value->integer;
    return true;
}

bool json_as_double(double *out, const struct json *value)
{
    if (!value || (value->kind != JSON_KIND_INT && value->kind != JSON_KIND_DOUBLE))
        return false;
    *out = value->kind == JSON_KIND_INT ? (double)value->integer : value->real;
    return true;
}

bool json_as_bool(bool *out, const struct json *value)
{
    if (!value || value->kind != JSON_KIND_BOOL)
        return false;
    *out = value->truth;
    return true;
}

bool json_as_string(const char **out, const struct json *value)
{
    if (!value || value->kind != JSON_KIND_STRING)
        return false;
    *out = value->string;
    return true;
}

/* ---- Tables of fields ------------------------------------------------------------------------- */

static graco_status read_reals(double **out, int64_t *count, const struct json *list,
                               const char *key)
{
    double *items = NULL;
    PASS(memory_alloc(&items, json_size(list), sizeof *items));
    for (int64_t i = 0; i < json_size(list); i++) {
        const struct json *item = json_at(list, i);
        items[i] = NAN;
        if (item->kind != JSON_KIND_NULL && !json_as_double(&items[i], item)) {
            memory_free(items);
            return status_fail(GRACO_ERROR_FORMAT,
                               "the JSON key \"%.80s\" has an item that is no number", key);
        }
    }
    *out = items;
    *count = json_size(list);
    return GRACO_OK;
}

static graco_status read_field(void *out, const struct field *field, const struct json *object)
{
    void *at = (char *)out + field->offset;
    const struct json *value = json_find(object, field->name), *list = NULL;
    bool null = value && value->kind == JSON_KIND_NULL;
    if (!value && field->kind & FIELD_IF)
        return GRACO_OK;
    switch (field->kind & ~FIELD_IF) {
    case FIELD_INT:
        return json_get_int(at, object, field->name);
    case FIELD_REAL:
        if (null)
            *(double *)at = NAN;
        return null || json_as_double(at, value) ? GRACO_OK
                                                 : fail_field(value, field->name, "a number");
    case FIELD_BOOL:
        return json_get_bool(at, object, field->name);
    case FIELD_STRING:
        if (null)
            *(const char **)at = NULL;
        return null ? GRACO_OK : json_get_string(at, object, field->name);
    case FIELD_REALS:
        PASS(json_get_array(&list, object, field->name));
        return read_reals(at, (int64_t *)((char *)out + field->count), list, field->name);
    default:
        return GRACO_OK;
    }
}

graco_status json_fields(void *out, const struct field *fields, const struct json *object)
{
    for (; fields->name; fields++)
        PASS(read_field(out, fields, object));
    return GRACO_OK;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Recursion is as deep as the value; the parser refuses more than 2048 levels. */
void json_write(struct writer *writer, const char *key, const struct json *value)
{
    switch (value->kind) {
    case JSON_KIND_NULL:
        writer_null(writer, key);
        break;
    case JSON_KIND_BOOL:
        writer_bool(writer, key, value->truth);
        break;
    case JSON_KIND_INT:
        writer_integer(writer, key, value->integer);
        break;
    case JSON_KIND_DOUBLE:
        writer_real(writer, key, value->real);
        break;
    case JSON_KIND_STRING:
        writer_string(writer, key, value->string);
        break;
    default:
        writer_open(writer, key, value->kind == JSON_KIND_OBJECT ? '{' : '[');
        for (int64_t i = 0; i < value->count; i++)
            json_write(writer, value->items[i].key, &value->items[i]);
        writer_close(writer);
    }
}
