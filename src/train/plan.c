/* A plan: the dry run of a training, on the tally (compute/tally.h). The model, the schedule, its
 * stages, the steps and the embedding are the training's own; only parameters, buffers and the result are
 * addresses without memory. So the peak is found where the training will have it. A training over ranks is
 * gone through once for each of them, with messages that are counted and not sent (comm/comm_tally.h). */
#include "graco_command.h"
#include "base/memory.h"
#include "base/threads.h"
#include "comm/comm_tally.h"
#include "compute/tally.h"
#include "data/node_features.h"
#include "data/subset.h"
#include "graph/order.h"
#include "graph/shard.h"
#include "train/allowed.h"
#include "train/made.h"
#include "train/schedule.h"
#include "train/stopping.h"
#include "train/trainer.h"

#include <string.h>

/* Steps of the dry run: an epoch's, but no more once this many seconds have passed, and then at least so
 * many, because mini-batches differ. Those of a method without a tape really run. */
static const double STEPPING_SECONDS = 1;
enum { STEPS_LEAST = 4 };

struct planning {
    const struct graco_dataset *given;
    struct graco_config config;
    const struct method *method;
    const struct backend *backend;
    struct tally tally;
    struct made made;
    const struct graco_dataset *data; /* the made one, or the same in the ranks' order */
    struct comm *comm; /* of the rank that is gone through; NULL: there is one process */
    struct graco_model *model;
    struct trainer *trainer;
    struct schedule *schedule;
    graco_plan plan;
};

/* The model, with addresses for its blocks. */
static graco_status open_model(struct planning *p)
{
    graco_status status = GRACO_OK;
    TRY(memory_zalloc(&p->model, 1, sizeof *p->model));
    TRY(model_declare(p->model, &p->config, model_sizes_of(p->data)));
    struct parameters *all = &p->model->parameters;
    float **blocks[] = {&all->value, &all->grad, &all->m, &all->v};
    for (int i = 0; i < (all->plain ? 1 : 4); i++)
        TRY(tally_reserve(&p->tally, blocks[i], all->total, sizeof(float)));
    if (all->keeps)
        TRY(tally_reserve(&p->tally, &all->best, all->total, sizeof(float)));
    p->plan.parameters = all->total;
done:
    return status;
}

/* What all ranks have in common: the device and the features. */
static graco_status open_data(struct planning *p)
{
    PASS(method_find(&p->method, p->config.method));
    made_resolve(&p->config, p->given, p->comm, NULL);
    PASS(allowed_check(&p->config, p->given));
    PASS(method_backend(&p->backend, p->method,
                        p->comm ? "cpu" : config_word(&p->config, "device")));
    p->plan.device = p->backend->name;
    if (p->backend->memory)
        PASS(p->backend->memory(&p->plan.device_free, &p->plan.device_total));
    if (p->config.node_features == NODE_FEATURES_WALK)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "node_features = walk cannot be planned: its features come from a training "
            "of their own, which a plan for the method node2vec tells of");
    p->plan.now_bytes = memory_resident();
    PASS(made_create(&p->made, p->given, &p->config));
    p->data = p->made.data;
    return method_check_data(p->method, p->made.data);
}

static graco_status open_training(struct planning *p)
{
    PASS(tally_init(&p->tally, p->backend));
    PASS(open_model(p));
    PASS(trainer_create(&p->trainer, &p->tally.backend, p->model));
    p->trainer->context->comm = p->comm;
    PASS(schedule_create(&p->schedule, p->trainer->context, p->model, p->data));
    p->plan.steps = schedule_steps(p->schedule);
    tally_look(&p->tally, p->trainer->context);
    return GRACO_OK;
}

static void close_training(struct planning *p)
{
    schedule_free(p->schedule);
    trainer_free(p->trainer);
    p->schedule = NULL;
    p->trainer = NULL;
    if (p->model) { /* its blocks are addresses: nothing to free */
        struct parameters *all = &p->model->parameters;
        all->value = all->grad = all->m = all->v = all->best = NULL;
    }
    graco_model_free(p->model);
    p->model = NULL;
    tally_clear(&p->tally);
}

/* Goes through steps of an epoch. */
static graco_status plan_steps(struct planning *p)
{
    struct stage *stage = NULL;
    double begin = threads_seconds();
    for (int64_t done = 0; done < p->plan.steps; done++) {
        if (threads_seconds() - begin > STEPPING_SECONDS && done >= STEPS_LEAST)
            break;
        PASS(schedule_next(p->schedule, &stage));
        PASS(trainer_step(p->trainer, stage));
    }
    tally_look(&p->tally, p->trainer->context);
    return GRACO_OK;
}

/* Goes through the validation after an epoch, where the method has one. */
static graco_status plan_validation(struct planning *p)
{
    struct stage *whole = NULL;
    double cost = 0;
    if (!p->model->parameters.best || !p->method->validate)
        return GRACO_OK;
    PASS(schedule_whole(p->schedule, &whole));
    PASS(trainer_validate(&cost, p->trainer, whole));
    tally_look(&p->tally, p->trainer->context);
    return GRACO_OK;
}

