/* Activations, normalisation and gathering: row by row. Gradients of biases and slopes are sums
 * over all rows; each piece of rows sums its own, and the pieces are added in order. */
#include "compute/cpu/cpu.h"

#include "base/threads.h"
#include "compute/cpu/loops.h"

#include <math.h>
#include <string.h>

enum {
    SUMMED_MOST = 256, /* rows of a piece of a sum over rows: decides its bits */
    SUMMED_LEAST = 32,
    SUMMED_PIECES = 64, /* to aim at between these */
    ROWS_APART = 64,    /* where rows have nothing in common */
};

/* How many rows a piece of a sum has. */
static int64_t summed_rows(int64_t rows)
{
    int64_t piece = least(SUMMED_MOST, pieces_of(rows, SUMMED_PIECES));
    return piece > SUMMED_LEAST ? piece : (int64_t)SUMMED_LEAST;
}

static const double NORM_FLOOR = 1e-12;
static const float RRELU_MEAN = 11.0f / 48, LEAKY_SLOPE = 0.1f;

/* The slope below zero that elements share. */
static float common_slope(const struct activation *a)
{
    switch (a->kind) {
    case ACTIVATION_PRELU:
        return a->slope[0];
    case ACTIVATION_NONE:
        return 1;
    case ACTIVATION_LEAKY:
        return LEAKY_SLOPE;
    default:
        return RRELU_MEAN;
    }
}

/* What the loops need of one row. Elements share PRELU's slope, and RRELU's outside training; in
 * training each has its own, given or drawn into `room` (cols). */
static struct activation_row row_of(const struct loops *loops, const struct activation *a,
                                    int64_t row, float *room)
{
    struct activation_row out = {.kind = a->kind, .count = a->cols, .bias = a->bias};
    out.slope = common_slope(a);
    if (a->kind != ACTIVATION_RRELU || !a->training)
        return out;
    out.slopes = a->slope ? a->slope + row * a->cols : room;
    if (!a->slope)
        loops->rrelu_slopes(room, &a->key, rank_row(&a->among, row) * a->cols, a->cols);
    return out;
}

/* An activation, one way or back. Each thread has its own part of `room`, each piece of `sum` and `slopes`. */
struct activating {
    const struct activation *spec;
    float *Y, *dX;
    const float *X, *dY;
    float *room;   /* (threads, cols) */
    double *sum;   /* (pieces, cols) gradients of biases: small sums of large terms; or NULL */
    double *slope; /* (pieces) gradients of PRELU's slope */
};

static void activate_rows(void *job, struct threads_piece rows)
{
    const struct activating *run = job;
    const struct loops *loops = loops_choose();
    int64_t cols = run->spec->cols;
    for (int64_t i = rows.first; i < rows.last; i++) {
        struct activation_row row = row_of(loops, run->spec, i, run->room + rows.seat * cols);
        loops->activate(run->Y + i * cols, run->X + i * cols, &row);
    }
}

void cpu_activate_rows(const struct activation *a, float *Y, int64_t first, int64_t last,
                       float *room)
{
    struct activating run = {.spec = a, .Y = Y, .X = Y, .room = room};
    activate_rows(&run, (struct threads_piece){first, last, 0});
}

graco_status cpu_activate(struct context *c, const struct activation *a, float *Y, const float *X)
{
    struct activating run = {.spec = a, .Y = Y, .X = X};
    PASS(context_take(c, &run.room, c->threads * a->cols, sizeof(float)));
    threads_run(c->threads, a->rows, ROWS_APART, activate_rows, &run);
    context_give(c, run.room);
    return GRACO_OK;
}

/* out[j] += the pieces' sums of column j, in order: all columns of a piece at a time, as they lie. The first
 * piece's become the totals. */
static void add_pieces(float *out, double *partial, int64_t pieces, int64_t cols)
{
    if (pieces == 0)
        return;
    for (int64_t j = 0; j < cols; j++)
        partial[j] += (double)out[j];
    for (int64_t piece = 1; piece < pieces; piece++)
        for (int64_t j = 0; j < cols; j++)
            partial[j] += partial[piece * cols + j];
    for (int64_t j = 0; j < cols; j++)
        out[j] = (float)partial[j];
}

static void activate_rows_back(void *job, struct threads_piece rows)
{
    const struct activating *run = job;
    const struct loops *loops = loops_choose();
    int64_t cols = run->spec->cols, piece = rows.first / summed_rows(run->spec->rows);
    double *sum = run->sum ? run->sum + piece * cols : NULL, slope = 0;
    if (sum)
        memset(sum, 0, (size_t)cols * sizeof(double));
    for (int64_t i = rows.first; i < rows.last; i++) {
        struct activation_row row = row_of(loops, run->spec, i, run->room + rows.seat * cols);
        slope += loops->activate_backward(run->dX + i * cols, run->dY + i * cols, run->Y + i * cols,
                                          &row, sum);
    }
    run->slope[piece] = slope;
}

