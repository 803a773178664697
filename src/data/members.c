/* A folder's arrays are mapped, an archive's are unpacked, the caller's are borrowed: all become a
 * struct array, so that readers need not know which it is. */
#include "data/given.h"

#include "base/memory.h"
#include "io/zip/gzip.h"

#include <stdio.h>
#include <string.h>

static bool folder_has(const char *folder, const char *name)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && length < (int)sizeof path && file_exists(path);
}

enum { NAME_ROOM = 512 };

/* The name of a part in the archive. */
static const char *inner(char text[NAME_ROOM], const struct members *members, const char *name)
{
    if (!members->within)
        return name;
    snprintf(text, NAME_ROOM, "%s%s", members->within, name);
    return text;
}

bool members_have(const struct members *members, const char *name)
{
    char text[NAME_ROOM];
    if (members->arrays)
        return given_have(members->arrays, name);
    return members->folder ? folder_has(members->folder, name)
                           : npz_has(members->npz, inner(text, members, name));
}

/* Of each member below `before`, a folder with its slash or "", the next part of its name. */
static graco_status list_archive(struct file_list *out, const struct npz *npz, const char *before)
{
    int64_t all = npz_count(npz);
    size_t skipped = strlen(before);
    PASS(memory_zalloc(&out->names, all, sizeof *out->names));
    for (int64_t i = 0; i < all; i++) {
        const char *name = npz_name(npz, i), *last = out->count ? out->names[out->count - 1] : "";
        if (strncmp(name, before, skipped) != 0)
            continue;
        size_t length = strcspn(name + skipped, "/");
        if (length == 0 || (strlen(last) == length && memcmp(last, name + skipped, length) == 0))
            continue;
        PASS(memory_zalloc(&out->names[out->count], (int64_t)length + 1, 1));
        memcpy(out->names[out->count++], name + skipped, length);
    }
    return GRACO_OK;
}

graco_status members_list(struct file_list *out, const struct members *members, const char *folder)
{
    graco_status status = GRACO_OK;
    char *path = NULL, name[NAME_ROOM], below[NAME_ROOM];
    if (members->npz) {
        snprintf(below, sizeof below, "%s%s", folder, *folder ? "/" : "");
        TRY(list_archive(out, members->npz, inner(name, members, below)));
        goto done;
    }
    TRY(memory_path(&path, members->folder, folder));
    TRY(file_list_folder(out, *folder ? path : members->folder));
done:
    if (status != GRACO_OK)
        file_list_clear(out);
    memory_free(path);
    return status;
}

static graco_status missing(const struct members *members, const char *name, const char *ending)
{
    return status_fail(GRACO_ERROR_FORMAT, "the %s has no %s%s",
                       members->arrays   ? "data set"
                       : members->folder ? "folder"
                                         : "archive",
                       name, members->arrays ? "" : ending);
}

/* What is opened is needed, so that objects in it cannot be left alone. */
static graco_status refuse_objects(const struct array *array, const char *name)
{
    bool names = strcmp(name, "node_ids") == 0 || strcmp(name, "class_names") == 0;
    if (array->type != ARRAY_OBJECT)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s holds Python objects, which graco never decodes: save it as %s makes "
                       "it%s",
                       name, names ? "a.astype(str)" : "a.astype(float) or a.astype(int)",
                       strcmp(name, "y") == 0 ? ", names of classes in class_names" : "");
}

static graco_status open_mapped(struct member *member, const char *folder, const char *name)
{
    graco_status status = GRACO_OK;
    char *path = NULL, file[64];
    snprintf(file, sizeof file, "%s.npy", name);
    TRY(memory_path(&path, folder, file));
    if (!file_exists(path))
        goto done;
    TRY(npy_map_open(&member->map, path));
    member->array = &member->map.array;
    TRY(refuse_objects(member->array, name));
done:
    memory_free(path);
    return status;
}

graco_status member_open(struct member *member, const struct members *members, const char *name)
{
    char text[NAME_ROOM];
    *member = (struct member){0};
    if (members->folder)
        return open_mapped(member, members->folder, name);
    if (members->arrays)
        return given_open(member, members->arrays, name);
    if (!npz_has(members->npz, inner(text, members, name)))
        return GRACO_OK;
    PASS(npz_read(&member->read, members->npz, inner(text, members, name), NPZ_LIMIT));
    member->array = &member->read;
    return refuse_objects(member->array, name);
}

