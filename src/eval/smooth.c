/* A projection by random signs keeps inner products to a few per cent (Achlioptas, 2003), so nodes times
 * features are never held: rows are projected as they are read, and what is smoothed is narrow. Each row of
 * a pass is summed by one thread, in double and in the order of its entries. */
#include "eval/smooth.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"

#include <math.h>

enum {
    ROWS = 64, /* that a thread takes at a time */
    WORDS = SMOOTH_COLUMNS / 32,
};

struct smoothing {
    const struct features *X;
    const uint8_t *only; /* (X->cols) whether a column counts; NULL: all do */
    const struct graph *graph;
    int64_t cols;     /* of from and to */
    int8_t *sign;     /* (X->cols, cols) 1 or -1; NULL: nothing is projected */
    double *scale;    /* (nodes) D^-1/2 */
    float *from, *to; /* (nodes, cols) */
};

/* ---- Projection ------------------------------------------------------------------------------ */

static void draw_signs(void *job, struct threads_piece columns)
{
    const struct smoothing *s = job;
    const struct random_key key = {.stream = RANDOM_SMOOTH};
    for (int64_t j = columns.first; j < columns.last; j++) {
        uint32_t bits[WORDS];
        random_block(bits, &key, (uint64_t)j);
        for (int k = 0; k < SMOOTH_COLUMNS; k++)
            s->sign[j * SMOOTH_COLUMNS + k] = bits[k / 32] >> k % 32 & 1 ? 1 : -1;
    }
}

static void add_entry(double *sum, const struct smoothing *s, int64_t column, double x)
{
    if (!s->sign) {
        sum[column] += x;
        return;
    }
    for (int k = 0; k < SMOOTH_COLUMNS; k++)
        sum[k] += x * s->sign[column * SMOOTH_COLUMNS + k];
}

/* A row of X that is scaled to length one, projected. */
static void project_row(double *sum, const struct smoothing *s, int64_t i)
{
    const struct features *X = s->X;
    const struct csr *sparse = &X->sparse;
    int64_t first = X->dense ? i * X->cols : sparse->start[i];
    int64_t last = X->dense ? first + X->cols : sparse->start[i + 1];
    const float *value = X->dense ? X->dense : sparse->value;
    double square = 0;
    for (int64_t k = first; k < last; k++)
        square += value ? (double)value[k] * (double)value[k] : 1;
    double scale = square > 0 ? 1 / sqrt(square) : 0;
    for (int64_t k = first; k < last; k++) {
        double x = value ? (double)value[k] : 1;
        int64_t column = X->dense ? k - first : sparse->index[k];
        if (x != 0 && (!s->only || s->only[column]))
            add_entry(sum, s, column, x * scale);
    }
}

static void project(void *job, struct threads_piece rows)
{
    const struct smoothing *s = job;
    for (int64_t i = rows.first; i < rows.last; i++) {
        double sum[SMOOTH_COLUMNS] = {0};
        project_row(sum, s, i);
        for (int64_t j = 0; j < s->cols; j++)
            s->to[i * s->cols + j] = (float)sum[j];
    }
}

/* ---- Smoothing ------------------------------------------------------------------------------- */

static void find_degrees(void *job, struct threads_piece rows)
{
    const struct smoothing *s = job;
    for (int64_t i = rows.first; i < rows.last; i++)
        s->scale[i] = 1 / sqrt(graph_degree(s->graph, i) + 1);
}

static void add_row(double *sum, const float *row, double factor, int64_t cols)
{
    for (int64_t j = 0; j < cols; j++)
        sum[j] += factor * (double)row[j];
}

