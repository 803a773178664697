/* Golden vectors: loss, U, V, every gradient and the parameters after three Adam steps, in float64
 * from the paper's equations, with masks, slopes, coefficients and samples given. */
#include "train/trainer.h"

#include "base/memory.h"
#include "check.h"
#include "presets.h"
#include "compute/given_fit.h"
#include "io/zip/npz.h"
#include "layers/encoder.h"
#include "methods/grace.h"

#include <math.h>

static const char *const FILES[] = {
    "gcn_relu_grace.npz",      "gcn_prelu_grace.npz",       "gcn_relu_infonce.npz",
    "gcn_relu_moment.npz",     "gcn_relu_corrected.npz",    "sage_elu_grace.npz",
    "sage_skip_elu_grace.npz", "sage_skip_rrelu_grace.npz",
};

/* Of float32 against double. The gradient of c2 in gcn_prelu_grace is a sum that cancels to a
 * sixtieth of W1's, and in float32 either order of the first layer's products is off by about 1e-4
 * of it. A GPU adds up in another order again. */
static const double TOLERANCE = 1e-4, TOLERANCE_C2 = 1.5e-4, TOLERANCE_GPU = 4e-4;

/* One file, open, with the name for messages. */
struct golden {
    const char *name;
    struct npz *npz;
    int64_t nodes, features, edges;
    double tolerance;
};

static struct array member(const struct golden *g, const char *name)
{
    struct array array = {0};
    CHECK_OK(npz_read(&array, g->npz, name, NPZ_LIMIT));
    return array;
}

static double scalar(const struct golden *g, const char *name)
{
    struct array array = member(g, name);
    CHECK(array.type == ARRAY_F64 && array.count == 1);
    double value;
    memcpy(&value, array.data, sizeof value);
    array_clear(&array);
    return value;
}

static bool word_is(const struct golden *g, const char *name, const char *word)
{
    char *text = NULL;
    struct array array = member(g, name);
    CHECK_OK(array_string(&text, &array, 0));
    bool same = strcmp(text, word) == 0;
    memory_free(text);
    array_clear(&array);
    return same;
}

/* Ours against theirs, as |ours - theirs| / |theirs|. */
static void compare(const struct golden *g, const char *prefix, const char *name, const float *ours)
{
    char full[64];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    struct array theirs = member(g, full);
    CHECK(theirs.type == ARRAY_F64);
    double distance = check_distance(ours, theirs.data, theirs.count);
    double most = strcmp(full, "grad.c2") == 0 ? fmax(TOLERANCE_C2, g->tolerance) : g->tolerance;
    if (!(distance < most))
        fprintf(stderr, "%s: %s is off by %g\n", g->name, full, distance);
    CHECK(distance < most);
    array_clear(&theirs);
}

/* The same for `count` numbers on the device. */
static void compare_device(const struct golden *g, const char *prefix, const char *name,
                           struct context *context, const float *ours, int64_t count)
{
    float *here = NULL;
    size_t bytes = (size_t)count * sizeof(float);
    CHECK_OK(memory_alloc(&here, count, sizeof(float)));
    CHECK_OK(context->buffers->download(context, here, ours, bytes));
    compare(g, prefix, name, here);
    memory_free(here);
}

/* ---- Building what the file describes -------------------------------------------------------- */

static struct graco_dataset *make_dataset(struct golden *g)
{
    struct array X = member(g, "X"), edges = member(g, "edges");
    struct dataset_parts parts = {.name = g->name};
    int32_t *pairs = NULL;
    struct graco_dataset *data = NULL;
    g->nodes = parts.nodes = parts.features.rows = X.shape[0];
    g->features = parts.features.cols = X.shape[1];
    g->edges = parts.edges = edges.shape[1];
    CHECK_OK(array_to_f32(&parts.features.dense, &X));
    CHECK_OK(array_to_i32(&pairs, &edges));
    CHECK_OK(memory_alloc(&parts.source, g->edges, sizeof(int32_t)));
    CHECK_OK(memory_alloc(&parts.target, g->edges, sizeof(int32_t)));
    memcpy(parts.source, pairs, (size_t)g->edges * sizeof(int32_t));
    memcpy(parts.target, pairs + g->edges, (size_t)g->edges * sizeof(int32_t));
    CHECK_OK(dataset_create(&data, &parts));
    memory_free(pairs);
    array_clear(&X);
    array_clear(&edges);
    return data;
}

