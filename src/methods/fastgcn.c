/* FastGCN: graph convolution whose layers sum over sampled nodes (Chen et al., 2018).      docs/math.md
 *
 *     q(u) = |S(:, u)|^2 / sum        u_1 .. u_t ~ q, with replacement        S = D^-1/2 (A + I) D^-1/2
 *     O_v = 1/t sum_j S(v, u_j) / q(u_j) H(u_j) W2 + b2,   H(u) = relu((S X)(u) W1 + b1)
 *
 * for the rows v of a batch of training nodes; the sum's mean over all draws is (S H)(v). S X is computed
 * once; with precompute=0 it is sampled in the same way. Validation and the trained model sum over all
 * neighbours: they are those of `gcn`. The host draws and cuts the matrices out, the device multiplies. */
#include "methods/fastgcn.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Entry (v, u) of S, for an edge with this weight or the node itself, whose weight is 1. */
static double entry_of(const struct fastgcn_state *state, int64_t v, int64_t u, double weight)
{
    return weight / sqrt((state->degree[v] + 1) * (state->degree[u] + 1));
}

/* The weight of entry k of a matrix. */
static double weight_of(const struct csr *matrix, int64_t k)
{
    return matrix->value ? (double)matrix->value[k] : 1;
}

static void find_chances(struct fastgcn_state *state)
{
    const struct graph *graph = state->graph;
    double total = 0, before = 0;
    for (int64_t u = 0; u < graph->nodes; u++) {
        double square = pow(entry_of(state, u, u, 1), 2);
        for (int64_t k = graph->out.start[u]; k < graph->out.start[u + 1]; k++)
            square += pow(entry_of(state, graph->out.index[k], u, weight_of(&graph->out, k)), 2);
        state->chance[u] = square;
        total += square;
    }
    for (int64_t u = 0; u < graph->nodes; u++) {
        state->chance[u] /= total;
        state->below[u] = before += state->chance[u];
    }
}

/* The node whose share of [0, 1) holds x. */
static int32_t node_at(const struct fastgcn_state *state, double x)
{
    int64_t low = 0, high = state->graph->nodes - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (state->below[middle] > x)
            high = middle;
        else
            low = middle + 1;
    }
    return (int32_t)low;
}

static int64_t training_rows(const struct fastgcn_state *state)
{
    return state->gcn.labels.part[SUPERVISED_TRAIN].count;
}

/* Steps of a pass over the training rows. */
static int64_t steps_on(const void *argument)
{
    const struct fastgcn_state *state = argument;
    int64_t rows = training_rows(state);
    return rows > 0 ? (rows - 1) / state->rows + 1 : 1;
}

/* The last batch of a pass is filled up from the pass's beginning, so that all have the same size. */
static void draw_batch(struct fastgcn_state *state, uint64_t seed, uint32_t step)
{
    int64_t count = training_rows(state), steps = steps_on(state), round = step / steps;
    if (state->round != round) {
        const struct random_key key = {
            .seed = seed, .stream = RANDOM_ORDER, .view = 1, .step = (uint32_t)round};
        random_order(state->order, count, &key);
        state->round = round;
    }
    for (int64_t i = 0; i < state->rows; i++)
        state->batch[i] = state->order[(step % steps * state->rows + i) % count];
}

void fastgcn_draw(struct fastgcn_state *state, uint64_t seed, uint32_t step)
{
    if (state->rows == 0)
        return;
    draw_batch(state, seed, step);
    for (int l = state->precomputed ? FASTGCN_TOP : FASTGCN_BOTTOM; l < FASTGCN_LAYERS; l++) {
        const struct random_key key = {
            .seed = seed, .stream = RANDOM_SAMPLES, .view = (uint32_t)l, .step = step};
        for (int64_t j = 0; j < state->layer[l].samples; j++)
            state->layer[l].sample[j] = node_at(state, random_u32(&key, (uint64_t)j) * 0x1p-32);
    }
    fastgcn_fill(state);
}

