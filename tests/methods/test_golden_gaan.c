/* Golden vectors of GaAN: the network of means with given masks of dropout, and one gated layer, whose
 * features count as a parameter. */
#include "golden.h"
#include "data/splits.h"
#include "methods/supervised.h"
#include "methods/gaan.h"

static struct gaan_state own; /* where the tests' own segments of one source are */

/* ---- The mean -------------------------------------------------------------------------------- */

static float *masks[2]; /* (nodes, hidden) 0 or 1 / (1 - p), on the device */

/* x times a mask, number by number: a sum over one source with as many heads as columns. */
static struct tensor *mask(struct pass *pass, int k, struct tensor *x)
{
    struct tensor *keep = tape_parameter(pass->tape, x->rows, x->cols, masks[k - 1], NULL);
    return tape_segment_sum(pass->tape, &own.itself[0], keep, x);
}

static void mean_loss(const struct golden *g, struct pass *pass, struct stage *stage)
{
    struct gaan_state *state = stage->state;
    struct ending first = {{.kind = ACTIVATION_NONE}, pass_parameter(pass, "be", 0), NULL};
    struct ending last = {{.kind = ACTIVATION_NONE}, pass_parameter(pass, "by", 0), NULL};
    struct tensor *x = pass_features(pass, 1, pass_parameter(pass, "We", 0));
    x = tape_activate(pass->tape, &first, x);
    for (int k = 1; k <= 2; k++)
        x = mask(pass, k, gaan_layer_mean(pass, k, x));
    struct tensor *O = tape_matmul(pass->tape, x, pass_parameter(pass, "Wy", 0), &last);
    golden_compare_device(g, "", "logits", tape_context(pass->tape), O->data, O->rows * O->cols);
    tape_classify(pass->tape, &state->labels.part[SUPERVISED_TRAIN], O);
}

/* The loss of the first step alone compares logits: later ones have other parameters. */
static void mean_loss_later(const struct golden *g, struct pass *pass, struct stage *stage)
{
    struct golden first = *g;
    if (pass->step > 0)
        first.tolerance = INFINITY;
    mean_loss(&first, pass, stage);
}

/* The file's graph with its labels; a split of its own names the rows that train. */
static struct graco_dataset *labelled(const struct golden *g)
{
    struct graco_dataset *data = golden_dataset(g, "X", "edges");
    int64_t nodes = data->graph->nodes, count, cells;
    int32_t *train = golden_ints(g, "train", &count);
    float *y = golden_floats(g, "y", &cells);
    data->classes = golden_cols(g, "y");
    CHECK_OK(memory_alloc(&data->multi, cells, sizeof *data->multi));
    for (int64_t i = 0; i < cells; i++)
        data->multi[i] = y[i] > 0;
    CHECK_OK(memory_alloc(&data->split, nodes, sizeof *data->split));
    memset(data->split, SPLITS_VALIDATION, (size_t)nodes);
    for (int64_t i = 0; i < count; i++)
        data->split[train[i]] = SPLITS_TRAIN;
    memory_free(train);
    memory_free(y);
    return data;
}

static void know_itself(struct context *c, int64_t rows)
{
    struct segments *s = &own.itself[0];
    own.context = c;
    CHECK_OK(csr_identity(&own.identity, rows, false));
    struct csr one = {.rows = rows, .cols = rows};
    CHECK_OK(context_share(c, &one.start, own.identity.start, rows + 1, sizeof(int64_t)));
    CHECK_OK(context_share(c, &one.index, own.identity.index, rows, sizeof(int32_t)));
    *s = (struct segments){one, one, (const uint32_t *)one.index, rows, 1};
}

static void check_mean(const struct golden *g)
{
    uint8_t *part = NULL;
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct stage *stage = NULL;
    struct graco_dataset *data = labelled(g);
    graco_config config = golden_config(g, "gaan_mean");
    double kept = 1 - golden_scalar(g, "drop_hidden");
    float *keep[2];
    int64_t count;
    config.first = golden_cols(g, "param.We");
    config.inner = golden_cols(g, "param.Wm1");
    config.hidden = golden_cols(g, "param.Wo1");
    config.protocol = GRACO_PROTOCOL_PUBLIC;
    CHECK_OK(model_create(&model, &config, model_sizes_of(data)));
    golden_set_parameters(g, &model->parameters);
    CHECK_OK(trainer_create(&trainer, g->backend, model));
    for (int i = 0; i < 2; i++) {
        keep[i] = golden_floats(g, i ? "keep2" : "keep1", &count);
        for (int64_t k = 0; k < count; k++)
            keep[i][k] /= (float)kept;
        CHECK_OK(context_share(trainer->context, &masks[i], keep[i], count, sizeof(float)));
    }
    know_itself(trainer->context, data->graph->nodes);
    CHECK_OK(supervised_split(&part, &config, data));
    struct subject subject = {
        .context = trainer->context, .graph = data->graph, .data = data, .part = part};
    CHECK_OK(stage_create_graph(&stage, model, subject, &data->features));
    golden_steps(g, trainer, stage, mean_loss_later);
    for (int i = 0; i < 2; i++) {
        context_unshare(trainer->context, masks[i]);
        memory_free(keep[i]);
    }
    gaan_clear(&own);
    own = (struct gaan_state){0};
    stage_free(stage);
    trainer_free(trainer);
    memory_free(part);
    graco_model_free(model);
    graco_dataset_free(data);
}

