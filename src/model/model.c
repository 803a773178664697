#include "model/model.h"

#include "base/memory.h"

#include <assert.h>
#include <stdio.h>

/* ---- Construction
 * ------------------------------------------------------------------------------------ */

/* Width of the output of layer k, 1 .. layers. */
static int64_t layer_width(const graco_config *config, int64_t k)
{
    return k < config->layers ? 2 * config->hidden : config->hidden;
}

static void declare_layer(struct parameters *p, const char *weight, const char *bias, int64_t k,
                          int64_t rows, int64_t cols)
{
    char name[PARAMETER_NAME];
    snprintf(name, sizeof name, "%s%d", weight, (int)k);
    parameters_declare(p, name, rows, cols);
    snprintf(name, sizeof name, "%s%d", bias, (int)k);
    parameters_declare(p, name, 1, cols);
}

void model_declare(struct graco_model *model)
{
    const graco_config *config = &model->config;
    struct parameters *p = &model->parameters;
    int64_t width = model->features;
    for (int64_t k = 1; k <= config->layers; k++) {
        declare_layer(p, "W", "b", k, width, layer_width(config, k));
        width = layer_width(config, k);
    }
    if (config->activation == GRACO_ACTIVATION_PRELU)
        parameters_declare(p, "prelu", 1, 1);
    width = config->projection ? config->projection : config->hidden;
    declare_layer(p, "P", "c", 1, config->hidden, width);
    declare_layer(p, "P", "c", 2, width, config->hidden);
}

graco_status model_create(struct graco_model **out, const graco_config *config, int64_t features)
{
    graco_status status = GRACO_OK;
    struct graco_model *model = NULL;
    TRY(memory_zalloc(&model, 1, sizeof *model));
    model->config = *config;
    model->features = features;
    model_declare(model);
    TRY(parameters_allocate(&model->parameters));
    for (int i = 0; i < model->parameters.count; i++) {
        const struct parameter *t = &model->parameters.list[i];
        if (t->name[0] == 'W' || t->name[0] == 'P')
            parameters_glorot(&model->parameters, i, config->seed);
    }
    int slope = parameters_find(&model->parameters, "prelu");
    if (slope >= 0)
        model->parameters.value[model->parameters.list[slope].offset] = 0.25f;
    *out = model;
    return GRACO_OK;
done:
    graco_model_free(model);
    return status;
}

void graco_model_free(graco_model *model)
{
    if (model)
        parameters_clear(&model->parameters);
    memory_free(model);
}

const graco_config *graco_model_config(const graco_model *model)
{
    return &model->config;
}

/* ---- Forward
 * ------------------------------------------------------------------------------------------ */

/* The parameter called `name` followed by a number, as a leaf. */
static struct tensor *leaf(const struct graco_model *model, const struct pass *pass,
                           const char *name, int64_t number)
{
    char full[PARAMETER_NAME];
    snprintf(full, sizeof full, number ? "%s%d" : "%s", name, (int)number);
    int index = parameters_find(&model->parameters, full);
    assert(index >= 0);
    const struct parameter *t = &model->parameters.list[index];
    if (!pass->grad)
        return tape_constant(pass->tape, t->rows, t->cols, pass->value + t->offset);
    return tape_parameter(pass->tape, t->rows, t->cols, pass->value + t->offset,
                          pass->grad + t->offset);
}

static struct tensor *activate(const struct graco_model *model, const struct pass *pass,
                               struct tensor *X, int64_t layer)
{
    static const enum activation_kind kinds[] = {
        [GRACO_ACTIVATION_RELU] = ACTIVATION_RELU,
        [GRACO_ACTIVATION_PRELU] = ACTIVATION_PRELU,
        [GRACO_ACTIVATION_ELU] = ACTIVATION_ELU,
        [GRACO_ACTIVATION_RRELU] = ACTIVATION_RRELU,
    };
    struct activation spec = {
        .kind = kinds[model->config.activation],
        .key = {.seed = model->config.seed,
                .stream = RANDOM_RRELU + (uint32_t)layer,
                .step = pass->step},
        .training = pass->training,
    };
    struct tensor *slope = NULL;
    if (spec.kind == ACTIVATION_PRELU)
        slope = leaf(model, pass, "prelu", 0);
    if (spec.kind == ACTIVATION_RRELU && layer <= 3)
        spec.slope = pass->slopes[layer - 1];
    return tape_activate(pass->tape, &spec, X, leaf(model, pass, "b", layer), slope);
}

enum view_norm model_norm(const struct graco_model *model)
{
    (void)model;
    return VIEW_NORM_SYMMETRIC;
}

struct tensor *model_encode(const struct graco_model *model, const struct pass *pass)
{
    struct tape *tape = pass->tape;
    struct tensor *H = NULL;
    for (int64_t k = 1; k <= model->config.layers; k++) {
        struct tensor *W = leaf(model, pass, "W", k);
        struct tensor *XW =
            k == 1 ? input_product(tape, pass->input, pass->views, W) : tape_matmul(tape, H, W);
        struct tensor *AXW = tape_propagate(tape, &pass->views->map, XW);
        tape_drop(tape, XW);
        H = activate(model, pass, AXW, k);
    }
    return H;
}

struct tensor *model_project(const struct graco_model *model, const struct pass *pass,
                             struct tensor *H)
{
    struct tape *tape = pass->tape;
    const struct activation elu = {.kind = ACTIVATION_ELU}, none = {.kind = ACTIVATION_NONE};
    struct tensor *G = tape_matmul(tape, H, leaf(model, pass, "P", 1));
    G = tape_activate(tape, &elu, G, leaf(model, pass, "c", 1), NULL);
    G = tape_matmul(tape, G, leaf(model, pass, "P", 2));
    G = tape_activate(tape, &none, G, leaf(model, pass, "c", 2), NULL);
    return tape_normalise(tape, G);
}
