/* The header says where each tensor lies. Sorted by place, the tensors must cover the data from its
 * first byte to its last, and each must be as long as its type and shape ask for. */
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

struct named_tensor {
    const char *name; /* borrowed from the header */
    int64_t begin, end;
    bool swap;
    struct array array;
};

struct safetensors {
    struct json *header;
    const struct json *metadata;  /* borrowed, NULL if there is none */
    struct named_tensor *tensors; /* (count) */
    int64_t count;
};

/* ---- Reading --------------------------------------------------------------------------------- */

static graco_status tensor_type(struct named_tensor *tensor, const struct json *entry, int ndim,
                                const int64_t *shape)
{
    const char *dtype = NULL;
    int64_t size = 0;
    enum array_type type = ARRAY_F32;
    PASS(json_get_string(&dtype, entry, "dtype"));
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(dtype, kinds[i].name) == 0) {
            PASS(npy_type(&type, &size, &tensor->swap, kinds[i].text, 3));
            return array_describe(&tensor->array, type, 0, ndim, shape);
        }
    }
    return status_fail(GRACO_ERROR_FORMAT,
                       "dtype %.20s found, F32, F64, I64, I32 and U8 are handled", dtype);
}

static graco_status tensor_entry(struct named_tensor *tensor, const struct json *entry)
{
    const struct json *list = NULL;
    int64_t shape[ARRAY_DIMENSIONS];
    PASS(json_get_array(&list, entry, "shape"));
    int64_t ndim = json_size(list);
    if (ndim > ARRAY_DIMENSIONS)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%" PRId64 " dimensions found, at most %d are handled", ndim,
                           ARRAY_DIMENSIONS);
    for (int64_t i = 0; i < ndim; i++)
        if (!json_as_int(&shape[i], json_at(list, i)))
            return status_fail(GRACO_ERROR_FORMAT,
                               "dimension %" PRId64 " of the shape is no integer", i);
    PASS(tensor_type(tensor, entry, (int)ndim, shape));
    PASS(json_get_array(&list, entry, "data_offsets"));
    if (json_size(list) != 2 || !json_as_int(&tensor->begin, json_at(list, 0)) ||
        !json_as_int(&tensor->end, json_at(list, 1)))
        return status_fail(GRACO_ERROR_FORMAT, "data_offsets must be two integers");
    int64_t bytes = tensor->array.count * tensor->array.size;
    if (tensor->begin < 0 || tensor->end < tensor->begin || tensor->end - tensor->begin != bytes)
        return status_fail(GRACO_ERROR_FORMAT,
                           "data_offsets %" PRId64 " to %" PRId64 " do not hold the %" PRId64
                           " bytes of type and shape",
                           tensor->begin, tensor->end, bytes);
    return GRACO_OK;
}

static graco_status read_metadata(struct safetensors *file, const struct json *strings)
{
    if (strings->kind != JSON_KIND_OBJECT)
        return status_fail(GRACO_ERROR_FORMAT, "%s is no object", metadata_key);
    for (int64_t i = 0; i < json_size(strings); i++)
        if (json_at(strings, i)->kind != JSON_KIND_STRING)
            return status_fail(GRACO_ERROR_FORMAT, "metadata \"%.80s\" is no string",
                               json_at(strings, i)->key);
    file->metadata = strings;
    return GRACO_OK;
}

static graco_status read_entry(struct safetensors *file, const struct json *entry)
{
    if (strcmp(entry->key, metadata_key) == 0)
        return read_metadata(file, entry);
    struct named_tensor *tensor = &file->tensors[file->count++];
    tensor->name = entry->key;
    graco_status status = tensor_entry(tensor, entry);
    return status == GRACO_OK ? status : status_context(status, "tensor \"%.80s\"", entry->key);
}

