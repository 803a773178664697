/* Names for what is not whole yet: TARGET.tmp-PROCESS-TIME-TRY, beside the target.
 *
 * Its maker holds a lock of the kernel (flock) on it, which ends with the process however that
 * dies. So whoever writes the same target later can tell what a killed process has left, and
 * removes it, from what another process is still writing, and leaves it alone. Where a file system
 * knows no locks, nothing is ever removed. */
#ifndef IO_FILES_TEMPORARY_H
#define IO_FILES_TEMPORARY_H

#include "base/status.h"

#include <dirent.h>

/* A new file, open for writing, or a new folder, open for listing. The caller owns *path and the
 * open end, and closes it only after the target has its name. Removes first what killed processes
 * have left for this target; a trouble with that stops nothing. A target that exists must be a
 * regular file or a folder, in this order, or a link to one: the caller's rename would replace a
 * pipe or a device. All atomic writes come here, so this is the one place of the rule. A new file
 * has the permissions of the one that it will replace; made by root, also its owner. */
graco_status temporary_file(char **path, int *fd, const char *target);
graco_status temporary_folder(char **path, DIR **list, const char *target);

/* Removes what killed processes have left for a target that may not be written any more. A trouble
 * with that stops nothing but for memory. */
graco_status temporary_sweep(const char *target);

#endif