static void smooth(void *job, struct threads_piece rows)
{
    const struct smoothing *s = job;
    const struct csr *in = &s->graph->in;
    for (int64_t i = rows.first; i < rows.last; i++) {
        double sum[SMOOTH_COLUMNS] = {0}, own = s->scale[i];
        add_row(sum, s->from + i * s->cols, own * own, s->cols);
        for (int64_t e = in->start[i]; e < in->start[i + 1]; e++) {
            double weight = in->value ? (double)in->value[e] : 1;
            add_row(sum, s->from + in->index[e] * s->cols, weight * own * s->scale[in->index[e]],
                    s->cols);
        }
        for (int64_t j = 0; j < s->cols; j++)
            s->to[i * s->cols + j] = (float)sum[j];
    }
}

static void scale_rows(void *job, struct threads_piece rows)
{
    const struct smoothing *s = job;
    for (int64_t i = rows.first; i < rows.last; i++) {
        float *row = s->to + i * s->cols;
        double square = 0;
        for (int64_t j = 0; j < s->cols; j++)
            square += (double)row[j] * (double)row[j];
        double scale = square > 0 ? 1 / sqrt(square) : 0;
        for (int64_t j = 0; j < s->cols; j++)
            row[j] = (float)((double)row[j] * scale);
    }
}

static graco_status prepare(struct smoothing *s, int threads)
{
    int64_t nodes = s->graph->nodes;
    PASS(memory_alloc(&s->scale, nodes, sizeof *s->scale));
    PASS(memory_alloc(&s->from, nodes * s->cols, sizeof *s->from));
    PASS(memory_alloc(&s->to, nodes * s->cols, sizeof *s->to));
    threads_run(threads, nodes, ROWS, find_degrees, s);
    return GRACO_OK;
}

/* Smooths the rows in `to`, and hands them over. */
static void finish(graco_matrix *out, struct smoothing *s, int passes, int threads)
{
    int64_t nodes = s->graph->nodes;
    for (int pass = 0; pass < passes && s->graph->edges > 0; pass++) {
        float *made = s->to;
        s->to = s->from;
        s->from = made;
        threads_run(threads, nodes, ROWS, smooth, s);
    }
    threads_run(threads, nodes, ROWS, scale_rows, s);
    *out = (graco_matrix){nodes, s->cols, s->to};
    s->to = NULL;
}

static void clear(struct smoothing *s)
{
    memory_free(s->to);
    memory_free(s->from);
    memory_free(s->scale);
    memory_free(s->sign);
}

/* Draws the signs, where features are projected. */
static graco_status prepare_signs(struct smoothing *s, int threads)
{
    const struct features *X = s->X;
    PASS(features_check(X));
    if (X->cols <= SMOOTH_COLUMNS)
        return GRACO_OK;
    PASS(memory_alloc(&s->sign, X->cols * SMOOTH_COLUMNS, sizeof *s->sign));
    threads_run(threads, X->cols, ROWS, draw_signs, s);
    return GRACO_OK;
}

graco_status smooth_features(graco_matrix *S, const graco_dataset *data, int passes, int threads)
{
    graco_status status = GRACO_OK;
    const struct features *X = &data->features;
    struct smoothing s = {
        .X = X, .graph = data->graph, .cols = X->cols < SMOOTH_COLUMNS ? X->cols : SMOOTH_COLUMNS};
    *S = (graco_matrix){0};
    if (s.cols == 0)
        return GRACO_OK;
    TRY(prepare_signs(&s, threads));
    TRY(prepare(&s, threads));
    threads_run(threads, s.graph->nodes, ROWS, project, &s);
    finish(S, &s, passes, threads);
done:
    clear(&s);
    return status;
}

graco_status smooth_project(graco_matrix *Y, const struct features *X, const uint8_t *only,
                            int threads)
{
    graco_status status = GRACO_OK;
    struct smoothing s = {
        .X = X, .only = only, .cols = X->cols < SMOOTH_COLUMNS ? X->cols : SMOOTH_COLUMNS};
    TRY(prepare_signs(&s, threads));
    TRY(memory_alloc(&s.to, X->rows * s.cols, sizeof *s.to));
    threads_run(threads, X->rows, ROWS, project, &s);
    *Y = (graco_matrix){X->rows, s.cols, s.to};
    s.to = NULL;
done:
    clear(&s);
    return status;
}
