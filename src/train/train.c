/* Training: epochs of steps, each on a stage that the schedule hands out; after each epoch a line of
 * metrics, and now and then a checkpoint. A training that is asked to stop gives up the step under way:
 * its checkpoint then stands before that step, within an epoch too. Nothing here knows a method. */
#include "graco_more.h"
#include "base/memory.h"
#include "base/threads.h"
#include "compute/device_scratch.h"
#include "compute/exchange.h"
#include "train/allowed.h"
#include "run/checkpoint.h"
#include "train/made.h"
#include "train/prepare.h"
#include "train/ranks_alike.h"
#include "run/resume.h"
#include "run/run_folder.h"
#include "train/schedule.h"
#include "train/stopping.h"
#include "run/table_names.h"
#include "train/timing.h"
#include "train/trainer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Seconds between two calls of on_progress. */
static const double PROGRESS_INTERVAL = 0.1;

/* Seconds of a step's tiles that tell how long all of them take. */
static const double TILES_MEASURED = 0.2;

/* A setting is called faster if it needs at most this share of the operations: counts say no more. */
static const double FASTER_SHARE = 0.5;

/* One call of graco_train. */
struct session {
    const struct graco_dataset *given; /* the caller's data set */
    struct made made;
    const struct graco_dataset *data; /* the same with the features that the training reads */
    const graco_train_options *options;
    struct graco_config config;
    const struct method *method;
    const struct backend *backend;
    struct graco_model *model;
    struct trainer *trainer;
    struct schedule *schedule;
    struct stopping stopping; /* where the structure of embeddings says when to stop */
    struct run_folder *run;   /* NULL: nothing on disk, or another rank writes it */
    char *checkpoint;         /* to resume from */
    struct comm *comm;        /* the ranks that train together; NULL: this one is alone */
    struct comm before;       /* what it had counted when the first step began */
    struct timing timing;     /* of the epochs of this call */
    int64_t done;             /* epochs of this call */
    int64_t saved;            /* epoch of the checkpoint in the run folder; -1: none */
    double started, stepping; /* when the call began, and its first step */
    double warm;              /* when the first step had ended */
    double step_began;        /* the step under way */
    int64_t first_step;       /* steps before this call */
    double asked;             /* when on_progress was called last */
    bool stopped;             /* it said so */
    const char *faster;       /* a setting that would take far less time, or NULL */
    double faster_share;      /* of the operations */
    graco_train_result result;
};

/* What is resumed, once its path is known. */
static struct resumed resumed_of(const struct session *s)
{
    return (struct resumed){&s->config, s->given, s->data, s->checkpoint};
}

/* The model to go on from: a new one, or the run folder's. */
static graco_status open_model(struct session *s)
{
    graco_status status = GRACO_OK;
    if (!s->options->resume) {
        TRY(model_create(&s->model, &s->config, model_sizes_of(s->data)));
        TRY(graco_dataset_fingerprint(s->model->fingerprint, s->given));
        TRY(table_names_keep(s->model, s->given));
        TRY(class_names_keep(s->model, s->given));
        TRY(made_keep(s->model, s->data));
        TRY(prepare_model(s->model, s->data));
        goto done;
    }
    if (!s->options->run)
        FAIL(GRACO_ERROR_ARGUMENT, "there is no run folder to resume from");
    TRY(memory_path(&s->checkpoint, s->options->run, "model.safetensors"));
    struct resumed resumed = resumed_of(s);
    TRY(resume_model(&s->model, &resumed));
    s->saved = s->model->epoch;
done:
    return status;
}

/* Whether the checkpoint is past the epochs that are wanted: then nothing is done, no file changes. */
static bool is_past(const struct session *s)
{
    const struct graco_model *model = s->model;
    return model->epoch > s->config.epochs ||
           (model->epoch == s->config.epochs && model->sums.steps > 0);
}

/* Seconds of a step with its share of what follows epochs: the mean of those of this call, without the first, which
 * pays for memory that is new, once there are two others. In the first, what its tiles so far tell, with the way back
 * through the layers twice as long as the way to the tiles. NaN: nothing is known yet. */
