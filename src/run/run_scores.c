/* Scores are kept with two hashes: of all embeddings of the run, and of what else decides them, which is the data
 * set, the options and the version of graco. Both must be the same, or they are computed again: those of a training
 * that went on are never believed. Scores of the same embeddings by other options stay in the file, under
 * "earlier". A third hash, of the data set and the version, serves whoever takes scores by any options. */
#include "run/run.h"

#include "base/memory.h"
#include "base/writer.h"
#include "data/fingerprint.h"
#include "graco_command.h"
#include "io/files/file.h"
#include "io/json/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EARLIER_MAX = 8 };

static const int64_t SCORES_LIMIT = (int64_t)1 << 30;

/* ---- Computing ------------------------------------------------------------------------------- */

/* A supervised training knows one split, of its own protocol. */
static graco_status check_options(const graco_training *training, const char *folder,
                                  const graco_eval_options *options)
{
    char protocol[CONFIG_TEXT];
    const char *wanted = graco_protocol_name((int)options->protocol);
    if (training->split < 0)
        return GRACO_OK;
    PASS(graco_config_get(training->config, "protocol", protocol, sizeof protocol));
    if (strcmp(protocol, wanted) != 0)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%s was trained on a split of the protocol %s, not %s: expected "
                           "--protocol %s",
                           folder, protocol, wanted, protocol);
    if (options->with_features)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%s gives classes, not embeddings: expected no --with-features", folder);
    if (options->seed != 0 || options->splits_read)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%s was trained on split %lld of seed 0: expected neither --seed nor a "
                           "file of splits",
                           folder, (long long)training->split);
    return GRACO_OK;
}

graco_status run_borrow(const graco_matrix **Z, graco_run *run, int64_t index,
                        const graco_dataset *data)
{
    struct run_training *training = &run->trainings[index];
    bool handed = training->handed;
    graco_status status = graco_run_embeddings(Z, NULL, run, index, data);
    training->handed = handed;
    return status;
}

void run_give_back(graco_run *run, int64_t index)
{
    if (!run->trainings[index].handed)
        graco_run_close(run, index);
}

/* The classes that models give, one for each split. */
static graco_status score_classes(graco_eval_result *out, graco_run *run, int64_t first,
                                  const graco_dataset *data, const graco_eval_options *options)
{
    graco_status status = GRACO_OK;
    graco_class_scores *scores = NULL;
    TRY(memory_zalloc(&scores, run->info.splits, sizeof *scores));
    for (int64_t s = 0; s < run->info.splits; s++) {
        const graco_matrix *P = NULL;
        graco_training training;
        TRY(graco_run_training(&training, run, first + s));
        TRY(run_borrow(&P, run, first + s, data));
        scores[s] = (graco_class_scores){training.split, *P};
    }
    TRY(graco_evaluate_classes(out, scores, run->info.splits, data, options));
done:
    for (int64_t s = 0; s < run->info.splits; s++)
        run_give_back(run, first + s);
    memory_free(scores);
    return status;
}

graco_status scores_of_seed(graco_eval_result *out, graco_run *run, int64_t seed,
                            const graco_dataset *data, const graco_eval_options *options)
{
    int64_t first = seed * run->info.splits;
    const graco_matrix *Z = NULL;
    graco_training training;
    PASS(graco_run_training(&training, run, first));
    if (training.split >= 0)
        return score_classes(out, run, first, data, options);
    graco_status status = run_borrow(&Z, run, first, data);
    if (status == GRACO_OK)
        status = graco_evaluate(out, Z, data, options);
    run_give_back(run, first);
    return status;
}

void scores_clear(struct run_scores *scores)
{
    for (int64_t i = 0; i < scores->count; i++)
        graco_eval_result_clear(&scores->results[i]);
    memory_free(scores->results);
    *scores = (struct run_scores){0};
}

