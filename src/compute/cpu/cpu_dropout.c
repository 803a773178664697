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
    uint32_t bits[DRAWS_PER_PIECE];
    random_blocks(bits, &d->key, (uint64_t)piece.first / 4, pieces_of(piece.last - piece.first, 4));
    for (int64_t i = piece.first; i < piece.last; i++) {
        bool keep = bits[i - piece.first] >= threshold;
        job->Y[i] = keep ? (job->X ? job->X[i] : 1) * scale : 0;
    }
}

graco_status cpu_dropout(struct context *c, const struct dropout *d, int64_t n, float *Y,
                         const float *X)
{
    struct dropout_job job = {d, Y, X};
    threads_run(c->threads, n, DRAWS_PER_PIECE, drop_piece, &job);
    return GRACO_OK;
}
