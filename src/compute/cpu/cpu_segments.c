/* Operations over the sources of each target: a piece of targets, or of sources on the way back, at a
 * time. Each row of a result belongs to one thread, which goes through its entries in order. */
#include "compute/cpu/cpu.h"

#include "base/threads.h"
#include "compute/cpu/loops.h"

#include <math.h>
#include <string.h>

enum { ROWS_PER_PIECE = 16 };

/* What the pieces of one kernel share. */
struct segments_job {
    const struct loops *loops;
    const struct segments *g;
    struct segment_heads heads;
    int64_t cols;
    float *Y;
    const float *X, *W;    /* W: weights of entries, or a second operand */
    int32_t *won;          /* the forward's winners */
    const int32_t *winner; /* the same, read */
    bool turned, accumulate;
};

static void max_piece(void *argument, struct threads_piece piece)
{
    const struct segments_job *job = argument;
    const struct csr *entries = &job->g->entries;
    for (int64_t t = piece.first; t < piece.last; t++) {
        float *restrict y = job->Y + t * job->cols;
        int32_t *restrict won = job->won + t * job->cols;
        int64_t start = entries->start[t], count = entries->start[t + 1] - start;
        memset(y, 0, (size_t)job->cols * sizeof *y);
        for (int64_t j = 0; j < job->cols; j++)
            won[j] = -1;
        for (int64_t e = 0; e < count; e++) {
            const float *restrict x = job->X + entries->index[start + e] * job->cols;
            for (int64_t j = 0; j < job->cols; j++) {
                bool more = e == 0 || x[j] > y[j];
                y[j] = more ? x[j] : y[j];
                won[j] = more ? (int32_t)e : won[j];
            }
        }
    }
}

graco_status cpu_segment_max(struct context *c, const struct segments *g, int64_t cols, float *Y,
                             const float *X, int32_t *winner)
{
    struct segments_job job = {.g = g, .cols = cols, .Y = Y, .X = X, .won = winner};
    threads_run(c->threads, g->entries.rows, ROWS_PER_PIECE, max_piece, &job);
    return GRACO_OK;
}

static void max_back_piece(void *argument, struct threads_piece piece)
{
    const struct segments_job *job = argument;
    const struct csr *turned = &job->g->transpose;
    for (int64_t s = piece.first; s < piece.last; s++) {
        float *restrict dx = job->Y + s * job->cols;
        if (!job->accumulate)
            memset(dx, 0, (size_t)job->cols * sizeof *dx);
        for (int64_t k = turned->start[s]; k < turned->start[s + 1]; k++) {
            int64_t t = turned->index[k];
            const int32_t place = (int32_t)(job->g->from[k] - job->g->entries.start[t]);
            const float *restrict dy = job->X + t * job->cols;
            const int32_t *restrict winner = job->winner + t * job->cols;
            for (int64_t j = 0; j < job->cols; j++)
                dx[j] += winner[j] == place ? dy[j] : 0;
        }
    }
}

graco_status cpu_segment_max_backward(struct context *c, const struct segments *g, int64_t cols,
                                      float *dX, const float *dY, const int32_t *winner,
                                      bool accumulate)
{
    struct segments_job job = {
        .g = g, .cols = cols, .Y = dX, .X = dY, .winner = winner, .accumulate = accumulate};
    threads_run(c->threads, g->transpose.rows, ROWS_PER_PIECE, max_back_piece, &job);
    return GRACO_OK;
}

/* One head of one target: scores are `heads` apart. */
static void softmax_head(float *s, int64_t count, int64_t heads)
{
    float most = s[0];
    double total = 0;
    for (int64_t e = 1; e < count; e++)
        most = s[e * heads] > most ? s[e * heads] : most;
    for (int64_t e = 0; e < count; e++) {
        s[e * heads] = expf(s[e * heads] - most);
        total += (double)s[e * heads];
    }
    const float inverse = (float)(1 / total);
    for (int64_t e = 0; e < count; e++)
        s[e * heads] *= inverse;
}

static void softmax_piece(void *argument, struct threads_piece piece)
{
    const struct segments_job *job = argument;
    const int64_t *start = job->g->entries.start, heads = job->cols;
    for (int64_t t = piece.first; t < piece.last; t++)
        for (int64_t k = 0; k < heads && start[t + 1] > start[t]; k++)
            softmax_head(job->Y + start[t] * heads + k, start[t + 1] - start[t], heads);
}

