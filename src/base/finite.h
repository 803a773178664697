/* NaN and infinities among floats: a training ends before it writes one to a file. */
#ifndef BASE_FINITE_H
#define BASE_FINITE_H

#include <stdint.h>

/* The index of the first of n floats that is not finite; -1 if all are. About the time to read
 * them. */
int64_t not_finite_first(const float *x, int64_t n);

#endif
