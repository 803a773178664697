/* Logistic regressions on the same rows. Rows are cut into chunks by their number alone; a thread
 * takes a chunk, panel by panel, so that X is still in the cache when its second product comes:
 *
 *     S (count, panel) = W X'  ->  residuals, or curvature o S  ->  sum (count, cols) += S X
 *
 * The chunks' sums are added in order, so bits do not depend on the number of threads. */
#include "compute/cpu/cpu.h"

#include "base/threads.h"
#include "compute/cpu/loops.h"

#include <string.h>

enum {
    CHUNKS_MAX = 64,  /* sums in memory at a time */
    CHUNK_PANELS = 2, /* panels of a chunk, at least */
    OUTPUTS_PER_PIECE = 8,
};

/* Panels serve as operands of a product. */
_Static_assert((int)REGRESSION_PANEL == (int)PANEL, "other panels than products have");

/* A call, of either kernel: the arrays of the other one are NULL. */
struct regress_job {
    const struct regression *r;
    const struct loops *loops;
    int64_t chunk, chunks; /* rows of a chunk */
    const double *W;
    double *room, *sums; /* (threads, outputs, PANEL), (chunks, count, cols + 2) */
    double *G;
    const float *Q;
    float *room_rounded, *sums_rounded; /* (threads, outputs, PANEL), (chunks, count, cols) */
    float *H;
};

static struct regress_job job_of(const struct regression *r)
{
    int64_t panels = pieces_of(pieces_of(r->rows, CHUNKS_MAX), PANEL);
    struct regress_job job = {.r = r, .loops = loops_choose()};
    job.chunk = (panels < CHUNK_PANELS ? CHUNK_PANELS : panels) * PANEL;
    job.chunks = pieces_of(r->rows, job.chunk);
    return job;
}

/* ---- Losses and gradients -------------------------------------------------------------------- */

/* Rows first .. of all listed outputs: residuals in place of scores, curvature, and what they add to
 * the loss and the curvature behind each row of `sum`. */
static void find_residuals(const struct regress_job *job, double *score, int64_t first,
                           int64_t size, double *sum)
{
    const struct regression *r = job->r;
    for (int64_t a = 0; a < r->count; a++) {
        int64_t place = r->list[a] * r->rows + first;
        job->loops->residuals(score + a * PANEL, r->positive + place, r->curvature + place, size,
                              sum + a * (r->cols + 2) + r->cols);
    }
}

static void regress_chunk(void *argument, struct threads_piece chunk)
{
    const struct regress_job *job = argument;
    const struct regression *r = job->r;
    int64_t wide = r->cols + 2, begin = chunk.first * job->chunk;
    int64_t end = least(begin + job->chunk, r->rows);
    double *score = job->room + chunk.seat * r->outputs * PANEL;
    double *sum = job->sums + chunk.first * r->count * wide;
    memset(sum, 0, (size_t)(r->count * wide) * sizeof *sum);
    for (int64_t first = begin; first < end; first += PANEL) {
        int64_t size = least(PANEL, end - first);
        const struct panel_product_double scores = {.rows = r->count,
                                                    .cols = PANEL,
                                                    .depth = r->cols,
                                                    .A = job->W,
                                                    .a_row = r->cols,
                                                    .a_col = 1,
                                                    .B = r->panels + first * r->cols,
                                                    .b_row = PANEL,
                                                    .C = score,
                                                    .c_row = PANEL};
        const struct panel_product_double back = {.rows = r->count,
                                                  .cols = r->cols,
                                                  .depth = size,
                                                  .A = score,
                                                  .a_row = PANEL,
                                                  .a_col = 1,
                                                  .B = r->X + first * r->cols,
                                                  .b_row = r->cols,
                                                  .b_panel = PANEL,
                                                  .C = sum,
                                                  .c_row = wide,
                                                  .accumulate = true};
        job->loops->product_double(&scores);
        find_residuals(job, score, first, size, sum);
        job->loops->product_double(&back);
    }
}

