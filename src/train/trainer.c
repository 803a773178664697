/* The trainer's step: draw, forward, backward, Adam.
 *
 * A device works behind the host's back: a step is asked for whole, and only context_finish says what it
 * came to. From its second step on a stage's step is recorded, where the back end can, and replayed. */
#include "train/trainer.h"

#include "base/memory.h"
#include "base/finite.h"
#include "compute/exchange.h"

#include <math.h>
#include <string.h>

enum { RECORDINGS_MAX = 3 }; /* of one stage */

/* A block as the device sees it; one that the model does not have is NULL there too. */
static graco_status share_block(struct trainer *t, float **out, const float *host)
{
    return host ? context_share(t->context, out, host, t->model->parameters.total, sizeof(float))
                : GRACO_OK;
}

static graco_status share_blocks(struct trainer *t)
{
    const struct parameters *p = &t->model->parameters;
    PASS(share_block(t, &t->value, p->value));
    PASS(share_block(t, &t->grad, p->grad));
    PASS(share_block(t, &t->m, p->m));
    PASS(share_block(t, &t->v, p->v));
    PASS(share_block(t, &t->best, p->best));
    if (p->best && !t->model->method->validate && !t->model->method->structured)
        PASS(context_take(t->context, &t->before, p->total, sizeof(float)));
    return GRACO_OK;
}

graco_status trainer_create(struct trainer **out, const struct backend *backend,
                            struct graco_model *model)
{
    graco_status status = GRACO_OK;
    struct trainer *t = NULL;
    TRY(memory_zalloc(&t, 1, sizeof *t));
    t->model = model;
    TRY(context_create(&t->context, backend, model->config.threads, model->config.memory));
    t->context->precision = (enum precision)model->config.precision;
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
        context_unshare(t->context, t->best);
        context_give(t->context, t->before);
    }
    tape_free(t->tape);
    context_free(t->context);
    memory_free(t);
}

struct pass trainer_pass(const struct trainer *t, const struct stage *stage)
{
    struct pass pass = {.model = t->model,
                        .tape = t->tape,
                        .input = stage->input,
                        .hops = stage->hops,
                        .graphs = stage->graphs,
                        .start = stage->start,
                        .value = t->value,
                        .grad = t->grad,
                        .training = true,
                        .step = (uint32_t)t->model->step};
    memcpy(pass.views, stage->views, sizeof pass.views);
    return pass;
}

/* What a step begins with. The gradients are cleared while it goes forward. */
static graco_status begin_step(struct trainer *t)
{
    size_t bytes = (size_t)t->model->parameters.total * sizeof(float);
    tape_reset(t->tape);
    PASS(context_apart(t->context));
    PASS(context_turn(t->context, TURN_FIRST));
    PASS(t->context->buffers->zero(t->context, t->grad, bytes));
    return context_turn(t->context, TURN_BACK);
}

/* Draws the next step's views in the side queue. No kernel of this step reads the present ones any more. */
static graco_status draw_next(struct trainer *t, const struct stage *stage, struct pass pass)
{
    pass.step++;
    PASS(context_turn(t->context, TURN_ASIDE));
    PASS(stage->method->draw(&pass));
    return context_turn(t->context, TURN_BACK);
}

/* Asks for loss and gradients; a device may still be working when this returns. With `ahead` the views are there. */
static graco_status ask_gradient(struct trainer *t, struct stage *stage, struct pass *pass,
                                 bool ahead)
{
    graco_status status = GRACO_OK;
    int64_t total = t->model->parameters.total;
    stage->method->loss(pass, stage->state);
    TRY(context_turn(t->context, TURN_JOIN));
    TRY(tape_backward_drawn(t->tape));
    if (ahead)
        TRY(draw_next(t, stage, *pass));
    TRY(tape_backward(t->tape));
    TRY(context_together(t->context));
    TRY(exchange_sum_floats(t->context, t->grad, total));
    TRY(t->context->kernels->not_finite(t->context, total, t->grad, &t->not_finite));
done:
    return status;
}

static graco_status copy_block(struct trainer *t, float *to, const float *from)
{
    size_t bytes = (size_t)t->model->parameters.total * sizeof(float);
    return t->context->buffers->copy(t->context, to, from, bytes);
}

