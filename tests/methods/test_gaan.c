/* GaAN and the mean of neighbours beside their golden vectors: they learn, on whole graphs and in mini-batches,
 * come to the same bits for any number of threads and after a stop, also behind a halving of the learning
 * rate, serve graphs that they have not seen, and say what they lack. */
#include "base/memory.h"
#include "fixture.h"
#include "methods/method.h"
#include "reference/reference.h"
#include "train/trainer.h"

#include <unistd.h>

enum { NODES = 240 };

static graco_dataset *generated(uint64_t seed)
{
    return fixture_data(.nodes = NODES, .classes = 4, .feature_count = 60, .seed = seed);
}

/* Small sizes of GaAN, or of its layer of means. */
static graco_config configured(const char *name)
{
    return fixture_config(name, strcmp(name, "gaan") == 0
                                    ? "first=16 hidden=16 epochs=40 heads=2 query=4 value=4 gate=8"
                                    : "first=16 hidden=16 epochs=40 inner=32");
}

static double accuracy(const graco_matrix *P, const graco_dataset *data)
{
    int64_t right = 0;
    for (int64_t i = 0; i < P->rows; i++) {
        int64_t best = 0;
        for (int64_t k = 1; k < P->cols; k++)
            best = P->data[i * P->cols + k] > P->data[i * P->cols + best] ? k : best;
        right += best == data->label[i];
    }
    return (double)right / (double)P->rows;
}

/* With the settings given, beside the smaller sizes of configured. */
static void learns(const char *name, const char *settings)
{
    graco_dataset *data = generated(0), *unseen = generated(5);
    graco_config config = configured(name);
    graco_train_result result;
    graco_model *model = NULL;
    CHECK_OK(config_apply(&config, settings));
    CHECK_OK(graco_train(&model, &result, data, &config, NULL));
    graco_matrix P = fixture_embed(model, data), other = fixture_embed(model, unseen);
    CHECK(P.rows == NODES && P.cols == data->classes && other.cols == P.cols);
    CHECK(result.best_cost < 0.5 && accuracy(&P, data) > 0.5);
    config.threads = 1;
    graco_matrix alone = fixture_train(NULL, data, &config);
    CHECK(fixture_same(&P, &alone));
    graco_model_free(model);
    graco_matrix_clear(&P);
    graco_matrix_clear(&other);
    graco_matrix_clear(&alone);
    graco_dataset_free(data);
    graco_dataset_free(unseen);
}

/* Stopped in each of two places, before and after halvings, and resumed. */
static void resumes(const char *name, const char *folder)
{
    graco_dataset *data = generated(0);
    graco_config config = configured(name);
    CHECK_OK(config_apply(&config, "halve=2 lr=0.02 lr_least=0.001 patience=12 epochs=300"));
    graco_train_result result;
    graco_matrix P = fixture_train(&result, data, &config);
    for (int64_t at = 5; at < result.epochs; at += result.epochs - 10) {
        graco_train_options options = {.run = folder, .on_epoch = fixture_stop_at, .user = &at};
        graco_model *model = NULL;
        CHECK(graco_train(NULL, NULL, data, &config, &options) == GRACO_STOPPED);
        options = (graco_train_options){.run = folder, .resume = true};
        CHECK_OK(graco_train(&model, NULL, data, &config, &options));
        graco_matrix resumed = fixture_embed(model, data);
        CHECK(fixture_same(&P, &resumed));
        CHECK(model->lr < config.lr && model->lr >= config.lr_least && model->halved > 0);
        int64_t from = model->halved > model->best.epoch ? model->halved : model->best.epoch;
        CHECK(model->epoch == result.epochs && model->epoch == from + 12);
        graco_model_free(model);
        graco_matrix_clear(&resumed);
    }
    graco_matrix_clear(&P);
    graco_dataset_free(data);
}

static void refuses(const char *name)
{
    graco_dataset *data = generated(0);
    graco_config config = configured(name);
    char wanted[96];
    data->classes = 0;
    snprintf(wanted, sizeof wanted, "method %s needs labels; data set 'generated' has none", name);
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT, wanted);
    graco_dataset_free(data);
}

/* The norm becomes the largest one that is allowed; a smaller one stays, bit for bit. */
static void clips(const struct backend *backend)
{
    enum { COUNT = 100000 };
    struct context *c = NULL;
    float *g = NULL, *here = NULL, *there = NULL;
    double square = 0;
    CHECK_OK(context_create(&c, backend, 3, 0));
    CHECK_OK(memory_alloc(&g, COUNT, sizeof *g));
    CHECK_OK(memory_alloc(&here, COUNT, sizeof *here));
    for (int i = 0; i < COUNT; i++) {
        g[i] = (float)(i % 7 - 3);
        square += (double)g[i] * (double)g[i];
    }
    CHECK_OK(context_take(c, &there, COUNT, sizeof *there));
    for (int k = 0; k < 2; k++) {
        double most = k ? 2.5 : 2 * sqrt(square), factor = k ? most / sqrt(square) : 1, off = 0;
        CHECK_OK(c->buffers->upload(c, there, g, COUNT * sizeof *g));
        CHECK_OK(c->kernels->clip_norm(c, COUNT, there, most));
        CHECK_OK(c->buffers->download(c, here, there, COUNT * sizeof *g));
        CHECK_OK(context_finish(c));
        for (int i = 0; i < COUNT; i++)
            off = fmax(off, fabs((double)here[i] - factor * (double)g[i]));
        CHECK(off <= (k ? 1e-8 : 0));
    }
    context_give(c, there);
    context_free(c);
    memory_free(g);
    memory_free(here);
}

int main(void)
{
    static const char *const NAMES[] = {"gaan_mean", "gaan"};
    const struct backend *cuda = NULL;
    for (int i = 0; i < 2; i++) {
        learns(NAMES[i], "");
        learns(NAMES[i], "batch=60 fanout=6,4 clip_norm=0.5 epochs=20");
        resumes(NAMES[i], fixture_path("run"));
        refuses(NAMES[i]);
    }
    clips(&backend_reference);
    clips(&backend_cpu);
    if (backend_find(&cuda, "cuda") == GRACO_OK)
        clips(cuda);
    return check_result();
}
