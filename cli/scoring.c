/* Scores. A folder of several runs is scored run by run, on the same splits, and what is said of it
 * is about all of their scores. */
#include "scoring.h"

#include "graco_command.h"
#include "loading.h"
#include "output.h"
#include "runs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* The embeddings of a run: FOLDER/embeddings.npy. Returns whether there are any: a training empties the
 * file when it writes a newer checkpoint. */
static bool embeddings_path(char path[RUNS_PATH_MAX + 64], const char *folder)
{
    struct stat found;
    snprintf(path, RUNS_PATH_MAX + 64, "%s/embeddings.npy", folder);
    return stat(path, &found) == 0 && (found.st_size > 0 || !S_ISREG(found.st_mode));
}

/* Sums up all runs. A result's macro-F1 is a mean over its splits, of which all runs have as many. */
static void summarise(struct scoring *scoring)
{
    double sum = 0, square = 0, macro_f1 = 0;
    int64_t count = 0;
    scoring->converged = true;
    for (int64_t r = 0; r < scoring->runs; r++) {
        for (int64_t s = 0; s < scoring->results[r].splits; s++, count++)
            sum += scoring->results[r].scores[s];
        macro_f1 += scoring->results[r].macro_f1;
        scoring->converged = scoring->converged && scoring->results[r].converged;
    }
    scoring->scores = count;
    scoring->mean = count > 0 ? sum / (double)count : 0;
    scoring->macro_f1 = scoring->runs > 0 ? macro_f1 / (double)scoring->runs : 0;
    for (int64_t r = 0; r < scoring->runs; r++)
        for (int64_t s = 0; s < scoring->results[r].splits; s++)
            square += pow(scoring->results[r].scores[s] - scoring->mean, 2);
    scoring->deviation = count > 1 ? sqrt(square / (double)(count - 1)) : 0;
}

/* Makes room for one run more. */
static graco_status grow(struct scoring *scoring)
{
    size_t size = (size_t)(scoring->runs + 1) * sizeof *scoring->results;
    graco_eval_result *grown = realloc(scoring->results, size);
    if (!grown)
        return output_no_memory("the scores");
    scoring->results = grown;
    return GRACO_OK;
}

/* Adds one run; on failure there are as many as before. */
static graco_status add_run(struct scoring *scoring, const graco_matrix *Z,
                            const graco_dataset *data, const graco_eval_options *options)
{
    graco_status status = grow(scoring);
    if (status == GRACO_OK)
        status = graco_evaluate(&scoring->results[scoring->runs], Z, data, options);
    scoring->runs += status == GRACO_OK;
    return status;
}

/* Embeddings of a run are scored on what it was trained on: rows of another graph are other nodes. */
static graco_status check_run(const char *folder, const graco_dataset *data)
{
    char words[GRACO_DIFFERENCES] = "";
    graco_model *model = NULL;
    if (!runs_holds_model(folder)) {
        output_note("%s has no checkpoint: that its embeddings are of this data set cannot be "
                    "checked",
                    folder);
        return GRACO_OK;
    }
    graco_status status = graco_model_load(&model, folder);
    if (status == GRACO_OK)
        status = graco_model_compare(words, model, data);
    graco_model_free(model);
    if (*words)
        status = output_fail(GRACO_ERROR_ARGUMENT,
                             "%s was trained on other data than %s, which differs in: %s; its "
                             "embeddings cannot be scored on it",
                             folder, graco_dataset_describe(data).name, words);
    return status;
}

static graco_status add_file(struct scoring *scoring, const char *path, const graco_dataset *data,
                             const graco_eval_options *options)
{
    graco_matrix Z = {0};
    graco_status status = loading_embeddings(&Z, NULL, path, data);
    if (status == GRACO_OK)
        status = add_run(scoring, &Z, data, options);
    graco_matrix_clear(&Z);
    return status;
}

