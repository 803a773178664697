/* The header of a .npy file is a Python dict literal. It is read token by token and must have
 * exactly three keys, each once, in any order, and nothing that numpy would not write. */
#include "io/npy.h"

#include "base/memory.h"
#include "io/cursor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";

enum {
    MAGIC_LENGTH = 6,
    NPY_HEADER_LONGEST = 1 << 17, /* of files of which parts are mapped; version 1 has half of it */
};

/* Whether this machine stores the low byte first. */
static bool little_endian(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* ---- Types ----------------------------------------------------------------------------------- */

static graco_status fail_type(const char *text, int64_t length)
{
    return status_fail(GRACO_ERROR_FORMAT,
                       "the type '%.*s' is not handled (booleans, integers, floats, strings are)",
                       (int)(length < 40 ? length : 40), text);
}

static bool number_type(enum array_type *type, char kind, int64_t size)
{
    static const struct {
        char kind;
        int size;
        enum array_type type;
    } known[] = {
        {'b', 1, ARRAY_BOOL}, {'i', 1, ARRAY_I8},  {'i', 2, ARRAY_I16}, {'i', 4, ARRAY_I32},
        {'i', 8, ARRAY_I64},  {'u', 1, ARRAY_U8},  {'u', 2, ARRAY_U16}, {'u', 4, ARRAY_U32},
        {'u', 8, ARRAY_U64},  {'f', 2, ARRAY_F16}, {'f', 4, ARRAY_F32}, {'f', 8, ARRAY_F64},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].kind == kind && known[i].size == size) {
            *type = known[i].type;
            return true;
        }
    }
    return false;
}

graco_status npy_type(enum array_type *type, int64_t *size, bool *swap, const char *text,
                      int64_t length)
{
    int64_t at = 0, number = 0;
    char order = '=';
    if (length > 0 && memchr("<>|=", text[0], 4))
        order = text[at++];
    if (at >= length)
        return fail_type(text, length);
    char kind = text[at++];
    int64_t digits = at;
    for (; at < length && text[at] >= '0' && text[at] <= '9' && number < INT32_MAX / 16; at++)
        number = 10 * number + (text[at] - '0');
    bool sized = at > digits;
    if (at != length)
        return fail_type(text, length);
    *swap = (order == '<' && !little_endian()) || (order == '>' && little_endian());
    *size = number;
    if (kind == 'O') {
        *type = ARRAY_OBJECT;
        *size = 0;
        return GRACO_OK;
    }
    if (!sized)
        return fail_type(text, length);
    if (kind == 'S' || kind == 'a') {
        *type = ARRAY_BYTES;
        *swap = false;
        return GRACO_OK;
    }
    if (kind == 'U') {
        *type = ARRAY_TEXT;
        *size = 4 * number;
        return GRACO_OK;
    }
    if (!number_type(type, kind, number))
        return fail_type(text, length);
    return GRACO_OK;
}

/* ---- Items ----------------------------------------------------------------------------------- */

static void swap_units(uint8_t *bytes, int64_t units, int64_t size)
{
    for (int64_t i = 0; i < units; i++, bytes += size) {
        for (int64_t low = 0, high = size - 1; low < high; low++, high--) {
            uint8_t kept = bytes[low];
            bytes[low] = bytes[high];
            bytes[high] = kept;
        }
    }
}

/* Copies Fortran order (first index fastest) to C order (last index fastest): walks the C order and
 * keeps the Fortran position of the current index. */
static void copy_transposed(uint8_t *out, const uint8_t *raw, const struct array *array)
{
    int64_t stride[ARRAY_DIMENSIONS], index[ARRAY_DIMENSIONS] = {0}, from = 0, step = 1;
    for (int d = 0; d < array->ndim; d++) {
        stride[d] = step;
        step *= array->shape[d];
    }
    for (int64_t i = 0; i < array->count; i++) {
        memcpy(out + i * array->size, raw + from * array->size, (size_t)array->size);
        for (int d = array->ndim - 1; d >= 0; d--) {
            from += stride[d];
            if (++index[d] < array->shape[d])
                break;
            from -= index[d] * stride[d];
            index[d] = 0;
        }
    }
}

graco_status npy_items(struct array *out, const struct array *described, const void *raw, bool swap,
                       bool fortran)
{
    struct array array;
    uint8_t *items = NULL;
    *out = (struct array){0};
    PASS(array_create(&array, &items, described->type, described->size, described->ndim,
                      described->shape));
    int64_t bytes = array.count * array.size;
    if (bytes > 0 && fortran && array.ndim > 1)
        copy_transposed(items, raw, &array);
    else if (bytes > 0)
        memcpy(items, raw, (size_t)bytes);
    if (swap && bytes > 0) {
        int64_t unit = array.type == ARRAY_TEXT ? 4 : array.size;
        swap_units(items, bytes / unit, unit);
    }
    *out = array;
    return GRACO_OK;
}

/* ---- Header ---------------------------------------------------------------------------------- */

