/* GraphSAGE without labels: nodes that a short walk joins are alike, others are not.
 *
 *     z = enc(x), unit rows, over sampled neighbours: one aggregator of four (layers/layer_aggregate.c)
 *     L = 1/P sum over pairs (a, b) of [ sp(-z_a . z_b) + sum over negatives n of sp(z_a . n) ]
 *
 * with sp(x) = log(1 + e^x). A step has P pairs and a few negatives that all its pairs share; these
 * nodes are the roots of its mini-batch. Embeddings look at all neighbours, but for the LSTM, which knows
 * samples alone. */
#include "methods/sage.h"

#include "base/memory.h"
#include "graph/sampler.h"
#include "layers/encoder.h"
#include "layers/layer.h"

#include <math.h>

static graco_status check(const struct graco_config *config)
{
    if (config->batch < 1)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "batch = 0: method %s trains on mini-batches; expected a number of pairs",
            config->method);
    if (config->negatives < 1 || config->length < 2)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "method %s needs at least 1 of negatives and 2 of length; found %lld "
                           "and %lld",
                           config->method, (long long)config->negatives, (long long)config->length);
    return GRACO_OK;
}

/* Own and neighbours' columns are halves. */
static graco_status check_halves(const struct graco_config *config)
{
    PASS(check(config));
    int64_t width = config->width ? config->width : config->hidden;
    if (width % 2 != 0)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%s = %lld: method %s needs an even number, half of it for a node "
                           "and half for its neighbours",
                           config->width ? "width" : "hidden", (long long)width, config->method);
    return GRACO_OK;
}

/* ---- Batches --------------------------------------------------------------------------------- */

static struct walk_pairs batch_of(const struct graco_config *config)
{
    return (struct walk_pairs){.pairs = config->batch,
                               .negatives = config->negatives,
                               .length = config->length,
                               .seed = config->seed};
}

static graco_status roots(int32_t **out, int64_t *count, const struct graco_model *model,
                          const struct graph *graph, uint32_t step)
{
    struct walk_pairs batch = batch_of(&model->config);
    graco_status status = GRACO_OK;
    if (graph->edges == 0)
        FAIL(GRACO_ERROR_ARGUMENT, "method %s needs edges, and what it trains on has none",
             model->config.method);
    TRY(walk_pairs_draw(&batch, graph, step));
    *out = batch.roots;
    *count = batch.count;
    batch.roots = NULL;
done:
    walk_pairs_clear(&batch);
    return status;
}

/* A whole epoch has as many pairs as the walks from all nodes have nodes behind their first. */
static int64_t steps(const struct graco_model *model, const struct graph *graph)
{
    const struct graco_config *config = &model->config;
    double pairs = (double)graph->nodes * (double)config->walks * (double)(config->length - 1);
    if (config->steps > 0)
        return config->steps;
    return (int64_t)fmin(ceil(pairs / (double)config->batch), UINT32_MAX);
}

/* ---- A stage --------------------------------------------------------------------------------- */

static graco_status prepare(void **out, const struct graco_model *model,
                            const struct subject *subject)
{
    struct sage_state *state = NULL;
    PASS(memory_zalloc(&state, 1, sizeof *state));
    *out = state;
    state->context = subject->context;
    state->graph = subject->graph;
    state->batch = batch_of(&model->config);
    return GRACO_OK;
}

static void clear_pairs(struct sage_state *state)
{
    for (int i = 0; i < 2; i++) {
        pairs_unshare(&state->pairs[i], &state->grouped[i], state->context);
        memory_free(state->end[i]);
        state->end[i] = NULL;
        state->pairs[i] = (struct pairs){0};
    }
}

static void release(void *argument)
{
    struct sage_state *state = argument;
    if (!state)
        return;
    clear_pairs(state);
    walk_pairs_clear(&state->batch);
    memory_free(state);
}

/* List i of rows of Z, grouped and where the device sees it. */
static graco_status list_pairs(struct sage_state *state, int i, int64_t d)
{
    const struct walk_pairs *b = &state->batch;
    int64_t each = i == 0 ? 1 : b->negatives, count = b->pairs * each;
    state->pairs[i] = (struct pairs){.count = count,
                                     .rows = b->count,
                                     .d = d,
                                     .scale = 1 / (double)b->pairs,
                                     .together = i == 0,
                                     .add = i > 0,
                                     .loss = &state->loss};
    PASS(memory_alloc(&state->end[i], 2 * count, sizeof(int32_t)));
    for (int64_t p = 0; p < count; p++) {
        state->end[i][p] = b->place[p / each];
        state->end[i][count + p] = b->place[i == 0 ? b->pairs + p : 2 * b->pairs + p % each];
    }
    return pairs_share(&state->pairs[i], &state->grouped[i], state->context, state->end[i]);
}

void sage_loss(struct pass *pass, struct sage_state *state)
{
    struct tensor *Z = encoder_run(pass);
    clear_pairs(state);
    for (int i = 0; i < 2 && Z; i++) {
        graco_status status = list_pairs(state, i, pass->model->width);
        tape_fail(pass->tape, status);
        if (status == GRACO_OK)
            tape_pairs(pass->tape, &state->pairs[i], Z);
    }
}

