/* Activations, normalisation and gathering: row by row. Gradients of biases and slopes are sums
 * over all rows; each piece of rows sums its own, and the pieces are added in order. */
#include "compute/cpu/cpu.h"

#include "compute/cpu/loops.h"

#include <math.h>
#include <string.h>

enum { ROWS_PER_PIECE = 256 };

static const double NORM_FLOOR = 1e-12;
static const float RRELU_MEAN = 11.0f / 48;

/* What the loops need of one row. Elements share PRELU's slope, and RRELU's outside training; in
 * training each has its own, given or drawn into `room` (cols). */
static struct activation_row row_of(const struct loops *loops, const struct activation *a,
                                    int64_t row, float *room)
{
    struct activation_row out = {.kind = a->kind, .count = a->cols, .bias = a->bias};
    out.slope = a->kind == ACTIVATION_PRELU  ? a->slope[0]
                : a->kind == ACTIVATION_NONE ? 1
                                             : RRELU_MEAN;
    if (a->kind != ACTIVATION_RRELU || !a->training)
        return out;
    out.slopes = a->slope ? a->slope + row * a->cols : room;
    if (!a->slope)
        loops->rrelu_slopes(room, &a->key, row * a->cols, a->cols);
    return out;
}

static int64_t piece_end(int64_t piece, int64_t rows)
{
    return least((piece + 1) * ROWS_PER_PIECE, rows);
}

graco_status cpu_activate(struct context *c, const struct activation *a, float *Y, const float *X)
{
    const struct loops *loops = loops_choose();
    int64_t pieces = pieces_of(a->rows, ROWS_PER_PIECE);
    float *room = NULL;
    PASS(context_take(c, &room, pieces * a->cols, sizeof(float)));
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t piece = 0; piece < pieces; piece++)
        for (int64_t i = piece * ROWS_PER_PIECE; i < piece_end(piece, a->rows); i++) {
            struct activation_row row = row_of(loops, a, i, room + piece * a->cols);
            loops->activate(Y + i * a->cols, X + i * a->cols, &row);
        }
    context_give(c, room);
    return GRACO_OK;
}

/* out[j] += the pieces' sums of column j, in order. */
static void add_pieces(float *out, const double *partial, int64_t pieces, int64_t cols)
{
    for (int64_t j = 0; j < cols; j++) {
        double total = (double)out[j];
        for (int64_t piece = 0; piece < pieces; piece++)
            total += partial[piece * cols + j];
        out[j] = (float)total;
    }
}

graco_status cpu_activate_backward(struct context *c, const struct activation *a, float *dX,
                                   const float *dY, const float *Y, float *dbias, float *dslope)
{
    const struct loops *loops = loops_choose();
    int64_t pieces = pieces_of(a->rows, ROWS_PER_PIECE), cols = a->cols;
    float *room = NULL;
    double *slopes = NULL, *partial = NULL; /* gradients of biases are small sums of large terms */
    graco_status status = GRACO_OK;
    TRY(context_take(c, &room, pieces * cols, sizeof(float)));
    TRY(context_take(c, &partial, pieces * cols, sizeof(double)));
    TRY(context_take(c, &slopes, pieces, sizeof(double)));
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t piece = 0; piece < pieces; piece++) {
        double *sum = partial + piece * cols;
        memset(sum, 0, (size_t)cols * sizeof(double));
        slopes[piece] = 0;
        for (int64_t i = piece * ROWS_PER_PIECE; i < piece_end(piece, a->rows); i++) {
            struct activation_row row = row_of(loops, a, i, room + piece * cols);
            slopes[piece] += loops->activate_backward(dX + i * cols, dY + i * cols, Y + i * cols,
                                                      &row, dbias ? sum : NULL);
        }
    }
    if (dbias)
        add_pieces(dbias, partial, pieces, cols);
    if (dslope) {
        double total = *dslope;
        for (int64_t piece = 0; piece < pieces; piece++)
            total += slopes[piece];
        *dslope = (float)total;
    }
done:
    context_give(c, room);
    context_give(c, partial);
    context_give(c, slopes);
    return status;
}

graco_status cpu_normalise(struct context *c, int64_t rows, int64_t cols, float *X,
                           const float *bias, float *norm)
{
    const struct loops *loops = loops_choose();
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t i = 0; i < rows; i++) {
        float *x = X + i * cols;
        for (int64_t j = 0; bias && j < cols; j++)
            x[j] += bias[j];
        double length = fmax(sqrt(loops->dot(x, x, cols)), NORM_FLOOR);
        float inverse = (float)(1 / length);
        norm[i] = (float)length;
        for (int64_t j = 0; j < cols; j++)
            x[j] *= inverse;
    }
    return GRACO_OK;
}

graco_status cpu_normalise_backward(struct context *c, int64_t rows, int64_t cols, float *dZ,
                                    const float *Z, const float *norm, float *dbias)
{
    const struct loops *loops = loops_choose();
    int64_t pieces = pieces_of(rows, ROWS_PER_PIECE);
    double *partial = NULL;
    PASS(context_take(c, &partial, pieces * cols, sizeof(double)));
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t piece = 0; piece < pieces; piece++) {
        double *sum = partial + piece * cols;
        memset(sum, 0, (size_t)cols * sizeof(double));
        for (int64_t i = piece * ROWS_PER_PIECE; i < piece_end(piece, rows); i++) {
            float *dz = dZ + i * cols;
            const float *z = Z + i * cols;
            float along = (float)loops->dot(z, dz, cols), inverse = 1 / norm[i];
            for (int64_t j = 0; j < cols; j++)
                dz[j] = (dz[j] - z[j] * along) * inverse;
            for (int64_t j = 0; j < cols && dbias; j++)
                sum[j] += (double)dz[j];
        }
    }
    if (dbias)
        add_pieces(dbias, partial, pieces, cols);
    context_give(c, partial);
    return GRACO_OK;
}

graco_status cpu_gather(struct context *c, int64_t rows, int64_t cols, float *Y, const float *X,
                        const int32_t *index)
{
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t i = 0; i < rows; i++)
        memcpy(Y + i * cols, X + index[i] * cols, (size_t)cols * sizeof(float));
    return GRACO_OK;
}