graco_eval_summary graco_eval_summarise(const graco_eval_result *results, int64_t count)
{
    graco_eval_summary sum = {.converged = true};
    double total = 0, square = 0, macro_f1 = 0;
    for (int64_t r = 0; r < count; r++) {
        for (int64_t s = 0; s < results[r].splits; s++, sum.scores++)
            total += results[r].scores[s];
        macro_f1 += results[r].macro_f1;
        sum.converged = sum.converged && results[r].converged;
    }
    sum.mean = sum.scores > 0 ? total / (double)sum.scores : 0;
    sum.macro_f1 = count > 0 ? macro_f1 / (double)count : 0;
    for (int64_t r = 0; r < count; r++)
        for (int64_t s = 0; s < results[r].splits; s++)
            square += pow(results[r].scores[s] - sum.mean, 2);
    sum.deviation = sum.scores > 1 ? sqrt(square / (double)(sum.scores - 1)) : 0;
    return sum;
}

/* ---- Writing and reading ---------------------------------------------------------------------- */

#define RESULT(member, kind) FIELD(graco_eval_result, member, kind)
static const struct field SCORES[] = {RESULT(mean, REAL),
                                      FIELD_AS("std", graco_eval_result, deviation, REAL),
                                      FIELD_COUNTED(graco_eval_result, scores, splits, REALS),
                                      FIELD_COUNTED(graco_eval_result, C, splits, REALS),
                                      RESULT(accuracy, REAL),
                                      RESULT(micro_f1, REAL),
                                      RESULT(macro_f1, REAL),
                                      {0}};
static const struct field REMARKS[] = {
    RESULT(converged, BOOL), RESULT(worst_gap, REAL), RESULT(seconds, REAL), {0}};
static const struct field NOTES[] = {FIELD_COUNTED(graco_eval_result, notes, note_count, STRINGS),
                                     {0}};
#define SUMMARY_FIELD(name, member, kind) FIELD_AS(name, graco_eval_summary, member, kind)
static const struct field SUMMARY[] = {SUMMARY_FIELD("mean", mean, REAL),
                                       SUMMARY_FIELD("std", deviation, REAL),
                                       SUMMARY_FIELD("macro_f1", macro_f1, REAL),
                                       SUMMARY_FIELD("converged", converged, BOOL),
                                       {0}};

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

void graco_eval_write(struct writer *json, const char *name, const graco_eval_result *results,
                      int64_t count, const graco_eval_options *options)
{
    const graco_eval_summary summary = graco_eval_summarise(results, count);
    writer_string(json, "name", name);
    writer_string(json, "metric", results[0].metric);
    writer_fields(json, SUMMARY, &summary);
    writer_integer(json, "splits", results[0].splits);
    writer_open(json, "runs", '[');
    for (int64_t r = 0; r < count; r++)
        for (int64_t s = 0; s < results[r].splits; s++)
            writer_real(json, NULL, results[r].scores[s]);
    writer_close(json);
    writer_open(json, "results", '[');
    for (int64_t r = 0; r < count; r++) {
        writer_open(json, NULL, '{');
        writer_fields(json, SCORES, &results[r]);
        write_confusion(json, &results[r]);
        writer_fields(json, REMARKS, &results[r]);
        writer_fields(json, NOTES, &results[r]);
        writer_close(json);
    }
    writer_close(json);
    writer_string(json, "protocol", graco_protocol_name((int)options->protocol));
    writer_integer(json, "seed", (int64_t)options->seed);
    if (options->with_features)
        writer_bool(json, "with_features", true);
}

static graco_status fail_kept(const char *what)
{
    return status_fail(GRACO_ERROR_FORMAT, "'%s' is not what graco eval writes", what);
}

static graco_status read_confusion(graco_eval_result *out, const struct json *object)
{
    const struct json *rows = NULL, *classes = json_find(object, "confusion_classes");
    int64_t number = 0;
    PASS(json_get_array(&rows, object, "confusion"));
    out->classes = json_size(rows);
    out->confusion_cols = json_size(json_at(rows, 0));
    if (out->classes < 1 || out->confusion_cols < 1)
        return fail_kept("confusion");
    PASS(memory_alloc(&out->confusion, out->classes * out->confusion_cols, sizeof(int64_t)));
    PASS(memory_alloc(&out->class_of, out->classes, sizeof *out->class_of));
    for (int64_t k = 0; k < out->classes; k++) {
        const struct json *row = json_at(rows, k);
        number = k;
        if (json_size(row) != out->confusion_cols ||
            (classes && !json_as_int(&number, json_at(classes, k))))
            return fail_kept("confusion");
        out->class_of[k] = (int32_t)number;
        for (int64_t i = 0; i < out->confusion_cols; i++)
            if (!json_as_int(&out->confusion[k * out->confusion_cols + i], json_at(row, i)))
                return fail_kept("confusion");
    }
    return GRACO_OK;
}

