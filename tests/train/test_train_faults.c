/* Allocations of a training: none after the first epoch, and each may fail without harm. */
#include "fixture.h"
#include "faults.h"

#include "base/memory.h"

#include <stdlib.h>
#include <unistd.h>

enum { MANY = 1000000 };

static graco_dataset *generated(bool dense)
{
    return fixture_data(.nodes = 60, .feature_count = 20, .classes = 3, .dense = dense);
}

static graco_config configured(int variant)
{
    graco_config config = fixture_config("grace", "hidden=8 projection=8 epochs=4 correction=10 "
                                                  "checkpoint_every=2 threads=1");
    config.objective = (enum objective_kind)(variant % 3);
    config.activation = variant % 4;
    return config;
}

/* How many allocations succeeded up to the end of each epoch. */
struct count {
    int64_t epochs;
    long after[8];
};

static bool on_epoch(void *user, const graco_epoch *epoch)
{
    struct count *count = user;
    (void)epoch;
    count->after[count->epochs++] = MANY - faults_until;
    return true;
}

static void steady(void)
{
    for (int variant = 0; variant < 12; variant++) {
        graco_dataset *data = generated(variant % 2);
        graco_config config = configured(variant);
        struct count count = {0};
        graco_train_options options = {.on_epoch = on_epoch, .user = &count};
        faults_until = MANY;
        CHECK_OK(graco_train(NULL, NULL, data, &config, &options));
        faults_until = -1;
        CHECK(count.epochs == 4 && count.after[0] > 0);
        if (count.after[3] != count.after[0])
            fprintf(stderr, "variant %d: %ld allocations after the first epoch\n", variant,
                    count.after[3] - count.after[0]);
        CHECK(count.after[3] == count.after[0]);
        graco_dataset_free(data);
    }
}

/* Fails the nth allocation for every n until the training gets through. */
static void failing(int variant, int64_t batch, const char *run, bool resume)
{
    graco_dataset *data = generated(variant % 2);
    graco_config config = configured(variant);
    graco_train_options options = {.run = run, .resume = resume};
    graco_status status = GRACO_ERROR_MEMORY;
    graco_model *model = NULL;
    config.epochs = resume ? 4 : 2;
    config.batch = batch;
    config.inductive = batch > 0;
    for (long n = 0; status != GRACO_OK && n < 3000; n++) {
        faults_until = n;
        faults_hit = 0;
        status = graco_train(&model, NULL, data, &config, &options);
        faults_until = -1;
        CHECK((status == GRACO_OK) == (faults_hit == 0));
        CHECK(status == GRACO_OK || (status == GRACO_ERROR_MEMORY && model == NULL));
        CHECK(status == GRACO_OK || strlen(graco_message()) > 0);
    }
    CHECK(status == GRACO_OK);
    graco_model_free(model);
    graco_dataset_free(data);
}

static void failing_embed(void)
{
    graco_dataset *data = generated(false);
    graco_config config = configured(1);
    graco_model *model = NULL;
    graco_status status = GRACO_ERROR_MEMORY;
    graco_matrix Z = {0};
    CHECK_OK(graco_train(&model, NULL, data, &config, NULL));
    for (long n = 0; status != GRACO_OK && n < 1000; n++) {
        faults_until = n;
        status = graco_model_embed(&Z, model, data,
                                   &(graco_embed_options){.threads = 1, .device = "cpu"});
        faults_until = -1;
        CHECK(status == GRACO_OK || (status == GRACO_ERROR_MEMORY && Z.data == NULL));
    }
    CHECK(status == GRACO_OK && Z.rows == 60);
    graco_matrix_clear(&Z);
    graco_model_free(model);
    graco_dataset_free(data);
}

int main(void)
{
    static const char *const files[] = {"config.json", "metrics.jsonl", "model.safetensors",
                                        "embeddings.npy"};
    const char *run = fixture_folder();
    steady();
    for (int variant = 0; variant < 4; variant++)
        failing(variant, 0, NULL, false);
    for (int variant = 0; variant < 2; variant++)
        failing(variant, 4, NULL, false);
    failing(1, 0, run, false);
    failing(1, 0, run, true);
    failing_embed();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        CHECK(unlink(fixture_path(files[i])) == 0);
    }
    CHECK(rmdir(run) == 0); /* no temporary file is left */
    return check_result();
}
