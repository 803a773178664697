/* Stages: the features, views and the method's state of a graph, or of each hop of a mini-batch. */
#include "train/stage.h"

#include "base/memory.h"
#include "layers/encoder.h"

static graco_status stage_new(struct stage **out, const struct graco_model *model,
                              const struct subject *subject)
{
    graco_status status = GRACO_OK;
    struct stage *stage = NULL;
    TRY(memory_zalloc(&stage, 1, sizeof *stage));
    stage->context = subject->context;
    stage->method = model->method;
    stage->nodes = subject->nodes;
    stage->weight = 1;
    TRY(stage->method->prepare(&stage->state, model, subject));
    *out = stage;
    return GRACO_OK;
done:
    stage_free(stage);
    return status;
}

graco_status stage_create_graph(struct stage **out, const struct graco_model *model,
                                struct subject subject, const struct features *features)
{
    graco_status status = GRACO_OK;
    struct stage *stage = NULL;
    subject.nodes = subject.graph->nodes;
    TRY(stage_new(&stage, model, &subject));
    if (model->method->views > 0) {
        stage->hops = 1;
        TRY(input_create(&stage->input, subject.context, features));
        TRY(views_create(&stage->views[0], subject.context, subject.graph, NULL, features->cols,
                         model->kind->norm, model->method->views));
    }
    *out = stage;
    return GRACO_OK;
done:
    stage_free(stage);
    return status;
}

graco_status stage_divide(struct stage *stage, int64_t graphs, const int64_t *start)
{
    PASS(context_share(stage->context, &stage->start, start, graphs + 1, sizeof *start));
    stage->graphs = stage->weight = graphs;
    return GRACO_OK;
}

/* How many neighbours a source of this hop would draw if it were a target, or what their weights
 * would add up to on average. */
static graco_status source_degrees(float **out, const struct graph *graph,
                                   const struct sample *sample, int hop, int64_t fanout)
{
    int64_t count = sample->hop[hop].sources;
    PASS(memory_alloc(out, count, sizeof **out));
    for (int64_t i = 0; i < count; i++) {
        int32_t node = sample->nodes[i];
        int64_t edges = graph->in.start[node + 1] - graph->in.start[node];
        double degree = graph_degree(graph, node);
        if (fanout > 0 && edges > 0)
            degree = (double)fanout * (degree / (double)edges);
        (*out)[i] = (float)degree;
    }
    return GRACO_OK;
}

graco_status stage_create_sample(struct stage **out, const struct graco_model *model,
                                 struct subject subject, const struct sample *sample,
                                 struct stock *stock)
{
    graco_status status = GRACO_OK;
    struct stage *stage = NULL;
    enum view_norm norm = model->kind->norm;
    subject.nodes = sample->count[0];
    TRY(stage_new(&stage, model, &subject));
    stage->weight = model->method->roots ? 1 : sample->count[0];
    stage->hops = sample->hops;
    TRY(stock_gather(&stage->input, stock, subject.ids, sample->count[sample->hops]));
    for (int hop = 0; hop < sample->hops; hop++) {
        bool last = hop == sample->hops - 1;
        if (norm == VIEW_NORM_SYMMETRIC)
            TRY(source_degrees(&stage->degrees[hop], subject.graph, sample, hop,
                               model->config.fanout[last ? hop : hop + 1]));
        TRY(views_create(&stage->views[hop], subject.context, &sample->hop[hop],
                         stage->degrees[hop], last ? model->sizes.cols : 0, norm,
                         model->method->views));
    }
    *out = stage;
    return GRACO_OK;
done:
    stage_free(stage);
    return status;
}

void stage_free(struct stage *stage)
{
    if (!stage)
        return;
    for (int hop = 0; hop < LAYERS_MAX; hop++) {
        views_free(stage->views[hop]);
        memory_free(stage->degrees[hop]);
    }
    if (stage->recording)
        stage->context->recorder->forget(stage->recording);
    context_unshare(stage->context, stage->start);
    stage->method->release(stage->state);
    input_free(stage->input);
    memory_free(stage);
}

struct outcome stage_outcome(const struct stage *stage)
{
    return stage->method->outcome(stage->state);
}
