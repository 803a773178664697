/* Files and folders: whole-file reads, read-only maps, and writes that never leave half a file.
 *
 * A write goes to a temporary name in the target's own folder, is synced, renamed over the target,
 * and the folder is synced: at any moment, also after a power cut, the target holds either all of
 * its old content or all of the new. Every message names the path and the system's reason. */
#ifndef IO_FILES_FILE_H
#define IO_FILES_FILE_H

#include "base/status.h"
#include "base/text.h"

/* Reads a whole file of at most `limit` bytes into a new block with a NUL behind the last byte (not
 * counted in *length). The caller owns *out. Fails with GRACO_ERROR_FORMAT if it is longer. */
graco_status file_read(uint8_t **out, int64_t *length, const char *path, int64_t limit);

/* Reads the first bytes of a file into out (room): as many as there are, *length says how many. */
graco_status file_head(uint8_t *out, int64_t *length, const char *path, int64_t room);

/* Reads pieces of `bytes` each, piece i from byte at[i] on, into out (count, bytes), with one opening. GRACO_ERROR_IO
 * if the file ends before one of them does. */
graco_status file_read_pieces(uint8_t *out, const char *path, const int64_t *at, int64_t count,
                              int64_t bytes);

/* A read-only view of a file. An empty file has a valid pointer and length 0.
 *
 * The file must not shrink while it is mapped: the system answers a read behind its end with
 * SIGBUS, which ends the process, and POSIX has no other way to say so. Replacing it by rename, as
 * every write below does, is safe: the map keeps the old content. file_map_check notices a file
 * that was cut in place, before it is read; what is cut between the check and the read is not
 * caught. */
struct file_map {
    const uint8_t *data;
    int64_t length;
    int64_t before, all; /* bytes of the file before the view's first, and in all */
    int watch;           /* a descriptor of the file plus one; 0: none */
};

graco_status file_map_open(struct file_map *out, const char *path);

/* The same for `length` bytes from byte `before` on, or as many of them as the file has: the rest of it
 * takes no addresses. */
graco_status file_map_open_part(struct file_map *out, const char *path, int64_t before,
                                int64_t length);
void file_map_close(struct file_map *map);

/* Closes the map of a file that was decoded. Returns `status`, what the decoder returned; a failure
 * gets the path into its message. */
graco_status file_map_end(struct file_map *map, graco_status status, const char *path);

/* GRACO_ERROR_IO if the file is shorter now than when it was mapped. One system call; `path` is for
 * the message. */
graco_status file_map_check(const struct file_map *map, const char *path);

/* Replaces the file by these bytes, atomically. A link stays: the file that it leads to is replaced. */
graco_status file_write_atomic(const char *path, const void *bytes, int64_t length);

/* The same of a text, or what the text failed with. */
graco_status file_write_text(const char *path, const struct text *text);

/* The same in pieces: open, write as often as needed, commit, free. Until the commit succeeds the
 * target is untouched; freeing without it removes the temporary file. A commit that fails after
 * the rename leaves the new content, whole, which a power cut may still undo. After a failed write
 * every later call on the writer fails too. Small writes are gathered in a buffer. */
struct file_writer;

graco_status file_writer_open(struct file_writer **out, const char *path);
graco_status file_writer_write(struct file_writer *writer, const void *bytes, int64_t length);
/* Brings what was written to the disk, so that the commit has only the rename left: for files that must
 * appear together. */
graco_status file_writer_sync(struct file_writer *writer);
graco_status file_writer_commit(struct file_writer *writer);
void file_writer_free(struct file_writer *writer);

/* Removes a file, or a link, if there is one. What is neither stays, and is GRACO_ERROR_IO. */
graco_status file_remove(const char *path);

/* The folder that a path is in, "." if it names none; slashes at the end do not count. The caller
 * owns it. */
graco_status file_parent(char **out, const char *path);

/* A path as it is seen from a folder, such as "../data/cora", without links on the way; *out stays NULL if one of
 * the two is not there. The caller owns *out. */
graco_status file_seen_from(char **out, const char *path, const char *folder);

/* A new name in a folder lasts only once the folder itself is on the disk. One that may not be read
 * cannot be synced, which is no failure. */
graco_status file_sync_folder(const char *folder);

/* Whether the path names anything; whether it names a folder. */
bool file_exists(const char *path);
bool file_is_folder(const char *path);

/* Makes a folder; one that exists already is fine, its parent must exist. */
graco_status file_make_folder(const char *path);

/* The names in a folder without "." and "..", in byte order. The list owns them. */
struct file_list {
    int64_t count;
    char **names;
};

graco_status file_list_folder(struct file_list *out, const char *path);
void file_list_clear(struct file_list *list);

#endif
