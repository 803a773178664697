/* Strings in arrays: numpy keeps them at a fixed length, as bytes (S) or 4-byte code points (U). */
#include "io/array.h"

#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

/* Writes a code point as UTF-8 and returns the bytes used, 0 if there is no such character. With
 * `out` NULL it only measures. */
static int encode_point(char *out, uint32_t point)
{
    char bytes[4];
    int used;
    if (point < 0x80) {
        bytes[0] = (char)point;
        used = 1;
    } else if (point < 0x800) {
        bytes[0] = (char)(0xc0 | point >> 6);
        bytes[1] = (char)(0x80 | (point & 63));
        used = 2;
    } else if (point < 0x10000) {
        if (point >= 0xd800 && point < 0xe000)
            return 0;
        bytes[0] = (char)(0xe0 | point >> 12);
        bytes[1] = (char)(0x80 | (point >> 6 & 63));
        bytes[2] = (char)(0x80 | (point & 63));
        used = 3;
    } else {
        if (point > 0x10ffff)
            return 0;
        bytes[0] = (char)(0xf0 | point >> 18);
        bytes[1] = (char)(0x80 | (point >> 12 & 63));
        bytes[2] = (char)(0x80 | (point >> 6 & 63));
        bytes[3] = (char)(0x80 | (point & 63));
        used = 4;
    }
    if (out)
        memcpy(out, bytes, (size_t)used);
    return used;
}

/* The length of one item as UTF-8, without the NUL; writes it if `out` is not NULL. */
static graco_status encode_item(char *out, int64_t *length, const struct array *array,
                                int64_t index)
{
    const uint8_t *item = (const uint8_t *)array->data + index * array->size;
    int64_t used = 0;
    if (array->type == ARRAY_BYTES) {
        while (used < array->size && item[used] != 0)
            used++;
        if (out)
            memcpy(out, item, (size_t)used);
    }
    for (int64_t i = 0; array->type == ARRAY_TEXT && i + 4 <= array->size; i += 4) {
        uint32_t point;
        memcpy(&point, item + i, sizeof point);
        if (point == 0)
            break;
        int step = encode_point(out ? out + used : NULL, point);
        if (step == 0)
            return status_fail(GRACO_ERROR_FORMAT,
                               "string %" PRId64 " of an array holds the invalid character U+%X",
                               index, (unsigned)point);
        used += step;
    }
    if (out)
        out[used] = 0;
    *length = used;
    return GRACO_OK;
}

static graco_status need_strings(const struct array *array)
{
    if (array->type == ARRAY_BYTES || array->type == ARRAY_TEXT)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT, "an array holds %s items where strings are needed",
                       array_type_name(array->type));
}

graco_status array_string(char **out, const struct array *array, int64_t index)
{
    int64_t length = 0;
    graco_status status = GRACO_OK;
    *out = NULL;
    TRY(need_strings(array));
    if (index < 0 || index >= array->count)
        FAIL(GRACO_ERROR_ARGUMENT, "string %" PRId64 " of an array of %" PRId64 " was asked for",
             index, array->count);
    TRY(encode_item(NULL, &length, array, index));
    TRY(memory_alloc(out, length + 1, 1));
    TRY(encode_item(*out, &length, array, index));
done:
    return status;
}

graco_status array_to_strings(char ***out, const struct array *array)
{
    char **list = NULL, *block = NULL;
    int64_t total = 0, length = 0;
    graco_status status = GRACO_OK;
    *out = NULL;
    TRY(need_strings(array));
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

/* Reads one code point at *text and moves past it; false if the bytes are not UTF-8. */
static bool decode_point(uint32_t *point, const unsigned char **text)
{
    const unsigned char *at = *text;
    int more = at[0] < 0x80       ? 0
               : at[0] >> 5 == 6  ? 1
               : at[0] >> 4 == 14 ? 2
               : at[0] >> 3 == 30 ? 3
                                  : -1;
    if (more < 0)
        return false;
    uint32_t value = more == 0 ? at[0] : at[0] & (0x3fU >> more);
    for (int i = 1; i <= more; i++) {
        if (at[i] >> 6 != 2) /* also stops at the NUL */
            return false;
        value = value << 6 | (at[i] & 63);
    }
    if (encode_point(NULL, value) != more + 1) /* overlong, surrogate or too large */
        return false;
    *point = value;
    *text = at + more + 1;
    return true;
}

size_t array_utf8_prefix(const char *text)
{
    const unsigned char *at = (const unsigned char *)text, *start = at;
    uint32_t point;
    while (*at && decode_point(&point, &at))
        continue;
    return (size_t)(at - start);
}

static graco_status count_points(int64_t *out, const char *string, int64_t index)
{
    const unsigned char *at = (const unsigned char *)string;
    uint32_t point;
    *out = 0;
    while (*at) {
        if (!decode_point(&point, &at))
            return status_fail(GRACO_ERROR_FORMAT, "string %" PRId64 " is not valid UTF-8", index);
        ++*out;
    }
    return GRACO_OK;
}

graco_status array_from_strings(struct array *out, char *const *strings, int64_t count)
{
    struct array array = {0};
    uint32_t *items = NULL;
    int64_t width = 1, length = 0;
    graco_status status = GRACO_OK;
    *out = (struct array){0};
    for (int64_t i = 0; i < count; i++) {
        TRY(count_points(&length, strings[i], i));
        width = length > width ? length : width;
    }
    TRY(array_create(&array, &items, ARRAY_TEXT, 4 * width, 1, &count));
    memset(items, 0, (size_t)(count * 4 * width));
    for (int64_t i = 0; i < count; i++) {
        const unsigned char *at = (const unsigned char *)strings[i];
        for (uint32_t *item = items + i * width; *at; item++)
            decode_point(item, &at);
    }
    *out = array;
done:
    return status;
}
