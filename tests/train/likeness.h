/* Trains the preset `reddit` on a small generated graph like Reddit and scores it beside the same
 * encoder with its initial weights and the raw features: the set's own split, C by validation. */
#ifndef TESTS_LIKENESS_H
#define TESTS_LIKENESS_H

#include "check.h"
#include "fixture.h"

struct likeness {
    double scale;
    uint64_t graph_seed, seed;
    double lr;      /* 0: the preset's */
    int64_t epochs; /* 0: the preset's */
};

static inline double likeness_score(const graco_matrix *Z, const graco_dataset *data)
{
    graco_eval_options options = graco_eval_defaults();
    graco_eval_result result;
    options.protocol = GRACO_PROTOCOL_PUBLIC;
    CHECK_OK(graco_evaluate(&result, Z, data, &options));
    double mean = result.mean;
    graco_eval_result_clear(&result);
    return mean;
}

static inline double likeness_train(const graco_dataset *data, const graco_config *config)
{
    graco_model *model = NULL;
    graco_matrix Z = {0};
    CHECK_OK(graco_train(&model, NULL, data, config, NULL));
    CHECK_OK(
        graco_model_embed(&Z, model, data, &(graco_embed_options){.threads = 0, .device = "cpu"}));
    double score = likeness_score(&Z, data);
    graco_matrix_clear(&Z);
    graco_model_free(model);
    return score;
}

/* The paper's order: features alone, neighbours too, and learning at least two points above. */
static inline void likeness_check(const struct likeness *given)
{
    graco_dataset *data =
        fixture_data(.like = "reddit", .scale = given->scale, .seed = given->graph_seed);
    graco_matrix X = {0};
    graco_config config;
    CHECK_OK(graco_dataset_features(&X, data, NULL));
    preset_config(&config, "reddit");
    config.seed = given->seed;
    config.device = DEVICE_CPU;
    config.lr = given->lr > 0 ? given->lr : config.lr;
    config.epochs = given->epochs > 0 ? given->epochs : config.epochs;
    double trained = likeness_train(data, &config);
    config.epochs = 0;
    double untrained = likeness_train(data, &config), raw = likeness_score(&X, data);
    printf("graph %llu, seed %llu: raw %.2f, untrained %.2f, trained %.2f\n",
           (unsigned long long)given->graph_seed, (unsigned long long)given->seed, raw, untrained,
           trained);
    CHECK(untrained > raw && trained >= untrained + 2);
    graco_matrix_clear(&X);
    graco_dataset_free(data);
}

#endif