graco_status cpu_segment_softmax(struct context *c, const struct segments *g, int64_t heads,
                                 float *S)
{
    struct segments_job job = {.g = g, .cols = heads, .Y = S};
    threads_run(c->threads, g->entries.rows, ROWS_PER_PIECE, softmax_piece, &job);
    return GRACO_OK;
}

static void softmax_back_piece(void *argument, struct threads_piece piece)
{
    const struct segments_job *job = argument;
    const int64_t *start = job->g->entries.start, heads = job->cols;
    for (int64_t t = piece.first; t < piece.last; t++)
        for (int64_t k = 0; k < heads; k++) {
            double along = 0;
            for (int64_t e = start[t]; e < start[t + 1]; e++)
                along += (double)(job->W[e * heads + k] * job->Y[e * heads + k]);
            for (int64_t e = start[t]; e < start[t + 1]; e++) {
                float *d = &job->Y[e * heads + k];
                *d = job->W[e * heads + k] * (*d - (float)along);
            }
        }
}

graco_status cpu_segment_softmax_backward(struct context *c, const struct segments *g,
                                          int64_t heads, float *dW, const float *W)
{
    struct segments_job job = {.g = g, .cols = heads, .Y = dW, .W = W};
    threads_run(c->threads, g->entries.rows, ROWS_PER_PIECE, softmax_back_piece, &job);
    return GRACO_OK;
}

static void dot_piece(void *argument, struct threads_piece piece)
{
    const struct segments_job *job = argument;
    const struct csr *entries = &job->g->entries;
    int64_t heads = job->heads.heads, width = job->heads.width, cols = heads * width;
    for (int64_t t = piece.first; t < piece.last; t++)
        for (int64_t e = entries->start[t]; e < entries->start[t + 1]; e++)
            for (int64_t k = 0; k < heads; k++) {
                const float *a = job->X + t * cols + k * width;
                const float *b = job->W + entries->index[e] * cols + k * width;
                float dot = (float)(job->heads.scale * job->loops->dot(a, b, width));
                job->Y[e * heads + k] = (job->accumulate ? job->Y[e * heads + k] : 0) + dot;
            }
}

graco_status cpu_segment_dot(struct context *c, const struct segment_heads *h, float *S,
                             const float *A, const float *B, bool accumulate)
{
    struct segments_job job = {.loops = loops_choose(),
                               .g = h->segments,
                               .heads = *h,
                               .Y = S,
                               .X = A,
                               .W = B,
                               .accumulate = accumulate};
    threads_run(c->threads, h->segments->entries.rows, ROWS_PER_PIECE, dot_piece, &job);
    return GRACO_OK;
}

static void sum_piece(void *argument, struct threads_piece piece)
{
    const struct segments_job *job = argument;
    const struct csr *rows = job->turned ? &job->g->transpose : &job->g->entries;
    int64_t heads = job->heads.heads, width = job->heads.width, cols = heads * width;
    const float scale = (float)job->heads.scale;
    for (int64_t row = piece.first; row < piece.last; row++) {
        float *y = job->Y + row * cols;
        if (!job->accumulate)
            memset(y, 0, (size_t)cols * sizeof *y);
        for (int64_t e = rows->start[row]; e < rows->start[row + 1]; e++) {
            const float *w = job->W + (job->turned ? (int64_t)job->g->from[e] : e) * heads;
            const float *x = job->X + rows->index[e] * cols;
            for (int64_t k = 0; k < heads; k++)
                job->loops->axpy(y + k * width, scale * w[k], x + k * width, width);
        }
    }
}

graco_status cpu_segment_sum(struct context *c, const struct segment_heads *h, float *Y,
                             const float *W, const float *X, bool turned, bool accumulate)
{
    struct segments_job job = {.loops = loops_choose(),
                               .g = h->segments,
                               .heads = *h,
                               .Y = Y,
                               .X = X,
                               .W = W,
                               .turned = turned,
                               .accumulate = accumulate};
    const struct csr *rows = turned ? &h->segments->transpose : &h->segments->entries;
    threads_run(c->threads, rows->rows, ROWS_PER_PIECE, sum_piece, &job);
    return GRACO_OK;
}
