/* Baselines beside the scores of a run, on the same splits. They depend on the data set and on how it is scored, and
 * not on the embeddings; eval.json keeps them with the scores. */
#include "run/run.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/writer.h"
#include "graco_command.h"
#include "io/json/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Comparison ------------------------------------------------------------------------------ */

/* The scores of each split, averaged over results of the same splits. */
static graco_status average(graco_eval_result *out, const graco_eval_result *results, int64_t count)
{
    *out = results[0];
    PASS(memory_zalloc(&out->scores, out->splits, sizeof *out->scores));
    for (int64_t r = 0; r < count; r++)
        for (int64_t s = 0; s < out->splits; s++)
            out->scores[s] += results[r].scores[s] / (double)count;
    return GRACO_OK;
}

graco_status graco_eval_compare_runs(graco_eval_comparison *out, const graco_eval_result *a,
                                     int64_t a_count, const graco_eval_result *b, int64_t b_count)
{
    graco_eval_result one = {0}, other = {0};
    double *kept[2] = {NULL, NULL};
    graco_status status = GRACO_OK;
    TRY(average(&one, a, a_count));
    kept[0] = one.scores;
    TRY(average(&other, b, b_count));
    kept[1] = other.scores;
    TRY(graco_eval_compare(out, &one, &other));
done:
    memory_free(kept[0]);
    memory_free(kept[1]);
    return status;
}

/* Whether the settings have a key of this value. */
static bool has(const graco_config *config, const char *key, const char *value)
{
    char found[CONFIG_TEXT];
    const char *name;
    for (int i = 0; (name = graco_config_key(config, i, NULL)); i++)
        if (strcmp(name, key) == 0)
            return graco_config_get(config, key, found, sizeof found) == GRACO_OK &&
                   strcmp(found, value) == 0;
    return false;
}

bool graco_baseline_advice(char words[GRACO_ADVICE], const char *who, const char *name,
                           const graco_eval_comparison *against, const graco_config *config)
{
    bool better = against->difference > 0 &&
                  !(isfinite(against->error) && against->difference <= 2 * against->error);
    if (better || (config && strcmp(config->method, name) == 0))
        return false;
    snprintf(words, GRACO_ADVICE,
             "%s is not better than %s, which needs no training: %+.2f points%s. Try %s%s%s%s", who,
             name, against->difference,
             against->difference > 0 ? ", less than two standard errors" : "",
             config && has(config, "parts", "learned") ? "--set parts=learned,own,smooth, " : "",
             config && has(config, "encoder", "gcn") ? "--set encoder=sage_skip, " : "",
             config && config->epochs == 0 ? "" : "graco tune, or ",
             strcmp(name, "raw") == 0 ? "the features themselves" : "--method propagate");
    return true;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

void baselines_clear(struct run_baselines *baselines)
{
    for (int b = 0; b < baselines->count; b++)
        graco_eval_result_clear(&baselines->result[b]);
    *baselines = (struct run_baselines){0};
}

/* Whether scores by these options, of a data set that has features, can stand beside others on the same splits: a
 * supervised training has a split of its own, by its number. */
static bool comparable(const graco_run *run, const graco_dataset *data)
{
    const struct run_scores *scores = &run->scores;
    bool good = scores->count > 0 && data->features.cols > 0 && !scores->options.validation;
    for (int64_t i = 0; good && i < run->info.splits; i++) {
        int64_t split = run->trainings[i].about.split;
        good = split < 0 || (split == i && scores->options.protocol != GRACO_PROTOCOL_PUBLIC &&
                             !data->inductive);
    }
    return good;
}

/* What eval.json has of a baseline by the same options. */
static const struct json *kept_baseline(const struct json *file, const struct made_from *from,
                                        const char *name)
{
    const struct json *earlier = json_find(file, "earlier"), *kept = file;
    for (int64_t i = 0; kept; kept = json_at(earlier, i++)) {
        const struct json *list = json_find(kept, "baselines");
        const char *found;
        for (int64_t b = 0; made_from_options_same(kept, from) && b < json_size(list); b++)
            if (json_as_string(&found, json_find(json_at(list, b), "name")) &&
                strcmp(found, name) == 0)
                return json_at(list, b);
    }
    return NULL;
}

/* Fills *out from eval.json, if it is there and whole; *there says so. */
static graco_status read_baseline(graco_eval_result *out, bool *there, const graco_run *run,
                                  const graco_dataset *data, const char *name)
{
    struct json *file = NULL;
    struct run_scores read = {0};
    *there = false;
    if (!*run->scores.from.options)
        return GRACO_OK;
    PASS(kept_read(&file, run->path, "eval.json"));
    const struct json *kept = kept_baseline(file, &run->scores.from, name);
    graco_status status = kept ? scores_read(&read, kept, 1, data) : GRACO_OK;
    json_free(file);
    if (status == GRACO_ERROR_MEMORY)
        return status;
    if (status != GRACO_OK || read.count == 0)
        return GRACO_OK;
    *there = read.results[0].splits == run->scores.results[0].splits;
    if (*there) {
        *out = read.results[0];
        read.results[0] = (graco_eval_result){0};
    }
    scores_clear(&read);
    return GRACO_OK;
}

static graco_status make_baseline(graco_eval_result *out, graco_run *run, const graco_dataset *data,
                                  const char *name)
{
    graco_eval_options options = run->scores.options;
    graco_training training = {0};
    bool there;
    PASS(graco_run_training(&training, run, 0));
    PASS(read_baseline(out, &there, run, data, name));
    if (there)
        return GRACO_OK;
    options.splits = run->scores.results[0].splits;
    if (options.splits_write) { /* the scores have written them */
        options.splits_read = options.splits_write;
        options.splits_write = NULL;
    }
    return graco_evaluate_baseline(out, name, data, training.config, false, &options);
}

graco_status graco_run_baselines(const graco_run_baseline **list, int *count, graco_run *run,
                                 const graco_dataset *data)
{
    struct run_baselines *baselines = &run->baselines;
    const struct run_scores *scores = &run->scores;
    graco_status status = GRACO_OK;
    baselines_clear(baselines);
    for (int b = 0; b < RUN_BASELINES && comparable(run, data); b++) {
        graco_run_baseline *row = &baselines->row[b];
        row->name = graco_baseline(b);
        row->result = &baselines->result[b];
        TRY(make_baseline(&baselines->result[b], run, data, row->name));
        baselines->count++;
        TRY(graco_eval_compare_runs(&row->against, scores->results, scores->count, row->result, 1));
    }
    *list = baselines->row;
    *count = baselines->count;
done:
    if (status != GRACO_OK)
        baselines_clear(baselines);
    return status;
}

void baselines_write(struct writer *json, const struct json *file, const struct graco_run *run)
{
    const struct run_baselines *baselines = &run->baselines;
    writer_open(json, "baselines", '[');
    for (int b = 0; b < RUN_BASELINES; b++) {
        const struct json *kept = kept_baseline(file, &run->scores.from, graco_baseline(b));
        if (b >= baselines->count) {
            if (kept)
                json_write(json, NULL, kept);
            continue;
        }
        const graco_run_baseline *row = &baselines->row[b];
        writer_open(json, NULL, '{');
        graco_eval_write(json, row->name, row->result, 1, &run->scores.options);
        writer_real(json, "difference", row->against.difference);
        writer_real(json, "difference_error", row->against.error);
        writer_close(json);
    }
    writer_close(json);
}
