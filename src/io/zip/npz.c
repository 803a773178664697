/* Archives, over libzip. What the directory of an archive says about a member is compared with the
 * length of the archive before memory is taken, and with what is unpacked in the end. What may be unpacked
 * from a file in all is counted in the outermost archive, the one that is the file. */
#include "io/zip/npz.h"

#include "base/memory.h"
#include "io/files/file.h"
#include "io/npy.h"
#include "io/zip/directory.h"

#include <inttypes.h>
#include <string.h>
#include <zip.h>

enum { PIECE = 1 << 20, HEAD = 4096, SLACK = 4096, DOS_DAY_ZERO = 33, ZIP_MIN = 22 };

struct npz {
    struct file_map map; /* empty if the bytes are the caller's */
    uint8_t *block;      /* NULL unless the archive was a member of another */
    struct npz *outer;   /* that other */
    int64_t length;      /* of the archive */
    int64_t left;        /* bytes that may still be unpacked; of the outermost archive alone */
    bool *counted;       /* of each member: `left` is without it */
    zip_t *zip;
};

static graco_status fail_zip(const char *what, zip_error_t *error)
{
    int code = zip_error_code_zip(error);
    if (code == ZIP_ER_MEMORY || code == ZIP_ER_OK) /* libzip may fail without an error then */
        return status_fail(GRACO_ERROR_MEMORY, "%s: out of memory", what);
    return status_fail(GRACO_ERROR_FORMAT, "%s: %s", what, zip_error_strerror(error));
}

/* How many bytes may be unpacked from a file. */
static int64_t may_expand(int64_t file)
{
    return file < INT64_MAX / NPZ_RATIO ? NPZ_RATIO * file : INT64_MAX;
}

graco_status npz_open_bytes(struct npz **out, const void *bytes, int64_t length)
{
    struct npz *npz = NULL;
    zip_source_t *source = NULL;
    zip_error_t error;
    graco_status status = GRACO_OK;
    *out = NULL;
    zip_error_init(&error);
    if (length < ZIP_MIN) /* libzip takes an empty file for an empty archive */
        FAIL(GRACO_ERROR_FORMAT, "this is no zip archive: it has %" PRId64 " bytes", length);
    TRY(directory_check(bytes, length));
    TRY(memory_zalloc(&npz, 1, sizeof *npz));
    npz->length = length;
    npz->left = may_expand(length);
    source = zip_source_buffer_create(bytes, (zip_uint64_t)length, 0, &error);
    if (source)
        npz->zip = zip_open_from_source(source, ZIP_RDONLY, &error);
    if (!npz->zip)
        TRY(fail_zip("this is no zip archive that can be read", &error));
    source = NULL; /* the archive owns it now */
    TRY(memory_zalloc(&npz->counted, npz_count(npz), sizeof *npz->counted));
    *out = npz;
    npz = NULL;
done:
    if (source)
        zip_source_free(source);
    zip_error_fini(&error);
    npz_close(npz);
    return status;
}

graco_status npz_open_unpacked(struct npz **out, const void *bytes, int64_t length, int64_t file)
{
    PASS(npz_open_bytes(out, bytes, length));
    int64_t all = may_expand(file);
    (*out)->left = all > length ? all - length : 0;
    return GRACO_OK;
}

graco_status npz_open(struct npz **out, const char *path)
{
    struct file_map map = {0};
    graco_status status = GRACO_OK;
    *out = NULL;
    TRY(file_map_open(&map, path));
    status = npz_open_bytes(out, map.data, map.length);
    if (status != GRACO_OK) {
        status_context(status, "%s", path);
        goto done;
    }
    (*out)->map = map;
    map = (struct file_map){0};
done:
    file_map_close(&map);
    return status;
}

void npz_close(struct npz *npz)
{
    if (!npz)
        return;
    zip_discard(npz->zip);
    file_map_close(&npz->map);
    memory_free(npz->counted);
    memory_free(npz->block);
    memory_free(npz);
}

int64_t npz_left(const struct npz *npz)
{
    while (npz->outer)
        npz = npz->outer;
    return npz->left;
}

