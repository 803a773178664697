/* The schedule. Whole graphs, or groups of `graphs` of them, have their stages from the start and are
 * visited in a shuffled order; a mini-batch's stage is made from the next sample and lives for one step.
 *
 * A stage holds some numbers for every feature, however small its graph: masks, and a transpose of sparse
 * features. So that memory grows with the data and not with graphs times features, only so many stages
 * are kept, and those of the other graphs are made again for every step. */
#include "train/schedule.h"

#include "base/memory.h"
#include "base/threads.h"
#include "data/splits.h"
#include "data/subset.h"
#include "graph/batch_part.h"
#include "graph/subgraph.h"
#include "layers/encoder.h"
#include "methods/supervised.h"
#include "train/part.h"
#include "train/prefetch.h"
#include "train/prepare.h"

#include <string.h>

enum {
    SAMPLES_AHEAD = 2,
    COLS_PER_ITEM = 4, /* features of kept stages, for each node, edge and entry of the data ... */
    COLS_FREE = 1 << 22, /* ... and besides: a few stages are always kept */
};

struct schedule {
    struct context *context;
    const struct graco_model *model;
    const struct graco_dataset *data;
    struct prepared prepared;
    const struct features *X;
    uint8_t *split; /* (nodes of the data) part of the split, where the method needs labels */
    int64_t count;  /* parts; 1 with mini-batches */
    int64_t weight; /* of an epoch */
    struct data_part *parts;
    int32_t *order; /* (count) the parts in the order of epoch `ordered`; -1: of none yet */
    int64_t ordered;
    /* Mini-batches; NULL without. */
    struct prefetch *prefetch;
    int32_t *roots;        /* (nodes of the part) 0, 1, 2, ... */
    struct batch_part own; /* of the batch, over ranks */
    struct stock *stock;
    int32_t *rows; /* (nodes of the part) of the batch's neighbourhood in the stock; NULL: as they
                      are numbered */
    struct stage *made; /* for this step alone */
    struct stage *made_other;
    struct data_part seen; /* all nodes that validation may see, where no part is that */
    struct stage *whole;   /* over it */
    struct schedule_times times;
};

/* ---- Construction ---------------------------------------------------------------------------- */

/* Nodes that a step must have. */
static int64_t least_nodes(const struct graco_model *model)
{
    return model->method->needs & METHOD_NEEDS_TWO_NODES ? 2 : 1;
}

/* Appends the training nodes of one graph, or of all (SUBSET_ALL). Empty graphs are left out, and those
 * of one node where the method needs two. `count` nodes are there already. */
static graco_status add_graph(struct data_part *part, int64_t *count, int64_t *room,
                              const struct graco_model *model, const struct graco_dataset *data,
                              int64_t id)
{
    int32_t *nodes = NULL;
    int64_t found;
    graco_status status = GRACO_OK;
    TRY(subset_nodes(&nodes, &found, data, model->config.inductive ? 0 : SUBSET_ALL, id));
    if (found < least_nodes(model) && found < dataset_nodes(data))
        goto done;
    TRY(memory_reserve(&part->nodes, room, *count, *count + found, sizeof *part->nodes));
    memcpy(part->nodes + *count, nodes, (size_t)found * sizeof *nodes);
    *count += found;
    part->start[++part->graphs] = *count;
done:
    memory_free(nodes);
    return status;
}

/* Cuts out the training graphs `first` to `last` - 1, unless they are all of the data set; nothing if
 * none of them can be trained on. */
static graco_status add_part(struct schedule *s, const struct graco_dataset *data, int64_t first,
                             int64_t last)
{
    struct data_part *part = &s->parts[s->count];
    graco_status status = GRACO_OK;
    int64_t count = 0, room = 0;
    s->count++;
    part->graph = data->graph;
    TRY(memory_zalloc(&part->start, last - first + 1, sizeof *part->start));
    for (int64_t id = first; id < last; id++)
        TRY(add_graph(part, &count, &room, s->model, data, id));
    s->weight += part->graphs;
    if (count > 0 && count < dataset_nodes(data)) {
        if (data->shard) /* whose rows take_shard gathers */
            goto done;
        TRY(subgraph_create(&part->owned, data->graph, part->nodes, count));
        part->graph = part->owned;
        goto done;
    }
    memory_free(part->nodes);
    part->nodes = NULL;
    if (count == 0) {
        memory_free(part->start);
        part->start = NULL;
        s->count--;
    }
done:
    return status;
}

