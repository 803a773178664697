/* Files. Only regular ones are read: opening a pipe could wait for ever. What is written goes to a
 * temporary file, which a rename puts in place when it is whole and on the disk. */
#include "io/files/file.h"

#include "graco_command.h"
#include "base/memory.h"
#include "io/files/system.h"
#include "io/files/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WRITER_BUFFER = 1 << 18 };

static graco_status fail_errno(const char *verb, const char *path)
{
    return status_fail(GRACO_ERROR_IO, "cannot %s %s: %s", verb, path, strerror(errno));
}

/* Opens a regular file and finds its length; on failure *fd is -1. */
static graco_status open_regular(int *fd, int64_t *length, const char *path)
{
    graco_status status = GRACO_OK;
    struct stat about;
    *fd = system_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
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
    int64_t got = system_read(fd, block, (size_t)size);
    if (got < 0)
        TRY(fail_errno("read", path));
    if (got < size)
        FAIL(GRACO_ERROR_IO, "%s ended after %lld of %lld bytes", path, (long long)got,
             (long long)size);
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

graco_status file_head(uint8_t *out, int64_t *length, const char *path, int64_t room)
{
    int fd = -1;
    int64_t size = 0;
    PASS(open_regular(&fd, &size, path));
    int64_t got = system_read(fd, out, (size_t)room);
    graco_status status = got < 0 ? fail_errno("read", path) : GRACO_OK;
    if (got >= 0)
        *length = got;
    close(fd);
    return status;
}

graco_status file_read_pieces(uint8_t *out, const char *path, const int64_t *at, int64_t count,
                              int64_t bytes)
{
    int fd = -1;
    int64_t size = 0;
    graco_status status = GRACO_OK;
    TRY(open_regular(&fd, &size, path));
    for (int64_t i = 0; i < count; i++) {
        int64_t got = -1;
        if (lseek(fd, (off_t)at[i], SEEK_SET) >= 0)
            got = system_read(fd, out + i * bytes, (size_t)bytes);
        if (got < 0)
            TRY(fail_errno("read", path));
        if (got < bytes)
            FAIL(GRACO_ERROR_IO, "%s ends before byte %lld", path, (long long)(at[i] + bytes));
    }
done:
    if (fd >= 0)
        close(fd);
    return status;
}

/* Bytes between the beginning of a page, where a map begins, and byte `before` of the file. */
static int64_t into_page(int64_t before)
{
    return before % sysconf(_SC_PAGESIZE);
}

graco_status file_map_open(struct file_map *out, const char *path)
{
    return file_map_open_part(out, path, 0, INT64_MAX);
}

graco_status file_map_open_part(struct file_map *out, const char *path, int64_t before,
                                int64_t length)
{
    int fd = -1;
    int64_t all = 0, skipped = into_page(before);
    graco_status status = GRACO_OK;
    *out = (struct file_map){0};
    TRY(open_regular(&fd, &all, path));
    before = before < all ? before : all;
    length = length < all - before ? length : all - before;
    if (length == 0) { /* mmap refuses length 0 */
        out->data = (const uint8_t *)"";
        goto done;
    }
    uint8_t *data = mmap(NULL, (size_t)(length + skipped), PROT_READ, MAP_PRIVATE, fd,
                         (off_t)(before - skipped));
    if (data == MAP_FAILED)
        TRY(fail_errno("map", path));
    *out = (struct file_map){data + skipped, length, before, all, fd + 1};
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
    if (about.st_size < map->all)
        return status_fail(GRACO_ERROR_IO,
                           "%s has shrunk from %lld to %lld bytes while it was in use", path,
                           (long long)map->all, (long long)about.st_size);
    return GRACO_OK;
}

void file_map_close(struct file_map *map)
{
    if (!map)
        return;
    if (map->length > 0) {
        char *data;
        int64_t skipped = into_page(map->before);
        memcpy(&data, &map->data, sizeof data); /* munmap wants the pointer without const */
        munmap(data - skipped, (size_t)(map->length + skipped));
    }
    if (map->watch > 0)
        close(map->watch - 1);
    *map = (struct file_map){0};
}

graco_status file_map_end(struct file_map *map, graco_status status, const char *path)
{
    file_map_close(map);
    return status == GRACO_OK ? GRACO_OK : status_context(status, "%s", path);
}

struct file_writer {
    char *path, *temporary, *folder;
    int fd;
    bool failed, committed;
    int64_t used;
    uint8_t *buffer; /* (WRITER_BUFFER) */
};

graco_status file_parent(char **out, const char *path)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    while (end > 0 && path[end - 1] != '/')
        end--;
    if (end == 0)
        return memory_string(out, ".");
    PASS(memory_string(out, path));
    (*out)[end > 1 ? end - 1 : 1] = 0;
    return GRACO_OK;
}

graco_status file_seen_from(char **out, const char *path, const char *folder)
{
    char there[PATH_MAX], here[PATH_MAX];
    int64_t common = 0, up = 0, i = 0;
    if (!realpath(path, there) || !realpath(folder, here))
        return GRACO_OK;
    there[strcmp(there, "/") == 0 ? 0 : strlen(there)] = '\0';
    here[strcmp(here, "/") == 0 ? 0 : strlen(here)] = '\0';
    for (; here[i] && here[i] == there[i]; i++)
        common = here[i] == '/' ? i : common;
    common = strchr("/", here[i]) && strchr("/", there[i]) ? i : common; /* the NUL is found too */
    for (const char *at = here + common; *at; at++)
        up += *at == '/';
    const char *rest = there + common + (there[common] == '/');
    PASS(memory_alloc(out, 3 * up + (int64_t)strlen(rest) + 2, 1));
    for (int64_t u = 0; u < up; u++)
        memcpy(*out + 3 * u, "../", 3);
    strcpy(*out + 3 * up, up == 0 && !*rest ? "." : rest);
    return GRACO_OK;
}

