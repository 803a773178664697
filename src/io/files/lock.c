/* The lock is the kernel's (flock), on a file of its own, which its holder removes in the end. So
 * whoever gets it looks whether the path still names the locked file, and tries again if not. */
#include "io/files/lock.h"

#include "base/memory.h"
#include "io/files/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 100 };

struct lock {
    char *path;
    int fd;
};

static graco_status fail_busy(int fd, const char *what)
{
    char text[24] = "";
    ssize_t length = system_read(fd, text, sizeof text - 1);
    long process = length > 0 ? strtol(text, NULL, 10) : 0;
    if (process > 0)
        return status_fail(GRACO_ERROR_IO,
                           "%s is in use by process %ld; expected a folder that no other "
                           "training writes into",
                           what, process);
    return status_fail(GRACO_ERROR_IO,
                       "%s is in use by another process; expected a folder that no other "
                       "training writes into",
                       what);
}

/* Who holds it, for the message to others; without it that message only says less. */
static void write_process(int fd)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) == 0)
        (void)system_write(fd, text, (size_t)length);
}

/* One try: *fd is the lock, or -1 if the file went away meanwhile. */
static graco_status try_take(int *fd, const char *path, const char *what)
{
    graco_status status = GRACO_OK;
    int opened = system_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    *fd = -1;
    if (opened < 0)
        FAIL(GRACO_ERROR_IO, "cannot open the lock %s: %s", path, strerror(errno));
    if (system_lock(opened) != 0 && errno != ENOSYS && errno != EOPNOTSUPP) {
        if (errno == EWOULDBLOCK)
            status = fail_busy(opened, what);
        else
            status =
                status_fail(GRACO_ERROR_IO, "cannot take the lock %s: %s", path, strerror(errno));
        goto done;
    }
    if (system_same_file(opened, path)) {
        write_process(opened);
        *fd = opened;
        opened = -1;
    }
done:
    if (opened >= 0)
        close(opened);
    return status;
}

graco_status lock_take(struct lock **out, const char *path, const char *what)
{
    graco_status status = GRACO_OK;
    struct lock *lock = NULL;
    *out = NULL;
    TRY(memory_zalloc(&lock, 1, sizeof *lock));
    lock->fd = -1;
    TRY(memory_string(&lock->path, path));
    for (int tries = 0; tries < TRIES && lock->fd < 0; tries++)
        TRY(try_take(&lock->fd, path, what));
    if (lock->fd < 0)
        FAIL(GRACO_ERROR_IO, "cannot take the lock %s: others remove it again and again", path);
    *out = lock;
    lock = NULL;
done:
    lock_free(lock);
    return status;
}

void lock_free(struct lock *lock)
{
    if (!lock)
        return;
    if (lock->fd >= 0) {
        unlink(lock->path); /* while it is held: the next holder makes another */
        close(lock->fd);
    }
    memory_free(lock->path);
    memory_free(lock);
}
