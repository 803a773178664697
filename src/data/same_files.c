/* A hash of each file's description and of what stands in it at fixed places: one in each of equally long
 * stretches, so that two stretches side by side that differ throughout are always noticed. */
#include "data/same_files.h"

#include "base/memory.h"
#include "data/fingerprint.h"

enum {
    PLACES = 1024, /* that are looked at, ... */
    ITEMS = 16,    /* ... and items at each: less than a page, which is what reading one costs */
};

static graco_status hash_part(uint64_t *hash, const char *path, int64_t first, int64_t count)
{
    struct npy_map map = {0};
    graco_status status = GRACO_OK;
    TRY(npy_map_part(&map, path, first, count));
    *hash = fingerprint_bytes(*hash, map.array.data, count * map.array.size);
done:
    npy_map_close(&map);
    return status;
}

static graco_status hash_file(uint64_t *hash, const char *path)
{
    struct array file;
    bool plain;
    PASS(npy_describe(&file, &plain, path));
    int64_t head[3] = {file.type, file.ndim, file.size};
    *hash = fingerprint_bytes(1, (const uint8_t *)head, sizeof head);
    *hash = fingerprint_bytes(*hash, (const uint8_t *)file.shape,
                              file.ndim * (int64_t)sizeof *file.shape);
    if (file.count <= PLACES * ITEMS)
        return hash_part(hash, path, 0, file.count);
    for (int64_t k = 0; k < PLACES; k++) {
        int64_t begin = file.count / PLACES * k, room = file.count / PLACES - ITEMS + 1;
        uint64_t drawn = (uint64_t)(k + 1) * 0x9E3779B97F4A7C15u >> 32; /* not at even distances */
        PASS(hash_part(hash, path, begin + (int64_t)(drawn % (uint64_t)room), ITEMS));
    }
    return GRACO_OK;
}

static graco_status hash_files(uint64_t *hashes, const struct members *members,
                               const char *const *names, int count)
{
    char *path = NULL;
    graco_status status = GRACO_OK;
    for (int i = 0; i < count; i++) {
        TRY(memory_path(&path, members->folder, names[i]));
        TRY(hash_file(&hashes[i], path));
        memory_free(path);
        path = NULL;
    }
done:
    memory_free(path);
    return status;
}

static graco_status compare(const uint64_t *own, const uint64_t *first, const char *const *names,
                            int count)
{
    for (int i = 0; i < count; i++)
        if (own[i] != first[i])
            return status_fail(GRACO_ERROR_ARGUMENT,
                               "its %s is another than that of rank 0: expected the same files on "
                               "every rank",
                               names[i]);
    return GRACO_OK;
}

graco_status same_files(struct comm *comm, const struct members *members, const char *const *names,
                        int count)
{
    uint64_t own[SAME_FILES_MOST] = {0}, first[SAME_FILES_MOST];
    PASS(comm_agree(comm, hash_files(own, members, names, count)));
    for (int i = 0; i < SAME_FILES_MOST; i++)
        first[i] = own[i];
    PASS(comm_broadcast(comm, first, sizeof first));
    return comm_agree(comm, compare(own, first, names, count));
}
