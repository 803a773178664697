/* Predictions: of nodes without a label, by a supervised model or by a regression on embeddings. */
#include "base/memory.h"
#include "fixture.h"
#include "data/dataset.h"

enum { NODES = 240, CLASSES = 4, HIDDEN_EVERY = 5 };

static int32_t truth[NODES];

static graco_dataset *make_data(void)
{
    graco_dataset *data = fixture_data(.nodes = NODES, .classes = CLASSES, .feature_count = 80);
    memcpy(truth, data->label, sizeof truth);
    for (int64_t i = 0; i < NODES; i += HIDDEN_EVERY)
        data->label[i] = -1;
    return data;
}

static graco_model *train(const graco_dataset *data, const char *method, const char *epochs)
{
    graco_config *config = NULL;
    graco_model *model = NULL;
    CHECK_OK(graco_config_create(&config, method, NULL));
    CHECK_OK(graco_config_set(config, "device", "cpu"));
    CHECK_OK(graco_config_set(config, "epochs", epochs));
    CHECK_OK(graco_train(&model, NULL, data, config, NULL));
    graco_config_free(config);
    return model;
}

/* Rows are probabilities, most of them of the true class; nodes are those asked for. */
static void check(const graco_prediction *p, bool all)
{
    int64_t right = 0;
    CHECK(p->count == (all ? NODES : NODES / HIDDEN_EVERY) && p->classes == CLASSES);
    for (int64_t i = 0; i < p->count; i++) {
        double sum = 0;
        int64_t best = 0;
        CHECK(p->node[i] == i * (all ? 1 : HIDDEN_EVERY));
        for (int64_t k = 0; k < CLASSES; k++) {
            float value = p->probability[i * CLASSES + k];
            CHECK(value >= 0 && value <= 1);
            sum += value;
            best = value > p->probability[i * CLASSES + best] ? k : best;
        }
        CHECK(p->multi_label || fabs(sum - 1) < 1e-5);
        right += best == truth[p->node[i]];
    }
    CHECK(right > p->count * 7 / 10);
}

/* Embeddings alone give the same bytes as the model that made them. */
static void predicts_from_embeddings(const graco_prediction *wanted, const graco_model *model,
                                     const graco_dataset *data)
{
    graco_prediction found = {0};
    graco_matrix Z = {0};
    CHECK_OK(graco_model_embed(&Z, model, data, NULL));
    CHECK_OK(graco_predict_embeddings(&found, &Z, data, NULL));
    CHECK(found.count == wanted->count && found.C == wanted->C);
    CHECK(memcmp(found.probability, wanted->probability,
                 (size_t)(found.count * CLASSES) * sizeof(float)) == 0);
    graco_prediction_clear(&found);
    Z.rows--;
    CHECK_FAILS(graco_predict_embeddings(&found, &Z, data, NULL), GRACO_ERROR_ARGUMENT,
                "239 rows; the data set");
    Z.rows++;
    Z.data[3] = NAN;
    CHECK_FAILS(graco_predict_embeddings(&found, &Z, data, NULL), GRACO_ERROR_NUMBER, "node 0");
    CHECK(!found.node);
    graco_matrix_clear(&Z);
}

static void predicts(graco_dataset *data, const char *method, const char *epochs, bool regression)
{
    graco_model *model = train(data, method, epochs);
    graco_predict_options options = {.device = "cpu", .threads = 1};
    graco_prediction one = {0}, other = {0};
    CHECK_OK(graco_predict(&one, model, data, &options));
    check(&one, false);
    CHECK(isnan(one.C) == !regression);
    options.threads = 3;
    CHECK_OK(graco_predict(&other, model, data, &options));
    CHECK(memcmp(one.probability, other.probability,
                 (size_t)(one.count * CLASSES) * sizeof(float)) == 0);
    graco_prediction_clear(&other);
    options.all = true;
    CHECK_OK(graco_predict(&other, model, data, &options));
    check(&other, true);
    graco_prediction_clear(&other);
    if (regression)
        predicts_from_embeddings(&one, model, data);
    graco_prediction_clear(&one);
    graco_model_free(model);
}

/* Without any label a supervised model predicts all nodes, and a regression cannot. */
static void refusals(graco_dataset *data)
{
    graco_model *gcn = train(data, "gcn", "20"), *sgc = train(data, "sgc", "0");
    graco_prediction found = {0};
    graco_predict_options options = {.device = "cpu"};
    data->classes = 0;
    CHECK_OK(graco_predict(&found, gcn, data, &options));
    CHECK(found.count == NODES && found.classes == CLASSES);
    graco_prediction_clear(&found);
    CHECK_FAILS(graco_predict(&found, sgc, data, &options), GRACO_ERROR_ARGUMENT,
                "has no labels; a prediction from embeddings needs some");
    data->classes = CLASSES + 1;
    CHECK_FAILS(graco_predict(&found, gcn, data, &options), GRACO_ERROR_ARGUMENT,
                "a class '4' that the model was not trained on; expected its 4 classes");
    data->classes = CLASSES;
    for (int64_t i = 4; i < NODES; i++)
        data->label[i] = -1;
    CHECK_FAILS(graco_predict(&found, sgc, data, &options), GRACO_ERROR_ARGUMENT, "at least 5");
    memcpy(data->label, truth, sizeof truth);
    CHECK_FAILS(graco_predict(&found, gcn, data, &options), GRACO_ERROR_ARGUMENT,
                "there is nothing to predict");
    CHECK(!found.node);
    graco_model_free(gcn);
    graco_model_free(sgc);
}

int main(void)
{
    graco_dataset *data = make_data();
    predicts(data, "gcn", "100", false);
    predicts(data, "sgc", "0", true);
    refusals(data);
    graco_dataset_free(data);
    graco_prediction_clear(NULL);
    return check_result();
}
