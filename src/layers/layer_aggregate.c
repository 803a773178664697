/* GraphSAGE's four aggregators (Hamilton et al., 2017). Row v of a layer, with sources j:
 *
 *     gcn     act( mean of x_v and all x_j, times W )
 *     mean    act([ x_v Ws ; mean_j x_j Wn ])
 *     pool    act([ x_v Ws ; max_j relu(x_j Wp + bp) Wn ])
 *     lstm    act([ x_v Ws ; LSTM(x_j Wx + bl, in their order) Wn ])
 *
 * act is relu; the last layer's rows are scaled to length one instead. A node without sources adds zeros
 * for them. What depends on x_j alone is computed once for each node, however often it is a source. */
#include "layers/layer_aggregate.h"

enum { GATES = 4 };

/* The halves of what a layer gives: the node's own, and its neighbours'. */
static int64_t own_width(const struct graco_model *model, int64_t k)
{
    return layer_width(model, k) / 2;
}

static void declare_gcn(struct graco_model *model)
{
    for (int64_t k = 1; k <= model->config.layers; k++)
        parameters_declare(&model->parameters, "W", k, layer_width_in(model, k),
                           layer_width(model, k), START_GLOROT);
}

/* Ws and Wn, which reads `inner` columns, 0: those that the layer reads. */
static void declare_halves(struct graco_model *model, int64_t k, int64_t inner)
{
    int64_t in = layer_width_in(model, k), own = own_width(model, k);
    parameters_declare(&model->parameters, "Ws", k, in, own, START_GLOROT);
    parameters_declare(&model->parameters, "Wn", k, inner ? inner : in, layer_width(model, k) - own,
                       START_GLOROT);
}

static void declare_mean(struct graco_model *model)
{
    for (int64_t k = 1; k <= model->config.layers; k++)
        declare_halves(model, k, 0);
}

static void declare_pool(struct graco_model *model)
{
    struct parameters *p = &model->parameters;
    int64_t units = model->config.units;
    for (int64_t k = 1; k <= model->config.layers; k++) {
        declare_halves(model, k, units);
        parameters_declare(p, "Wp", k, layer_width_in(model, k), units, START_GLOROT);
        parameters_declare(p, "bp", k, 1, units, START_ZERO);
    }
}

static void declare_lstm(struct graco_model *model)
{
    struct parameters *p = &model->parameters;
    int64_t units = model->config.units;
    for (int64_t k = 1; k <= model->config.layers; k++) {
        declare_halves(model, k, units);
        parameters_declare(p, "Wx", k, layer_width_in(model, k), GATES * units, START_GLOROT);
        parameters_declare(p, "Wh", k, units, GATES * units, START_GLOROT);
        parameters_declare(p, "bl", k, 1, GATES * units, START_GATES);
    }
}

static int64_t sends_pool(const struct graco_model *model)
{
    return model->config.units;
}

static int64_t sends_lstm(const struct graco_model *model)
{
    return GATES * model->config.units;
}

/* relu, or rows of length one after the last layer. */
static struct tensor *finish(struct run *run, int64_t k, struct tensor *Y)
{
    const struct ending relu = {.spec = {.kind = ACTIVATION_RELU}};
    if (k == run->model->config.layers)
        return tape_normalise(run->tape, Y, NULL);
    return tape_activate(run->tape, &relu, Y);
}

/* [x Ws ; near] and the layer's end; near is NULL while nothing is there yet. */
static struct tensor *join(struct run *run, int64_t k, struct tensor *H, struct tensor *near)
{
    if (!near)
        return NULL;
    struct tensor *own = run_product(run, k, H, run_parameter(run, "Ws", k));
    return finish(run, k, tape_join(run->tape, own, near));
}

static struct tensor *forward_gcn(struct run *run, int64_t k, struct tensor *H)
{
    return finish(run, k, run_propagate(run, k, H, run_parameter(run, "W", k), NULL));
}

static struct tensor *forward_mean(struct run *run, int64_t k, struct tensor *H)
{
    return join(run, k, H, run_propagate(run, k, H, run_parameter(run, "Wn", k), NULL));
}

static struct tensor *forward_pool(struct run *run, int64_t k, struct tensor *H)
{
    const struct ending relu = {{.kind = ACTIVATION_RELU}, run_parameter(run, "bp", k), NULL};
    struct tensor *sent = run_send(run, k, H, run_parameter(run, "Wp", k), &relu);
    const struct segments *segments = sent ? run_segments(run, k) : NULL;
    if (!segments)
        return NULL;
    struct tensor *most = tape_segment_max(run->tape, segments, sent);
    return join(run, k, H, tape_matmul(run->tape, most, run_parameter(run, "Wn", k), NULL));
}

static struct tensor *forward_lstm(struct run *run, int64_t k, struct tensor *H)
{
    const struct ending bias = {{.kind = ACTIVATION_NONE}, run_parameter(run, "bl", k), NULL};
    struct tensor *sent = run_send(run, k, H, run_parameter(run, "Wx", k), &bias);
    const struct segments *segments = sent ? run_segments(run, k) : NULL;
    if (!segments)
        return NULL;
    struct tensor *last = tape_lstm(run->tape, segments, sent, run_parameter(run, "Wh", k));
    return join(run, k, H, tape_matmul(run->tape, last, run_parameter(run, "Wn", k), NULL));
}

const struct layer_kind layer_aggregate_gcn = {
    .norm = VIEW_NORM_MEAN, .declare = declare_gcn, .forward = forward_gcn};
const struct layer_kind layer_aggregate_mean = {
    .norm = VIEW_NORM_NEIGHBOURS, .declare = declare_mean, .forward = forward_mean};
const struct layer_kind layer_aggregate_pool = {.norm = VIEW_NORM_NEIGHBOURS,
                                                .declare = declare_pool,
                                                .sends = sends_pool,
                                                .forward = forward_pool};
const struct layer_kind layer_aggregate_lstm = {.norm = VIEW_NORM_NEIGHBOURS,
                                                .declare = declare_lstm,
                                                .sends = sends_lstm,
                                                .forward = forward_lstm};