static double step_seconds(const struct session *s, double now)
{
    const struct watch *watch = &s->trainer->context->watch;
    int64_t done = s->model->step - s->first_step;
    if (done > 2)
        return (s->step_began - s->warm) / (double)(done - 1);
    if (done > 0)
        return (s->step_began - s->stepping) / (double)done;
    if (watch->share == 0 || now - watch->since < TILES_MEASURED)
        return (double)NAN;
    bool warm = watch->warm > 0 && now - watch->warm >= TILES_MEASURED;
    double tiles = warm ? (now - watch->warm) / (watch->share - watch->warm_share)
                        : (now - watch->since) / watch->share;
    return 3 * (watch->since - s->step_began) + tiles;
}

/* Where the training is. */
static graco_progress describe(const struct session *s, double now)
{
    const struct graco_model *model = s->model;
    const struct epoch_sums *sums = &model->sums;
    graco_progress progress = {.epoch = model->epoch + 1,
                               .epochs = s->config.epochs,
                               .step = sums->steps,
                               .steps = schedule_steps(s->schedule),
                               .share = s->trainer->context->watch.share,
                               .loss = (double)NAN,
                               .seconds = now - s->started};
    int64_t left = (progress.epochs - model->epoch) * progress.steps - sums->steps;
    if (sums->weight > 0)
        progress.loss = sums->loss * (double)schedule_weight(s->schedule) / (double)sums->weight;
    progress.step_seconds = step_seconds(s, now);
    progress.seconds_left = ((double)left - progress.share) * progress.step_seconds;
    progress.faster = s->faster;
    progress.faster_seconds = s->faster ? s->faster_share * progress.seconds_left : (double)NAN;
    return progress;
}

/* The watch of a session: asks on_progress, and not again once it has said no. */
static bool go_on(void *owner)
{
    struct session *s = owner;
    double now = threads_seconds_roughly();
    if (s->stopped || now - s->asked < PROGRESS_INTERVAL)
        return !s->stopped;
    s->asked = now;
    graco_progress progress = describe(s, threads_seconds());
    s->stopped = !s->options->on_progress(s->options->user, &progress);
    return !s->stopped;
}

/* Lets on_progress watch the steps to come. What would be faster is only known for one whole graph. */
static void start_watch(struct session *s)
{
    const struct features *X = &s->data->features;
    struct graph_size size = {.nodes = s->data->graph->nodes,
                              .edges = s->data->graph->edges,
                              .entries = X->dense          ? X->rows * X->cols
                                         : X->sparse.start ? X->sparse.start[X->rows]
                                                           : 0};
    s->first_step = s->model->step;
    s->stepping = s->step_began = threads_seconds();
    if (s->comm)
        s->before = *s->comm;
    if (!s->options->on_progress || s->comm) /* ranks stop together, between steps */
        return;
    s->trainer->context->watch = (struct watch){.go_on = go_on, .owner = s};
    if (s->model->method->faster && s->data->graphs == 1 && s->config.batch == 0)
        s->faster = s->model->method->faster(&s->faster_share, s->model, &size);
    if (s->faster_share > FASTER_SHARE)
        s->faster = NULL;
}

/* Where ranks compute: on the CPU, unless they are told otherwise. */
static const char *device_of(const struct session *s)
{
    const char *device = config_word(&s->config, "device");
    return s->comm && strcmp(device, "auto") == 0 ? "cpu" : device;
}

/* What each rank does by itself: first without the features that the training reads, ... */
static graco_status open_given(struct session *s)
{
    PASS(method_find(&s->method, s->config.method));
    made_resolve(&s->config, s->given, s->comm, NULL);
    PASS(allowed_check(&s->config, s->given));
    PASS(allowed_check_ranks(s->comm, &s->config, s->method, s->given));
    PASS(method_backend(&s->backend, s->method, device_of(s)));
    if (s->comm && s->backend->choose)
        PASS(s->backend->choose(s->comm->here));
    return GRACO_OK;
}