static int compare_tensors(const void *a, const void *b)
{
    const struct named_tensor *x = a, *y = b;
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
        const struct named_tensor *tensor = &file->tensors[i];
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
    if (length < LENGTH_BYTES)
        return status_fail(GRACO_ERROR_FORMAT,
                           "a safetensors file has at least 8 bytes, %" PRId64 " found", length);
    for (int i = 0; i < LENGTH_BYTES; i++)
        size |= (uint64_t)bytes[i] << (8 * i);
    if (size > HEADER_MAX || size > (uint64_t)(length - LENGTH_BYTES))
        return status_fail(GRACO_ERROR_FORMAT,
                           "a safetensors header of %" PRIu64
                           " bytes is claimed, the file has %" PRId64 " bytes in all",
                           size, length);
    PASS(json_parse(&file->header, bytes + LENGTH_BYTES, (int64_t)size));
    if (file->header->kind != JSON_KIND_OBJECT)
        return status_fail(GRACO_ERROR_FORMAT, "the safetensors header is no JSON object");
    int64_t entries = json_size(file->header);
    PASS(memory_zalloc(&file->tensors, entries, sizeof *file->tensors));
    for (int64_t i = 0; i < entries; i++)
        PASS(read_entry(file, json_at(file->header, i)));
    if (file->count > 0)
        qsort(file->tensors, (size_t)file->count, sizeof *file->tensors, compare_tensors);
    *data = LENGTH_BYTES + (int64_t)size;
    return check_tiling(file, length - *data);
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
        struct named_tensor *tensor = &file->tensors[i];
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
    struct file_map map;
    *out = NULL;
    PASS(file_map_open(&map, path));
    return file_map_end(&map, safetensors_decode(out, map.data, map.length), path);
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

/* Writes what the header says of entry k; *at is where its bytes begin, and becomes where they end. */
static graco_status describe_entry(struct writer *json, int64_t *at,
                                   const struct safetensors_entry *entries, int64_t k)
{
    const struct safetensors_entry *entry = &entries[k];
    const struct array *array = entry->array;
    bool taken = strcmp(entry->name, metadata_key) == 0;
    int kind = 0;
    while (kind < KINDS && kinds[kind].type != array->type)
        kind++;
    if (kind == KINDS)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "tensor \"%.80s\" is %s, which safetensors does not hold here",
                           entry->name, array_type_name(array->type));
    for (int64_t i = 0; i < k; i++)
        taken |= strcmp(entry->name, entries[i].name) == 0;
    if (taken)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "\"%.80s\" cannot name a tensor: reserved or used twice", entry->name);
    writer_open(json, entry->name, '{');
    writer_string(json, "dtype", kinds[kind].name);
    writer_open(json, "shape", '[');
    for (int d = 0; d < array->ndim; d++)
        writer_integer(json, NULL, array->shape[d]);
    writer_close(json);
    writer_open(json, "data_offsets", '[');
    writer_integer(json, NULL, *at);
    *at += array->count * array->size;
    writer_integer(json, NULL, *at);
    writer_close(json);
    writer_close(json);
    return GRACO_OK;
}

static graco_status build_header(struct writer *json, const struct safetensors_entry *entries,
                                 int64_t count, const struct safetensors_pair *metadata,
                                 int64_t pairs)
{
    int64_t at = 0;
    writer_open(json, NULL, '{');
    if (pairs > 0) {
        writer_open(json, metadata_key, '{');
        for (int64_t i = 0; i < pairs; i++)
            writer_string(json, metadata[i].key, metadata[i].value);
        writer_close(json);
    }
    for (int64_t i = 0; i < count; i++)
        PASS(describe_entry(json, &at, entries, i));
    writer_close(json);
    return text_status(&json->text);
}

static graco_status write_items(struct file_writer *writer, const struct array *array)
{
    struct array swapped = {0};
    enum array_type type = ARRAY_F32;
    int64_t size = 0;
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
    struct writer header = {.style = WRITER_DATA};
    char filler[DATA_ALIGNMENT];
    struct file_writer *writer = NULL;
    uint8_t prefix[LENGTH_BYTES];
    graco_status status = GRACO_OK;
    TRY(build_header(&header, entries, count, metadata, pairs));
    int64_t length = header.text.length;
    int64_t fill = DATA_ALIGNMENT - (LENGTH_BYTES + length) % DATA_ALIGNMENT;
    memset(filler, ' ', sizeof filler);
    for (int i = 0; i < LENGTH_BYTES; i++)
        prefix[i] = (uint8_t)((uint64_t)(length + fill) >> (8 * i));
    TRY(file_writer_open(&writer, path));
    TRY(file_writer_write(writer, prefix, sizeof prefix));
    TRY(file_writer_write(writer, header.text.bytes, length));
    TRY(file_writer_write(writer, filler, fill));
    for (int64_t i = 0; i < count; i++)
        TRY(write_items(writer, entries[i].array));
    TRY(file_writer_commit(writer));
done:
    file_writer_free(writer);
    writer_clear(&header);
    return status;
}
