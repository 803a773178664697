/* GRACE: each node finds itself in another view of the graph among all nodes.      docs/math.md
 *
 *     view v drops edges and masks columns: X_v, A_v        v = 1, 2
 *     H_v = enc(X_v, A_v)                                   (N, h)
 *     Z_v = rows of g(H_v), length one                      (N, h)    g(u) = elu(u P1 + c1) P2 + c2
 *     loss: -log of node i's share in exp(z_1i . z / tau) over all z of both views, and likewise for
 *     view 2; docs/math.md derives it, its gradient and the two other objectives
 *
 * Both views are stacked, so every product is one of 2N rows. */
#include "methods/grace.h"

#include "base/memory.h"
#include "base/number.h"
#include "layers/encoder.h"
#include "methods/method.h"
#include "methods/objective.h"

#include <stdio.h>

static graco_status check(const struct graco_config *config)
{
    if (config->objective == OBJECTIVE_SAMPLED)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "method grace has objective exact, infonce or moment, not sampled");
    if (config->objective == OBJECTIVE_MOMENT && config->graphs > 1)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "graphs = %lld: the objective moment takes one graph a step; exact and infonce take "
            "more, and small graphs cost them little",
            (long long)config->graphs);
    return GRACO_OK;
}

static void declare(struct graco_model *model)
{
    const struct graco_config *config = &model->config;
    struct parameters *p = &model->parameters;
    int64_t h = model->width, width = config->projection ? config->projection : h;
    encoder_declare(model);
    parameters_declare(p, "P", 1, h, width, START_GLOROT);
    parameters_declare(p, "c", 1, 1, width, START_ZERO);
    parameters_declare(p, "P", 2, width, h, START_GLOROT);
    parameters_declare(p, "c", 2, 1, h, START_ZERO);
}

static graco_status prepare(void **state, const struct graco_model *model,
                            const struct subject *subject)
{
    struct objective *objective = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_zalloc(&objective, 1, sizeof *objective));
    *state = objective;
    TRY(objective_init(objective, &model->config, subject->nodes, model->width, subject->shard));
done:
    return status;
}

static void release(void *state)
{
    if (state)
        objective_clear(state);
    memory_free(state);
}

static void draw_host(void *state, const struct graco_model *model, uint32_t step)
{
    objective_draw(state, model->config.seed, step);
}

static graco_status draw(struct pass *pass)
{
    const struct graco_config *config = &pass->model->config;
    const struct view_drop drop = {{config->drop_edge_1, config->drop_edge_2},
                                   {config->drop_feature_1, config->drop_feature_2}};
    graco_status status = GRACO_OK;
    for (int hop = 0; hop < pass->hops; hop++)
        TRY(views_draw(pass->views[hop], &drop, config->seed, pass->step, (uint32_t)hop));
done:
    return status;
}

struct tensor *grace_project(struct pass *pass, struct tensor *H)
{
    const struct ending elu = {{.kind = ACTIVATION_ELU}, pass_parameter(pass, "c", 1), NULL};
    struct tensor *G = tape_matmul(pass->tape, H, pass_parameter(pass, "P", 1), &elu);
    G = tape_matmul(pass->tape, G, pass_parameter(pass, "P", 2), NULL);
    return tape_normalise(pass->tape, G, pass_parameter(pass, "c", 2));
}

static struct tensor *contrasted(struct pass *pass)
{
    return grace_project(pass, encoder_run(pass));
}

static void loss(struct pass *pass, void *state)
{
    struct tensor *Z = contrasted(pass);
    struct objective *objective = state;
    objective->contrast.graphs = pass->graphs;
    objective->contrast.start = pass->start;
    objective_apply(state, pass->tape, Z, pass->model->config.seed, pass->step);
}

static struct outcome outcome(const void *state)
{
    return objective_outcome(state);
}

/* Operations of a step on a whole graph, counted as docs/performance.md does: the products of both views,
 * of which the way back has two for each on the way there. */
static double operations(const struct graco_model *model, const struct graph_size *size,
                         enum objective_kind objective)
{
    const struct graco_config *config = &model->config;
    double N = (double)size->nodes, d = (double)model->width, m = (double)config->correction;
    double width = config->projection ? (double)config->projection : d, layers = 0;
    double products = model->kind->norm == VIEW_NORM_SYMMETRIC ? 1 : 2; /* neighbours', and own */
    for (int64_t k = 1; k <= config->layers; k++) {
        double in = (double)layer_width_in(model, k), out = (double)layer_width(model, k);
        layers += 12 * products * out * (k == 1 ? (double)size->entries : N * in);
        layers += 12 * out * (double)size->edges;
        if (k > 1 && model->kind->input)
            layers += 12 * in * (double)size->entries;
    }
    double around = layers + 24 * N * d * width;
    if (objective == OBJECTIVE_MOMENT)
        return around + 16 * N * d * d + 12 * N * m * d;
    return around + (objective == OBJECTIVE_EXACT ? 12 : 6) * N * N * d / (double)size->graphs;
}

