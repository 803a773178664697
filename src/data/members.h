/* The parts of a data set: members of an archive, files of a folder, or arrays of the caller's, and
 * the vectors and matrices that they hold.
 *
 * What is read here has the right lengths and types, and its entries can be addressed; values
 * are for dataset_create to check. */
#ifndef DATA_MEMBERS_H
#define DATA_MEMBERS_H

#include "io/files/file.h"
#include "io/npy.h"
#include "io/zip/npz.h"
#include "sparse/csr.h"

/* Where the parts are; borrows all, and two of the first, third and fourth are NULL. */
struct members {
    struct npz *npz;
    const char *within; /* the folder in the archive that has them, with its slash; NULL: its top */
    const char *folder;
    const graco_arrays *arrays;
};

/* Whether there is a part of this name, which has its extension (.npy may be left out in an
 * archive). */
bool members_have(const struct members *members, const char *name);

/* The names in a folder of the parts, "" for the outermost, not sorted in an archive. The caller clears
 * *out. Not for arrays. */
graco_status members_list(struct file_list *out, const struct members *members, const char *folder);

/* An array, read from the archive, mapped in the folder or borrowed. Starts zeroed. */
struct member {
    struct npy_map map;
    struct array read;   /* or borrowed */
    struct array *array; /* one of the two; NULL: there is none of that name */
};

/* Opens NAME.npy; member->array is NULL if there is none. Python objects are GRACO_ERROR_FORMAT. */
graco_status member_open(struct member *member, const struct members *members, const char *name);

/* The same, but GRACO_ERROR_FORMAT names a missing part. */
graco_status member_need(struct member *member, const struct members *members, const char *name);

void member_clear(struct member *member);

/* Converts the items of an open part to ARRAY_U8, I32, I64 or F32, as array_take_f32 does. The
 * caller owns *out, a pointer of that type; messages begin with the name. */
graco_status member_take(void *out, enum array_type type, struct member *member, const char *name);

/* Opens, checks and converts a part that must be there: a matrix, or with `cols` NULL a vector.
 * *rows and *cols are what it must have; -1: any, and they become what it has. */
graco_status member_read(void *out, int64_t *rows, int64_t *cols, enum array_type type,
                         const struct members *members, const char *name);

/* The same for a vector that may be missing: then *out stays as it is. */
graco_status member_optional(void *out, int64_t rows, enum array_type type,
                             const struct members *members, const char *name);

/* An array of one number, of any shape, that may be missing: *found says whether it is there, *value is
 * untouched if not. */
graco_status member_number(bool *found, int64_t *value, const struct members *members,
                           const char *name);

enum { PART_NAME = 32 }; /* bytes of a name */

/* The name of a part of compressed rows that is there, as member_csr reads them; NULL: none of them is. */
const char *members_csr_part(char out[PART_NAME], const struct members *members,
                             const char *prefix);

/* Reads the compressed rows PREFIX_indptr, PREFIX_indices, PREFIX_data and PREFIX_shape. */
graco_status member_csr(struct csr *out, const struct members *members, const char *prefix);

/* Makes compressed rows of three arrays; the entries stay in the order of the file. The caller owns
 * *out, which is untouched on failure. */
graco_status csr_from_arrays(struct csr *out, int64_t rows, int64_t cols, const struct array *start,
                             const struct array *index, const struct array *value);

/* Fails unless an array has this shape; -1 matches every length. `what` names it in the message. */
graco_status array_expect(const struct array *array, const char *what, int ndim, int64_t rows,
                          int64_t cols);

/* Puts a part's name in front of the message if `status` is a failure, and returns `status`. */
graco_status member_named(graco_status status, const char *name);

/* The bytes of any part. Starts zeroed. */
struct member_bytes {
    struct file_map map;
    uint8_t *read;
    const uint8_t *data;
    int64_t length;
    int64_t packed; /* bytes of the file that gzip compressed; 0: it is as it was on the disk */
};

/* What gzip compressed is unpacked; in an archive it counts among what may be unpacked from that
 * (io/zip/npz.h). GRACO_ERROR_FORMAT names a missing part. */
graco_status member_bytes_open(struct member_bytes *bytes, const struct members *members,
                               const char *name);

/* The same for a file of its own; what gzip compressed is unpacked, up to NPZ_LIMIT bytes. */
graco_status member_bytes_file(struct member_bytes *bytes, const char *path);

void member_bytes_clear(struct member_bytes *bytes);

/* Opens an archive that is a file of its own; the bytes must outlive it. */
graco_status member_bytes_archive(struct npz **out, const struct member_bytes *bytes);

/* Opens a part that is an archive itself. The caller closes *out, before the archive that it is in. */
graco_status member_archive(struct npz **out, const struct members *members, const char *name);

#endif
