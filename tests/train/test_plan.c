/* Plans: on the tally a training asks for the very bytes that it asks for on the CPU, for every method;
 * what cannot be planned says so. */
#include "check.h"
#include "fixture.h"

#include "compute/device_scratch.h"
#include "compute/tally.h"
#include "train/schedule.h"
#include "train/trainer.h"

#include <string.h>

enum { STEPS = 3 };

/* A method with settings that keep it small. */
static const struct setting {
    const char *method, *keys;
    bool dense;
} settings[] = {
    {"grace", "hidden=16", false},
    {"grace", "hidden=16 memory=0", true},
    {"grace", "hidden=16 objective=infonce memory=200000 activation=rrelu", true},
    {"grace", "hidden=24 objective=moment", false},
    {"grace", "hidden=24 objective=moment memory=0 activation=prelu", true},
    {"grace", "hidden=16 batch=64 fanout=3,2 encoder=sage", true},
    {"grace", "hidden=16 batch=64 fanout=3,2", false},
    {"dgi", "hidden=16", false},
    {"gae", "hidden=8", false},
    {"gae", "hidden=8 objective=sampled", true},
    {"vgae", "hidden=8", false},
    {"gcn", "hidden=8", false},
    {"fastgcn", "hidden=8 rows=64 samples=40", false},
    {"gaan", "hidden=8", true},
    {"gaan_mean", "hidden=8", false},
    {"sage_gcn", "hidden=8 batch=64 fanout=3,2", false},
    {"sage_mean", "hidden=8 batch=64 fanout=3,2", true},
    {"sage_pool", "hidden=8 batch=64 fanout=3,2", false},
    {"sage_lstm", "hidden=8 batch=64 fanout=3,2", true},
};

static graco_dataset *make_data(bool dense)
{
    return fixture_data(.nodes = 500, .feature_count = 60, .dense = dense);
}

static graco_config make_config(const char *name, const char *keys)
{
    const struct method *method = NULL;
    graco_config config;
    CHECK_OK(method_find(&method, name));
    pinned_config(&config, method);
    config.threads = 2;
    config.device = DEVICE_CPU;
    CHECK_OK(config_apply(&config, keys));
    return config;
}

/* The most bytes of buffers in some steps, and in a validation. */
static int64_t most_bytes(const struct backend *backend, const graco_dataset *data,
                          const graco_config *config)
{
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct schedule *schedule = NULL;
    struct stage *stage = NULL;
    double cost;
    CHECK_OK(model_create(&model, config, model_sizes_of(data)));
    CHECK_OK(trainer_create(&trainer, backend, model));
    CHECK_OK(schedule_create(&schedule, trainer->context, model, data));
    for (int i = 0; i < STEPS; i++) {
        CHECK_OK(schedule_next(schedule, &stage));
        CHECK_OK(trainer_step(trainer, stage));
    }
    if (model->method->validate) {
        CHECK_OK(schedule_whole(schedule, &stage));
        CHECK_OK(trainer_validate(&cost, trainer, stage));
    }
    int64_t most = trainer->context->most_bytes;
    schedule_free(schedule);
    trainer_free(trainer);
    graco_model_free(model);
    return most;
}

static void same_bytes(void)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const struct setting *s = &settings[i];
        graco_dataset *data = make_data(s->dense);
        graco_config config = make_config(s->method, s->keys);
        struct tally tally;
        CHECK_OK(tally_init(&tally, &backend_cpu));
        int64_t planned = most_bytes(&tally.backend, data, &config);
        int64_t real = most_bytes(&backend_cpu, data, &config);
        if (planned != real)
            printf("%s %s: %lld planned, %lld taken\n", s->method, s->keys, (long long)planned,
                   (long long)real);
        CHECK(planned == real);
        tally_clear(&tally);
        graco_dataset_free(data);
    }
}

/* A device has two queues if it has a function for them. */
static graco_status never_called(struct context *c, enum turn turn)
{
    (void)c, (void)turn;
    CHECK(false);
    return GRACO_OK;
}

