/* The schedule. Whole graphs have their stages from the start and are visited in a shuffled order; a
 * mini-batch's stage is made from the next sample and lives for one step. */
#include "train/schedule.h"

#include "base/memory.h"
#include "base/threads.h"
#include "data/subset.h"
#include "graph/subgraph.h"
#include "train/prefetch.h"
#include "train/prepare.h"

enum { SAMPLES_AHEAD = 2 };

/* One graph of the training data. */
struct part {
    const struct graph *graph;
    struct graph *owned;  /* what `graph` points to, unless it is the data set's own */
    int32_t *nodes;       /* its nodes in the data set's numbering; NULL: all of them */
    struct features rows; /* their features; empty where the data set's own serve */
    struct stage *stage;  /* NULL with mini-batches */
};

struct schedule {
    struct context *context;
    const struct graco_model *model;
    const struct graco_dataset *data;
    struct prepared prepared;
    const struct features *X;
    int64_t count; /* parts; 1 with mini-batches */
    struct part *parts;
    int32_t *order; /* (count) the parts in the order of epoch `ordered`; -1: of none yet */
    int64_t ordered;
    /* Mini-batches; NULL without. */
    struct prefetch *prefetch;
    int32_t *roots; /* (nodes of the part) 0, 1, 2, ... */
    struct stock *stock;
    int32_t *rows; /* (nodes of the part) of the batch's neighbourhood in the stock; NULL: as they
                      are numbered */
    struct stage *batch;
    struct schedule_times times;
};

/* ---- Construction ---------------------------------------------------------------------------- */

/* Nodes that a step must have. */
static int64_t least_nodes(const struct graco_model *model)
{
    return model->method->needs & METHOD_NEEDS_TWO_NODES ? 2 : 1;
}

/* Cuts out one training graph, unless it is all of the data set. Empty graphs are left out, and those of
 * one node where the method needs two. */
static graco_status add_part(struct schedule *s, const struct graco_dataset *data, int64_t id)
{
    struct part *part = &s->parts[s->count];
    graco_status status = GRACO_OK;
    int64_t count;
    TRY(subset_nodes(&part->nodes, &count, data, s->model->config.inductive ? 0 : SUBSET_ALL, id));
    s->count++;
    part->graph = data->graph;
    if (count == data->graph->nodes) {
        memory_free(part->nodes);
        part->nodes = NULL;
        goto done;
    }
    if (count >= least_nodes(s->model)) {
        TRY(subgraph_create(&part->owned, data->graph, part->nodes, count));
        part->graph = part->owned;
        goto done;
    }
    memory_free(part->nodes);
    part->nodes = NULL;
    s->count--;
done:
    return status;
}

static graco_status add_parts(struct schedule *s, const struct graco_dataset *data)
{
    bool many = data->graphs > 1 && s->model->config.batch == 0;
    int64_t most = many ? data->graphs : 1;
    graco_status status = GRACO_OK;
    TRY(memory_zalloc(&s->parts, most, sizeof *s->parts));
    TRY(memory_alloc(&s->order, most, sizeof(int32_t)));
    for (int64_t id = 0; id < most; id++)
        TRY(add_part(s, data, many ? id : SUBSET_ALL));
    if (s->count == 0)
        FAIL(GRACO_ERROR_ARGUMENT, "data set '%s' has no graph with at least 2 nodes to train on%s",
             data->name, s->model->config.inductive ? " in its training split" : "");
done:
    return status;
}

static struct subject subject_of(const struct schedule *s, const struct part *part)
{
    return (struct subject){
        .context = s->context, .graph = part->graph, .data = s->data, .ids = part->nodes};
}

/* A stage for every graph, with its own rows of the features. */
static graco_status add_stages(struct schedule *s)
{
    graco_status status = GRACO_OK;
    for (int64_t i = 0; i < s->count; i++) {
        struct part *part = &s->parts[i];
        const struct features *X = s->X;
        if (part->nodes && s->X) {
            TRY(subset_features(&part->rows, s->X, part->nodes, part->graph->nodes));
            X = &part->rows;
        }
        TRY(stage_create_graph(&part->stage, s->model, subject_of(s, part), X));
    }
done:
    return status;
}

static graco_status start_batches(struct schedule *s)
{
    const struct graco_config *config = &s->model->config;
    const struct graph *graph = s->parts[0].graph;
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&s->roots, graph->nodes, sizeof(int32_t)));
    for (int64_t i = 0; i < graph->nodes; i++)
        s->roots[i] = (int32_t)i;
    if (s->parts[0].nodes)
        TRY(memory_alloc(&s->rows, graph->nodes, sizeof(int32_t)));
    TRY(stock_create(&s->stock, s->context, s->X));
    TRY(prefetch_create(&s->prefetch, &(struct prefetch_options){.graph = graph,
                                                                 .hops = (int)config->layers,
                                                                 .fanout = config->fanout,
                                                                 .seed = config->seed,
                                                                 .roots = s->roots,
                                                                 .count = graph->nodes,
                                                                 .batch = config->batch,
                                                                 .least = least_nodes(s->model),
                                                                 .first_step = s->model->step,
                                                                 .workers = s->context->threads > 1,
                                                                 .ahead = SAMPLES_AHEAD}));