void npz_count_unpacked(struct npz *npz, int64_t bytes)
{
    while (npz->outer)
        npz = npz->outer;
    npz->left -= bytes < npz->left ? bytes : npz->left;
}

int64_t npz_count(const struct npz *npz)
{
    return zip_get_num_entries(npz->zip, 0);
}

const char *npz_name(const struct npz *npz, int64_t index)
{
    if (index < 0 || index >= npz_count(npz))
        return NULL;
    const char *name = zip_get_name(npz->zip, (zip_uint64_t)index, 0);
    return name ? name : "";
}

/* The index of `name` or `name`.npy; -1 if there is neither. */
static int64_t find_member(const struct npz *npz, const char *name)
{
    int64_t index = zip_name_locate(npz->zip, name, 0);
    size_t length = strlen(name);
    char longer[512];
    if (index >= 0 || length + sizeof ".npy" > sizeof longer)
        return index;
    memcpy(longer, name, length);
    memcpy(longer + length, ".npy", sizeof ".npy");
    return zip_name_locate(npz->zip, longer, 0);
}

bool npz_has(const struct npz *npz, const char *name)
{
    return find_member(npz, name) >= 0;
}

/* What the directory claims about a member must be possible before any memory is taken for it. */
static graco_status check_claims(int64_t *size, const struct npz *npz, int64_t index,
                                 const char *name, int64_t limit)
{
    zip_stat_t about;
    zip_stat_init(&about);
    const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(npz->zip, (zip_uint64_t)index, 0, &about) != 0 ||
        (about.valid & needed) != needed)
        return status_fail(GRACO_ERROR_FORMAT, "member %s has no readable directory entry", name);
    if (about.comp_method != ZIP_CM_STORE && about.comp_method != ZIP_CM_DEFLATE)
        return status_fail(GRACO_ERROR_FORMAT,
                           "member %s is packed by method %d: expected %d, stored, or %d, deflated",
                           name, about.comp_method, ZIP_CM_STORE, ZIP_CM_DEFLATE);
    if (about.size > (zip_uint64_t)limit)
        return status_fail(GRACO_ERROR_FORMAT,
                           "member %s claims %" PRIu64 " bytes, at most %" PRId64 " are accepted",
                           name, (uint64_t)about.size, limit);
    if (about.comp_size > (zip_uint64_t)npz->length)
        return status_fail(GRACO_ERROR_FORMAT,
                           "member %s claims %" PRIu64 " stored bytes, the archive has %" PRId64,
                           name, (uint64_t)about.comp_size, npz->length);
    if (about.size > about.comp_size * NPZ_RATIO + SLACK)
        return status_fail(GRACO_ERROR_FORMAT,
                           "member %s claims to expand from %" PRIu64 " to %" PRIu64
                           " bytes, more than %d times",
                           name, (uint64_t)about.comp_size, (uint64_t)about.size, NPZ_RATIO);
    *size = (int64_t)about.size;
    return GRACO_OK;
}

/* Counts a member, once however often it is read, against what may be unpacked from the file. */
static graco_status count_member(struct npz *npz, int64_t index, const char *name, int64_t size)
{
    if (npz->counted[index])
        return GRACO_OK;
    if (size > npz_left(npz))
        return status_fail(GRACO_ERROR_FORMAT,
                           "member %s has %" PRId64
                           " bytes: with them more than %d times the bytes "
                           "of the file would be unpacked",
                           name, size, NPZ_RATIO);
    npz_count_unpacked(npz, size);
    npz->counted[index] = true;
    return GRACO_OK;
}

/* Reads on from `got` to exactly `size` bytes and then the end, which is where libzip verifies the
 * checksum. */
