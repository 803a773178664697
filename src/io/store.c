/* A store sends bytes on to a file of a folder or to an archive, whose own bytes go to a file or
 * into a member of another store. */
#include "io/store.h"

#include "base/memory.h"
#include "io/files/file.h"
#include "io/files/folder.h"
#include "io/npy.h"
#include "io/zip/archive.h"

#include <string.h>

/* One of three: a folder with a file under way, an archive in a file, an archive in a member. */
struct store {
    struct folder *folder;
    struct file_writer *writer; /* of a folder's file, or of the whole archive */
    struct archive *archive;
    struct store *outer; /* borrowed */
};

static graco_status to_file(void *user, const void *bytes, int64_t length)
{
    return file_writer_write(user, bytes, length);
}

static graco_status to_member(void *user, const void *bytes, int64_t length)
{
    return store_write(user, bytes, length);
}

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
        TRY(file_writer_open(&store->writer, path));
        TRY(archive_create(&store->archive, to_file, store->writer));
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
    TRY(archive_create(&store->archive, to_member, outer));
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
    graco_status status = GRACO_OK;
    char header[NPY_HEADER_MAX], *member = NULL;
    int64_t length = 0, size = (int64_t)strlen(name);
    TRY(memory_alloc(&member, size + 5, 1));
    memcpy(member, name, (size_t)size);
    memcpy(member + size, ".npy", 5);
    TRY(npy_header(header, &length, described));
    TRY(store_begin(store, member));
    TRY(store_write(store, header, length));
done:
    memory_free(member);
    return status;
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
    PASS(archive_finish(store->archive));
    return store->writer ? file_writer_commit(store->writer) : GRACO_OK;
}

void store_free(struct store *store)
{
    if (!store)
        return;
    archive_free(store->archive);
    file_writer_free(store->writer);
    folder_free(store->folder);
    memory_free(store);
}
