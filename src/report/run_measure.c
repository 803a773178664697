/* What is measured of a run's embeddings: scores as graco_evaluate gives them, clusters, shape, and
 * a map. The data set is read again as it was for the training, and used only if it is the same. */
#include "graco_command.h"
#include "report/run_report.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/threads.h"
#include "compute/context.h"
#include "data/components.h"
#include "eval/geometry.h"
#include "eval/hidden.h"
#include "io/json/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CLUSTERS = 10,       /* where no classes say how many */
    MAP_NODES = 20000,   /* a map of more takes longer than all the rest */
    GROUP_NODES = 200000 /* clusters of more do */
};

/* ---- The data set ---------------------------------------------------------------------------- */

/* The data of another run of this report, if they are the same: those need not be read again. */
static const struct graco_dataset *shared_data(const struct run_report *report,
                                               const struct reported *run)
{
    const char *was = NULL, *other = NULL;
    json_as_string(&was, json_find(run->trainings[0].config, "fingerprint"));
    for (const struct reported *r = report->runs; was && r < run; r++)
        if (r->data && json_as_string(&other, json_find(r->trainings[0].config, "fingerprint")) &&
            strcmp(was, other) == 0)
            return r->data;
    return NULL;
}

/* A data set that is not there, or another one, is left out; one that cannot be read is a
 * failure. */
static graco_status load_data(struct run_report *report, struct reported *run)
{
    graco_status status = GRACO_OK;
    const struct training *first = &run->trainings[0];
    struct graco_dataset *data = NULL;
    char words[GRACO_DIFFERENCES] = "";
    bool missing = false;
    status =
        run_data(&data, words, &missing, run->run, report->options->data, report->options->load);
    if (missing) { /* it looked, and found nothing */
        status = run_note(report, run, "%s: its data set is not there: %s", first->folder,
                          graco_message());
        goto done;
    }
    TRY(status);
    if (*words) {
        TRY(run_note(report, run,
                     "%s was trained on other data than %s, which differs in: %s; nothing is "
                     "measured by it",
                     first->folder, graco_dataset_file(data, 0), words));
    } else {
        run->data = report->data[report->data_count++] = data;
        data = NULL;
    }
done:
    graco_dataset_free(data);
    return status;
}

static graco_status find_data(struct run_report *report, struct reported *run)
{
    const struct training *first = &run->trainings[0];
    char words[GRACO_DIFFERENCES] = "";
    run->data = shared_data(report, run);
    if (run->data)
        PASS(graco_run_compare(words, run->run, 0, run->data));
    if (run->data && !*words)
        return GRACO_OK;
    run->data = NULL; /* labels have changed since: what differs is said below */
    if (!report->options->data && !json_find(json_find(first->config, "reading"), "source"))
        return run_note(report, run,
                        "config.json does not say where the data set of the training is: there are "
                        "no scores");
    return load_data(report, run);
}

/* ---- Scores ---------------------------------------------------------------------------------- */

/* The options of its scores: those of the report or, of a supervised run, which knows one split, its own. */
static graco_eval_options options_of(const struct run_report *report, struct reported *run)
{
    const struct training *first = &run->trainings[0];
    graco_eval_options options = report->options->eval;
    char protocol[PLOT_NAME];
    if (run_integer(first, "split", -1) >= 0) {
        run_field(protocol, first, "protocol");
        for (int p = 0; graco_protocol_name(p); p++)
            if (strcmp(protocol, graco_protocol_name(p)) == 0)
                options.protocol = (graco_protocol)p;
        options.seed = 0; /* which trainings know */
        run->first_split = run_integer(first, "split", 0);
    }
    run->protocol = options.protocol;
    run->split_seed = options.seed;
    return options;
}

/* Scores the seeds whose trainings have all ended: the notes name the others. */
static graco_status score_some(struct reported *run, const graco_eval_options *options)
{
    int64_t seeds = run->count / run->splits;
    PASS(memory_zalloc(&run->own, seeds, sizeof *run->own));
    run->results = run->own;
    for (int64_t i = 0; i < seeds; i++) {
        bool ended = true;
        for (int64_t s = 0; s < run->splits; s++)
            ended = ended && run->trainings[i * run->splits + s].embedded;
        if (!ended)
            continue;
        PASS(scores_of_seed(&run->own[run->result_count], run->run, i, run->data, options));
        run->seeds[run->result_count++] = run_integer(&run->trainings[i * run->splits], "seed", i);
    }
    return GRACO_OK;
}

