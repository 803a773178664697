#include "layers/model.h"

#include "base/memory.h"

#include <assert.h>
#include <stdio.h>

/* ---- Construction ---------------------------------------------------------------------------- */

int64_t model_width(const graco_config *config, int64_t k)
{
    bool last = k == config->layers || config->encoder != GRACO_ENCODER_GCN;
    return last ? config->hidden : 2 * config->hidden;
}

static void declare_one(struct parameters *p, const char *name, int64_t number, int64_t rows,
                        int64_t cols)
{
    char full[PARAMETER_NAME];
    snprintf(full, sizeof full, "%s%d", name, (int)number);
    parameters_declare(p, full, rows, cols);
}

void model_declare(struct graco_model *model)
{
    const graco_config *config = &model->config;
    struct parameters *p = &model->parameters;
    int64_t width = model->features, halves = config->encoder == GRACO_ENCODER_GCN ? 1 : 2;
    for (int64_t k = 1; k <= config->layers; k++) {
        declare_one(p, "W", k, halves * width, model_width(config, k));
        declare_one(p, "b", k, 1, model_width(config, k));
        width = model_width(config, k);
    }
    for (int64_t k = 1; k < config->layers && config->encoder == GRACO_ENCODER_SAGE_SKIP; k++)
        declare_one(p, "S", k, model->features, config->hidden);
    if (config->activation == GRACO_ACTIVATION_PRELU)
        parameters_declare(p, "prelu", 1, 1);
    width = config->projection ? config->projection : config->hidden;
    declare_one(p, "P", 1, config->hidden, width);
    declare_one(p, "c", 1, 1, width);
    declare_one(p, "P", 2, width, config->hidden);
    declare_one(p, "c", 2, 1, config->hidden);
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
        if (t->name[0] == 'W' || t->name[0] == 'S' || t->name[0] == 'P')
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

/* ---- Forward --------------------------------------------------------------------------------- */

int model_parameter(const struct graco_model *model, const char *name, int64_t number)
{
    char full[PARAMETER_NAME];
    snprintf(full, sizeof full, number ? "%s%d" : "%s", name, (int)number);
    int index = parameters_find(&model->parameters, full);
    assert(index >= 0);
    return index;
}

/* `rows` rows of a parameter from `first` on, or all if rows is 0, as a leaf. */
static struct tensor *leaf_rows(const struct graco_model *model, const struct pass *pass,
                                const char *name, int64_t number, int64_t first, int64_t rows)
{
    const struct parameter *t = &model->parameters.list[model_parameter(model, name, number)];
    int64_t offset = t->offset + first * t->cols, count = rows ? rows : t->rows;
    return tape_parameter(pass->tape, count, t->cols, pass->value + offset,
                          pass->grad ? pass->grad + offset : NULL);
}

struct activation model_activation(const struct graco_model *model, const struct pass *pass,
                                   int64_t k)
{
    static const enum activation_kind kinds[] = {
        [GRACO_ACTIVATION_RELU] = ACTIVATION_RELU,
        [GRACO_ACTIVATION_PRELU] = ACTIVATION_PRELU,
        [GRACO_ACTIVATION_ELU] = ACTIVATION_ELU,
        [GRACO_ACTIVATION_RRELU] = ACTIVATION_RRELU,
    };
    return (struct activation){
        .kind = kinds[model->config.activation],
        .slope = pass->slopes[k - 1],
        .key = {.seed = model->config.seed,
                .stream = RANDOM_RRELU + (uint32_t)k,
                .step = pass->step},
        .training = pass->training,
    };
}

static struct tensor *leaf(const struct graco_model *model, const struct pass *pass,
                           const char *name, int64_t number)
{
    return leaf_rows(model, pass, name, number, 0, 0);
}

/* The bias and activation of layer k. */
static struct ending ending_of(const struct graco_model *model, const struct pass *pass, int64_t k)
{
    struct ending end = {.spec = model_activation(model, pass, k)};
    end.bias = leaf(model, pass, "b", k);
    if (end.spec.kind == ACTIVATION_PRELU)
        end.slope = leaf(model, pass, "prelu", 0);
    return end;
}

enum precision model_precision(const struct graco_model *model)
{
    static const enum precision precisions[] = {
        [GRACO_PRECISION_FP32] = PRECISION_FP32,
        [GRACO_PRECISION_TF32] = PRECISION_TF32,
        [GRACO_PRECISION_FP16] = PRECISION_FP16,
    };
    return precisions[model->config.precision];
}

enum view_norm model_norm(const struct graco_model *model)
{
    return model->config.encoder == GRACO_ENCODER_GCN ? VIEW_NORM_SYMMETRIC : VIEW_NORM_MEAN;
}

/* M H W with the matrices of layer k's views, where H is the features if it is NULL. */
static struct tensor *pool(const struct pass *pass, int64_t k, struct tensor *H, struct tensor *W,
                           const struct ending *end)
{
    if (!H)
        return input_pool(pass->tape, pass->input, pass->views[0], W, end);
    struct tensor *HW = tape_matmul(pass->tape, H, W, NULL);
    struct tensor *pooled = tape_propagate(pass->tape, &pass->views[k - 1]->map, HW, end);
    tape_drop(pass->tape, HW);
    return pooled;
}

/* H W for the nodes that a layer's views give values to, the first of those it reads. */
static struct tensor *product_head(const struct pass *pass, struct tensor *H, struct tensor *W,
                                   int64_t rows)
{
    return H ? tape_matmul_head(pass->tape, H, W, pass->views[0]->count, rows, NULL)
             : input_product(pass->tape, pass->input, pass->views[0], W, rows);
}

static struct tensor *convolution(const struct graco_model *model, const struct pass *pass,
                                  int64_t k, struct tensor *H)
{
    struct ending end = ending_of(model, pass, k);
    return pool(pass, k, H, leaf(model, pass, "W", k), &end);
}

/* [D^-1 (A + I) H ; H] W = D^-1 (A + I) H W' + H W'' with W = [W' ; W'']: nothing is
 * concatenated. */
static struct tensor *mean_pool(const struct graco_model *model, const struct pass *pass, int64_t k,
                                struct tensor *H)
{
    struct tape *tape = pass->tape;
    const struct views *views = pass->views[k - 1];
    int64_t width = k == 1 ? model->features : model_width(&model->config, k - 1);
    struct tensor *top = leaf_rows(model, pass, "W", k, 0, width);
    struct tensor *bottom = leaf_rows(model, pass, "W", k, width, width);
    struct tensor *pooled = pool(pass, k, H, top, NULL);
    struct tensor *own = product_head(pass, H, bottom, views->map.matrix[0].entries.rows);
    struct tensor *sum = tape_add(tape, own, pooled, views->count);
    tape_drop(tape, own);
    struct ending end = ending_of(model, pass, k);
    return tape_activate(tape, &end, sum);
}

/* X S_(k-1) + H_1 + ... + H_(k-1), for the nodes that layer k reads. */
static struct tensor *skip_sum(const struct graco_model *model, const struct pass *pass, int64_t k,
                               struct tensor *const *H)
{
    struct tensor *sum =
        input_product(pass->tape, pass->input, pass->views[0], leaf(model, pass, "S", k - 1),
                      pass->views[k - 1]->map.matrix[0].entries.cols);
    for (int64_t j = 0; j < k - 1; j++)
        sum = tape_add(pass->tape, H[j], sum, pass->views[0]->count);
    return sum;
}

struct tensor *model_encode(const struct graco_model *model, const struct pass *pass)
{
    struct tensor *H[GRACO_LAYERS_MAX] = {NULL}, *in = NULL; /* NULL stands for the features */
    for (int64_t k = 1; k <= model->config.layers; k++) {
        if (k > 1)
            in = model->config.encoder == GRACO_ENCODER_SAGE_SKIP ? skip_sum(model, pass, k, H)
                                                                  : H[k - 2];
        if (tape_status(pass->tape) != GRACO_OK)
            return NULL;
        H[k - 1] = model->config.encoder == GRACO_ENCODER_GCN ? convolution(model, pass, k, in)
                                                              : mean_pool(model, pass, k, in);
    }
    return H[model->config.layers - 1];
}

struct tensor *model_project(const struct graco_model *model, const struct pass *pass,
                             struct tensor *H)
{
    struct tape *tape = pass->tape;
    const struct ending elu = {{.kind = ACTIVATION_ELU}, leaf(model, pass, "c", 1), NULL};
    struct tensor *G = tape_matmul(tape, H, leaf(model, pass, "P", 1), &elu);
    G = tape_matmul(tape, G, leaf(model, pass, "P", 2), NULL);
    return tape_normalise(tape, G, leaf(model, pass, "c", 2));
}