/* ---- The gated layer ------------------------------------------------------------------------- */

/* L = sum(out * target) / N. */
static struct {
    float *target; /* (nodes, out) / N on the device */
    double loss;
} linear;

static struct outcome gated_outcome(const void *state)
{
    (void)state;
    return (struct outcome){.loss = linear.loss};
}

static void gated_loss(const struct golden *g, struct pass *pass, struct stage *stage)
{
    struct context *c = tape_context(pass->tape);
    struct tensor *gate = NULL, *x = pass_parameter(pass, "X", 0);
    struct tensor *out = gaan_layer_gated(pass, &own, 0, x, &gate);
    CHECK_OK(tape_status(pass->tape));
    int64_t count = out->rows * out->cols;
    float *host = NULL, *target = NULL;
    CHECK_OK(memory_alloc(&host, count, sizeof *host));
    CHECK_OK(memory_alloc(&target, count, sizeof *target));
    CHECK_OK(c->buffers->download(c, host, out->data, (size_t)count * sizeof *host));
    CHECK_OK(c->buffers->download(c, target, linear.target, (size_t)count * sizeof *host));
    CHECK_OK(context_finish(c));
    linear.loss = 0;
    for (int64_t i = 0; i < count; i++)
        linear.loss += (double)host[i] * (double)target[i];
    if (pass->step == 0) {
        golden_compare(g, "", "out", host);
        golden_compare_device(g, "", "gate", c, gate->data, gate->rows * gate->cols);
    }
    /* The loss is linear in `out`: its gradient is known, and the way back starts from it. */
    CHECK_OK(context_take(c, &out->grad, count, sizeof(float)));
    CHECK_OK(c->buffers->copy(c, out->grad, linear.target, (size_t)count * sizeof(float)));
    memory_free(host);
    memory_free(target);
    (void)stage;
}

static void declare_file(const struct golden *g, struct parameters *p, int64_t nodes)
{
    int64_t in = golden_cols(g, "param.X"), heads = golden_cols(g, "param.Wg");
    const struct gaan_widths widths = {heads, golden_cols(g, "param.Wq") / heads,
                                       golden_cols(g, "param.Wv") / heads,
                                       golden_cols(g, "param.Wm"), golden_cols(g, "param.Wo")};
    gaan_declare_gated(p, 0, in, &widths);
    parameters_declare(p, "X", 0, nodes, in, START_ZERO);
}

static void check_gated(const struct golden *g)
{
    struct graco_model model = {0};
    struct method method = {.name = "gated", .views = 1, .outcome = gated_outcome};
    struct trainer *trainer = NULL;
    struct graco_dataset *data = golden_dataset(g, "param.X", "edges");
    int64_t nodes = data->graph->nodes, count;
    float *target = golden_floats(g, "target", &count);
    model.config = golden_config(g, "gaan");
    model.lr = model.config.lr;
    model.method = &method;
    declare_file(g, &model.parameters, nodes);
    CHECK_OK(parameters_allocate(&model.parameters, 1));
    golden_set_parameters(g, &model.parameters);
    CHECK_OK(trainer_create(&trainer, g->backend, &model));
    struct stage stage = {.context = trainer->context, .method = &method, .hops = 1};
    for (int64_t i = 0; i < count; i++)
        target[i] /= (float)nodes;
    CHECK_OK(context_share(trainer->context, &linear.target, target, count, sizeof(float)));
    CHECK_OK(views_create(&stage.views[0], trainer->context, data->graph, NULL, 0,
                          VIEW_NORM_NEIGHBOURS, 1));
    own.context = trainer->context;
    golden_steps(g, trainer, &stage, gated_loss);
    context_unshare(trainer->context, linear.target);
    gaan_clear(&own);
    own = (struct gaan_state){0};
    views_free(stage.views[0]);
    trainer_free(trainer);
    parameters_clear(&model.parameters);
    graco_dataset_free(data);
    memory_free(target);
}

int main(void)
{
    golden_each("gaan_mean", check_mean);
    golden_each("gaan_gated", check_gated);
    return check_result();
}
