/* Each allocation of a GraphSAGE training, and of the embedding after it, may fail without harm. */
#include "check.h"
#include "faults.h"
#include "fixture.h"

static graco_status train_and_embed(const graco_dataset *data, const graco_config *config)
{
    const graco_embed_options options = {.threads = 1, .device = "cpu"};
    graco_model *model = NULL;
    graco_matrix Z = {0};
    graco_status status = graco_train(&model, NULL, data, config, NULL);
    if (status == GRACO_OK)
        status = graco_model_embed(&Z, model, data, &options);
    graco_matrix_clear(&Z);
    graco_model_free(model);
    return status;
}

static void try_all(const graco_dataset *data, const char *name)
{
    const struct method *method = NULL;
    graco_config config;
    graco_status status = GRACO_ERROR_MEMORY;
    long n = 0;
    CHECK_OK(method_find(&method, name));
    method_configure(&config, method, NULL);
    config.hidden = config.units = config.batch = 4;
    config.steps = 2;
    config.epochs = 1;
    config.device = DEVICE_CPU;
    config.threads = 1;
    for (; status != GRACO_OK && n < 1000; n++) {
        faults_hit = 0;
        faults_until = n;
        status = train_and_embed(data, &config);
        faults_until = -1;
        CHECK((status == GRACO_OK) == (faults_hit == 0));
        CHECK(status == GRACO_OK || status == GRACO_ERROR_MEMORY);
    }
    CHECK(status == GRACO_OK && n > 60);
}

int main(void)
{
    graco_dataset *data = fixture_data(.nodes = 60, .feature_count = 20);
    try_all(data, "sage_mean");
    try_all(data, "sage_pool");
    try_all(data, "sage_lstm");
    graco_dataset_free(data);
    return check_result();
}