/* Adam on floats first .. last - 1 of the blocks. */
static graco_status ask_adam(struct trainer *t, int64_t first, int64_t last, bool decayed)
{
    const struct graco_config *config = &t->model->config;
    struct adam adam = {.count = last - first,
                        .value = t->value + first,
                        .grad = t->grad + first,
                        .m = t->m + first,
                        .v = t->v + first,
                        .lr = t->model->lr,
                        .beta1 = 0.9,
                        .beta2 = 0.999,
                        .epsilon = 1e-8,
                        .weight_decay = decayed ? config->weight_decay : 0,
                        .clip = config->clip,
                        .step = t->model->step + 1};
    return t->context->kernels->adam(t->context, &adam);
}

/* Keeps the values that the loss speaks of, and steps. Neighbours that are decayed alike go together:
 * one call for all, unless a method exempts some. */
static graco_status ask_update(struct trainer *t)
{
    const struct parameters *p = &t->model->parameters;
    if (t->before)
        PASS(copy_block(t, t->before, t->value));
    if (t->model->config.clip_norm > 0)
        PASS(t->context->kernels->clip_norm(t->context, p->total, t->grad,
                                            t->model->config.clip_norm));
    for (int i = 0, next; i < p->count; i = next) {
        for (next = i + 1; next < p->count && p->list[next].undecayed == p->list[i].undecayed;)
            next++;
        int64_t last = next < p->count ? p->list[next].offset : p->total;
        PASS(ask_adam(t, p->list[i].offset, last, !p->list[i].undecayed));
    }
    return GRACO_OK;
}

graco_status trainer_update(struct trainer *t)
{
    graco_status status = ask_update(t);
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
    int64_t value = not_finite_first(p->value, p->total);
    if (value >= 0)
        return status_fail(GRACO_ERROR_NUMBER,
                           "%s is not finite in epoch %lld, nor is a value of %s; try a smaller lr",
                           what, epoch, parameters_name_at(p, value));
    if (t->not_finite >= 0)
        return status_fail(GRACO_ERROR_NUMBER,
                           "%s is not finite in epoch %lld: the gradient of %s; try a smaller lr, "
                           "a larger tau or smaller features",
                           what, epoch, parameters_name_at(p, t->not_finite));
    return status_fail(GRACO_ERROR_NUMBER,
                       "the loss is not finite in epoch %lld, though every parameter and gradient "
                       "is; try a larger tau or smaller features",
                       epoch);
}

/* Whether the loss and the gradients of the last step are finite, as far as they were computed. */
static bool is_finite(const struct trainer *t, const struct stage *stage)
{
    return t->context->backend->dry || (isfinite(stage_outcome(stage).loss) && t->not_finite < 0);
}

/* Draws the views of the step that comes next on the stage. */
static graco_status draw_now(struct trainer *t, struct stage *stage, struct pass *pass)
{
    if (stage->method->draw)
        PASS(stage->method->draw(pass));
    stage->drawn = t->model->step;
    return GRACO_OK;
}

/* Asks for a whole step; with `ahead` its views are there, and the next one's are drawn. On a device
 * that reports late Adam itself checks that the loss is finite; else it is checked here, before Adam is asked for. */
static graco_status ask_step(struct trainer *t, struct stage *stage, bool ahead)
{
    struct pass pass = trainer_pass(t, stage), other;
    graco_status status = GRACO_OK;
    if (stage->other) {
        other = trainer_pass(t, stage->other);
        pass.other = &other;
    }
    TRY(begin_step(t));
    if (!ahead)
        TRY(draw_now(t, stage, &pass));
    TRY(ask_gradient(t, stage, &pass, ahead));
    if (!t->context->backend->host || is_finite(t, stage))
        TRY(ask_update(t));
done:
    if (status != GRACO_OK)
        context_together(t->context);
    return status;
}

/* The views that a recording which draws ahead begins with. */
static graco_status have_views(struct trainer *t, struct stage *stage)
{
    struct pass pass = trainer_pass(t, stage);
    return !stage->ahead || stage->drawn == t->model->step ? GRACO_OK : draw_now(t, stage, &pass);
}

/* Writes a step down, after its views were drawn if they are drawn ahead. Where the device cannot do that, because it has no
 * memory or another context disturbs it, there is no recording, and the step is none the worse; a device that has failed
 * will say so in the step itself. */
