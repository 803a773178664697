/* Each record is put together in a few bytes and sent on; of a member only name, place, length and
 * checksum are kept, for the directory at the end.
 *
 *  member:     local header, 30 bytes + name + 20 bytes of zip64 sizes (0: they follow)
 *              bytes
 *              descriptor, 24 bytes: checksum and sizes
 *  directory:  for each member 46 bytes + name + 28 bytes of zip64 sizes and place
 *  end:        zip64 end 56 bytes, its locator 20 bytes, classic end 22 bytes full of ones */
#include "io/zip/archive.h"

#include "base/memory.h"
#include "io/files/file.h"
#include "io/npy.h"

#include <string.h>
#include <zlib.h>

enum { RECORD_MAX = 128, VERSION = 45, MADE_ON_UNIX = 3 << 8, DAY_ZERO = 33, MEMBERS_FIRST = 16 };

/* Bit 3: sizes follow the bytes; bit 11: names are UTF-8. */
enum { FLAGS = 1 << 3 | 1 << 11 };

static const uint32_t permissions = UINT32_C(0100644) << 16;

struct entry {
    char *name;
    int64_t place, length;
    uint32_t checksum;
};

struct archive {
    struct file_writer *writer;
    int64_t written;
    int64_t count, room;
    struct entry *entries;
    bool open; /* a member was begun */
};

/* A record under construction, little endian. */
struct record {
    uint8_t bytes[RECORD_MAX];
    int length;
};

static void put(struct record *record, uint64_t value, int width)
{
    for (int i = 0; i < width; i++)
        record->bytes[record->length++] = (uint8_t)(value >> (8 * i));
}

graco_status archive_create(struct archive **out, const char *path)
{
    struct archive *archive = NULL;
    PASS(memory_zalloc(&archive, 1, sizeof *archive));
    graco_status status = file_writer_open(&archive->writer, path);
    if (status == GRACO_OK)
        *out = archive;
    else
        archive_free(archive);
    return status;
}

static graco_status send(struct archive *archive, const void *bytes, int64_t length)
{
    archive->written += length;
    return length > 0 ? file_writer_write(archive->writer, bytes, length) : GRACO_OK;
}

static graco_status add_entry(struct archive *archive, const char *name)
{
    if (archive->count == archive->room) {
        int64_t room = archive->room > 0 ? 2 * archive->room : MEMBERS_FIRST;
        PASS(memory_grow(&archive->entries, archive->room, room, sizeof *archive->entries));
        archive->room = room;
    }
    struct entry *entry = &archive->entries[archive->count];
    *entry = (struct entry){.place = archive->written};
    PASS(memory_string(&entry->name, name));
    archive->count++;
    return GRACO_OK;
}

graco_status archive_begin(struct archive *archive, const char *name)
{
    struct record record = {0};
    size_t length = strlen(name);
    if (archive->open || length == 0 || length > UINT16_MAX)
        return status_fail(GRACO_ERROR_ARGUMENT, "member \"%s\" of an archive: %s", name,
                           archive->open ? "the one before has not ended"
                                         : "the name has no good length");
    PASS(add_entry(archive, name));
    put(&record, 0x04034b50, 4);
    put(&record, VERSION, 2);
    put(&record, FLAGS, 2);
    put(&record, 0, 4); /* stored; at midnight */
    put(&record, DAY_ZERO, 2);
    put(&record, 0, 4);
    put(&record, UINT64_MAX, 8); /* both sizes are in the extra field */
    put(&record, length, 2);
    put(&record, 20, 2);
    PASS(send(archive, record.bytes, record.length));
    PASS(send(archive, name, (int64_t)length));
    record.length = 0;
    put(&record, 1, 2);
    put(&record, 16, 2);
    put(&record, 0, 8);
    put(&record, 0, 8);
    PASS(send(archive, record.bytes, record.length));
    archive->open = true;
    return GRACO_OK;
}

graco_status archive_write(struct archive *archive, const void *bytes, int64_t length)
{
    if (!archive->open)
        return status_fail(GRACO_ERROR_ARGUMENT, "bytes for an archive outside of any member");
    struct entry *entry = &archive->entries[archive->count - 1];
    entry->checksum = (uint32_t)crc32_z(entry->checksum, bytes, (size_t)length);
    entry->length += length;
    return send(archive, bytes, length);
}

