/* A lock on a folder: a file in it that one process at a time holds. */
#ifndef IO_FILES_LOCK_H
#define IO_FILES_LOCK_H

#include "base/status.h"

struct lock;

/* Takes the lock at `path`, a file that is made if it is not there, without waiting. `what` names
 * the folder in the message if another process, or another call of this one, has it. The kernel
 * holds the lock (flock) and ends it with the process, so a kill leaves a file but no lock. On a
 * file system that knows no locks every caller gets one. What is at `path` and is not a lock file,
 * empty or with a process number alone, is refused and left as it is. The caller owns *out. */
graco_status lock_take(struct lock **out, const char *path, const char *what);

/* Removes the file and ends the lock. Accepts NULL. */
void lock_free(struct lock *lock);

#endif
