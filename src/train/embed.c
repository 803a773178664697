#include "base/memory.h"
#include "data/preprocess.h"
#include "train/trainer.h"

#include <string.h>

/* What an embedding needs on the device, held only while it is computed. */
struct embedder {
    struct context *context;
    struct tape *tape;
    struct features prepared; /* empty where the data set's own serve */
    struct input *input;
    struct views *views;
    float *value;
};

static graco_status open_embedder(struct embedder *e, const graco_model *model,
                                  const graco_dataset *data, int64_t threads)
{
    const struct parameters *p = &model->parameters;
    const struct preprocess prepare = {model->config.features, 0, 0};
    const struct features *X = &data->features;
    graco_status status = GRACO_OK;
    TRY(context_create(&e->context, &backend_cpu, threads, 0));
    TRY(tape_create(&e->tape, e->context));
    if (preprocess_needed(&prepare)) {
        TRY(preprocess_features(&e->prepared, X, &prepare));
        X = &e->prepared;
    }
    TRY(input_create(&e->input, e->context, X));
    TRY(views_create(&e->views, e->context, data->graph, X->cols, model_norm(model), 1));
    TRY(context_share(e->context, &e->value, p->value, p->total, sizeof(float)));
done:
    return status;
}

static void close_embedder(struct embedder *e)
{
    if (e->context)
        context_unshare(e->context, e->value);
    views_free(e->views);
    input_free(e->input);
    features_clear(&e->prepared);
    tape_free(e->tape);
    context_free(e->context);
}

graco_status graco_model_embed(graco_matrix *Z, const graco_model *model, const graco_dataset *data,
                               int64_t threads)
{
    struct embedder e = {0};
    graco_matrix out = {data->graph->nodes, model->config.hidden, NULL};
    graco_status status = GRACO_OK;
    if (data->features.cols != model->features)
        FAIL(GRACO_ERROR_ARGUMENT, "the model was trained on %lld features; data set '%s' has %lld",
             (long long)model->features, data->name, (long long)data->features.cols);
    TRY(open_embedder(&e, model, data, threads));
    struct pass pass = {.tape = e.tape, .input = e.input, .views = e.views, .value = e.value};
    struct tensor *H = model_encode(model, &pass);
    TRY(tape_status(e.tape));
    TRY(memory_alloc(&out.data, out.rows * out.cols, sizeof(float)));
    TRY(e.context->backend->download(e.context, out.data, H->data,
                                     (size_t)(out.rows * out.cols) * sizeof(float)));
    *Z = out;
    out.data = NULL;
done:
    memory_free(out.data);
    close_embedder(&e);
    return status;
}
