/* The work of a search: trainings in run folders, several at a time, each measured when it ends.
 *
 * Trainings share nothing but the data set, so what comes out does not depend on how many run at a time,
 * nor on the order in which they end. On a GPU each has a stream of its own: a small graph keeps only a
 * small part of a GPU busy. */
#include "tune/search.h"

#include "base/memory.h"
#include "base/threads.h"
#include "eval/smooth.h"
#include "eval/structure.h"
#include "graco_command.h"
#include "io/files/file.h"
#include "train/made.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SPLITS = 20 }; /* that a validation score is the mean of */

/* The seed of those splits: not one that anybody reports scores of. The letters of "tune". */
static const uint64_t SPLITS_SEED = 0x74756e65;

static const double PROGRESS_INTERVAL = 0.1, SAVE_INTERVAL = 1;

struct work {
    struct search *search;
    const struct wanted **left; /* (count) */
    int threads;                /* of a training beside others */
};

/* ---- Folders --------------------------------------------------------------------------------- */

/* A trial's training goes on from rung to rung in one folder; those with other seeds may be wanted after
 * different epochs at the same time. */
static graco_status run_path(char **out, const struct search *search, const struct wanted *wanted)
{
    char name[80];
    snprintf(name, sizeof name, "%" PRId64 "-%" PRId64 "-%" PRId64, wanted->trial, wanted->seed,
             wanted->seed > 0 ? wanted->epochs : 0);
    return memory_path(out, search->runs, name);
}

graco_status search_forget(const struct search *search, const struct wanted *wanted)
{
    char *folder = NULL;
    PASS(run_path(&folder, search, wanted));
    graco_status status = graco_run_remove(folder);
    memory_free(folder);
    return status;
}

graco_status search_save(struct search *search)
{
    const struct trials_table table = {&search->space, search->point, search->local,
                                       search->options->criterion};
    search->saved = threads_seconds();
    return trials_write(&search->trials, &table, search->table);
}

/* ---- Progress -------------------------------------------------------------------------------- */

/* Epochs between this measurement and that of the rung before. */
static double epochs_of(const struct search *search, const struct measurement *one)
{
    int64_t before = 0;
    for (int i = 0; i < search->space.rungs && one->seed == 0; i++)
        if (search->space.epochs[i] < one->epochs)
            before = search->space.epochs[i];
    return one->epochs > before ? (double)(one->epochs - before) : 1;
}

/* How long what is left may take: as long for each epoch as those of this call, or until the time is over. */
static double seconds_left(const struct search *search, double passed)
{
    const graco_tune_options *options = search->options;
    double left = (double)NAN, epochs = search_epochs(search);
    for (int64_t i = 0; i < search->trials.count; i++)
        epochs -= epochs_of(search, &search->trials.list[i]);
    if (options->trials > 0 && search->fresh > 0)
        left = passed / search->trained * fmax(0, epochs);
    if (options->seconds > 0 && !(left < options->seconds - passed))
        left = fmax(0, options->seconds - passed);
    return left;
}

void search_report(struct search *search, bool now)
{
    const graco_tune_options *options = search->options;
    double time = threads_seconds();
    struct choice choice = {0};
    bool found = false;
    if (!now && time - search->asked < PROGRESS_INTERVAL)
        return;
    search->asked = time;
    if (options->seconds > 0 && time - search->begun >= options->seconds) {
        search->out_of_time = true;
        search->stop = true;
    }
    if (!options->on_progress || search_choose(&choice, &found, search) != GRACO_OK)
        return;
    graco_tune_progress progress = {.trials_done = search_measured(search),
                                    .trials = options->trials > 0 ? search->most : 0,
                                    .measured = search->trials.count,
                                    .best_trial = found ? choice.mean.trial : -1,
                                    .best = choice.mean.structure,
                                    .best_validation = found ? choice.mean.validation : (double)NAN,
                                    .seconds = time - search->begun,
                                    .seconds_left = seconds_left(search, time - search->begun)};
    if (!options->on_progress(options->user, &progress))
        search->stop = true;
}

/* on_progress of every training. */
static bool go_on(void *user, const graco_progress *progress)
{
    struct search *search = user;
    (void)progress;
    pthread_mutex_lock(&search->hold);
    search_report(search, false);
    pthread_mutex_unlock(&search->hold);
    return !search->stop;
}

