#include "io/safetensors.h"

#include "base/memory.h"
#include "io/files/file.h"
#include "io/json/json.h"
#include "io/npy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH_BYTES = 8, HEADER_MAX = 100 << 20, DATA_ALIGNMENT = 64 };

static const char metadata_key[] = "__metadata__";

/* The types, with the text by which npy_type knows them: always little endian. */
static const struct {
    const char *name, *text;
    enum array_type type;
} kinds[] = {
    {"F32", "<f4", ARRAY_F32}, {"F64", "<f8", ARRAY_F64}, {"I64", "<i8", ARRAY_I64},
    {"I32", "<i4", ARRAY_I32}, {"U8", "|u1", ARRAY_U8},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

struct tensor {
    const char *name; /* borrowed from the header */
    int64_t begin, end;
    bool swap;
    struct array array;
};

struct safetensors {
    struct json *header;
    const struct json *metadata; /* borrowed, NULL if there is none */
    struct tensor *tensors;      /* (count) */
    int64_t count;
};

/* ---- Reading --------------------------------------------------------------------------------- */

static graco_status tensor_type(struct tensor *tensor, const struct json *entry, int ndim,
                                const int64_t *shape)
{
    const char *dtype = NULL;
    int64_t size = 0;
    enum array_type type;
    graco_status status = GRACO_OK;
    TRY(json_get_string(&dtype, entry, "dtype"));
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(dtype, kinds[i].name) == 0) {
            TRY(npy_type(&type, &size, &tensor->swap, kinds[i].text, 3));
            TRY(array_describe(&tensor->array, type, 0, ndim, shape));
            goto done;
        }
    }
    FAIL(GRACO_ERROR_FORMAT, "dtype %.20s found, F32, F64, I64, I32 and U8 are handled", dtype);
done:
    return status;
}

static graco_status tensor_entry(struct tensor *tensor, const struct json *entry)
{
    const struct json *list = NULL;
    int64_t shape[ARRAY_DIMENSIONS], offsets[2];
    graco_status status = GRACO_OK;
    TRY(json_get_array(&list, entry, "shape"));
    int64_t ndim = json_size(list);
    if (ndim > ARRAY_DIMENSIONS)
        FAIL(GRACO_ERROR_FORMAT, "%" PRId64 " dimensions found, at most %d are handled", ndim,
             ARRAY_DIMENSIONS);
    for (int64_t i = 0; i < ndim; i++)
        if (!json_as_int(&shape[i], json_at(list, i)))
            FAIL(GRACO_ERROR_FORMAT, "dimension %" PRId64 " of the shape is no integer", i);
    TRY(tensor_type(tensor, entry, (int)ndim, shape));
    TRY(json_get_array(&list, entry, "data_offsets"));
    if (json_size(list) != 2 || !json_as_int(&offsets[0], json_at(list, 0)) ||
        !json_as_int(&offsets[1], json_at(list, 1)))
        FAIL(GRACO_ERROR_FORMAT, "data_offsets must be two integers");
    tensor->begin = offsets[0];
    tensor->end = offsets[1];
    int64_t bytes = tensor->array.count * tensor->array.size;
    if (offsets[0] < 0 || offsets[1] < offsets[0] || offsets[1] - offsets[0] != bytes)
        FAIL(GRACO_ERROR_FORMAT,
             "data_offsets %" PRId64 " to %" PRId64 " do not hold the %" PRId64
             " bytes of type and shape",
             offsets[0], offsets[1], bytes);
done:
    return status;
}

static graco_status need_string(void *user, const char *key, const struct json *value)
{
    (void)user;
    if (json_kind_of(value) != JSON_KIND_STRING)
        return status_fail(GRACO_ERROR_FORMAT, "metadata \"%.80s\" is no string", key);
    return GRACO_OK;
}

static graco_status visit_entry(void *user, const char *key, const struct json *value)
{
    struct safetensors *file = user;
    if (strcmp(key, metadata_key) == 0) {
        if (json_kind_of(value) != JSON_KIND_OBJECT)
            return status_fail(GRACO_ERROR_FORMAT, "%s is no object", metadata_key);
        file->metadata = value;
        return json_each(value, need_string, NULL);
    }
    struct tensor *tensor = &file->tensors[file->count];
    tensor->name = key;
    file->count++;
    graco_status status = tensor_entry(tensor, value);
    return status == GRACO_OK ? status : status_context(status, "tensor \"%.80s\"", key);
}

