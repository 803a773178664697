/* Samples. A training writes into a run folder of its own, DIR/runs/KEY-WORD-SEED, whose WORD
 * follows from its settings and its data, so a killed training goes on and a changed one does
 * not. Its embeddings are scored from there. A supervised method has a run folder for each
 * split. */
#include "samples.h"

#include "graco_command.h"
#include "four_graphs.h"
#include "points.h"
#include "theorem.h"
#include "cli/curves.h"
#include "cli/output.h"
#include "cli/runs.h"
#include "cli/settings.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CURVE_MAX = 200, FOLDER = RUNS_PATH_MAX + 512 };

/* A training under way, and what came of it. */
struct unit {
    const struct samples_set *set;
    const struct samples_way *way;
    const struct cells_training *training;
    graco_config *config; /* NULL: nothing is trained */
    char folder[FOLDER];  /* of the run */
    int64_t seed;
    int64_t models;    /* 1, or as many as there are splits */
    bool divided;      /* the method trains a model for a split */
    const char *label; /* for progress */
    int64_t epochs;
    double train_seconds;
    const char *device;
    struct curves curve;
    graco_matrix Z; /* where there is one model */
};

/* ---- Settings -------------------------------------------------------------------------------- */

/* Whether the method learns a table of nodes: on the CPU, and from the whole graph. */
static bool is_table(const char *method)
{
    return cells_listed("deepwalk,node2vec", method);
}

static bool is_trained(const char *method)
{
    return !cells_listed("dataset,features", method);
}

/* Takes the next "key=value" of a list apart and goes behind it; false at the end. */
static bool next_override(char key[SETTINGS_TEXT], char value[SETTINGS_TEXT], const char **list)
{
    int whole = (int)strcspn(*list, " "), name = (int)strcspn(*list, "=");
    if (whole == 0)
        return false;
    snprintf(key, SETTINGS_TEXT, "%.*s", name, *list);
    snprintf(value, SETTINGS_TEXT, "%.*s", whole - name - 1, *list + name + 1);
    *list += whole + ((*list)[whole] == ' ');
    return true;
}

static graco_status apply(graco_config *config, const char *overrides)
{
    char key[SETTINGS_TEXT], value[SETTINGS_TEXT];
    graco_status status = GRACO_OK;
    while (status == GRACO_OK && next_override(key, value, &overrides))
        status = graco_config_set(config, key, value);
    return status;
}

static graco_status set_number(graco_config *config, const char *key, int64_t number)
{
    char text[SETTINGS_TEXT];
    snprintf(text, sizeof text, "%" PRId64, number);
    return graco_config_set(config, key, text);
}

/* The settings of a training: those of the preset of its data set, and what the cell overrides. */
static graco_status configure(graco_config **out, const struct samples_set *set,
                              const struct samples_way *way, const struct cells_training *training)
{
    graco_config *config = NULL;
    bool table = is_table(training->method);
    bool inductive = graco_dataset_describe(set->data).inductive && !table;
    graco_status status = graco_config_create(&config, training->method, set->about->name);
    if (status == GRACO_OK)
        status = graco_config_set(config, "inductive", inductive ? "1" : "0");
    if (status == GRACO_OK)
        status = graco_config_set(config, "device", table ? "cpu" : way->device);
    if (status == GRACO_OK)
        status = apply(config, training->overrides);
    if (status == GRACO_OK)
        *out = config;
    else
        graco_config_free(config);
    return status;
}

/* FNV-1a, which goes on from `hash`. */
static uint64_t mix(uint64_t hash, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        hash = (hash ^ *c) * UINT64_C(1099511628211);
    return (hash ^ '\n') * UINT64_C(1099511628211);
}

/* Of the data and all settings, but for those that change no result and those that a sample
 * names. */