/* The name of the file that a write to `path` replaces: where it leads, if it is a link to a file. What
 * else exists, temporary_file refuses. */
static graco_status follow_links(char **out, const char *path)
{
    char resolved[PATH_MAX];
    struct stat link, about;
    bool exists = stat(path, &about) == 0;
    if (lstat(path, &link) != 0 || !S_ISLNK(link.st_mode) || (exists && !S_ISREG(about.st_mode)))
        return memory_string(out, path);
    if (!realpath(path, resolved))
        return status_fail(GRACO_ERROR_IO,
                           "cannot write %s: it is a link that leads nowhere; expected a file, or "
                           "a new name",
                           path);
    return memory_string(out, resolved);
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
    TRY(follow_links(&writer->path, path));
    TRY(file_parent(&writer->folder, writer->path));
    TRY(memory_alloc(&writer->buffer, WRITER_BUFFER, 1));
    TRY(temporary_file(&writer->temporary, &writer->fd, writer->path));
    *out = writer;
    writer = NULL;
done:
    file_writer_free(writer);
    return status;
}

static graco_status write_all(struct file_writer *writer, const uint8_t *bytes, int64_t length)
{
    if (system_write(writer->fd, bytes, (size_t)length))
        return GRACO_OK;
    writer->failed = true;
    return fail_errno("write", writer->path);
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
    PASS(writer_usable(writer));
    if (length <= 0)
        return GRACO_OK;
    if (writer->used + length > WRITER_BUFFER)
        PASS(writer_flush(writer));
    if (length >= WRITER_BUFFER)
        return write_all(writer, bytes, length);
    memcpy(writer->buffer + writer->used, bytes, (size_t)length);
    writer->used += length;
    return GRACO_OK;
}

graco_status file_sync_folder(const char *folder)
{
    int fd = system_open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0 && errno == EACCES)
        return GRACO_OK;
    if (fd < 0)
        return fail_errno("open", folder);
    graco_status status = system_sync(fd) == 0 ? GRACO_OK : fail_errno("sync", folder);
    close(fd);
    return status;
}

graco_status file_writer_sync(struct file_writer *writer)
{
    PASS(writer_usable(writer));
    PASS(writer_flush(writer));
    return system_sync(writer->fd) == 0 ? GRACO_OK : fail_errno("sync", writer->path);
}

/* The file stays open, and so locked, until it has its name: nobody may take it for a leftover. */
graco_status file_writer_commit(struct file_writer *writer)
{
    graco_status status = GRACO_OK;
    TRY(file_writer_sync(writer));
    if (rename(writer->temporary, writer->path) != 0)
        TRY(fail_errno("rename to", writer->path));
    writer->committed = true;
    int closed = system_close(writer->fd);
    writer->fd = -1;
    if (closed != 0)
        TRY(fail_errno("close", writer->path));
    TRY(file_sync_folder(writer->folder));
done:
    if (status != GRACO_OK)
        writer->failed = true;
    return status;
}

void file_writer_free(struct file_writer *writer)
{
    if (!writer)
        return;
    if (writer->temporary && !writer->committed)
        unlink(writer->temporary);
    if (writer->fd >= 0)
        close(writer->fd);
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

graco_status file_write_text(const char *path, const struct text *text)
{
    PASS(text->status);
    return file_write_atomic(path, text_words(text), text->length);
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

graco_status file_remove(const char *path)
{
    struct stat about;
    if (lstat(path, &about) != 0)
        return errno == ENOENT ? GRACO_OK : fail_errno("examine", path);
    if (!S_ISREG(about.st_mode) && !S_ISLNK(about.st_mode))
        return status_fail(GRACO_ERROR_IO, "%s is no file: expected one, or nothing of that name",
                           path);
    return unlink(path) == 0 || errno == ENOENT ? GRACO_OK : fail_errno("remove", path);
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
        PASS(memory_grow(&list->names, *room, more, sizeof *list->names));
        *room = more;
    }
    PASS(memory_string(&list->names[list->count], name));
    list->count++;
    return GRACO_OK;
}

graco_status file_list_folder(struct file_list *out, const char *path)
{
    int64_t room = 0;
    graco_status status = GRACO_OK;
    *out = (struct file_list){0};
    DIR *folder = system_list(path);
    if (!folder)
        return fail_errno("list", path);
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(folder);
        if (!entry && errno != 0)
            TRY(fail_errno("list", path));
        if (!entry)
            break;
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            TRY(add_name(out, &room, entry->d_name));
    }
    if (out->count > 0)
        qsort(out->names, (size_t)out->count, sizeof *out->names, compare_names);
done:
    closedir(folder);
    if (status != GRACO_OK)
        file_list_clear(out);
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

graco_status graco_file_save(const char *path, const void *bytes, int64_t length)
{
    return file_write_atomic(path, bytes, length);
}
