/* Mini-batch training on a large graph: loading, waiting for samples, gathering features and
 * computing apart, and the epoch that they add up to.
 *
 *     bench_inductive DATASET [--batches N] [--threads N]
 *
 * The preset is Reddit's. Prints one JSON object, with the sizes of the last batch's blocks so that
 * a peer can be given the same work. */
#include "graco_command.h"
#include "base/memory.h"
#include "base/threads.h"
#include "data/dataset.h"
#include "train/schedule.h"
#include "train/trainer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench {
    const char *source;
    int64_t batches, threads;
    struct graco_dataset *data;
    struct graco_model *model;
    struct trainer *trainer;
    struct schedule *schedule;
    double load, prepare, compute;
    int64_t sources[LAYERS_MAX], targets[LAYERS_MAX], edges[LAYERS_MAX];
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static graco_status open_bench(struct bench *b)
{
    const struct method *method = NULL;
    struct graco_config config;
    double begin = threads_seconds();
    PASS(graco_dataset_load(&b->data, b->source, NULL));
    b->load = threads_seconds() - begin;
    PASS(method_find(&method, "grace"));
    method_configure(&config, method, "reddit");
    config.threads = b->threads;
    begin = threads_seconds();
    PASS(model_create(&b->model, &config, model_sizes_of(b->data)));
    PASS(trainer_create(&b->trainer, &backend_cpu, b->model));
    PASS(schedule_create(&b->schedule, b->trainer->context, b->model, b->data));
    b->prepare = threads_seconds() - begin;
    return GRACO_OK;
}

/* Seconds of each batch, sorted; the first batch grows buffers and is left out. */
static graco_status run_batches(struct bench *b, double *seconds)
{
    for (int64_t i = 0; i <= b->batches; i++) {
        struct stage *stage;
        double begin = threads_seconds(), middle;
        PASS(schedule_next(b->schedule, &stage));
        middle = threads_seconds();
        PASS(trainer_step(b->trainer, stage));
        if (i > 0) {
            seconds[i - 1] = threads_seconds() - begin;
            b->compute += threads_seconds() - middle;
        }
        for (int hop = 0; hop < stage->hops; hop++) {
            const struct sparse *m = &stage->views[hop]->map.matrix[0];
            b->targets[hop] = m->entries.rows;
            b->sources[hop] = m->entries.cols;
            b->edges[hop] = m->entries.start[m->entries.rows];
        }
    }
    qsort(seconds, (size_t)b->batches, sizeof *seconds, compare);
    return GRACO_OK;
}

static void print(const struct bench *b, const double *seconds)
{
    struct schedule_times times = schedule_times(b->schedule);
    double n = (double)b->batches, median = seconds[b->batches / 2];
    graco_dataset_info info = graco_dataset_describe(b->data);
    printf("{\"dataset\": \"%s\", \"nodes\": %lld, \"edges\": %lld, \"features\": %lld, ",
           info.name, (long long)info.nodes, (long long)info.edges, (long long)info.feature_count);
    printf(
        "\"batches\": %lld, \"steps\": %lld, \"load_seconds\": %.3f, \"prepare_seconds\": %.3f, ",
        (long long)b->batches, (long long)schedule_steps(b->schedule), b->load, b->prepare);
    printf("\"batch_seconds_median\": %.4f, \"wait_for_sample\": %.4f, \"gather\": %.4f, "
           "\"compute\": %.4f, \"epoch_hours\": %.3f, \"peak_rss_bytes\": %lld, \"hops\": [",
           median, times.sample / (n + 1), times.gather / (n + 1), b->compute / n,
           median * (double)schedule_steps(b->schedule) / 3600, (long long)graco_peak_memory());
    for (int hop = 0; hop < b->model->config.layers; hop++)
        printf("%s{\"targets\": %lld, \"sources\": %lld, \"edges\": %lld}", hop ? ", " : "",
               (long long)b->targets[hop], (long long)b->sources[hop], (long long)b->edges[hop]);
    printf("]}\n");
}

static bool parse(struct bench *b, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--batches") == 0 && i + 1 < argc)
            b->batches = atoll(argv[++i]);
        else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            b->threads = atoll(argv[++i]);
        else if (!b->source)
            b->source = argv[i];
        else
            return false;
    }
    return b->source && b->batches > 0;
}

int main(int argc, char **argv)
{
    struct bench b = {.batches = 20};
    double *seconds = NULL;
    graco_status status = GRACO_OK;
    if (!parse(&b, argc, argv)) {
        fprintf(stderr, "usage: bench_inductive DATASET [--batches N] [--threads N]\n");
        return 2;
    }
    TRY(memory_alloc(&seconds, b.batches, sizeof *seconds));
    TRY(open_bench(&b));
    TRY(run_batches(&b, seconds));
    print(&b, seconds);
done:
    if (status != GRACO_OK)
        fprintf(stderr, "bench_inductive: %s\n", graco_message());
    schedule_free(b.schedule);
    trainer_free(b.trainer);
    graco_model_free(b.model);
    graco_dataset_free(b.data);
    memory_free(seconds);
    return status != GRACO_OK;
}