static graco_status read_exactly(uint8_t *block, int64_t got, int64_t size, zip_file_t *file,
                                 const char *name)
{
    uint8_t beyond;
    for (;;) {
        int64_t left = size - got;
        zip_int64_t step =
            left > 0 ? zip_fread(file, block + got, (zip_uint64_t)(left < PIECE ? left : PIECE))
                     : zip_fread(file, &beyond, 1);
        if (step < 0)
            return status_fail(GRACO_ERROR_FORMAT, "member %s cannot be unpacked: %s", name,
                               zip_file_strerror(file));
        if (step > 0 && left == 0)
            return status_fail(GRACO_ERROR_FORMAT,
                               "member %s is longer than the %" PRId64 " bytes it claims", name,
                               size);
        if (step == 0 && left > 0)
            return status_fail(GRACO_ERROR_FORMAT,
                               "member %s ends after %" PRId64 " of %" PRId64 " bytes", name, got,
                               size);
        if (step == 0)
            return GRACO_OK;
        got += step;
    }
}

/* Unpacks a member. Of an array the first bytes are looked at before memory is taken for all of
 * it: a member that claims gigabytes must at least begin as an array of that size. */
static graco_status unpack(uint8_t **out, int64_t *length, struct npz *npz, const char *name,
                           int64_t limit, bool array)
{
    uint8_t *block = NULL, head[HEAD];
    zip_file_t *file = NULL;
    int64_t size = 0, got = 0;
    graco_status status = GRACO_OK;
    int64_t index = find_member(npz, name);
    if (index < 0)
        FAIL(GRACO_ERROR_FORMAT, "the archive has no member %s", name);
    TRY(check_claims(&size, npz, index, name, limit));
    TRY(count_member(npz, index, name, size));
    file = zip_fopen_index(npz->zip, (zip_uint64_t)index, 0);
    if (!file)
        FAIL(GRACO_ERROR_FORMAT, "member %s cannot be opened: %s", name, zip_strerror(npz->zip));
    if (array && size > HEAD) {
        while (got < HEAD) {
            zip_int64_t step = zip_fread(file, head + got, (zip_uint64_t)(HEAD - got));
            if (step <= 0) /* read_exactly says what is wrong */
                break;
            got += step;
        }
        status = got == HEAD ? npy_check(head, HEAD, size) : GRACO_OK;
        if (status != GRACO_OK) {
            status_context(status, "member %s", name);
            goto done;
        }
    }
    TRY(memory_alloc(&block, size + 1, 1));
    memcpy(block, head, (size_t)got);
    TRY(read_exactly(block, got, size, file, name));
    block[size] = 0;
    *out = block;
    *length = size;
    block = NULL;
done:
    if (file)
        zip_fclose(file);
    memory_free(block);
    return status;
}

graco_status npz_read_bytes(uint8_t **out, int64_t *length, struct npz *npz, const char *name,
                            int64_t limit)
{
    *out = NULL;
    return unpack(out, length, npz, name, limit, false);
}

graco_status npz_open_member(struct npz **out, struct npz *outer, const char *name, int64_t limit)
{
    uint8_t *block = NULL;
    int64_t length = 0;
    graco_status status = GRACO_OK;
    *out = NULL;
    TRY(npz_read_bytes(&block, &length, outer, name, limit));
    status = npz_open_bytes(out, block, length);
    if (status != GRACO_OK) {
        status_context(status, "member %s", name);
        goto done;
    }
    (*out)->block = block;
    (*out)->outer = outer;
    block = NULL;
done:
    memory_free(block);
    return status;
}

