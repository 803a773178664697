/* The folder has a temporary name until the commit renames it; without a commit it is removed with
 * its files. It is open for listing from the start: cleaning up must work where no descriptor is
 * left. */
#include "io/files/folder.h"

#include "base/memory.h"
#include "io/files/file.h"
#include "io/files/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct folder {
    char *path;   /* the temporary one's */
    char *target; /* without slashes at its end */
    char *parent;
    DIR *list; /* of `path` */
    bool committed;
};

graco_status folder_begin(struct folder **out, const char *target)
{
    graco_status status = GRACO_OK;
    struct folder *folder = NULL;
    *out = NULL;
    TRY(memory_zalloc(&folder, 1, sizeof *folder));
    TRY(memory_string(&folder->target, target));
    for (size_t last = strlen(target); last > 1 && folder->target[last - 1] == '/'; last--)
        folder->target[last - 1] = 0;
    TRY(file_parent(&folder->parent, folder->target));
    TRY(temporary_folder(&folder->path, &folder->list, folder->target));
    *out = folder;
    folder = NULL;
done:
    folder_free(folder);
    return status;
}

const char *folder_path(const struct folder *folder)
{
    return folder->path;
}

graco_status folder_commit(struct folder *folder)
{
    if (rename(folder->path, folder->target) != 0)
        return status_fail(
            GRACO_ERROR_IO,
            "%s: the folder cannot be put in place: %s (an existing one must be empty)",
            folder->target, strerror(errno));
    graco_status status = file_sync_folder(folder->parent);
    /* The caller may try again, but not where the target exists: so the folder is renamed back, and
     * removed by folder_free. */
    folder->committed = status == GRACO_OK || rename(folder->target, folder->path) != 0;
    return status;
}

static void discard(struct folder *folder)
{
    rewinddir(folder->list);
    for (struct dirent *entry; (entry = readdir(folder->list));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(folder->list), entry->d_name, 0);
    rmdir(folder->path);
}

void folder_free(struct folder *folder)
{
    if (!folder)
        return;
    if (folder->list && !folder->committed)
        discard(folder);
    if (folder->list)
        closedir(folder->list);
    memory_free(folder->path);
    memory_free(folder->target);
    memory_free(folder->parent);
    memory_free(folder);
}
