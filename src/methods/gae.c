/* Auto-encoders of graphs: the products of embeddings tell which nodes are linked.       docs/math.md
 *
 *     H = relu(M X W1 + b1)      Z = M H W2 + b2                  (N, h), M = D^-1/2 (A + I) D^-1/2
 *     GAE: edges and loops are to have a large z_i . z_j, all other pairs a small one
 *     VGAE: W3, b3 give the logarithm of a deviation for every z; what is told apart are draws, and
 *     the divergence from the unit Gaussian is added to the loss. Embeddings are the means.
 *
 * Objective `exact` looks at all N^2 pairs, in linear memory (compute/operands.h, struct
 * reconstruction); `sampled` at the edges and as many other pairs. */
#include "methods/gae.h"

#include "base/memory.h"
#include "base/threads.h"
#include "layers/encoder.h"
#include "methods/objective.h"

#include <math.h>
#include <string.h>

enum { TRIES = 32, DRAWS_PER_PIECE = 1024 };

static void declare_encoder(struct graco_model *model)
{
    model->linear_end = true;
    if (model->config.inner)
        model->inner = model->config.inner;
    encoder_declare(model);
}

static void declare_variational(struct graco_model *model)
{
    int64_t last = model->config.layers;
    declare_encoder(model);
    parameters_declare(&model->parameters, "W", last + 1, layer_width_in(model, last), model->width,
                       START_GLOROT);
    parameters_declare(&model->parameters, "b", last + 1, 1, model->width, START_ZERO);
}

static graco_status check(const struct graco_config *config)
{
    if (config->objective == OBJECTIVE_EXACT || config->objective == OBJECTIVE_SAMPLED)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_ARGUMENT, "method %s has objective exact or sampled, not %s",
                       config->method, config_word(config, "objective"));
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

struct draw_job {
    const struct gae_state *state;
    uint64_t seed;
    uint32_t step;
};

/* Uniform among the ordered pairs that are neither edges nor loops; in a graph that has hardly any,
 * the last of several tries is taken as it is. */
static void draw_pairs(void *argument, struct threads_piece piece)
{
    const struct draw_job *job = argument;
    const struct gae_state *state = job->state;
    const struct random_key a = {.seed = job->seed, .stream = RANDOM_PAIRS, .step = job->step};
    const struct random_key b = {
        .seed = job->seed, .stream = RANDOM_PAIRS, .view = 1, .step = job->step};
    int32_t *end = state->ends[1];
    int64_t count = state->others.count, nodes = state->graph->nodes;
    for (int64_t p = piece.first; p < piece.last; p++)
        for (int64_t k = 0; k < TRIES; k++) {
            uint64_t element = (uint64_t)(p * TRIES + k);
            end[p] = (int32_t)random_below(&a, element, nodes);
            end[count + p] = (int32_t)random_below(&b, element, nodes);
            if (end[p] != end[count + p] && !graph_links(state->graph, end[p], end[count + p]))
                break;
        }
}

void gae_draw(struct gae_state *state, uint64_t seed, uint32_t step)
{
    struct draw_job job = {state, seed, step};
    threads_run(state->context->threads, state->others.count, DRAWS_PER_PIECE, draw_pairs, &job);
    csr_group_into(&state->grouped[1], state->ends[1]);
}

static graco_status prepare_pairs(struct gae_state *state, int64_t d)
{
    const struct graph *graph = state->graph;
    struct pairs pairs = {.count = graph->edges,
                          .rows = graph->nodes,
                          .d = d,
                          .scale = 1 / (double)graph->edges,
                          .loss = &state->loss};
    graco_status status = GRACO_OK;
    state->edges = state->others = pairs;
    state->edges.together = true;
    state->others.add = true;
    for (int i = 0; i < 2; i++)
        TRY(memory_zalloc(&state->ends[i], 2 * graph->edges, sizeof(int32_t)));
    for (int64_t node = 0; node < graph->nodes; node++)
        for (int64_t e = graph->in.start[node]; e < graph->in.start[node + 1]; e++) {
            state->ends[0][e] = graph->in.index[e];
            state->ends[0][graph->edges + e] = (int32_t)node;
        }
    TRY(pairs_share(&state->edges, &state->grouped[0], state->context, state->ends[0]));
    TRY(pairs_share(&state->others, &state->grouped[1], state->context, state->ends[1]));
done:
    return status;
}

