/* Hostile input: every truncation and every corrupted byte of a small valid file. A decoder must
 * return, with or without success; sanitizers watch the rest. Each input lies in a block of exactly
 * its length, so that reading one byte too many is seen. */
#ifndef TESTS_IO_HOSTILE_H
#define TESTS_IO_HOSTILE_H

#include "fixture.h"

#include <dirent.h>
#include <unistd.h>

/* Decodes, throws the result away, and says whether it worked. */
typedef bool hostile_decode(const uint8_t *bytes, int64_t length);

static inline bool hostile_try(hostile_decode *decode, const uint8_t *bytes, int64_t length)
{
    uint8_t *copy = malloc((size_t)length + (length == 0));
    if (length > 0)
        memcpy(copy, bytes, (size_t)length);
    bool worked = decode(copy, length);
    free(copy);
    return worked;
}

/* How many of the truncations are accepted. */
static inline int64_t hostile_truncate(hostile_decode *decode, const uint8_t *bytes, int64_t length)
{
    int64_t accepted = 0;
    for (int64_t n = 0; n < length; n++)
        accepted += hostile_try(decode, bytes, n);
    return accepted;
}

/* Tries several wrong values for each byte. */
static inline void hostile_corrupt(hostile_decode *decode, const uint8_t *bytes, int64_t length)
{
    static const uint8_t flips[] = {1, 2, 4, 8, 16, 32, 64, 128, 255};
    uint8_t *copy = malloc((size_t)length + 1);
    for (int64_t i = 0; i < length; i++) {
        memcpy(copy, bytes, (size_t)length);
        for (size_t f = 0; f < sizeof flips + 2; f++) {
            copy[i] = f < sizeof flips ? bytes[i] ^ flips[f] : f == sizeof flips ? 0 : 255;
            hostile_try(decode, copy, length);
        }
    }
    free(copy);
    CHECK(true); /* getting here is the test */
}

/* A path in the folder; valid until the fourth next call. */
static inline const char *hostile_path(const char *folder, const char *name)
{
    static char paths[4][700];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline int hostile_files(const char *folder)
{
    int count = 0;
    DIR *list = opendir(folder);
    for (struct dirent *entry; (entry = readdir(list));)
        count += entry->d_name[0] != '.';
    closedir(list);
    return count;
}

/* A file of the test data, or NULL with a line that says that the check is left out. */
static inline const char *hostile_data(const char *name)
{
    const char *data = getenv("GRACO_DATA");
    const char *path = hostile_path(data ? data : "", name);
    if (data && access(path, R_OK) == 0)
        return path;
    printf("left out: %s is not under $GRACO_DATA\n", name);
    return NULL;
}

#endif
