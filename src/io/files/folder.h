/* Folders that appear whole or not at all: files are written into a temporary folder beside the
 * target, which takes the target's name at the end. */
#ifndef IO_FILES_FOLDER_H
#define IO_FILES_FOLDER_H

#include "base/status.h"

struct folder;

/* Makes a folder beside `target` under a name that nobody has (see io/files/temporary.h). */
graco_status folder_begin(struct folder **out, const char *target);

/* Where files go meanwhile; valid until the commit. */
const char *folder_path(const struct folder *folder);

/* Gives the folder its name; the target must not exist, or be an empty folder. If the system then
 * cannot say that the disk has the name, this fails, and the folder loses it again. */
graco_status folder_commit(struct folder *folder);

/* Removes a folder that was not committed, with the files in it. Needs neither memory nor another
 * descriptor. Accepts NULL. */
void folder_free(struct folder *folder);

#endif
