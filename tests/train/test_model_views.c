/* graco_model_views gives the rows that the next step contrasts: J of them is that step's loss. */
#include "fixture.h"

enum { NODES = 50 };

static double last_loss;

static bool keep_loss(void *user, const graco_epoch *epoch)
{
    (void)user;
    last_loss = epoch->loss;
    return true;
}

static graco_model *train(const graco_dataset *data, const char *method, const char *activation,
                          const char *epochs)
{
    const graco_train_options options = {.on_epoch = keep_loss};
    graco_config *config = NULL;
    graco_model *model = NULL;
    CHECK_OK(graco_config_create(&config, method, method ? NULL : "cora"));
    CHECK_OK(graco_config_set(config, "device", "cpu"));
    CHECK_OK(graco_config_set(config, "hidden", "8"));
    if (!method)
        CHECK_OK(graco_config_set(config, "tau", "0.5"));
    CHECK_OK(graco_config_set(config, "epochs", epochs));
    if (activation)
        CHECK_OK(graco_config_set(config, "activation", activation));
    CHECK_OK(graco_train(&model, NULL, data, config, &options));
    graco_config_free(config);
    return model;
}

/* Minus the mean over all rows of log(exp(positive / tau) / sum over the others), tau 0.5. */
static double loss_of(const graco_matrix *Z)
{
    double loss = 0;
    for (int64_t i = 0; i < Z->rows; i++) {
        double sum = 0, positive = 0;
        for (int64_t j = 0; j < Z->rows; j++) {
            double dot = 0;
            for (int64_t k = 0; k < Z->cols; k++)
                dot += (double)Z->data[i * Z->cols + k] * (double)Z->data[j * Z->cols + k];
            sum += j == i ? 0 : exp(dot / 0.5);
            positive = j == (i + NODES) % Z->rows ? dot / 0.5 : positive;
        }
        loss += (log(sum) - positive) / (double)Z->rows;
    }
    return loss;
}

int main(void)
{
    static const char *const activations[] = {"relu", "prelu", "rrelu"};
    graco_dataset *data = fixture_data(.nodes = NODES, .feature_count = 20);
    graco_matrix Z = {0};
    for (int i = 0; i < 3; i++) {
        graco_model *before = train(data, NULL, activations[i], "3");
        graco_model *after = train(data, NULL, activations[i], "4");
        CHECK_OK(graco_model_views(&Z, before, data, &(graco_embed_options){.device = "cpu"}));
        CHECK(Z.rows == 2 * NODES && Z.cols == 8);
        CHECK(fabs(loss_of(&Z) - last_loss) < 1e-5);
        graco_matrix_clear(&Z);
        graco_model_free(before);
        graco_model_free(after);
    }
    graco_model *other = train(data, "dgi", NULL, "1");
    CHECK_FAILS(graco_model_views(&Z, other, data, NULL), GRACO_ERROR_ARGUMENT, "expected grace");
    CHECK(!Z.data);
    graco_model_free(other);
    graco_dataset_free(data);
    return check_result();
}