/* The value of a setting that the file spells as graco does. */
static void set_word(const struct golden *g, graco_config *config, const char *key,
                     const char *name)
{
    char *text = NULL;
    struct array array = member(g, name);
    CHECK_OK(array_string(&text, &array, 0));
    CHECK_OK(graco_config_set(config, key, text));
    memory_free(text);
    array_clear(&array);
}

static graco_config make_config(const struct golden *g)
{
    graco_config config;
    struct array W = member(g, "param.W2"), P = member(g, "param.P1");
    preset_config(&config, NULL);
    set_word(g, &config, "encoder", "arch");
    set_word(g, &config, "activation", "act");
    config.layers = config.encoder == ENCODER_GCN ? 2 : 3;
    config.hidden = W.shape[1];
    config.projection = P.shape[1];
    config.objective = word_is(g, "objective", "grace")     ? OBJECTIVE_EXACT
                       : word_is(g, "objective", "infonce") ? OBJECTIVE_INFONCE
                                                            : OBJECTIVE_MOMENT;
    config.correction = word_is(g, "objective", "corrected") ? 8 : 0;
    config.tau = scalar(g, "tau");
    config.lr = scalar(g, "lr");
    config.weight_decay = scalar(g, "weight_decay");
    config.threads = 2;
    config.precision = PRECISION_FP32;
    array_clear(&W);
    array_clear(&P);
    return config;
}

static void set_parameters(const struct golden *g, struct parameters *p)
{
    for (int i = 0; i < p->count; i++) {
        char name[64];
        float *value = NULL;
        snprintf(name, sizeof name, "param.%s", p->list[i].name);
        struct array array = member(g, name);
        CHECK(array.count == p->list[i].rows * p->list[i].cols);
        CHECK_OK(array_to_f32(&value, &array));
        memcpy(p->value + p->list[i].offset, value, (size_t)array.count * sizeof(float));
        memory_free(value);
        array_clear(&array);
    }
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
    float *mask = NULL;
    int32_t *pairs = NULL;
    snprintf(name, sizeof name, "keep%d", view + 1);
    struct array kept = member(g, name), edges = member(g, "edges");
    snprintf(name, sizeof name, "fmask%d", view + 1);
    struct array columns = member(g, name);
    CHECK_OK(array_to_u8(&given, &kept));
    CHECK_OK(array_to_i32(&pairs, &edges));
    CHECK_OK(array_to_f32(&mask, &columns));
    CHECK_OK(memory_alloc(&keep, g->edges, 1));
    for (int64_t e = 0; e < g->edges; e++)
        keep[edge_id(graph, pairs[e], pairs[g->edges + e])] = given[e];
    CHECK_OK(views_set(stage->views[0], view, keep, mask));
    memory_free(given);
    memory_free(keep);
    memory_free(mask);
    memory_free(pairs);
    array_clear(&kept);
    array_clear(&edges);
    array_clear(&columns);
}

/* ---- Checking -------------------------------------------------------------------------------- */

