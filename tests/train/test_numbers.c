/* Numbers that go wrong: a training with settings or features that overflow must end with a message
 * that names the epoch, the tensor and the last good checkpoint, and must neither write embeddings
 * that are not finite nor touch older ones. */
#include "fixture.h"

#include "base/memory.h"
#include "data/dataset.h"
#include "io/files/file.h"
#include "run/checkpoint.h"
#include "layers/model.h"
#include "train/schedule.h"
#include "train/trainer.h"

#include <unistd.h>

static void empty_run(void)
{
    fixture_remove(fixture_path("run"));
    CHECK_OK(file_make_folder(fixture_path("run")));
}

static graco_config configured(enum objective_kind objective, int64_t batch)
{
    graco_config config = fixture_config("grace", "hidden=8 projection=8 epochs=30 correction=10 "
                                                  "checkpoint_every=1 threads=1");
    config.objective = objective;
    if (batch > 0) {
        config.encoder = ENCODER_SAGE;
        config.batch = batch;
    }
    return config;
}

/* A ring of nodes with dense features of this size. */
static graco_dataset *make_data(float size)
{
    enum { NODES = 40, COLS = 6 };
    struct dataset_parts parts = {.name = "ring", .nodes = NODES, .edges = NODES};
    graco_dataset *data = NULL;
    parts.features.rows = NODES;
    parts.features.cols = COLS;
    CHECK_OK(memory_alloc(&parts.features.dense, NODES * COLS, sizeof(float)));
    CHECK_OK(memory_alloc(&parts.source, NODES, sizeof *parts.source));
    CHECK_OK(memory_alloc(&parts.target, NODES, sizeof *parts.target));
    for (int i = 0; i < NODES * COLS; i++)
        parts.features.dense[i] = size * ((float)((i * 7919) % 13 - 6) / 6);
    for (int i = 0; i < NODES; i++) {
        parts.source[i] = i;
        parts.target[i] = (i + 1) % NODES;
    }
    CHECK_OK(dataset_create(&data, &parts));
    return data;
}

/* Trains to a failure, and looks at what is left. Returns how many epochs went well. */
static int64_t spoil(const graco_dataset *data, const graco_config *config, const char *about)
{
    graco_train_options options = {.run = fixture_path("run")};
    graco_model *model = NULL;
    uint8_t *old = NULL;
    int64_t length = 0, epoch = 0;
    empty_run();
    CHECK_OK(file_write_atomic(fixture_path("run/embeddings.npy"), "older", 5));
    graco_status status = graco_train(&model, NULL, data, config, &options);
    if (status != GRACO_ERROR_NUMBER)
        fprintf(stderr, "%s: status %d\n", about, (int)status);
    CHECK(status == GRACO_ERROR_NUMBER && model == NULL);
    CHECK(strstr(graco_message(), "not finite") && strstr(graco_message(), "epoch"));
    CHECK_OK(file_read(&old, &length, fixture_path("run/embeddings.npy"), 100));
    bool saved = file_exists(fixture_path("run/model.safetensors"));
    CHECK(length == 0); /* they are of no training that config.json tells of */
    memory_free(old);
    if (saved) {
        CHECK(strstr(graco_message(), "the last good checkpoint is "));
        CHECK(strstr(graco_message(), fixture_path("run/model.safetensors")));
        CHECK_OK(graco_model_load(&model, fixture_path("run")));
        epoch = model->epoch;
        graco_model_free(model);
    } else {
        CHECK(strstr(graco_message(), "no checkpoint yet"));
    }
    /* Without a folder the same failure, and no model. */
    model = NULL;
    CHECK(graco_train(&model, NULL, data, config, NULL) == GRACO_ERROR_NUMBER && model == NULL);
    return epoch;
}

/* The largest rate on large features: the first step is good, the weights after it too large. */
static void rates(void)
{
    for (int objective = 0; objective < 3; objective++)
        for (int64_t batch = 0; batch <= 16; batch += 16) {
            graco_dataset *data = make_data(1e37f);
            graco_config config = configured((enum objective_kind)objective, batch);
            config.lr = 10;
            spoil(data, &config, "lr = 10");
            CHECK(strstr(graco_message(), "gradient of W1"));
            graco_dataset_free(data);
        }
}

