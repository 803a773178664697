/* Whether ranks that read a folder together, each other parts of its files, see the same files. */
#ifndef DATA_SAME_FILES_H
#define DATA_SAME_FILES_H

#include "comm/comm.h"
#include "data/members.h"

enum { SAME_FILES_MOST = 8 };

struct same_file {
    const char *name;
    bool read; /* where it is there; else it counts as missing */
};

/* GRACO_ERROR_ARGUMENT on all ranks if one differs from rank 0 in which of these files it has, or in the length
 * or the bytes of one: files (count, at most SAME_FILES_MOST), the same names in the same order on every rank.
 * Small files are compared whole, large ones in many places all over them: what is equal there may still
 * differ elsewhere. All ranks call it. O(1), a few megabytes of each file, which is opened twice. */
graco_status same_files(struct comm *comm, const struct members *members,
                        const struct same_file *files, int count);

#endif
