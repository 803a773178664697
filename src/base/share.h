/* A range cut into parts whose lengths differ by at most one, or into pieces of which the last may be
 * shorter. */
#ifndef BASE_SHARE_H
#define BASE_SHARE_H

#include <stdint.h>

static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Where part `part` of `parts` begins, among `count` items; with `parts`, the end of all. */
static inline int64_t share_begin(int64_t count, int64_t part, int64_t parts)
{
    return count / parts * part + count % parts * part / parts;
}

#endif
