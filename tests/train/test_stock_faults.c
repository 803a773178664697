/* Every allocation of a training with mini-batches fails once, on a back end that only pretends to
 * be a device. */
#include "faults.h"
#include "fixture.h"
#include "pretended.h"
#include "train/schedule.h"
#include "train/trainer.h"

enum { STEPS = 3 };

static graco_config make_config(void)
{
    graco_config config;
    preset_config(&config, NULL);
    config.encoder = ENCODER_SAGE;
    config.hidden = 8;
    config.batch = 16;
    config.inductive = 1;
    config.threads = 1;
    config.precision = PRECISION_FP32;
    return config;
}

static graco_status train(const struct backend *backend, const struct graco_dataset *data,
                          const graco_config *config)
{
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct schedule *schedule = NULL;
    struct stage *stage = NULL;
    graco_status status = model_create(&model, config, model_sizes_of(data));
    if (status == GRACO_OK)
        status = trainer_create(&trainer, backend, model);
    if (status == GRACO_OK)
        status = schedule_create(&schedule, trainer->context, model, data);
    for (int step = 0; step < STEPS && status == GRACO_OK; step++) {
        status = schedule_next(schedule, &stage);
        if (status == GRACO_OK)
            status = trainer_step(trainer, stage);
    }
    schedule_free(schedule);
    trainer_free(trainer);
    graco_model_free(model);
    return status;
}

/* Fails the nth allocation and all behind it, for every n until the training gets through; where
 * `poor`, the device has no room for all features, so that they come from the host. */
static void failing(bool dense, bool poor)
{
    enum { NODES = 200, FEATURES = 1200 };
    graco_dataset *data = fixture_data(.nodes = NODES, .feature_count = FEATURES, .dense = dense);
    graco_config config = make_config();
    graco_status status = GRACO_ERROR_MEMORY;
    for (long n = 0; status != GRACO_OK && n < 3000; n++) {
        struct backend device =
            pretended_backend(SIZE_MAX, poor ? NODES * FEATURES * sizeof(float) : 0);
        faults_hit = 0;
        faults_until = n;
        status = train(&device, data, &config);
        faults_until = -1;
        CHECK((status == GRACO_OK) == (faults_hit == 0));
        CHECK(status == GRACO_OK || status == GRACO_ERROR_MEMORY);
        CHECK(pretended.live == 0);
    }
    CHECK(status == GRACO_OK && pretended.gathers == (dense && !poor ? STEPS : 0));
    graco_dataset_free(data);
}

int main(void)
{
    failing(true, false);
    failing(true, true);
    failing(false, false);
    return check_result();
}