/* ... then with them. */
static graco_status open_made(struct session *s)
{
    const struct method *method = s->method;
    graco_status status = GRACO_OK;
    TRY(made_narrow(&s->made, &s->config));
    s->data = s->made.data;
    TRY(method_check_data(method, s->data));
    if (s->options->run && comm_rank(s->comm) == 0)
        TRY(run_folder_open(&s->run, s->options->run));
    TRY(open_model(s));
    TRY(trainer_create(&s->trainer, s->backend, s->model));
done:
    return status;
}

static graco_status open_session(struct session *s)
{
    graco_status status = GRACO_OK;
    TRY(comm_barrier(s->comm, 0)); /* nobody looks for files any more that rank 0 will write */
    TRY(ranks_alike_settings(s->comm, &s->config));
    TRY(comm_agree(s->comm, open_given(s)));
    TRY(comm_agree(s->comm, made_create(&s->made, s->given, &s->config))); /* degrees together */
    TRY(comm_agree(s->comm, open_made(s)));
    TRY(exchange_open(s->trainer->context, s->comm));
    TRY(ranks_alike(s->comm, s->model, s->given));
    TRY(schedule_create(&s->schedule, s->trainer->context, s->model, s->data));
    if (s->options->resume) {
        struct resumed resumed = resumed_of(s);
        TRY(resume_check_place(s->model, &resumed, schedule_steps(s->schedule)));
    }
    start_watch(s);
    if (s->run && !is_past(s)) {
        if (!s->options->resume) /* config.json is not that of embeddings from before */
            TRY(run_folder_empty_embeddings(s->run));
        TRY(run_folder_write_config(s->run, s->model, s->data));
        TRY(run_folder_start_metrics(s->run, s->model->epoch));
    }
done:
    return status;
}

static void close_session(struct session *s)
{
    schedule_free(s->schedule);
    trainer_free(s->trainer);
    graco_model_free(s->model);
    run_folder_free(s->run);
    stopping_clear(&s->stopping);
    made_clear(&s->made);
    memory_free(s->checkpoint);
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
    if (s->model->step > s->first_step || !s->options->resume)
        TRY(run_folder_empty_embeddings(s->run));
    TRY(checkpoint_write(s->model, s->run->model));
    s->saved = s->model->epoch;
done:
    if (status == GRACO_ERROR_NUMBER)
        status_context(status, "after epoch %lld", (long long)s->model->epoch);
    return status;
}

/* Epochs since the lowest cost, or since the learning rate was halved. */
static int64_t epochs_waited(const struct graco_model *model)
{
    return model->epoch - (model->halved > model->best.epoch ? model->halved : model->best.epoch);
}

/* Halves the learning rate after too many epochs without a lower cost. */
static void slow_down(struct graco_model *model)
{
    const struct graco_config *config = &model->config;
    if (config->halve == 0 || epochs_waited(model) <= config->halve ||
        model->lr <= config->lr_least)
        return;
    model->lr = fmax(model->lr / 2, config->lr_least);
    model->halved = model->epoch;
}

/* Why there is no further epoch; NULL: there is one. */
static const char *ending_of(const struct session *s)
{
    const struct graco_model *model = s->model;
    bool looked = !model->method->structured || model->epoch % STOPPING_EVERY == 0;
    bool waits = s->config.patience > 0 && model->best.epoch > 0 && looked;
    if (waits && epochs_waited(model) >= s->config.patience)
        return "patience";
    return model->epoch >= s->config.epochs ? "epochs" : NULL;
}

/* Where the training keeps its best parameters: the epoch's cost, and whether it is the lowest. */
static graco_status judge(struct session *s, graco_epoch *epoch)
{
    struct graco_model *model = s->model;
    struct stage *whole = NULL;
    graco_status status = GRACO_OK;
    if (!model->parameters.best)
        goto done;
    epoch->cost = model->method->structured ? (double)NAN : epoch->loss;
    if (model->method->structured && model->epoch % STOPPING_EVERY == 0) {
        TRY(trainer_download(s->trainer));
        if (comm_rank(s->comm) == 0) /* alone, as one process would */
            TRY(stopping_cost(&epoch->cost, &s->stopping, model, s->given, s->data));
        TRY(comm_broadcast(s->comm, &epoch->cost, sizeof epoch->cost));
    } else if (model->method->validate) {
        TRY(schedule_whole(s->schedule, &whole));
        TRY(trainer_validate(&epoch->cost, s->trainer, whole));
    }
    if (isfinite(epoch->cost) && (model->best.epoch == 0 || epoch->cost < model->best.cost)) {
        TRY(trainer_keep_best(s->trainer));
        model->best.epoch = model->epoch;
        model->best.cost = epoch->cost;
    }
    epoch->best_epoch = model->best.epoch;
    slow_down(model);
done:
    return status;
}