/* A weight that is not finite before a step is the one that is named, and no step is taken. */
static void weights(void)
{
    graco_dataset *data = make_data(1);
    graco_config config = configured(OBJECTIVE_EXACT, 0);
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct schedule *schedule = NULL;
    struct stage *stage = NULL;
    CHECK_OK(model_create(&model, &config, (struct model_sizes){.cols = 6}));
    CHECK_OK(trainer_create(&trainer, &backend_cpu, model));
    CHECK_OK(schedule_create(&schedule, trainer->context, model, data));
    CHECK_OK(schedule_next(schedule, &stage));
    const struct parameter *W2 = parameters_find(&model->parameters, "W", 2);
    float *value = model->parameters.value + W2->offset + W2->rows * W2->cols - 1, kept = *value;
    *value = INFINITY;
    CHECK_FAILS(trainer_step(trainer, stage), GRACO_ERROR_NUMBER, "epoch 1, nor is a value of W2");
    CHECK(model->step == 0);
    *value = kept;
    CHECK_OK(trainer_step(trainer, stage));
    CHECK(model->step == 1 && trainer->not_finite == -1);
    schedule_free(schedule);
    trainer_free(trainer);
    graco_model_free(model);
    graco_dataset_free(data);
}

static void features(void)
{
    for (int objective = 0; objective < 3; objective++)
        for (int64_t batch = 0; batch <= 16; batch += 16) {
            graco_dataset *data = make_data(3e38f);
            graco_config config = configured((enum objective_kind)objective, batch);
            spoil(data, &config, "features of 3e38");
            graco_dataset_free(data);
        }
}

/* Settings at the edge of what is accepted: either the training ends well, with good embeddings, or
 * as above. */
static void edges(void)
{
    static const struct {
        double tau, lr;
        float size;
    } cases[] = {{0.01, 0.01, 1},    {0.01, 10, 1},      {100, 10, 1},       {0.5, 10, 1e10f},
                 {0.5, 0.01, 1e20f}, {0.5, 10, 1e30f},   {0.5, 0.01, 1e36f}, {0.5, 10, 1e36f},
                 {0.01, 10, 1e37f},  {0.01, 10, 1e-30f}, {0.5, 0.01, 1e-44f}};
    int failed = 0, fine = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int objective = 0; objective < 3; objective++) {
            graco_dataset *data = make_data(cases[i].size);
            graco_config config = configured((enum objective_kind)objective, 0);
            graco_matrix Z = {0};
            config.tau = cases[i].tau;
            config.lr = cases[i].lr;
            empty_run();
            graco_status status = graco_train(NULL, NULL, data, &config,
                                              &(graco_train_options){.run = fixture_path("run")});
            CHECK(status == GRACO_OK || status == GRACO_ERROR_NUMBER);
            CHECK(file_exists(fixture_path("run/embeddings.npy")) == (status == GRACO_OK));
            if (status == GRACO_OK) {
                CHECK_OK(graco_matrix_load(&Z, fixture_path("run/embeddings.npy")));
                bool good = true;
                for (int64_t k = 0; k < Z.rows * Z.cols; k++)
                    good &= isfinite(Z.data[k]) != 0;
                CHECK(good);
                graco_matrix_clear(&Z);
            }
            fine += status == GRACO_OK;
            failed += status != GRACO_OK;
            graco_dataset_free(data);
        }
    printf("at the edge: %d trained, %d refused\n", fine, failed);
    CHECK(fine > 0 && failed > 0);
}

/* A model that is good, on features that are too large for it. */
static void embeds(void)
{
    graco_dataset *small = make_data(1), *large = make_data(3e38f);
    graco_config config = configured(OBJECTIVE_EXACT, 0);
    graco_model *model = NULL;
    graco_matrix Z = {0};
    config.epochs = 2;
    CHECK_OK(graco_train(&model, NULL, small, &config, NULL));
    CHECK_OK(graco_model_embed(&Z, model, small, NULL));
    graco_matrix_clear(&Z);
    CHECK_FAILS(graco_model_embed(&Z, model, large, NULL), GRACO_ERROR_NUMBER, "of node ");
    CHECK(Z.data == NULL);
    /* What reading a checkpoint refuses is not written either, nor is the old one lost. */
    empty_run();
    CHECK_OK(checkpoint_write(model, fixture_path("run/model.safetensors")));
    model->parameters.v[model->parameters.list[1].offset] = INFINITY;
    CHECK_FAILS(checkpoint_write(model, fixture_path("run/model.safetensors")), GRACO_ERROR_NUMBER,
                "b1");
    graco_model_free(model);
    model = NULL;
    CHECK_OK(graco_model_load(&model, fixture_path("run")));
    graco_model_free(model);
    graco_dataset_free(small);
    graco_dataset_free(large);
}

int main(void)
{
    rates();
    weights();
    features();
    edges();
    embeds();
    empty_run();
    return check_result();
}
