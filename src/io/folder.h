/* Folders that appear whole or not at all: files are written into a temporary folder beside the
 * target, which takes the target's name at the end. */
#ifndef IO_FOLDER_H
#define IO_FOLDER_H

#include "base/status.h"

/* Makes a folder beside `target` under a name that nobody has; the caller owns *temporary. */
graco_status folder_begin(char **temporary, const char *target);

/* Gives the folder its name; the target must not exist, or be an empty folder. On failure the
 * temporary folder stays, for folder_discard. */
graco_status folder_commit(const char *temporary, const char *target);

/* Removes a folder and the files in it. Works where no memory is left. Accepts NULL. */
void folder_discard(const char *temporary);

#endif