/* All seeds, by the scores that are kept if they are; they are kept from now on where that may be. */
static graco_status score_run(struct reported *run, const graco_eval_options *options)
{
    bool ended = true;
    for (int64_t t = 0; t < run->count; t++)
        ended = ended && run->trainings[t].embedded;
    if (!ended)
        return score_some(run, options);
    PASS(graco_run_scores(&run->results, run->run, run->data, options));
    PASS(graco_run_baselines(&run->baselines, &run->baseline_count, run->run, run->data));
    (void)graco_run_keep_scores(run->run);
    run->result_count = run->count / run->splits;
    for (int64_t i = 0; i < run->result_count; i++)
        run->seeds[i] = run_integer(&run->trainings[i * run->splits], "seed", i);
    return GRACO_OK;
}

static graco_status score_all(struct run_report *report, struct reported *run)
{
    int64_t seeds = run->count / run->splits;
    if (!run->data)
        return GRACO_OK;
    if (run->data->classes == 0)
        return run_note(report, run, "the data set %s has no labels: there are no scores",
                        run->data->name);
    PASS(memory_zalloc(&run->seeds, seeds, sizeof *run->seeds));
    const graco_eval_options options = options_of(report, run);
    PASS(run_bear(report, run, score_run(run, &options), "there are no scores"));
    for (int64_t n = 0; run->result_count > 0 && n < run->results[0].note_count; n++)
        PASS(run_note(report, run, "scores: %s", run->results[0].notes[n]));
    return GRACO_OK;
}

/* ---- Shape and map --------------------------------------------------------------------------- */

static graco_status measure_spectrum(struct run_shape *shape, const graco_matrix *Z, int threads)
{
    PASS(memory_alloc(&shape->singular, Z->cols, sizeof *shape->singular));
    PASS(geometry_spectrum(shape->singular, Z, threads));
    shape->singular_count = Z->rows < Z->cols ? Z->rows : Z->cols;
    shape->effective_rank = geometry_effective_rank(shape->singular, shape->singular_count);
    return GRACO_OK;
}

static graco_status measure_clusters(struct reported *run, int64_t index, int64_t rows, int threads)
{
    graco_cluster_options options = graco_cluster_defaults();
    options.threads = threads;
    bool few = run->data->label && run->data->classes <= GRACO_CLASS_CLUSTERS;
    options.clusters = few ? 0 : CLUSTERS < rows ? CLUSTERS : rows;
    return graco_run_clusters(&run->shape.clusters, run->run, index, run->data, &options);
}

static graco_status measure_shape(struct run_report *report, struct reported *run, int64_t index,
                                  const graco_matrix *Z)
{
    struct run_shape *shape = &run->shape;
    int threads = threads_count(report->options->eval.threads);
    shape->cols = Z->cols;
    PASS(run_bear(report, run, measure_spectrum(shape, Z, threads), "there is no spectrum"));
    PASS(geometry_uniformity(&shape->uniformity, &shape->uniform_nodes, Z, threads));
    if (!run->data)
        return GRACO_OK;
    PASS(geometry_alignment(&shape->alignment, Z, run->data->graph, threads));
    if (Z->rows > GROUP_NODES)
        return run_note(report, run, "no clusters were made of more than %d nodes", GROUP_NODES);
    return run_bear(report, run, measure_clusters(run, index, Z->rows, threads),
                    "there are no clusters");
}

static graco_status lay_out(struct run_report *report, struct reported *run, const graco_matrix *Z,
                            char *const *names)
{
    graco_map_options options = graco_map_defaults();
    if (report->options->no_map)
        return GRACO_OK;
    if (Z->rows > MAP_NODES)
        return run_note(report, run,
                        "there is no map of more than %d nodes here: graco map makes one",
                        MAP_NODES);
    options.title = run->name;
    options.clusters = run->shape.clusters.clusters;
    options.cluster = run->shape.clusters.cluster;
    options.data = run->data;
    options.names = (const char *const *)names;
    if (!names && run->data)
        options.names = (const char *const *)run->data->node_ids;
    options.threads = report->options->eval.threads;
    return run_bear(report, run, graco_map_make(&run->map, Z, &options), "there is no map");
}

/* Z must be of the data set, or nothing that takes both can be measured. */
static graco_status measure_embeddings(struct run_report *report, struct reported *run,
                                       int64_t index)
{
    graco_status status = GRACO_OK;
    const graco_matrix *Z = NULL;
    char *const *names = NULL;
    TRY(graco_run_embeddings(&Z, &names, run->run, index, run->data));
    int64_t bad = not_finite_first(Z->data, Z->rows * Z->cols);
    if (bad >= 0)
        FAIL(GRACO_ERROR_NUMBER, "row %lld of its embeddings is not finite",
             (long long)(bad / Z->cols));
    if (run->data && run->data->graph->nodes != Z->rows) {
        TRY(run_note(report, run, "%s has %lld embeddings, but its data set has %lld nodes",
                     run->trainings[index].folder, (long long)Z->rows,
                     (long long)run->data->graph->nodes));
        run->data = NULL;
    }
    TRY(measure_shape(report, run, index, Z));
    TRY(lay_out(report, run, Z, names));
done:
    return run_bear(report, run, status, "the embeddings are not measured");
}

