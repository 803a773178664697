/* ogbn-arxiv's real structure with made features: mini-batches on its training nodes alone, then
 * all nodes embedded, those never seen included. */
#include "data/features_make.h"
#include "check.h"
#include "fixture.h"

static double score(const graco_matrix *Z, const graco_dataset *data)
{
    graco_eval_options options = graco_eval_defaults();
    graco_eval_result result;
    options.protocol = GRACO_PROTOCOL_PUBLIC;
    CHECK_OK(graco_evaluate(&result, Z, data, &options));
    double mean = result.mean;
    graco_eval_result_clear(&result);
    return mean;
}

int main(void)
{
    graco_dataset *data = NULL;
    graco_train_result result;
    graco_model *model = NULL;
    graco_matrix X = {0}, Z = {0};
    graco_config config;
    if (!getenv("GRACO_DATA") || graco_dataset_load(&data, "ogbn-arxiv", NULL) != GRACO_OK)
        check_skip("no ogbn-arxiv under $GRACO_DATA");
    if (data->features.cols == 0) {
        const struct features_make make = {.rows = data->graph->nodes,
                                           .cols = 64,
                                           .classes = data->classes,
                                           .label = data->label,
                                           .distance = 1.5};
        CHECK_OK(features_make(&data->features, &make));
    }
    preset_config(&config, "reddit");
    config.hidden = 64;
    config.batch = 1024;
    config.lr = 1e-3;
    config.epochs = 1;
    config.device = DEVICE_CPU;
    CHECK_OK(graco_train(&model, &result, data, &config, NULL));
    CHECK(isfinite(result.loss) && result.epochs == 1);
    CHECK_OK(graco_model_embed(&Z, model, data, NULL));
    CHECK_OK(graco_dataset_features(&X, data, NULL));
    CHECK(Z.rows == 169343 && Z.cols == 64);
    double raw = score(&X, data), trained = score(&Z, data);
    printf("made features %.2f, embeddings %.2f, %.0f s\n", raw, trained, result.seconds);
    CHECK(trained > raw + 2);
    graco_matrix_clear(&X);
    graco_matrix_clear(&Z);
    graco_model_free(model);
    graco_dataset_free(data);
    return check_result();
}
