/* The tables U and V as a model's parameters, and skip-gram's steps as a training's. */
#include "methods/walk_table.h"

#include "base/memory.h"
#include "methods/skipgram.h"

#include <math.h>
#include <string.h>

struct state {
    struct skipgram *skipgram;
    double loss;
};

void walk_table_declare(struct graco_model *model)
{
    const struct graco_config *config = &model->config;
    int64_t outputs = skipgram_outputs(model->sizes.nodes, config->negatives);
    parameters_declare(&model->parameters, "U", 0, model->sizes.nodes, config->hidden, START_TABLE);
    parameters_declare(&model->parameters, "V", 0, outputs, config->hidden, START_ZERO);
}

static struct skipgram_options options_of(const struct graco_model *model,
                                          const struct graph *graph)
{
    const struct graco_config *config = &model->config;
    return (struct skipgram_options){.walks = {.graph = graph,
                                               .seed = config->seed,
                                               .length = config->length,
                                               .p = config->p,
                                               .q = config->q},
                                     .per_node = config->walks,
                                     .window = config->window,
                                     .negatives = config->negatives,
                                     .epochs = config->epochs,
                                     .d = config->hidden,
                                     .alpha = config->lr};
}

graco_status walk_table_prepare(void **out, const struct graco_model *model,
                                const struct subject *subject)
{
    struct skipgram_options options = options_of(model, subject->graph);
    struct state *state = NULL;
    PASS(memory_zalloc(&state, 1, sizeof *state));
    *out = state;
    options.threads = subject->context->threads;
    return skipgram_create(&state->skipgram, &options);
}

void walk_table_release(void *state)
{
    if (state)
        skipgram_free(((struct state *)state)->skipgram);
    memory_free(state);
}

int64_t walk_table_steps(const struct graco_model *model, const struct graph *graph)
{
    struct skipgram_options options = options_of(model, graph);
    return skipgram_steps(&options);
}

static float *table(const struct pass *pass, const char *name)
{
    return pass->value + parameters_find(&pass->model->parameters, name, 0)->offset;
}

graco_status walk_table_step(struct pass *pass, void *out)
{
    struct state *state = out;
    return skipgram_step(state->skipgram, table(pass, "U"), table(pass, "V"), pass->step,
                         &state->loss);
}

struct outcome walk_table_outcome(const void *state)
{
    return (struct outcome){((const struct state *)state)->loss, (double)NAN, 0};
}

graco_status walk_table_embed(float *Z, struct pass *pass)
{
    const struct parameter *U = parameters_find(&pass->model->parameters, "U", 0);
    memcpy(Z, pass->value + U->offset, (size_t)(U->rows * U->cols) * sizeof *Z);
    return GRACO_OK;
}