/* Goes through a look at the structure of embeddings, where these say when to stop: with the training's buffers
 * there. */
static graco_status plan_look(struct planning *p)
{
    const graco_embed_options options = {.threads = p->config.threads, .contaminated = true};
    struct tally *tally = &p->tally;
    int64_t training = p->trainer->context->bytes, device_peak = tally->device_peak;
    float *Z = NULL;
    if (!p->method->structured || p->config.patience == 0 || p->config.epochs < STOPPING_EVERY)
        return GRACO_OK;
    const struct stopping_room room = stopping_room(&p->config, p->given);
    tally->reserved += room.kept;
    int64_t kept = tally->reserved;
    tally->reserved += room.hiding;
    tally_look(tally, p->trainer->context);
    tally->reserved = kept + (p->backend->host ? training : 0);
    tally->device_peak = 0;
    PASS(tally_reserve(tally, &Z, p->made.data->graph->nodes * p->model->width, sizeof *Z));
    PASS(made_embed_on(Z, &tally->backend, p->model, p->made.data, &options));
    tally->reserved += room.measuring;
    tally_look(tally, NULL);
    tally->reserved = kept;
    tally->device_peak = training + tally->device_peak > device_peak && !p->backend->host
                             ? training + tally->device_peak
                             : device_peak;
    return GRACO_OK;
}

/* Goes through the embedding, which begins with the training's buffers gone. */
static graco_status plan_embedding(struct planning *p)
{
    const graco_embed_options options = {.threads = p->config.threads, .contaminated = true};
    const struct graph *graph = p->made.data->graph;
    float *Z = NULL;
    schedule_free(p->schedule);
    trainer_free(p->trainer);
    p->schedule = NULL;
    p->trainer = NULL;
    PASS(tally_reserve(&p->tally, &Z, graph->nodes * p->model->width, sizeof *Z));
    PASS(made_embed_on(Z, &p->tally.backend, p->model, p->made.data, &options));
    tally_look(&p->tally, NULL);
    if (parts_none(p->model))
        return GRACO_OK;
    PASS(tally_reserve(&p->tally, &Z, graph->nodes * p->model->columns, sizeof *Z));
    p->tally.reserved += parts_bytes(p->model, graph->nodes);
    tally_look(&p->tally, NULL);
    return GRACO_OK;
}

graco_status graco_plan_train(graco_plan *out, const graco_dataset *data,
                              const graco_config *config)
{
    struct planning p = {.given = data, .config = *config};
    graco_status status = GRACO_OK;
    TRY(open_data(&p));
    TRY(open_training(&p));
    if (p.config.epochs > 0) {
        TRY(plan_steps(&p));
        TRY(plan_validation(&p));
        TRY(plan_look(&p));
    }
    TRY(plan_embedding(&p));
    p.plan.host_bytes = p.tally.host_peak;
    p.plan.device_bytes = p.tally.device_peak;
    *out = p.plan;
done:
    close_training(&p);
    made_clear(&p.made);
    return status;
}

/* ---- Over ranks ------------------------------------------------------------------------------ */

/* Memory of a rank that reads its rows alone, as trainings over MPI took it. */
enum {
    ROWS_PROGRAM = 32 << 20, /* graco and MPI */
    ROWS_PER_NODE = 50,      /* of the whole graph, while edges go to their ranks */
    ROWS_PER_EDGE = 34,      /* that touches own nodes, likewise */
};

/* Bytes of what every rank has of all nodes: labels, the split, names, the order and those of a part. */
static int64_t bytes_of_all(const struct graco_dataset *data)
{
    int64_t nodes = data->graph->nodes, names = 0;
    for (int64_t i = 0; data->node_ids && i < nodes; i++)
        names += (int64_t)(sizeof *data->node_ids + strlen(data->node_ids[i]) + 1);
    int64_t row = (data->label ? 4 : 0) + (data->class_of ? 4 : 0) +
                  (data->multi ? data->classes : 0) + !!data->split + !!data->label_known +
                  (data->order ? 8 : 0);
    return nodes * row + names;
}

/* A rank's share of edges and features as it reads them, in bytes. */
static int64_t bytes_read(const struct graco_dataset *data, int64_t ranks)
{
    const struct features *X = &data->features;
    int64_t edge = data->graph->in.value ? 20 : 12; /* both ends, and ids by which they are drawn */
    int64_t features = X->dense          ? 4 * X->rows * X->cols
                       : X->sparse.start ? 8 * X->sparse.start[X->rows]
                                         : 0;
    return (edge * data->graph->edges + features) / ranks;
}

/* The most memory of a rank that reads its rows alone: while it reads, while it divides what it has read anew,
 * or in a step. `shard` is what it trains on. */