static void loss(struct pass *pass, void *argument)
{
    struct sage_state *state = argument;
    graco_status status = walk_pairs_draw(&state->batch, state->graph, pass->step);
    tape_fail(pass->tape, status);
    if (status == GRACO_OK)
        sage_loss(pass, state);
}

static struct outcome outcome(const void *argument)
{
    const struct sage_state *state = argument;
    return (struct outcome){.loss = state->loss, .mutual_information = (double)NAN};
}

/* ---- Embedding ------------------------------------------------------------------------------- */

/* The neighbours that every node draws in a hop, as a graph. Steps count from the last one down: those
 * of a training draw others. */
static graco_status sample_all(struct sample *out, const struct graph *graph,
                               const struct graco_config *config, int hop)
{
    struct sampler *sampler = NULL;
    int32_t *nodes = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&nodes, graph->nodes, sizeof *nodes));
    for (int64_t i = 0; i < graph->nodes; i++)
        nodes[i] = (int32_t)i;
    TRY(sampler_create(&sampler, graph, 1, &config->fanout[hop], config->seed));
    TRY(sampler_draw(sampler, out, nodes, graph->nodes, UINT32_MAX - (uint32_t)hop));
done:
    sampler_free(sampler);
    memory_free(nodes);
    return status;
}

static graco_status embed_sampled(float *Z, struct pass *pass)
{
    const struct graco_config *config = &pass->model->config;
    struct sample sample[LAYERS_MAX] = {{0}};
    struct pass sampled = *pass;
    graco_status status = GRACO_OK;
    sampled.hops = (int)config->layers;
    for (int hop = 0; hop < LAYERS_MAX; hop++)
        sampled.views[hop] = NULL;
    for (int hop = 0; hop < sampled.hops; hop++) {
        TRY(sample_all(&sample[hop], pass->views[0]->graph, config, hop));
        TRY(views_create(&sampled.views[hop], tape_context(pass->tape), &sample[hop].hop[0], NULL,
                         0, pass->model->kind->norm, 1));
    }
    TRY(encoder_embed(Z, &sampled));
done:
    for (int hop = 0; hop < sampled.hops; hop++) {
        views_free(sampled.views[hop]);
        sample_clear(&sample[hop]);
    }
    return status;
}

/* ---- The methods ----------------------------------------------------------------------------- */

static const char *const KEYS[] = {"parts",        "hidden", "columns",   "width",  "layers",
                                   "walks",        "length", "negatives", "lr",     "clip",
                                   "weight_decay", "steps",  "batch",     "fanout", NULL};
static const char *const KEYS_UNITS[] = {
    "parts",     "hidden", "columns", "width",        "units", "layers", "walks",  "length",
    "negatives", "lr",     "clip",    "weight_decay", "steps", "batch",  "fanout", NULL};

/* An epoch is a tenth of the training: so often the loss is printed and a checkpoint written. */
#define COMMON                                                                                     \
    "layers=2 hidden=256 walks=50 length=5 negatives=20 lr=0.001 clip=5 weight_decay=0 "           \
    "epochs=10 steps=100 checkpoint_every=1 batch=512 fanout=10,25"
static const char GENERAL[] = COMMON, GENERAL_POOL[] = COMMON " units=512",
                  GENERAL_LSTM[] = COMMON " units=128";

static const struct preset PRESETS[] = {
    {"ppi", "inductive=1"}, {"reddit", "inductive=1"}, {NULL, NULL}};

static const char SCALE[] = "millions of nodes: mini-batches of sampled neighbours";
static const char REFERENCE[] =
    "Hamilton, Ying and Leskovec, Inductive Representation Learning on Large Graphs, NIPS 2017";

#define SAGE(aggregator, words, keys_, general_, needs_, check_, embed_)                           \
    const struct method method_sage_##aggregator = {                                               \
        .name = "sage_" #aggregator,                                                               \
        .help = "nodes that short walks join are alike; " words " (GraphSAGE)",                    \
        .scale = SCALE,                                                                            \
        .reference = REFERENCE,                                                                    \
        .keys = keys_,                                                                             \
        .general = general_,                                                                       \
        .presets = PRESETS,                                                                        \
        .needs = METHOD_NEEDS_FEATURES | needs_,                                                   \
        .kind = &layer_aggregate_##aggregator,                                                     \
        .views = 1,                                                                                \
        .check = check_,                                                                           \
        .declare = encoder_declare,                                                                \
        .prepare = prepare,                                                                        \
        .release = release,                                                                        \
        .steps = steps,                                                                            \
        .roots = roots,                                                                            \
        .loss = loss,                                                                              \
        .outcome = outcome,                                                                        \
        .embed = embed_,                                                                           \
    };

SAGE(gcn, "means over a node and its neighbours", KEYS, GENERAL, 0, check, encoder_embed)
SAGE(mean, "means over neighbours", KEYS, GENERAL, 0, check_halves, encoder_embed)
SAGE(pool, "maxima over neighbours", KEYS_UNITS, GENERAL_POOL, METHOD_NO_WEIGHTS, check_halves,
     encoder_embed)
SAGE(lstm, "an LSTM over neighbours", KEYS_UNITS, GENERAL_LSTM, METHOD_NO_WEIGHTS, check_halves,
     embed_sampled)