/* What the host drew, to a device that does not see it. A recorded step does so each time. */
static graco_status upload_pairs(struct gae_state *state)
{
    struct context *c = state->context;
    const struct pairs *pairs = &state->others;
    const struct csr *grouped = &state->grouped[1];
    size_t bytes = (size_t)(2 * pairs->count) * sizeof(int32_t);
    if (c->backend->host)
        return GRACO_OK;
    PASS(c->buffers->upload(c, (void *)pairs->end, state->ends[1], bytes));
    PASS(c->buffers->upload(c, pairs->ends.index, grouped->index, bytes));
    return c->buffers->upload(c, pairs->ends.start, grouped->start,
                              (size_t)(grouped->rows + 1) * sizeof(int64_t));
}

/* ---- A stage --------------------------------------------------------------------------------- */

static void release(void *argument)
{
    struct gae_state *state = argument;
    if (!state)
        return;
    pairs_unshare(&state->edges, &state->grouped[0], state->context);
    pairs_unshare(&state->others, &state->grouped[1], state->context);
    memory_free(state->ends[0]);
    memory_free(state->ends[1]);
    memory_free(state);
}

static graco_status prepare(void **out, const struct graco_model *model,
                            const struct subject *subject)
{
    const struct graph *graph = subject->graph;
    const struct graco_config *config = &model->config;
    struct gae_state *state = NULL;
    double N = (double)graph->nodes, E = (double)graph->edges;
    graco_status status = GRACO_OK;
    if (graph->edges == 0)
        FAIL(GRACO_ERROR_ARGUMENT, "method %s needs edges; data set '%s' has a graph without any",
             config->method, subject->data->name);
    TRY(memory_zalloc(&state, 1, sizeof *state));
    *out = state;
    state->context = subject->context;
    state->graph = graph;
    state->variational = strcmp(config->method, "vgae") == 0;
    state->gaussian.scale = 1 / (N * N);
    if (config->objective == OBJECTIVE_SAMPLED)
        TRY(prepare_pairs(state, model->width));
    else
        state->exact = (struct reconstruction){.n = graph->nodes,
                                               .d = model->width,
                                               .weight = (N * N - E) / E,
                                               .scale = 1 / (2 * (N * N - E))};
done:
    return status;
}

static void draw_host(void *argument, const struct graco_model *model, uint32_t step)
{
    struct gae_state *state = argument;
    if (state->ends[1])
        gae_draw(state, model->config.seed, step);
}

/* VGAE's draws around the means. */
static struct tensor *sample(struct pass *pass, struct gae_state *state, struct tensor *mean)
{
    int64_t last = pass->model->config.layers;
    struct tensor *H = last > 1 ? pass->before[last - 2] : NULL;
    struct ending end = pass_ending(pass, last);
    end.bias = pass_parameter(pass, "b", last + 1);
    struct tensor *spread =
        pass_propagate(pass, last, H, pass_parameter(pass, "W", last + 1), &end);
    state->gaussian.key = (struct random_key){
        .seed = pass->model->config.seed, .stream = RANDOM_NOISE, .step = pass->step};
    return tape_gaussian(pass->tape, &state->gaussian, mean, spread);
}

