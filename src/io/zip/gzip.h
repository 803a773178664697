/* Files that gzip compressed: one or more members, one after another. Reference: RFC 1952. Only this
 * file's source knows zlib. */
#ifndef IO_ZIP_GZIP_H
#define IO_ZIP_GZIP_H

#include "base/status.h"

/* Whether the bytes begin as such a file does. */
bool gzip_knows(const void *bytes, int64_t length);

/* Unpacks them into a new block with a NUL behind the last byte (not counted in *length), which the caller
 * owns. What unpacks to more than `limit` bytes is refused, and so are bytes behind the last member that
 * are not 0, a wrong checksum, and content that begins neither as text nor as a .npy file or an archive:
 * of that no more than the first 64 KiB are unpacked. Memory: at most three times what is unpacked, which
 * deflate limits to 1,032 times `packed`. */
graco_status gzip_unpack(uint8_t **out, int64_t *length, const void *bytes, int64_t packed,
                         int64_t limit);

#endif
