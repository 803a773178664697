/* graco's probe: its time by device and threads, and against LIBLINEAR.
 *
 *     bench_eval times DATASET EMBEDDINGS.npy [SPLITS [DEVICE [THREADS ...]]]
 *
 * The whole `paper` protocol twice for each number of threads, of which the second is free of what
 * starts once: seconds, the mean score, the largest gap.
 *
 *     bench_eval DATASET EMBEDDINGS.npy|raw [SPLITS [THREADS]]
 *
 * Split by split, one after the other: graco's whole `paper` protocol (21 values of C, validation,
 * test), the same protocol with LIBLINEAR's solver 0 at its default tolerance 0.01, and again at
 * 1e-8. LIBLINEAR's input format is built outside its time. Printed at the end: seconds (median
 * over the splits), mean accuracies, and the objectives of graco relative to those of LIBLINEAR at
 * 1e-8, over every class and C. Only where LIBLINEAR was found. */
#include "base/threads.h"
#include "data/dataset.h"
#include "eval/naive_logistic.h"
#include "eval/protocol.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *what)
{
    fprintf(stderr, "bench_eval: %s: %s\n", what, graco_message());
    exit(1);
}

static int time_evaluations(int argc, char **argv)
{
    graco_dataset *data = NULL;
    graco_matrix Z = {0};
    graco_eval_options options = graco_eval_defaults();
    if (argc < 2)
        die("expected DATASET EMBEDDINGS.npy");
    options.splits = argc > 2 ? atoll(argv[2]) : 20;
    options.device = argc > 3 ? argv[3] : "auto";
    if (graco_dataset_load(&data, argv[0], NULL) != GRACO_OK)
        die(argv[0]);
    if (graco_matrix_load(&Z, argv[1]) != GRACO_OK)
        die(argv[1]);
    for (int i = 4; i < (argc > 4 ? argc : 5); i++)
        for (int repeat = 0; repeat < 2; repeat++) {
            graco_eval_result result = {0};
            options.threads = argc > 4 ? atoll(argv[i]) : 0;
            if (graco_evaluate(&result, &Z, data, &options) != GRACO_OK)
                die("evaluation");
            printf("%s %s, %lld threads, %lld splits: %8.3f s   %s %.4f   gap %.2e%s\n", argv[0],
                   options.device, (long long)options.threads, (long long)result.splits,
                   result.seconds, result.metric, result.mean, result.worst_gap,
                   result.converged ? "" : "   NOT CONVERGED");
            fflush(stdout);
            graco_eval_result_clear(&result);
        }
    graco_matrix_clear(&Z);
    graco_dataset_free(data);
    return 0;
}

#ifdef BENCH_LIBLINEAR
#include <linear.h>

enum { GRID = 21 };

/* One part of a split in both formats. */
struct part {
    int64_t n;
    int32_t *nodes;
    double *X;                    /* (n, dim + 1) */
    double *y;                    /* (n) */
    struct feature_node **x;      /* (n) */
    struct feature_node *storage; /* behind x */
};

struct outcome {
    double seconds, accuracy, C;
};

static void *reserve(int64_t count, size_t size)
{
    void *block = calloc((size_t)(count > 0 ? count : 1), size);
    if (!block)
        die("out of memory");
    return block;
}

static void silent(const char *text)
{
    (void)text;
}

/* Rows of length one with a constant 1, as the probe makes them; zeros are not stored as nodes. */
static struct part make_part(const struct probe_input *input, const struct splits *splits,
                             int64_t number, enum splits_part kind)
{
    int64_t dim = input->dim;
    struct part part = {.nodes = reserve(input->nodes, sizeof *part.nodes)};
    part.n = splits_nodes(part.nodes, splits, number, kind);
    part.X = reserve(part.n * (dim + 1), sizeof *part.X);
    part.y = reserve(part.n, sizeof *part.y);
    part.x = reserve(part.n, sizeof *part.x);
    part.storage = reserve(part.n * (dim + 2), sizeof *part.storage);
    for (int64_t i = 0; i < part.n; i++) {
        const float *z = input->Z + part.nodes[i] * dim;
        double *X = part.X + i * (dim + 1), square = 0;
        struct feature_node *node = part.x[i] = part.storage + i * (dim + 2);
        for (int64_t j = 0; j < dim; j++)
            square += (double)z[j] * z[j];
        for (int64_t j = 0; j <= dim; j++) {
            X[j] = j == dim ? 1 : square > 0 ? z[j] * (1 / sqrt(square)) : 0;
            if (X[j] != 0)
                *node++ = (struct feature_node){.index = (int)j + 1, .value = X[j]};
        }
        node->index = -1;
        part.y[i] = input->label[part.nodes[i]];
    }
    return part;
}

