/* Calls of the system that a signal may interrupt, asked again until they are answered. They return
 * what the system does, with its errno. */
#ifndef IO_FILES_SYSTEM_H
#define IO_FILES_SYSTEM_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/types.h>

int system_open(const char *path, int flags, mode_t mode);
DIR *system_list(const char *path);

/* All of the bytes; false with errno where the system refuses some. */
bool system_write(int fd, const void *bytes, size_t length);

/* Up to `length` bytes, less at the end of the file; -1 with errno. */
ssize_t system_read(int fd, void *bytes, size_t length);

/* Waits until the disk has it. Some file systems cannot sync a folder and say EINVAL: they have
 * nothing to sync. */
int system_sync(int fd);

/* On Linux the descriptor is closed also where a signal came in between. */
int system_close(int fd);

/* An exclusive lock that ends when the last descriptor of this opening is closed, by the kernel if
 * the process dies. Does not wait: EWOULDBLOCK where another opening has it. */
int system_lock(int fd);

/* The same of a lock that many may hold: fails where somebody has the exclusive one. */
int system_lock_shared(int fd);

/* Whether the path itself, not a link there, still names what is open: whoever held a lock on the file before may have
 * removed it between the opening and the locking. */
bool system_same_file(int fd, const char *path);

/* Fills with random bytes of the system's that nobody can guess; at most 256 of them. */
int system_random(void *bytes, size_t length);

#endif
