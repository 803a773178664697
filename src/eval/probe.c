/* Fitting prepares the rows in double, rotates them and hands them to the solver. Scoring prepares
 * them again, block by block, and multiplies each block with the weights of all classes and all
 * values of C at once. */
#include "eval/probe.h"

#include "base/memory.h"
#include "base/threads.h"
#include "eval/blas.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = 128,         /* rows that are prepared or scored together */
    BLOCK_WIDTH = 32768, /* scores of a row, up to which there are so many; wider rows, fewer */
    COLUMNS = 32,        /* that are standardised together */
};

graco_status probe_backend(const struct backend **out, const char *device,
                           const struct probe_input *input, int64_t rows, int64_t fits)
{
    enum { PRODUCTS = 16 * 21 }; /* with X or X' for each class, about, over all values of C */
    double size = (double)rows * (double)input->dim * (double)input->classes;
    return backend_find_for(out, device, 2 * PRODUCTS * size * (double)fits);
}

/* One node's row as the regression sees it: x (dim + 1). */
static void prepare_row(double *x, const struct probe *probe, const struct probe_input *input,
                        int32_t node)
{
    const float *z = input->Z + node * input->dim;
    if (probe->scale) {
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

struct rows_job {
    double *X; /* (nodes, dim + 1) */
    const struct probe *probe;
    const struct probe_input *input;
    struct node_list nodes;
};

static void prepare_rows(void *job, struct threads_piece rows)
{
    const struct rows_job *p = job;
    for (int64_t i = rows.first; i < rows.last; i++)
        prepare_row(p->X + i * (p->input->dim + 1), p->probe, p->input, p->nodes.node[i]);
}

/* Mean and inverse deviation of some columns over the nodes of the fit. */
static void standardise_columns(void *job, struct threads_piece columns)
{
    const struct rows_job *p = job;
    const float *Z = p->input->Z;
    double *shift = p->probe->shift, *scale = p->probe->scale;
    int64_t dim = p->input->dim, n = p->nodes.count;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = columns.first; j < columns.last; j++)
            shift[j] += Z[p->nodes.node[i] * dim + j] / (double)n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = columns.first; j < columns.last; j++) {
            double away = Z[p->nodes.node[i] * dim + j] - shift[j];
            scale[j] += away * away / (double)n;
        }
    for (int64_t j = columns.first; j < columns.last; j++) {
        /* A constant column differs from its mean by rounding alone. */
        double deviation = sqrt(scale[j]);
        scale[j] = deviation > 1e-12 * fabs(shift[j]) ? 1 / deviation : 1;
    }
}

static graco_status standardise(struct probe *probe, const struct probe_input *input,
                                struct node_list nodes)
{
    struct rows_job preparation = {NULL, probe, input, nodes};
    PASS(memory_zalloc(&probe->shift, input->dim, sizeof *probe->shift));
    PASS(memory_zalloc(&probe->scale, input->dim, sizeof *probe->scale));
    threads_run(input->threads, input->dim, COLUMNS, standardise_columns, &preparation);
    return GRACO_OK;
}

static bool is_positive(const struct probe_input *input, int32_t node, int64_t class)
{
    return input->multi ? input->multi[node * input->classes + class] != 0
                        : input->label[node] == class;
}

/* Rows of `positive` for the solver. */
struct signs {
    uint8_t *positive; /* (outputs, nodes) */
    struct rows_job of;
};

static void fill_positive(void *job, struct threads_piece outputs)
{
    const struct signs *s = job;
    const struct node_list nodes = s->of.nodes;
    for (int64_t k = outputs.first; k < outputs.last; k++)
        for (int64_t i = 0; i < nodes.count; i++)
            s->positive[k * nodes.count + i] =
                is_positive(s->of.input, nodes.node[i], s->of.probe->class_of[k]);
}

/* The classes with a positive row, and positive (outputs, n) for the solver. */
static graco_status find_outputs(struct probe *probe, uint8_t **positive,
                                 const struct probe_input *input, struct node_list nodes)
{
    int64_t n = nodes.count, classes = input->classes;
    int32_t *class_of;
    PASS(memory_zalloc(&probe->class_of, classes, sizeof *probe->class_of));
    class_of = probe->class_of; /* first marks the classes that have a row, then lists them */
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; input->multi && k < classes; k++)
            class_of[k] |= input->multi[nodes.node[i] * classes + k] != 0;
    for (int64_t i = 0; input->label && i < n; i++)
        class_of[input->label[nodes.node[i]]] = 1;
    for (int64_t k = 0; k < classes; k++)
        if (class_of[k])
            class_of[probe->outputs++] = (int32_t)k;
    PASS(memory_alloc(positive, probe->outputs * n, sizeof **positive));
    struct signs signs = {*positive, {NULL, probe, input, nodes}};
    threads_run(input->threads, probe->outputs, 1, fill_positive, &signs);
    return GRACO_OK;
}

