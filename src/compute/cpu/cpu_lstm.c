/* Steps of an LSTM: the gates of a piece of targets at a time. */
#include "compute/cpu/cpu.h"

#include "base/threads.h"
#include "compute/cpu/loops.h"

#include <string.h>

enum { ROWS_PER_PIECE = 16 };

struct lstm_job {
    const struct loops *loops;
    const struct lstm *l;
};

/* The entry that target t reads at this step; -1: it has none. */
static int64_t entry_of(const struct lstm *l, int64_t t)
{
    const int64_t *start = l->segments->entries.start;
    return start[t] + l->step < start[t + 1] ? start[t] + l->step : -1;
}

static void step_piece(void *argument, struct threads_piece piece)
{
    const struct lstm_job *job = argument;
    const struct lstm *l = job->l;
    int64_t h = l->width;
    for (int64_t t = piece.first; t < piece.last; t++) {
        int64_t e = entry_of(l, t);
        if (e < 0)
            continue;
        float *gates = l->gates + e * 4 * h;
        const float *x = l->input + l->segments->entries.index[e] * 4 * h;
        const float *pre = l->pre + t * 4 * h;
        for (int64_t j = 0; j < 4 * h; j++)
            gates[j] = l->step > 0 ? x[j] + pre[j] : x[j];
        job->loops->lstm_cell(gates, l->step > 0 ? l->cell + (e - 1) * h : NULL, l->cell + e * h,
                              l->h + t * h, h);
    }
}

graco_status cpu_lstm_step(struct context *c, const struct lstm *l)
{
    struct lstm_job job = {loops_choose(), l};
    threads_run(c->threads, l->segments->entries.rows, ROWS_PER_PIECE, step_piece, &job);
    return GRACO_OK;
}

static void step_back_piece(void *argument, struct threads_piece piece)
{
    const struct lstm_job *job = argument;
    const struct lstm *l = job->l;
    int64_t h = l->width;
    for (int64_t t = piece.first; t < piece.last; t++) {
        int64_t e = entry_of(l, t);
        float *pre = l->pre + t * 4 * h, *before = l->h + t * h;
        if (e < 0 || l->step == 0)
            memset(before, 0, (size_t)h * sizeof *before);
        if (e < 0) {
            memset(pre, 0, (size_t)(4 * h) * sizeof *pre);
            continue;
        }
        const float *cell = l->cell + e * h, *cell_before = l->step > 0 ? cell - h : NULL;
        float *gates = l->gates + e * 4 * h;
        job->loops->lstm_cell_backward(gates, cell_before, cell, l->dh + t * h, l->dc + t * h, h);
        memcpy(pre, gates, (size_t)(4 * h) * sizeof *pre);
        if (l->step > 0)
            job->loops->lstm_output(before, gates - h, cell_before, h);
    }
}

graco_status cpu_lstm_step_backward(struct context *c, const struct lstm *l)
{
    struct lstm_job job = {loops_choose(), l};
    threads_run(c->threads, l->segments->entries.rows, ROWS_PER_PIECE, step_back_piece, &job);
    return GRACO_OK;
}