static graco_status record_step(struct trainer *t, struct stage *stage)
{
    const struct recorder *recorder = t->context->recorder;
    const struct watch watch = t->context->watch;
    graco_status status = GRACO_OK;
    stage->recordings++;
    stage->recorded = t->model->step;
    stage->trims = t->context->trims;
    stage->ahead = stage->method->draws_views && stage->only;
    TRY(have_views(t, stage));
    TRY(recorder->record(t->context));
    t->context->watch.go_on = NULL; /* who is asked may use the device, and spoil the recording */
    status = ask_step(t, stage, stage->ahead);
    t->context->watch.go_on = watch.go_on;
    if (status == GRACO_OK)
        status = recorder->recorded(t->context, &stage->recording);
    else
        recorder->recorded(t->context, NULL);
done:
    return status == GRACO_ERROR_MEMORY || status == GRACO_ERROR_DEVICE ? GRACO_OK : status;
}

/* Forgets a recording whose buffers a trim gave back to the system, or which has another learning rate. */
static void check_recording(const struct trainer *t, struct stage *stage)
{
    bool other = stage->lr != t->model->lr;
    if (other)
        stage->recordings = 0;
    stage->lr = t->model->lr;
    if (!stage->recording || (stage->trims == t->context->trims && !other))
        return;
    t->context->recorder->forget(stage->recording);
    stage->recording = NULL;
}

/* A method without a tape steps on the host, where it has found everything when it returns. */
static graco_status step_by_itself(struct trainer *t, struct stage *stage)
{
    struct pass pass = trainer_pass(t, stage);
    t->not_finite = -1;
    if (t->before)
        PASS(copy_block(t, t->before, t->value));
    return stage->method->step(&pass, stage->state);
}

/* A stage is recorded from its second step on, if the back end can and the step sees no other stage. By then every
 * buffer that a step takes is in the cache, unless memory is so short that buffers come and go. */
static graco_status run_step(struct trainer *t, struct stage *stage)
{
    struct context *c = t->context;
    graco_status status = GRACO_OK;
    if (stage->method->step)
        return step_by_itself(t, stage);
    check_recording(t, stage);
    if (!stage->recording && c->recorder && stage->steps > 0 &&
        stage->recordings < RECORDINGS_MAX && !stage->other) {
        TRY(record_step(t, stage));
        check_recording(t, stage);
    }
    if (stage->recording) {
        if (stage->method->draw_host)
            stage->method->draw_host(stage->state, t->model, (uint32_t)t->model->step);
        TRY(have_views(t, stage));
        TRY(c->recorder->replay(c, stage->recording, (uint32_t)(t->model->step - stage->recorded)));
        stage->drawn = t->model->step + stage->ahead;
    } else {
        TRY(ask_step(t, stage, false));
    }
    TRY(context_finish(c));
    stage->steps++;
done:
    return status;
}

graco_status trainer_step(struct trainer *t, struct stage *stage)
{
    graco_status status = GRACO_OK;
    if (t->model->step >= UINT32_MAX)
        FAIL(GRACO_ERROR_ARGUMENT, "step %lld: a training has at most %lld, as random numbers have",
             (long long)t->model->step, (long long)UINT32_MAX);
    TRY(run_step(t, stage));
    if (!is_finite(t, stage))
        TRY(fail_number(t, stage_outcome(stage).loss));
    t->model->step++;
done:
    t->context->watch.share = 0;
    return status;
}

graco_status trainer_validate(double *cost, struct trainer *t, struct stage *stage)
{
    struct pass pass = trainer_pass(t, stage);
    pass.grad = NULL;
    pass.training = false;
    tape_reset(t->tape);
    PASS(stage->method->validate(cost, &pass, stage->state));
    PASS(tape_status(t->tape));
    PASS(context_finish(t->context));
    if (!isfinite(*cost) && !t->context->backend->dry)
        return status_fail(GRACO_ERROR_NUMBER, "the validation's cost is not finite in epoch %lld",
                           (long long)t->model->epoch);
    return GRACO_OK;
}

graco_status trainer_keep_best(struct trainer *t)
{
    return copy_block(t, t->best, t->before ? t->before : t->value);
}

graco_status trainer_download(struct trainer *t)
{
    struct context *c = t->context;
    struct parameters *p = &t->model->parameters;
    size_t bytes = (size_t)p->total * sizeof(float);
    if (c->backend->host)
        return GRACO_OK;
    PASS(c->buffers->download(c, p->value, t->value, bytes));
    PASS(c->buffers->download(c, p->m, t->m, bytes));
    PASS(c->buffers->download(c, p->v, t->v, bytes));
    if (p->best)
        PASS(c->buffers->download(c, p->best, t->best, bytes));
    return GRACO_OK;
}