/* The slopes of layer k for both views, stacked. */
static float *given_slopes(const struct golden *g, int k, int64_t width)
{
    float *slopes = NULL;
    CHECK_OK(memory_alloc(&slopes, 2 * g->nodes * width, sizeof(float)));
    for (int view = 0; view < 2; view++) {
        char name[40];
        float *some = NULL;
        snprintf(name, sizeof name, "slope%d_%d", k, view + 1);
        struct array array = member(g, name);
        CHECK(array.count == g->nodes * width);
        CHECK_OK(array_to_f32(&some, &array));
        memcpy(slopes + view * array.count, some, (size_t)array.count * sizeof(float));
        memory_free(some);
        array_clear(&array);
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

/* One gradient with the given draws; the objective's own draws are replaced by the file's. */
static void gradient(struct trainer *trainer, struct objective *o, struct run *run,
                     const int32_t *sample)
{
    tape_reset(trainer->tape);
    CHECK_OK(trainer->context->buffers->zero(
        trainer->context, trainer->grad, (size_t)trainer->model->parameters.total * sizeof(float)));
    struct tensor *Z = grace_project(run, encoder_run(run));
    if (o->kind == OBJECTIVE_MOMENT) {
        o->moment.sample = sample;
        tape_moment(trainer->tape, &o->moment, Z);
    } else {
        tape_contrast(trainer->tape, &o->contrast, Z);
    }
    CHECK_OK(tape_backward(trainer->tape));
    CHECK_OK(context_finish(trainer->context));
}

static void check_steps(const struct golden *g, struct trainer *trainer, struct stage *stage,
                        struct run *run)
{
    const struct parameters *p = &trainer->model->parameters;
    struct objective *objective = stage->state;
    struct array losses = member(g, "losses"), coef = member(g, "coef");
    struct array sample = member(g, "sample");
    int32_t *rows = NULL;
    CHECK_OK(array_to_i32(&rows, &sample));
    given_fit_use(trainer->context, coef.data);
    for (int step = 0; step < 3; step++) {
        gradient(trainer, objective, run, rows);
        double theirs = ((const double *)losses.data)[step];
        CHECK(fabs(stage_outcome(stage).loss - theirs) < TOLERANCE * fabs(theirs));
        for (int i = 0; i < p->count && step == 0; i++)
            compare_device(g, "grad.", p->list[i].name, trainer->context,
                           trainer->grad + p->list[i].offset, p->list[i].rows * p->list[i].cols);
        CHECK_OK(trainer_update(trainer));
    }
    for (int i = 0; i < p->count; i++)
        compare_device(g, "step3.", p->list[i].name, trainer->context,
                       trainer->value + p->list[i].offset, p->list[i].rows * p->list[i].cols);
    memory_free(rows);
    array_clear(&losses);
    array_clear(&coef);
    array_clear(&sample);
}

static void check_file(const char *folder, const char *name, const struct backend *real)
{
    struct golden g = {.name = name, .tolerance = real->host ? TOLERANCE : TOLERANCE_GPU};
    struct backend backend = *real;
    struct kernels kernels = *real->kernels;
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct stage *stage = NULL;
    char *path = NULL;
    CHECK_OK(memory_path(&path, folder, name));
    CHECK_OK(npz_open(&g.npz, path));
    struct graco_dataset *data = make_dataset(&g);
    graco_config config = make_config(&g);
    CHECK_OK(model_create(&model, &config, g.features));
    set_parameters(&g, &model->parameters);
    given.real = real->kernels;
    kernels.gemm = gemm;
    kernels.spmm = spmm;
    kernels.activate = activate;
    kernels.activate_backward = activate_backward;
    backend.kernels = &kernels;
    CHECK_OK(trainer_create(&trainer, &backend, model));
    CHECK_OK(stage_create_graph(&stage, trainer->context, model, data->graph, &data->features));
    set_view(&g, stage, data->graph, 0);
    set_view(&g, stage, data->graph, 1);
    struct run run = trainer_run(trainer, stage);
    float *slopes[LAYERS_MAX] = {NULL};
    for (int k = 1; k <= config.layers && word_is(&g, "act", "rrelu"); k++) {
        slopes[k - 1] = given_slopes(&g, k, layer_width(&config, k));
        CHECK_OK(context_share(trainer->context, &given.slopes[k - 1], slopes[k - 1],
                               2 * g.nodes * layer_width(&config, k), sizeof(float)));
    }
    struct tensor *H = encoder_run(&run);
    CHECK_OK(tape_status(trainer->tape));
    int64_t half = g.nodes * config.hidden;
    compare_device(&g, "", "U", trainer->context, H->data, half);
    compare_device(&g, "", "V", trainer->context, H->data + half, half);
    check_steps(&g, trainer, stage, &run);
    for (int k = 0; k < LAYERS_MAX; k++) {
        context_unshare(trainer->context, given.slopes[k]);
        given.slopes[k] = NULL;
        memory_free(slopes[k]);
    }
    stage_free(stage);
    trainer_free(trainer);
    graco_model_free(model);
    graco_dataset_free(data);
    npz_close(g.npz);
    memory_free(path);
}

int main(void)
{
    const char *folder = getenv("GRACO_GOLDEN");
    const struct backend *cuda = NULL;
    if (backend_find(&cuda, "cuda") != GRACO_OK)
        printf("left out: the GPU (%s)\n", graco_message());
    if (!folder)
        check_skip("GRACO_GOLDEN does not name the folder of the golden vectors");
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        check_file(folder, FILES[i], &backend_reference);
        check_file(folder, FILES[i], &backend_cpu);
        if (cuda)
            check_file(folder, FILES[i], cuda);
    }
    return check_result();
}
