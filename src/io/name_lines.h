/* Names in a text file, one per line, in order. A name may hold any byte but NUL: \\ stands for
 * a backslash, \n for a line feed, \r for a carriage return, and no other escape is known. So a
 * name is always one line, and most names stand there as they are. */
#ifndef IO_NAME_LINES_H
#define IO_NAME_LINES_H

#include "base/status.h"

/* Writes such a file, atomically; removes it where there are no names, NULL. */
graco_status name_lines_write(const char *path, char *const *names, int64_t count);

/* Writes them to a file that only appears with file_writer_commit. The caller frees *out. */
struct file_writer;
graco_status name_lines_begin(struct file_writer **out, const char *path, char *const *names,
                              int64_t count);

/* How many names there are; the last line may end without a line feed. O(length). */
int64_t name_lines_count(const void *bytes, int64_t length);

/* Reads one name after the other from the bytes of a file, which must outlive it. Holds one name
 * at a time. */
struct name_lines {
    const char *at, *end;
    int64_t line; /* of the last name, from 1 */
    char *name;   /* owned */
    int64_t room;
};

void name_lines_init(struct name_lines *lines, const void *bytes, int64_t length);

/* The next name, valid until the next call; NULL past the last. GRACO_ERROR_FORMAT names the
 * line that has a NUL or an unknown escape. A carriage return before the line feed belongs to
 * the end of the line. */
graco_status name_lines_next(const char **name, struct name_lines *lines);

void name_lines_clear(struct name_lines *lines);

#endif
