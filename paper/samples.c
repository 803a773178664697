#include "samples.h"

#include "graco_command.h"
#include "measures.h"
#include "base/memory.h"
#include "cli/output.h"
#include "cli/runs.h"
#include "cli/settings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CURVE_MAX = 200, FOLDER = RUNS_PATH_MAX + 512, SAMPLES_WORD = 17 };

/* A training under way, and what came of it. */
struct unit {
    const struct samples_job *job;
    graco_config *config; /* NULL: nothing is trained */
    uint64_t
        hash; /* of the data and all settings, but for those that change no result or that a sample names */
    bool divided;        /* the method trains a model for each split */
    char folder[FOLDER]; /* of the run */
    graco_run *run;      /* that it was trained into */
    graco_matrix Z;      /* where there is one model; borrowed, but for the method "features" */
    graco_curve curve;
    int64_t epochs;
    double train_seconds;
    const char *device;
};

/* ---- Settings -------------------------------------------------------------------------------- */

static bool is_trained(const struct samples_job *job)
{
    return !cells_listed("dataset,features", job->training->method);
}

/* Applies "key=value ...". */
static graco_status apply(graco_config *config, const char *overrides)
{
    for (const char *at = overrides; *at; at += *at == ' ') {
        char key[SETTINGS_TEXT], value[SETTINGS_TEXT];
        int whole = (int)strcspn(at, " "), name = (int)strcspn(at, "=");
        snprintf(key, sizeof key, "%.*s", name, at);
        snprintf(value, sizeof value, "%.*s", whole - name - 1, at + name + 1);
        PASS(graco_config_set(config, key, value));
        at += whole;
    }
    return GRACO_OK;
}

static graco_status set_number(graco_config *config, const char *key, int64_t number)
{
    char text[SETTINGS_TEXT];
    snprintf(text, sizeof text, "%" PRId64, number);
    return graco_config_set(config, key, text);
}

/* The settings of a training: those of the preset of its data set, and what the cell overrides. */
static graco_status configure(graco_config **out, const struct samples_job *job)
{
    const struct cells_training *training = job->training;
    /* What learns a table of nodes does so on the CPU, and from the whole graph. */
    bool table = cells_listed("deepwalk,node2vec", training->method);
    bool inductive = graco_dataset_describe(job->set->data).inductive && !table;
    PASS(
        graco_config_create(out, training->method,
                            graco_preset_for(training->method, manifest_sets[training->set].name)));
    PASS(graco_config_set(*out, "inductive", inductive ? "1" : "0"));
    PASS(graco_config_set(*out, "device", table ? "cpu" : job->way->device));
    PASS(apply(*out, training->overrides));
    return set_number(*out, "seed", job->seed);
}

/* FNV-1a, which goes on from `hash`. */
static uint64_t mix(uint64_t hash, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        hash = (hash ^ *c) * UINT64_C(1099511628211);
    return (hash ^ '\n') * UINT64_C(1099511628211);
}

static int64_t count_splits(const struct samples_job *job)
{
    return graco_split_count(job->set->data, GRACO_PROTOCOL_PAPER, job->way->splits);
}

/* The word of the run folder: a run has all the splits that are in it, so their number is a part of it. */
static uint64_t folder_word(const struct unit *unit)
{
    char splits[SETTINGS_TEXT];
    snprintf(splits, sizeof splits, "%" PRId64, count_splits(unit->job));
    return unit->divided ? mix(unit->hash, splits) : unit->hash;
}

/* Settings that came after the samples of docs/results, at the values under which these were trained: a sample is not
 * made again because others can be set. */
static bool came_later(const char *key, const char *value)
{
    static const char *const later[][2] = {{"parts", "learned"}, {"columns", "0"}, {"width", "0"}};
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (strcmp(key, later[i][0]) == 0 && strcmp(value, later[i][1]) == 0)
            return true;
    return false;
}

