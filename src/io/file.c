#include "io/file.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { WRITER_BUFFER = 1 << 18, TEMPORARY_TRIES = 100, PIECE_MAX = 1 << 30 };

static graco_status fail_errno(const char *verb, const char *path)
{
    return status_fail(GRACO_ERROR_IO, "cannot %s %s: %s", verb, path, strerror(errno));
}

/* Opens a regular file and finds its length; on failure *fd is -1. */
static graco_status open_regular(int *fd, int64_t *length, const char *path)
{
    graco_status status = GRACO_OK;
    struct stat about;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0)
        return fail_errno("open", path);
    if (fstat(*fd, &about) != 0)
        status = fail_errno("examine", path);
    else if (S_ISDIR(about.st_mode))
        status = status_fail(GRACO_ERROR_IO, "cannot read %s: it is a folder, not a file", path);
    else if (!S_ISREG(about.st_mode))
        status = status_fail(GRACO_ERROR_IO, "cannot read %s: it is not a regular file", path);
    if (status != GRACO_OK) {
        close(*fd);
        *fd = -1;
        return status;
    }
    *length = about.st_size;
    return GRACO_OK;
}

/* Reads exactly `size` bytes. */
static graco_status read_all(int fd, uint8_t *block, int64_t size, const char *path)
{
    int64_t got = 0;
    while (got < size) {
        int64_t left = size - got;
        ssize_t step = read(fd, block + got, (size_t)(left < PIECE_MAX ? left : PIECE_MAX));
        if (step < 0 && errno == EINTR)
            continue;
        if (step < 0)
            return fail_errno("read", path);
        if (step == 0)
            return status_fail(GRACO_ERROR_IO, "%s ended after %lld of %lld bytes", path,
                               (long long)got, (long long)size);
        got += step;
    }
    return GRACO_OK;
}

graco_status file_read(uint8_t **out, int64_t *length, const char *path, int64_t limit)
{
    uint8_t *block = NULL;
    int fd = -1;
    int64_t size = 0;
    graco_status status = GRACO_OK;
    *out = NULL;
    TRY(open_regular(&fd, &size, path));
    if (size > limit)
        FAIL(GRACO_ERROR_FORMAT, "%s has %lld bytes, at most %lld are accepted", path,
             (long long)size, (long long)limit);
    TRY(memory_alloc(&block, size + 1, 1));
    TRY(read_all(fd, block, size, path));
    block[size] = 0;
    *out = block;
    *length = size;
    block = NULL;
done:
    if (fd >= 0)
        close(fd);
    memory_free(block);
    return status;
}

graco_status file_head(void *out, int64_t *length, const char *path, int64_t room)
{
    int fd = -1;
    int64_t size = 0;
    graco_status status = open_regular(&fd, &size, path);
    if (status != GRACO_OK)
        return status;
    size = size < room ? size : room;
    status = read_all(fd, out, size, path);
    if (status == GRACO_OK)
        *length = size;
    close(fd);
    return status;
}

graco_status file_map_open(struct file_map *out, const char *path)
{
    int fd = -1;
    int64_t length = 0;
    graco_status status = GRACO_OK;
    *out = (struct file_map){0};
    TRY(open_regular(&fd, &length, path));
    if (length == 0) { /* mmap refuses length 0 */
        out->data = (const uint8_t *)"";
        goto done;
    }
    void *data = mmap(NULL, (size_t)length, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) {
        status = fail_errno("map", path);
        goto done;
    }
    out->data = data;
    out->length = length;
    out->watch = fd + 1;
    fd = -1;
done:
    if (fd >= 0)
        close(fd);
    return status;
}

graco_status file_map_check(const struct file_map *map, const char *path)
{
    struct stat about;
    if (map->watch == 0)
        return GRACO_OK;
    if (fstat(map->watch - 1, &about) != 0)
        return fail_errno("examine", path);
    if (about.st_size < map->length)
        return status_fail(GRACO_ERROR_IO,
                           "%s has shrunk from %lld to %lld bytes while it was in use", path,
                           (long long)map->length, (long long)about.st_size);
    return GRACO_OK;
}

void file_map_close(struct file_map *map)
{
    if (!map)
        return;
    if (map->length > 0) {
        void *data;
        memcpy(&data, &map->data, sizeof data); /* munmap wants the pointer without const */
        munmap(data, (size_t)map->length);
    }
    if (map->watch > 0)
        close(map->watch - 1);
    *map = (struct file_map){0};
}

struct file_writer {
    char *path, *temporary, *folder;
    int fd;
    bool failed, committed;
    int64_t used;
    uint8_t *buffer; /* (WRITER_BUFFER) */
};

/* The folder part of a path, "." if it has none. */
static graco_status folder_of(char **out, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return memory_string(out, ".");
    graco_status status = memory_string(out, path);
    if (status == GRACO_OK)
        (*out)[slash == path ? 1 : slash - path] = 0;
    return status;
}

/* Creates a new file beside the target. O_EXCL makes sure that it is nobody else's. */
static graco_status open_temporary(struct file_writer *writer)
{
    size_t room = strlen(writer->path) + 64;
    graco_status status = memory_alloc(&writer->temporary, (int64_t)room, 1);
    if (status != GRACO_OK)
        return status;
    for (int tries = 0; tries < TEMPORARY_TRIES; tries++) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        snprintf(writer->temporary, room, "%s.tmp-%ld-%09ld-%d", writer->path, (long)getpid(),
                 now.tv_nsec, tries);
        writer->fd = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (writer->fd >= 0)
            return GRACO_OK;
        if (errno != EEXIST)
            break;
    }
    return fail_errno("create", writer->temporary);
}

