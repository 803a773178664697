/* Nearest neighbours of rows. A kernel finds candidates in float32, a few more than are asked for; their
 * scores are computed again in double, and the best of them stay. */
#include "graco_more.h"
#include "base/memory.h"
#include "base/threads.h"
#include "compute/context.h"
#include "compute/neighbour_heap.h"
#include "eval/dot.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    SPARE = 4, /* candidates beyond k: what float32 cannot tell apart, double may */
    ROWS_PER_PIECE = 64,
};

enum metric { METRIC_COSINE, METRIC_INNER };

static const char *const METRICS[] = {[METRIC_COSINE] = "cosine", [METRIC_INNER] = "inner"};
enum { METRIC_COUNT = sizeof METRICS / sizeof *METRICS };

const char *graco_metric(int index)
{
    return index >= 0 && index < METRIC_COUNT ? METRICS[index] : NULL;
}

graco_neighbours_options graco_neighbours_defaults(void)
{
    return (graco_neighbours_options){.k = 10, .metric = METRICS[0], .memory = (int64_t)1 << 30};
}

/* ---- Checks ----------------------------------------------------------------------------------- */

static graco_status find_metric(enum metric *out, const char *name)
{
    for (int i = 0; i < METRIC_COUNT; i++)
        if (!name || strcmp(name, METRICS[i]) == 0) {
            *out = (enum metric)i;
            return GRACO_OK;
        }
    return status_fail(GRACO_ERROR_ARGUMENT, "the metric '%.80s': expected cosine or inner", name);
}

static graco_status check_shape(const graco_matrix *Z, const graco_neighbours_options *options)
{
    if (Z->rows < 2 || Z->rows > INT32_MAX || Z->cols < 1)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "embeddings of %lld nodes with %lld columns have no neighbours: expected "
            "2 nodes or more and a column",
            (long long)Z->rows, (long long)Z->cols);
    if (options->k < 1 || options->k >= Z->rows)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%lld neighbours of each of %lld nodes: expected 1 to %lld",
                           (long long)options->k, (long long)Z->rows, (long long)(Z->rows - 1));
    if (options->memory < 1)
        return status_fail(GRACO_ERROR_ARGUMENT, "%lld bytes of memory: expected at least 1",
                           (long long)options->memory);
    for (int64_t i = 0; options->nodes && i < options->count; i++)
        if (options->nodes[i] < 0 || options->nodes[i] >= Z->rows)
            return status_fail(GRACO_ERROR_ARGUMENT, "there is no node %lld: expected 0 to %lld",
                               (long long)options->nodes[i], (long long)(Z->rows - 1));
    return GRACO_OK;
}

/* ---- Lengths of rows -------------------------------------------------------------------------- */

struct neighbours_search {
    enum metric metric;
    const graco_matrix *Z;
    double *norm; /* (nodes) */
    int shift;    /* inner products are compared divided by 2 to this; 0 where float32 holds them */
    struct neighbour_search kernel;
    graco_neighbours made;
};

static double dot(const graco_matrix *Z, int64_t a, int64_t b)
{
    return dot_rows(Z->data + a * Z->cols, Z->data + b * Z->cols, Z->cols);
}

static void measure_rows(void *job, struct threads_piece rows)
{
    const struct neighbours_search *s = job;
    for (int64_t i = rows.first; i < rows.last; i++)
        s->norm[i] = sqrt(dot(s->Z, i, i));
}

/* A number that is not finite makes its row's length so, as no sum of squares of floats overflows. */
static graco_status check_finite(const struct neighbours_search *s)
{
    const graco_matrix *Z = s->Z;
    for (int64_t i = 0; i < Z->rows; i++)
        for (int64_t j = 0; !isfinite(s->norm[i]) && j < Z->cols; j++)
            if (!isfinite(Z->data[i * Z->cols + j]))
                return status_fail(GRACO_ERROR_NUMBER,
                                   "the embedding of node %lld has the value %g in column %lld; "
                                   "expected finite numbers",
                                   (long long)i, (double)Z->data[i * Z->cols + j], (long long)j);
    return GRACO_OK;
}

/* Rows are compared at length one for cosines, rows of zeros as they are. For inner products all of them are
 * multiplied by the same power of two, which changes no digit, so that the longest has about length one:
 * then no product overflows. */
static void choose_scales(struct neighbours_search *s, float *scale)
{
    double longest = 0;
    int exponent;
    for (int64_t i = 0; i < s->Z->rows; i++)
        longest = fmax(longest, s->norm[i]);
    frexp(longest, &exponent);
    if (s->metric == METRIC_INNER &&
        (2 * exponent >= FLT_MAX_EXP || 2 * exponent < FLT_MIN_EXP + FLT_MANT_DIG))
        s->shift = 2 * exponent;
    exponent = exponent < -FLT_MAX_EXP + 2 ? -FLT_MAX_EXP + 2 : exponent;
    for (int64_t i = 0; i < s->Z->rows; i++)
        scale[i] = s->metric == METRIC_INNER ? ldexpf(1, -exponent)
                   : s->norm[i] > 0          ? (float)fmin(1 / s->norm[i], FLT_MAX)
                                             : 0;
}

/* ---- Scores in double -------------------------------------------------------------------------- */

