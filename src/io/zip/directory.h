/* What the end of a zip archive says about its directory, before libzip reads it.
 *
 * libzip finds members by a hash without a key, so that names can be chosen whose hashes collide: they
 * take time by the square of their number, 16 s for 65,536 of them. It also reads a directory for each
 * end record that it meets in the last 64 KiB. Both are bounded here. Reference: PKWARE, APPNOTE.TXT 6.3. */
#ifndef IO_ZIP_DIRECTORY_H
#define IO_ZIP_DIRECTORY_H

#include "base/status.h"

enum {
    /* Published archives have 15 at most; so many names that collide cost 0.1 s. */
    DIRECTORY_MEMBERS = 4096,
    DIRECTORY_BYTES = 256 * DIRECTORY_MEMBERS, /* an entry has 46 bytes, and its name */
};

/* GRACO_ERROR_FORMAT if the end records of an archive, zip64's too, name more than DIRECTORY_MEMBERS
 * members or DIRECTORY_BYTES bytes, all of them together. Without an end record there is no archive: that
 * is for libzip to say. */
graco_status directory_check(const uint8_t *bytes, int64_t length);

#endif