static graco_status open_unit(struct unit *unit, const struct samples_job *job)
{
    char value[SETTINGS_TEXT], name[CELLS_KEY];
    const char *key = NULL;
    *unit = (struct unit){.job = job};
    if (is_trained(job))
        PASS(configure(&unit->config, job));
    unit->hash = mix(UINT64_C(14695981039346656037), job->training->method);
    unit->hash = mix(unit->hash, job->set->fingerprint);
    for (int i = 0; unit->config && (key = graco_config_key(unit->config, i, NULL)); i++) {
        settings_get(value, unit->config, key);
        if (!(graco_config_kind(key) & (GRACO_KEY_EACH | GRACO_KEY_FREE | GRACO_KEY_HOST)) &&
            !came_later(key, value))
            unit->hash = mix(mix(unit->hash, key), value);
        unit->divided = unit->divided || strcmp(key, "split") == 0;
    }
    cells_key(name, job->training, PLAIN);
    for (char *c = name; *c; c++)
        *c = (char)(*c == ' ' ? '_' : *c);
    int length = snprintf(unit->folder, FOLDER, "%.*s/%s-%016" PRIx64 "-%" PRId64, RUNS_PATH_MAX,
                          job->way->folder, name, folder_word(unit), job->seed);
    if (length >= RUNS_PATH_MAX - 64)
        return status_fail(GRACO_ERROR_ARGUMENT, "the name %.80s is too long", job->way->folder);
    return GRACO_OK;
}

static void close_unit(struct unit *unit)
{
    if (!is_trained(unit->job))
        graco_matrix_clear(&unit->Z);
    graco_run_free(unit->run);
    graco_config_free(unit->config);
}

/* All that decides a sample but its seed, in one word: the resolved settings without those that
 * change no result, the evaluation, and the data. */
static void print_settings(char word[SAMPLES_WORD], const struct unit *unit, enum evaluation how)
{
    char scored[SETTINGS_TEXT];
    bool counts = strcmp(unit->job->training->method, "dataset") == 0;
    snprintf(scored, sizeof scored, "%d %" PRId64, (int)how, count_splits(unit->job));
    snprintf(word, SAMPLES_WORD, "%016" PRIx64, counts ? unit->hash : mix(unit->hash, scored));
}

graco_status samples_wanted(unsigned *wanted, const struct results *results,
                            const struct samples_job *job)
{
    struct unit unit;
    char key[CELLS_KEY], word[SAMPLES_WORD];
    graco_status status = open_unit(&unit, job);
    *wanted = 0;
    for (int e = 0; e < EVALUATIONS && status == GRACO_OK; e++) {
        cells_key(key, job->training, (enum evaluation)e);
        print_settings(word, &unit, (enum evaluation)e);
        const struct sample *sample = results_find(results, key, job->seed);
        if (!sample || !sample->settings || strcmp(sample->settings, word) != 0)
            *wanted |= job->training->evaluations & 1u << e;
    }
    close_unit(&unit);
    return status;
}

void samples_forget(const struct samples_job *job)
{
    struct unit unit;
    if (job->way->keep || !is_trained(job))
        return;
    if (open_unit(&unit, job) == GRACO_OK)
        (void)graco_run_remove(unit.folder);
    close_unit(&unit);
}

/* ---- Training -------------------------------------------------------------------------------- */

static graco_status train(struct unit *unit, const char *folder, const char *label)
{
    struct output_progress progress = output_progress_start(unit->job->way->quiet, label);
    graco_train_result result = {0};
    progress.brief = progress.estimated = true; /* the command says how long all takes */
    progress.shown = progress.begun;
    graco_train_options options = {.run = folder, .resume = graco_run_look(folder).begun};
    output_progress_watch(&options, &progress);
    if (!runs_make(folder, "run folder"))
        return status_fail(GRACO_ERROR_IO, "without a run folder nothing is trained");
    graco_status status = graco_train(NULL, &result, unit->job->set->data, unit->config, &options);
    output_progress_end(&progress);
    unit->epochs = result.epochs;
    unit->device = result.device;
    unit->train_seconds += result.seconds;
    return status;
}