static void drop_part(struct part *part)
{
    free(part->nodes);
    free(part->X);
    free(part->y);
    free(part->x);
    free(part->storage);
}

static double accuracy(const struct model *model, const struct part *part)
{
    int64_t right = 0;
    for (int64_t i = 0; i < part->n; i++)
        right += predict(model, part->x[i]) == part->y[i];
    return (double)right / (double)part->n;
}

/* The `paper` protocol with LIBLINEAR. `models` (GRID) are kept for the caller. */
static struct outcome run_liblinear(struct model **models, const struct part parts[3], int64_t dim,
                                    double tolerance)
{
    struct problem problem = {
        .l = (int)parts[0].n, .n = (int)dim + 1, .y = parts[0].y, .x = parts[0].x, .bias = 1};
    double start = threads_seconds(), best = -1;
    int chosen = 0;
    for (int c = 0; c < GRID; c++) {
        struct parameter parameter = {
            .solver_type = L2R_LR, .eps = tolerance, .C = ldexp(1, c - 10), .p = 0.1};
        models[c] = train(&problem, &parameter);
        double score = accuracy(models[c], &parts[1]);
        if (score > best) {
            best = score;
            chosen = c;
        }
    }
    struct outcome outcome = {.accuracy = accuracy(models[chosen], &parts[2]),
                              .C = ldexp(1, chosen - 10)};
    outcome.seconds = threads_seconds() - start;
    return outcome;
}

static struct outcome run_graco(const struct probe_input *input, const struct splits *splits,
                                int64_t number)
{
    struct protocol_result result = {0};
    result.table = reserve(input->classes * input->classes, sizeof *result.table);
    result.missing = reserve(input->classes, 1);
    double start = threads_seconds();
    if (protocol_run(&result, input, splits, number, false, 0) != GRACO_OK)
        die("evaluation");
    struct outcome outcome = {.seconds = threads_seconds() - start, .C = result.C};
    outcome.accuracy = metrics_single(result.table, input->classes).accuracy;
    if (result.report.unconverged > 0)
        die("not converged");
    free(result.table);
    free(result.missing);
    return outcome;
}