static graco_status add_parts(struct schedule *s, const struct graco_dataset *data)
{
    const struct graco_config *config = &s->model->config;
    bool table = s->model->method->needs & METHOD_PER_NODE; /* all graphs are one to it */
    bool many = data->graphs > 1 && config->batch == 0 && !table;
    int64_t most = many ? data->graphs : 1, group = many ? config->graphs : 1;
    graco_status status = GRACO_OK;
    TRY(memory_zalloc(&s->parts, (most - 1) / group + 1, sizeof *s->parts));
    TRY(memory_alloc(&s->order, (most - 1) / group + 1, sizeof(int32_t)));
    for (int64_t id = 0; id < most; id += group) {
        int64_t first = many ? id : SUBSET_ALL;
        TRY(add_part(s, data, first, first + (group < most - id ? group : most - id)));
    }
    if (s->count == 0)
        FAIL(GRACO_ERROR_ARGUMENT, "data set '%s' has no graph with at least %s to train on%s",
             data->name, least_nodes(s->model) > 1 ? "2 nodes" : "1 node",
             config->inductive ? " in its training split" : "");
done:
    return status;
}

static struct subject subject_of(const struct schedule *s, const struct data_part *part)
{
    return (struct subject){.context = s->context,
                            .graph = part->shard ? &part->shard->graph : part->graph,
                            .shard = part->shard,
                            .data = s->data,
                            .ids = part->nodes,
                            .part = s->split};
}

static graco_status make_stage(struct stage **out, struct schedule *s, const struct data_part *part)
{
    const struct features *X = part->rows.rows > 0 ? &part->rows : s->X;
    PASS(stage_create_graph(out, s->model, subject_of(s, part), X));
    return part->graphs > 1 ? stage_divide(*out, part->graphs, part->start) : GRACO_OK;
}

/* How many parts have stages that are kept: all where there are no features. */
static int64_t stages_kept(const struct schedule *s)
{
    const struct features *X = s->X;
    if (!X)
        return s->count;
    int64_t entries = X->dense ? X->rows * X->cols : X->sparse.start[X->rows];
    int64_t items = s->data->graph->nodes + s->data->graph->edges + entries;
    return (COLS_PER_ITEM * items + COLS_FREE) / (X->cols + 1) + 1;
}

/* The rows of the features of every part, and the stages that are kept. */
static graco_status add_stages(struct schedule *s)
{
    graco_status status = GRACO_OK;
    int64_t kept = stages_kept(s);
    for (int64_t i = 0; i < s->count; i++) {
        struct data_part *part = &s->parts[i];
        if (s->context->comm)
            TRY(part_share(part, s->context->comm, s->model, s->data, s->X));
        else if (part->nodes && s->X)
            TRY(subset_features(&part->rows, s->X, part->nodes, part->graph->nodes));
        if (i < kept)
            TRY(make_stage(&part->stage, s, part));
    }
    if (s->count == 1 && s->parts[0].stage)
        s->parts[0].stage->only = true;
done:
    return status;
}