graco_status scoring_file(char file[RUNS_PATH_MAX + 64], const char *folder,
                          const graco_dataset *data)
{
    if (!embeddings_path(file, folder))
        return output_fail(
            GRACO_ERROR_IO,
            "%s has no embeddings of its last checkpoint; finish it with graco train "
            "--resume, or write them: graco embed %s DATASET -o %s",
            folder, folder, file);
    return check_run(folder, data);
}

/* ---- Supervised runs ------------------------------------------------------------------------- */

/* Which split a run was trained on: *split is -1 where it serves all. A run of another protocol, or an
 * evaluation on other splits than those that trainings know, is refused. */
static graco_status trained_split(int64_t *split, const char *folder,
                                  const graco_eval_options *options)
{
    char value[32], protocol[32] = "";
    const char *wanted = graco_protocol_name((int)options->protocol);
    graco_model *model = NULL;
    *split = -1;
    if (!runs_holds_model(folder))
        return GRACO_OK;
    graco_status status = graco_model_load(&model, folder);
    if (status != GRACO_OK)
        return status;
    const graco_config *config = graco_model_config(model);
    if (graco_config_get(config, "split", value, sizeof value) == GRACO_OK) {
        *split = strtoll(value, NULL, 10);
        status = graco_config_get(config, "protocol", protocol, sizeof protocol);
    }
    graco_model_free(model);
    if (*split >= 0 && status == GRACO_OK && strcmp(protocol, wanted) != 0)
        return output_fail(GRACO_ERROR_ARGUMENT,
                           "%s was trained on a split of the protocol %s, not %s: expected "
                           "--protocol %s",
                           folder, protocol, wanted, protocol);
    if (*split >= 0 && options->with_features)
        return output_fail(GRACO_ERROR_ARGUMENT,
                           "%s gives classes, not embeddings: expected no --with-features", folder);
    if (*split >= 0 && (options->seed != 0 || options->splits_read))
        return output_fail(GRACO_ERROR_ARGUMENT,
                           "%s was trained on split %" PRId64
                           " of seed 0: expected neither --seed nor a file of splits",
                           folder, *split);
    return status;
}

/* Adds the run in RUN/run-NUMBER, or in RUN itself (-1), whose models are of `count` splits; 0: of one,
 * without a folder of its own. */
static graco_status add_classes(struct scoring *scoring, const char *path, int64_t number,
                                int64_t count, const graco_dataset *data,
                                const graco_eval_options *options)
{
    char folder[RUNS_PATH_MAX], file[RUNS_PATH_MAX + 64];
    int64_t models = count > 0 ? count : 1;
    graco_class_scores *scores = calloc((size_t)models, sizeof *scores);
    graco_status status = scores ? grow(scoring) : output_no_memory("class scores");
    for (int64_t s = 0; status == GRACO_OK && s < models; s++) {
        if (!runs_at(folder, path, number, count > 0 ? s : -1))
            status = output_fail(GRACO_ERROR_ARGUMENT, "the name %.80s is too long", path);
        if (status == GRACO_OK)
            status = scoring_file(file, folder, data);
        if (status == GRACO_OK)
            status = trained_split(&scores[s].split, folder, options);
        if (status == GRACO_OK)
            status = graco_embeddings_load_of(&scores[s].P, NULL, file, data);
    }
    if (status == GRACO_OK)
        status =
            graco_evaluate_classes(&scoring->results[scoring->runs], scores, models, data, options);
    scoring->runs += status == GRACO_OK;
    for (int64_t s = 0; scores && s < models; s++)
        graco_matrix_clear(&scores[s].P);
    free(scores);
    return status;
}

/* Adds the run in RUN/run-NUMBER, or in RUN itself (-1). */
static graco_status add_folder(struct scoring *scoring, const char *path, int64_t number,
                               int64_t splits, const graco_dataset *data,
                               const graco_eval_options *options)
{
    char folder[RUNS_PATH_MAX], file[RUNS_PATH_MAX + 64];
    int64_t split = 0;
    if (!runs_at(folder, path, number, -1))
        return output_fail(GRACO_ERROR_ARGUMENT, "the name %.80s is too long", path);
    graco_status status = splits > 0 ? GRACO_OK : trained_split(&split, folder, options);
    if (status == GRACO_OK && split >= 0)
        return add_classes(scoring, path, number, splits, data, options);
    if (status == GRACO_OK)
        status = scoring_file(file, folder, data);
    return status == GRACO_OK ? add_file(scoring, file, data, options) : status;
}