done:
    return status;
}

graco_status schedule_create(struct schedule **out, struct context *context,
                             const struct graco_model *model, const struct graco_dataset *data)
{
    const struct graco_config *config = &model->config;
    graco_status status = GRACO_OK;
    struct schedule *s = NULL;
    if (config->inductive && !data->split)
        FAIL(GRACO_ERROR_ARGUMENT, "inductive = 1 needs a split, and data set '%s' has none",
             data->name);
    if (config->batch > 0 && config->batch < least_nodes(model))
        FAIL(GRACO_ERROR_ARGUMENT,
             "batch = 1 leaves nothing that a node could be told apart from: expected 0 or at "
             "least 2");
    TRY(memory_zalloc(&s, 1, sizeof *s));
    s->context = context;
    s->model = model;
    s->data = data;
    s->ordered = -1;
    if (model->method->views > 0)
        TRY(prepare_features(&s->prepared, data, config, config->contaminate));
    s->X = s->prepared.X;
    TRY(add_parts(s, data));
    TRY(config->batch ? start_batches(s) : add_stages(s));
    *out = s;
    return GRACO_OK;
done:
    schedule_free(s);
    return status;
}

void schedule_free(struct schedule *s)
{
    if (!s)
        return;
    prefetch_free(s->prefetch);
    stage_free(s->batch);
    for (int64_t i = 0; s->parts && i < s->count; i++) {
        stage_free(s->parts[i].stage);
        graph_free(s->parts[i].owned);
        memory_free(s->parts[i].nodes);
        features_clear(&s->parts[i].rows);
    }
    memory_free(s->parts);
    memory_free(s->order);
    memory_free(s->roots);
    stock_free(s->stock);
    memory_free(s->rows);
    features_clear(&s->prepared.copy);
    memory_free(s);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Steps that an epoch makes on each whole graph. */
static int64_t steps_of(const struct schedule *s)
{
    const struct method *method = s->model->method;
    return method->steps ? method->steps(s->model, s->parts[0].graph) : 1;
}

int64_t schedule_steps(const struct schedule *s)
{
    int64_t batch = s->model->config.batch;
    return batch ? prefetch_steps(s->parts[0].graph->nodes, batch, least_nodes(s->model))
                 : s->count * steps_of(s);
}

int64_t schedule_weight(const struct schedule *s)
{
    return s->model->config.batch ? s->parts[0].graph->nodes : s->count * steps_of(s);
}

struct schedule_times schedule_times(const struct schedule *s)
{
    return s->times;
}

/* Where the stock has the nodes of a sample: a part's nodes are some of the data set's. */
static const int32_t *rows_of(struct schedule *s, const struct part *part,
                              const struct sample *sample)
{
    if (!part->nodes)
        return sample->nodes;
    for (int64_t i = 0; i < sample->count[sample->hops]; i++)
        s->rows[i] = part->nodes[sample->nodes[i]];
    return s->rows;
}

static graco_status next_batch(struct schedule *s, struct stage **out)
{
    const struct sample *sample;
    const struct part *part = &s->parts[0];
    graco_status status = GRACO_OK;
    double begin = threads_seconds(), middle;
    stage_free(s->batch);
    s->batch = NULL;
    TRY(prefetch_next(s->prefetch, &sample));
    middle = threads_seconds();
    struct subject subject = subject_of(s, part);
    subject.ids = rows_of(s, part, sample);
    TRY(stage_create_sample(&s->batch, s->model, subject, sample, s->stock));
    s->times.sample += middle - begin;
    s->times.gather += threads_seconds() - middle;
    *out = s->batch;
done:
    return status;
}

/* Shuffles once an epoch, not once a step: there are as many steps as graphs. */
static void order_parts(struct schedule *s, int64_t epoch)
{
    struct random_key key = {
        .seed = s->model->config.seed, .stream = RANDOM_ORDER, .step = (uint32_t)epoch};
    if (s->ordered == epoch)
        return;
    for (int64_t i = 0; i < s->count; i++)
        s->order[i] = (int32_t)i;
    random_shuffle(s->order, s->count, &key);
    s->ordered = epoch;
}

graco_status schedule_next(struct schedule *s, struct stage **out)
{
    if (s->prefetch)
        return next_batch(s, out);
    order_parts(s, s->model->step / schedule_steps(s));
    *out = s->parts[s->order[s->model->step % s->count]].stage;
    return GRACO_OK;
}
