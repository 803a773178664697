/* Arrays and bytes written to a zip archive one after the other: stored members, in zip64 form throughout, so that
 * nothing needs to be known before it is written, and memory does not grow with what is, unlike npz_write's.
 * Reference: PKWARE, APPNOTE.TXT 6.3.
 *
 *     archive_create(&archive, "neighbours.npz");
 *     archive_array(archive, "nodes", &array);
 *     archive_commit(archive);
 *     archive_free(archive);     without the commit nothing is left behind
 */
#ifndef IO_ZIP_ARCHIVE_H
#define IO_ZIP_ARCHIVE_H

#include "base/status.h"
#include "io/array.h"

struct archive;

/* The file is not seen under its name before the commit. */
graco_status archive_create(struct archive **out, const char *path);

/* One member: begin, write as often as needed, end. The same content gives the same bytes. */
graco_status archive_begin(struct archive *archive, const char *name);
graco_status archive_write(struct archive *archive, const void *bytes, int64_t length);
graco_status archive_end(struct archive *archive);

/* A member NAME.npy with these items; or its header only, for items that follow through archive_write
 * and archive_end. */
graco_status archive_array(struct archive *archive, const char *name, const struct array *array);
graco_status archive_array_begin(struct archive *archive, const char *name,
                                 const struct array *described);

graco_status archive_commit(struct archive *archive);
void archive_free(struct archive *archive);

#endif