/* Reads the embeddings, and what each epoch came to: it may have been trained in several calls. */
static graco_status read_run(struct unit *unit)
{
    const graco_matrix *Z = NULL;
    double seconds = 0;
    PASS(graco_run_embeddings(&Z, NULL, unit->run, 0, NULL));
    unit->Z = *Z;
    if (unit->epochs == 0)
        return GRACO_OK;
    PASS(graco_run_curve(&unit->curve, unit->run, 0));
    const graco_curve *curve = &unit->curve;
    if (curve->count == 0 || curve->epoch[curve->count - 1] != (double)unit->epochs)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s/metrics.jsonl lacks epoch %" PRId64
                           "; without the folder it is trained again",
                           unit->folder, unit->epochs);
    for (int64_t i = 0; i < unit->curve.count; i++)
        seconds += fmax(unit->curve.seconds[i], 0);
    unit->train_seconds = fmax(seconds, unit->train_seconds);
    return GRACO_OK;
}

/* Trains what the unit needs, or goes on with it. */
static graco_status train_all(struct unit *unit, const char *label)
{
    char folder[RUNS_PATH_MAX];
    int64_t models = unit->divided ? count_splits(unit->job) : 1;
    for (int64_t s = 0; s < models; s++) {
        if (unit->divided)
            PASS(set_number(unit->config, "split", s));
        PASS(graco_run_folder(folder, sizeof folder, unit->folder, -1, unit->divided ? s : -1));
        PASS(train(unit, folder, label));
    }
    PASS(graco_run_open(&unit->run, unit->folder));
    return unit->divided ? GRACO_OK : read_run(unit);
}

/* ---- A sample -------------------------------------------------------------------------------- */

/* At most CURVE_MAX values, evenly spaced, the last among them. */
static graco_status copy_list(struct list *out, const double *values, int64_t count)
{
    int64_t points = count < CURVE_MAX ? count : CURVE_MAX;
    PASS(memory_alloc(&out->at, points, sizeof *out->at));
    out->count = points;
    for (int64_t i = 0; i < points; i++)
        out->at[i] = values[points > 1 ? i * (count - 1) / (points - 1) : count - 1];
    return GRACO_OK;
}

/* Whether J is minus the loss, with all nodes of one graph as negatives: what the theorems are
 * about. */
static bool is_exact(const struct unit *unit, const struct sample *sample)
{
    char objective[SETTINGS_TEXT], batch[SETTINGS_TEXT];
    return strcmp(settings_get(objective, unit->config, "objective"), "exact") == 0 &&
           strcmp(settings_get(batch, unit->config, "batch"), "0") == 0 &&
           isfinite(sample->mutual_information) &&
           graco_dataset_describe(unit->job->set->data).graphs == 1;
}

/* Theorem 1, of the last epoch; with `steps` Theorem 2, on the views that the trained model would see next. */
static graco_status fill_theorems(struct sample *out, const struct unit *unit, bool steps)
{
    const graco_dataset *data = unit->job->set->data;
    char tau[SETTINGS_TEXT];
    graco_embed_options options = {.device = unit->job->way->device};
    const graco_model *model = NULL;
    graco_matrix Z = {0};
    out->log_n = log((double)graco_dataset_describe(data).nodes);
    out->J_plus_log_n = -out->loss + out->log_n;
    out->i_nce = out->mutual_information;
    out->gap = out->i_nce - out->J_plus_log_n;
    if (!steps)
        return GRACO_OK;
    PASS(graco_run_model(&model, unit->run, 0));
    PASS(graco_model_views(&Z, model, data, &options));
    theorem_steps(out, &Z, strtod(settings_get(tau, unit->config, "tau"), NULL));
    graco_matrix_clear(&Z);
    return GRACO_OK;
}

