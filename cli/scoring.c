/* Scores. A folder of several runs is scored run by run, on the same splits, and what is said of it
 * is about all of their scores. */
#include "scoring.h"

#include "graco_more.h"
#include "loading.h"
#include "output.h"
#include "runs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool scoring_may_keep(const char *folder, const char *file)
{
    bool refused = access(folder, W_OK) != 0 && (errno == EACCES || errno == EROFS);
    if (refused)
        output_note("%s: the scores are not kept in %s: %s", folder, file, strerror(errno));
    return !refused;
}

graco_status scoring_keep(const struct scoring *scoring)
{
    struct stat found;
    if (!scoring->run || stat(scoring->name, &found) != 0 || !S_ISDIR(found.st_mode) ||
        !scoring_may_keep(scoring->name, "eval.json"))
        return GRACO_OK;
    return graco_run_keep_scores(scoring->run);
}

graco_status scoring_run(struct scoring *out, graco_run *run, const graco_dataset *data,
                         const graco_eval_options *options)
{
    const graco_run_info info = graco_run_describe(run);
    graco_status status = GRACO_OK;
    *out = (struct scoring){.name = info.path,
                            .with_features = options->with_features,
                            .options = *options,
                            .run = run,
                            .runs = info.seeds};
    for (int64_t i = 0; status == GRACO_OK && i < info.seeds * info.splits; i++) {
        const graco_matrix *Z = NULL;
        status = loading_embeddings(&Z, NULL, run, i, data); /* says what rows cannot */
        graco_run_close(run, i);
    }
    if (status == GRACO_OK)
        status = graco_run_scores(&out->results, run, data, options);
    if (status == GRACO_OK)
        out->all = graco_eval_summarise(out->results, out->runs);
    else
        scoring_clear(out);
    return status;
}

/* The settings of a run, or of the first of several; else those of the data set's preset. */
static graco_status settings_of(graco_config **config, graco_run *run, const graco_dataset *data)
{
    graco_training training = {0};
    graco_status status = run ? graco_run_training(&training, run, 0) : GRACO_OK;
    if (status != GRACO_OK)
        return status;
    return training.config
               ? graco_config_copy(config, training.config)
               : graco_config_create(config, NULL,
                                     graco_preset_for(NULL, graco_dataset_describe(data).name));
}

/* The embeddings of an encoder that has learnt nothing. */
static graco_status embed_untrained(graco_matrix *Z, graco_config *config,
                                    const graco_dataset *data, int64_t threads)
{
    const graco_embed_options embed = {.threads = threads, .contaminated = true};
    graco_model *model = NULL;
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, threads);
    graco_status status = graco_config_set(config, "epochs", "0");
    if (status == GRACO_OK)
        status = graco_config_set(config, "device", "auto"); /* this machine's, not the run's */
    if (status == GRACO_OK)
        status = graco_config_set(config, "threads", text);
    if (status == GRACO_OK)
        status = graco_train(&model, NULL, data, config, NULL);
    if (status == GRACO_OK)
        status = graco_model_embed(Z, model, data, &embed);
    graco_model_free(model);
    return status;
}

graco_status scoring_baseline(struct scoring *out, const char *name, graco_run *run,
                              const graco_dataset *data, const graco_eval_options *options)
{
    graco_matrix Z = {0};
    graco_config *config = NULL;
    *out = (struct scoring){.name = name, .options = *options, .results = &out->own};
    out->options.with_features = false; /* a baseline is what it is called */
    graco_status status = settings_of(&config, run, data);
    if (status == GRACO_OK && strcmp(name, "untrained") != 0)
        status = graco_evaluate_baseline(&out->own, name, data, config, true, &out->options);
    else if (status == GRACO_OK)
        status = embed_untrained(&Z, config, data, options->threads);
    if (Z.data)
        status = graco_evaluate(&out->own, &Z, data, &out->options);
    graco_config_free(config);
    out->runs = status == GRACO_OK;
    out->all = graco_eval_summarise(out->results, out->runs);
    graco_matrix_clear(&Z);
    return status;
}

int scoring_beside(struct scoring *out, const struct scoring *run, const graco_run_baseline *list,
                   int count)
{
    for (int b = 0; b < count; b++) {
        out[b] = (struct scoring){.name = list[b].name,
                                  .options = run->options,
                                  .runs = 1,
                                  .results = list[b].result,
                                  .all = graco_eval_summarise(list[b].result, 1)};
        out[b].options.with_features = false;
    }
    return count;
}

void scoring_clear(struct scoring *scoring)
{
    graco_eval_result_clear(&scoring->own);
    graco_run_free(scoring->run);
    *scoring = (struct scoring){0};
}

graco_status scoring_compare(graco_eval_comparison *out, const struct scoring *a,
                             const struct scoring *b)
{
    return graco_eval_compare_runs(out, a->results, a->runs, b->results, b->runs);
}
