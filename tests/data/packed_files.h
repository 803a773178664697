/* Archives that claim much: packed twice, of more members than anybody needs. */
#ifndef TESTS_DATA_PACKED_FILES_H
#define TESTS_DATA_PACKED_FILES_H

#include "data/small_files.h"

#include <zip.h>

/* Packs files of the test, as an archive of deflated members. */
static inline void packed_zip(const char *name, const char *const *files, int count)
{
    int error = 0;
    zip_t *zip = zip_open(fixture_path(name), ZIP_CREATE | ZIP_TRUNCATE, &error);
    CHECK(zip != NULL);
    for (int i = 0; i < count; i++) {
        zip_source_t *source = zip_source_file(zip, fixture_path(files[i]), 0, -1);
        CHECK(zip_file_add(zip, files[i], source, 0) == i);
    }
    CHECK(zip_close(zip) == 0);
}

static inline void packed_gzip(const char *name, const char *file)
{
    uint8_t *bytes = NULL;
    int64_t length = 0;
    CHECK_OK(file_read(&bytes, &length, fixture_path(file), 1 << 26));
    small_gzip(name, bytes, (size_t)length, 9);
    memory_free(bytes);
}

/* An archive that is a directory and little else. */
struct packed_crowd {
    int entries, name; /* how many, and the bytes of each name, which all differ */
    int says;          /* how many the end record names */
    bool zip64;        /* it leaves that to zip64's */
    int records;       /* how many end records there are */
};

/* Writes a number, and returns what is behind it. */
static inline uint8_t *packed_number(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *at++ = (uint8_t)(value >> (8 * i));
    return at;
}

static inline uint8_t *packed_end(uint8_t *at, const struct packed_crowd *crowd, uint64_t start,
                                  uint64_t size, uint64_t here)
{
    uint64_t says = (uint64_t)crowd->says, short_says = crowd->zip64 ? 0xffff : says;
    if (crowd->zip64) {
        memcpy(at, "PK\6\6\54\0\0\0\0\0\0\0\55\0\55\0\0\0\0\0\0\0\0\0", 24);
        at = packed_number(packed_number(at + 24, says, 8), says, 8);
        at = packed_number(packed_number(at, size, 8), start, 8);
        memcpy(at, "PK\6\7\0\0\0\0", 8);
        at = packed_number(packed_number(at + 8, here, 8), 1, 4);
    }
    memcpy(at, "PK\5\6\0\0\0\0", 8);
    at = packed_number(packed_number(at + 8, short_says, 2), short_says, 2);
    at = packed_number(packed_number(at, crowd->zip64 ? UINT32_MAX : size, 4),
                       crowd->zip64 ? UINT32_MAX : start, 4);
    return packed_number(at, 0, 2);
}

/* The caller frees it. */
static inline uint8_t *packed_crowd(int64_t *length, const struct packed_crowd *crowd)
{
    enum { LOCAL = 31, ENTRY = 46, ENDS = 98 };
    const uint64_t size = (uint64_t)crowd->entries * (uint64_t)(ENTRY + crowd->name);
    uint8_t *bytes = calloc(1, LOCAL + size + (size_t)crowd->records * ENDS), *at = bytes;
    memcpy(at, "PK\3\4\24\0\0\0\0\0\0\0\41\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0x", LOCAL);
    at += LOCAL;
    for (int i = 0; i < crowd->entries; i++) {
        memcpy(at, "PK\1\2\24\0\24\0\0\0\0\0\0\0\41\0", 16);
        packed_number(at + 28, (uint64_t)crowd->name, 2);
        memset(at + ENTRY, 'a', (size_t)crowd->name);
        for (int digit = 0; digit < 8 && digit < crowd->name; digit++)
            at[ENTRY + digit] = (uint8_t)('A' + (i >> 4 * digit & 15));
        at += ENTRY + crowd->name;
    }
    for (int i = 0; i < crowd->records; i++)
        at = packed_end(at, crowd, LOCAL, size, (uint64_t)(at - bytes));
    *length = at - bytes;
    return bytes;
}

#endif
