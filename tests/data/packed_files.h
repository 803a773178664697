/* Archives that are packed twice. */
#ifndef TESTS_DATA_PACKED_FILES_H
#define TESTS_DATA_PACKED_FILES_H

#include "data/small_files.h"

#include <zip.h>

/* Packs files of the test, as an archive of deflated members. */
static inline void packed_zip(const char *name, const char *const *files, int count)
{
    int error = 0;
    zip_t *zip = zip_open(small_path(name), ZIP_CREATE | ZIP_TRUNCATE, &error);
    CHECK(zip != NULL);
    for (int i = 0; i < count; i++) {
        zip_source_t *source = zip_source_file(zip, small_path(files[i]), 0, -1);
        CHECK(zip_file_add(zip, files[i], source, 0) == i);
    }
    CHECK(zip_close(zip) == 0);
}

static inline void packed_gzip(const char *name, const char *file)
{
    uint8_t *bytes = NULL;
    int64_t length = 0;
    CHECK_OK(file_read(&bytes, &length, small_path(file), 1 << 26));
    small_gzip(name, bytes, (size_t)length, 9);
    memory_free(bytes);
}

/* Writes a number, and returns what is behind it. */
static inline uint8_t *packed_number(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *at++ = (uint8_t)(value >> (8 * i));
    return at;
}

#endif
