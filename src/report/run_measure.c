/* What is measured of a run's embeddings: scores as graco_evaluate gives them, clusters, shape, and
 * a map. The data set is read again as it was for the training, and used only if it is the same. */
#include "graco_command.h"
#include "report/run_report.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/threads.h"
#include "data/fingerprint.h"
#include "data/readers.h"
#include "eval/geometry.h"
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

/* Where the run's data are, as the caller or config.json says; NULL: nobody does. */
static const char *source_of(const struct run_report *report, const struct training *training)
{
    const char *source = NULL;
    if (report->options->data)
        return report->options->data;
    json_as_string(&source, json_find(json_find(training->config, "reading"), "source"));
    return source;
}

static bool is_supervised(const struct training *training)
{
    return run_integer(training, "split", -1) >= 0;
}

/* Fills `words` with what differs between the data and those of the training, as fingerprints
 * say. */
static graco_status compare_data(char words[GRACO_DIFFERENCES], const struct training *training,
                                 const struct graco_dataset *data)
{
    char found[GRACO_FINGERPRINT];
    const char *was = NULL;
    unsigned counts = 0;
    *words = '\0';
    json_as_string(&was, json_find(training->config, "fingerprint"));
    if (!was || !fingerprint_valid(was))
        return GRACO_OK; /* an older graco did not say */
    PASS(graco_dataset_fingerprint(found, data));
    if (is_supervised(training))
        counts = FINGERPRINT_SPLIT | FINGERPRINT_LABELS;
    else if (run_integer(training, "inductive", 0) > 0)
        counts = FINGERPRINT_SPLIT;
    fingerprint_compare(words, was, found, counts);
    return GRACO_OK;
}

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
static graco_status load_data(struct run_report *report, struct reported *run, const char *source)
{
    graco_status status = GRACO_OK;
    const struct training *first = &run->trainings[0];
    struct graco_dataset *data = NULL;
    char words[GRACO_DIFFERENCES], *path = NULL;
    status = dataset_find(&path, source);
    if (status == GRACO_ERROR_IO) { /* it looked, and found nothing */
        status = run_note(report, run, "%s: its data set is not there: %s", first->folder,
                          graco_message());
        goto done;
    }
    TRY(status);
    TRY(graco_dataset_load_as(&data, source, report->options->load, first->folder));
    TRY(compare_data(words, first, data));
    if (*words) {
        TRY(run_note(report, run,
                     "%s was trained on other data than %s, which differs in: %s; nothing is "
                     "measured by it",
                     first->folder, source, words));
    } else {
        run->data = report->data[report->data_count++] = data;
        data = NULL;
    }
done:
    graco_dataset_free(data);
    memory_free(path);
    return status;
}

static graco_status find_data(struct run_report *report, struct reported *run)
{
    const char *source = source_of(report, &run->trainings[0]);
    char words[GRACO_DIFFERENCES] = "";
    run->data = shared_data(report, run);
    if (run->data)
        PASS(compare_data(words, &run->trainings[0], run->data));
    if (run->data && !*words)
        return GRACO_OK;
    run->data = NULL; /* labels have changed since: what differs is said below */
    if (!source)
        return run_note(report, run,
                        "config.json does not say where the data set of the training is: there are "
                        "no scores");
    return load_data(report, run, source);
}

/* ---- Scores ---------------------------------------------------------------------------------- */

/* The classes that models of `splits` splits give, from training `first` on. */
static graco_status score_classes(graco_eval_result *result, struct reported *run, int64_t first,
                                  const graco_eval_options *options)
{
    graco_status status = GRACO_OK;
    graco_class_scores *scores = NULL;
    TRY(memory_zalloc(&scores, run->splits, sizeof *scores));
    for (int64_t s = 0; s < run->splits; s++) {
        const struct training *training = &run->trainings[first + s];
        scores[s].split = run_integer(training, "split", s);
        TRY(graco_embeddings_load_of(&scores[s].P, NULL, training->folder, run->data));
    }
    TRY(graco_evaluate_classes(result, scores, run->splits, run->data, options));
done:
    for (int64_t s = 0; scores && s < run->splits; s++)
        graco_matrix_clear(&scores[s].P);
    memory_free(scores);
    return status;
}