graco_status file_writer_open(struct file_writer **out, const char *path)
{
    struct file_writer *writer = NULL;
    graco_status status = GRACO_OK;
    *out = NULL;
    TRY(memory_zalloc(&writer, 1, sizeof *writer));
    writer->fd = -1;
    if (path[0] == 0 || path[strlen(path) - 1] == '/' || file_is_folder(path))
        FAIL(GRACO_ERROR_IO, "cannot write \"%s\": it names a folder, a file name is needed", path);
    TRY(memory_string(&writer->path, path));
    TRY(folder_of(&writer->folder, path));
    TRY(memory_alloc(&writer->buffer, WRITER_BUFFER, 1));
    TRY(open_temporary(writer));
    *out = writer;
    writer = NULL;
done:
    file_writer_free(writer);
    return status;
}

static graco_status write_all(struct file_writer *writer, const uint8_t *bytes, int64_t length)
{
    while (length > 0) {
        ssize_t put = write(writer->fd, bytes, (size_t)(length < PIECE_MAX ? length : PIECE_MAX));
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0) {
            writer->failed = true;
            return fail_errno("write", writer->temporary);
        }
        bytes += put;
        length -= put;
    }
    return GRACO_OK;
}

static graco_status writer_flush(struct file_writer *writer)
{
    int64_t used = writer->used;
    writer->used = 0;
    return write_all(writer, writer->buffer, used);
}

static graco_status writer_usable(const struct file_writer *writer)
{
    if (writer->failed)
        return status_fail(GRACO_ERROR_IO, "cannot write %s: an earlier write failed",
                           writer->path);
    if (writer->committed)
        return status_fail(GRACO_ERROR_ARGUMENT, "%s is complete, nothing can be added",
                           writer->path);
    return GRACO_OK;
}

graco_status file_writer_write(struct file_writer *writer, const void *bytes, int64_t length)
{
    graco_status status = writer_usable(writer);
    if (status != GRACO_OK || length <= 0)
        return status;
    if (writer->used + length > WRITER_BUFFER)
        status = writer_flush(writer);
    if (status != GRACO_OK)
        return status;
    if (length >= WRITER_BUFFER)
        return write_all(writer, bytes, length);
    memcpy(writer->buffer + writer->used, bytes, (size_t)length);
    writer->used += length;
    return GRACO_OK;
}

/* The rename lasts only once the folder that holds the name is on the disk. Some file systems
 * cannot sync a folder and say EINVAL: they have nothing to sync. */
static graco_status sync_folder(const char *folder)
{
    graco_status status = GRACO_OK;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno("open", folder);
    if (fsync(fd) != 0 && errno != EINVAL)
        status = fail_errno("sync", folder);
    close(fd);
    return status;
}

graco_status file_writer_commit(struct file_writer *writer)
{
    graco_status status = GRACO_OK;
    TRY(writer_usable(writer));
    TRY(writer_flush(writer));
    if (fsync(writer->fd) != 0) {
        status = fail_errno("sync", writer->temporary);
        goto done;
    }
    int closed = close(writer->fd);
    writer->fd = -1;
    if (closed != 0) {
        status = fail_errno("close", writer->temporary);
        goto done;
    }
    if (rename(writer->temporary, writer->path) != 0) {
        status = fail_errno("rename to", writer->path);
        goto done;
    }
    writer->committed = true;
    TRY(sync_folder(writer->folder));
done:
    if (status != GRACO_OK)
        writer->failed = true;
    return status;
}

void file_writer_free(struct file_writer *writer)
{
    if (!writer)
        return;
    bool created = writer->fd >= 0 || writer->failed;
    if (writer->fd >= 0)
        close(writer->fd);
    if (created && writer->temporary && !writer->committed)
        unlink(writer->temporary);
    memory_free(writer->path);
    memory_free(writer->temporary);
    memory_free(writer->folder);
    memory_free(writer->buffer);
    memory_free(writer);
}

graco_status file_write_atomic(const char *path, const void *bytes, int64_t length)
{
    struct file_writer *writer = NULL;
    graco_status status = GRACO_OK;
    TRY(file_writer_open(&writer, path));
    TRY(file_writer_write(writer, bytes, length));
    TRY(file_writer_commit(writer));
done:
    file_writer_free(writer);
    return status;
}

bool file_exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

bool file_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

graco_status file_make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && file_is_folder(path)))
        return GRACO_OK;
    return fail_errno("make folder", path);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static graco_status add_name(struct file_list *list, int64_t *room, const char *name)
{
    if (list->count == *room) {
        int64_t more = *room > 0 ? 2 * *room : 16;
        graco_status status = memory_grow(&list->names, *room, more, sizeof *list->names);
        if (status != GRACO_OK)
            return status;
        *room = more;
    }
    graco_status status = memory_string(&list->names[list->count], name);
    list->count += status == GRACO_OK;
    return status;
}

graco_status file_list_folder(struct file_list *out, const char *path)
{
    struct file_list list = {0};
    int64_t room = 0;
    graco_status status = GRACO_OK;
    *out = (struct file_list){0};
    DIR *folder = opendir(path);
    if (!folder)
        return fail_errno("list", path);
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(folder);
        if (!entry && errno != 0) {
            status = fail_errno("list", path);
            goto done;
        }
        if (!entry)
            break;
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            TRY(add_name(&list, &room, entry->d_name));
    }
    if (list.count > 0)
        qsort(list.names, (size_t)list.count, sizeof *list.names, compare_names);
    *out = list;
    list = (struct file_list){0};
done:
    closedir(folder);
    file_list_clear(&list);
    return status;
}

void file_list_clear(struct file_list *list)
{
    if (!list)
        return;
    for (int64_t i = 0; i < list->count; i++)
        memory_free(list->names[i]);
    memory_free(list->names);
    *list = (struct file_list){0};
}