graco_status probe_fit(struct probe *out, const struct probe_input *input, struct node_list nodes,
                       const double *C, int64_t count)
{
    graco_status status = GRACO_OK;
    struct probe made = {.count = count};
    struct logistic_rows rotated = {0};
    uint8_t *positive = NULL;
    double *X = NULL;
    int64_t cols = input->dim + 1;
    if (input->multi)
        TRY(standardise(&made, input, nodes));
    TRY(find_outputs(&made, &positive, input, nodes));
    TRY(memory_alloc(&X, nodes.count * cols, sizeof *X));
    struct rows_job preparation = {X, &made, input, nodes};
    threads_run(input->threads, nodes.count, BLOCK, prepare_rows, &preparation);
    TRY(logistic_rows_init(&rotated, input->blas, X, nodes.count, cols, input->threads));
    memory_free(X); /* as large as the rotated rows, and not needed beside them */
    X = NULL;
    TRY(memory_alloc(&made.W, count * made.outputs * cols, sizeof *made.W));
    const struct logistic_problem problem = {.context = input->context,
                                             .rows = &rotated,
                                             .outputs = made.outputs,
                                             .count = count,
                                             .positive = positive,
                                             .C = C};
    TRY(logistic_solve(made.W, &made.report, &problem));
    *out = made;
done:
    if (status != GRACO_OK)
        probe_clear(&made);
    memory_free(X);
    memory_free(positive);
    logistic_rows_clear(&rotated);
    return status;
}

/* What one thread scores with, and where it counts. */
struct scorer {
    const struct probe *probe;
    const struct probe_input *input;
    double *X, *S;                 /* (block, dim + 1), (block, count * outputs) */
    struct metrics_counts *counts; /* (count) */
    int64_t *table;                /* or NULL */
};

/* Counts one node whose scores for value c of C are s (outputs). */
static void count_single(const struct scorer *scorer, int64_t c, int32_t node, const double *s)
{
    const struct probe *probe = scorer->probe;
    int64_t best = 0;
    for (int64_t k = 1; k < probe->outputs; k++)
        if (s[k] > s[best])
            best = k;
    int32_t truth = scorer->input->label[node], chosen = probe->class_of[best];
    scorer->counts[c].true_positive += truth == chosen;
    scorer->counts[c].false_positive += truth != chosen;
    scorer->counts[c].false_negative += truth != chosen;
    if (scorer->table)
        metrics_count(scorer->table, scorer->input->classes, truth, chosen);
}

static void count_multi(const struct scorer *scorer, int64_t c, int32_t node, const double *s)
{
    const struct probe *probe = scorer->probe;
    int64_t classes = scorer->input->classes, output = 0;
    const uint8_t *truth = scorer->input->multi + node * classes;
    for (int64_t k = 0; k < classes; k++) {
        bool solved = output < probe->outputs && probe->class_of[output] == k;
        bool chosen = solved && s[output] > 0;
        output += solved;
        scorer->counts[c].true_positive += truth[k] && chosen;
        scorer->counts[c].false_positive += !truth[k] && chosen;
        scorer->counts[c].false_negative += truth[k] && !chosen;
        if (scorer->table)
            scorer->table[4 * k + (truth[k] ? (chosen ? 0 : 2) : (chosen ? 1 : 3))]++;
    }
}

/* Some nodes at once. */
static void score_block(const struct scorer *scorer, struct node_list nodes)
{
    const struct probe_input *input = scorer->input;
    const struct probe *probe = scorer->probe;
    double *X = scorer->X, *S = scorer->S;
    int64_t cols = input->dim + 1, width = probe->count * probe->outputs;
    for (int64_t i = 0; i < nodes.count; i++)
        prepare_row(X + i * cols, probe, input, nodes.node[i]);
    if (width > 0)
        blas_dgemm(input->blas, (struct blas_result){S, nodes.count, width, width, false}, cols,
                   blas_plain(X, cols), blas_transposed(probe->W, cols));
    for (int64_t i = 0; i < nodes.count; i++)
        for (int64_t c = 0; c < probe->count; c++)
            (input->multi ? count_multi : count_single)(scorer, c, nodes.node[i],
                                                        S + i * width + c * probe->outputs);
}

