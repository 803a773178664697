/* GRACE's golden vectors: loss, U, V, every gradient and the parameters after three Adam steps, in float64
 * from the paper's equations, with masks, slopes, coefficients and samples given. */
#include "golden.h"
#include "fixture.h"
#include "compute/given_fit.h"
#include "layers/encoder.h"
#include "methods/grace.h"

static graco_config make_config(const struct golden *g)
{
    graco_config config = golden_config(g, "grace");
    golden_set_word(g, &config, "encoder", "arch");
    golden_set_word(g, &config, "activation", "act");
    config.layers = config.encoder == ENCODER_GCN ? 2 : 3;
    config.hidden = golden_cols(g, "param.W2");
    config.projection = golden_cols(g, "param.P1");
    config.objective = golden_word_is(g, "objective", "grace")     ? OBJECTIVE_EXACT
                       : golden_word_is(g, "objective", "infonce") ? OBJECTIVE_INFONCE
                                                                   : OBJECTIVE_MOMENT;
    config.correction = golden_word_is(g, "objective", "corrected") ? 8 : 0;
    config.tau = golden_scalar(g, "tau");
    return config;
}

/* The file numbers edges by source, then target; graco by target, then source. */
static int64_t edge_id(const struct graph *graph, int32_t source, int32_t target)
{
    for (int64_t e = graph->in.start[target]; e < graph->in.start[target + 1]; e++)
        if (graph->in.index[e] == source)
            return e;
    CHECK(!"the edge is in the graph");
    return 0;
}

static void set_view(const struct golden *g, struct stage *stage, const struct graph *graph,
                     int view)
{
    char name[40];
    uint8_t *given = NULL, *keep = NULL;
    snprintf(name, sizeof name, "keep%d", view + 1);
    struct array kept = golden_member(g, name);
    snprintf(name, sizeof name, "fmask%d", view + 1);
    float *mask = golden_floats(g, name, NULL);
    int32_t *pairs = golden_ints(g, "edges", NULL);
    CHECK_OK(array_to_u8(&given, &kept));
    CHECK_OK(memory_alloc(&keep, graph->edges, 1));
    for (int64_t e = 0; e < graph->edges; e++)
        keep[edge_id(graph, pairs[e], pairs[graph->edges + e])] = given[e];
    CHECK_OK(views_set(stage->views[0], view, keep, mask));
    memory_free(given);
    memory_free(keep);
    memory_free(mask);
    memory_free(pairs);
    array_clear(&kept);
}

/* ---- Checking -------------------------------------------------------------------------------- */

/* The slopes of layer k for both views, stacked. */
static float *given_slopes(const struct golden *g, int k, int64_t count)
{
    float *slopes = NULL;
    CHECK_OK(memory_alloc(&slopes, 2 * count, sizeof(float)));
    for (int view = 0; view < 2; view++) {
        char name[40];
        int64_t found;
        snprintf(name, sizeof name, "slope%d_%d", k, view + 1);
        float *some = golden_floats(g, name, &found);
        CHECK(found == count);
        memcpy(slopes + view * count, some, (size_t)count * sizeof(float));
        memory_free(some);
    }
    return slopes;
}

/* A back end whose RReLU takes the file's slopes, on the device, where it would draw them. */
static struct {
    const struct kernels *real;
    const float *slopes[LAYERS_MAX]; /* of layer k at k - 1 */
} given;

static struct activation with_slopes(const struct activation *a)
{
    struct activation copy = *a;
    if (a->kind == ACTIVATION_RRELU)
        copy.slope = given.slopes[a->key.stream - RANDOM_RRELU - 1];
    return copy;
}

static graco_status gemm(struct context *c, const struct gemm *g)
{
    struct gemm copy = *g;
    struct activation after = g->after ? with_slopes(g->after) : (struct activation){0};
    copy.after = g->after ? &after : NULL;
    return given.real->gemm(c, &copy);
}

