/* numpy's .npz, a zip archive of .npy members, and zip archives in general.
 *
 * A member is refused if its declared or its real size passes the caller's limit, or if it claims
 * to expand more than NPZ_RATIO times (deflate cannot do more than 1032). A wrong checksum is an
 * error. An array's header is compared with the size of its member before memory is taken for it.
 * The members that are read, those of archives within the archive too, have together at most NPZ_RATIO
 * times the bytes of the file on the disk; one that is read again does not count again. Only this file's
 * source knows libzip. */
#ifndef IO_ZIP_NPZ_H
#define IO_ZIP_NPZ_H

#include "base/status.h"
#include "io/array.h"

enum { NPZ_RATIO = 1100 };

/* A good limit for one member where the caller has none of its own: 64 GiB. */
#define NPZ_LIMIT ((int64_t)1 << 36)

/* An archive open for reading. Not for use from two threads at once. */
struct npz;

graco_status npz_open(struct npz **out, const char *path);

/* The same over a whole archive in memory, which must outlive it. More members than anybody needs are
 * refused (io/zip/directory.h). */
graco_status npz_open_bytes(struct npz **out, const void *bytes, int64_t length);

/* The same over an archive that was unpacked from `file` bytes on the disk: it counts among what may be
 * unpacked from them. */
graco_status npz_open_unpacked(struct npz **out, const void *bytes, int64_t length, int64_t file);

/* The same over a member that is an archive itself, which is unpacked into memory; `outer` must outlive
 * it. */
graco_status npz_open_member(struct npz **out, struct npz *outer, const char *name, int64_t limit);

void npz_close(struct npz *npz);

/* How many bytes may still be unpacked from the file that the archive is, or is in. */
int64_t npz_left(const struct npz *npz);

/* Takes from them what the caller has unpacked of a member. */
void npz_count_unpacked(struct npz *npz, int64_t bytes);

/* The members, in the archive's order. Names are as stored ("x.npy"), borrowed, and NULL past the
 * end. */
int64_t npz_count(const struct npz *npz);
const char *npz_name(const struct npz *npz, int64_t index);

/* Whether there is a member `name` or `name`.npy. */
bool npz_has(const struct npz *npz, const char *name);

/* Reads member `name` or `name`.npy as an array that owns its items. An object member succeeds with
 * type ARRAY_OBJECT and no data. A missing member is GRACO_ERROR_FORMAT. */
graco_status npz_read(struct array *out, struct npz *npz, const char *name, int64_t limit);

/* The raw bytes of a member, with a NUL behind the last one; the caller owns them. */
graco_status npz_read_bytes(uint8_t **out, int64_t *length, struct npz *npz, const char *name,
                            int64_t limit);

/* One array to write; ".npy" is added to the name. */
struct npz_entry {
    const char *name;
    const struct array *array;
};

/* Writes an archive atomically, deflated. */
graco_status npz_write(const char *path, const struct npz_entry *entries, int64_t count);

#endif