/* The scorers of all threads, by their seats, and the nodes to score. */
struct scored {
    const struct scorer *scorer;
    struct node_list nodes;
};

static void score_nodes(void *job, struct threads_piece piece)
{
    const struct scored *scored = job;
    score_block(&scored->scorer[piece.seat],
                (struct node_list){scored->nodes.node + piece.first, piece.last - piece.first});
}

graco_status probe_score(struct metrics_counts *counts, int64_t *table, const struct probe *probe,
                         const struct probe_input *input, struct node_list nodes)
{
    graco_status status = GRACO_OK;
    int64_t count = probe->count, cols = input->dim + 1, width = count * probe->outputs;
    int64_t block = width <= BLOCK_WIDTH ? BLOCK : 1 + BLOCK * BLOCK_WIDTH / width;
    int64_t blocks = (nodes.count + block - 1) / block;
    int64_t threads = blocks < input->threads ? blocks : input->threads;
    int64_t table_size = table ? input->classes * metrics_cols(input->classes, input->multi) : 0;
    double *work = NULL;
    struct metrics_counts *parts = NULL;
    int64_t *tables = NULL;
    struct scorer *scorers = NULL;
    threads = threads < 1 ? 1 : threads;
    TRY(memory_alloc(&work, threads * block * (cols + width), sizeof *work));
    TRY(memory_zalloc(&parts, threads * count, sizeof *parts));
    TRY(memory_zalloc(&tables, threads * table_size, sizeof *tables));
    TRY(memory_alloc(&scorers, threads, sizeof *scorers));
    for (int64_t t = 0; t < threads; t++)
        scorers[t] = (struct scorer){.probe = probe,
                                     .input = input,
                                     .X = work + t * block * (cols + width),
                                     .S = work + t * block * (cols + width) + block * cols,
                                     .counts = parts + t * count,
                                     .table = table ? tables + t * table_size : NULL};
    /* Whole numbers: their sum does not depend on which thread counted what. */
    struct scored scored = {scorers, nodes};
    threads_run((int)threads, nodes.count, block, score_nodes, &scored);
    memset(counts, 0, (size_t)count * sizeof *counts);
    for (int64_t i = 0; i < threads * count; i++)
        metrics_add(&counts[i % count], &parts[i]);
    for (int64_t i = 0; i < threads * table_size; i++)
        table[i % table_size] += tables[i];
done:
    memory_free(scorers);
    memory_free(tables);
    memory_free(parts);
    memory_free(work);
    return status;
}

struct probable {
    float *P;
    const struct probe *probe;
    const struct probe_input *input;
    struct node_list nodes;
    double *X; /* (threads, dim + 1) */
};

static void find_probabilities(void *job, struct threads_piece piece)
{
    const struct probable *j = job;
    const struct probe *probe = j->probe;
    int64_t cols = j->input->dim + 1;
    double *x = j->X + piece.seat * cols;
    for (int64_t i = piece.first; i < piece.last; i++) {
        float *p = j->P + i * j->input->classes;
        double sum = 0;
        prepare_row(x, probe, j->input, j->nodes.node[i]);
        for (int64_t k = 0; k < probe->outputs; k++) {
            double product = 0;
            for (int64_t c = 0; c < cols; c++)
                product += probe->W[k * cols + c] * x[c];
            double probability = 1 / (1 + exp(-product));
            p[probe->class_of[k]] = (float)probability;
            sum += probability;
        }
        for (int64_t k = 0; !j->input->multi && k < j->input->classes; k++)
            p[k] = sum > 0 ? (float)(p[k] / sum) : p[k];
    }
}

graco_status probe_probabilities(float *P, const struct probe *probe,
                                 const struct probe_input *input, struct node_list nodes)
{
    struct probable job = {.P = P, .probe = probe, .input = input, .nodes = nodes};
    PASS(memory_alloc(&job.X, input->threads * (input->dim + 1), sizeof *job.X));
    memset(P, 0, (size_t)(nodes.count * input->classes) * sizeof *P);
    threads_run(input->threads, nodes.count, BLOCK, find_probabilities, &job);
    memory_free(job.X);
    return GRACO_OK;
}

void probe_clear(struct probe *probe)
{
    if (!probe)
        return;
    memory_free(probe->class_of);
    memory_free(probe->shift);
    memory_free(probe->scale);
    memory_free(probe->W);
    *probe = (struct probe){0};
}
