/* Training: epochs of steps, each on a stage that the schedule hands out; after each epoch a line of
 * metrics, and now and then a checkpoint. Nothing here knows a method. */
#include "base/memory.h"
#include "base/threads.h"
#include "train/checkpoint.h"
#include "train/run_folder.h"
#include "train/schedule.h"
#include "train/timing.h"
#include "train/trainer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One call of graco_train. */
struct session {
    const struct graco_dataset *data;
    const graco_train_options *options;
    struct graco_config config;
    struct graco_model *model;
    struct trainer *trainer;
    struct schedule *schedule;
    struct run_folder *run; /* NULL: nothing on disk */
    struct timing timing;   /* of the epochs of this call */
    int64_t done;           /* epochs of this call */
    int64_t saved;          /* epoch of the checkpoint in the run folder; -1: none */
    double started;
    graco_train_result result;
};

/* Settings that may change when a training is resumed. */
static bool may_change(const char *key)
{
    static const char *const keys[] = {"epochs", "device", "threads", "memory", "checkpoint_every"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

/* A resumed training must continue what was begun. */
static graco_status check_same(const struct graco_config *begun, const struct graco_config *wanted,
                               const char *path)
{
    graco_status status = GRACO_OK;
    char a[CONFIG_TEXT], b[CONFIG_TEXT];
    const char *key;
    if (strcmp(begun->method, wanted->method) != 0)
        FAIL(GRACO_ERROR_ARGUMENT, "%s was trained by the method %s, not %s: it cannot be resumed",
             path, begun->method, wanted->method);
    for (int i = 0; (key = graco_config_key(begun, i, NULL)); i++) {
        TRY(graco_config_get(begun, key, a, sizeof a));
        TRY(graco_config_get(wanted, key, b, sizeof b));
        if (strcmp(a, b) != 0 && !may_change(key))
            FAIL(GRACO_ERROR_ARGUMENT, "%s was trained with %s = %s, not %s: it cannot be resumed",
                 path, key, a, b);
    }
done:
    return status;
}

/* What the method needs of the data. */
static graco_status check_data(const struct graco_dataset *data, unsigned needs)
{
    if (needs & METHOD_NEEDS_FEATURES && data->features.cols == 0)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "data set '%s' has no node features; training needs some", data->name);
    if (needs & METHOD_NEEDS_TWO_NODES && data->graph->nodes < 2)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "data set '%s' has %lld node; training needs at least 2", data->name,
                           (long long)data->graph->nodes);
    return needs & METHOD_NEEDS_FEATURES ? features_check_cols(&data->features) : GRACO_OK;
}

/* The model to go on from: a new one, or the run folder's. */
static graco_status open_model(struct session *s)
{
    graco_status status = GRACO_OK;
    if (!s->options->resume) {
        TRY(model_create(&s->model, &s->config, s->data->features.cols));
        goto done;
    }
    if (!s->run)
        FAIL(GRACO_ERROR_ARGUMENT, "there is no run folder to resume from");
    TRY(checkpoint_read(&s->model, s->run->model));
    TRY(check_same(&s->model->config, &s->config, s->run->model));
    if (s->model->cols != s->data->features.cols)
        FAIL(GRACO_ERROR_ARGUMENT, "%s was trained on %lld features; data set '%s' has %lld",
             s->run->model, (long long)s->model->cols, s->data->name,
             (long long)s->data->features.cols);
    s->model->config = s->config;
    s->saved = s->model->epoch;
done:
    return status;
}

static graco_status open_session(struct session *s)
{
    graco_dataset_info info = graco_dataset_describe(s->data);
    const struct backend *backend = NULL;
    const struct method *method = NULL;
    graco_status status = GRACO_OK;
    TRY(backend_find(&backend, config_word(&s->config, "device")));
    TRY(method_find(&method, s->config.method));
    TRY(check_data(s->data, method->needs));
    if (s->options->run)
        TRY(run_folder_open(&s->run, s->options->run));
    TRY(open_model(s));
    TRY(trainer_create(&s->trainer, backend, s->model));
    TRY(schedule_create(&s->schedule, s->trainer->context, s->model, s->data));
    TRY(timing_init(&s->timing, s->config.epochs - s->model->epoch));
    if (s->run) {
        TRY(run_folder_write_config(s->run, &s->config, &info));
        TRY(run_folder_start_metrics(s->run, s->model->epoch));
    }
done:
    return status;
}

static void close_session(struct session *s)
{
    timing_clear(&s->timing);
    schedule_free(s->schedule);
    trainer_free(s->trainer);
    graco_model_free(s->model);
    run_folder_free(s->run);
}

