#include "eval/probe.h"

#include "base/memory.h"
#include "base/blas.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 128 }; /* rows that are scored together */

/* One row as the regression sees it: x (dim + 1). */
static void prepare_row(double *x, const struct probe *probe, const struct probe_input *input,
                        int32_t row)
{
    const float *z = input->Z + row * input->dim;
    if (probe->scale != NULL) {
        for (int64_t j = 0; j < input->dim; j++)
            x[j] = (z[j] - probe->shift[j]) * probe->scale[j];
    } else {
        double square = 0;
        for (int64_t j = 0; j < input->dim; j++)
            square += (double)z[j] * z[j];
        double scale = square > 0 ? 1 / sqrt(square) : 0;
        for (int64_t j = 0; j < input->dim; j++)
            x[j] = z[j] * scale;
    }
    x[input->dim] = 1;
}

static void prepare_rows(double *X, const struct probe *probe, const struct probe_input *input,
                         const int32_t *rows, int64_t n, int threads)
{
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < n; i++)
        prepare_row(X + i * (input->dim + 1), probe, input, rows[i]);
}

static graco_status find_scaling(struct probe *probe, const struct probe_input *input,
                                 const int32_t *rows, int64_t n)
{
    graco_status status = GRACO_OK;
    int64_t dim = input->dim;
    TRY(memory_zalloc(&probe->shift, dim, sizeof *probe->shift));
    TRY(memory_zalloc(&probe->scale, dim, sizeof *probe->scale));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < dim; j++)
            probe->shift[j] += input->Z[rows[i] * dim + j] / (double)n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < dim; j++) {
            double away = input->Z[rows[i] * dim + j] - probe->shift[j];
            probe->scale[j] += away * away / (double)n;
        }
    for (int64_t j = 0; j < dim; j++) {
        /* A constant column differs from its mean by rounding alone. */
        double deviation = sqrt(probe->scale[j]);
        probe->scale[j] = deviation > 1e-12 * fabs(probe->shift[j]) ? 1 / deviation : 1;
    }
done:
    return status;
}

static bool is_positive(const struct probe_input *input, int32_t row, int64_t class)
{
    return input->multi != NULL ? input->multi[row * input->classes + class] != 0
                                : input->label[row] == class;
}

/* The classes with a positive row, and positive (outputs, n) for the solver. */
static graco_status find_outputs(struct probe *probe, uint8_t **positive,
                                 const struct probe_input *input, const int32_t *rows, int64_t n)
{
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&probe->class_of, input->classes, sizeof *probe->class_of));
    for (int64_t k = 0; k < input->classes; k++) {
        int64_t i = 0;
        while (i < n && !is_positive(input, rows[i], k))
            i++;
        if (i < n)
            probe->class_of[probe->outputs++] = (int32_t)k;
    }
    TRY(memory_alloc(positive, probe->outputs * n, sizeof **positive));
    for (int64_t k = 0; k < probe->outputs; k++)
        for (int64_t i = 0; i < n; i++)
            (*positive)[k * n + i] = is_positive(input, rows[i], probe->class_of[k]);
done:
    return status;
}

graco_status probe_fit(struct probe *out, const struct probe_input *input, const int32_t *rows,
                       int64_t n, const double *C, int64_t count)
{
    graco_status status = GRACO_OK;
    struct probe made = {.count = count};
    struct logistic_rows rotated = {0};
    uint8_t *positive = NULL;
    double *X = NULL;
    int64_t cols = input->dim + 1;
    if (input->multi != NULL)
        TRY(find_scaling(&made, input, rows, n));
    TRY(find_outputs(&made, &positive, input, rows, n));
    TRY(memory_alloc(&X, n * cols, sizeof *X));
    prepare_rows(X, &made, input, rows, n, input->threads);
    TRY(logistic_rows_init(&rotated, X, n, cols, input->threads));
    memory_free(X); /* as large as the rotated rows, and not needed beside them */
    X = NULL;
    TRY(memory_alloc(&made.W, count * made.outputs * cols, sizeof *made.W));
    TRY(logistic_solve(made.W, &made.report, &rotated, positive, made.outputs, C, count,
                       input->threads));
    *out = made;
done:
    if (status != GRACO_OK)
        probe_clear(&made);
    memory_free(X);
    memory_free(positive);
    logistic_rows_clear(&rotated);
    return status;
}