/* What the training came to; of GRACE as it is, seed 0, curve and picture too. */
static graco_status fill_training(struct sample *out, const struct unit *unit, bool drawn)
{
    const graco_curve *curve = &unit->curve;
    const graco_dataset *data = unit->job->set->data;
    if (curve->count > 0) {
        out->loss = curve->loss[curve->count - 1];
        out->mutual_information = curve->information[curve->count - 1];
        if (is_exact(unit, out))
            PASS(fill_theorems(out, unit, unit->job->training->drawn));
    }
    if (drawn && curve->count > 0) {
        PASS(copy_list(&out->epoch, curve->epoch, curve->count));
        PASS(copy_list(&out->losses, curve->loss, curve->count));
        PASS(copy_list(&out->informations, curve->information, curve->count));
    }
    return drawn && !graco_dataset_describe(data).multi_label ? points_find(out, &unit->Z, data)
                                                              : GRACO_OK;
}

static graco_status fill_scores(struct sample *out, const struct unit *unit, enum evaluation how)
{
    const struct samples_way *way = unit->job->way;
    const graco_dataset *data = unit->job->set->data;
    graco_eval_options options = graco_eval_defaults();
    graco_eval_result own = {0};
    const graco_eval_result *result = &own;
    graco_status status = GRACO_OK;
    options.splits = way->splits;
    options.device = strcmp(way->device, "cpu") == 0 ? "cpu" : "auto";
    options.with_features = how == FEATURES;
    if (how == FOUR)
        TRY(four_graphs_score(&own, &unit->Z, data, &options, unit->folder));
    else if (unit->run)
        TRY(graco_run_scores(&result, unit->run, data, &options));
    else
        TRY(graco_evaluate(&own, &unit->Z, data, &options));
    out->eval_seconds = result->seconds;
    out->metric = result->metric;
    TRY(memory_alloc(&out->scores.at, result->splits, sizeof *out->scores.at));
    out->scores.count = result->splits;
    memcpy(out->scores.at, result->scores, (size_t)result->splits * sizeof *out->scores.at);
done:
    graco_eval_result_clear(&own);
    return status;
}

static void fill_counts(struct sample *out, const graco_dataset_info *info)
{
    out->nodes = info->nodes;
    out->edges = info->edges;
    out->self_loops = info->self_loops;
    out->duplicates = info->duplicates;
    out->features = info->feature_count;
    out->classes = info->classes;
    out->graphs = info->graphs;
}

static graco_status add_sample(struct results *results, const struct unit *unit,
                               enum evaluation how)
{
    const struct samples_job *job = unit->job;
    const struct cells_training *training = job->training;
    graco_dataset_info info = graco_dataset_describe(job->set->data);
    struct sample sample = results_sample();
    char key[CELLS_KEY], word[SAMPLES_WORD];
    graco_status status = GRACO_OK;
    cells_key(key, training, how);
    print_settings(word, unit, how);
    sample.key = key;
    sample.seed = job->seed;
    sample.set = manifest_sets[training->set].name;
    sample.method = training->method;
    sample.settings = word;
    sample.source = job->set->look_alike ? "look-alike" : "data";
    sample.scale = job->set->look_alike ? job->set->scale : (double)NAN;
    sample.quick = job->way->quick;
    sample.seedless = cells_fixed(training->method);
    sample.device = unit->device ? unit->device : "cpu";
    sample.epochs = unit->epochs;
    sample.train_seconds = unit->train_seconds;
    if (strcmp(training->method, "dataset") == 0)
        fill_counts(&sample, &info);
    else
        TRY(fill_scores(&sample, unit, how));
    TRY(fill_training(&sample, unit, training->drawn && job->seed == 0 && how == PLAIN));
    return results_add(results, &sample);
done:
    results_clear(&sample);
    return status;
}

graco_status samples_make(struct results *results, const struct samples_job *job,
                          unsigned evaluations, const char *label)
{
    struct unit unit;
    graco_status status = GRACO_OK;
    TRY(open_unit(&unit, job));
    if (is_trained(job))
        TRY(train_all(&unit, label));
    else if (strcmp(job->training->method, "features") == 0)
        TRY(graco_dataset_features(&unit.Z, job->set->data, NULL));
    for (int e = 0; e < EVALUATIONS; e++)
        if (evaluations & 1u << e)
            TRY(add_sample(results, &unit, (enum evaluation)e));
done:
    close_unit(&unit);
    return status;
}