/* Whether a result can be one of such data, and has as many splits and classes as the first of its file. */
static bool fits(const graco_eval_result *result, const graco_eval_result *first,
                 const struct graco_dataset *data)
{
    bool good = result->splits > 0 && result->splits == first->splits &&
                result->classes == first->classes &&
                result->confusion_cols == first->confusion_cols &&
                (result->confusion_cols == result->classes || result->confusion_cols == 4);
    for (int64_t k = 0; good && k < result->classes; k++)
        good = class_place(data, result->class_of[k]) >= 0 &&
               result->class_of[k] == first->class_of[k];
    return good;
}

static graco_status read_result(graco_eval_result *out, const struct json *object,
                                const struct graco_dataset *data)
{
    const struct json *notes = NULL;
    const char *note;
    out->multi_label = data->multi;
    out->metric = out->multi_label ? "micro_f1" : "accuracy";
    if (json_size(json_find(object, "scores")) != json_size(json_find(object, "C")))
        return fail_kept("C");
    PASS(json_fields(out, SCORES, object));
    PASS(json_fields(out, REMARKS, object));
    PASS(read_confusion(out, object));
    PASS(json_get_array(&notes, object, "notes"));
    if (json_size(notes) == 0)
        return GRACO_OK;
    PASS(memory_zalloc(&out->notes, json_size(notes), sizeof *out->notes));
    for (; out->note_count < json_size(notes); out->note_count++) {
        if (!json_as_string(&note, json_at(notes, out->note_count)))
            return fail_kept("notes");
        PASS(memory_string(&out->notes[out->note_count], note));
    }
    return GRACO_OK;
}

/* ---- Kept ------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, const void *bytes, int64_t count)
{
    hash = fingerprint_bytes(hash, (const uint8_t *)&count, sizeof count);
    return fingerprint_bytes(hash, bytes, count);
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return mix(hash, text, (int64_t)strlen(text));
}

static void print_hash(char text[HASH_TEXT], uint64_t hash)
{
    snprintf(text, HASH_TEXT, "%016llx", (unsigned long long)hash);
}

/* What decides the scores beside the embeddings; the fingerprint does not say whether data are inductive, which have
 * a split of their own. Of a device that is chosen the name is enough: scores of a GPU may
 * differ in the last digits. Threads never change them. */
static void hash_options(struct made_from *out, const graco_run *run, const graco_dataset *data,
                         const graco_eval_options *options)
{
    const int64_t numbers[] = {options->protocol, options->splits, (int64_t)options->seed,
                               options->with_features, data->inductive};
    const char *device = options->device ? options->device : "auto";
    uint64_t hash = mix_text(mix(0, numbers, sizeof numbers), run->fingerprint);
    print_hash(out->options, mix_text(mix_text(hash, device), graco_version()));
}

void made_from_options(struct made_from *out, const graco_run *run, const char *task,
                       const int64_t *numbers, int64_t count)
{
    uint64_t hash = mix(mix_text(0, task), numbers, count * (int64_t)sizeof *numbers);
    print_hash(out->options, mix_text(mix_text(hash, run->fingerprint), graco_version()));
}

graco_status made_from_embeddings(struct made_from *out, graco_run *run, int64_t first,
                                  int64_t count, const graco_dataset *data)
{
    const int64_t inductive = data->inductive;
    uint64_t hash = 0;
    for (int64_t i = first; i < first + count; i++) {
        const graco_matrix *Z = NULL;
        graco_training about;
        PASS(graco_run_training(&about, run, i));
        PASS(run_borrow(&Z, run, i, data));
        hash = mix(hash, &about.split, sizeof about.split);
        hash = mix(hash, &Z->cols, sizeof Z->cols);
        hash = mix(hash, Z->data, Z->rows * Z->cols * (int64_t)sizeof *Z->data);
        run_give_back(run, i);
    }
    print_hash(out->embeddings, hash);
    hash = mix_text(mix(0, &inductive, sizeof inductive), run->fingerprint);
    print_hash(out->data, mix_text(hash, graco_version()));
    return GRACO_OK;
}

