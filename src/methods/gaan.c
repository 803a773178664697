/* Classes of nodes by the mean of neighbours, or by gated attention over them (Zhang et al., 2018: GaAN and
 * the plain mean that they compare it with).                                        docs/math.md
 *
 *     x = X We + be;   layer by layer x <- drop(layer(x));   O = x Wy + by          leaky: slope 0.1 below 0
 *     mean   leaky([mean_j leaky(x_j Wm + bm) ; x] Wo + bo)             j: the neighbours without the node
 *     gated  leaky([g_1 sum_j w_j1 v_j1 ; ... ; x] Wo + bo),   w_jk = softmax_j(q_k . k_jk / da)
 *            g = sigma([x ; max_j (x_j Wm + bm) ; mean_j x_j] Wg + bg), one number per head
 *
 * What is summed over neighbours is computed once for each node, not for each edge. After each epoch the
 * micro-F1 of the validation rows is taken; the parameters of the highest one are the model. */
#include "methods/gaan.h"

#include "base/memory.h"
#include "layers/layer.h"

#include <math.h>
#include <string.h>

/* ---- Layers ---------------------------------------------------------------------------------- */

static struct ending ending(struct pass *pass, enum activation_kind kind, const char *bias,
                            int64_t k)
{
    return (struct ending){.spec = {.kind = kind}, .bias = pass_parameter(pass, bias, k)};
}

void gaan_declare_mean(struct parameters *p, int64_t k, int64_t in, int64_t inner, int64_t out)
{
    parameters_declare(p, "Wm", k, in, inner, START_GLOROT);
    parameters_declare(p, "bm", k, 1, inner, START_ZERO);
    parameters_declare(p, "Wo", k, inner + in, out, START_GLOROT);
    parameters_declare(p, "bo", k, 1, out, START_ZERO);
}

void gaan_declare_gated(struct parameters *p, int64_t k, int64_t in, const struct gaan_widths *w)
{
    parameters_declare(p, "Wq", k, in, w->heads * w->query, START_GLOROT);
    parameters_declare(p, "bq", k, 1, w->heads * w->query, START_ZERO);
    parameters_declare(p, "Wk", k, in, w->heads * w->query, START_GLOROT);
    parameters_declare(p, "Wv", k, in, w->heads * w->value, START_GLOROT);
    parameters_declare(p, "bv", k, 1, w->heads * w->value, START_ZERO);
    parameters_declare(p, "Wm", k, in, w->gate, START_GLOROT);
    parameters_declare(p, "bm", k, 1, w->gate, START_ZERO);
    parameters_declare(p, "Wg", k, 2 * in + w->gate, w->heads, START_GLOROT);
    parameters_declare(p, "bg", k, 1, w->heads, START_ZERO);
    parameters_declare(p, "Wo", k, w->heads * w->value + in, w->out, START_GLOROT);
    parameters_declare(p, "bo", k, 1, w->out, START_ZERO);
}

/* leaky([a ; x] Wo + bo) for the rows of a, the first ones of x. */
static struct tensor *join(struct pass *pass, int64_t k, struct tensor *a, struct tensor *x)
{
    if (!a || !x)
        return NULL;
    const struct ending end = ending(pass, ACTIVATION_LEAKY, "bo", k);
    struct tensor *near = pass_parameter_rows(pass, "Wo", k, 0, a->cols);
    struct tensor *own = pass_parameter_rows(pass, "Wo", k, a->cols, x->cols);
    struct tensor *sum = tape_matmul(pass->tape, a, near, NULL);
    sum = pass_add_product(pass, k, x, own, sum);
    return tape_activate(pass->tape, &end, sum);
}

/* Outside training nothing goes back: a value that was used is not kept. */
static void forget(struct pass *pass, struct tensor *x)
{
    if (!pass->grad)
        tape_drop(pass->tape, x);
}

