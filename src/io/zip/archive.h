/* Writing a zip archive as a stream: stored members, in zip64 form throughout, so that nothing
 * needs to be known before it is written. Reference: PKWARE, APPNOTE.TXT 6.3. */
#ifndef IO_ZIP_ARCHIVE_H
#define IO_ZIP_ARCHIVE_H

#include "base/status.h"

/* Where the bytes of the archive go. */
typedef graco_status archive_sink_fn(void *user, const void *bytes, int64_t length);

struct archive;

graco_status archive_create(struct archive **out, archive_sink_fn *sink, void *user);

/* One member: begin, write, end. */
graco_status archive_begin(struct archive *archive, const char *name);
graco_status archive_write(struct archive *archive, const void *bytes, int64_t length);
graco_status archive_end(struct archive *archive);

/* Writes the directory; nothing may follow. */
graco_status archive_finish(struct archive *archive);

void archive_free(struct archive *archive);

#endif
