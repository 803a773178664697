/* The parts of a published data set: members of an archive, or files of its unpacked folder. */
#ifndef DATA_MEMBERS_H
#define DATA_MEMBERS_H

#include "io/files/file.h"
#include "io/npy.h"
#include "io/zip/npz.h"

/* Where the parts are; borrows both, one of which is NULL. */
struct members {
    struct npz *npz;
    const char *folder;
};

/* Whether there is a part of this name, which has its extension (.npy may be left out in an
 * archive). */
bool members_have(const struct members *members, const char *name);

/* An array, read from the archive or mapped in the folder. Starts zeroed. */
struct member {
    struct npy_map map;
    struct array read;
    struct array *array; /* one of the two; NULL: there is none of that name */
};

/* Opens NAME.npy; member->array is NULL if there is none. */
graco_status member_open(struct member *member, const struct members *members, const char *name);

/* The same, but GRACO_ERROR_FORMAT names a missing part. */
graco_status member_need(struct member *member, const struct members *members, const char *name);

void member_clear(struct member *member);

/* The bytes of any part. Starts zeroed. */
struct member_bytes {
    struct file_map map;
    uint8_t *read;
    const uint8_t *data;
    int64_t length;
};

/* GRACO_ERROR_FORMAT names a missing part. */
graco_status member_bytes_open(struct member_bytes *bytes, const struct members *members,
                               const char *name);
void member_bytes_clear(struct member_bytes *bytes);

/* Opens a part that is an archive itself. The caller closes *out. */
graco_status member_archive(struct npz **out, const struct members *members, const char *name);

#endif
