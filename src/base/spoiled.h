/* Numbers that are none: NaN and infinities among floats. */
#ifndef BASE_SPOILED_H
#define BASE_SPOILED_H

#include <stdint.h>

/* The index of the first of n floats that is not finite; -1 if all are. About the time to read
 * them. */
int64_t spoiled_first(const float *x, int64_t n);

#endif
