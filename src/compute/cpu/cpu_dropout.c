/* Dropout. Random numbers are drawn a piece at a time, in blocks of four. */
#include "compute/cpu/cpu.h"

#include "base/threads.h"

enum { DRAWS_PER_PIECE = 1024 };

struct dropout_job {
    const struct dropout *spec;
    float *Y;
    const float *X;
};

static void drop_piece(void *argument, struct threads_piece piece)
{
    const struct dropout_job *job = argument;
    const struct dropout *d = job->spec;
    const uint32_t threshold = (uint32_t)random_threshold(d->p);
    const float scale = (float)(1 / (1 - d->p));
    const int64_t count = piece.last - piece.first;
    const float *x = job->X ? job->X + piece.first : NULL;
    float *y = job->Y + piece.first, factor[DRAWS_PER_PIECE];
    uint32_t bits[DRAWS_PER_PIECE];
    random_blocks(bits, &d->key, (uint64_t)piece.first / 4, pieces_of(count, 4));
    /* Every number is multiplied: a branch would be mispredicted as often as not. */
    for (int64_t i = 0; i < count; i++)
        factor[i] = bits[i] >= threshold ? scale : 0;
    for (int64_t i = 0; i < count; i++)
        y[i] = x ? x[i] * factor[i] : factor[i];
}

graco_status cpu_dropout(struct context *c, const struct dropout *d, int64_t n, float *Y,
                         const float *X)
{
    struct dropout_job job = {d, Y, X};
    threads_run(c->threads, n, DRAWS_PER_PIECE, drop_piece, &job);
    return GRACO_OK;
}
