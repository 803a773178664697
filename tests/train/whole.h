/* Embedding goes chunk by chunk: here it is held against the encoder over all rows at once. */
#ifndef TESTS_TRAIN_WHOLE_H
#define TESTS_TRAIN_WHOLE_H

#include "check.h"
#include "layers/encoder.h"
#include "train/trainer.h"

/* Checks a new model of these settings, on data of more nodes than a chunk has. */
static inline void embeds_as_whole(const graco_dataset *data, const graco_config *config)
{
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct input *input = NULL;
    struct views *views = NULL;
    graco_matrix Z = {0};
    CHECK_OK(model_create(&model, config, model_sizes_of(data)));
    for (int64_t i = 0; i < model->parameters.total; i++) /* biases and slopes too */
        model->parameters.value[i] += 0.01f * (float)(i % 7 - 3);
    CHECK_OK(trainer_create(&trainer, &backend_cpu, model));
    CHECK_OK(input_create(&input, trainer->context, &data->features));
    CHECK_OK(views_create(&views, trainer->context, data->graph, NULL, 0, model->kind->norm, 1));
    struct pass pass = {.model = model,
                        .tape = trainer->tape,
                        .input = input,
                        .hops = 1,
                        .views = {views},
                        .value = trainer->value};
    struct tensor *H = encoder_run(&pass);
    CHECK_OK(tape_status(trainer->tape));
    CHECK_OK(
        graco_model_embed(&Z, model, data, &(graco_embed_options){.threads = 2, .device = "cpu"}));
    CHECK(Z.rows == data->graph->nodes && Z.cols == config->hidden);
    CHECK(check_relative(Z.data, H->data, Z.rows * Z.cols) < 1e-5);
    graco_matrix_clear(&Z);
    tape_reset(trainer->tape);
    views_free(views);
    input_free(input);
    trainer_free(trainer);
    graco_model_free(model);
}

#endif
