#include "base/finite.h"

#include <string.h>

enum { PIECE = 4096 };

/* NaN and infinities have all bits of the exponent set. */
static uint32_t is_not_finite(float x)
{
    const uint32_t exponent = 0x7f800000;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & exponent) == exponent;
}

int64_t not_finite_first(const float *x, int64_t n)
{
    for (int64_t first = 0; first < n; first += PIECE) {
        int64_t last = n - first < PIECE ? n : first + PIECE;
        uint32_t any = 0;
        for (int64_t i = first; i < last; i++) /* without a branch: many at once */
            any |= is_not_finite(x[i]);
        for (int64_t i = first; any && i < last; i++)
            if (is_not_finite(x[i]))
                return i;
    }
    return -1;
}
