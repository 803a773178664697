#include "data/members.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static bool folder_has(const char *folder, const char *name)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && length < (int)sizeof path && file_exists(path);
}

bool members_have(const struct members *members, const char *name)
{
    return members->folder ? folder_has(members->folder, name) : npz_has(members->npz, name);
}

static graco_status missing(const struct members *members, const char *name)
{
    return status_fail(GRACO_ERROR_FORMAT, "the %s has no %s",
                       members->folder ? "folder" : "archive", name);
}

static graco_status open_mapped(struct member *member, const char *folder, const char *name)
{
    graco_status status;
    char *path = NULL, file[64];
    snprintf(file, sizeof file, "%s.npy", name);
    TRY(memory_path(&path, folder, file));
    if (!file_exists(path))
        goto done;
    TRY(npy_map_open(&member->map, path));
    member->array = &member->map.array;
done:
    memory_free(path);
    return status;
}

graco_status member_open(struct member *member, const struct members *members, const char *name)
{
    graco_status status = GRACO_OK;
    *member = (struct member){0};
    if (members->folder)
        return open_mapped(member, members->folder, name);
    if (!npz_has(members->npz, name))
        return GRACO_OK;
    status = npz_read(&member->read, members->npz, name, NPZ_LIMIT);
    if (status == GRACO_OK)
        member->array = &member->read;
    return status;
}

graco_status member_need(struct member *member, const struct members *members, const char *name)
{
    graco_status status = member_open(member, members, name);
    char file[64];
    if (status != GRACO_OK || member->array)
        return status;
    snprintf(file, sizeof file, "%s.npy", name);
    return missing(members, file);
}

void member_clear(struct member *member)
{
    npy_map_close(&member->map);
    array_clear(&member->read);
    *member = (struct member){0};
}

graco_status member_bytes_open(struct member_bytes *bytes, const struct members *members,
                               const char *name)
{
    graco_status status = GRACO_OK;
    char *path = NULL;
    *bytes = (struct member_bytes){0};
    if (!members_have(members, name)) {
        status = missing(members, name);
        goto done;
    }
    if (members->npz) {
        TRY(npz_read_bytes(&bytes->read, &bytes->length, members->npz, name, NPZ_LIMIT));
        bytes->data = bytes->read;
        goto done;
    }
    TRY(memory_path(&path, members->folder, name));
    TRY(file_map_open(&bytes->map, path));
    bytes->data = bytes->map.data;
    bytes->length = bytes->map.length;
done:
    memory_free(path);
    return status;
}

void member_bytes_clear(struct member_bytes *bytes)
{
    file_map_close(&bytes->map);
    memory_free(bytes->read);
    *bytes = (struct member_bytes){0};
}

graco_status member_archive(struct npz **out, const struct members *members, const char *name)
{
    graco_status status = GRACO_OK;
    char *path = NULL;
    *out = NULL;
    if (!members_have(members, name)) {
        status = missing(members, name);
        goto done;
    }
    if (members->npz) {
        TRY(npz_open_member(out, members->npz, name, NPZ_LIMIT));
        goto done;
    }
    TRY(memory_path(&path, members->folder, name));
    TRY(npz_open(out, path));
done:
    memory_free(path);
    return status;
}