/* The range of f_graco / f_LIBLINEAR - 1 over classes and C of one split. */
static void compare_objectives(double *least, double *most, const struct probe_input *input,
                               const struct part *train_part, struct model **models)
{
    int64_t n = train_part->n, cols = input->dim + 1;
    struct probe probe = {0};
    double C[GRID], *w = reserve(cols, sizeof *w), *work = reserve(cols, sizeof *work);
    uint8_t *positive = reserve(n, 1);
    for (int c = 0; c < GRID; c++)
        C[c] = ldexp(1, c - 10);
    if (probe_fit(&probe, input, (struct node_list){train_part->nodes, n}, C, GRID) != GRACO_OK)
        die("fit");
    for (int64_t k = 0; k < probe.outputs; k++) {
        for (int64_t i = 0; i < n; i++)
            positive[i] = train_part->y[i] == probe.class_of[k];
        for (int c = 0; c < GRID; c++) {
            const struct model *model = models[c];
            const struct naive_logistic problem = {
                .X = train_part->X, .rows = n, .cols = cols, .positive = positive, .C = C[c]};
            double gradient_square;
            int index = 0;
            while (model->label[index] != probe.class_of[k])
                index++;
            for (int64_t j = 0; j < cols; j++)
                w[j] = model->w[j * model->nr_class + index];
            double ours = naive_logistic(work, &gradient_square, &problem,
                                         probe.W + (c * probe.outputs + k) * cols);
            double theirs = naive_logistic(work, &gradient_square, &problem, w);
            *least = fmin(*least, ours / theirs - 1);
            *most = fmax(*most, ours / theirs - 1);
        }
    }
    probe_clear(&probe);
    free(positive);
    free(work);
    free(w);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One line of the table from the outcomes of every split. */
static double print_line(const char *name, const struct outcome *outcomes, int64_t count)
{
    double *seconds = reserve(count, sizeof *seconds), *scores = reserve(count, sizeof *scores);
    double mean, deviation;
    for (int64_t s = 0; s < count; s++) {
        seconds[s] = outcomes[s].seconds;
        scores[s] = 100 * outcomes[s].accuracy;
    }
    qsort(seconds, (size_t)count, sizeof *seconds, by_size);
    double median = seconds[count / 2];
    metrics_spread(&mean, &deviation, scores, count);
    printf("%-18s %10.2f ms   accuracy %.3f ± %.3f\n", name, 1e3 * median, mean, deviation);
    free(seconds);
    free(scores);
    return median;
}

static int compare_liblinear(int argc, char **argv)
{
    graco_dataset *data = NULL;
    graco_matrix Z = {0};
    struct splits splits = {0};
    if (argc < 3) {
        fprintf(stderr, "usage: bench_eval DATASET EMBEDDINGS.npy|raw [SPLITS [THREADS]]\n");
        return 2;
    }
    int64_t count = argc > 3 ? atoll(argv[3]) : 20;
    int threads = threads_count(argc > 4 ? atoll(argv[4]) : 0);
    if (graco_dataset_load(&data, argv[1], NULL) != GRACO_OK)
        die(argv[1]);
    if (!data->label)
        die("needs a data set with one label per node");
    if ((strcmp(argv[2], "raw") == 0 ? graco_dataset_features(&Z, data, NULL)
                                     : graco_matrix_load(&Z, argv[2])) != GRACO_OK)
        die(argv[2]);
    struct blas blas;
    if (blas_open(&blas, threads) != GRACO_OK)
        die("BLAS");
    struct context *context = NULL;
    if (context_create(&context, &backend_cpu, threads, 0) != GRACO_OK)
        die("context");
    struct probe_input input = {.blas = &blas,
                                .context = context,
                                .Z = Z.data,
                                .nodes = Z.rows,
                                .dim = Z.cols,
                                .classes = data->classes,
                                .label = data->label,
                                .threads = threads};
    uint8_t *usable = reserve(Z.rows, 1);
    for (int64_t i = 0; i < Z.rows; i++)
        usable[i] = data->label[i] >= 0;
    if (splits_draw(&splits, usable, Z.rows, 0, count, true, 0) != GRACO_OK)
        die("splits");
    set_print_string_function(silent);

    struct outcome *ours = reserve(count, sizeof *ours), *loose = reserve(count, sizeof *loose);
    struct outcome *tight = reserve(count, sizeof *tight);
    double least = INFINITY, most = -INFINITY;
    int64_t same = 0;
    for (int64_t s = 0; s < count; s++) {
        struct model *models[GRID];
        struct part parts[3];
        for (int p = 0; p < 3; p++)
            parts[p] = make_part(&input, &splits, s, (enum splits_part)p);
        ours[s] = run_graco(&input, &splits, s);
        loose[s] = run_liblinear(models, parts, Z.cols, 0.01);
        for (int c = 0; c < GRID; c++)
            free_and_destroy_model(&models[c]);
        tight[s] = run_liblinear(models, parts, Z.cols, 1e-8);
        compare_objectives(&least, &most, &input, &parts[0], models);
        for (int c = 0; c < GRID; c++)
            free_and_destroy_model(&models[c]);
        for (int p = 0; p < 3; p++)
            drop_part(&parts[p]);
        same += ours[s].C == tight[s].C;
    }
    printf("%s, %s: %lld columns, %lld splits, %d threads for graco, 1 for LIBLINEAR\n", argv[1],
           argv[2], (long long)Z.cols, (long long)count, threads);
    double fast = print_line("graco", ours, count);
    double slow = print_line("LIBLINEAR 0.01", loose, count);
    double exact = print_line("LIBLINEAR 1e-8", tight, count);
    printf("graco is %.1f times as fast as LIBLINEAR at 0.01, %.1f times at 1e-8\n", slow / fast,
           exact / fast);
    printf("objectives, graco / LIBLINEAR 1e-8 - 1: %.1e to %.1e; same C in %lld of %lld splits\n",
           least, most, (long long)same, (long long)count);
    free(ours);
    free(loose);
    free(tight);
    free(usable);
    context_free(context);
    splits_clear(&splits);
    graco_matrix_clear(&Z);
    graco_dataset_free(data);
    return !(most <= 1e-5);
}
#endif

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "times") == 0)
        return time_evaluations(argc - 2, argv + 2);
#ifdef BENCH_LIBLINEAR
    return compare_liblinear(argc, argv);
#else
    fprintf(stderr, "bench_eval: built without LIBLINEAR; expected 'times'\n");
    return 2;
#endif
}
