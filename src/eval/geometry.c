/* Everything is summed in double: first for each row or column, which any thread may take, then
 * over these in their order. So the numbers are the same for any number of threads. */
#include "eval/geometry.h"

#include "base/memory.h"
#include "base/threads.h"
#include "eval/dot.h"
#include "eval/eigen.h"

#include <math.h>

enum { ROWS = 64, COLUMNS = 8 };

struct geometry {
    const graco_matrix *Z;
    const struct graph *graph;
    double *gram;    /* (cols, cols) Z'Z, its lower triangle */
    double *inverse; /* (rows) 1 / |z|, 0 for rows of zeros */
    double *sum;     /* (rows) or (sample) */
    int64_t sample;
};

/* ---- Distances ------------------------------------------------------------------------------- */

static const float *row_of(const struct geometry *g, int64_t i)
{
    return g->Z->data + i * g->Z->cols;
}

/* |u_i - u_j|^2 = |u_i|^2 + |u_j|^2 - 2 u_i . u_j, where a length is 1 or, for a row of zeros,
 * 0. */
static double apart(const struct geometry *g, int64_t i, int64_t j)
{
    double lengths = (g->inverse[i] > 0) + (g->inverse[j] > 0);
    double cosine =
        dot_rows(row_of(g, i), row_of(g, j), g->Z->cols) * g->inverse[i] * g->inverse[j];
    return fmax(lengths - 2 * cosine, 0);
}

static void find_inverses(void *job, struct threads_piece rows)
{
    const struct geometry *g = job;
    for (int64_t i = rows.first; i < rows.last; i++) {
        double square = dot_rows(row_of(g, i), row_of(g, i), g->Z->cols);
        g->inverse[i] = square > 0 ? 1 / sqrt(square) : 0;
    }
}

/* ---- Alignment and uniformity ---------------------------------------------------------------- */

static void sum_edges(void *job, struct threads_piece targets)
{
    const struct geometry *g = job;
    const struct csr *in = &g->graph->in;
    for (int64_t i = targets.first; i < targets.last; i++) {
        g->sum[i] = 0;
        for (int64_t e = in->start[i]; e < in->start[i + 1]; e++)
            g->sum[i] += apart(g, i, in->index[e]);
    }
}

static int64_t sampled(const struct geometry *g, int64_t s)
{
    return s * g->Z->rows / g->sample;
}

static void sum_pairs(void *job, struct threads_piece rows)
{
    const struct geometry *g = job;
    for (int64_t s = rows.first; s < rows.last; s++) {
        g->sum[s] = 0;
        for (int64_t t = s + 1; t < g->sample; t++)
            g->sum[s] += exp(-2 * apart(g, sampled(g, s), sampled(g, t)));
    }
}

/* Runs `body` over `count` items and adds up their sums. */
static graco_status add_up(double *total, struct geometry *g, int64_t count, threads_body *body,
                           int threads)
{
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&g->inverse, g->Z->rows, sizeof *g->inverse));
    TRY(memory_alloc(&g->sum, count, sizeof *g->sum));
    threads_run(threads, g->Z->rows, ROWS, find_inverses, g);
    threads_run(threads, count, ROWS, body, g);
    *total = 0;
    for (int64_t i = 0; i < count; i++)
        *total += g->sum[i];
done:
    memory_free(g->sum);
    memory_free(g->inverse);
    return status;
}

graco_status geometry_alignment(double *mean, const graco_matrix *Z, const struct graph *graph,
                                int threads)
{
    struct geometry g = {.Z = Z, .graph = graph};
    double sum = 0;
    PASS(add_up(&sum, &g, graph->nodes, sum_edges, threads));
    *mean = graph->edges > 0 ? sum / (double)graph->edges : (double)NAN;
    return GRACO_OK;
}

graco_status geometry_uniformity(double *value, int64_t *nodes, const graco_matrix *Z, int threads)
{
    struct geometry g = {.Z = Z, .sample = Z->rows < GEOMETRY_NODES ? Z->rows : GEOMETRY_NODES};
    double sum = 0, pairs = (double)g.sample * (double)(g.sample - 1) / 2;
    PASS(add_up(&sum, &g, g.sample, sum_pairs, threads));
    *value = pairs > 0 ? log(sum / pairs) : (double)NAN;
    *nodes = g.sample;
    return GRACO_OK;
}

/* ---- Spectrum -------------------------------------------------------------------------------- */

static void fill_gram(void *job, struct threads_piece columns)
{
    const struct geometry *g = job;
    int64_t cols = g->Z->cols;
    for (int64_t i = 0; i < g->Z->rows; i++) {
        const float *z = row_of(g, i);
        for (int64_t a = columns.first; a < columns.last; a++)
            for (int64_t b = 0; b <= a; b++)
                g->gram[a * cols + b] += (double)z[a] * (double)z[b];
    }
}

graco_status geometry_spectrum(double *singular, const graco_matrix *Z, int threads)
{
    graco_status status = GRACO_OK;
    struct geometry g = {.Z = Z};
    struct blas blas = {0};
    if (Z->cols < 1 || Z->cols > GEOMETRY_COLUMNS)
        FAIL(GRACO_ERROR_ARGUMENT, "embeddings of %lld columns have no spectrum; expected 1 to %d",
             (long long)Z->cols, GEOMETRY_COLUMNS);
    TRY(blas_open(&blas, threads));
    TRY(memory_zalloc(&g.gram, Z->cols * Z->cols, sizeof *g.gram));
    threads_run(threads, Z->cols, COLUMNS, fill_gram, &g);
    TRY(eigen_symmetric(singular, g.gram, Z->cols, &blas));
    for (int64_t a = 0, b = Z->cols - 1; a <= b; a++, b--) { /* ascending, and squares */
        double low = singular[a], high = singular[b];
        singular[a] = a < Z->rows ? sqrt(fmax(high, 0)) : 0;
        singular[b] = b < Z->rows ? sqrt(fmax(low, 0)) : 0;
    }
done:
    blas_close(&blas);
    memory_free(g.gram);
    return status;
}

double geometry_effective_rank(const double *singular, int64_t count)
{
    double sum = 0, entropy = 0;
    for (int64_t i = 0; i < count; i++)
        sum += singular[i];
    for (int64_t i = 0; i < count; i++)
        if (singular[i] > 0)
            entropy -= singular[i] / sum * log(singular[i] / sum);
    return sum > 0 ? exp(entropy) : 0;
}
