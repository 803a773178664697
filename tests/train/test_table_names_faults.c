/* Every allocation fails once where a table's rows are found by name: training, writing the checkpoint,
 * reading it and embedding. Nothing leaks, and no vector is given. */
#include "data/small_files.h"
#include "faults.h"

static graco_dataset *trained, *other;
static graco_config *config;
static graco_model *model;

static graco_dataset *make(const char *text)
{
    graco_dataset *data = NULL;
    small_text("edges.csv", text);
    CHECK_OK(graco_dataset_load(&data, small_path("edges.csv"), NULL));
    return data;
}

static graco_status train(void)
{
    graco_model_free(model);
    model = NULL;
    return graco_train(&model, NULL, trained, config, NULL);
}

static graco_status save(void)
{
    return graco_model_save(model, small_path("run"));
}

static graco_status embed(void)
{
    graco_model *back = NULL;
    graco_matrix Z = {0};
    graco_status status = graco_model_load(&back, small_path("run"));
    if (status == GRACO_OK)
        status = graco_model_embed(&Z, back, other, &(graco_embed_options){.threads = 1});
    CHECK((status == GRACO_OK) == (Z.data != NULL));
    graco_matrix_clear(&Z);
    graco_model_free(back);
    return status;
}

int main(void)
{
    static const char *const settings[][2] = {{"hidden", "4"}, {"threads", "1"}, {"epochs", "1"},
                                              {"walks", "1"},  {"length", "4"},  {"window", "2"}};
    small_begin();
    trained = make("a,b\nb,c\nc,a\n");
    other = make("c,b\n");
    CHECK_OK(graco_config_create(&config, "node2vec", NULL));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        CHECK_OK(graco_config_set(config, settings[i][0], settings[i][1]));
    faults_each(train, "train");
    faults_each(save, "save");
    faults_each(embed, "embed");
    graco_config_free(config);
    graco_model_free(model);
    graco_dataset_free(trained);
    graco_dataset_free(other);
    small_remove(small_root);
    return check_result();
}