void gae_loss(struct pass *pass, struct gae_state *state)
{
    const struct sparse_map *map = &pass->views[0]->map;
    struct tensor *Z = encoder_run(pass);
    if (Z && state->variational)
        Z = sample(pass, state, Z);
    if (state->ends[0]) {
        tape_fail(pass->tape, upload_pairs(state));
        tape_pairs(pass->tape, &state->edges, Z);
        tape_pairs(pass->tape, &state->others, Z);
        return;
    }
    state->exact.edges = &map->matrix[0];
    state->exact.transpose = &map->transpose[0];
    tape_reconstruct(pass->tape, &state->exact, Z);
}

static void loss(struct pass *pass, void *argument)
{
    struct gae_state *state = argument;
    if (state->ends[1])
        gae_draw(state, pass->model->config.seed, pass->step);
    gae_loss(pass, state);
}

static struct outcome outcome(const void *argument)
{
    const struct gae_state *state = argument;
    double loss = state->ends[0] ? state->loss : state->exact.loss;
    return (struct outcome){.loss = loss + state->gaussian.divergence,
                            .mutual_information = (double)NAN};
}

/* Operations of a step, as for GRACE; a pair costs about as much as 20 columns beside its products. */
static double operations(const struct graco_model *model, const struct graph_size *size,
                         double pairs)
{
    double layers = 0;
    for (int64_t k = 1; k <= model->config.layers; k++) {
        double in = (double)layer_width_in(model, k), out = (double)layer_width(model, k);
        layers += 6 * out * (k == 1 ? (double)size->entries : (double)size->nodes * in);
        layers += 6 * out * (double)size->edges;
    }
    return layers + pairs * (4 * (double)model->width + 40);
}

static const char *faster(double *share, const struct graco_model *model,
                          const struct graph_size *size)
{
    double N = (double)size->nodes;
    *share = operations(model, size, 4 * (double)size->edges) / operations(model, size, N * N);
    return model->config.objective == OBJECTIVE_SAMPLED ? NULL : "objective=sampled";
}

static const char *const KEYS[] = {"activation", "objective",    "parts",    "hidden",
                                   "columns",    "width",        "inner",    "layers",
                                   "lr",         "weight_decay", "patience", NULL};

/* Kipf and Welling use the same everywhere, on features as they are published. */
static const struct preset PRESETS[] = {
    {"cora", ""}, {"citeseer", ""}, {"pubmed", ""}, {"dblp", ""}, {NULL, NULL}};

static const char GENERAL[] =
    "activation=relu layers=2 hidden=16 epochs=200 lr=0.01 weight_decay=0";
static const char REFERENCE[] = "Kipf and Welling, Variational Graph Auto-Encoders, 2016";
static const char SCALE[] = "about 100,000 nodes; more with objective sampled";

const struct method method_gae = {
    .name = "gae",
    .help = "products of embeddings tell which nodes are linked (graph auto-encoder)",
    .scale = SCALE,
    .reference = REFERENCE,
    .keys = KEYS,
    .general = GENERAL,
    .presets = PRESETS,
    .needs = METHOD_NEEDS_FEATURES | METHOD_NEEDS_TWO_NODES,
    .views = 1,
    .check = check,
    .declare = declare_encoder,
    .prepare = prepare,
    .release = release,
    .draw_host = draw_host,
    .loss = loss,
    .outcome = outcome,
    .embed = encoder_embed,
    .faster = faster,
};

const struct method method_vgae = {
    .name = "vgae",
    .help = "the same for draws around the embeddings (variational graph auto-encoder)",
    .scale = SCALE,
    .reference = REFERENCE,
    .keys = KEYS,
    .general = GENERAL,
    .presets = PRESETS,
    .needs = METHOD_NEEDS_FEATURES | METHOD_NEEDS_TWO_NODES,
    .views = 1,
    .check = check,
    .declare = declare_variational,
    .prepare = prepare,
    .release = release,
    .draw_host = draw_host,
    .loss = loss,
    .outcome = outcome,
    .embed = encoder_embed,
    .faster = faster,
};
