/* Dropout. Random numbers are drawn a piece at a time, in blocks of four. */
#include "compute/cpu/cpu.h"

enum { DRAWS_PER_PIECE = 1024 };

graco_status cpu_dropout(struct context *c, const struct dropout *d, int64_t n, float *Y,
                         const float *X)
{
    const uint32_t threshold = (uint32_t)random_threshold(d->p);
    const float scale = (float)(1 / (1 - d->p));
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t first = 0; first < n; first += DRAWS_PER_PIECE) {
        uint32_t bits[DRAWS_PER_PIECE];
        int64_t count = least(n - first, DRAWS_PER_PIECE);
        random_blocks(bits, &d->key, (uint64_t)first / 4, pieces_of(count, 4));
        for (int64_t i = 0; i < count; i++)
            Y[first + i] = bits[i] >= threshold ? (X ? X[first + i] : 1) * scale : 0;
    }
    return GRACO_OK;
}