/* The roots that the method wants for a step. */
static graco_status draw_roots(int32_t **roots, int64_t *count, const void *owner, uint32_t step)
{
    const struct schedule *s = owner;
    return s->model->method->roots(roots, count, s->model, s->parts[0].graph, step);
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
    TRY(prefetch_create(&s->prefetch, &(struct prefetch_options){
                                          .graph = graph,
                                          .hops = (int)config->layers,
                                          .fanout = config->fanout,
                                          .seed = config->seed,
                                          .roots = s->roots,
                                          .count = graph->nodes,
                                          .batch = config->batch,
                                          .least = least_nodes(s->model),
                                          .draw = s->model->method->roots ? draw_roots : NULL,
                                          .owner = s,
                                          .first_step = s->model->step,
                                          .thread = s->context->threads > 1,
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
    TRY(memory_zalloc(&s, 1, sizeof *s));
    s->context = context;
    s->model = model;
    s->data = data;
    s->ordered = -1;
    if (model->method->views > 0)
        TRY(prepare_features(&s->prepared, data, config, config->contaminate));
    s->X = s->prepared.X;
    if (model->method->needs & METHOD_NEEDS_LABELS)
        TRY(supervised_split(&s->split, config, data));
    TRY(add_parts(s, data));
    TRY(config->batch ? start_batches(s) : add_stages(s));
    *out = s;
    return GRACO_OK;
done:
    schedule_free(s);
    return status;
}

static void part_clear(struct data_part *part)
{
    stage_free(part->stage);
    graph_free(part->owned);
    shard_free(part->cut);
    memory_free(part->nodes);
    memory_free(part->start);
    features_clear(&part->rows);
}

void schedule_free(struct schedule *s)
{
    if (!s)
        return;
    prefetch_free(s->prefetch);
    stage_free(s->made);
    stage_free(s->made_other);
    stage_free(s->whole);
    part_clear(&s->seen);
    batch_part_clear(&s->own);
    for (int64_t i = 0; s->parts && i < s->count; i++)
        part_clear(&s->parts[i]);
    memory_free(s->parts);
    memory_free(s->order);
    memory_free(s->roots);
    stock_free(s->stock);
    memory_free(s->rows);
    memory_free(s->split);
    features_clear(&s->prepared.copy);
    memory_free(s);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Steps that an epoch makes on each whole graph. */
static int64_t steps_of(const struct schedule *s)
{
    const struct method *method = s->model->method;
    if (method->steps_on && s->parts[0].stage)
        return method->steps_on(s->parts[0].stage->state);
    return method->steps ? method->steps(s->model, s->parts[0].graph) : 1;
}

int64_t schedule_steps(const struct schedule *s)
{
    int64_t batch = s->model->method->roots ? 0 : s->model->config.batch;
    return batch ? prefetch_steps(s->parts[0].graph->nodes, batch, least_nodes(s->model))
                 : s->count * steps_of(s);
}

int64_t schedule_weight(const struct schedule *s)
{
    if (s->model->method->roots)
        return steps_of(s);
    return s->model->config.batch ? s->parts[0].graph->nodes : s->weight * steps_of(s);
}

struct schedule_times schedule_times(const struct schedule *s)
{
    return s->times;
}

/* Where the stock has the nodes of a sample: a part's nodes are some of the data set's. */
static const int32_t *rows_of(struct schedule *s, const struct data_part *part,
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
    const struct data_part *part = &s->parts[0];
    graco_status status = GRACO_OK;
    double begin = threads_seconds(), middle;
    TRY(prefetch_next(s->prefetch, &sample));
    middle = threads_seconds();
    struct subject subject = subject_of(s, part);
    int64_t weight = sample->count[0];
    if (s->context->comm) {
        batch_part_clear(&s->own);
        TRY(batch_part_cut(&s->own, s->context->comm, sample));
        sample = &s->own.sample;
        subject.shard = &s->own.shard;
    }
    subject.ids = rows_of(s, part, sample);
    TRY(stage_create_sample(&s->made, s->model, subject, sample, s->stock));
    if (s->context->comm)
        s->made->weight = weight;
    s->times.sample += middle - begin;
    s->times.gather += threads_seconds() - middle;
    *out = s->made;
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
    random_order(s->order, s->count, &key);
    s->ordered = epoch;
}

/* One of the parts but this one, as the step draws it. */
static int64_t other_part(const struct schedule *s, int64_t part)
{
    const struct random_key key = {
        .seed = s->model->config.seed, .stream = RANDOM_PARTNER, .step = (uint32_t)s->model->step};
    int64_t drawn = random_below(&key, 0, s->count - 1);
    return drawn + (drawn >= part);
}

/* The stage of a part: the one that it keeps, or one *made for this step. */
static graco_status stage_of(struct stage **out, struct stage **made, struct schedule *s,
                             int64_t part)
{
    if (!s->parts[part].stage)
        PASS(make_stage(made, s, &s->parts[part]));
    *out = s->parts[part].stage ? s->parts[part].stage : *made;
    return GRACO_OK;
}

graco_status schedule_next(struct schedule *s, struct stage **out)
{
    stage_free(s->made);
    stage_free(s->made_other);
    s->made = s->made_other = NULL;
    if (s->prefetch)
        return next_batch(s, out);
    order_parts(s, s->model->step / schedule_steps(s));
    int64_t part = s->order[s->model->step % s->count];
    PASS(stage_of(out, &s->made, s, part));
    if (s->model->method->pairs && s->count > 1)
        PASS(stage_of(&(*out)->other, &s->made_other, s, other_part(s, part)));
    return GRACO_OK;
}

/* All nodes; for an inductive training those of the split's training and validation parts, with the edges
 * between them. */
static graco_status cut_seen(struct schedule *s)
{
    struct data_part *seen = &s->seen;
    int64_t count = 0;
    if (!s->model->config.inductive) {
        seen->graph = s->data->graph;
        return GRACO_OK;
    }
    PASS(subset_upto(&seen->nodes, &count, s->data, SPLITS_VALIDATION));
    PASS(subgraph_create(&seen->owned, s->data->graph, seen->nodes, count));
    seen->graph = seen->owned;
    return subset_features(&seen->rows, s->X, seen->nodes, count);
}

graco_status schedule_whole(struct schedule *s, struct stage **out)
{
    struct data_part *first = &s->parts[0];
    if (s->count == 1 && !first->nodes && first->stage) {
        *out = first->stage;
        return GRACO_OK;
    }
    if (!s->whole) {
        if (!s->seen.graph)
            PASS(cut_seen(s));
        PASS(make_stage(&s->whole, s, &s->seen));
    }
    *out = s->whole;
    return GRACO_OK;
}