static double score_of(const struct neighbours_search *s, int64_t a, int64_t b)
{
    double product = dot(s->Z, a, b), lengths = s->norm[a] * s->norm[b];
    if (s->metric == METRIC_INNER)
        return ldexp(product, -s->shift);
    return lengths > 0 ? fmax(-1, fmin(1, product / lengths)) : 0;
}

/* The candidates of each row again, as floats that are rounded once, and the best of them. */
static void score_again(void *job, struct threads_piece rows)
{
    const struct neighbours_search *s = job;
    const struct neighbour_search *found = &s->kernel;
    int64_t k = s->made.k;
    for (int64_t i = rows.first; i < rows.last; i++) {
        uint64_t *best = found->best + i * found->k;
        for (int64_t c = 0; c < found->k; c++) {
            int64_t row = heap_row(best[c]), at = c;
            uint64_t moved = heap_rank((float)score_of(s, s->made.node[i], row), row);
            for (; at > 0 && moved > best[at - 1]; at--)
                best[at] = best[at - 1];
            best[at] = moved;
        }
        for (int64_t c = 0; c < k; c++) {
            s->made.index[i * k + c] = heap_row(best[c]);
            s->made.score[i * k + c] = (float)ldexp((double)heap_score(best[c]), s->shift);
        }
    }
}

/* ---- The search -------------------------------------------------------------------------------- */

static graco_status open_device(struct context **out, const char *device, int threads,
                                const struct neighbour_search *kernel)
{
    const struct backend *backend = NULL;
    double operations = 2 * (double)kernel->asked * (double)kernel->n * (double)kernel->d;
    PASS(backend_find_for(&backend, device, operations));
    return context_create(out, backend, threads, 0);
}

/* What is asked of the kernel, and room for the result. */
static graco_status prepare(struct neighbours_search *s, int32_t **list, float **scale,
                            const graco_neighbours_options *options)
{
    int64_t n = s->Z->rows, count = options->nodes ? options->count : n;
    int64_t candidates = options->k < n - 1 - SPARE ? options->k + SPARE : n - 1;
    s->made = (graco_neighbours){METRICS[s->metric], n, count, options->k, NULL, NULL, NULL, 0};
    PASS(memory_alloc(&s->made.node, count, sizeof *s->made.node));
    PASS(memory_alloc(&s->made.index, count * options->k, sizeof *s->made.index));
    PASS(memory_alloc(&s->made.score, count * options->k, sizeof *s->made.score));
    PASS(memory_alloc(&s->norm, n, sizeof *s->norm));
    PASS(memory_alloc(scale, n, sizeof **scale));
    if (options->nodes)
        PASS(memory_alloc(list, count, sizeof **list));
    for (int64_t i = 0; i < count; i++) {
        s->made.node[i] = options->nodes ? options->nodes[i] : i;
        if (options->nodes)
            (*list)[i] = (int32_t)options->nodes[i];
    }
    s->kernel = (struct neighbour_search){.n = n,
                                          .d = s->Z->cols,
                                          .k = candidates,
                                          .Z = s->Z->data,
                                          .scale = *scale,
                                          .asked = count,
                                          .list = *list,
                                          .memory = options->memory};
    PASS(memory_expect((double)count * (double)candidates * sizeof *s->kernel.best,
                       "the lists of neighbours"));
    return memory_alloc(&s->kernel.best, count * candidates, sizeof *s->kernel.best);
}

graco_status graco_neighbours_find(graco_neighbours *out, const graco_matrix *Z,
                                   const graco_neighbours_options *options)
{
    const graco_neighbours_options defaults = graco_neighbours_defaults();
    graco_status status = GRACO_OK;
    struct neighbours_search s = {.Z = Z};
    struct threads_watch watch;
    struct context *context = NULL;
    int32_t *list = NULL;
    float *scale = NULL;
    if (!options)
        options = &defaults;
    int threads = threads_count(options->threads);
    threads_watch(&watch, options->on_progress, options->user);
    TRY(find_metric(&s.metric, options->metric));
    TRY(check_shape(Z, options));
    TRY(prepare(&s, &list, &scale, options));
    threads_run(threads, Z->rows, ROWS_PER_PIECE, measure_rows, &s);
    TRY(threads_look());
    TRY(check_finite(&s));
    for (int64_t i = 0; i < Z->rows; i++)
        s.made.zero_rows += s.norm[i] == 0;
    choose_scales(&s, scale);
    TRY(open_device(&context, options->device, threads, &s.kernel));
    TRY(context->kernels->neighbours(context, &s.kernel));
    TRY(context_finish(context));
    TRY(threads_look());
    threads_run(threads, s.made.count, ROWS_PER_PIECE, score_again, &s);
    TRY(threads_look());
    *out = s.made;
done:
    threads_unwatch(&watch);
    if (status != GRACO_OK)
        graco_neighbours_clear(&s.made);
    context_free(context);
    memory_free(s.kernel.best);
    memory_free(s.norm);
    memory_free(scale);
    memory_free(list);
    return status;
}

void graco_neighbours_clear(graco_neighbours *neighbours)
{
    if (!neighbours)
        return;
    memory_free(neighbours->score);
    memory_free(neighbours->index);
    memory_free(neighbours->node);
    *neighbours = (graco_neighbours){0};
}