struct tensor *gaan_layer_mean(struct pass *pass, int64_t k, struct tensor *x)
{
    const struct ending end = ending(pass, ACTIVATION_LEAKY, "bm", k);
    struct tensor *m = tape_matmul(pass->tape, x, pass_parameter(pass, "Wm", k), &end);
    struct tensor *mean = tape_propagate(pass->tape, &pass_views(pass, k)->map, m, NULL);
    forget(pass, m);
    struct tensor *y = join(pass, k, mean, x);
    forget(pass, mean);
    return y;
}

/* Segments of one source each, so that a sum over them multiplies a row's heads by numbers of its own. */
static graco_status know_itself(struct gaan_state *state, int64_t k, int64_t rows)
{
    struct context *c = state->context;
    struct segments *s = &state->itself[k];
    if (s->count == rows)
        return GRACO_OK;
    if (!state->identity.start) /* later layers give fewer rows */
        PASS(csr_identity(&state->identity, rows, false));
    const struct csr *host = &state->identity;
    struct csr one = {.rows = rows, .cols = rows};
    PASS(context_share(c, &s->entries.start, host->start, rows + 1, sizeof *host->start));
    PASS(context_share(c, &s->entries.index, host->index, rows, sizeof *host->index));
    one.start = s->entries.start;
    one.index = s->entries.index;
    *s = (struct segments){one, one, (const uint32_t *)one.index, rows, 1};
    return GRACO_OK;
}

/* sigma([x ; max_j (x_j Wm + bm) ; mean_j x_j] Wg + bg): (rows, heads). */
static struct tensor *gate_of(struct pass *pass, int64_t k, struct tensor *x)
{
    const struct views *views = pass_views(pass, k);
    const struct ending plain = ending(pass, ACTIVATION_NONE, "bm", k);
    const struct ending open = ending(pass, ACTIVATION_SIGMOID, "bg", k);
    struct tensor *m = tape_matmul(pass->tape, x, pass_parameter(pass, "Wm", k), &plain);
    struct tensor *most = tape_segment_max(pass->tape, &views->segments, m);
    struct tensor *mean = tape_propagate(pass->tape, &views->map, x, NULL);
    if (!most || !mean)
        return NULL;
    int64_t in = x->cols;
    struct tensor *near = pass_parameter_rows(pass, "Wg", k, in, most->cols);
    struct tensor *far = pass_parameter_rows(pass, "Wg", k, in + most->cols, in);
    struct tensor *sum = tape_matmul(pass->tape, most, near, NULL);
    sum = pass_add_product(pass, k, mean, far, sum);
    sum = pass_add_product(pass, k, x, pass_parameter_rows(pass, "Wg", k, 0, in), sum);
    return tape_activate(pass->tape, &open, sum);
}

struct tensor *gaan_layer_gated(struct pass *pass, struct gaan_state *state, int64_t k,
                                struct tensor *x, struct tensor **gate)
{
    const struct segments *near = &pass_views(pass, k)->segments;
    const struct ending query = ending(pass, ACTIVATION_NONE, "bq", k);
    const struct ending leaky = ending(pass, ACTIVATION_LEAKY, "bv", k);
    struct tape *tape = pass->tape;
    int64_t rows = near->entries.rows;
    struct tensor *g = gate_of(pass, k, x);
    struct tensor *Wq = pass_parameter(pass, "Wq", k);
    tape_fail(tape, know_itself(state, k, rows));
    if (!g || !Wq || tape_status(tape) != GRACO_OK)
        return NULL;
    const struct segment_heads heads = {near, g->cols, Wq->cols / g->cols,
                                        (double)g->cols / (double)Wq->cols};
    struct tensor *q = tape_matmul_head(tape, x, Wq, 1, rows, &query);
    struct tensor *key = tape_matmul(tape, x, pass_parameter(pass, "Wk", k), NULL);
    struct tensor *v = tape_matmul(tape, x, pass_parameter(pass, "Wv", k), &leaky);
    struct tensor *w = tape_segment_dot(tape, &heads, q, key);
    w = tape_segment_softmax(tape, near, w);
    struct tensor *a = tape_segment_sum(tape, near, w, v);
    forget(pass, w);
    if (gate)
        *gate = g;
    return join(pass, k, tape_segment_sum(tape, &state->itself[k], g, a), x);
}

