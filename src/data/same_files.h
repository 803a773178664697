/* Whether ranks that read a folder together, each other parts of its files, see the same files. */
#ifndef DATA_SAME_FILES_H
#define DATA_SAME_FILES_H

#include "comm/comm.h"
#include "data/members.h"

enum { SAME_FILES_MOST = 8 };

/* GRACO_ERROR_ARGUMENT on all ranks if one differs from rank 0 in type, shape or content of a file, which
 * are .npy files whose parts can be mapped: names (count, at most SAME_FILES_MOST). Small files are compared
 * whole, large ones in many places all over them: what is equal there may still differ elsewhere. All ranks
 * call it. O(1), a few megabytes of each file. */
graco_status same_files(struct comm *comm, const struct members *members, const char *const *names,
                        int count);

#endif
