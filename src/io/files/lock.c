/* The lock is the kernel's (flock), on a file of its own, which its holder removes in the end. So
 * whoever gets it looks whether the path still names the locked file, and tries again if not.
 *
 * The file holds its holder's process number and nothing else, or nothing where its holder died
 * before it wrote that. This tells it from a user's file of the same name, which stays. */
#include "io/files/lock.h"

#include "base/memory.h"
#include "io/files/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100, NUMBER_ROOM = 24 };

struct lock {
    char *path;
    int fd;
};

/* Finds the process number in the file, 0 if there is none. Refuses a file that is not a lock's. */
static graco_status read_process(long *process, int fd, const char *path)
{
    char text[NUMBER_ROOM] = "", *end = text;
    struct stat about;
    if (fstat(fd, &about) != 0)
        return status_fail(GRACO_ERROR_IO, "cannot examine the lock %s: %s", path, strerror(errno));
    bool ours = S_ISREG(about.st_mode) && about.st_size < NUMBER_ROOM;
    ssize_t length = ours ? system_read(fd, text, sizeof text - 1) : 0;
    if (length < 0)
        return status_fail(GRACO_ERROR_IO, "cannot read the lock %s: %s", path, strerror(errno));
    size_t digits = strspn(text, "0123456789");
    *process = digits > 0 ? strtol(text, &end, 10) : 0;
    bool newline = digits > 0 && *end == '\n';
    if (!ours || end + newline != text + length)
        return status_fail(GRACO_ERROR_IO,
                           "%s is not a lock that a training made; expected that name to be free: "
                           "move it away",
                           path);
    return GRACO_OK;
}

static graco_status fail_busy(long process, const char *what)
{
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
    char text[NUMBER_ROOM];
    int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0)
        (void)system_write(fd, text, (size_t)length);
}

/* One try: *fd is the lock, or -1 if the file went away meanwhile. */
static graco_status try_take(int *fd, const char *path, const char *what)
{
    graco_status status = GRACO_OK;
    long process = 0;
    int opened = system_open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    *fd = -1;
    if (opened < 0)
        FAIL(GRACO_ERROR_IO, "cannot open the lock %s: %s", path,
             errno == ELOOP ? "it is a symbolic link; expected a file, or nothing of that name"
                            : strerror(errno));
    int refused = system_lock(opened) == 0 ? 0 : errno;
    TRY(read_process(&process, opened, path));
    if (refused == EWOULDBLOCK)
        TRY(fail_busy(process, what));
    if (refused && refused != ENOSYS && refused != EOPNOTSUPP)
        FAIL(GRACO_ERROR_IO, "cannot take the lock %s: %s", path, strerror(refused));
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
        if (system_same_file(lock->fd, lock->path))
            unlink(lock->path); /* while it is held: the next holder makes another */
        close(lock->fd);
    }
    memory_free(lock->path);
    memory_free(lock);
}