graco_status npz_read(struct array *out, struct npz *npz, const char *name, int64_t limit)
{
    uint8_t *block = NULL;
    int64_t length = 0;
    struct array array = {0};
    graco_status status = GRACO_OK;
    *out = (struct array){0};
    TRY(unpack(&block, &length, npz, name, limit, true));
    status = npy_decode_borrowed(&array, block, length);
    if (status != GRACO_OK) {
        status_context(status, "member %s", name);
        goto done;
    }
    if (array.data && !array.owned) { /* the items stay in the block: no second copy */
        array.owned = block;
        block = NULL;
    }
    *out = array;
done:
    memory_free(block);
    return status;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* One member: its header and its items are two pieces of one source. */
struct npz_member {
    char header[NPY_HEADER_MAX];
    char *name;
    zip_buffer_fragment_t pieces[2];
};

static graco_status add_member(zip_t *zip, struct npz_member *member, const struct npz_entry *entry)
{
    zip_error_t error;
    zip_source_t *source = NULL;
    int64_t length = 0;
    size_t name = strlen(entry->name);
    graco_status status = GRACO_OK;
    zip_error_init(&error);
    TRY(npy_header(member->header, &length, entry->array));
    TRY(memory_alloc(&member->name, (int64_t)(name + sizeof ".npy"), 1));
    memcpy(member->name, entry->name, name);
    memcpy(member->name + name, ".npy", sizeof ".npy");
    member->pieces[0] =
        (zip_buffer_fragment_t){(zip_uint8_t *)member->header, (zip_uint64_t)length};
    memcpy(&member->pieces[1].data, &entry->array->data, sizeof entry->array->data);
    member->pieces[1].length = (zip_uint64_t)(entry->array->count * entry->array->size);
    source = zip_source_buffer_fragment_create(member->pieces, 2, 0, &error);
    if (!source)
        TRY(fail_zip(entry->name, &error));
    zip_int64_t index = zip_file_add(zip, member->name, source, ZIP_FL_ENC_UTF_8);
    if (index < 0) { /* libzip may say "No error" where memory is out */
        int code = zip_error_code_zip(zip_get_error(zip));
        bool wrong = code == ZIP_ER_EXISTS || code == ZIP_ER_INVAL;
        FAIL(wrong ? GRACO_ERROR_ARGUMENT : GRACO_ERROR_MEMORY, "member %s cannot be added: %s",
             member->name, wrong ? zip_strerror(zip) : "out of memory");
    }
    source = NULL;
    /* A fixed date: the same arrays give the same bytes. */
    if (zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_DEFLATE, 0) != 0 ||
        zip_file_set_dostime(zip, (zip_uint64_t)index, 0, DOS_DAY_ZERO, 0) != 0)
        FAIL(GRACO_ERROR_MEMORY, "member %s cannot be set up: %s", member->name, zip_strerror(zip));
done:
    if (source)
        zip_source_free(source);
    zip_error_fini(&error);
    return status;
}

/* Copies the finished archive from memory to the file. */
static graco_status copy_out(const char *path, zip_source_t *source)
{
    struct file_writer *writer = NULL;
    uint8_t *piece = NULL;
    bool opened = false;
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&piece, PIECE, 1));
    TRY(file_writer_open(&writer, path));
    if (zip_source_open(source) != 0)
        TRY(fail_zip(path, zip_source_error(source)));
    opened = true;
    for (;;) {
        zip_int64_t got = zip_source_read(source, piece, PIECE);
        if (got < 0)
            TRY(fail_zip(path, zip_source_error(source)));
        if (got == 0)
            break;
        TRY(file_writer_write(writer, piece, got));
    }
    TRY(file_writer_commit(writer));
done:
    if (opened)
        zip_source_close(source);
    file_writer_free(writer);
    memory_free(piece);
    return status;
}

graco_status npz_write(const char *path, const struct npz_entry *entries, int64_t count)
{
    struct npz_member *members = NULL;
    zip_source_t *source = NULL;
    zip_t *zip = NULL;
    zip_error_t error;
    graco_status status = GRACO_OK;
    zip_error_init(&error);
    if (count <= 0) /* libzip leaves no file at all for an empty archive */
        FAIL(GRACO_ERROR_ARGUMENT, "%s: an archive needs at least one array", path);
    TRY(memory_zalloc(&members, count, sizeof *members));
    source = zip_source_buffer_create(NULL, 0, 0, &error);
    if (source)
        zip = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error);
    if (!zip)
        TRY(fail_zip(path, &error));
    zip_source_keep(source); /* one reference for the archive, one for copy_out */
    for (int64_t i = 0; i < count; i++)
        TRY(add_member(zip, &members[i], &entries[i]));
    if (zip_close(zip) != 0)
        TRY(fail_zip(path, zip_get_error(zip)));
    zip = NULL;
    TRY(copy_out(path, source));
done:
    if (zip)
        zip_discard(zip);
    if (source)
        zip_source_free(source);
    zip_error_fini(&error);
    for (int64_t i = 0; members && i < count; i++)
        memory_free(members[i].name);
    memory_free(members);
    return status;
}
