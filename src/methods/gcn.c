/* Graph convolution learnt from labels: a class for every node (Kipf and Welling, 2017). docs/math.md
 *
 *     X' = drop(X)    H = relu(M X' W1 + b1)    O = M drop(H) W2 + b2      (N, classes), M = D^-1/2 (A + I) D^-1/2
 *     L = mean over the training rows of -log softmax(O_i)[y_i], or, where a node may have several
 *     classes, the mean over rows and classes of the logistic loss
 *
 * Weight decay is on the first layer alone. After each epoch the cost of the validation rows is taken
 * without dropout, with half the decay times |W1|^2 + |b1|^2 added; the parameters of the lowest cost are
 * the model. What it gives for a node are probabilities of the classes. */
#include "methods/gcn.h"

#include "base/memory.h"
#include "layers/encoder.h"

#include <math.h>

void gcn_declare(struct graco_model *model)
{
    struct parameters *p = &model->parameters;
    model->linear_end = true;
    model->inner = model->config.hidden;
    model->width = model->sizes.classes;
    encoder_declare(model);
    for (int64_t k = 2; k <= model->config.layers; k++) {
        parameters_exempt(p, "W", k);
        parameters_exempt(p, "b", k);
    }
    if (model->config.activation == ACTIVATION_PRELU)
        parameters_exempt(p, "prelu", 0);
}

graco_status gcn_init(struct gcn_state *state, const struct graco_model *model,
                      const struct subject *subject)
{
    const struct parameters *p = &model->parameters;
    PASS(memory_alloc(&state->first,
                      parameters_find(p, "b", 1)->offset + parameters_find(p, "b", 1)->cols,
                      sizeof *state->first));
    return supervised_init(&state->labels, model, subject);
}

static graco_status prepare(void **out, const struct graco_model *model,
                            const struct subject *subject)
{
    struct gcn_state *state = NULL;
    PASS(memory_zalloc(&state, 1, sizeof *state));
    *out = state;
    return gcn_init(state, model, subject);
}

void gcn_clear(struct gcn_state *state)
{
    supervised_clear(&state->labels);
    memory_free(state->first);
}

static void release(void *state)
{
    if (state)
        gcn_clear(state);
    memory_free(state);
}

static graco_status draw(struct pass *pass)
{
    pass->dropout = pass->model->config.dropout;
    return GRACO_OK;
}

static void loss(struct pass *pass, void *argument)
{
    struct gcn_state *state = argument;
    tape_classify(pass->tape, &state->labels.part[SUPERVISED_TRAIN], encoder_run(pass));
}

static struct outcome outcome(const void *argument)
{
    const struct gcn_state *state = argument;
    return (struct outcome){.loss = state->labels.part[SUPERVISED_TRAIN].loss,
                            .mutual_information = (double)NAN};
}

graco_status gcn_validate(double *cost, struct pass *pass, void *argument)
{
    struct gcn_state *state = argument;
    struct context *c = tape_context(pass->tape);
    struct classification *part = &state->labels.part[SUPERVISED_VALIDATION];
    const struct parameter *W = parameters_find(&pass->model->parameters, "W", 1);
    const struct parameter *b = parameters_find(&pass->model->parameters, "b", 1);
    int64_t count = b->offset + b->cols - W->offset; /* what pads the two apart is 0 */
    double square = 0;
    tape_classify(pass->tape, part, encoder_run(pass));
    PASS(tape_status(pass->tape));
    PASS(c->buffers->download(c, state->first, pass->value + W->offset,
                              (size_t)count * sizeof(float)));
    PASS(context_finish(c));
    for (int64_t i = 0; i < count; i++)
        square += (double)state->first[i] * state->first[i];
    *cost = part->loss + 0.5 * pass->model->config.weight_decay * square;
    return GRACO_OK;
}

graco_status gcn_embed(float *Z, struct pass *pass)
{
    PASS(encoder_embed(Z, pass));
    supervised_probabilities(Z, input_rows(pass->input), pass->model);
    return GRACO_OK;
}

static const char *const KEYS[] = {"activation", "hidden",       "layers",   "dropout",
                                   "lr",         "weight_decay", "patience", "graphs",
                                   "protocol",   "split",        NULL};

/* Kipf and Welling use the same everywhere; DBLP's rows are scaled as the authors of GRACE do. */
static const struct preset PRESETS[] = {{"cora", "scaling=rowsum"},
                                        {"citeseer", "scaling=rowsum"},
                                        {"pubmed", "scaling=rowsum"},
                                        {"dblp", "scaling=binary_rowsum"},
                                        {NULL, NULL}};

const struct method method_gcn = {
    .name = "gcn",
    .help = "classes of nodes, learnt from labels (graph convolution, supervised)",
    .scale = "whole graphs: a million nodes",
    .reference = "Kipf and Welling, Semi-Supervised Classification with Graph Convolutional "
                 "Networks, ICLR 2017",
    .keys = KEYS,
    .general = "layers=2 activation=relu hidden=16 dropout=0.5 lr=0.01 weight_decay=0.0005 "
               "epochs=200",
    .presets = PRESETS,
    .needs = METHOD_NEEDS_FEATURES | METHOD_NEEDS_LABELS,
    .views = 1,
    .declare = gcn_declare,
    .prepare = prepare,
    .release = release,
    .draw = draw,
    .loss = loss,
    .validate = gcn_validate,
    .outcome = outcome,
    .embed = gcn_embed,
};