/* ---- The network ----------------------------------------------------------------------------- */

static bool is_gated(const struct graco_model *model)
{
    return strcmp(model->config.method, "gaan") == 0;
}

static void declare(struct graco_model *model)
{
    const struct graco_config *config = &model->config;
    struct parameters *p = &model->parameters;
    const struct gaan_widths widths = {config->heads, config->query, config->value, config->gate,
                                       config->hidden};
    int64_t in = config->first;
    model->width = model->sizes.classes;
    parameters_declare(p, "We", 0, model->sizes.cols, in, START_GLOROT);
    parameters_declare(p, "be", 0, 1, in, START_ZERO);
    for (int64_t k = 1; k <= config->layers; k++, in = config->hidden)
        if (is_gated(model))
            gaan_declare_gated(p, k, in, &widths);
        else
            gaan_declare_mean(p, k, in, config->inner ? config->inner : 2 * config->hidden,
                              config->hidden);
    parameters_declare(p, "Wy", 0, config->hidden, model->width, START_GLOROT);
    parameters_declare(p, "by", 0, 1, model->width, START_ZERO);
}

/* O (rows, classes). */
static struct tensor *logits(struct pass *pass, struct gaan_state *state)
{
    const struct graco_config *config = &pass->model->config;
    const struct ending first = ending(pass, ACTIVATION_NONE, "be", 0);
    const struct ending last = ending(pass, ACTIVATION_NONE, "by", 0);
    struct tensor *x = pass_features(pass, 1, pass_parameter(pass, "We", 0));
    x = tape_activate(pass->tape, &first, x);
    for (int64_t k = 1; k <= config->layers && tape_status(pass->tape) == GRACO_OK; k++) {
        const struct dropout drop = {
            {.seed = config->seed, .stream = RANDOM_DROPOUT + (uint32_t)k, .step = pass->step},
            pass->training ? config->dropout : 0};
        struct tensor *y = is_gated(pass->model) ? gaan_layer_gated(pass, state, k, x, NULL)
                                                 : gaan_layer_mean(pass, k, x);
        forget(pass, x);
        x = tape_dropout(pass->tape, &drop, y);
    }
    return tape_matmul(pass->tape, x, pass_parameter(pass, "Wy", 0), &last);
}

static graco_status prepare(void **out, const struct graco_model *model,
                            const struct subject *subject)
{
    struct gaan_state *state = NULL;
    PASS(memory_zalloc(&state, 1, sizeof *state));
    *out = state;
    state->context = subject->context;
    return supervised_init(&state->labels, model, subject);
}

void gaan_clear(struct gaan_state *state)
{
    supervised_clear(&state->labels);
    for (int k = 0; k <= LAYERS_MAX; k++) {
        context_unshare(state->context, state->itself[k].entries.start);
        context_unshare(state->context, state->itself[k].entries.index);
    }
    csr_clear(&state->identity);
}

static void release(void *state)
{
    if (state)
        gaan_clear(state);
    memory_free(state);
}

static void loss(struct pass *pass, void *argument)
{
    struct gaan_state *state = argument;
    tape_classify(pass->tape, &state->labels.part[SUPERVISED_TRAIN], logits(pass, state));
}

static struct outcome outcome(const void *argument)
{
    const struct gaan_state *state = argument;
    return (struct outcome){.loss = state->labels.part[SUPERVISED_TRAIN].loss,
                            .mutual_information = (double)NAN};
}

static graco_status validate(double *cost, struct pass *pass, void *argument)
{
    struct gaan_state *state = argument;
    struct tensor *O = logits(pass, state);
    PASS(tape_status(pass->tape));
    return supervised_miss(cost, &state->labels, SUPERVISED_VALIDATION, O->data);
}

