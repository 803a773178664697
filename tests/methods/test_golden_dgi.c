/* DGI's golden vectors: loss, logits' gradients and three steps. The back end takes the file's order of
 * rows where it would draw one, and the file's kept features where it would drop some. */
#include "golden.h"

#include "layers/encoder.h"

static struct {
    int32_t *order; /* (n) or NULL */
    float *kept;    /* (kept_count) 0 or 1, or NULL */
    int64_t kept_count;
    double share; /* of what dropout leaves */
} given;

static graco_status draw_order(struct context *c, const struct random_key *key, int64_t n,
                               int32_t *order, int32_t *place)
{
    int32_t *inverse = NULL;
    (void)key;
    CHECK_OK(memory_alloc(&inverse, n, sizeof(int32_t)));
    for (int64_t i = 0; i < n; i++)
        inverse[given.order[i]] = (int32_t)i;
    CHECK_OK(c->buffers->upload(c, order, given.order, (size_t)n * sizeof(int32_t)));
    CHECK_OK(c->buffers->upload(c, place, inverse, (size_t)n * sizeof(int32_t)));
    CHECK_OK(context_finish(c));
    memory_free(inverse);
    return GRACO_OK;
}

static graco_status dropout(struct context *c, const struct dropout *d, int64_t n, float *Y,
                            const float *X)
{
    size_t bytes = (size_t)n * sizeof(float);
    float *here = NULL;
    CHECK(n == given.kept_count && d->p > 0);
    CHECK_OK(memory_alloc(&here, n, sizeof(float)));
    CHECK_OK(c->buffers->download(c, here, X, bytes));
    for (int64_t i = 0; i < n; i++)
        here[i] *= (float)((double)given.kept[i] / given.share);
    CHECK_OK(c->buffers->upload(c, Y, here, bytes));
    CHECK_OK(context_finish(c));
    memory_free(here);
    return GRACO_OK;
}

static struct stage *other;
static struct trainer *the_trainer;

static void loss(const struct golden *g, struct pass *pass, struct stage *stage)
{
    struct pass second;
    (void)g;
    if (other) {
        second = trainer_pass(the_trainer, other);
        pass->other = &second;
    }
    CHECK_OK(stage->method->draw(pass));
    stage->method->loss(pass, stage->state);
}

static struct stage *make_stage(const struct graco_model *model, const struct graco_dataset *data)
{
    struct stage *stage = NULL;
    struct subject subject = {.context = the_trainer->context, .graph = data->graph, .data = data};
    CHECK_OK(stage_create_graph(&stage, model, subject, &data->features));
    return stage;
}

static void check_file(const struct golden *g)
{
    struct backend backend = *g->backend;
    struct kernels kernels = *g->backend->kernels;
    struct graco_model *model = NULL;
    struct graco_dataset *data = golden_dataset(g, "X", "edges"), *second = NULL;
    graco_config config = golden_config(g, "dgi");
    golden_set_word(g, &config, "encoder", "arch");
    config.hidden = golden_cols(g, "param.B");
    for (config.layers = 1; npz_has(g->npz, "param.W2") && config.layers < 3;)
        config.layers++;
    if (npz_has(g->npz, "perm"))
        given.order = golden_ints(g, "perm", NULL);
    if (npz_has(g->npz, "X2")) {
        second = golden_dataset(g, "X2", "edges2");
        given.kept = golden_floats(g, "keep2", &given.kept_count);
        config.dropout = golden_scalar(g, "drop_feature");
        given.share = 1 - config.dropout;
    }
    kernels.draw_order = draw_order;
    kernels.dropout = dropout;
    backend.kernels = &kernels;
    CHECK_OK(model_create(&model, &config, model_sizes_of(data)));
    golden_set_parameters(g, &model->parameters);
    CHECK_OK(trainer_create(&the_trainer, &backend, model));
    struct stage *stage = make_stage(model, data);
    other = second ? make_stage(model, second) : NULL;
    golden_steps(g, the_trainer, stage, loss);
    stage_free(stage);
    stage_free(other);
    trainer_free(the_trainer);
    graco_model_free(model);
    graco_dataset_free(data);
    graco_dataset_free(second);
    memory_free(given.order);
    memory_free(given.kept);
    given.order = NULL;
    given.kept = NULL;
}

int main(void)
{
    golden_each("dgi", check_file);
    return check_result();
}