graco_status archive_end(struct archive *archive)
{
    struct record record = {0};
    if (!archive->open)
        return status_fail(GRACO_ERROR_ARGUMENT, "the end of a member that has not begun");
    const struct entry *entry = &archive->entries[archive->count - 1];
    put(&record, 0x08074b50, 4);
    put(&record, entry->checksum, 4);
    put(&record, (uint64_t)entry->length, 8);
    put(&record, (uint64_t)entry->length, 8);
    archive->open = false;
    return send(archive, record.bytes, record.length);
}

graco_status archive_array_begin(struct archive *archive, const char *name,
                                 const struct array *described)
{
    graco_status status = GRACO_OK;
    char header[NPY_HEADER_MAX], *member = NULL;
    int64_t length = 0, size = (int64_t)strlen(name);
    TRY(memory_alloc(&member, size + 5, 1));
    memcpy(member, name, (size_t)size);
    memcpy(member + size, ".npy", 5);
    TRY(npy_header(header, &length, described));
    TRY(archive_begin(archive, member));
    TRY(archive_write(archive, header, length));
done:
    memory_free(member);
    return status;
}

graco_status archive_array(struct archive *archive, const char *name, const struct array *array)
{
    PASS(archive_array_begin(archive, name, array));
    PASS(archive_write(archive, array->data, array->count * array->size));
    return archive_end(archive);
}

static graco_status send_directory_entry(struct archive *archive, const struct entry *entry)
{
    struct record record = {0};
    int64_t length = (int64_t)strlen(entry->name);
    put(&record, 0x02014b50, 4);
    put(&record, MADE_ON_UNIX | VERSION, 2);
    put(&record, VERSION, 2);
    put(&record, FLAGS, 2);
    put(&record, 0, 4);
    put(&record, DAY_ZERO, 2);
    put(&record, entry->checksum, 4);
    put(&record, UINT64_MAX, 8);
    put(&record, (uint64_t)length, 2);
    put(&record, 28, 2);
    put(&record, 0, 6); /* no comment, first disk, no attributes of the content */
    put(&record, permissions, 4);
    put(&record, UINT32_MAX, 4);
    PASS(send(archive, record.bytes, record.length));
    PASS(send(archive, entry->name, length));
    record.length = 0;
    put(&record, 1, 2);
    put(&record, 24, 2);
    put(&record, (uint64_t)entry->length, 8);
    put(&record, (uint64_t)entry->length, 8);
    put(&record, (uint64_t)entry->place, 8);
    return send(archive, record.bytes, record.length);
}

graco_status archive_commit(struct archive *archive)
{
    struct record record = {0};
    int64_t start = archive->written, end;
    if (archive->open)
        return status_fail(GRACO_ERROR_ARGUMENT, "the end of an archive within a member");
    for (int64_t i = 0; i < archive->count; i++)
        PASS(send_directory_entry(archive, &archive->entries[i]));
    end = archive->written;
    put(&record, 0x06064b50, 4);
    put(&record, 44, 8);
    put(&record, MADE_ON_UNIX | VERSION, 2);
    put(&record, VERSION, 2);
    put(&record, 0, 8);
    put(&record, (uint64_t)archive->count, 8);
    put(&record, (uint64_t)archive->count, 8);
    put(&record, (uint64_t)(end - start), 8);
    put(&record, (uint64_t)start, 8);
    put(&record, 0x07064b50, 4);
    put(&record, 0, 4);
    put(&record, (uint64_t)end, 8);
    put(&record, 1, 4);
    put(&record, 0x06054b50, 4);
    put(&record, 0, 4);
    put(&record, UINT64_MAX, 8);
    put(&record, UINT64_MAX, 4);
    put(&record, 0, 2);
    PASS(send(archive, record.bytes, record.length));
    return file_writer_commit(archive->writer);
}

void archive_free(struct archive *archive)
{
    if (!archive)
        return;
    for (int64_t i = 0; i < archive->count; i++)
        memory_free(archive->entries[i].name);
    memory_free(archive->entries);
    file_writer_free(archive->writer);
    memory_free(archive);
}
