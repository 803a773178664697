/* Strings in arrays: numpy keeps them at a fixed length, as bytes (S) or 4-byte code points (U). Integers
 * can stand for strings: they are written in decimal. */
#include "io/array.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* NULs at the end of an item are numpy's padding. What stands behind one would be cut without a word, and two
 * names be one. */
static graco_status check_padding(const struct array *array, int64_t index, int64_t from)
{
    const uint8_t *item = (const uint8_t *)array->data + index * array->size;
    for (int64_t i = from; i < array->size; i++)
        if (item[i])
            return status_fail(GRACO_ERROR_FORMAT,
                               "string %" PRId64
                               " of an array goes on behind a NUL: expected text without NULs",
                               index);
    return GRACO_OK;
}

/* The length of one item as UTF-8, without the NUL; writes it if `out` is not NULL. */
static graco_status encode_item(char *out, int64_t *length, const struct array *array,
                                int64_t index)
{
    const uint8_t *item = (const uint8_t *)array->data + index * array->size;
    int64_t used = 0, i = 0;
    if (array->type == ARRAY_BYTES) {
        while (used < array->size && item[used] != 0)
            used++;
        if (out)
            memcpy(out, item, (size_t)used);
        i = used;
    }
    for (; array->type == ARRAY_TEXT && i + 4 <= array->size; i += 4) {
        uint32_t point;
        memcpy(&point, item + i, sizeof point);
        if (point == 0)
            break;
        int step = utf8_encode(out ? out + used : NULL, point);
        if (step == 0)
            return status_fail(GRACO_ERROR_FORMAT,
                               "string %" PRId64 " of an array holds the invalid character U+%X",
                               index, (unsigned)point);
        used += step;
    }
    PASS(check_padding(array, index, i));
    if (out)
        out[used] = 0;
    *length = used;
    return GRACO_OK;
}

static graco_status need_strings(const struct array *array, const char *needed)
{
    if (array->type == ARRAY_BYTES || array->type == ARRAY_TEXT)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT, "an array holds %s items where %s are needed",
                       array_type_name(array->type), needed);
}

static bool holds_integers(const struct array *array)
{
    return array->type >= ARRAY_I8 && array->type <= ARRAY_U64;
}

/* Integers as decimal strings. */
static graco_status print_integers(char ***out, const struct array *array)
{
    enum { DIGITS = 21 }; /* a sign, 19 digits and a NUL */
    char **list = NULL, *block = NULL;
    int64_t *items = NULL;
    graco_status status = GRACO_OK;
    TRY(array_to_i64(&items, array));
    TRY(memory_alloc(&list, array->count + 1, sizeof *list));
    TRY(memory_alloc(&block, array->count, DIGITS));
    list[0] = block;
    for (int64_t i = 0; i < array->count; i++) {
        list[i] = block + i * DIGITS;
        snprintf(list[i], DIGITS, "%" PRId64, items[i]);
    }
    *out = list;
    list = NULL;
done:
    memory_free(list);
    memory_free(items);
    return status;
}

graco_status array_string(char **out, const struct array *array, int64_t index)
{
    int64_t length = 0;
    *out = NULL;
    PASS(need_strings(array, "strings"));
    if (index < 0 || index >= array->count)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "string %" PRId64 " of an array of %" PRId64 " was asked for", index,
                           array->count);
    PASS(encode_item(NULL, &length, array, index));
    PASS(memory_alloc(out, length + 1, 1));
    return encode_item(*out, &length, array, index);
}

graco_status array_to_strings(char ***out, const struct array *array)
{
    char **list = NULL, *block = NULL;
    int64_t total = 0, length = 0;
    graco_status status = GRACO_OK;
    *out = NULL;
    if (holds_integers(array))
        return print_integers(out, array);
    TRY(need_strings(array, "strings or integers"));
    for (int64_t i = 0; i < array->count; i++) {
        TRY(encode_item(NULL, &length, array, i));
        total += length + 1;
    }
    TRY(memory_alloc(&list, array->count + 1, sizeof *list));
    TRY(memory_alloc(&block, total, 1));
    list[0] = block;
    char *next = block;
    for (int64_t i = 0; i < array->count; i++) {
        list[i] = next;
        TRY(encode_item(next, &length, array, i));
        next += length + 1;
    }
    *out = list;
    list = NULL;
    block = NULL;
done:
    memory_free(block);
    memory_free(list);
    return status;
}

static graco_status count_points(int64_t *out, const char *string, int64_t index)
{
    uint32_t point = 0;
    for (*out = 0; *string; ++*out)
        if (!utf8_decode(&point, &string))
            return status_fail(GRACO_ERROR_FORMAT,
                               "name %" PRId64 " is not UTF-8, which an array of names needs",
                               index);
    return GRACO_OK;
}

graco_status array_from_strings(struct array *out, char *const *strings, int64_t count)
{
    struct array array = {0};
    uint32_t *items = NULL;
    int64_t width = 1, length = 0;
    *out = (struct array){0};
    for (int64_t i = 0; i < count; i++) {
        PASS(count_points(&length, strings[i], i));
        width = length > width ? length : width;
    }
    PASS(array_create(&array, &items, ARRAY_TEXT, 4 * width, 1, &count));
    memset(items, 0, (size_t)(count * 4 * width));
    for (int64_t i = 0; i < count; i++) {
        const char *at = strings[i];
        for (uint32_t *item = items + i * width; *at; item++)
            utf8_decode(item, &at);
    }
    *out = array;
    return GRACO_OK;
}
