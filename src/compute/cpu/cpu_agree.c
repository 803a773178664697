/* Rows against a summary. Each piece of rows sums its own columns and costs, and the pieces are added
 * in order. A row is read once: its logit, and then its share in q. */
#include "compute/cpu/cpu.h"

#include "base/threads.h"
#include "compute/cpu/loops.h"
#include "compute/permutation.h"

#include <math.h>
#include <string.h>

enum { ROWS_PER_PIECE = 128, PLACES_PER_PIECE = 1024 };

/* out[j] = the sum of column j over the pieces' rows, in order. */
static void add_pieces(double *out, const float *partial, int64_t pieces, int64_t cols)
{
    memset(out, 0, (size_t)cols * sizeof(double));
    for (int64_t piece = 0; piece < pieces; piece++)
        for (int64_t j = 0; j < cols; j++)
            out[j] += (double)partial[piece * cols + j];
}

struct summing {
    const struct loops *loops;
    int64_t cols;
    const float *X;
    float *sums; /* (pieces, cols) */
};

static void sum_rows(void *job, struct threads_piece rows)
{
    const struct summing *s = job;
    float *sum = s->sums + rows.first / ROWS_PER_PIECE * s->cols;
    memset(sum, 0, (size_t)s->cols * sizeof(float));
    for (int64_t i = rows.first; i < rows.last; i++)
        s->loops->axpy(sum, 1, s->X + i * s->cols, s->cols);
}

graco_status cpu_summarise(struct context *c, int64_t rows, int64_t cols, const float *X, float *s)
{
    struct summing summing = {.loops = loops_choose(), .cols = cols, .X = X};
    int64_t pieces = pieces_of(rows, ROWS_PER_PIECE);
    double *total = NULL;
    graco_status status = GRACO_OK;
    TRY(context_take(c, &summing.sums, pieces * cols, sizeof(float)));
    TRY(context_take(c, &total, cols, sizeof(double)));
    threads_run(c->threads, rows, ROWS_PER_PIECE, sum_rows, &summing);
    add_pieces(total, summing.sums, pieces, cols);
    for (int64_t j = 0; j < cols; j++)
        s[j] = (float)(1 / (1 + exp(-total[j] / (double)rows)));
done:
    context_give(c, total);
    context_give(c, summing.sums);
    return status;
}

struct agreeing {
    const struct loops *loops;
    const struct agreement *spec;
    float *q;      /* (pieces, d) */
    double *costs; /* (pieces, 2): the cost, and the sum of r */
    float *dH, *dG;
    float *w; /* (d) what every row of dH gets through the summary */
};

static const float *row_of(const struct agreement *a, int64_t i)
{
    return i < a->positives ? a->H + i * a->d : a->G + (i - a->positives) * a->d;
}

static void agree_rows(void *job, struct threads_piece rows)
{
    const struct agreeing *run = job;
    const struct agreement *a = run->spec;
    int64_t piece = rows.first / ROWS_PER_PIECE;
    double share = 1 / (double)(a->positives + a->negatives), cost = 0, sum = 0;
    float *q = run->q + piece * a->d;
    memset(q, 0, (size_t)a->d * sizeof(float));
    for (int64_t i = rows.first; i < rows.last; i++) {
        const float *h = row_of(a, i);
        double sign = i < a->positives ? -1 : 1;
        double x = sign * (run->loops->dot(h, a->v, a->d) + (double)*a->beta);
        double e = exp(-fabs(x)), r = sign * share * (x < 0 ? e : 1) / (1 + e);
        cost += fmax(x, 0) + log1p(e) + 0 * x; /* NaN stays NaN */
        sum += r;
        a->r[i] = (float)r;
        run->loops->axpy(q, (float)r, h, a->d);
    }
    run->costs[2 * piece] = cost;
    run->costs[2 * piece + 1] = sum;
}

graco_status cpu_agree(struct context *c, struct agreement *a)
{
    struct agreeing run = {.loops = loops_choose(), .spec = a};
    int64_t rows = a->positives + a->negatives, pieces = pieces_of(rows, ROWS_PER_PIECE);
    double *total = NULL, loss = 0, sum = 0;
    graco_status status = GRACO_OK;
    TRY(context_take(c, &run.q, pieces * a->d, sizeof(float)));
    TRY(context_take(c, &run.costs, 2 * pieces, sizeof(double)));
    TRY(context_take(c, &total, a->d, sizeof(double)));
    threads_run(c->threads, rows, ROWS_PER_PIECE, agree_rows, &run);
    add_pieces(total, run.q, pieces, a->d);
    for (int64_t j = 0; j < a->d; j++)
        a->q[j] = (float)total[j];
    for (int64_t piece = 0; piece < pieces; piece++) {
        loss += run.costs[2 * piece];
        sum += run.costs[2 * piece + 1];
    }
    a->q[a->d] = (float)sum;
    a->loss = loss / (double)rows;
done:
    context_give(c, total);
    context_give(c, run.costs);
    context_give(c, run.q);
    return status;
}

static void agree_rows_back(void *job, struct threads_piece rows)
{
    const struct agreeing *run = job;
    const struct agreement *a = run->spec;
    for (int64_t i = rows.first; i < rows.last; i++) {
        bool positive = i < a->positives;
        float *dh = positive ? run->dH + i * a->d : run->dG + (i - a->positives) * a->d,
              r = a->r[i];
        for (int64_t j = 0; j < a->d; j++)
            dh[j] = r * a->v[j] + (positive ? run->w[j] : 0);
    }
}

graco_status cpu_agree_backward(struct context *c, const struct agreement *a, float *dH, float *dG)
{
    struct agreeing run = {.spec = a, .dH = dH, .dG = dG};
    PASS(context_take(c, &run.w, a->d, sizeof(float)));
    for (int64_t j = 0; j < a->d; j++)
        run.w[j] = a->ds[j] * a->s[j] * (1 - a->s[j]) / (float)a->positives;
    threads_run(c->threads, a->positives + a->negatives, ROWS_PER_PIECE, agree_rows_back, &run);
    context_give(c, run.w);
    return GRACO_OK;
}

/* ---- The order of a view's rows -------------------------------------------------------------- */

struct ordering {
    uint32_t words[PERMUTATION_ROUNDS];
    int64_t n;
    int32_t *order, *place;
};

static void order_places(void *job, struct threads_piece places)
{
    const struct ordering *o = job;
    int bits = permutation_bits(o->n);
    for (int64_t i = places.first; i < places.last; i++) {
        int64_t row = permutation_at(o->words, bits, o->n, i);
        o->order[i] = (int32_t)row;
        o->place[row] = (int32_t)i;
    }
}

graco_status cpu_draw_order(struct context *c, const struct random_key *key, int64_t n,
                            int32_t *order, int32_t *place)
{
    struct ordering ordering = {.n = n, .order = order, .place = place};
    random_blocks(ordering.words, key, 0, PERMUTATION_ROUNDS / 4);
    threads_run(c->threads, n, PLACES_PER_PIECE, order_places, &ordering);
    return GRACO_OK;
}