/* What `auto` comes to. Numbers of docs/performance.md: two cores do the operations of a training in five minutes. */
static const double TRAINING = 40e12;

enum {
    WIDTH_SMALL =
        512, /* of encoders for up to so many nodes; twice as wide costs four times as much */
    WIDTH_LARGE = 256,
    SMALL_NODES = 10000,
    EPOCHS_SMALL = 300, /* at most */
    EPOCHS_LARGE = 500,
    EPOCHS_LEAST = 100, /* fewer of whole graphs learn less than the same time in mini-batches */
    BATCH = 1024,       /* their roots, ... */
    BATCH_STEPS = 1200, /* how many of them, and how many neighbours each node draws */
};

static const char BATCH_FANOUT[] = "fanout=10,10";

static int64_t within(double x, int64_t low, int64_t high)
{
    return x < (double)low ? low : x > (double)high ? high : (int64_t)x;
}

/* A model for its widths alone. */
static struct graco_model widths_of(const struct graco_config *config,
                                    const struct graph_size *size)
{
    int64_t width = config->width > 0 ? config->width : config->hidden;
    const struct layer_kind *kind = encoder_kind(config);
    return (struct graco_model){.config = *config,
                                .kind = kind,
                                .sizes = {.cols = size->cols},
                                .inner = kind->wide ? 2 * width : width,
                                .width = width};
}

static void choose_width(struct graco_config *config, const struct graph_size *size)
{
    int64_t width = size->nodes <= SMALL_NODES ? WIDTH_SMALL : WIDTH_LARGE;
    bool projected =
        config->parts != PARTS_LEARNED; /* else embeddings are as wide as the encoder */
    if (config->width == WIDTH_AUTO)
        config->width = projected && width > config->hidden ? width : 0;
}

/* Exact where it costs no more, mini-batches where whole epochs are too few, else moment. */
static void choose_objective(char why[RESOLVED_WHY], struct graco_config *config,
                             const struct graph_size *size)
{
    const struct graco_model model = widths_of(config, size);
    double exact = operations(&model, size, OBJECTIVE_EXACT);
    double moment = operations(&model, size, OBJECTIVE_MOMENT);
    bool whole = config->batch == 0, large = TRAINING / moment < EPOCHS_LEAST;
    char operations_exact[32], operations_moment[32];
    if (config->objective != OBJECTIVE_AUTO)
        return;
    config->objective = OBJECTIVE_EXACT;
    number_print(operations_moment, sizeof operations_moment, "%.1e", moment);
    number_print(operations_exact, sizeof operations_exact, "%.1e", exact);
    if (!whole || config->graphs > 1) {
        snprintf(why, RESOLVED_WHY, "exact is cheap within a step's nodes");
    } else if (large && size->graphs == 1 && !size->ranks) {
        config->batch = BATCH;
        if (config->layers == 2)
            (void)config_apply(config, BATCH_FANOUT);
        snprintf(why, RESOLVED_WHY, "an epoch over all nodes at once takes %s operations",
                 operations_moment);
    } else if (exact > moment && !(size->ranks && config->correction == 0)) {
        config->objective = OBJECTIVE_MOMENT;
        snprintf(why, RESOLVED_WHY, "an epoch takes %s operations, with objective exact %s",
                 operations_moment, operations_exact);
    } else {
        snprintf(why, RESOLVED_WHY, "an epoch takes %s operations", operations_exact);
    }
}

static void choose_epochs(struct graco_config *config, const struct graph_size *size)
{
    const struct graco_model model = widths_of(config, size);
    double one = operations(&model, size, (enum objective_kind)config->objective);
    int64_t most = model.width >= WIDTH_SMALL ? EPOCHS_SMALL : EPOCHS_LARGE;
    if (config->epochs != EPOCHS_AUTO)
        return;
    if (config->batch > 0) {
        double steps = (double)size->nodes / (double)config->batch;
        config->epochs = within(BATCH_STEPS / steps, 1, most);
    } else {
        config->epochs = within(TRAINING / one, 1, most);
    }
}

static void resolve(char why[RESOLVED_WHY], struct graco_config *config,
                    const struct graph_size *size)
{
    choose_width(config, size);
    choose_objective(why, config, size);
    choose_epochs(config, size);
}

static const char *faster(double *share, const struct graco_model *model,
                          const struct graph_size *size)
{
    *share = operations(model, size, OBJECTIVE_MOMENT) /
             operations(model, size, (enum objective_kind)model->config.objective);
    return model->config.objective == OBJECTIVE_MOMENT ? NULL : "objective=moment";
}

static const char *const KEYS[] = {"encoder",        "activation",  "objective",   "parts",
                                   "hidden",         "columns",     "width",       "projection",
                                   "layers",         "drop_edge_1", "drop_edge_2", "drop_feature_1",
                                   "drop_feature_2", "tau",         "lr",          "weight_decay",
                                   "patience",       "correction",  "batch",       "graphs",
                                   "fanout",         NULL};

/* Hyperparameters of the paper and of its authors' program; docs/math.md lists where the two differ and
 * which one is taken. */
