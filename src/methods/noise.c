/* The distribution function in 32 bits, and a guide: a number's leading bits say where in it to begin. */
#include "methods/noise.h"

#include "base/memory.h"

#include <math.h>

static const double POWER = 0.75; /* word2vec's */

/* A slot for each node or two, so that few nodes begin in one. */
static int shift_for(int64_t nodes)
{
    int shift = 31;
    while (shift > 2 && (int64_t)1 << (32 - shift) < nodes)
        shift--;
    return shift;
}

graco_status noise_init(struct noise *noise, const int64_t *count, int64_t nodes)
{
    double total = 0, before = 0;
    graco_status status = GRACO_OK;
    *noise = (struct noise){.nodes = nodes, .shift = shift_for(nodes)};
    int64_t slots = (int64_t)1 << (32 - noise->shift);
    TRY(memory_alloc(&noise->below, nodes, sizeof *noise->below));
    TRY(memory_alloc(&noise->guide, slots, sizeof *noise->guide));
    for (int64_t i = 0; i < nodes; i++)
        total += pow((double)count[i], POWER);
    for (int64_t i = 0; i < nodes; i++) {
        noise->below[i] = (uint32_t)fmin(0x1p32 * (before / total), 0x1p32 - 1);
        before += pow((double)count[i], POWER);
    }
    for (int64_t slot = 0, node = 0; slot < slots; slot++) {
        while (node + 1 < nodes && (int64_t)noise->below[node + 1] <= slot << noise->shift)
            node++;
        noise->guide[slot] = (uint32_t)node;
    }
done:
    if (status != GRACO_OK)
        noise_clear(noise);
    return status;
}

void noise_clear(struct noise *noise)
{
    memory_free(noise->below);
    memory_free(noise->guide);
    *noise = (struct noise){0};
}
