/* Packing: panels of PANEL columns, one behind the other, each with its rows one behind the
 * other. */
#include "compute/cpu/pack.h"

#include "compute/cpu/loops.h"

#include <string.h>

enum { STEP = 16 }; /* rows of a panel that a transposition fills at a time: within a cache line */

int64_t pack_size(int64_t depth, int64_t cols)
{
    return (cols + PANEL - 1) / PANEL * PANEL * depth;
}

static void transpose(float *to, const float *from, int64_t ld, int64_t depth, int64_t count)
{
    for (int64_t first = 0; first < depth; first += STEP) {
        int64_t end = first + STEP < depth ? first + STEP : depth;
        for (int64_t j = 0; j < count; j++)
            for (int64_t k = first; k < end; k++)
                to[k * PANEL + j] = from[j * ld + k];
    }
}

void pack_panel(float *out, const float *B, int64_t ld, bool transposed, int64_t depth,
                int64_t cols, int64_t panel)
{
    int64_t first = panel * PANEL, count = cols - first < PANEL ? cols - first : PANEL;
    float *to = out + first * depth;
    if (count < PANEL)
        memset(to, 0, (size_t)(PANEL * depth) * sizeof(float));
    if (transposed)
        transpose(to, B + first * ld, ld, depth, count);
    else
        for (int64_t k = 0; k < depth; k++)
            memcpy(to + k * PANEL, B + k * ld + first, (size_t)count * sizeof(float));
}