#define PAPER_DECAY " weight_decay=1e-5"

/* Settings of which the general ones differ. */
#define PAPER "objective=exact parts=learned width=0 "
#define PAPER_GCN "encoder=gcn " PAPER

static const struct preset PRESETS[] = {
    {"cora", PAPER_GCN
     "scaling=rowsum activation=relu hidden=128 epochs=200 drop_edge_1=0.2 drop_edge_2=0.4 "
     "drop_feature_1=0.3 drop_feature_2=0.4 tau=0.4 lr=0.0005" PAPER_DECAY},
    {"citeseer",
     PAPER_GCN "scaling=rowsum activation=prelu hidden=256 epochs=200 drop_edge_1=0.2 "
               "drop_edge_2=0 drop_feature_1=0.3 drop_feature_2=0.2 tau=0.9 lr=0.001" PAPER_DECAY},
    {"pubmed",
     PAPER_GCN "scaling=rowsum activation=relu hidden=256 epochs=1500 drop_edge_1=0.4 "
               "drop_edge_2=0.1 drop_feature_1=0 drop_feature_2=0.2 tau=0.7 lr=0.001" PAPER_DECAY},
    {"dblp",
     PAPER_GCN "scaling=binary_rowsum activation=relu hidden=256 epochs=1000 drop_edge_1=0.1 "
               "drop_edge_2=0.4 drop_feature_1=0.1 drop_feature_2=0 tau=0.7 lr=0.001" PAPER_DECAY},
    {"reddit",
     PAPER "scaling=none encoder=sage layers=3 activation=elu hidden=512 epochs=40 drop_edge_1=0.1 "
           "drop_edge_2=0.2 drop_feature_1=0.3 drop_feature_2=0.2 tau=0.5 lr=0.00001 batch=256 "
           "inductive=1" PAPER_DECAY},
    {"ppi",
     PAPER "scaling=none encoder=sage_skip layers=3 activation=rrelu hidden=512 epochs=200 "
           "drop_edge_1=0.3 drop_edge_2=0.4 drop_feature_1=0.1 drop_feature_2=0 tau=0.5 lr=0.001 "
           "inductive=1" PAPER_DECAY},
    /* Found by `graco tune` with labels of validation nodes (docs/tune.md). */
    {"cora+",
     PAPER_GCN "scaling=rowsum activation=rrelu hidden=512 epochs=500 drop_edge_1=0.018 "
               "drop_edge_2=0.42 drop_feature_1=0.36 drop_feature_2=0.45 tau=0.88 lr=0.00025 "
               "weight_decay=9.1e-6"},
    {"citeseer+",
     PAPER_GCN "scaling=rowsum layers=1 activation=rrelu hidden=512 epochs=1000 drop_edge_1=0.35 "
               "drop_edge_2=0.66 drop_feature_1=0.52 drop_feature_2=0.62 tau=0.67 lr=0.00042 "
               "weight_decay=4.1e-5"},
    {"pubmed+",
     PAPER_GCN "scaling=rowsum objective=moment activation=rrelu hidden=512 epochs=1000 "
               "drop_edge_1=0.5 drop_edge_2=0.7 drop_feature_1=0 drop_feature_2=0 tau=0.8 lr=0.001 "
               "weight_decay=1e-5"},
    {"dblp+",
     PAPER_GCN "scaling=rowsum objective=moment activation=rrelu hidden=512 epochs=500 "
               "drop_edge_1=0.23 drop_edge_2=0.35 drop_feature_1=0.41 drop_feature_2=0.22 tau=0.46 "
               "lr=0.0019 weight_decay=6.7e-5"},
    {"ppi+",
     PAPER "scaling=none encoder=sage_skip activation=prelu hidden=1024 epochs=100 "
           "drop_edge_1=0.39 drop_edge_2=0.17 drop_feature_1=0.23 drop_feature_2=0.31 tau=0.86 "
           "lr=0.0024 weight_decay=2.4e-6 inductive=1"},
    {NULL, NULL}};

const struct method method_grace = {
    .name = "grace",
    .help = "each node against all others in two corrupted views of the graph (GRACE)",
    .scale = "100,000 nodes at once; more by mini-batches or objective moment",
    .reference = "Zhu et al., Deep Graph Contrastive Representation Learning, 2020",
    .keys = KEYS,
    .general = "scaling=auto activation=rrelu drop_edge_1=0.2 drop_edge_2=0.4 drop_feature_1=0.4 "
               "drop_feature_2=0.2 tau=0.5 lr=0.002 weight_decay=5e-5",
    .presets = PRESETS,
    .needs = METHOD_NEEDS_FEATURES | METHOD_NEEDS_TWO_NODES,
    .views = 2,
    .ranks = true,
    .check = check,
    .declare = declare,
    .prepare = prepare,
    .release = release,
    .draw_host = draw_host,
    .draw = draw,
    .draws_views = true,
    .loss = loss,
    .structured = true,
    .contrasted = contrasted,
    .outcome = outcome,
    .embed = encoder_embed,
    .resolve = resolve,
    .faster = faster,
};