graco_status scoring_embeddings(struct scoring *out, const char *path, const graco_dataset *data,
                                const graco_eval_options *options)
{
    graco_status status = GRACO_OK;
    *out = (struct scoring){
        .name = path, .folder = is_folder(path), .with_features = options->with_features};
    struct runs_form found = out->folder ? runs_found(path) : (struct runs_form){0};
    if (!out->folder)
        status = add_file(out, path, data, options);
    else if (found.runs == 0)
        status = add_folder(out, path, -1, found.splits, data, options);
    for (int64_t r = 1; status == GRACO_OK && r <= found.runs; r++)
        status = add_folder(out, path, r, found.splits, data, options); /* none may be left out */
    summarise(out);
    if (status != GRACO_OK)
        scoring_clear(out);
    return status;
}

/* The settings of a run, or of the first of several; else those of the data set's preset. */
static graco_status settings_of(graco_config **config, const char *run, const graco_dataset *data)
{
    char folder[RUNS_PATH_MAX];
    graco_model *model = NULL;
    graco_status status = GRACO_OK;
    if (runs_first(folder, run) && runs_holds_model(folder))
        status = graco_model_load(&model, folder);
    if (status == GRACO_OK)
        status =
            model ? graco_config_copy(config, graco_model_config(model))
                  : graco_config_create(config, NULL,
                                        graco_preset_for(NULL, graco_dataset_describe(data).name));
    graco_model_free(model);
    return status;
}

graco_status scoring_baseline(struct scoring *out, const char *name, const char *run,
                              const graco_dataset *data, const graco_eval_options *options)
{
    graco_matrix Z = {0};
    graco_model *model = NULL;
    graco_config *config = NULL;
    graco_eval_options alone = *options; /* a baseline is what it is called */
    alone.with_features = false;
    *out = (struct scoring){.name = name};
    graco_status status = settings_of(&config, run, data);
    if (status == GRACO_OK && strcmp(name, "raw") == 0) {
        status = graco_dataset_features(&Z, data, config);
    } else if (status == GRACO_OK) {
        const graco_embed_options embed = {.threads = options->threads, .contaminated = true};
        char threads[32];
        snprintf(threads, sizeof threads, "%" PRId64, options->threads);
        status = graco_config_set(config, "epochs", "0");
        if (status == GRACO_OK)
            status = graco_config_set(config, "device", "auto"); /* this machine's, not the run's */
        if (status == GRACO_OK)
            status = graco_config_set(config, "threads", threads);
        if (status == GRACO_OK)
            status = graco_train(&model, NULL, data, config, NULL);
        if (status == GRACO_OK)
            status = graco_model_embed(&Z, model, data, &embed);
    }
    graco_config_free(config);
    if (status == GRACO_OK)
        status = add_run(out, &Z, data, &alone);
    summarise(out);
    if (status != GRACO_OK)
        scoring_clear(out);
    graco_matrix_clear(&Z);
    graco_model_free(model);
    return status;
}

void scoring_clear(struct scoring *scoring)
{
    for (int64_t r = 0; r < scoring->runs; r++)
        graco_eval_result_clear(&scoring->results[r]);
    free(scoring->results);
    scoring->results = NULL;
    scoring->runs = 0;
}

/* The scores of each split, averaged over the runs, as a result that graco_eval_compare reads. */
static graco_eval_result average_runs(const struct scoring *scoring)
{
    graco_eval_result average = scoring->results[0];
    average.scores = calloc((size_t)average.splits, sizeof *average.scores);
    for (int64_t r = 0; average.scores && r < scoring->runs; r++)
        for (int64_t s = 0; s < average.splits; s++)
            average.scores[s] += scoring->results[r].scores[s] / (double)scoring->runs;
    return average;
}