graco_status member_need(struct member *member, const struct members *members, const char *name)
{
    PASS(member_open(member, members, name));
    return member->array ? GRACO_OK : missing(members, name, ".npy");
}

void member_clear(struct member *member)
{
    npy_map_close(&member->map);
    array_clear(&member->read);
    *member = (struct member){0};
}

graco_status member_named(graco_status status, const char *name)
{
    return status == GRACO_OK ? status : status_context(status, "%s", name);
}

graco_status array_expect(const struct array *array, const char *what, int ndim, int64_t rows,
                          int64_t cols)
{
    PASS(refuse_objects(array, what));
    if (array->ndim != ndim)
        return status_fail(GRACO_ERROR_FORMAT, "%s has %d dimensions: expected %d", what,
                           array->ndim, ndim);
    if (ndim > 0 && rows >= 0 && array->shape[0] != rows)
        return status_fail(GRACO_ERROR_FORMAT, "%s has %lld rows: expected %lld", what,
                           (long long)array->shape[0], (long long)rows);
    if (ndim > 1 && cols >= 0 && array->shape[1] != cols)
        return status_fail(GRACO_ERROR_FORMAT, "%s has %lld columns: expected %lld", what,
                           (long long)array->shape[1], (long long)cols);
    return GRACO_OK;
}

graco_status member_take(void *out, enum array_type type, struct member *member, const char *name)
{
    struct array *array = member->array;
    return member_named(type == ARRAY_U8    ? array_to_u8(out, array)
                        : type == ARRAY_I32 ? array_take_i32(out, array)
                        : type == ARRAY_I64 ? array_to_i64(out, array)
                                            : array_take_f32(out, array),
                        name);
}

graco_status member_read(void *out, int64_t *rows, int64_t *cols, enum array_type type,
                         const struct members *members, const char *name)
{
    graco_status status = GRACO_OK;
    struct member member = {0};
    TRY(member_need(&member, members, name));
    TRY(array_expect(member.array, name, cols ? 2 : 1, *rows, cols ? *cols : 0));
    *rows = member.array->shape[0];
    if (cols)
        *cols = member.array->shape[1];
    TRY(member_take(out, type, &member, name));
done:
    member_clear(&member);
    return status;
}

graco_status member_optional(void *out, int64_t rows, enum array_type type,
                             const struct members *members, const char *name)
{
    char file[64];
    snprintf(file, sizeof file, "%s.npy", name);
    return members_have(members, file) ? member_read(out, &rows, NULL, type, members, name)
                                       : GRACO_OK;
}

graco_status csr_from_arrays(struct csr *out, int64_t rows, int64_t cols, const struct array *start,
                             const struct array *index, const struct array *value)
{
    graco_status status = GRACO_OK;
    struct csr made = {.rows = rows, .cols = cols};
    if (rows < 0 || rows > INT32_MAX || cols < 0 || cols > INT32_MAX)
        FAIL(GRACO_ERROR_FORMAT, "a matrix of %lld x %lld: expected at most %lld of each",
             (long long)rows, (long long)cols, (long long)INT32_MAX);
    TRY(array_expect(start, "the row pointers", 1, rows + 1, 0));
    TRY(array_expect(value, "the values", 1, -1, 0));
    TRY(array_expect(index, "the column indices", 1, value->count, 0));
    TRY(array_to_i64(&made.start, start));
    TRY(csr_check_starts(&made, value->count));
    TRY(array_to_i32(&made.index, index));
    TRY(array_to_f32(&made.value, value));
    *out = made;
    made = (struct csr){0};
done:
    csr_clear(&made);
    return status;
}

graco_status member_number(bool *found, int64_t *value, const struct members *members,
                           const char *name)
{
    graco_status status = GRACO_OK;
    struct member number = {0};
    int64_t *items = NULL;
    TRY(member_open(&number, members, name));
    *found = number.array;
    if (!*found)
        goto done;
    if (number.array->count != 1)
        FAIL(GRACO_ERROR_FORMAT, "%s has %lld items: expected 1", name,
             (long long)number.array->count);
    TRY(member_take(&items, ARRAY_I64, &number, name));
    *value = items[0];
done:
    member_clear(&number);
    memory_free(items);
    return status;
}

/* The parts of compressed rows. */
enum { VALUE, INDEX, START, SHAPE, COUNT };
static const char *const endings[COUNT] = {"data", "indices", "indptr", "shape"};