static uint64_t hash_training(const struct samples_set *set, const char *method,
                              const graco_config *config)
{
    uint64_t hash = mix(mix(UINT64_C(14695981039346656037), method), set->fingerprint);
    const char *key = NULL;
    for (int i = 0; config && (key = graco_config_key(config, i, NULL)); i++) {
        char value[SETTINGS_TEXT];
        if (!(graco_config_kind(key) & (GRACO_KEY_EACH | GRACO_KEY_FREE | GRACO_KEY_HOST)))
            hash = mix(mix(hash, key), settings_get(value, config, key));
    }
    return hash;
}

static graco_status hash_of(uint64_t *hash, const struct samples_set *set,
                            const struct samples_way *way, const struct cells_training *training)
{
    graco_config *config = NULL;
    graco_status status = GRACO_OK;
    if (is_trained(training->method))
        status = configure(&config, set, way, training);
    *hash = hash_training(set, training->method, config);
    graco_config_free(config);
    return status;
}

graco_status samples_settings(char word[SAMPLES_WORD], const struct samples_set *set,
                              const struct samples_way *way, const struct cells_training *training,
                              enum evaluation how)
{
    uint64_t hash = 0;
    char scored[SETTINGS_TEXT];
    graco_status status = hash_of(&hash, set, way, training);
    snprintf(scored, sizeof scored, "%d %" PRId64, (int)how,
             graco_split_count(set->data, GRACO_PROTOCOL_PAPER, way->splits));
    snprintf(word, SAMPLES_WORD, "%016" PRIx64,
             strcmp(training->method, "dataset") == 0 ? hash : mix(hash, scored));
    return status;
}

/* ---- Run folders ----------------------------------------------------------------------------- */

static graco_status name_folder(char folder[FOLDER], const struct samples_set *set,
                                const struct samples_way *way,
                                const struct cells_training *training, int64_t seed)
{
    char key[CELLS_KEY];
    uint64_t hash = 0;
    graco_status status = hash_of(&hash, set, way, training);
    cells_key(key, training, EVALUATION_PLAIN);
    for (char *c = key; *c; c++)
        *c = (char)(*c == ' ' ? '_' : *c);
    int length = snprintf(folder, FOLDER, "%.*s/%s-%016" PRIx64 "-%" PRId64, RUNS_PATH_MAX,
                          way->folder, key, hash, seed);
    if (status == GRACO_OK && length >= RUNS_PATH_MAX - 64)
        status = output_fail(GRACO_ERROR_ARGUMENT, "the name %.80s is too long", way->folder);
    return status;
}

/* Removes the files of a folder and of those in it, and them; a run folder has no deeper ones. */
static void remove_folder(const char *folder, int depth)
{
    DIR *list = opendir(folder);
    const struct dirent *entry;
    while (list && (entry = readdir(list))) {
        char path[FOLDER];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= FOLDER)
            continue;
        if (unlink(path) != 0 && depth > 0)
            remove_folder(path, depth - 1);
    }
    if (list)
        closedir(list);
    rmdir(folder);
}

void samples_forget(const struct samples_set *set, const struct samples_way *way,
                    const struct cells_training *training, int64_t seed)
{
    char folder[FOLDER];
    if (!way->keep && is_trained(training->method) &&
        name_folder(folder, set, way, training, seed) == GRACO_OK)
        remove_folder(folder, 1);
}

/* ---- Training -------------------------------------------------------------------------------- */

static graco_status train(struct unit *unit, const char *folder)
{
    struct output_progress progress = output_progress_start(unit->way->quiet, unit->label);
    graco_train_result result = {0};
    progress.brief = progress.estimated = true; /* the command says how long all takes */
    progress.shown = progress.begun;
    graco_train_options options = {.run = folder, .resume = runs_holds_model(folder)};
    output_progress_watch(&options, &progress);
    if (!runs_make(folder, "run folder"))
        return output_fail(GRACO_ERROR_IO, "without a run folder nothing is trained");
    graco_status status = graco_train(NULL, &result, unit->set->data, unit->config, &options);
    output_progress_end(&progress);
    unit->epochs = result.epochs;
    unit->device = result.device;
    unit->train_seconds += result.seconds;
    return status;
}