/* Appends the entries of row v in column u: one for each place of u in the layer's sample. */
static int64_t add_entries(const struct fastgcn_state *state, struct fastgcn_layer *layer,
                           int64_t at, int64_t v, int64_t u, double weight)
{
    double times = state->chance[u] * (double)layer->samples;
    for (int32_t j = state->first[u]; j >= 0; j = state->next[j], at++) {
        layer->matrix.index[at] = j;
        layer->matrix.value[at] = (float)(entry_of(state, v, u, weight) / times);
    }
    return at;
}

static void fill_layer(struct fastgcn_state *state, struct fastgcn_layer *layer,
                       const int32_t *rows)
{
    const struct csr *in = &state->graph->in;
    struct csr *M = &layer->matrix;
    int64_t at = 0;
    for (int64_t j = layer->samples - 1; j >= 0; j--) {
        state->next[j] = state->first[layer->sample[j]];
        state->first[layer->sample[j]] = (int32_t)j;
    }
    for (int64_t i = 0; i < M->rows; i++) {
        int64_t v = rows[i];
        M->start[i] = at;
        at = add_entries(state, layer, at, v, v, 1);
        for (int64_t k = in->start[v]; k < in->start[v + 1]; k++)
            at = add_entries(state, layer, at, v, in->index[k], weight_of(in, k));
    }
    M->start[M->rows] = at;
    csr_transpose_into(&layer->transpose, NULL, M);
    for (int64_t j = 0; j < layer->samples; j++)
        state->first[layer->sample[j]] = -1;
}

void fastgcn_fill(struct fastgcn_state *state)
{
    const struct supervised *labels = &state->gcn.labels;
    const int32_t *row = labels->row[SUPERVISED_TRAIN];
    int64_t classes = state->classes.cols;
    for (int64_t i = 0; i < state->rows; i++) {
        int32_t place = state->batch[i];
        if (state->label)
            state->label[i] = labels->label[SUPERVISED_TRAIN][place];
        for (int64_t k = 0; state->target && k < classes; k++)
            state->target[i * classes + k] = labels->target[SUPERVISED_TRAIN][place * classes + k];
        state->batch[i] = row[place];
    }
    fill_layer(state, &state->layer[FASTGCN_TOP], state->batch);
    if (!state->precomputed)
        fill_layer(state, &state->layer[FASTGCN_BOTTOM], state->layer[FASTGCN_TOP].sample);
}

/* ---- A stage --------------------------------------------------------------------------------- */

/* Shares an array that the host fills anew for each step. */
static graco_status share(struct fastgcn_state *state, void *pointer, const void *here,
                          int64_t count, size_t size)
{
    int at = state->copies;
    PASS(context_share(state->context, pointer, here, count, size));
    memcpy(&state->copy[at].there, pointer, sizeof state->copy[at].there);
    state->copy[at].here = here;
    state->copy[at].bytes = (size_t)count * size;
    state->copies++;
    return GRACO_OK;
}

static graco_status share_matrix(struct fastgcn_state *state, struct sparse *there,
                                 const struct csr *here, int64_t entries)
{
    there->entries = (struct csr){.rows = here->rows, .cols = here->cols};
    PASS(share(state, &there->entries.start, here->start, here->rows + 1, sizeof *here->start));
    PASS(share(state, &there->entries.index, here->index, entries, sizeof *here->index));
    return share(state, &there->entries.value, here->value, entries, sizeof *here->value);
}

static graco_status prepare_layer(struct fastgcn_state *state, struct fastgcn_layer *layer,
                                  int64_t rows)
{
    int64_t t = layer->samples, entries = rows * t;
    PASS(memory_zalloc(&layer->sample, t, sizeof *layer->sample));
    PASS(csr_alloc(&layer->matrix, rows, t, entries, true));
    PASS(csr_alloc(&layer->transpose, t, rows, entries, true));
    for (int64_t i = 0; i < rows + 1; i++)
        layer->matrix.start[i] = 0;
    csr_transpose_into(&layer->transpose, NULL, &layer->matrix);
    layer->list.count = t;
    PASS(share(state, &layer->list.row, layer->sample, t, sizeof *layer->sample));
    layer->map.views = 1;
    PASS(share_matrix(state, &layer->map.matrix[0], &layer->matrix, entries));
    PASS(share_matrix(state, &layer->map.transpose[0], &layer->transpose, entries));
    layer->map.matrix[0].longest = t;
    layer->map.transpose[0].longest = rows;
    return GRACO_OK;
}