/* Counts one row whose scores for one C are s (outputs). */
static void count_single(struct metrics_counts *counts, int64_t *table, const struct probe *probe,
                         const struct probe_input *input, int32_t row, const double *s)
{
    int64_t best = 0;
    for (int64_t k = 1; k < probe->outputs; k++)
        if (s[k] > s[best])
            best = k;
    int32_t truth = input->label[row], chosen = probe->class_of[best];
    if (truth == chosen) {
        counts->true_positive++;
    } else {
        counts->false_positive++;
        counts->false_negative++;
    }
    if (table != NULL)
        table[truth * input->classes + chosen]++;
}

static void count_multi(struct metrics_counts *counts, int64_t *table, const struct probe *probe,
                        const struct probe_input *input, int32_t row, const double *s)
{
    const uint8_t *truth = input->multi + row * input->classes;
    int64_t output = 0;
    for (int64_t k = 0; k < input->classes; k++) {
        bool solved = output < probe->outputs && probe->class_of[output] == k;
        bool chosen = solved && s[output] > 0;
        output += solved;
        counts->true_positive += truth[k] && chosen;
        counts->false_positive += !truth[k] && chosen;
        counts->false_negative += truth[k] && !chosen;
        if (table != NULL)
            table[4 * k + (truth[k] ? (chosen ? 0 : 2) : (chosen ? 1 : 3))]++;
    }
}

/* Scores one block of rows; X (BLOCK, dim + 1) and S (BLOCK, count * outputs) are the thread's. */
static void score_block(struct metrics_counts *counts, int64_t *table, const struct probe *probe,
                        const struct probe_input *input, const int32_t *rows, int64_t n,
                        const double *W, int64_t count, double *X, double *S)
{
    int64_t cols = input->dim + 1, width = count * probe->outputs;
    prepare_rows(X, probe, input, rows, n, 1);
    if (width > 0)
        blas_dgemm((struct blas_result){S, n, width, width, false}, cols, blas_plain(X, cols),
                   blas_transposed(W, cols));
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < count; c++)
            (input->multi != NULL ? count_multi : count_single)(
                &counts[c], table, probe, input, rows[i], S + i * width + c * probe->outputs);
}

graco_status probe_score(struct metrics_counts *counts, int64_t *table, const struct probe *probe,
                         const struct probe_input *input, const int32_t *rows, int64_t n,
                         int64_t first, int64_t count)
{
    graco_status status = GRACO_OK;
    int64_t cols = input->dim + 1, width = count * probe->outputs;
    int64_t blocks = (n + BLOCK - 1) / BLOCK;
    int64_t threads = blocks < input->threads ? blocks : input->threads;
    int64_t table_size = input->classes * (input->multi != NULL ? 4 : input->classes);
    double *X = NULL, *S = NULL;
    struct metrics_counts *parts = NULL;
    int64_t *tables = NULL;
    const double *W = probe->W + first * probe->outputs * cols;
    threads = threads < 1 ? 1 : threads;
    TRY(memory_alloc(&X, threads * BLOCK * cols, sizeof *X));
    TRY(memory_alloc(&S, threads * BLOCK * width, sizeof *S));
    TRY(memory_zalloc(&parts, threads * count, sizeof *parts));
    TRY(memory_zalloc(&tables, table != NULL ? threads * table_size : 0, sizeof *tables));
    /* Whole numbers: their sum does not depend on who counted what. */
#pragma omp parallel for schedule(static) num_threads((int)threads)
    for (int64_t t = 0; t < threads; t++)
        for (int64_t b = t; b < blocks; b += threads)
            score_block(parts + t * count, table != NULL ? tables + t * table_size : NULL, probe,
                        input, rows + b * BLOCK, n - b * BLOCK < BLOCK ? n - b * BLOCK : BLOCK, W,
                        count, X + t * BLOCK * cols, S + t * BLOCK * width);
    memset(counts, 0, (size_t)count * sizeof *counts);
    for (int64_t i = 0; i < threads * count; i++) {
        counts[i % count].true_positive += parts[i].true_positive;
        counts[i % count].false_positive += parts[i].false_positive;
        counts[i % count].false_negative += parts[i].false_negative;
    }
    for (int64_t i = 0; table != NULL && i < threads * table_size; i++)
        table[i % table_size] += tables[i];
done:
    memory_free(tables);
    memory_free(parts);
    memory_free(S);
    memory_free(X);
    return status;
}

void probe_clear(struct probe *probe)
{
    if (probe == NULL)
        return;
    memory_free(probe->class_of);
    memory_free(probe->shift);
    memory_free(probe->scale);
    memory_free(probe->W);
    *probe = (struct probe){0};
}