/* Reads what each epoch came to from the run folder: it may have been trained in several calls. */
static graco_status read_curve(struct unit *unit)
{
    char path[FOLDER + 32];
    double seconds = 0;
    snprintf(path, sizeof path, "%s/metrics.jsonl", unit->folder);
    graco_status status = unit->epochs > 0 ? curves_follow(&unit->curve, path) : GRACO_OK;
    if (status == GRACO_OK && unit->epochs > 0 && unit->curve.count == 0)
        status = output_fail(GRACO_ERROR_IO, "%s has no epochs", path);
    for (int64_t i = 0; i < unit->curve.count; i++)
        seconds += fmax(unit->curve.seconds[i], 0);
    unit->train_seconds = fmax(seconds, unit->train_seconds);
    return status;
}

/* Trains what the unit needs, or goes on with it. */
static graco_status train_all(struct unit *unit)
{
    char folder[RUNS_PATH_MAX], path[FOLDER + 32];
    graco_status status = GRACO_OK;
    for (int64_t s = 0; status == GRACO_OK && s < unit->models; s++) {
        if (unit->divided)
            status = set_number(unit->config, "split", s);
        if (status == GRACO_OK && !runs_at(folder, unit->folder, -1, unit->divided ? s : -1))
            status = output_fail(GRACO_ERROR_ARGUMENT, "choose a shorter name with -o");
        if (status == GRACO_OK)
            status = train(unit, folder);
    }
    if (status != GRACO_OK || unit->divided)
        return status;
    snprintf(path, sizeof path, "%s/embeddings.npy", unit->folder);
    status = read_curve(unit);
    return status == GRACO_OK ? graco_matrix_load(&unit->Z, path) : status;
}

/* ---- Scores ---------------------------------------------------------------------------------- */

static graco_status score_classes(graco_eval_result *result, const struct unit *unit,
                                  const graco_eval_options *options)
{
    graco_class_scores *scores = calloc((size_t)unit->models, sizeof *scores);
    graco_status status = scores ? GRACO_OK : output_no_memory("class scores");
    for (int64_t s = 0; status == GRACO_OK && s < unit->models; s++) {
        char path[FOLDER + 64];
        snprintf(path, sizeof path, "%s/split-%" PRId64 "/embeddings.npy", unit->folder, s);
        scores[s].split = s;
        status = graco_matrix_load(&scores[s].P, path);
    }
    if (status == GRACO_OK)
        status = graco_evaluate_classes(result, scores, unit->models, unit->set->data, options);
    for (int64_t s = 0; scores && s < unit->models; s++)
        graco_matrix_clear(&scores[s].P);
    free(scores);
    return status;
}