static graco_status prepare_batch(struct fastgcn_state *state)
{
    const struct classification *all = &state->gcn.labels.part[SUPERVISED_TRAIN];
    struct classification *classes = &state->classes;
    int64_t count = training_rows(state), cells = state->rows * all->cols;
    *classes = (struct classification){.kind = all->kind, .cols = all->cols, .count = state->rows};
    PASS(memory_alloc(&state->order, count, sizeof *state->order));
    PASS(memory_alloc(&state->batch, state->rows, sizeof *state->batch));
    if (all->kind == CLASSIFY_SIGMOID) {
        PASS(memory_zalloc(&state->target, cells, sizeof *state->target));
        return share(state, &classes->target, state->target, cells, sizeof *state->target);
    }
    PASS(memory_zalloc(&state->label, state->rows, sizeof *state->label));
    return share(state, &classes->label, state->label, state->rows, sizeof *state->label);
}

static graco_status prepare(void **out, const struct graco_model *model,
                            const struct subject *subject)
{
    const struct graco_config *config = &model->config;
    struct fastgcn_state *state = NULL;
    int64_t nodes = subject->graph->nodes;
    PASS(memory_zalloc(&state, 1, sizeof *state));
    *out = state;
    state->context = subject->context;
    state->graph = subject->graph;
    state->round = -1;
    state->precomputed = config->precompute;
    PASS(gcn_init(&state->gcn, model, subject));
    state->rows = config->rows < training_rows(state) ? config->rows : training_rows(state);
    for (int l = 0; l < FASTGCN_LAYERS; l++)
        state->layer[l].samples = config->samples[FASTGCN_TOP - l];
    int64_t most = config->samples[config->samples[1] > config->samples[0]];
    PASS(memory_alloc(&state->degree, nodes, sizeof *state->degree));
    PASS(memory_alloc(&state->chance, nodes, sizeof *state->chance));
    PASS(memory_alloc(&state->below, nodes, sizeof *state->below));
    PASS(memory_alloc(&state->first, nodes, sizeof *state->first));
    PASS(memory_alloc(&state->next, most, sizeof *state->next));
    for (int64_t u = 0; u < nodes; u++) {
        state->first[u] = -1;
        state->degree[u] = graph_degree(subject->graph, u);
    }
    if (state->rows == 0)
        return GRACO_OK;
    find_chances(state);
    PASS(prepare_batch(state));
    PASS(prepare_layer(state, &state->layer[FASTGCN_TOP], state->rows));
    if (!state->precomputed)
        PASS(prepare_layer(state, &state->layer[FASTGCN_BOTTOM], config->samples[0]));
    return GRACO_OK;
}

static void release(void *argument)
{
    struct fastgcn_state *state = argument;
    if (!state)
        return;
    for (int i = 0; i < state->copies; i++)
        context_unshare(state->context, state->copy[i].there);
    context_give(state->context, state->base);
    gcn_clear(&state->gcn);
    for (int l = 0; l < FASTGCN_LAYERS; l++) {
        csr_clear(&state->layer[l].matrix);
        csr_clear(&state->layer[l].transpose);
        memory_free(state->layer[l].sample);
    }
    memory_free(state->degree);
    memory_free(state->chance);
    memory_free(state->below);
    memory_free(state->first);
    memory_free(state->next);
    memory_free(state->order);
    memory_free(state->batch);
    memory_free(state->label);
    memory_free(state->target);
    memory_free(state);
}

/* ---- A step ---------------------------------------------------------------------------------- */

static void draw_host(void *state, const struct graco_model *model, uint32_t step)
{
    fastgcn_draw(state, model->config.seed, step);
}