/* A quoted string without escapes. */
static bool take_string(const char **text, int64_t *length, struct cursor *cursor)
{
    char quote = cursor_take(cursor, '\'') ? '\'' : cursor_take(cursor, '"') ? '"' : 0;
    if (!quote)
        return false;
    *text = cursor->at;
    while (cursor->at < cursor->end && *cursor->at != quote && *cursor->at != '\\')
        cursor->at++;
    if (cursor->at == cursor->end || *cursor->at == '\\')
        return false;
    *length = cursor->at++ - *text;
    return true;
}

static bool take_integer(int64_t *out, struct cursor *cursor)
{
    cursor_skip_blanks(cursor);
    const char *from = cursor->at;
    int64_t value = 0;
    for (; cursor_at_digit(cursor); cursor->at++) {
        int digit = *cursor->at - '0';
        if (value > (INT64_MAX - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    if (cursor->at == from)
        return false;
    if (cursor->at < cursor->end && *cursor->at == 'L') /* written by Python 2 */
        cursor->at++;
    *out = value;
    return true;
}

/* (), (3,), (3, 4) */
static bool take_shape(int64_t shape[ARRAY_DIMENSIONS], int *ndim, struct cursor *cursor)
{
    bool comma = true;
    *ndim = 0;
    if (!cursor_take(cursor, '('))
        return false;
    while (!cursor_take(cursor, ')')) {
        if (!comma || *ndim == ARRAY_DIMENSIONS || !take_integer(&shape[*ndim], cursor))
            return false;
        ++*ndim;
        comma = cursor_take(cursor, ',');
    }
    return *ndim != 1 || comma; /* (3) is a number in Python, not a tuple */
}

struct header {
    bool swap, fortran;
    int64_t data; /* where the items start */
};

static graco_status fail_header(struct cursor *cursor, const char *wanted)
{
    int64_t left = cursor->end - cursor->at;
    return status_fail(GRACO_ERROR_FORMAT, "bad .npy header at \"%.*s\": %s expected",
                       (int)(left < 24 ? left : 24), cursor->at, wanted);
}

static graco_status read_dict(struct array *out, struct header *header, struct cursor *cursor)
{
    enum { SEEN_TYPE = 1, SEEN_ORDER = 2, SEEN_SHAPE = 4, SEEN_ALL = 7 };
    int seen = 0, ndim = 0;
    int64_t shape[ARRAY_DIMENSIONS], length, size = 0;
    enum array_type type = ARRAY_OBJECT;
    const char *text;
    bool comma = true;
    if (!cursor_take(cursor, '{'))
        return fail_header(cursor, "'{'");
    while (!cursor_take(cursor, '}')) {
        int key;
        if (!comma || !take_string(&text, &length, cursor))
            return fail_header(cursor, "a quoted key");
        key = length == 5 && memcmp(text, "descr", 5) == 0             ? SEEN_TYPE
              : length == 13 && memcmp(text, "fortran_order", 13) == 0 ? SEEN_ORDER
              : length == 5 && memcmp(text, "shape", 5) == 0           ? SEEN_SHAPE
                                                                       : 0;
        if (key == 0 || (seen & key) || !cursor_take(cursor, ':'))
            return fail_header(cursor, "descr, fortran_order and shape, each once,");
        seen |= key;
        if (key == SEEN_TYPE) {
            if (!take_string(&text, &length, cursor))
                return fail_header(cursor, "a simple type (structured ones are not handled)");
            PASS(npy_type(&type, &size, &header->swap, text, length));
        } else if (key == SEEN_ORDER) {
            header->fortran = cursor_take_word(cursor, "True");
            if (!header->fortran && !cursor_take_word(cursor, "False"))
                return fail_header(cursor, "True or False");
        } else if (!take_shape(shape, &ndim, cursor)) {
            return fail_header(cursor, "a shape of at most 8 dimensions");
        }
        comma = cursor_take(cursor, ',');
    }
    cursor_skip_blanks(cursor);
    if (seen != SEEN_ALL || cursor->at != cursor->end)
        return fail_header(cursor, "descr, fortran_order and shape and nothing else");
    return array_describe(out, type, size, ndim, shape);
}

/* Finds the header's text; its claimed length is checked against `length`. */
static graco_status find_header(int64_t *start, int64_t *size, const uint8_t *bytes, int64_t length)
{
    if (length < 10 || memcmp(bytes, magic, MAGIC_LENGTH) != 0)
        return status_fail(GRACO_ERROR_FORMAT, "this is no .npy file: it does not start with "
                                               "\\x93NUMPY and a version");
    int major = bytes[6], width = major == 1 ? 2 : 4;
    if (major < 1 || major > 3 || bytes[7] != 0)
        return status_fail(GRACO_ERROR_FORMAT, ".npy version %d.%d found, 1.0 to 3.0 are handled",
                           major, bytes[7]);
    *size = 0;
    *start = 8 + width;
    for (int i = 0; i < width && 8 + i < length; i++)
        *size |= (int64_t)bytes[8 + i] << (8 * i);
    if (length < *start || *size > length - *start)
        return status_fail(GRACO_ERROR_FORMAT,
                           "a .npy header of %" PRId64 " bytes is claimed, the file has %" PRId64
                           " bytes in all",
                           *size, length);
    return GRACO_OK;
}

/* Reads the header, and checks that a file of `length` bytes has the items that it claims. */
static graco_status read_header(struct array *out, struct header *header, const uint8_t *bytes,
                                int64_t start, int64_t size, int64_t length)
{
    const char *text = (const char *)bytes + start;
    struct cursor cursor = {text, text, text + size, " \n"};
    *header = (struct header){.data = start + size};
    PASS(read_dict(out, header, &cursor));
    if (out->type == ARRAY_OBJECT)
        return GRACO_OK;
    int64_t present = length - header->data, wanted = out->count * out->size;
    if (present != wanted)
        return status_fail(GRACO_ERROR_FORMAT,
                           "a .npy array of %" PRId64 " %s items needs %" PRId64
                           " bytes after the header, %" PRId64 " are there",
                           out->count, array_type_name(out->type), wanted, present);
    return GRACO_OK;
}

graco_status npy_check(const void *head, int64_t head_length, int64_t length)
{
    struct array array;
    struct header header;
    int64_t start = 0, size = 0;
    PASS(find_header(&start, &size, head, length));
    if (start + size > head_length)
        return GRACO_OK;
    return read_header(&array, &header, head, start, size, length);
}

/* ---- Decoding -------------------------------------------------------------------------------- */

static bool can_borrow(const struct array *array, const struct header *header, const uint8_t *raw)
{
    int64_t unit = array->type == ARRAY_TEXT ? 4 : array->type == ARRAY_BYTES ? 1 : array->size;
    if (header->fortran && array->ndim > 1 && array->count > 1)
        return false;
    return !header->swap && (unit == 0 || (uintptr_t)raw % (uintptr_t)unit == 0);
}

static graco_status decode(struct array *out, const uint8_t *bytes, int64_t length, bool borrow)
{
    struct array array;
    struct header header;
    int64_t start = 0, size = 0;
    *out = (struct array){0};
    PASS(find_header(&start, &size, bytes, length));
    PASS(read_header(&array, &header, bytes, start, size, length));
    const uint8_t *raw = bytes + header.data;
    bool object = array.type == ARRAY_OBJECT;
    if (!object && !(borrow && can_borrow(&array, &header, raw)))
        return npy_items(out, &array, raw, header.swap, header.fortran);
    *out = array;
    out->data = object ? NULL : raw;
    return GRACO_OK;
}

graco_status npy_decode(struct array *out, const void *bytes, int64_t length)
{
    return decode(out, bytes, length, false);
}

graco_status npy_decode_borrowed(struct array *out, const void *bytes, int64_t length)
{
    return decode(out, bytes, length, true);
}

graco_status npy_read(struct array *out, const char *path)
{
    struct file_map map;
    *out = (struct array){0};
    PASS(file_map_open(&map, path));
    return file_map_end(&map, npy_decode(out, map.data, map.length), path);
}

graco_status npy_map_open(struct npy_map *out, const char *path)
{
    out->array = (struct array){0};
    PASS(file_map_open(&out->map, path));
    graco_status status = npy_decode_borrowed(&out->array, out->map.data, out->map.length);
    return status == GRACO_OK ? GRACO_OK : file_map_end(&out->map, status, path);
}

/* The array that a file's first bytes describe. */
static graco_status describe(struct array *out, struct header *header, const char *path)
{
    struct file_map map;
    int64_t start = 0, size = 0;
    graco_status status = GRACO_OK;
    PASS(file_map_open_part(&map, path, 0, NPY_HEADER_LONGEST));
    TRY(find_header(&start, &size, map.data, map.length));
    TRY(read_header(out, header, map.data, start, size, map.all));
done:
    return file_map_end(&map, status, path);
}

graco_status npy_describe(struct array *out, bool *plain, const char *path)
{
    struct header header;
    PASS(describe(out, &header, path));
    *plain = out->type < ARRAY_BYTES && (int64_t)header.data % out->size == 0 && !header.swap &&
             (!header.fortran || out->ndim < 2);
    return GRACO_OK;
}

graco_status npy_map_part(struct npy_map *out, const char *path, int64_t first, int64_t count)
{
    struct header header;
    struct array all;
    out->array = (struct array){0};
    PASS(describe(&all, &header, path));
    if (first < 0 || count < 0 || first > all.count - count)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s has %" PRId64 " items: expected at least %" PRId64, path, all.count,
                           first + count);
    PASS(file_map_open_part(&out->map, path, header.data + first * all.size, count * all.size));
    PASS(array_borrow(&out->array, all.type, out->map.data, 1, &count));
    out->array.first = first;
    return GRACO_OK;
}

void npy_map_close(struct npy_map *map)
{
    if (!map)
        return;
    array_clear(&map->array);
    file_map_close(&map->map);
}
