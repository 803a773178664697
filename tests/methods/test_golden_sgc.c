/* Golden vectors of simple graph convolution: the propagated features, and the gradient of a softmax
 * regression on them. */
#include "golden.h"

/* The loss and its gradient by W and b, from the file's features: softmax(Xk W + b). */
static void check_gradient(const struct golden *g, struct context *context, const graco_matrix *Xk)
{
    struct tape *tape = NULL;
    int64_t count, k = golden_cols(g, "param.W"), F = Xk->cols;
    int32_t *train = golden_ints(g, "train", &count), *y = golden_ints(g, "y", NULL), *label = NULL;
    float *value[2] = {golden_floats(g, "param.W", NULL), golden_floats(g, "param.b", NULL)};
    float *X = NULL, *W[2] = {NULL, NULL}, *grad[2] = {NULL, NULL};
    struct classification spec = {.kind = CLASSIFY_SOFTMAX, .cols = k, .count = count};
    CHECK_OK(memory_alloc(&label, count, sizeof *label));
    for (int64_t i = 0; i < count; i++)
        label[i] = y[train[i]];
    CHECK_OK(tape_create(&tape, context));
    CHECK_OK(context_share(context, &X, Xk->data, Xk->rows * F, sizeof *X));
    CHECK_OK(context_share(context, &spec.row, train, count, sizeof *train));
    CHECK_OK(context_share(context, &spec.label, label, count, sizeof *label));
    for (int i = 0; i < 2; i++) {
        int64_t size = i ? k : F * k;
        CHECK_OK(context_share(context, &W[i], value[i], size, sizeof(float)));
        CHECK_OK(context_take(context, &grad[i], size, sizeof(float)));
        CHECK_OK(context->buffers->zero(context, grad[i], (size_t)size * sizeof(float)));
    }
    struct ending end = {.spec = {.kind = ACTIVATION_NONE},
                         .bias = tape_parameter(tape, 1, k, W[1], grad[1])};
    struct tensor *O = tape_matmul(tape, tape_parameter(tape, Xk->rows, F, X, NULL),
                                   tape_parameter(tape, F, k, W[0], grad[0]), &end);
    tape_classify(tape, &spec, O);
    CHECK_OK(tape_status(tape));
    CHECK_OK(context_finish(context));
    golden_compare_device(g, "", "logits", context, O->data, Xk->rows * k);
    CHECK(fabs(spec.loss - golden_scalar(g, "loss")) <= g->tolerance * spec.loss);
    CHECK_OK(tape_backward(tape));
    CHECK_OK(context_finish(context));
    golden_compare_device(g, "grad.", "W", context, grad[0], F * k);
    golden_compare_device(g, "grad.", "b", context, grad[1], k);
    for (int i = 0; i < 2; i++) {
        context_unshare(context, W[i]);
        context_give(context, grad[i]);
        memory_free(value[i]);
    }
    context_unshare(context, X);
    context_unshare(context, spec.row);
    context_unshare(context, spec.label);
    tape_free(tape);
    memory_free(label);
    memory_free(train);
    memory_free(y);
}

static void check_sgc(const struct golden *g)
{
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct stage *stage = NULL;
    struct graco_dataset *data = golden_dataset(g, "X", "edges");
    graco_config config = golden_config(g, "sgc");
    graco_matrix Xk = {data->graph->nodes, data->features.cols, NULL};
    int32_t *hops = golden_ints(g, "hops", NULL);
    config.layers = *hops;
    memory_free(hops);
    CHECK_OK(model_create(&model, &config, model_sizes_of(data)));
    CHECK_OK(trainer_create(&trainer, g->backend, model));
    struct subject subject = {.context = trainer->context, .graph = data->graph, .data = data};
    CHECK_OK(stage_create_graph(&stage, model, subject, &data->features));
    struct pass pass = trainer_pass(trainer, stage);
    CHECK_OK(memory_alloc(&Xk.data, Xk.rows * Xk.cols, sizeof *Xk.data));
    CHECK_OK(model->method->embed(Xk.data, &pass));
    golden_compare(g, "", "Xk", Xk.data);
    check_gradient(g, trainer->context, &Xk);
    graco_matrix_clear(&Xk);
    stage_free(stage);
    trainer_free(trainer);
    graco_model_free(model);
    graco_dataset_free(data);
}

int main(void)
{
    golden_each("sgc", check_sgc);
    return check_result();
}