/* ---- One training ---------------------------------------------------------------------------- */

static graco_status settings_of(struct graco_config *config, const struct search *search,
                                const struct wanted *wanted, int threads)
{
    PASS(space_configure(config, &search->space, &search->point[wanted->trial]));
    config->epochs = wanted->epochs;
    config->checkpoint_every = wanted->epochs > 0 ? wanted->epochs : 1;
    config->seed = search->options->seed + (uint64_t)wanted->seed;
    config->threads = threads;
    return graco_config_set(config, "device",
                            search->options->device ? search->options->device : "auto");
}

/* on_progress of every evaluation. */
static bool go_on_scoring(void *user, double share)
{
    (void)share;
    return go_on(user, NULL);
}

/* How embeddings are scored on validation nodes. */
static graco_eval_options validation_options(int64_t splits, int threads)
{
    graco_eval_options options = graco_eval_defaults();
    options.validation = true;
    options.splits = splits;
    options.seed = SPLITS_SEED;
    options.threads = threads;
    return options;
}

graco_status graco_tune_baseline(double *score, const char *name, const graco_dataset *data,
                                 int64_t threads)
{
    graco_eval_options options = validation_options(SPLITS, threads_count(threads));
    graco_eval_result result = {0};
    PASS(graco_evaluate_baseline(&result, name, data, NULL, false, &options));
    *score = result.mean;
    graco_eval_result_clear(&result);
    return GRACO_OK;
}

graco_status search_check_labels(const struct search *search)
{
    graco_status status = GRACO_OK;
    graco_matrix Z = {.rows = search->data->graph->nodes, .cols = 1};
    graco_eval_result result = {0};
    const graco_eval_options options =
        validation_options(1, threads_count(search->options->threads));
    TRY(memory_zalloc(&Z.data, Z.rows, sizeof *Z.data));
    TRY(graco_evaluate(&result, &Z, search->data, &options));
done:
    graco_eval_result_clear(&result);
    graco_matrix_clear(&Z);
    return status == GRACO_OK ? status : status_context(status, "the criterion validation");
}

/* Of embeddings that see nothing of what is hidden. */
static graco_status measure_structure(graco_structure *out, const struct search *search,
                                      const graco_model *model, int threads)
{
    const graco_embed_options options = {
        .threads = threads, .device = search->options->device, .contaminated = true};
    graco_status status = GRACO_OK;
    struct made made = {0};
    graco_matrix Z = {0};
    TRY(made_open(&made, search->data, model, threads));
    const struct graco_dataset seen = hidden_seen(&search->hidden, made.data);
    TRY(made_embed(&Z, model, &seen, &options));
    TRY(structure_measure(out, &Z, &search->hidden, threads));
    if (model->method->needs & METHOD_PER_NODE)
        out->edges = (double)NAN; /* a node's vector saw them all */
done:
    graco_matrix_clear(&Z);
    made_clear(&made);
    return status;
}

static graco_status validate(double *score, struct search *search, graco_run *run, int threads)
{
    const graco_matrix *Z = NULL;
    graco_eval_result result = {0};
    graco_eval_options options = validation_options(SPLITS, threads);
    options.on_progress = go_on_scoring;
    options.user = search;
    PASS(graco_run_embeddings(&Z, NULL, run, 0, NULL));
    PASS(graco_evaluate(&result, Z, search->data, &options));
    *score = result.mean;
    graco_eval_result_clear(&result);
    return GRACO_OK;
}

/* Trains on from where the run folder is, and measures. Numbers that go wrong are a result too. */
static graco_status train_and_measure(struct measurement *one, struct search *search,
                                      const struct wanted *wanted, int threads)
{
    graco_status status = GRACO_OK;
    struct graco_config config;
    graco_model *model = NULL;
    graco_run *run = NULL;
    char *folder = NULL;
    double begun = threads_seconds();
    *one = (struct measurement){.trial = wanted->trial,
                                .seed = wanted->seed,
                                .epochs = wanted->epochs,
                                .structure = {(double)NAN, (double)NAN, (double)NAN},
                                .validation = (double)NAN,
                                .used = true};
    TRY(run_path(&folder, search, wanted));
    TRY(settings_of(&config, search, wanted, threads));
    const graco_train_options options = {.run = folder,
                                         .resume = graco_run_look(folder).begun,
                                         .user = search,
                                         .on_progress = go_on};
    TRY(graco_train(&model, NULL, search->data, &config, &options));
    TRY(measure_structure(&one->structure, search, model, threads));
    if (search->options->criterion == GRACO_CRITERION_VALIDATION) {
        TRY(graco_run_open(&run, folder));
        TRY(validate(&one->validation, search, run, threads));
    }
done:
    one->seconds = threads_seconds() - begun;
    if (status == GRACO_ERROR_NUMBER) {
        one->failed = true;
        status = GRACO_OK;
    }
    graco_run_free(run);
    graco_model_free(model);
    memory_free(folder);
    return status;
}

