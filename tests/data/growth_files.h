/* Writes the files of hostile data sets: arrays as files of a folder or members of an archive, and texts. */
#ifndef TESTS_DATA_GROWTH_FILES_H
#define TESTS_DATA_GROWTH_FILES_H

#include "growth.h"

#include "data/small_files.h"
#include "io/npy.h"
#include "data/store.h"

enum fill { ZEROS, ONES, TWOS, RAMP };

/* Where arrays go: a file of a folder, or a member of an archive that is open. */
static struct store *store;

static void put_array(const char *name, enum array_type type, const void *items, int64_t rows,
                      int64_t cols)
{
    const int64_t shape[2] = {rows, cols};
    struct array array;
    char path[128];
    CHECK_OK(array_borrow(&array, type, items, cols >= 0 ? 2 : 1, shape));
    snprintf(path, sizeof path, "set/%s.npy", name);
    if (store)
        CHECK_OK(store_array(store, name, &array));
    else
        CHECK_OK(npy_write(fixture_path(path), &array));
}

/* An array of bytes; cols -1: one dimension. A ramp goes up to 250 and begins again. */
static void put_bytes(const char *name, enum fill fill, int64_t rows, int64_t cols)
{
    int64_t count = rows * (cols >= 0 ? cols : 1);
    uint8_t *items = calloc(1, (size_t)count + 1);
    for (int64_t i = 0; i < count; i++)
        items[i] = (uint8_t)(fill == RAMP ? i % 251 : fill);
    put_array(name, ARRAY_U8, items, rows, cols);
    __real_free(items);
}

static void put_numbers(const char *name, int64_t first, int64_t second)
{
    const int64_t numbers[2] = {first, second};
    put_array(name, ARRAY_I64, numbers, 2, -1);
}

static void open_archive(const char *name)
{
    CHECK_OK(store_create(&store, fixture_path(name)));
}

static void close_archive(void)
{
    CHECK_OK(store_commit(store));
    store_free(store);
    store = NULL;
}

/* A text of pieces; %d becomes the number of the piece. */
static void put_text(const char *name, const char *before, const char *piece, int64_t times,
                     const char *after)
{
    const char *number = strstr(piece, "%d");
    FILE *file = fopen(fixture_path(name), "wb");
    CHECK(file && fputs(before, file) >= 0);
    for (int64_t i = 0; file && i < times; i++)
        if (number)
            fprintf(file, "%.*s%lld%s", (int)(number - piece), piece, (long long)i, number + 2);
        else
            fputs(piece, file);
    if (file)
        fputs(after, file);
    if (file)
        fclose(file);
}

static graco_load_options options;

#endif