graco_status scoring_compare(graco_eval_comparison *out, const struct scoring *a,
                             const struct scoring *b)
{
    graco_eval_result one = average_runs(a), other = average_runs(b);
    graco_status status = one.scores && other.scores ? graco_eval_compare(out, &one, &other)
                                                     : output_no_memory("a comparison");
    free(one.scores);
    free(other.scores);
    return status;
}

static void write_confusion(struct writer *json, const graco_eval_result *result)
{
    int64_t width = result->confusion_cols, last = result->classes - 1;
    writer_open(json, "confusion", '[');
    for (int64_t k = 0; k < result->classes; k++) {
        writer_open(json, NULL, '[');
        for (int64_t i = 0; i < width; i++)
            writer_integer(json, NULL, result->confusion[k * width + i]);
        writer_close(json);
    }
    writer_close(json);
    if (result->class_of[last] == last)
        return;
    writer_open(json, "confusion_classes", '['); /* rows have other numbers than their places */
    for (int64_t k = 0; k <= last; k++)
        writer_integer(json, NULL, result->class_of[k]);
    writer_close(json);
}

#define RESULT(member, kind) FIELD(graco_eval_result, member, kind)
static const struct field RESULT_SCORES[] = {
    RESULT(mean, REAL),
    FIELD_AS("std", graco_eval_result, deviation, REAL),
    FIELD_COUNTED(graco_eval_result, scores, splits, REALS),
    FIELD_COUNTED(graco_eval_result, C, splits, REALS),
    RESULT(accuracy, REAL),
    RESULT(micro_f1, REAL),
    RESULT(macro_f1, REAL),
    {0}};
static const struct field RESULT_REMARKS[] = {
    RESULT(converged, BOOL),
    RESULT(worst_gap, REAL),
    RESULT(seconds, REAL),
    FIELD_COUNTED(graco_eval_result, notes, note_count, STRINGS),
    {0}};
static const struct field SCORING[] = {FIELD_AS("mean", struct scoring, mean, REAL),
                                       FIELD_AS("std", struct scoring, deviation, REAL),
                                       FIELD_AS("macro_f1", struct scoring, macro_f1, REAL),
                                       FIELD_AS("converged", struct scoring, converged, BOOL),
                                       {0}};

static void write_run(struct writer *json, const graco_eval_result *result)
{
    writer_open(json, NULL, '{');
    writer_fields(json, RESULT_SCORES, result);
    write_confusion(json, result);
    writer_fields(json, RESULT_REMARKS, result);
    writer_close(json);
}

void scoring_json(struct writer *json, const struct scoring *scoring)
{
    writer_string(json, "name", scoring->name);
    writer_string(json, "metric", scoring->results[0].metric);
    writer_fields(json, SCORING, scoring);
    writer_integer(json, "splits", scoring->results[0].splits);
    writer_open(json, "runs", '[');
    for (int64_t r = 0; r < scoring->runs; r++)
        for (int64_t s = 0; s < scoring->results[r].splits; s++)
            writer_real(json, NULL, scoring->results[r].scores[s]);
    writer_close(json);
    writer_open(json, "results", '[');
    for (int64_t r = 0; r < scoring->runs; r++)
        write_run(json, &scoring->results[r]);
    writer_close(json);
}

graco_status scoring_save(const char *folder, const char *file, struct writer *json)
{
    char path[RUNS_PATH_MAX + 64];
    graco_status status = writer_finish(json);
    snprintf(path, sizeof path, "%.*s/%s", RUNS_PATH_MAX, folder, file);
    if (status == GRACO_OK && access(folder, W_OK) != 0 && (errno == EACCES || errno == EROFS))
        output_note("%s: the scores are not kept in %s: %s", folder, file, strerror(errno));
    else if (status == GRACO_OK)
        status = graco_file_save(path, json->text.bytes, json->text.length);
    writer_clear(json);
    return status;
}