static int64_t bytes_by_rows(const struct planning *p, const struct graph *shard, int64_t step)
{
    const struct graco_dataset *data = p->given;
    bool anew = data->order || p->config.inductive;
    int64_t kept = bytes_of_all(data) + (anew ? bytes_read(data, p->comm->ranks) : 0);
    int64_t sharing = ROWS_PER_NODE * data->graph->nodes + ROWS_PER_EDGE * shard->drawn_count;
    int64_t later = kept + (anew && sharing > step ? sharing : step);
    return ROWS_PROGRAM + (sharing > later ? sharing : later);
}

/* Goes through an epoch of p->comm's rank. Ranks embed their own rows at the end, which takes less
 * memory than a step: one view and no gradients. */
static graco_status plan_rank(graco_rank_plan *out, struct planning *p)
{
    struct stage *stage = NULL;
    bool stop = false;
    PASS(open_training(p));
    PASS(schedule_next(p->schedule, &stage));
    const struct graph *graph = stage->views[0]->graph;
    const struct comm_rows *rows = graph->shard ? &graph->shard->rows : NULL;
    *out = (graco_rank_plan){.nodes = graph->nodes};
    if (rows) {
        out->read_rows = rows->others;
        out->sent_rows = rows->sent_start[p->comm->ranks];
    }
    if (p->config.epochs > 0) {
        int64_t bytes = p->comm->bytes, messages = p->comm->messages;
        PASS(plan_steps(p));
        for (int64_t i = 0; i <= p->plan.steps; i++) /* whether to go on, as the loop asks */
            PASS(comm_stop(p->comm, &stop));
        out->sent_bytes = p->comm->bytes - bytes;
        out->sent_messages = p->comm->messages - messages;
    }
    out->host_bytes = p->tally.host_peak;
    out->own_bytes = p->tally.host_peak - p->plan.now_bytes;
    out->by_rows = p->given->by_rows && !graco_looks_at_all(&p->config, p->given);
    if (out->by_rows)
        out->host_bytes = bytes_by_rows(p, graph, out->own_bytes);
    return GRACO_OK;
}

/* Puts the nodes in the ranks' order once for all of them, where each would do so by itself. Fills `ordered`,
 * whose graph and features the caller frees. */
static graco_status order_once(struct planning *p, struct graco_dataset *ordered)
{
    const struct graco_dataset *data = p->made.data;
    if (!data->order || p->config.inductive)
        return GRACO_OK;
    PASS(order_apply(&ordered->graph, data->graph, data->order));
    PASS(subset_features(&ordered->features, &data->features, data->order, data->graph->nodes));
    struct graco_dataset copy = *data; /* of its pointers */
    copy.graph = ordered->graph;
    copy.features = ordered->features;
    copy.order = NULL;
    *ordered = copy;
    p->data = ordered;
    p->plan.now_bytes = memory_resident();
    return GRACO_OK;
}

/* What ranks send for samples and for graphs one after the other is not counted. */
static graco_status check_counted(const struct planning *p)
{
    const char *what = p->config.batch > 0      ? "mini-batches: expected batch 0"
                       : p->given->graphs > 1   ? "many graphs: expected one"
                       : p->config.patience > 0 ? "early stopping: expected patience 0"
                                                : NULL;
    return what ? status_fail(GRACO_ERROR_ARGUMENT, "plans over ranks do not count %s", what)
                : GRACO_OK;
}

/* One rank is a training by one process, of whatever method. */
static graco_status plan_alone(graco_rank_plan *out, const graco_dataset *data,
                               const graco_config *config)
{
    graco_plan plan;
    PASS(graco_plan_train(&plan, data, config));
    *out = (graco_rank_plan){.nodes = data->graph->nodes,
                             .host_bytes = plan.host_bytes,
                             .own_bytes = plan.host_bytes - plan.now_bytes};
    return GRACO_OK;
}

graco_status graco_plan_ranks(graco_rank_plan *out, int64_t ranks, const graco_dataset *data,
                              const graco_config *config)
{
    struct planning p = {.given = data, .config = *config};
    struct graco_dataset ordered = {0};
    struct comm comm = {0};
    graco_status status = GRACO_OK;
    if (ranks == 1)
        return plan_alone(out, data, config);
    if (ranks < 1 || ranks > GRACO_RANKS_MOST)
        FAIL(GRACO_ERROR_ARGUMENT, "%lld ranks: expected 1 to %d", (long long)ranks,
             GRACO_RANKS_MOST);
    comm_tally_init(&comm, 0, (int)ranks);
    TRY(method_find(&p.method, p.config.method));
    made_resolve(&p.config, data, true, NULL);
    TRY(allowed_check_ranks(&comm, &p.config, p.method, data));
    TRY(check_counted(&p));
    p.comm = &comm;
    TRY(open_data(&p));
    TRY(order_once(&p, &ordered));
    for (int rank = 0; rank < ranks; rank++) {
        comm_tally_clear(&comm);
        comm_tally_init(&comm, rank, (int)ranks);
        TRY(plan_rank(&out[rank], &p));
        close_training(&p);
    }
done:
    close_training(&p);
    made_clear(&p.made);
    graph_free(ordered.graph);
    features_clear(&ordered.features);
    comm_tally_clear(&comm);
    return status;
}
