#include "train/trainer.h"

#include "base/memory.h"
#include "base/numbers.h"

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
                            struct graco_model *model)
{
    graco_status status = GRACO_OK;
    struct trainer *t = NULL;
    TRY(memory_zalloc(&t, 1, sizeof *t));
    t->model = model;
    TRY(context_create(&t->context, backend, model->config.threads, model->config.memory));
    t->context->precision = model_precision(model);
    TRY(tape_create(&t->tape, t->context));
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
    tape_free(t->tape);
    context_free(t->context);
    memory_free(t);
}

struct pass trainer_pass(const struct trainer *t)
{
    return (struct pass){.tape = t->tape,
                         .value = t->value,
                         .grad = t->grad,
                         .training = true,
                         .step = (uint32_t)t->model->step};
}

graco_status trainer_gradient(struct trainer *t, struct stage *stage, struct pass *pass)
{
    graco_status status = GRACO_OK;
    const struct graco_model *model = t->model;
    tape_reset(t->tape);
    TRY(t->context->backend->zero(t->context, t->grad,
                                  (size_t)model->parameters.total * sizeof(float)));
    stage_enter(stage, pass, model->config.layers);
    struct tensor *H = model_encode(model, pass);
    struct tensor *Z = model_project(model, pass, H);
    objective_apply(&stage->objective, t->tape, Z, model->config.seed, pass->step);
    TRY(tape_backward(t->tape));
    TRY(t->context->backend->finite(t->context, model->parameters.total, t->grad, &t->spoiled));
    TRY(context_finish(t->context)); /* the device works through both passes meanwhile */
    objective_read(&stage->objective);
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
                        .step = t->model->step + 1};
    graco_status status = t->context->backend->adam(t->context, &adam);
    if (status == GRACO_OK)
        t->model->step++;
    return status;
}

/* Says which number went wrong where: a parameter, else its gradient, else the loss alone. */
static graco_status fail_number(struct trainer *t, double loss)
{
    const struct parameters *p = &t->model->parameters;
    long long epoch = (long long)t->model->epoch + 1;
    const char *what = isfinite(loss) ? "a gradient" : "the loss";
    graco_status status = trainer_download(t);
    if (status != GRACO_OK)
        return status;
    int64_t value = numbers_spoiled(p->value, p->total);
    if (value >= 0)
        return status_fail(GRACO_ERROR_NUMBER,
                           "%s is not finite in epoch %lld, nor is a value of %s; try a smaller lr",
                           what, epoch, parameters_name_at(p, value));
    if (t->spoiled >= 0)
        return status_fail(GRACO_ERROR_NUMBER,
                           "%s is not finite in epoch %lld: the gradient of %s; try a smaller lr, "
                           "a larger tau or smaller features",
                           what, epoch, parameters_name_at(p, t->spoiled));
    return status_fail(GRACO_ERROR_NUMBER,
                       "the loss is not finite in epoch %lld, though every parameter and gradient "
                       "is; try a larger tau or smaller features",
                       epoch);
}

graco_status trainer_step(struct trainer *t, struct stage *stage)
{
    struct pass pass = trainer_pass(t);
    graco_status status = GRACO_OK;
    TRY(stage_draw(stage, &t->model->config, pass.step));
    TRY(trainer_gradient(t, stage, &pass));
    if (!isfinite(stage->objective.loss) || t->spoiled >= 0)
        TRY(fail_number(t, stage->objective.loss));
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