/* On a device that is not the host, plans have its workspace and what its kernels take beside their
 * operands: rows of sums or shares of gradients for every multiprocessor. */
static void device_bytes(void)
{
    graco_dataset *data = make_data(false);
    struct backend device = backend_cpu;
    const char *const keys[] = {"hidden=16 precision=fp32", "hidden=16 precision=fp16",
                                "hidden=16 objective=moment correction=16"};
    const int64_t own = (int64_t)WORKSPACES * WORKSPACE_BYTES; /* before anything is taken */
    int64_t most[4], panel = 500 * 1000 * (int64_t)sizeof(float);
    device.host = false;
    device.keeps_tiles = NULL;
    for (int i = 0; i < 4; i++) {
        graco_config config = make_config("grace", keys[i < 3 ? i : 0]);
        device.turn = i < 3 ? NULL : never_called;
        struct tally tally;
        CHECK_OK(tally_init(&tally, &device));
        most[i] = most_bytes(&tally.backend, data, &config);
        tally_clear(&tally);
    }
    CHECK(most[2] > own && most[2] < own + panel);
    CHECK(most[0] >
          own + 4 * 132 * 1024 * (int64_t)sizeof(float)); /* sums of rows; no shares of dZ */
    CHECK(most[0] < most[1]);
    CHECK(most[1] > own + 2 * 132 * 128 * 64 * (int64_t)sizeof(float));
    CHECK(most[3] > most[0]); /* with two queues: buffers are held */
    graco_config config = make_config("gae", "hidden=16");
    struct tally tally;
    CHECK_OK(tally_init(&tally, &device));
    int64_t narrow = most_bytes(&tally.backend, data, &config);
    CHECK(narrow > own + (int64_t)(8 * 500 * 16 * sizeof(float)));
    tally_clear(&tally);
    graco_dataset_free(data);
}

/* Every method of the list can be planned. */
static void all_methods(void)
{
    graco_dataset *data = make_data(false);
    for (int i = 0; graco_method(i); i++) {
        graco_config config = make_config(graco_method(i), "");
        graco_plan plan;
        CHECK_OK(graco_plan_train(&plan, data, &config));
        CHECK(plan.host_bytes > plan.now_bytes && plan.now_bytes > 0);
        CHECK(plan.device_bytes == 0 && strcmp(plan.device, "cpu") == 0);
        CHECK(plan.steps >= 1 && plan.parameters >= 0);
    }
    graco_dataset_free(data);
}

/* What would take a lot of memory is planned without it. */
static void takes_none(void)
{
    graco_dataset *data = make_data(false);
    graco_plan plan;
    graco_config config = make_config("grace", "hidden=4096 projection=4096 memory=0");
    CHECK_OK(graco_plan_train(&plan, data, &config));
    CHECK(plan.host_bytes > 500 << 20);
    CHECK(graco_peak_memory() < 400 << 20);
    graco_dataset_free(data);
}

static void refuses(void)
{
    graco_dataset *data = fixture_data(.nodes = 20000, .feature_count = 1, .degree = 1);
    graco_plan plan = {.steps = -5};
    graco_config config = make_config("grace", "hidden=65536 projection=65536");
    graco_status status = graco_plan_train(&plan, data, &config);
    CHECK(status == GRACO_OK && plan.host_bytes > (int64_t)1 << 37);
    plan.steps = -5;
    config = make_config("grace", "node_features=walk");
    CHECK(graco_plan_train(&plan, data, &config) == GRACO_ERROR_ARGUMENT);
    CHECK(strstr(graco_message(), "node2vec"));
    config = make_config("grace", "batch=1");
    CHECK(graco_plan_train(&plan, data, &config) == GRACO_ERROR_ARGUMENT);
    CHECK(plan.steps == -5);
    graco_dataset_free(data);
}

int main(void)
{
    takes_none();
    same_bytes();
    device_bytes();
    all_methods();
    refuses();
    return check_result();
}