#define MADE(member) FIELD(struct made_from, member, WORD)
static const struct field MADE_FROM[] = {MADE(embeddings), MADE(options), MADE(data), {0}};

void made_from_write(struct writer *json, const struct made_from *from)
{
    writer_object(json, "made_from", MADE_FROM, from);
}

/* Whether kept scores carry this hash. */
static bool carries(const struct json *kept, const char *name, const char *hash)
{
    const char *text;
    return json_as_string(&text, json_find(json_find(kept, "made_from"), name)) &&
           strcmp(text, hash) == 0;
}

bool made_from_same(const struct json *kept, const struct made_from *from)
{
    return carries(kept, "embeddings", from->embeddings) &&
           carries(kept, *from->options ? "options" : "data",
                   *from->options ? from->options : from->data);
}

bool made_from_options_same(const struct json *kept, const struct made_from *from)
{
    return *from->options && carries(kept, "options", from->options);
}

graco_status kept_read(struct json **out, const char *folder, const char *name)
{
    char *path = NULL;
    graco_status status = GRACO_OK;
    *out = NULL;
    if (!file_is_folder(folder))
        return GRACO_OK;
    PASS(memory_path(&path, folder, name));
    if (file_exists(path))
        status = json_parse_file(out, path, SCORES_LIMIT);
    memory_free(path);
    return status == GRACO_ERROR_MEMORY ? status : GRACO_OK;
}

graco_status scores_read(struct run_scores *out, const struct json *kept, int64_t count,
                         const struct graco_dataset *data)
{
    const struct json *results = NULL;
    PASS(json_get_array(&results, kept, "results"));
    if (json_size(results) != count)
        return fail_kept("results");
    PASS(memory_zalloc(&out->results, count, sizeof *out->results));
    for (; out->count < count; out->count++) {
        graco_eval_result *result = &out->results[out->count];
        PASS(read_result(result, json_at(results, out->count), data));
        if (!fits(result, out->results, data))
            return fail_kept("results");
    }
    return GRACO_OK;
}

/* What is said of the options by which they were found; all of them is a hash alone. */
static graco_status take_options(graco_eval_options *out, const struct json *kept)
{
    const char *protocol;
    int64_t splits = 0;
    PASS(json_get_string(&protocol, kept, "protocol"));
    PASS(json_get_int(&splits, kept, "splits"));
    out->splits = splits;
    out->with_features = false;
    json_as_bool(&out->with_features, json_find(kept, "with_features"));
    for (int p = 0; graco_protocol_name(p); p++)
        if (strcmp(graco_protocol_name(p), protocol) == 0)
            out->protocol = (graco_protocol)p;
    return GRACO_OK;
}

/* Looks for kept scores with these hashes; what is damaged is not there. */
static graco_status find_kept(struct run_scores *out, const graco_run *run,
                              const struct graco_dataset *data, const struct made_from *from)
{
    struct json *file = NULL;
    PASS(kept_read(&file, run->path, "eval.json"));
    const struct json *earlier = json_find(file, "earlier"), *kept = file;
    for (int64_t i = 0; kept && !made_from_same(kept, from); i++)
        kept = json_at(earlier, i);
    graco_status status = kept ? scores_read(out, kept, run->info.seeds, data) : GRACO_OK;
    if (kept && status == GRACO_OK)
        status = take_options(&out->options, kept);
    json_free(file);
    if (status == GRACO_OK)
        return GRACO_OK;
    out->count += out->results && out->count < run->info.seeds; /* the one that broke off */
    scores_clear(out);
    return status == GRACO_ERROR_MEMORY ? status : GRACO_OK;
}

