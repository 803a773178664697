/* The tree. Each container holds its values in one block, which doubles as it fills: 32 bytes an
 * item. A parsed tree has its texts in one block too, a built one each in its own. Fields stay in
 * the order in which they came and are looked at one after the other: nobody looks for many keys in
 * one object. */
#include "io/json/json.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "io/files/file.h"

#include <math.h>
#include <string.h>

static bool is_container(const struct json *value)
{
    return value && (value->kind == JSON_KIND_ARRAY || value->kind == JSON_KIND_OBJECT);
}

/* Frees what is below the value and its string, not its key. */
static void clear(struct json *value)
{
    for (int64_t i = 0; i < json_size(value); i++) {
        clear(&value->items[i]);
        if (!value->items[i].parsed)
            memory_free(value->items[i].key);
    }
    if (is_container(value))
        memory_free(value->items);
    else if (value->kind == JSON_KIND_STRING && !value->parsed)
        memory_free(value->string);
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
    clear(value);
    memory_free(value->key);
    memory_free(value);
}

/* ---- Building -------------------------------------------------------------------------------- */

graco_status json_create_object(struct json **out)
{
    PASS(memory_zalloc(out, 1, sizeof **out));
    (*out)->kind = JSON_KIND_OBJECT;
    return GRACO_OK;
}

graco_status json_append(struct json **out, struct json *parent)
{
    int64_t count = parent->count;
    if ((count & (count - 1)) == 0) /* the block is full */
        PASS(memory_grow(&parent->items, count, count ? 2 * count : 1, sizeof *parent->items));
    *out = &parent->items[parent->count++];
    **out = (struct json){.kind = JSON_KIND_NULL};
    return GRACO_OK;
}

/* A null in the place where a value belongs. */
static graco_status put(struct json **out, struct json *parent, const char *key)
{
    if (!key && parent->kind != JSON_KIND_ARRAY)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "an item cannot be added to a JSON value that is no array");
    if (key && (parent->kind != JSON_KIND_OBJECT || key[utf8_prefix(key)]))
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "the JSON key \"%.40s\" cannot be set: it must be UTF-8, in an object",
                           key);
    if (key && json_find(parent, key))
        return status_fail(GRACO_ERROR_ARGUMENT, "the JSON key \"%.40s\" is set twice", key);
    PASS(json_append(out, parent));
    graco_status status = key ? memory_string(&(*out)->key, key) : GRACO_OK;
    parent->count -= status != GRACO_OK;
    return status;
}

graco_status json_put_string(struct json *parent, const char *key, const char *value)
{
    struct json *place = NULL;
    if (value[utf8_prefix(value)])
        return status_fail(GRACO_ERROR_ARGUMENT, "text for JSON is not valid UTF-8: \"%.40s\"",
                           value);
    PASS(put(&place, parent, key));
    PASS(memory_string(&place->string, value));
    place->kind = JSON_KIND_STRING;
    return GRACO_OK;
}

static graco_status put_value(struct json *parent, const char *key, struct json value)
{
    struct json *place = NULL;
    PASS(put(&place, parent, key));
    value.key = place->key;
    *place = value;
    return GRACO_OK;
}

graco_status json_put_int(struct json *parent, const char *key, int64_t value)
{
    return put_value(parent, key, (struct json){.kind = JSON_KIND_INT, .integer = value});
}

graco_status json_put_double(struct json *parent, const char *key, double value)
{
    if (!isfinite(value))
        return json_put_null(parent, key);
    return put_value(parent, key, (struct json){.kind = JSON_KIND_DOUBLE, .real = value});
}

graco_status json_put_bool(struct json *parent, const char *key, bool value)
{
    return put_value(parent, key, (struct json){.kind = JSON_KIND_BOOL, .truth = value});
}

graco_status json_put_null(struct json *parent, const char *key)
{
    return put_value(parent, key, (struct json){.kind = JSON_KIND_NULL});
}

graco_status json_put_array(struct json **out, struct json *parent, const char *key)
{
    PASS(put(out, parent, key));
    (*out)->kind = JSON_KIND_ARRAY;
    return GRACO_OK;
}

graco_status json_put_object(struct json **out, struct json *parent, const char *key)
{
    PASS(put(out, parent, key));
    (*out)->kind = JSON_KIND_OBJECT;
    return GRACO_OK;
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