/* What the first step of a stage computes once, and what every step sends. */
static graco_status make_ready(struct pass *pass, struct fastgcn_state *state)
{
    struct context *c = state->context;
    const struct sparse *S = state->precomputed ? &pass->views[0]->map.matrix[0] : NULL;
    int64_t cells = state->graph->nodes * pass->model->sizes.cols;
    if (!state->base) {
        PASS(context_take(c, &state->base, cells, sizeof *state->base));
        PASS(input_densify(state->base, pass->input, S));
    }
    for (int i = 0; i < state->copies && !c->backend->host; i++)
        PASS(
            c->buffers->upload(c, state->copy[i].there, state->copy[i].here, state->copy[i].bytes));
    return GRACO_OK;
}

void fastgcn_loss(struct pass *pass, struct fastgcn_state *state)
{
    struct tape *tape = pass->tape;
    const struct fastgcn_layer *top = &state->layer[FASTGCN_TOP],
                               *bottom =
                                   &state->layer[state->precomputed ? FASTGCN_TOP : FASTGCN_BOTTOM];
    const struct ending relu = {{.kind = ACTIVATION_RELU}, pass_parameter(pass, "b", 1), NULL};
    const struct ending last = {{.kind = ACTIVATION_NONE}, pass_parameter(pass, "b", 2), NULL};
    if (state->rows == 0) /* a graph without a training row has nothing to teach */
        return;
    tape_fail(tape, make_ready(pass, state));
    if (tape_status(tape) != GRACO_OK)
        return;
    struct tensor *X =
        tape_parameter(tape, state->graph->nodes, pass->model->sizes.cols, state->base, NULL);
    struct tensor *W = pass_parameter(pass, "W", 1);
    X = tape_gather(tape, &bottom->list, X);
    struct tensor *H = tape_matmul(tape, X, W, state->precomputed ? &relu : NULL);
    if (!state->precomputed)
        H = tape_propagate(tape, &bottom->map, H, &relu);
    struct tensor *O = tape_matmul(tape, H, pass_parameter(pass, "W", 2), NULL);
    tape_classify(tape, &state->classes, tape_propagate(tape, &top->map, O, &last));
}

static void loss(struct pass *pass, void *argument)
{
    fastgcn_draw(argument, pass->model->config.seed, pass->step);
    fastgcn_loss(pass, argument);
}

static struct outcome outcome(const void *argument)
{
    const struct fastgcn_state *state = argument;
    return (struct outcome){.loss = state->classes.loss, .mutual_information = (double)NAN};
}

static graco_status validate(double *cost, struct pass *pass, void *argument)
{
    struct fastgcn_state *state = argument;
    return gcn_validate(cost, pass, &state->gcn);
}

static const char *const KEYS[] = {"hidden",       "rows",     "samples",  "precompute", "lr",
                                   "weight_decay", "patience", "protocol", "split",      NULL};

static const struct preset PRESETS[] = {{"cora", "scaling=rowsum"},
                                        {"citeseer", "scaling=rowsum"},
                                        {"pubmed", "scaling=rowsum"},
                                        {"dblp", "scaling=binary_rowsum"},
                                        {"ppi", "inductive=1"},
                                        {"reddit", "inductive=1"},
                                        {NULL, NULL}};

const struct method method_fastgcn = {
    .name = "fastgcn",
    .help = "classes of nodes by graph convolution over sampled nodes (supervised)",
    .scale = "a graph whose dense features fit into memory",
    .reference = "Chen, Ma and Xiao, FastGCN: Fast Learning with Graph Convolutional Networks via "
                 "Importance Sampling, ICLR 2018",
    .keys = KEYS,
    .general = "hidden=128 rows=256 samples=400 lr=0.01 "
               "weight_decay=0.0001 patience=30 epochs=200",
    .presets = PRESETS,
    .needs = METHOD_NEEDS_FEATURES | METHOD_NEEDS_LABELS,
    .views = 1,
    .declare = gcn_declare,
    .prepare = prepare,
    .release = release,
    .steps_on = steps_on,
    .draw_host = draw_host,
    .loss = loss,
    .validate = validate,
    .outcome = outcome,
    .embed = gcn_embed,
};
