#include "train/trainer.h"

#include "base/memory.h"
#include "data/preprocess.h"

#include <math.h>

static graco_status share_blocks(struct trainer *t)
{
    struct parameters *p = &t->model->parameters;
    graco_status status = GRACO_OK;
    TRY(context_share(t->context, &t->value, p->value, p->total, sizeof(float)));
    TRY(context_share(t->context, &t->grad, p->grad, p->total, sizeof(float)));
    TRY(context_share(t->context, &t->m, p->m, p->total, sizeof(float)));
    TRY(context_share(t->context, &t->v, p->v, p->total, sizeof(float)));
done:
    return status;
}

graco_status trainer_create(struct trainer **out, const struct backend *backend,
                            struct graco_model *model, const struct graco_dataset *data)
{
    graco_status status = GRACO_OK;
    struct trainer *t = NULL;
    const graco_config *config = &model->config;
    const struct preprocess prepare = {config->features, config->contaminate, config->seed};
    const struct features *X = &data->features;
    TRY(memory_zalloc(&t, 1, sizeof *t));
    t->model = model;
    TRY(context_create(&t->context, backend, config->threads, config->memory));
    TRY(tape_create(&t->tape, t->context));
    if (preprocess_needed(&prepare)) {
        TRY(preprocess_features(&t->prepared, X, &prepare));
        X = &t->prepared;
    }
    TRY(input_create(&t->input, t->context, X));
    TRY(views_create(&t->views, t->context, data->graph, X->cols, model_norm(model), 2));
    TRY(objective_init(&t->objective, config, data->graph->nodes, config->hidden));
    TRY(share_blocks(t));
    *out = t;
    return GRACO_OK;
done:
    trainer_free(t);
    return status;
}

void trainer_free(struct trainer *t)
{
    if (!t)
        return;
    if (t->context) {
        context_unshare(t->context, t->value);
        context_unshare(t->context, t->grad);
        context_unshare(t->context, t->m);
        context_unshare(t->context, t->v);
    }
    objective_clear(&t->objective);
    views_free(t->views);
    input_free(t->input);
    features_clear(&t->prepared);
    tape_free(t->tape);
    context_free(t->context);
    memory_free(t);
}

graco_status trainer_gradient(struct trainer *t, const struct pass *pass)
{
    graco_status status = GRACO_OK;
    const struct graco_model *model = t->model;
    tape_reset(t->tape);
    TRY(t->context->backend->zero(t->context, t->grad,
                                  (size_t)model->parameters.total * sizeof(float)));
    struct tensor *H = model_encode(model, pass);
    struct tensor *Z = model_project(model, pass, H);
    objective_apply(&t->objective, t->tape, Z, model->config.seed, pass->step);
    TRY(tape_status(t->tape));
    objective_read(&t->objective);
    TRY(tape_backward(t->tape));
done:
    return status;
}

graco_status trainer_update(struct trainer *t)
{
    const graco_config *config = &t->model->config;
    struct adam adam = {.count = t->model->parameters.total,
                        .value = t->value,
                        .grad = t->grad,
                        .m = t->m,
                        .v = t->v,
                        .lr = config->lr,
                        .beta1 = 0.9,
                        .beta2 = 0.999,
                        .epsilon = 1e-8,
                        .weight_decay = config->weight_decay,
                        .step = t->model->epoch + 1};
    graco_status status = t->context->backend->adam(t->context, &adam);
    if (status == GRACO_OK)
        t->model->epoch++;
    return status;
}

graco_status trainer_step(struct trainer *t)
{
    const graco_config *config = &t->model->config;
    uint32_t step = (uint32_t)t->model->epoch;
    struct view_drop drop = {{config->drop_edge_1, config->drop_edge_2},
                             {config->drop_feature_1, config->drop_feature_2}};
    struct pass pass = {.tape = t->tape,
                        .input = t->input,
                        .views = t->views,
                        .value = t->value,
                        .grad = t->grad,
                        .training = true,
                        .step = step};
    graco_status status = GRACO_OK;
    TRY(views_draw(t->views, &drop, config->seed, step));
    TRY(trainer_gradient(t, &pass));
    if (!isfinite(t->objective.loss))
        FAIL(GRACO_ERROR_NUMBER, "the loss is not finite in epoch %u; try a smaller lr",
             (unsigned)step + 1);
    TRY(trainer_update(t));
done:
    return status;
}

graco_status trainer_download(struct trainer *t)
{
    struct context *c = t->context;
    struct parameters *p = &t->model->parameters;
    size_t bytes = (size_t)p->total * sizeof(float);
    graco_status status = GRACO_OK;
    if (c->backend->host)
        return GRACO_OK;
    TRY(c->backend->download(c, p->value, t->value, bytes));
    TRY(c->backend->download(c, p->m, t->m, bytes));
    TRY(c->backend->download(c, p->v, t->v, bytes));
done:
    return status;
}
