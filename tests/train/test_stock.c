/* Mini-batches on a device, on a back end that only pretends to be one: the features are uploaded
 * once, and neither that nor a lack of memory changes a bit. */
#include "data/small_files.h"
#include "run/checkpoint.h"
#include "base/threads.h"
#include "data/preprocess.h"
#include "fixture.h"
#include "pretended.h"
#include "train/schedule.h"
#include "train/trainer.h"

enum { NODES = 400, STEPS = 9 }; /* more than one epoch */

/* A data set and how it is trained on. */
struct setting {
    const char *name;
    bool dense;
    int64_t features;
    const char *keys[4][2]; /* of grace, or first of all "method" and its name */
};

struct result {
    graco_status status;
    float *values; /* (count) parameters */
    int64_t count;
    int64_t rows; /* gathered in all batches */
};

static struct graco_dataset *make_data(const struct setting *s)
{
    graco_dataset *data =
        fixture_data(.nodes = NODES, .feature_count = s->features, .dense = s->dense);
    CHECK((data->features.dense != NULL) == s->dense);
    return data;
}

static graco_config make_config(const struct setting *s)
{
    graco_config config;
    if (s->keys[0][0] && strcmp(s->keys[0][0], "method") == 0)
        return fixture_config(s->keys[0][1], "hidden=8 threads=1");
    preset_config(&config, NULL);
    config.encoder = ENCODER_SAGE;
    config.scaling = SCALING_NONE;
    config.hidden = 8;
    config.batch = 64;
    config.threads = 1;
    CHECK_OK(graco_config_set(&config, "fanout", "2,1"));
    for (int i = 0; i < 4 && s->keys[i][0]; i++)
        CHECK_OK(graco_config_set(&config, s->keys[i][0], s->keys[i][1]));
    return config;
}

static struct result train(const struct setting *s, const struct backend *backend)
{
    struct graco_dataset *data = make_data(s);
    graco_config config = make_config(s);
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct schedule *schedule = NULL;
    struct result o = {GRACO_OK, NULL, 0, 0};
    double began = threads_seconds();
    CHECK_OK(model_create(&model, &config, model_sizes_of(data)));
    o.status = trainer_create(&trainer, backend, model);
    if (o.status == GRACO_OK)
        o.status = schedule_create(&schedule, trainer->context, model, data);
    for (int step = 0; step < STEPS && o.status == GRACO_OK; step++) {
        struct stage *stage = NULL;
        o.status = schedule_next(schedule, &stage);
        if (o.status == GRACO_OK)
            o.status = trainer_step(trainer, stage);
        if (o.status == GRACO_OK)
            o.rows += input_rows(stage->input);
    }
    if (o.status == GRACO_OK) {
        CHECK_OK(trainer_download(trainer));
        struct schedule_times times = schedule_times(schedule);
        CHECK(schedule_steps(schedule) < STEPS);
        CHECK((times.sample > 0 && times.gather > 0) || config.batch == 0);
        CHECK(times.sample + times.gather < threads_seconds() - began);
        o.count = model->parameters.total;
        o.values = malloc((size_t)o.count * sizeof(float));
        memcpy(o.values, model->parameters.value, (size_t)o.count * sizeof(float));
    }
    schedule_free(schedule);
    trainer_free(trainer);
    graco_model_free(model);
    graco_dataset_free(data);
    return o;
}

static void check_same(const struct result *a, const struct result *b)
{
    CHECK(a->status == GRACO_OK && b->status == GRACO_OK && a->count == b->count);
    CHECK(a->count > 0 && memcmp(a->values, b->values, (size_t)a->count * sizeof(float)) == 0);
    CHECK(a->rows == b->rows && a->rows > STEPS * 8);
}

/* Dense features: once for all, or, where the device has no room for them, for every batch. */
static void uploads(const struct setting *s)
{
    int64_t cell = sizeof(float), whole = NODES * s->features * cell;
    struct result host = train(s, &backend_cpu);
    struct backend device = pretended_backend(SIZE_MAX, 0);
    struct result once = train(s, &device);
    int64_t bytes_once = pretended.uploaded, most_once = (int64_t)pretended.most;
    check_same(&once, &host);
    CHECK(pretended.gathers == STEPS);

    device = pretended_backend(SIZE_MAX, (size_t)whole);
    struct result each = train(s, &device);
    int64_t bytes_each = pretended.uploaded, most_each = (int64_t)pretended.most;
    check_same(&each, &host);
    CHECK(pretended.gathers == 0);
    /* Both upload the graphs; besides, one has all rows and a number for each of a batch's, the
     * other a batch's rows. */
    CHECK(bytes_each - bytes_once == each.rows * (s->features - 1) * cell - whole);

    /* Where the batches had room before, they still have: all rows leave a device that has no room
     * left. */
    int left = 0, stayed = 0;
    for (int64_t budget = 0; budget <= most_once; budget += 1 + most_once / 61) {
        device = pretended_backend((size_t)budget, 0);
        struct result some = train(s, &device);
        CHECK(some.status == GRACO_OK || (some.status == GRACO_ERROR_MEMORY && budget < most_each));
        if (some.status == GRACO_OK) {
            check_same(&some, &host);
            left += pretended.gathers > 0 && pretended.gathers < STEPS;
            stayed += pretended.gathers == STEPS;
        }
        free(some.values);
    }
    CHECK(left > 0 && stayed > 0);
    free(host.values);
    free(once.values);
    free(each.values);
}

