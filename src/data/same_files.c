/* A hash of each file: of its length, its first bytes, where the type and the shape stand, and of what stands
 * at fixed places, one in each of equally long stretches. Two stretches side by side that differ throughout
 * are always noticed. A file that is not there has the hash 0, so that a rank which lacks one differs from
 * a rank that has it. */
#include "data/same_files.h"

#include "base/memory.h"
#include "base/share.h"
#include "data/fingerprint.h"

enum {
    PLACES = 1024,         /* that are looked at, ... */
    PIECE = 64,            /* ... and bytes at each: at least 7 whole items */
    HEAD = PLACES * PIECE, /* bytes: a file that is no longer is compared whole */
};

static graco_status hash_places(uint64_t *hash, const char *path, int64_t length)
{
    int64_t at[PLACES], room = length / PLACES - PIECE + 1;
    uint8_t *pieces = NULL;
    graco_status status = GRACO_OK;
    for (int64_t k = 0; k < PLACES; k++) {
        uint64_t drawn = (uint64_t)(k + 1) * 0x9E3779B97F4A7C15u >> 32; /* not at even distances */
        at[k] = share_begin(length, k, PLACES) + (int64_t)(drawn % (uint64_t)room);
    }
    TRY(memory_alloc(&pieces, PLACES, PIECE));
    TRY(file_read_pieces(pieces, path, at, PLACES, PIECE));
    *hash = fingerprint_bytes(*hash, pieces, (int64_t)PLACES * PIECE);
done:
    memory_free(pieces);
    return status;
}

static graco_status hash_file(uint64_t *hash, const char *path)
{
    struct file_map head;
    PASS(file_map_open_part(&head, path, 0, HEAD));
    int64_t length = head.all;
    *hash = fingerprint_bytes(1, (const uint8_t *)&length, sizeof length);
    *hash = fingerprint_bytes(*hash, head.data, head.length);
    file_map_close(&head);
    if (length > HEAD)
        PASS(hash_places(hash, path, length));
    *hash += *hash == 0; /* which is that of no file */
    return GRACO_OK;
}

static graco_status hash_files(uint64_t *hashes, const struct members *members,
                               const struct same_file *files, int count)
{
    char *path = NULL;
    graco_status status = GRACO_OK;
    for (int i = 0; i < count; i++) {
        if (!files[i].read || !members_have(members, files[i].name))
            continue;
        TRY(memory_path(&path, members->folder, files[i].name));
        TRY(hash_file(&hashes[i], path));
        memory_free(path);
        path = NULL;
    }
done:
    memory_free(path);
    return status;
}

static graco_status compare(const uint64_t *own, const uint64_t *first,
                            const struct same_file *files, int count)
{
    static const char *const same = "expected the same files on every rank";
    for (int i = 0; i < count; i++) {
        const char *name = files[i].name;
        if (own[i] == first[i])
            continue;
        if (own[i] == 0)
            return status_fail(GRACO_ERROR_ARGUMENT, "it reads no %s, and rank 0 does: %s", name,
                               same);
        if (first[i] == 0)
            return status_fail(GRACO_ERROR_ARGUMENT, "it reads %s, and rank 0 does not: %s", name,
                               same);
        return status_fail(GRACO_ERROR_ARGUMENT, "its %s is another than that of rank 0: %s", name,
                           same);
    }
    return GRACO_OK;
}

graco_status same_files(struct comm *comm, const struct members *members,
                        const struct same_file *files, int count)
{
    uint64_t own[SAME_FILES_MOST] = {0}, first[SAME_FILES_MOST];
    PASS(comm_agree(comm, hash_files(own, members, files, count)));
    for (int i = 0; i < SAME_FILES_MOST; i++)
        first[i] = own[i];
    PASS(comm_broadcast(comm, first, sizeof first));
    return comm_agree(comm, compare(own, first, files, count));
}
