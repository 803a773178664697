/* Encoders from layers of one kind: widths, parameters, and the pass over all layers. */
#include "layers/encoder.h"

static const struct layer_kind *const KINDS[] = {
#define ENCODER(name) &layer_##name,
#include "config/encoders.def"
#undef ENCODER
};

const struct layer_kind *encoder_kind(const struct graco_config *config)
{
    return KINDS[config->encoder];
}

int64_t layer_width(const struct graco_model *model, int64_t k)
{
    return k < model->config.layers ? model->inner : model->width;
}

int64_t layer_width_in(const struct graco_model *model, int64_t k)
{
    return k == 1 ? model->sizes.cols : layer_width(model, k - 1);
}

void layer_declare(struct graco_model *model, int64_t blocks)
{
    struct parameters *p = &model->parameters;
    for (int64_t k = 1; k <= model->config.layers; k++) {
        int64_t in = layer_width_in(model, k), out = layer_width(model, k);
        parameters_declare(p, "W", k, blocks * in, out, START_GLOROT);
        parameters_declare(p, "b", k, 1, out, START_ZERO);
    }
}

void encoder_declare(struct graco_model *model)
{
    model->kind->declare(model);
    if (model->config.activation == ACTIVATION_PRELU)
        parameters_declare(&model->parameters, "prelu", 0, 1, 1, START_QUARTER);
}

/* Of what layer k reads. */
static struct dropout dropout_of(const struct pass *pass, int64_t k)
{
    return (struct dropout){{.seed = pass->model->config.seed,
                             .stream = RANDOM_DROPOUT + (uint32_t)k,
                             .step = pass->step},
                            pass->training ? pass->dropout : 0};
}

struct tensor *encoder_run(struct pass *pass)
{
    const struct layer_kind *kind = pass->model->kind;
    struct tensor *H = NULL; /* stands for the features */
    input_drop(pass->input, dropout_of(pass, 1));
    for (pass->befores = 0; pass->befores < pass->model->config.layers;) {
        int64_t k = pass->befores + 1;
        const struct dropout dropout = dropout_of(pass, k);
        if (k > 1)
            pass->before[k - 2] = H = tape_dropout(pass->tape, &dropout, H);
        if (k > 1 && kind->input)
            H = kind->input(pass, k);
        if (tape_status(pass->tape) != GRACO_OK)
            return NULL;
        H = kind->forward(pass, k, H);
        pass->before[pass->befores++] = H;
    }
    return H;
}