static graco_status score(graco_eval_result *result, const struct unit *unit, enum evaluation how)
{
    graco_eval_options options = graco_eval_defaults();
    options.splits = unit->way->splits;
    options.device = strcmp(unit->way->device, "cpu") == 0 ? "cpu" : "auto";
    options.with_features = how == EVALUATION_FEATURES;
    if (unit->divided)
        return score_classes(result, unit, &options);
    if (how == EVALUATION_FOUR)
        return four_graphs_score(result, &unit->Z, unit->set->data, &options, unit->folder);
    return graco_evaluate(result, &unit->Z, unit->set->data, &options);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void write_overrides(struct writer *json, const char *overrides)
{
    char key[SETTINGS_TEXT], value[SETTINGS_TEXT];
    writer_open(json, "overrides", '{');
    while (next_override(key, value, &overrides))
        writer_string(json, key, value);
    writer_close(json);
}

/* At most CURVE_MAX values, evenly spaced, the last among them. */
static void write_column(struct writer *json, const char *key, const double *values, int64_t count)
{
    int64_t points = count < CURVE_MAX ? count : CURVE_MAX;
    writer_open(json, key, '[');
    for (int64_t i = 0; i < points; i++)
        writer_real(json, NULL, values[points > 1 ? i * (count - 1) / (points - 1) : count - 1]);
    writer_close(json);
}

static void write_curve(struct writer *json, const struct curves *curve)
{
    writer_open(json, "curve", '{');
    write_column(json, "epoch", curve->epoch, curve->count);
    write_column(json, "loss", curve->loss, curve->count);
    write_column(json, "mutual_information", curve->information, curve->count);
    writer_close(json);
}

/* Whether J is minus the loss, with all nodes of one graph as negatives: what the theorems are
 * about. */
static bool is_exact(const struct unit *unit)
{
    char objective[SETTINGS_TEXT], batch[SETTINGS_TEXT];
    const struct curves *curve = &unit->curve;
    return strcmp(settings_get(objective, unit->config, "objective"), "exact") == 0 &&
           strcmp(settings_get(batch, unit->config, "batch"), "0") == 0 &&
           isfinite(curve->information[curve->count - 1]) &&
           graco_dataset_describe(unit->set->data).graphs == 1;
}

/* Theorem 1, of the last epoch. */
static void write_bound(struct writer *json, const struct unit *unit)
{
    const struct curves *curve = &unit->curve;
    double log_n = log((double)graco_dataset_describe(unit->set->data).nodes);
    double J = -curve->loss[curve->count - 1], i_nce = curve->information[curve->count - 1];
    writer_real(json, "log_n", log_n);
    writer_real(json, "J_plus_log_n", J + log_n);
    writer_real(json, "i_nce", i_nce);
    writer_real(json, "gap", i_nce - (J + log_n));
}

/* Theorem 2, on the views that the trained model would see next. */
static graco_status write_steps(struct writer *json, const struct unit *unit)
{
    char tau[SETTINGS_TEXT];
    graco_embed_options options = {.device = unit->way->device};
    graco_model *model = NULL;
    graco_matrix Z = {0};
    graco_status status = graco_model_load(&model, unit->folder);
    if (status == GRACO_OK)
        status = graco_model_views(&Z, model, unit->set->data, &options);
    if (status == GRACO_OK) {
        struct theorem steps =
            theorem_steps(&Z, strtod(settings_get(tau, unit->config, "tau"), NULL));
        writer_real(json, "minus_l", steps.minus_l);
        writer_real(json, "step_2", steps.step_2);
        writer_real(json, "step_3", steps.step_3);
        writer_real(json, "expansion", steps.expansion);
        writer_real(json, "remainder", steps.remainder);
        writer_real(json, "remainder_bound", steps.remainder_bound);
    }
    graco_matrix_clear(&Z);
    graco_model_free(model);
    return status;
}

static graco_status write_training(struct writer *json, const struct unit *unit)
{
    const struct curves *curve = &unit->curve;
    graco_status status = GRACO_OK;
    writer_open(json, "values", '{');
    writer_real(json, "loss", curve->loss[curve->count - 1]);
    if (isfinite(curve->information[curve->count - 1]))
        writer_real(json, "mutual_information", curve->information[curve->count - 1]);
    if (is_exact(unit))
        write_bound(json, unit);
    if (is_exact(unit) && unit->training->drawn)
        status = write_steps(json, unit);
    writer_close(json);
    return status;
}

static void write_dataset(struct writer *json, const graco_dataset_info *info)
{
    writer_open(json, "values", '{');
    writer_integer(json, "nodes", info->nodes);
    writer_integer(json, "edges", info->edges);
    writer_integer(json, "self_loops", info->self_loops);
    writer_integer(json, "duplicates", info->duplicates);
    writer_integer(json, "features", info->feature_count);
    writer_integer(json, "classes", info->classes);
    writer_integer(json, "graphs", info->graphs);
    writer_close(json);
}

static void write_scores(struct writer *json, const graco_eval_result *result)
{
    writer_real(json, "eval_seconds", result->seconds);
    writer_string(json, "metric", result->metric);
    writer_integer(json, "split_seed", 0);
    writer_open(json, "scores", '[');
    for (int64_t s = 0; s < result->splits; s++)
        writer_real(json, NULL, result->scores[s]);
    writer_close(json);
}

static graco_status write_sample(struct writer *json, const struct unit *unit, enum evaluation how,
                                 const graco_eval_result *result)
{
    char key[CELLS_KEY], word[SAMPLES_WORD];
    graco_dataset_info info = graco_dataset_describe(unit->set->data);
    bool drawn = unit->training->drawn && unit->seed == 0 && how == EVALUATION_PLAIN;
    graco_status status = samples_settings(word, unit->set, unit->way, unit->training, how);
    cells_key(key, unit->training, how);
    writer_open(json, NULL, '{');
    writer_string(json, "key", key);
    writer_integer(json, "seed", unit->seed);
    writer_string(json, "set", unit->set->about->name);
    writer_string(json, "method", unit->training->method);
    write_overrides(json, unit->training->overrides);
    writer_string(json, "settings", word);
    writer_string(json, "source", unit->set->look_alike ? "look-alike" : "data");
    if (unit->set->look_alike)
        writer_real(json, "scale", unit->set->scale);
    writer_bool(json, "quick", unit->way->quick);
    if (cells_fixed(unit->training->method))
        writer_bool(json, "seedless", true);
    writer_string(json, "device", unit->device ? unit->device : "cpu");
    writer_integer(json, "epochs", unit->epochs);
    writer_real(json, "train_seconds", unit->train_seconds);
    if (result)
        write_scores(json, result);
    else
        write_dataset(json, &info);
    if (status == GRACO_OK && unit->curve.count > 0)
        status = write_training(json, unit);
    if (drawn && unit->curve.count > 0)
        write_curve(json, &unit->curve);
    if (status == GRACO_OK && drawn && unit->Z.data && !info.multi_label &&
        !points_write(json, &unit->Z, unit->set->data))
        status = output_no_memory("the points of a figure");
    writer_close(json);
    return status;
}

/* Scores in one way, unless there is nothing to score, and adds the sample. */
static graco_status add_sample(struct results_file *results, const struct unit *unit,
                               enum evaluation how)
{
    struct writer json = {0};
    graco_eval_result result = {0};
    bool counts = strcmp(unit->training->method, "dataset") == 0;
    graco_status status = counts ? GRACO_OK : score(&result, unit, how);
    if (status == GRACO_OK)
        status = write_sample(&json, unit, how, counts ? NULL : &result);
    if (status == GRACO_OK)
        status = text_status(&json.text);
    if (status == GRACO_OK)
        status = results_file_add(results, json.text.bytes);
    writer_clear(&json);
    graco_eval_result_clear(&result);
    return status;
}

graco_status samples_make(struct results_file *results, const struct samples_set *set,
                          const struct samples_way *way, const struct cells_training *training,
                          int64_t seed, unsigned evaluations, const char *label)
{
    struct unit unit = {
        .set = set, .way = way, .training = training, .seed = seed, .models = 1, .label = label};
    char value[SETTINGS_TEXT];
    graco_status status = GRACO_OK;
    if (is_trained(training->method)) {
        status = configure(&unit.config, set, way, training);
        if (status == GRACO_OK)
            status = set_number(unit.config, "seed", seed);
        if (status == GRACO_OK)
            status = name_folder(unit.folder, set, way, training, seed);
        unit.divided = status == GRACO_OK && *settings_get(value, unit.config, "split") != '?';
        if (unit.divided)
            unit.models = graco_split_count(set->data, GRACO_PROTOCOL_PAPER, way->splits);
        if (status == GRACO_OK)
            status = train_all(&unit);
    } else if (strcmp(training->method, "features") == 0) {
        status = graco_dataset_features(&unit.Z, set->data, NULL);
    }
    for (int e = 0; status == GRACO_OK && e < EVALUATIONS; e++)
        if (evaluations & 1u << e)
            status = add_sample(results, &unit, (enum evaluation)e);
    curves_clear(&unit.curve);
    graco_matrix_clear(&unit.Z);
    graco_config_free(unit.config);
    return status;
}
