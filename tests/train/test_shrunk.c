/* Features that are used in place, in a file that is cut while they are: each use of them ends with
 * a message that names the file, not with a signal. */
#include "check.h"
#include "fixture.h"
#include "data/small_files.h"

static graco_config config_of(int64_t batch)
{
    graco_config config;
    preset_config(&config, NULL);
    config.encoder = ENCODER_SAGE;
    config.hidden = 8;
    config.layers = 2;
    config.batch = batch;
    config.epochs = 3;
    config.device = DEVICE_CPU;
    return config;
}

static graco_dataset *mapped(const char *folder)
{
    graco_dataset *data = fixture_data(.nodes = 3000, .feature_count = 30, .dense = true);
    CHECK_OK(graco_dataset_save(data, fixture_path(folder)));
    graco_dataset_free(data);
    data = NULL;
    CHECK_OK(graco_dataset_load(&data, fixture_path(folder), NULL));
    return data;
}

static bool cut(void *file, const graco_epoch *epoch)
{
    if (epoch->epoch == 1)
        CHECK(truncate(fixture_path(file), 2000) == 0);
    return true;
}

static void in_training(int64_t batch, const char *folder)
{
    char file[64];
    graco_dataset *data = mapped(folder);
    graco_config config = config_of(batch);
    snprintf(file, sizeof file, "%s/x.npy", folder);
    graco_train_options options = {.on_epoch = cut, .user = file};
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, &options), GRACO_ERROR_IO,
                "x.npy has shrunk from 360128 to 2000 bytes");
    graco_dataset_free(data);
}

static void after_training(void)
{
    graco_dataset *data = mapped("after");
    graco_config config = config_of(0);
    graco_model *model = NULL;
    graco_matrix Z = {0};
    CHECK_OK(graco_train(&model, NULL, data, &config, NULL));
    CHECK(truncate(fixture_path("after/x.npy"), 2000) == 0);
    CHECK_FAILS(graco_model_embed(&Z, model, data, NULL), GRACO_ERROR_IO, "x.npy has shrunk");
    CHECK_FAILS(graco_dataset_features(&Z, data, NULL), GRACO_ERROR_IO, "x.npy has shrunk");
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_IO, "x.npy has shrunk");
    CHECK(Z.data == NULL);
    graco_model_free(model);
    graco_dataset_free(data);
}

int main(void)
{
    in_training(0, "whole");
    in_training(500, "batches");
    after_training();
    return check_result();
}