/* Scores one seed, whose trainings begin at `first`. */
static graco_status score_seed(struct run_report *report, struct reported *run, int64_t first)
{
    graco_status status = GRACO_OK;
    graco_eval_options options = report->options->eval;
    const struct training *training = &run->trainings[first];
    graco_eval_result *result = &run->results[run->result_count];
    graco_matrix Z = {0};
    char protocol[PLOT_NAME];
    for (int64_t s = 0; s < run->splits; s++)
        if (!run->trainings[first + s].embedded)
            return GRACO_OK; /* a note says so */
    if (is_supervised(training)) {
        run_field(protocol, training, "protocol");
        for (int p = 0; graco_protocol_name(p); p++)
            if (strcmp(protocol, graco_protocol_name(p)) == 0)
                options.protocol = (graco_protocol)p;
        options.seed = 0; /* which trainings know */
        run->first_split = run_integer(training, "split", 0);
        TRY(score_classes(result, run, first, &options));
    } else {
        TRY(graco_embeddings_load_of(&Z, NULL, training->folder, run->data));
        TRY(graco_evaluate(result, &Z, run->data, &options));
    }
    run->protocol = options.protocol;
    run->split_seed = options.seed;
    run->seeds[run->result_count++] = run_integer(training, "seed", first);
done:
    graco_matrix_clear(&Z);
    return run_bear(report, run, status, "there are no scores");
}

static graco_status score_all(struct run_report *report, struct reported *run)
{
    int64_t seeds = run->count / run->splits;
    if (!run->data)
        return GRACO_OK;
    if (run->data->classes == 0)
        return run_note(report, run, "the data set %s has no labels: there are no scores",
                        run->data->name);
    PASS(memory_zalloc(&run->results, seeds, sizeof *run->results));
    PASS(memory_zalloc(&run->seeds, seeds, sizeof *run->seeds));
    for (int64_t i = 0; i < seeds; i++) {
        PASS(score_seed(report, run, i * run->splits));
        for (int64_t n = 0; i == 0 && run->result_count > 0 && n < run->results[0].note_count; n++)
            PASS(run_note(report, run, "scores: %s", run->results[0].notes[n]));
    }
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

static graco_status measure_clusters(struct run_shape *shape, const graco_matrix *Z,
                                     const struct graco_dataset *data, int64_t threads)
{
    graco_cluster_options options = graco_cluster_defaults();
    options.threads = threads;
    options.clusters = data->label ? 0 : CLUSTERS < Z->rows ? CLUSTERS : Z->rows;
    return graco_evaluate_clusters(&shape->clusters, Z, data, &options);
}

static graco_status measure_shape(struct run_report *report, struct reported *run,
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
    return run_bear(report, run, measure_clusters(shape, Z, run->data, threads),
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
    options.data = run->data;
    options.names = (const char *const *)names;
    if (!names && run->data)
        options.names = (const char *const *)run->data->node_ids;
    options.threads = report->options->eval.threads;
    return run_bear(report, run, graco_map_make(&run->map, Z, &options), "there is no map");
}

/* Z must be of the data set, or nothing that takes both can be measured. */
static graco_status measure_embeddings(struct run_report *report, struct reported *run,
                                       const char *folder)
{
    graco_status status = GRACO_OK;
    graco_matrix Z = {0};
    char **names = NULL;
    TRY(graco_embeddings_load_of(&Z, &names, folder, run->data));
    int64_t bad = not_finite_first(Z.data, Z.rows * Z.cols);
    if (bad >= 0)
        FAIL(GRACO_ERROR_NUMBER, "row %lld of its embeddings is not finite",
             (long long)(bad / Z.cols));
    if (run->data && run->data->graph->nodes != Z.rows) {
        TRY(run_note(report, run, "%s has %lld embeddings, but its data set has %lld nodes", folder,
                     (long long)Z.rows, (long long)run->data->graph->nodes));
        run->data = NULL;
    }
    TRY(measure_shape(report, run, &Z));
    TRY(lay_out(report, run, &Z, names));
done:
    graco_names_free(names);
    graco_matrix_clear(&Z);
    return run_bear(report, run, status, "the embeddings are not measured");
}

graco_status run_measure(struct run_report *report, struct reported *run)
{
    const double none = (double)NAN;
    run->shape = (struct run_shape){.effective_rank = none, .alignment = none, .uniformity = none};
    PASS(find_data(report, run));
    for (int64_t t = 0; t < run->count; t++)
        if (run->trainings[t].embedded) {
            PASS(measure_embeddings(report, run, run->trainings[t].folder));
            break;
        }
    return score_all(report, run);
}

void run_measure_clear(struct reported *run)
{
    for (int64_t i = 0; i < run->result_count; i++)
        graco_eval_result_clear(&run->results[i]);
    memory_free(run->results);
    memory_free(run->seeds);
    memory_free(run->shape.singular);
    graco_cluster_result_clear(&run->shape.clusters);
    graco_map_free(run->map);
}
