/* GraphSAGE's four aggregators (Hamilton et al., 2017). Row v of a layer, with sources j:
 *
 *     gcn     act( mean of x_v and all x_j, times W )
 *     mean    act([ x_v Ws ; mean_j x_j Wn ])
 *     pool    act([ x_v Ws ; max_j relu(x_j Wp + bp) Wn ])
 *     lstm    act([ x_v Ws ; LSTM(x_j Wx + bl, in their order) Wn ])
 *
 * act is relu; the last layer's rows are scaled to length one instead. A node without sources adds zeros
 * for them. What depends on x_j alone is computed once for each node, however often it is a source. */
#include "layers/layer.h"

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
static struct tensor *finish(struct pass *pass, int64_t k, struct tensor *Y)
{
    const struct ending relu = {.spec = {.kind = ACTIVATION_RELU}};
    if (k == pass->model->config.layers)
        return tape_normalise(pass->tape, Y, NULL);
    return tape_activate(pass->tape, &relu, Y);
}

/* [x Ws ; near] and the layer's end; near is NULL while nothing is there yet. */
static struct tensor *join(struct pass *pass, int64_t k, struct tensor *H, struct tensor *near)
{
    if (!near)
        return NULL;
    struct tensor *own = pass_product(pass, k, H, pass_parameter(pass, "Ws", k));
    return finish(pass, k, tape_join(pass->tape, own, near));
}

static struct tensor *forward_gcn(struct pass *pass, int64_t k, struct tensor *H)
{
    return finish(pass, k, pass_propagate(pass, k, H, pass_parameter(pass, "W", k), NULL));
}

static struct tensor *forward_mean(struct pass *pass, int64_t k, struct tensor *H)
{
    return join(pass, k, H, pass_propagate(pass, k, H, pass_parameter(pass, "Wn", k), NULL));
}

static struct tensor *forward_pool(struct pass *pass, int64_t k, struct tensor *H)
{
    const struct ending relu = {{.kind = ACTIVATION_RELU}, pass_parameter(pass, "bp", k), NULL};
    struct tensor *sent = pass_send(pass, k, H, pass_parameter(pass, "Wp", k), &relu);
    const struct segments *segments = sent ? pass_segments(pass, k) : NULL;
    if (!segments)
        return NULL;
    struct tensor *most = tape_segment_max(pass->tape, segments, sent);
    return join(pass, k, H, tape_matmul(pass->tape, most, pass_parameter(pass, "Wn", k), NULL));
}

static struct tensor *forward_lstm(struct pass *pass, int64_t k, struct tensor *H)
{
    const struct ending bias = {{.kind = ACTIVATION_NONE}, pass_parameter(pass, "bl", k), NULL};
    struct tensor *sent = pass_send(pass, k, H, pass_parameter(pass, "Wx", k), &bias);
    const struct segments *segments = sent ? pass_segments(pass, k) : NULL;
    if (!segments)
        return NULL;
    struct tensor *last = tape_lstm(pass->tape, segments, sent, pass_parameter(pass, "Wh", k));
    return join(pass, k, H, tape_matmul(pass->tape, last, pass_parameter(pass, "Wn", k), NULL));
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
