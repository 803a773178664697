/* Logits against classes, a listed row at a time: softmax and its cross-entropy, or a cost for each
 * column. Pieces of rows sum their costs, and the pieces are added in order. */
#include "compute/cpu/cpu.h"

#include "base/threads.h"
#include "compute/cpu/loops.h"

enum { ROWS_PER_PIECE = 64 };

/* Row number `place` of the list: its cost and, with dx, its gradient times `scale`, which is added.
 * `room` has cols floats. */
static double softmax_row(const struct loops *loops, const struct classification *s, int64_t place,
                          float *room, float *dx, double scale)
{
    const float *x = s->X + (s->row ? s->row[place] : place) * s->cols;
    double weight = s->weight ? (double)s->weight[place] : 1;
    double cost = loops->softmax(room, x, s->cols) - (double)x[s->label[place]];
    if (dx) {
        loops->axpy(dx, (float)(weight * scale), room, s->cols);
        dx[s->label[place]] -= (float)(weight * scale);
    }
    return weight * cost;
}

static double sigmoid_row(const struct loops *loops, const struct classification *s, int64_t place,
                          float *room, float *dx, double scale)
{
    const float *x = s->X + (s->row ? s->row[place] : place) * s->cols, factor = (float)scale;
    const uint8_t *target = s->target + place * s->cols;
    for (int64_t j = 0; j < s->cols; j++)
        room[j] = target[j] ? -x[j] : x[j];
    const float *weight = s->weight ? s->weight + place * s->cols : NULL;
    double cost = loops->softplus(dx ? room : NULL, room, weight, s->cols);
    for (int64_t j = 0; j < s->cols && dx; j++)
        dx[j] += target[j] ? -factor * room[j] : factor * room[j];
    return cost;
}

struct classify_job {
    const struct loops *loops;
    const struct classification *spec;
    double scale;
    double *costs; /* (pieces) */
    float *room;   /* (pieces, cols) */
    float *dX;
};

static void classify_piece(void *argument, struct threads_piece piece)
{
    const struct classify_job *job = argument;
    const struct classification *s = job->spec;
    int64_t number = piece.first / ROWS_PER_PIECE;
    double cost = 0;
    for (int64_t i = piece.first; i < piece.last; i++) {
        float *dx = job->dX ? job->dX + (s->row ? s->row[i] : i) * s->cols : NULL;
        cost += (s->kind == CLASSIFY_SOFTMAX ? softmax_row : sigmoid_row)(
            job->loops, s, i, job->room + number * s->cols, dx, job->scale);
    }
    job->costs[number] = cost;
}

/* The loss of all listed rows; with dX the gradient is added there. */
static graco_status all_rows(struct context *c, const struct classification *s, float *dX,
                             double *loss)
{
    struct classify_job job = {
        .loops = loops_choose(), .spec = s, .scale = classification_scale(s), .dX = dX};
    int64_t pieces = pieces_of(s->count, ROWS_PER_PIECE);
    double total = 0;
    graco_status status = GRACO_OK;
    TRY(context_take(c, &job.costs, pieces, sizeof(double)));
    TRY(context_take(c, &job.room, pieces * s->cols, sizeof(float)));
    threads_run(c->threads, s->count, ROWS_PER_PIECE, classify_piece, &job);
    for (int64_t piece = 0; piece < pieces; piece++)
        total += job.costs[piece];
    *loss = total * job.scale;
done:
    context_give(c, job.room);
    context_give(c, job.costs);
    return status;
}

graco_status cpu_classify(struct context *c, struct classification *s)
{
    return all_rows(c, s, NULL, &s->loss);
}

graco_status cpu_classify_backward(struct context *c, const struct classification *s, float *dX)
{
    double loss = 0;
    return all_rows(c, s, dX, &loss);
}