static graco_status save(struct session *s)
{
    graco_status status = GRACO_OK;
    TRY(trainer_download(s->trainer));
    if (!s->run) {
        TRY(parameters_check(&s->model->parameters));
        goto done;
    }
    TRY(run_folder_sync(s->run));
    TRY(checkpoint_write(s->model, s->run->model));
    s->saved = s->model->epoch;
done:
    if (status == GRACO_ERROR_NUMBER)
        status_context(status, "after epoch %lld", (long long)s->model->epoch);
    return status;
}

/* The steps of one epoch; `epoch` gets the means over them. */
static graco_status run_steps(struct session *s, graco_epoch *epoch)
{
    int64_t steps = schedule_steps(s->schedule);
    graco_status status = GRACO_OK;
    for (int64_t i = 0; i < steps; i++) {
        struct stage *stage;
        TRY(schedule_next(s->schedule, &stage));
        TRY(trainer_step(s->trainer, stage));
        struct outcome outcome = stage_outcome(stage);
        epoch->loss += outcome.loss / (double)steps;
        epoch->mutual_information += outcome.mutual_information / (double)steps;
        epoch->floored += outcome.floored;
    }
    s->model->epoch++;
done:
    return status;
}

static graco_status run_epoch(struct session *s)
{
    const graco_train_options *options = s->options;
    graco_epoch epoch = {.epoch = s->model->epoch + 1, .epochs = s->config.epochs};
    double begin = threads_seconds();
    graco_status status = run_steps(s, &epoch);
    if (status != GRACO_OK)
        return status;
    double end = threads_seconds();
    int64_t left = s->config.epochs - s->model->epoch;
    timing_add(&s->timing, end - begin);
    s->done++;
    epoch.seconds = end - begin;
    epoch.seconds_left = (double)left * (end - s->started) / (double)s->done;
    s->result.loss = epoch.loss;
    s->result.mutual_information = epoch.mutual_information;
    if (s->run)
        TRY(run_folder_log(s->run, &epoch));
    bool stop = options->on_epoch && !options->on_epoch(options->user, &epoch);
    if (stop || left == 0 || s->model->epoch % s->config.checkpoint_every == 0)
        TRY(save(s));
    if (stop && left > 0)
        FAIL(GRACO_STOPPED, "stopped after epoch %lld of %lld", (long long)epoch.epoch,
             (long long)epoch.epochs);
done:
    return status;
}

static void fill_result(struct session *s)
{
    graco_train_result *r = &s->result;
    r->epochs = s->model->epoch;
    r->seconds = threads_seconds() - s->started;
    r->device = s->trainer->context->backend->name;
    r->buffer_bytes = s->trainer->context->most_bytes;
    r->epoch_ms_median = 1e3 * timing_median(&s->timing);
}

/* What a training that went wrong has kept. */
static graco_status name_checkpoint(const struct session *s)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", graco_message());
    if (!s->run)
        return GRACO_ERROR_NUMBER;
    if (s->saved < 0)
        return status_fail(GRACO_ERROR_NUMBER, "%s; there is no checkpoint yet", text);
    return status_fail(GRACO_ERROR_NUMBER, "%s; the last good checkpoint is %s, of epoch %lld",
                       text, s->run->model, (long long)s->saved);
}

static graco_status write_embeddings(struct session *s)
{
    const graco_embed_options options = {.threads = s->config.threads,
                                         .device = config_word(&s->config, "device"),
                                         .contaminated = true};
    graco_matrix Z = {0};
    graco_status status = GRACO_OK;
    schedule_free(s->schedule); /* their buffers would only add to the peak */
    trainer_free(s->trainer);
    s->schedule = NULL;
    s->trainer = NULL;
    TRY(graco_model_embed(&Z, s->model, s->data, &options));
    TRY(graco_matrix_save(&Z, s->run->embeddings));
done:
    graco_matrix_clear(&Z);
    return status;
}

graco_status graco_train(graco_model **model, graco_train_result *result, const graco_dataset *data,
                         const graco_config *config, const graco_train_options *options)
{
    const graco_train_options none = {0};
    struct session s = {.data = data,
                        .options = options ? options : &none,
                        .config = *config,
                        .saved = -1,
                        .started = threads_seconds(),
                        .result = {.loss = (double)NAN, .mutual_information = (double)NAN}};
    graco_status status = GRACO_OK;
    TRY(open_session(&s));
    while (s.model->epoch < s.config.epochs && status == GRACO_OK)
        status = run_epoch(&s);
    if (status != GRACO_OK && status != GRACO_STOPPED)
        goto done;
    fill_result(&s);
    if (s.run && status == GRACO_OK) {
        if (s.done == 0)
            TRY(save(&s));
        TRY(write_embeddings(&s));
    }
    if (result)
        *result = s.result;
    if (model) {
        *model = s.model;
        s.model = NULL;
    }
done:
    if (status == GRACO_ERROR_NUMBER)
        status = name_checkpoint(&s);
    close_session(&s);
    return status;
}
