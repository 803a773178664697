/* Loops around single calls of the system. */
#define _DEFAULT_SOURCE /* flock, getentropy */

#include "io/files/system.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE_MAX = 1 << 30 };

int system_open(const char *path, int flags, mode_t mode)
{
    int fd;
    do
        fd = open(path, flags, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

DIR *system_list(const char *path)
{
    DIR *list;
    do
        list = opendir(path);
    while (!list && errno == EINTR);
    return list;
}

bool system_write(int fd, const void *bytes, size_t length)
{
    const char *at = bytes;
    while (length > 0) {
        ssize_t put = write(fd, at, length < PIECE_MAX ? length : PIECE_MAX);
        if (put < 0 && errno != EINTR)
            return false;
        if (put > 0) {
            at += put;
            length -= (size_t)put;
        }
    }
    return true;
}

ssize_t system_read(int fd, void *bytes, size_t length)
{
    char *at = bytes;
    size_t got = 0;
    while (got < length) {
        size_t left = length - got;
        ssize_t step = read(fd, at + got, left < PIECE_MAX ? left : PIECE_MAX);
        if (step == 0)
            break;
        if (step < 0 && errno != EINTR)
            return -1;
        if (step > 0)
            got += (size_t)step;
    }
    return (ssize_t)got;
}

int system_sync(int fd)
{
    int code;
    do
        code = fsync(fd);
    while (code != 0 && errno == EINTR);
    return code != 0 && errno == EINVAL ? 0 : code;
}

int system_close(int fd)
{
    int code = close(fd);
    return code != 0 && errno == EINTR ? 0 : code;
}

static int lock(int fd, int kind)
{
    int code;
    do
        code = flock(fd, kind | LOCK_NB);
    while (code != 0 && errno == EINTR);
    return code;
}

int system_lock(int fd)
{
    return lock(fd, LOCK_EX);
}

int system_lock_shared(int fd)
{
    return lock(fd, LOCK_SH);
}

bool system_same_file(int fd, const char *path)
{
    struct stat held, named;
    return fstat(fd, &held) == 0 && lstat(path, &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
}

int system_random(void *bytes, size_t length)
{
    return getentropy(bytes, length);
}