static graco_status embed(float *Z, struct pass *pass)
{
    struct gaan_state state = {.context = tape_context(pass->tape)};
    struct context *c = state.context;
    int64_t rows = input_rows(pass->input), classes = pass->model->sizes.classes;
    graco_status status = GRACO_OK;
    struct tensor *O = logits(pass, &state);
    TRY(tape_status(pass->tape));
    TRY(c->buffers->download(c, Z, O->data, (size_t)(rows * classes) * sizeof(float)));
    TRY(context_finish(c));
    supervised_probabilities(Z, rows, pass->model);
done:
    tape_reset(pass->tape);
    gaan_clear(&state);
    return status;
}

/* Of its layers a stage needs to know what they propagate by. */
static const struct layer_kind LAYERS = {.norm = VIEW_NORM_NEIGHBOURS};

/* ---- The methods ----------------------------------------------------------------------------- */

static const char REFERENCE[] =
    "Zhang et al., GaAN: Gated Attention Networks for Learning on Large "
    "and Spatiotemporal Graphs, UAI 2018";
static const char SCALE[] = "whole graphs of a million edges; more with mini-batches";

#define SHARED_KEYS                                                                                \
    "first", "hidden", "layers", "dropout", "lr", "lr_least", "halve", "weight_decay",             \
        "clip_norm", "patience", "batch", "graphs", "fanout", "protocol", "split", NULL
#define SHARED_SETTINGS                                                                            \
    "layers=2 first=64 hidden=128 dropout=0.1 lr=0.01 lr_least=0.001 halve=75 weight_decay=0 "     \
    "fanout=25,10 patience=150 epochs=3000 checkpoint_every=50"

static const char *const MEAN_KEYS[] = {"inner", SHARED_KEYS};
static const char *const GATED_KEYS[] = {"heads", "query", "value", "gate", SHARED_KEYS};

/* Published: a check every 100 steps, halving after 15 of them and an end after 30. A pass over PPI has
 * 20 steps, so 75 and 150 passes; one over Reddit's training graph has 300, so that its 4 and 10 checks are
 * 2 and 4 passes. */
static const struct preset MEAN_PRESETS[] = {
    {"ppi", "inner=512 inductive=1"},
    {"reddit", "inner=1024 inductive=1 batch=512 lr=0.001 lr_least=0.0001 clip_norm=1 halve=2 "
               "patience=4 epochs=100 checkpoint_every=1"},
    {NULL, NULL}};
static const struct preset GATED_PRESETS[] = {
    {"ppi", "inductive=1"},
    {"reddit", "heads=1 inductive=1 batch=512 lr=0.001 lr_least=0.0001 clip_norm=1 halve=2 "
               "patience=4 epochs=100 checkpoint_every=1"},
    {NULL, NULL}};

const struct method method_gaan_mean = {
    .name = "gaan_mean",
    .help = "classes of nodes from the mean of their neighbours (supervised)",
    .scale = SCALE,
    .reference = REFERENCE,
    .keys = MEAN_KEYS,
    .general = SHARED_SETTINGS " inner=512",
    .presets = MEAN_PRESETS,
    .needs = METHOD_NEEDS_FEATURES | METHOD_NEEDS_LABELS,
    .views = 1,
    .kind = &LAYERS,
    .declare = declare,
    .prepare = prepare,
    .release = release,
    .loss = loss,
    .validate = validate,
    .outcome = outcome,
    .embed = embed,
};

const struct method method_gaan = {
    .name = "gaan",
    .help = "the same by attention with a gate for each head (GaAN)",
    .scale = SCALE,
    .reference = REFERENCE,
    .keys = GATED_KEYS,
    .general = SHARED_SETTINGS " heads=8 query=24 value=32 gate=64",
    .presets = GATED_PRESETS,
    .needs = METHOD_NEEDS_FEATURES | METHOD_NEEDS_LABELS | METHOD_NO_WEIGHTS,
    .views = 1,
    .kind = &LAYERS,
    .declare = declare,
    .prepare = prepare,
    .release = release,
    .loss = loss,
    .validate = validate,
    .outcome = outcome,
    .embed = embed,
};