static void add_sums(void *argument, struct threads_piece outputs)
{
    const struct regress_job *job = argument;
    int64_t count = job->r->count, wide = job->r->cols + 2;
    for (int64_t a = outputs.first; a < outputs.last; a++) {
        double *g = job->G + a * wide;
        memset(g, 0, (size_t)wide * sizeof *g);
        for (int64_t chunk = 0; chunk < job->chunks; chunk++) {
            const double *sum = job->sums + (chunk * count + a) * wide;
            for (int64_t j = 0; j < wide; j++)
                g[j] += sum[j];
        }
        g[wide - 1] /= (double)job->r->rows;
    }
}

graco_status cpu_regress(struct context *c, const struct regression *r, const double *W, double *G)
{
    graco_status status = GRACO_OK;
    struct regress_job job = job_of(r);
    job.W = W;
    job.G = G;
    /* Sizes for all outputs, so that lists that shrink find their buffers in the cache. */
    TRY(context_take(c, &job.room, c->threads * r->outputs * PANEL, sizeof *job.room));
    TRY(context_take(c, &job.sums, job.chunks * r->outputs * (r->cols + 2), sizeof *job.sums));
    threads_run(c->threads, job.chunks, 1, regress_chunk, &job);
    threads_run(c->threads, r->count, OUTPUTS_PER_PIECE, add_sums, &job);
done:
    context_give(c, job.sums);
    context_give(c, job.room);
    return status;
}

/* ---- Products with the Hessian --------------------------------------------------------------- */

static void curve_chunk(void *argument, struct threads_piece chunk)
{
    const struct regress_job *job = argument;
    const struct regression *r = job->r;
    int64_t begin = chunk.first * job->chunk, end = least(begin + job->chunk, r->rows);
    float *score = job->room_rounded + chunk.seat * r->outputs * PANEL;
    float *sum = job->sums_rounded + chunk.first * r->count * r->cols;
    struct panel_product scores = {r->count, PANEL, r->cols, job->Q, r->cols, 1,
                                   NULL,     PANEL, PANEL,   score,  PANEL,   false};
    struct panel_product back = {r->count, r->cols, 0,     score, PANEL,   1,
                                 NULL,     r->cols, PANEL, sum,   r->cols, false};
    for (int64_t first = begin; first < end; first += PANEL) {
        back.depth = least(PANEL, end - first);
        back.accumulate = first > begin;
        scores.B = r->panels_rounded + first * r->cols;
        back.B = r->X_rounded + first * r->cols;
        job->loops->product(&scores);
        for (int64_t a = 0; a < r->count; a++)
            job->loops->multiply(score + a * PANEL, r->curvature + r->list[a] * r->rows + first,
                                 back.depth);
        job->loops->product(&back);
    }
}

static void add_rounded(void *argument, struct threads_piece outputs)
{
    const struct regress_job *job = argument;
    int64_t count = job->r->count, cols = job->r->cols;
    for (int64_t a = outputs.first; a < outputs.last; a++) {
        float *h = job->H + a * cols;
        memset(h, 0, (size_t)cols * sizeof *h);
        for (int64_t chunk = 0; chunk < job->chunks; chunk++)
            job->loops->axpy(h, 1, job->sums_rounded + (chunk * count + a) * cols, cols);
    }
}

graco_status cpu_regress_curve(struct context *c, const struct regression *r, const float *Q,
                               float *H)
{
    graco_status status = GRACO_OK;
    struct regress_job job = job_of(r);
    job.Q = Q;
    job.H = H;
    TRY(context_take(c, &job.room_rounded, c->threads * r->outputs * PANEL,
                     sizeof *job.room_rounded));
    TRY(context_take(c, &job.sums_rounded, job.chunks * r->outputs * r->cols,
                     sizeof *job.sums_rounded));
    threads_run(c->threads, job.chunks, 1, curve_chunk, &job);
    threads_run(c->threads, r->count, OUTPUTS_PER_PIECE, add_rounded, &job);
done:
    context_give(c, job.sums_rounded);
    context_give(c, job.room_rounded);
    return status;
}
