/* A range divided into parts whose lengths differ by at most one. */
#ifndef BASE_SHARE_H
#define BASE_SHARE_H

#include <stdint.h>

/* Where part `part` of `parts` begins, among `count` items; with `parts`, the end of all. */
static inline int64_t share_begin(int64_t count, int64_t part, int64_t parts)
{
    return count / parts * part + count % parts * part / parts;
}

#endif