graco_status graco_run_scores(const graco_eval_result **out, graco_run *run,
                              const graco_dataset *data, const graco_eval_options *options)
{
    graco_status status = GRACO_OK;
    struct run_scores scores = {.options = options ? *options : graco_eval_defaults()};
    const graco_eval_options wanted = scores.options;
    bool repeatable = !wanted.splits_read && !wanted.splits_write && !wanted.validation;
    struct made_from from = {0};
    run->compared = NULL; /* another data set may have had this address */
    for (int64_t i = 0; i < run->info.seeds * run->info.splits; i++) {
        graco_training training;
        PASS(graco_run_training(&training, run, i));
        PASS(check_options(&training, graco_run_path(run, i), &wanted));
    }
    PASS(made_from_embeddings(&from, run, 0, run->info.seeds * run->info.splits, data));
    if (repeatable) {
        hash_options(&from, run, data, &wanted);
        TRY(find_kept(&scores, run, data, &from));
    }
    scores.options = wanted;
    scores.kept = scores.count > 0;
    if (scores.count == 0)
        TRY(memory_zalloc(&scores.results, run->info.seeds, sizeof *scores.results));
    for (; scores.count < run->info.seeds; scores.count++)
        TRY(scores_of_seed(&scores.results[scores.count], run, scores.count, data, &wanted));
    scores.from = from;
    scores_clear(&run->scores);
    baselines_clear(&run->baselines);
    run->scores = scores;
    scores = (struct run_scores){0};
    *out = run->scores.results;
done:
    scores_clear(&scores);
    return status;
}

graco_status graco_run_kept_scores(const graco_eval_result **out, graco_eval_options *options,
                                   graco_run *run, const graco_dataset *data)
{
    struct run_scores scores = {0};
    struct made_from from = {0};
    struct json *file = NULL;
    *out = NULL;
    PASS(kept_read(&file, run->path, "eval.json"));
    if (!file) /* embeddings need not be read to say so */
        return GRACO_OK;
    json_free(file);
    run->compared = NULL;
    graco_status status =
        made_from_embeddings(&from, run, 0, run->info.seeds * run->info.splits, data);
    if (status != GRACO_OK) /* where some training has no embeddings, no scores are of all */
        return status == GRACO_ERROR_MEMORY ? status : GRACO_OK;
    PASS(find_kept(&scores, run, data, &from));
    scores_clear(&run->scores);
    baselines_clear(&run->baselines);
    run->scores = scores;
    run->scores.from = from;
    *options = scores.options;
    *out = scores.results;
    return GRACO_OK;
}

/* Those in the file of the same embeddings by other options, the newest first. */
static void write_earlier(struct writer *json, const struct json *file,
                          const struct run_scores *scores)
{
    const struct json *earlier = json_find(file, "earlier"), *kept = file;
    writer_open(json, "earlier", '[');
    for (int64_t i = 0, count = 0; kept && count < EARLIER_MAX; kept = json_at(earlier, i++)) {
        if (!carries(kept, "embeddings", scores->from.embeddings) ||
            carries(kept, "options", scores->from.options))
            continue;
        writer_open(json, NULL, '{');
        for (int64_t f = 0; f < json_size(kept); f++)
            if (strcmp(json_at(kept, f)->key, "earlier") != 0)
                json_write(json, json_at(kept, f)->key, json_at(kept, f));
        writer_close(json);
        count++;
    }
    writer_close(json);
}

graco_status graco_run_keep_scores(graco_run *run)
{
    const struct run_scores *scores = &run->scores;
    struct writer json = {.style = WRITER_FILE};
    struct json *file = NULL;
    char *path = NULL;
    graco_status status = GRACO_OK;
    if (scores->count == 0)
        return GRACO_OK;
    TRY(kept_read(&file, run->path, "eval.json"));
    writer_open(&json, NULL, '{');
    graco_eval_write(&json, run->path, scores->results, scores->count, &scores->options);
    made_from_write(&json, &scores->from);
    baselines_write(&json, file, run);
    write_earlier(&json, file, scores);
    writer_close(&json);
    TRY(writer_finish(&json));
    TRY(memory_path(&path, run->path, "eval.json"));
    TRY(file_write_text(path, &json.text));
done:
    writer_clear(&json);
    json_free(file);
    memory_free(path);
    return status;
}