/* The features as they are, or along their leading components. */
static graco_status reduce_features(graco_matrix *X, const struct features *features, int threads)
{
    struct context *context = NULL;
    struct components found = {0};
    graco_status status = GRACO_OK;
    TRY(context_create(&context, &backend_cpu, threads, 0));
    TRY(components_fit(&found, context, features, NULL, 0, COMPONENTS_MOST));
    *X = (graco_matrix){features->rows, found.count, NULL};
    TRY(memory_alloc(&X->data, X->rows * X->cols, sizeof *X->data));
    TRY(components_apply(X->data, context, &found, features,
                         (struct components_block){.rows = X->rows, .count = X->cols}));
done:
    components_clear(&found);
    context_free(context);
    return status;
}

/* N (nodes, cols) adds up the rows X of each node's neighbours. */
static graco_status add_neighbours(graco_matrix *N, const graco_matrix *X,
                                   const struct graph *graph)
{
    PASS(memory_zalloc(&N->data, X->rows * X->cols, sizeof *N->data));
    N->rows = X->rows;
    N->cols = X->cols;
    for (int64_t i = 0; i < X->rows; i++)
        for (int64_t e = graph->in.start[i]; e < graph->in.start[i + 1]; e++)
            for (int64_t k = 0; k < X->cols; k++)
                N->data[i * X->cols + k] += X->data[graph->in.index[e] * X->cols + k];
    return GRACO_OK;
}

static graco_status predict_hidden(struct reported *run, enum run_source source,
                                   const struct hidden *hidden, const graco_matrix *rows,
                                   int threads)
{
    PASS(hidden_columns(&run->hidden_columns[source], hidden, rows, threads));
    return hidden_edges(&run->hidden_edges[source], hidden, rows, threads);
}

/* A fifth of the columns and edges is hidden, and predicted from the rest. */
static graco_status measure_hidden(struct reported *run, int64_t index, int threads)
{
    const graco_embed_options options = {.threads = threads, .contaminated = true};
    const graco_model *model = NULL;
    struct hidden hidden = {0};
    graco_matrix X = {0}, N = {0}, Z = {0};
    graco_status status = GRACO_OK;
    if (run->data->features.cols < 2 || run->data->graph->nodes > GROUP_NODES)
        return GRACO_OK;
    TRY(hidden_make(&hidden, run->data, threads));
    TRY(reduce_features(&X, &hidden.seen.features, threads));
    TRY(predict_hidden(run, SOURCE_OWN, &hidden, &X, threads));
    TRY(add_neighbours(&N, &X, hidden.seen.graph));
    TRY(predict_hidden(run, SOURCE_NEIGHBOURS, &hidden, &N, threads));
    TRY(graco_run_model(&model, run->run, index));
    if (model->sizes.nodes > 0 || model->sizes.cols != hidden.seen.features.cols)
        goto done; /* a row per node, or features of another graph */
    TRY(graco_model_embed(&Z, model, &hidden.seen, &options));
    TRY(predict_hidden(run, SOURCE_EMBEDDING, &hidden, &Z, threads));
done:
    hidden_clear(&hidden);
    graco_matrix_clear(&X);
    graco_matrix_clear(&N);
    graco_matrix_clear(&Z);
    return status;
}

/* Of the graph, and of the first training that has embeddings. */
static graco_status measure_data(struct run_report *report, struct reported *run)
{
    int threads = threads_count(report->options->eval.threads);
    int64_t index = 0;
    PASS(run_bear(report, run, graco_dataset_facts(&run->facts, run->data, threads),
                  "the graph is not measured"));
    while (index < run->count - 1 && !run->trainings[index].embedded)
        index++;
    if (!run->trainings[index].embedded)
        return GRACO_OK;
    return run_bear(report, run, measure_hidden(run, index, threads),
                    "hidden columns and edges are not predicted");
}

graco_status run_measure(struct run_report *report, struct reported *run)
{
    const double none = (double)NAN;
    run->shape = (struct run_shape){.effective_rank = none, .alignment = none, .uniformity = none};
    for (int source = 0; source < SOURCES; source++)
        run->hidden_columns[source] = run->hidden_edges[source] = none;
    PASS(find_data(report, run));
    for (int64_t t = 0; t < run->count; t++)
        if (run->trainings[t].embedded) {
            PASS(measure_embeddings(report, run, t));
            break;
        }
    if (run->data)
        PASS(measure_data(report, run));
    return score_all(report, run);
}

void run_measure_clear(struct reported *run)
{
    for (int64_t i = 0; run->own && i < run->result_count; i++)
        graco_eval_result_clear(&run->own[i]);
    memory_free(run->own);
    memory_free(run->seeds);
    memory_free(run->shape.singular);
    graco_cluster_result_clear(&run->shape.clusters);
    graco_map_free(run->map);
}
