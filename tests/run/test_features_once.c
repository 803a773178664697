/* Features that a training made of the graph are there for the embedding that follows it. */
#include "data/dataset.h"
#include "fixture.h"
#include "layers/model.h"

#include <string.h>

static void embed(graco_matrix *Z, const graco_model *model, const graco_dataset *data)
{
    CHECK_OK(graco_model_embed(Z, model, data, &(graco_embed_options){.threads = 2}));
}

int main(void)
{
    graco_dataset *data = fixture_data(.nodes = 120, .feature_count = -1);
    graco_dataset *other = fixture_data(.nodes = 120, .feature_count = -1, .seed = 9);
    graco_config config = fixture_config("grace", "hidden=8 epochs=2");
    graco_model *model = NULL;
    graco_matrix kept = {0}, made = {0}, none = {0}, again = {0};
    CHECK_OK(graco_train(&model, NULL, data, &config, NULL));
    embed(&kept, model, data);
    CHECK(model->made && model->made->rows == 120);

    /* They are read: without them the embeddings are others ... */
    float first = model->made->dense[0];
    model->made->dense[0] = 17;
    embed(&none, model, data);
    CHECK(memcmp(none.data, kept.data, (size_t)(kept.rows * kept.cols) * sizeof(float)) != 0);
    model->made->dense[0] = first;
    embed(&again, model, data);
    CHECK(memcmp(again.data, kept.data, (size_t)(kept.rows * kept.cols) * sizeof(float)) == 0);
    CHECK_FAILS(graco_model_embed(&again, model, other, NULL), GRACO_ERROR_ARGUMENT,
                "another graph");

    /* ... and the same as those that are made anew. */
    struct features *left = model->made;
    model->made = NULL;
    embed(&made, model, data);
    CHECK(memcmp(made.data, kept.data, (size_t)(kept.rows * kept.cols) * sizeof(float)) == 0);
    model->made = left;
    graco_matrix_clear(&made);
    graco_matrix_clear(&none);
    graco_matrix_clear(&again);
    graco_matrix_clear(&kept);
    graco_model_free(model);
    graco_dataset_free(other);
    graco_dataset_free(data);
    return check_result();
}