/* Sparse features: those with few entries are gathered on the host, others are dense on a device.
 */
static void sparse(const struct setting *s, bool thin)
{
    struct result host = train(s, &backend_cpu);
    struct backend device = pretended_backend(SIZE_MAX, 0);
    struct result there = train(s, &device);
    CHECK(pretended.gathers == (thin ? 0 : STEPS));
    if (thin)
        check_same(&there, &host);
    CHECK(there.status == GRACO_OK && there.count == host.count);
    CHECK(check_relative(there.values, host.values, host.count) < 1e-4);
    free(host.values);
    free(there.values);
}

/* Features in a file that is cut after the first step: all rows are on the device by then, or the
 * next batch says so. */
static void cut_file(bool poor)
{
    const struct setting s = {"file", true, 400, {{NULL}}};
    graco_config config = make_config(&s);
    struct graco_dataset *data = make_data(&s);
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct schedule *schedule = NULL;
    struct stage *stage = NULL;
    struct backend device = pretended_backend(SIZE_MAX, poor ? NODES * 400 * sizeof(float) : 0);
    CHECK_OK(graco_dataset_save(data, fixture_path("set")));
    graco_dataset_free(data);
    data = NULL;
    CHECK_OK(graco_dataset_load(&data, fixture_path("set"), NULL));
    CHECK(data->features.file != NULL);
    CHECK_OK(model_create(&model, &config, model_sizes_of(data)));
    CHECK_OK(trainer_create(&trainer, &device, model));
    CHECK_OK(schedule_create(&schedule, trainer->context, model, data));
    CHECK_OK(schedule_next(schedule, &stage));
    CHECK_OK(trainer_step(trainer, stage));
    CHECK(truncate(fixture_path("set/x.npy"), 2000) == 0);
    if (poor) {
        CHECK_FAILS(schedule_next(schedule, &stage), GRACO_ERROR_IO, "x.npy has shrunk");
    } else {
        CHECK_OK(schedule_next(schedule, &stage));
        CHECK_OK(trainer_step(trainer, stage));
    }
    schedule_free(schedule);
    trainer_free(trainer);
    graco_model_free(model);
    graco_dataset_free(data);
    fixture_remove(fixture_path("set"));
}

/* What the host draws for each step of a whole graph arrives. */
static void sends_draws(void)
{
    const struct setting s = {"fastgcn", true, 20, {{"method", "fastgcn"}}};
    struct backend device = pretended_backend(SIZE_MAX, 0);
    pretended.pageable = true;
    struct result host = train(&s, &backend_cpu), there = train(&s, &device);
    check_same(&there, &host);
    CHECK(pretended.live == 0);
    free(host.values);
    free(there.values);
}

int main(void)
{
    const struct setting dense[] = {
        {"plain", true, 400, {{NULL}}},
        {"inductive", true, 401, {{"inductive", "1"}, {"batch", "16"}}},
        {"contaminated", true, 402, {{"contaminate", "0.3"}}},
        {"prepared, inductive, gcn",
         true,
         400,
         {{"scaling", "rowsum"}, {"inductive", "1"}, {"batch", "16"}, {"encoder", "gcn"}}},
    };
    const struct setting full = {"full", false, 60, {{"inductive", "1"}, {"batch", "16"}}};
    const struct setting thin = {
        "thin", false, 1500, {{"inductive", "1"}, {"batch", "16"}, {"precision", "fp32"}}};
    for (size_t i = 0; i < sizeof dense / sizeof *dense; i++) {
        int before = check_failed;
        uploads(&dense[i]);
        if (check_failed > before)
            fprintf(stderr, "%s failed\n", dense[i].name);
    }
    sparse(&full, false);
    sparse(&thin, true);
    sends_draws();
    cut_file(false);
    cut_file(true);
    return check_result();
}