static int compare_tensors(const void *a, const void *b)
{
    const struct tensor *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* The tensors must tile the data: no overlap, no hole, nothing after the last. */
static graco_status check_tiling(const struct safetensors *file, int64_t bytes)
{
    int64_t at = 0;
    for (int64_t i = 0; i < file->count; i++) {
        const struct tensor *tensor = &file->tensors[i];
        if (tensor->begin != at)
            return status_fail(GRACO_ERROR_FORMAT,
                               "tensor \"%.80s\" begins at byte %" PRId64 ", %" PRId64
                               " expected: data must neither overlap nor leave holes",
                               tensor->name, tensor->begin, at);
        at = tensor->end;
    }
    if (at != bytes)
        return status_fail(GRACO_ERROR_FORMAT,
                           "the tensors end at byte %" PRId64 ", %" PRId64 " bytes of data found",
                           at, bytes);
    return GRACO_OK;
}

static graco_status read_header(struct safetensors *file, const uint8_t *bytes, int64_t length,
                                int64_t *data)
{
    uint64_t size = 0;
    graco_status status = GRACO_OK;
    if (length < LENGTH_BYTES)
        FAIL(GRACO_ERROR_FORMAT, "a safetensors file has at least 8 bytes, %" PRId64 " found",
             length);
    for (int i = 0; i < LENGTH_BYTES; i++)
        size |= (uint64_t)bytes[i] << (8 * i);
    if (size > HEADER_MAX || size > (uint64_t)(length - LENGTH_BYTES))
        FAIL(GRACO_ERROR_FORMAT,
             "a safetensors header of %" PRIu64 " bytes is claimed, the file has %" PRId64
             " bytes in all",
             size, length);
    TRY(json_parse(&file->header, bytes + LENGTH_BYTES, (int64_t)size));
    if (json_kind_of(file->header) != JSON_KIND_OBJECT)
        FAIL(GRACO_ERROR_FORMAT, "the safetensors header is no JSON object");
    TRY(memory_zalloc(&file->tensors, json_size(file->header), sizeof *file->tensors));
    TRY(json_each(file->header, visit_entry, file));
    if (file->count > 0)
        qsort(file->tensors, (size_t)file->count, sizeof *file->tensors, compare_tensors);
    *data = LENGTH_BYTES + (int64_t)size;
    TRY(check_tiling(file, length - *data));
done:
    return status;
}

graco_status safetensors_decode(struct safetensors **out, const void *bytes, int64_t length)
{
    struct safetensors *file = NULL;
    int64_t data = 0;
    graco_status status = GRACO_OK;
    *out = NULL;
    TRY(memory_zalloc(&file, 1, sizeof *file));
    TRY(read_header(file, bytes, length, &data));
    for (int64_t i = 0; i < file->count; i++) {
        struct tensor *tensor = &file->tensors[i];
        struct array described = tensor->array;
        TRY(npy_items(&tensor->array, &described, (const uint8_t *)bytes + data + tensor->begin,
                      tensor->swap, false));
    }
    *out = file;
    file = NULL;
done:
    safetensors_free(file);
    return status;
}

graco_status safetensors_read(struct safetensors **out, const char *path)
{
    struct file_map map = {0};
    graco_status status = GRACO_OK;
    *out = NULL;
    TRY(file_map_open(&map, path));
    status = safetensors_decode(out, map.data, map.length);
    if (status != GRACO_OK)
        status_context(status, "%s", path);
done:
    file_map_close(&map);
    return status;
}

void safetensors_free(struct safetensors *file)
{
    if (!file)
        return;
    for (int64_t i = 0; i < file->count; i++)
        array_clear(&file->tensors[i].array);
    memory_free(file->tensors);
    json_free(file->header);
    memory_free(file);
}

int64_t safetensors_count(const struct safetensors *file)
{
    return file->count;
}

const char *safetensors_name(const struct safetensors *file, int64_t index)
{
    return index >= 0 && index < file->count ? file->tensors[index].name : NULL;
}

const struct array *safetensors_at(const struct safetensors *file, int64_t index)
{
    return index >= 0 && index < file->count ? &file->tensors[index].array : NULL;
}

const struct array *safetensors_find(const struct safetensors *file, const char *name)
{
    for (int64_t i = 0; i < file->count; i++)
        if (strcmp(file->tensors[i].name, name) == 0)
            return &file->tensors[i].array;
    return NULL;
}

const char *safetensors_metadata(const struct safetensors *file, const char *key)
{
    const char *value = NULL;
    if (!file->metadata || !json_as_string(&value, json_find(file->metadata, key)))
        return NULL;
    return value;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static graco_status describe_entry(struct json *header, int64_t *at,
                                   const struct safetensors_entry *entry)
{
    struct json *about = NULL, *list = NULL;
    const struct array *array = entry->array;
    int kind = 0;
    graco_status status = GRACO_OK;
    while (kind < KINDS && kinds[kind].type != array->type)
        kind++;
    if (kind == KINDS)
        FAIL(GRACO_ERROR_ARGUMENT, "tensor \"%.80s\" is %s, which safetensors does not hold here",
             entry->name, array_type_name(array->type));
    if (strcmp(entry->name, metadata_key) == 0 || json_find(header, entry->name))
        FAIL(GRACO_ERROR_ARGUMENT, "\"%.80s\" cannot name a tensor: reserved or used twice",
             entry->name);
    TRY(json_create_object(&about));
    TRY(json_put_string(about, "dtype", kinds[kind].name));
    TRY(json_create_array(&list));
    for (int d = 0; d < array->ndim; d++)
        TRY(json_add_int(list, array->shape[d]));
    status = json_put(about, "shape", list);
    list = NULL;
    TRY(status);
    TRY(json_create_array(&list));
    TRY(json_add_int(list, *at));
    *at += array->count * array->size;
    TRY(json_add_int(list, *at));
    status = json_put(about, "data_offsets", list);
    list = NULL;
    TRY(status);
    status = json_put(header, entry->name, about);
    about = NULL;
done:
    json_free(list);
    json_free(about);
    return status;
}

static graco_status build_header(char **out, const struct safetensors_entry *entries, int64_t count,
                                 const struct safetensors_pair *metadata, int64_t pairs)
{
    struct json *header = NULL, *strings = NULL;
    int64_t at = 0;
    graco_status status = GRACO_OK;
    TRY(json_create_object(&header));
    if (pairs > 0) {
        TRY(json_create_object(&strings));
        for (int64_t i = 0; i < pairs; i++)
            TRY(json_put_string(strings, metadata[i].key, metadata[i].value));
        status = json_put(header, metadata_key, strings);
        strings = NULL;
        TRY(status);
    }
    for (int64_t i = 0; i < count; i++)
        TRY(describe_entry(header, &at, &entries[i]));
    TRY(json_text(out, header, false));
done:
    json_free(strings);
    json_free(header);
    return status;
}

static graco_status write_items(struct file_writer *writer, const struct array *array)
{
    struct array swapped = {0};
    enum array_type type;
    int64_t size;
    bool swap = false;
    graco_status status = GRACO_OK;
    TRY(npy_type(&type, &size, &swap, "<f4", 3));
    if (swap) { /* a big-endian machine */
        TRY(npy_items(&swapped, array, array->data, true, false));
        array = &swapped;
    }
    TRY(file_writer_write(writer, array->data, array->count * array->size));
done:
    array_clear(&swapped);
    return status;
}

graco_status safetensors_write(const char *path, const struct safetensors_entry *entries,
                               int64_t count, const struct safetensors_pair *metadata,
                               int64_t pairs)
{
    char *text = NULL, filler[DATA_ALIGNMENT];
    struct file_writer *writer = NULL;
    uint8_t prefix[LENGTH_BYTES];
    graco_status status = GRACO_OK;
    TRY(build_header(&text, entries, count, metadata, pairs));
    int64_t length = (int64_t)strlen(text);
    int64_t fill = DATA_ALIGNMENT - (LENGTH_BYTES + length) % DATA_ALIGNMENT;
    memset(filler, ' ', sizeof filler);
    for (int i = 0; i < LENGTH_BYTES; i++)
        prefix[i] = (uint8_t)((uint64_t)(length + fill) >> (8 * i));
    TRY(file_writer_open(&writer, path));
    TRY(file_writer_write(writer, prefix, sizeof prefix));
    TRY(file_writer_write(writer, text, length));
    TRY(file_writer_write(writer, filler, fill));
    for (int64_t i = 0; i < count; i++)
        TRY(write_items(writer, entries[i].array));
    TRY(file_writer_commit(writer));
done:
    file_writer_free(writer);
    memory_free(text);
    return status;
}
