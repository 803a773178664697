/* A name is taken by making the file (O_EXCL) or the folder and locking it at once. Between the two
 * another process may take it for a leftover and remove it: then the next name is tried. */
#include "io/files/temporary.h"

#include "base/memory.h"
#include "io/files/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAMES_TRIED = 100, SUFFIX_ROOM = 64, PERMISSIONS = 0777 };

static const char MARK[] = ".tmp-";

/* Whether the maker may go on: false if somebody takes the new name for a leftover. */
static bool hold(int fd, const char *path)
{
    if (system_lock(fd) != 0 && errno == EWOULDBLOCK)
        return false;
    return system_same_file(fd, path);
}

/* ---- Leftovers ------------------------------------------------------------------------------- */

/* Whether `name` is `base` with a suffix of ours. */
static bool is_ours(const char *name, const char *base, size_t length)
{
    static const char digits[] = "0123456789";
    if (strncmp(name, base, length) != 0 || strncmp(name + length, MARK, sizeof MARK - 1) != 0)
        return false;
    name += length + sizeof MARK - 1;
    for (int part = 0; part < 3; part++) {
        size_t count = strspn(name, digits);
        if (count == 0 || name[count] != (part < 2 ? '-' : 0))
            return false;
        name += count + (part < 2);
    }
    return true;
}

static void empty(int folder)
{
    int copy = dup(folder);
    DIR *list = copy >= 0 ? fdopendir(copy) : NULL;
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(folder, entry->d_name, 0);
    if (list)
        closedir(list);
    else if (copy >= 0)
        close(copy);
}

/* Removes one leftover, unless its maker lives. */
static void sweep_one(int folder, const char *name)
{
    struct stat about;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return;
    if (system_lock(fd) == 0 && fstat(fd, &about) == 0) {
        bool is_folder = S_ISDIR(about.st_mode);
        if (is_folder)
            empty(fd);
        if (is_folder || S_ISREG(about.st_mode))
            unlinkat(folder, name, is_folder ? AT_REMOVEDIR : 0);
    }
    close(fd);
}

/* Removes what killed processes have left for the target `path`, which changes only meanwhile. */
static void sweep(char *path)
{
    char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t length = strlen(base);
    if (slash)
        *slash = 0;
    DIR *list = opendir(!slash ? "." : *path ? path : "/");
    if (slash)
        *slash = '/';
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (is_ours(entry->d_name, base, length))
            sweep_one(dirfd(list), entry->d_name);
    if (list)
        closedir(list);
}

/* ---- Targets --------------------------------------------------------------------------------- */

static const char *kind_of(mode_t mode)
{
    return S_ISREG(mode)    ? "a file"
           : S_ISDIR(mode)  ? "a folder"
           : S_ISFIFO(mode) ? "a pipe (FIFO)"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

/* The rename at the end replaces whatever has the target's name, so a pipe or a device would be
 * lost. `kind` is S_IFREG or S_IFDIR: what the target may be if it exists. Links are followed.
 * *about describes the target; its mode is 0 if there is none. */
static graco_status check_target(struct stat *about, const char *target, mode_t kind)
{
    if (stat(target, about) != 0)
        *about = (struct stat){0};
    if (about->st_mode == 0 || (about->st_mode & S_IFMT) == kind)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_IO, "cannot write %s: it is %s; expected %s, or a new name",
                       target, kind_of(about->st_mode), kind_of(kind));
}

/* A new file is for whom the one that it replaces was. It was opened with no more than the old
 * permissions, so it is never open to others, also where the system refuses these calls. */
static void keep_access(int fd, const struct stat *old)
{
    if (old->st_mode == 0)
        return;
    if (geteuid() == 0 && fchown(fd, old->st_uid, old->st_gid) != 0)
        return;
    (void)fchmod(fd, old->st_mode & PERMISSIONS);
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* The target without slashes at its end, with room for a suffix. */
static graco_status begin_name(char **out, size_t *length, const char *target)
{
    *length = strlen(target);
    while (*length > 1 && target[*length - 1] == '/')
        --*length;
    PASS(memory_alloc(out, (int64_t)*length + SUFFIX_ROOM, 1));
    memcpy(*out, target, *length);
    (*out)[*length] = 0;
    sweep(*out);
    return GRACO_OK;
}

graco_status temporary_sweep(const char *target)
{
    char *name = NULL;
    size_t length = 0;
    PASS(begin_name(&name, &length, target));
    memory_free(name);
    return GRACO_OK;
}

static void put_suffix(char *name, size_t length, int tries)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name + length, SUFFIX_ROOM, "%s%ld-%09ld-%d", MARK, (long)getpid(), now.tv_nsec,
             tries);
}

graco_status temporary_file(char **path, int *fd, const char *target)
{
    char *name = NULL;
    size_t length = 0;
    struct stat old;
    graco_status status = GRACO_OK;
    TRY(check_target(&old, target, S_IFREG));
    TRY(begin_name(&name, &length, target));
    mode_t mode = old.st_mode ? old.st_mode & PERMISSIONS : 0666;
    for (int tries = 0; tries < NAMES_TRIED; tries++) {
        put_suffix(name, length, tries);
        int opened = system_open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (opened < 0 && errno != EEXIST)
            break;
        if (opened >= 0 && hold(opened, name)) {
            keep_access(opened, &old);
            *fd = opened;
            *path = name;
            return GRACO_OK;
        }
        if (opened >= 0)
            close(opened);
        errno = EEXIST;
    }
    FAIL(GRACO_ERROR_IO, "cannot create %s: %s", target, strerror(errno));
done:
    memory_free(name);
    return status;
}

graco_status temporary_folder(char **path, DIR **list, const char *target)
{
    char *name = NULL;
    size_t length = 0;
    struct stat old;
    graco_status status = GRACO_OK;
    TRY(check_target(&old, target, S_IFDIR));
    TRY(begin_name(&name, &length, target));
    for (int tries = 0; tries < NAMES_TRIED; tries++) {
        put_suffix(name, length, tries);
        bool made = mkdir(name, 0777) == 0;
        if (!made && errno != EEXIST)
            break;
        DIR *opened = made ? system_list(name) : NULL;
        if (made && !opened) {
            int reason = errno;
            rmdir(name);
            errno = reason;
            break;
        }
        if (opened && hold(dirfd(opened), name)) {
            *list = opened;
            *path = name;
            return GRACO_OK;
        }
        if (opened)
            closedir(opened);
        errno = EEXIST;
    }
    FAIL(GRACO_ERROR_IO, "cannot make the folder %s: %s", target, strerror(errno));
done:
    memory_free(name);
    return status;
}