/* GRACO_STOPPED if the caller does not want to go on; of several ranks, that of any. */
static graco_status look(struct session *s)
{
    bool stop = s->comm && s->options->on_progress && !go_on(s);
    PASS(comm_stop(s->comm, &stop));
    return stop ? status_fail(GRACO_STOPPED, "stopped") : context_look(s->trainer->context);
}

/* The steps that the epoch under way still has. */
static graco_status run_steps(struct session *s)
{
    struct stage *stage = NULL;
    struct epoch_sums *sums = &s->model->sums;
    int64_t steps = schedule_steps(s->schedule);
    double whole = (double)schedule_weight(s->schedule);
    graco_status status = GRACO_OK;
    s->step_began = threads_seconds();
    const double begin = s->step_began - sums->seconds;
    while (sums->steps < steps) {
        TRY(look(s));
        TRY(schedule_next(s->schedule, &stage));
        TRY(trainer_step(s->trainer, stage));
        struct outcome outcome = stage_outcome(stage);
        double weight = (double)stage->weight;
        sums->loss += outcome.loss * weight / whole;
        sums->mutual_information += outcome.mutual_information * weight / whole;
        sums->floored += outcome.floored;
        sums->weight += stage->weight;
        sums->steps++;
        s->step_began = threads_seconds();
        if (s->model->step == s->first_step + 1)
            s->warm = s->step_began;
    }
done:
    sums->seconds = sums->steps > 0 ? threads_seconds() - begin : 0;
    return status;
}

/* Ends a training that was stopped within an epoch, or in its first step. */
static graco_status stop_here(struct session *s)
{
    const struct graco_model *model = s->model;
    PASS(save(s));
    if (model->sums.steps == 0)
        return status_fail(GRACO_STOPPED, "stopped after epoch %lld of %lld",
                           (long long)model->epoch, (long long)s->config.epochs);
    return status_fail(GRACO_STOPPED, "stopped in epoch %lld of %lld, after step %lld of %lld",
                       (long long)model->epoch + 1, (long long)s->config.epochs,
                       (long long)model->sums.steps, (long long)schedule_steps(s->schedule));
}

static graco_status run_epoch(struct session *s)
{
    const graco_train_options *options = s->options;
    struct graco_model *model = s->model;
    graco_status status = run_steps(s);
    if (status == GRACO_STOPPED)
        return stop_here(s);
    if (status != GRACO_OK)
        return status;
    const struct epoch_sums sums = model->sums;
    model->sums = (struct epoch_sums){0};
    int64_t left = s->config.epochs - ++model->epoch;
    graco_epoch epoch = {.epoch = model->epoch,
                         .epochs = s->config.epochs,
                         .loss = sums.loss,
                         .mutual_information = sums.mutual_information,
                         .floored = sums.floored,
                         .seconds = sums.seconds,
                         .seconds_left = (double)left * (double)schedule_steps(s->schedule) *
                                         step_seconds(s, s->step_began)};
    s->result.loss = epoch.loss;
    s->result.mutual_information = epoch.mutual_information;
    status = judge(s, &epoch);
    if (status ==
        GRACO_STOPPED) { /* all steps are done, and the epoch is not: it is judged when resumed */
        model->epoch--;
        model->sums = sums;
        return stop_here(s);
    }
    TRY(status);
    timing_add(&s->timing, sums.seconds);
    s->done++;
    epoch.ended = ending_of(s);
    if (s->run)
        TRY(run_folder_log(s->run, &epoch));
    bool stop = options->on_epoch && !options->on_epoch(options->user, &epoch);
    TRY(comm_stop(s->comm, &stop));
    if (stop || epoch.ended || model->epoch % s->config.checkpoint_every == 0)
        TRY(save(s));
    if (stop && !epoch.ended)
        FAIL(GRACO_STOPPED, "stopped after epoch %lld of %lld", (long long)epoch.epoch,
             (long long)epoch.epochs);
done:
    return status;
}

