#include "io/folder.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_TRIED = 1000 };

/* The length of a path without slashes at its end. */
static size_t path_length(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return length;
}

graco_status folder_begin(char **temporary, const char *target)
{
    graco_status status;
    size_t length = path_length(target), size = length + 48;
    char *name = NULL;
    TRY(memory_alloc(&name, (int64_t)size, 1));
    for (int i = 0; i < NAMES_TRIED; i++) {
        snprintf(name, size, "%.*s.%ld.%d.tmp", (int)length, target, (long)getpid(), i);
        if (mkdir(name, 0777) == 0) {
            *temporary = name;
            name = NULL;
            goto done;
        }
        if (errno != EEXIST)
            break;
    }
    FAIL(GRACO_ERROR_IO, "%s: the folder cannot be made: %s", name, strerror(errno));
done:
    memory_free(name);
    return status;
}

/* The rename is durable once the folder around it is synced. */
static void sync_parent(char *path)
{
    char *slash = strrchr(path, '/'), kept = 0;
    if (slash) {
        slash += slash == path;
        kept = *slash;
        *slash = 0;
    }
    int descriptor = open(slash ? path : ".", O_RDONLY | O_DIRECTORY);
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
    if (slash)
        *slash = kept;
}

graco_status folder_commit(const char *temporary, const char *target)
{
    graco_status status;
    char *path = NULL;
    TRY(memory_string(&path, target));
    path[path_length(path)] = 0;
    if (rename(temporary, path) != 0)
        FAIL(GRACO_ERROR_IO,
             "%s: the folder cannot be put in place: %s (an existing one must be empty)", path,
             strerror(errno));
    sync_parent(path);
done:
    memory_free(path);
    return status;
}

void folder_discard(const char *temporary)
{
    DIR *folder = temporary ? opendir(temporary) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder)
        closedir(folder);
    if (temporary)
        rmdir(temporary);
}