const char *members_csr_part(char out[PART_NAME], const struct members *members, const char *prefix)
{
    char file[PART_NAME + 4];
    for (int p = 0; p < COUNT; p++) {
        snprintf(out, PART_NAME, "%s_%s", prefix, endings[p]);
        snprintf(file, sizeof file, "%s.npy", out);
        if (members_have(members, file))
            return out;
    }
    return NULL;
}

graco_status member_csr(struct csr *out, const struct members *members, const char *prefix)
{
    graco_status status = GRACO_OK;
    struct member part[COUNT] = {0};
    char name[COUNT][PART_NAME];
    int64_t *size = NULL;
    for (int p = 0; p < COUNT; p++) {
        snprintf(name[p], sizeof name[p], "%s_%s", prefix, endings[p]);
        TRY(member_need(&part[p], members, name[p]));
    }
    TRY(array_expect(part[SHAPE].array, name[SHAPE], 1, 2, 0));
    TRY(member_take(&size, ARRAY_I64, &part[SHAPE], name[SHAPE]));
    status = csr_from_arrays(out, size[0], size[1], part[START].array, part[INDEX].array,
                             part[VALUE].array);
    if (status != GRACO_OK)
        status = status_context(status, "%s, %s, %s", name[VALUE], name[INDEX], name[START]);
done:
    for (int p = 0; p < COUNT; p++)
        member_clear(&part[p]);
    memory_free(size);
    return status;
}

/* Fails unless there is such a part; in a folder, *path is where. */
static graco_status find(char **path, const struct members *members, const char *name)
{
    if (!members_have(members, name))
        return missing(members, name, "");
    return members->folder ? memory_path(path, members->folder, name) : GRACO_OK;
}

graco_status member_bytes_file(struct member_bytes *bytes, const char *path)
{
    graco_status status = GRACO_OK;
    struct file_map map = {0};
    *bytes = (struct member_bytes){0};
    TRY(file_map_open(&map, path));
    if (gzip_knows(map.data, map.length)) {
        TRY(member_named(gzip_unpack(&bytes->read, &bytes->length, map.data, map.length, NPZ_LIMIT),
                         path));
        bytes->data = bytes->read;
        bytes->packed = map.length;
        goto done;
    }
    bytes->map = map;
    bytes->data = map.data;
    bytes->length = map.length;
    map = (struct file_map){0};
done:
    file_map_close(&map);
    return status;
}

graco_status member_bytes_archive(struct npz **out, const struct member_bytes *bytes)
{
    return bytes->packed ? npz_open_unpacked(out, bytes->data, bytes->length, bytes->packed)
                         : npz_open_bytes(out, bytes->data, bytes->length);
}

/* Unpacks what came out of an archive once more, to no more than may still be unpacked from that file. */
static graco_status unpack_inner(struct member_bytes *bytes, struct npz *npz, const char *name)
{
    uint8_t *packed = bytes->read;
    int64_t length = bytes->length, left = npz_left(npz);
    if (!gzip_knows(packed, length))
        return GRACO_OK;
    bytes->read = NULL;
    graco_status status = gzip_unpack(&bytes->read, &bytes->length, packed, length,
                                      left < NPZ_LIMIT ? left : NPZ_LIMIT);
    memory_free(packed);
    if (status == GRACO_OK)
        npz_count_unpacked(npz, bytes->length);
    return member_named(status, name);
}

graco_status member_bytes_open(struct member_bytes *bytes, const struct members *members,
                               const char *name)
{
    graco_status status = GRACO_OK;
    char *path = NULL, text[NAME_ROOM];
    *bytes = (struct member_bytes){0};
    TRY(find(&path, members, name));
    if (members->npz) {
        TRY(npz_read_bytes(&bytes->read, &bytes->length, members->npz, inner(text, members, name),
                           NPZ_LIMIT));
        TRY(unpack_inner(bytes, members->npz, name));
        bytes->data = bytes->read;
    } else {
        TRY(member_bytes_file(bytes, path));
    }
done:
    memory_free(path);
    return status;
}

void member_bytes_clear(struct member_bytes *bytes)
{
    file_map_close(&bytes->map);
    memory_free(bytes->read);
    *bytes = (struct member_bytes){0};
}

graco_status member_archive(struct npz **out, const struct members *members, const char *name)
{
    graco_status status = GRACO_OK;
    char *path = NULL, text[NAME_ROOM];
    *out = NULL;
    TRY(find(&path, members, name));
    TRY(members->npz ? npz_open_member(out, members->npz, inner(text, members, name), NPZ_LIMIT)
                     : npz_open(out, path));
done:
    memory_free(path);
    return status;
}