static void fill_result(struct session *s)
{
    graco_train_result *r = &s->result;
    r->epochs = s->model->epoch;
    r->step = s->model->sums.steps;
    r->steps = schedule_steps(s->schedule);
    r->best_epoch = s->model->best.epoch;
    r->best_cost = s->model->best.cost;
    r->ended = ending_of(s) ? ending_of(s) : "stopped";
    r->seconds = threads_seconds() - s->started;
    r->device = s->trainer->context->backend->name;
    r->buffer_bytes = s->trainer->context->most_bytes;
    r->epoch_ms_median = 1e3 * timing_median(&s->timing);
    r->ranks = comm_ranks(s->comm);
    if (!s->comm)
        return;
    r->sent_bytes = s->comm->bytes - s->before.bytes;
    r->sent_messages = s->comm->messages - s->before.messages;
    r->waited = s->comm->waited - s->before.waited;
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

/* What embeddings beside the encoder's need: found once the buffers of the training are gone, and kept by the model's
 * file. */
static graco_status find_parts(struct session *s)
{
    const graco_embed_options options = {.threads = s->config.threads,
                                         .device = config_word(&s->config, "device"),
                                         .contaminated = true};
    schedule_free(s->schedule); /* their buffers would only add to the peak */
    trainer_free(s->trainer);
    s->schedule = NULL;
    s->trainer = NULL;
    if (parts_none(s->model))
        return GRACO_OK;
    PASS(made_find_parts(s->model, s->data, &options));
    return s->run ? checkpoint_write(s->model, s->run->model) : GRACO_OK;
}

static graco_status write_embeddings(struct session *s)
{
    const graco_embed_options options = {.threads = s->config.threads,
                                         .device = config_word(&s->config, "device"),
                                         .contaminated = true};
    graco_matrix Z = {0};
    graco_status status = GRACO_OK;
    if (s->made.narrowed) { /* embedding sees the whole graph */
        made_clear(&s->made);
        TRY(made_create(&s->made, s->given, &s->config));
        s->data = s->made.data;
    }
    if (s->comm) {
        TRY(made_embed_ranks(s->run ? s->run->embeddings : NULL, s->comm, s->model, s->data,
                             &options));
        goto done;
    }
    TRY(made_embed(&Z, s->model, s->data, &options));
    TRY(graco_matrix_save(&Z, s->run->embeddings));
done:
    graco_matrix_clear(&Z);
    return status;
}

graco_status graco_train(graco_model **model, graco_train_result *result, const graco_dataset *data,
                         const graco_config *config, const graco_train_options *options)
{
    const graco_train_options none = {0};
    struct session s = {.given = data,
                        .options = options ? options : &none,
                        .config = *config,
                        .comm = comm_world(),
                        .saved = -1,
                        .started = threads_seconds(),
                        .result = {.loss = (double)NAN, .mutual_information = (double)NAN}};
    graco_status status = GRACO_OK;
    TRY(open_session(&s));
    while (!ending_of(&s) && status == GRACO_OK)
        status = run_epoch(&s);
    if (status != GRACO_OK && status != GRACO_STOPPED)
        goto done;
    fill_result(&s);
    if (status == GRACO_OK && !is_past(&s)) {
        if (s.options->run && s.done == 0)
            TRY(save(&s));
        TRY(find_parts(&s));
        if (s.options->run)
            TRY(write_embeddings(&s));
    }
    graco_status together = comm_barrier(s.comm, 0); /* rank 0 has written all */
    if (together != GRACO_OK)
        status = together;
    if (result)
        *result = s.result;
    if (model) {
        if (!s.comm)
            made_leave(&s.made, s.model);
        *model = s.model;
        s.model = NULL;
    }
done:
    if (status == GRACO_ERROR_NUMBER)
        status = name_checkpoint(&s);
    close_session(&s);
    return status;
}