static graco_status take(struct search *search, const struct measurement *one)
{
    PASS(trials_add(&search->trials, one));
    search->fresh++;
    search->trained += epochs_of(search, one);
    if (threads_seconds() - search->saved > SAVE_INTERVAL)
        PASS(search_save(search));
    search_report(search, true);
    return GRACO_OK;
}

/* A graco_job_fn. */
static graco_status measure_one(void *user, int64_t i, bool alone)
{
    const struct work *work = user;
    struct search *search = work->search;
    struct measurement one;
    if (search->stop)
        return status_fail(GRACO_STOPPED, "the search was stopped");
    graco_status status =
        train_and_measure(&one, search, work->left[i], alone ? search->threads : work->threads);
    pthread_mutex_lock(&search->hold);
    if (status == GRACO_OK)
        status = take(search, &one);
    bool wants_room = status == GRACO_ERROR_MEMORY || status == GRACO_ERROR_DEVICE;
    if (status != GRACO_OK && (alone || !wants_room))
        search->stop = true; /* nobody waits for the others to hear of it */
    pthread_mutex_unlock(&search->hold);
    return status;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static graco_status run_all(struct work *work, int64_t count)
{
    struct search *search = work->search;
    int64_t failed = 0, wide = count < search->at_once ? count : search->at_once;
    work->threads = search->threads / (int)wide > 1 ? search->threads / (int)wide : 1;
    graco_status status = graco_run_jobs(&failed, count, (int)wide, measure_one, work);
    if (status != GRACO_OK && status != GRACO_STOPPED)
        return status_context(status, "trial %lld", (long long)work->left[failed]->trial);
    return search->stop ? status_fail(GRACO_STOPPED, "the search was stopped") : status;
}

/* The score of the raw features that are seen, in few columns: what embeddings should beat. */
static graco_status measure_raw(struct search *search)
{
    graco_status status = GRACO_OK;
    graco_structure found = {0};
    graco_matrix Z = {0};
    search->raw = (double)NAN;
    if (!search->hidden.own_features)
        return GRACO_OK;
    TRY(smooth_features(&Z, &search->hidden.seen, 0, search->threads));
    TRY(structure_measure(&found, &Z, &search->hidden, search->threads));
    search->raw = structure_score(&found);
done:
    graco_matrix_clear(&Z);
    return status;
}

graco_status search_prepare(struct search *search)
{
    if (search->hidden.seen.graph)
        return GRACO_OK;
    PASS(hidden_make(&search->hidden, search->data, search->threads));
    PASS(measure_raw(search));
    if (hidden_differ(&search->hidden) || search->data->graph->edges > 0 ||
        search->options->criterion == GRACO_CRITERION_VALIDATION)
        return GRACO_OK;
    return status_fail(
        GRACO_ERROR_ARGUMENT,
        "the data set %s has no edges, and its nodes have the same features: there is "
        "nothing to measure embeddings by",
        search->data->name);
}

graco_status search_measure(struct search *search, const struct wanted *wanted, int64_t count)
{
    graco_status status = GRACO_OK, saved;
    struct work work = {.search = search};
    int64_t left = 0;
    TRY(memory_alloc(&work.left, count, sizeof *work.left));
    for (int64_t i = 0; i < count; i++) {
        struct measurement *known =
            trials_find(&search->trials, wanted[i].trial, wanted[i].seed, wanted[i].epochs);
        if (known)
            known->used = true;
        else
            work.left[left++] = &wanted[i];
    }
    if (left == 0)
        goto done;
    TRY(search_prepare(search));
    trials_cut(&search->trials, search->count); /* they followed from rows that are not there */
    status = run_all(&work, left);
    saved = search_save(search);
    status = status == GRACO_OK ? saved : status;
done:
    memory_free(work.left);
    return status;
}