static graco_status spmm(struct context *c, const struct spmm *s)
{
    struct spmm copy = *s;
    struct activation after = s->after ? with_slopes(s->after) : (struct activation){0};
    copy.after = s->after ? &after : NULL;
    return given.real->spmm(c, &copy);
}

static graco_status activate(struct context *c, const struct activation *a, float *Y,
                             const float *X)
{
    struct activation copy = with_slopes(a);
    return given.real->activate(c, &copy, Y, X);
}

static graco_status activate_backward(struct context *c, const struct activation *a, float *dX,
                                      const float *dY, const float *Y, float *dbias, float *dslope)
{
    struct activation copy = with_slopes(a);
    return given.real->activate_backward(c, &copy, dX, dY, Y, dbias, dslope);
}

/* The sample of the corrected objective, the file's. */
static int32_t *given_sample;

/* The objective's own draws are replaced by the file's. */
static void loss(const struct golden *g, struct pass *pass, struct stage *stage)
{
    struct objective *o = stage->state;
    struct tensor *Z = grace_project(pass, encoder_run(pass));
    (void)g;
    if (o->kind == OBJECTIVE_MOMENT) {
        o->moment.sample = given_sample;
        tape_moment(pass->tape, &o->moment, Z);
    } else {
        tape_contrast(pass->tape, &o->contrast, Z);
    }
}

/* U and V, then three steps. */
static void check_run(const struct golden *g, struct trainer *trainer, struct stage *stage)
{
    struct pass pass = trainer_pass(trainer, stage);
    struct tensor *H = encoder_run(&pass);
    CHECK_OK(tape_status(trainer->tape));
    int64_t half = stage->nodes * trainer->model->config.hidden;
    golden_compare_device(g, "", "U", trainer->context, H->data, half);
    golden_compare_device(g, "", "V", trainer->context, H->data + half, half);
    struct array coef = golden_member(g, "coef");
    given_sample = golden_ints(g, "sample", NULL);
    given_fit_use(trainer->context, coef.data);
    golden_steps(g, trainer, stage, loss);
    memory_free(given_sample);
    array_clear(&coef);
}

static void check_file(const struct golden *g)
{
    struct backend backend = *g->backend;
    struct kernels kernels = *g->backend->kernels;
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct stage *stage = NULL;
    struct graco_dataset *data = golden_dataset(g, "X", "edges");
    graco_config config = make_config(g);
    CHECK_OK(model_create(&model, &config, model_sizes_of(data)));
    golden_set_parameters(g, &model->parameters);
    given.real = g->backend->kernels;
    kernels.gemm = gemm;
    kernels.spmm = spmm;
    kernels.activate = activate;
    kernels.activate_backward = activate_backward;
    backend.kernels = &kernels;
    CHECK_OK(trainer_create(&trainer, &backend, model));
    struct subject subject = {.context = trainer->context, .graph = data->graph, .data = data};
    CHECK_OK(stage_create_graph(&stage, model, subject, &data->features));
    set_view(g, stage, data->graph, 0);
    set_view(g, stage, data->graph, 1);
    float *slopes[LAYERS_MAX] = {NULL};
    for (int k = 1; k <= config.layers && golden_word_is(g, "act", "rrelu"); k++) {
        int64_t count = data->graph->nodes * layer_width(model, k);
        slopes[k - 1] = given_slopes(g, k, count);
        CHECK_OK(context_share(trainer->context, &given.slopes[k - 1], slopes[k - 1], 2 * count,
                               sizeof(float)));
    }
    check_run(g, trainer, stage);
    for (int k = 0; k < LAYERS_MAX; k++) {
        context_unshare(trainer->context, given.slopes[k]);
        given.slopes[k] = NULL;
        memory_free(slopes[k]);
    }
    stage_free(stage);
    trainer_free(trainer);
    graco_model_free(model);
    graco_dataset_free(data);
}

int main(void)
{
    golden_each("grace", check_file);
    return check_result();
}