graco_status cpu_activate_backward(struct context *c, const struct activation *a, float *dX,
                                   const float *dY, const float *Y, float *dbias, float *dslope)
{
    int64_t size = summed_rows(a->rows), pieces = pieces_of(a->rows, size), cols = a->cols;
    struct activating run = {.spec = a, .dX = dX, .dY = dY, .Y = (float *)Y};
    graco_status status = GRACO_OK;
    TRY(context_take(c, &run.room, c->threads * cols, sizeof(float)));
    TRY(context_take(c, &run.slope, pieces, sizeof(double)));
    if (dbias)
        TRY(context_take(c, &run.sum, pieces * cols, sizeof(double)));
    threads_run(c->threads, a->rows, size, activate_rows_back, &run);
    if (dbias)
        add_pieces(dbias, run.sum, pieces, cols);
    if (dslope) {
        double total = *dslope;
        for (int64_t piece = 0; piece < pieces; piece++)
            total += run.slope[piece];
        *dslope = (float)total;
    }
done:
    context_give(c, run.room);
    context_give(c, run.slope);
    context_give(c, run.sum);
    return status;
}

/* Normalisation, one way (X, bias, norm) or back (Z, dZ, norm, sum). */
struct normalising {
    int64_t rows, cols;
    float *X, *dZ, *norm;
    const float *bias, *Z;
    double *sum; /* (pieces, cols) gradients of biases, or NULL */
};

static void normalise_rows(void *job, struct threads_piece rows)
{
    const struct normalising *run = job;
    const struct loops *loops = loops_choose();
    int64_t cols = run->cols;
    const float *bias = run->bias;
    for (int64_t i = rows.first; i < rows.last; i++) {
        float *x = run->X + i * cols;
        for (int64_t j = 0; bias && j < cols; j++)
            x[j] += bias[j];
        double length = fmax(sqrt(loops->dot(x, x, cols)), NORM_FLOOR);
        float inverse = (float)(1 / length);
        run->norm[i] = (float)length;
        for (int64_t j = 0; j < cols; j++)
            x[j] *= inverse;
    }
}

graco_status cpu_normalise(struct context *c, int64_t rows, int64_t cols, float *X,
                           const float *bias, float *norm)
{
    struct normalising run = {.rows = rows, .cols = cols, .X = X, .bias = bias, .norm = norm};
    threads_run(c->threads, rows, ROWS_APART, normalise_rows, &run);
    return GRACO_OK;
}

static void normalise_rows_back(void *job, struct threads_piece rows)
{
    const struct normalising *run = job;
    const struct loops *loops = loops_choose();
    int64_t cols = run->cols;
    double *sum = run->sum ? run->sum + rows.first / summed_rows(run->rows) * cols : NULL;
    if (sum)
        memset(sum, 0, (size_t)cols * sizeof(double));
    for (int64_t i = rows.first; i < rows.last; i++) {
        float *dz = run->dZ + i * cols;
        const float *z = run->Z + i * cols;
        float along = (float)loops->dot(z, dz, cols), inverse = 1 / run->norm[i];
        for (int64_t j = 0; j < cols; j++)
            dz[j] = (dz[j] - z[j] * along) * inverse;
        for (int64_t j = 0; j < cols && sum; j++)
            sum[j] += (double)dz[j];
    }
}

graco_status cpu_normalise_backward(struct context *c, int64_t rows, int64_t cols, float *dZ,
                                    const float *Z, const float *norm, float *dbias)
{
    int64_t size = summed_rows(rows), pieces = pieces_of(rows, size);
    struct normalising run = {.rows = rows, .cols = cols, .dZ = dZ, .Z = Z, .norm = (float *)norm};
    if (dbias)
        PASS(context_take(c, &run.sum, pieces * cols, sizeof(double)));
    threads_run(c->threads, rows, size, normalise_rows_back, &run);
    if (dbias)
        add_pieces(dbias, run.sum, pieces, cols);
    context_give(c, run.sum);
    return GRACO_OK;
}

struct gathering {
    int64_t cols;
    float *Y;
    const float *X;
    const int32_t *index;
};

static void gather_rows(void *job, struct threads_piece rows)
{
    const struct gathering *g = job;
    for (int64_t i = rows.first; i < rows.last; i++)
        memcpy(g->Y + i * g->cols, g->X + g->index[i] * g->cols, (size_t)g->cols * sizeof(float));
}

graco_status cpu_gather(struct context *c, int64_t rows, int64_t cols, float *Y, const float *X,
                        const int32_t *index)
{
    struct gathering gathering = {cols, Y, X, index};
    threads_run(c->threads, rows, ROWS_APART, gather_rows, &gathering);
    return GRACO_OK;
}
