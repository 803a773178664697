#include "data/store.h"

#include "base/memory.h"
#include "io/files/file.h"
#include "io/files/folder.h"
#include "io/npy.h"
#include "io/zip/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A folder with a file under way; or an archive, which may become a member of another store. */
struct store {
    struct folder *folder;
    struct file_writer *writer; /* of a folder's file */
    struct archive *archive;
    struct store *outer;         /* borrowed */
    char inner[64], inside[128]; /* a temporary folder, and the archive in it */
};

static bool is_archive(const char *path)
{
    size_t length = strlen(path);
    return length > 4 &&
           (strcmp(path + length - 4, ".zip") == 0 || strcmp(path + length - 4, ".npz") == 0);
}

graco_status store_create(struct store **out, const char *path)
{
    graco_status status = GRACO_OK;
    struct store *store = NULL;
    *out = NULL;
    TRY(memory_zalloc(&store, 1, sizeof *store));
    if (is_archive(path)) {
        TRY(archive_create(&store->archive, path));
    } else {
        TRY(folder_begin(&store->folder, path));
    }
    *out = store;
    store = NULL;
done:
    store_free(store);
    return status;
}

graco_status store_create_within(struct store **out, struct store *outer)
{
    graco_status status = GRACO_OK;
    struct store *store = NULL;
    *out = NULL;
    TRY(memory_zalloc(&store, 1, sizeof *store));
    snprintf(store->inner, sizeof store->inner, "/tmp/graco-inner-XXXXXX");
    if (!mkdtemp(store->inner))
        FAIL(GRACO_ERROR_IO, "no folder for temporary files");
    snprintf(store->inside, sizeof store->inside, "%s/inner.zip", store->inner);
    TRY(archive_create(&store->archive, store->inside));
    store->outer = outer;
    *out = store;
    store = NULL;
done:
    store_free(store);
    return status;
}

graco_status store_begin(struct store *store, const char *name)
{
    graco_status status = GRACO_OK;
    char *path = NULL;
    if (store->archive)
        return archive_begin(store->archive, name);
    TRY(memory_path(&path, folder_path(store->folder), name));
    TRY(file_writer_open(&store->writer, path));
done:
    memory_free(path);
    return status;
}

graco_status store_write(struct store *store, const void *bytes, int64_t length)
{
    return store->archive ? archive_write(store->archive, bytes, length)
                          : file_writer_write(store->writer, bytes, length);
}

graco_status store_end(struct store *store)
{
    if (store->archive)
        return archive_end(store->archive);
    graco_status status = file_writer_commit(store->writer);
    file_writer_free(store->writer);
    store->writer = NULL;
    return status;
}

graco_status store_array_begin(struct store *store, const char *name, const struct array *described)
{
    char header[NPY_HEADER_MAX], file[256];
    int64_t length = 0;
    if (store->archive)
        return archive_array_begin(store->archive, name, described);
    snprintf(file, sizeof file, "%s.npy", name);
    PASS(npy_header(header, &length, described));
    PASS(store_begin(store, file));
    return store_write(store, header, length);
}

graco_status store_array(struct store *store, const char *name, const struct array *array)
{
    PASS(store_array_begin(store, name, array));
    PASS(store_write(store, array->data, array->count * array->size));
    return store_end(store);
}

graco_status store_commit(struct store *store)
{
    if (!store->archive)
        return folder_commit(store->folder);
    PASS(archive_commit(store->archive));
    if (!store->outer)
        return GRACO_OK;
    uint8_t *bytes = NULL;
    int64_t length = 0;
    PASS(file_read(&bytes, &length, store->inside, INT64_MAX));
    graco_status status = store_write(store->outer, bytes, length);
    memory_free(bytes);
    return status;
}

void store_free(struct store *store)
{
    if (!store)
        return;
    archive_free(store->archive);
    if (*store->inside)
        unlink(store->inside);
    if (*store->inner)
        rmdir(store->inner);
    file_writer_free(store->writer);
    folder_free(store->folder);
    memory_free(store);
}
