/* Every allocation fails once where a table's rows are found by name, or classes have one: training, writing
 * the checkpoint, reading it, embedding and predicting. Nothing leaks, and no vector is given. */
#include "data/small_files.h"
#include "faults.h"

static graco_dataset *trained, *other;
static graco_config *config;
static graco_model *model;

static graco_dataset *make(const char *text)
{
    graco_dataset *data = NULL;
    fixture_text("edges.csv", text);
    CHECK_OK(graco_dataset_load(&data, fixture_path("edges.csv"), NULL));
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
    return graco_model_save(model, fixture_path("run"));
}

static graco_status embed(void)
{
    graco_model *back = NULL;
    graco_matrix Z = {0};
    graco_status status = graco_model_load(&back, fixture_path("run"));
    if (status == GRACO_OK)
        status = graco_model_embed(&Z, back, other, &(graco_embed_options){.threads = 1});
    CHECK((status == GRACO_OK) == (Z.data != NULL));
    graco_matrix_clear(&Z);
    graco_model_free(back);
    return status;
}

static graco_status predict(void)
{
    graco_model *back = NULL;
    graco_prediction found = {0};
    const graco_predict_options options = {.all = true, .threads = 1};
    graco_status status = graco_model_load(&back, fixture_path("run"));
    if (status == GRACO_OK)
        status = graco_predict(&found, back, other, &options);
    CHECK((status == GRACO_OK) == (found.probability != NULL));
    graco_prediction_clear(&found);
    graco_model_free(back);
    return status;
}

enum { NODES = 12 };

/* A ring whose nodes have two classes in turn. */
static graco_dataset *make_labelled(const char *const names[2])
{
    int32_t source[NODES], target[NODES], y[NODES];
    float x[NODES];
    graco_dataset *data = NULL;
    for (int i = 0; i < NODES; i++) {
        source[i] = i;
        target[i] = (i + 1) % NODES;
        y[i] = i % 2;
        x[i] = (float)i;
    }
    const graco_arrays arrays = {.source = GRACO_VECTOR(source, NODES),
                                 .target = GRACO_VECTOR(target, NODES),
                                 .x = GRACO_MATRIX(x, NODES, 1),
                                 .y = GRACO_VECTOR(y, NODES),
                                 .class_names = GRACO_VECTOR(names, 2)};
    CHECK_OK(graco_dataset_create(&data, &arrays));
    return data;
}

static void classes(void)
{
    trained = make_labelled((const char *const[]){"cat", "dog"});
    other = make_labelled((const char *const[]){"dog", "cat"});
    CHECK_OK(graco_config_create(&config, "gcn", NULL));
    CHECK_OK(graco_config_set(config, "hidden", "4"));
    CHECK_OK(graco_config_set(config, "threads", "1"));
    CHECK_OK(graco_config_set(config, "epochs", "1"));
    faults_each(train, "train");
    faults_each(save, "save");
    faults_each(predict, "predict");
    CHECK(strcmp(graco_model_class(model, 1), "dog") == 0);
}

static void clear(void)
{
    graco_config_free(config);
    graco_model_free(model);
    graco_dataset_free(trained);
    graco_dataset_free(other);
    config = NULL;
    model = NULL;
}

static void rows(void)
{
    static const char *const settings[][2] = {{"hidden", "4"}, {"threads", "1"}, {"epochs", "1"},
                                              {"walks", "1"},  {"length", "4"},  {"window", "2"}};
    static const int32_t ends[] = {0, 1};
    static const char *const numbers[] = {"2", "1"};
    const graco_arrays turned = {.source = GRACO_VECTOR(ends, 1),
                                 .target = GRACO_VECTOR(ends + 1, 1),
                                 .node_ids = GRACO_VECTOR(numbers, 2)};
    trained = make("a,b\nb,c\nc,a\n");
    other = make("c,b\n");
    CHECK_OK(graco_config_create(&config, "node2vec", NULL));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        CHECK_OK(graco_config_set(config, settings[i][0], settings[i][1]));
    faults_each(train, "train");
    faults_each(save, "save");
    faults_each(embed, "embed");
    clear();
    /* A model without names, and nodes that are called by numbers of rows. */
    fixture_text("edges.txt", "0 1\n1 2\n2 0\n");
    CHECK_OK(graco_dataset_load(&trained, fixture_path("edges.txt"), NULL));
    CHECK_OK(graco_dataset_create(&other, &turned));
    CHECK_OK(graco_config_create(&config, "deepwalk", NULL));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        CHECK_OK(graco_config_set(config, settings[i][0], settings[i][1]));
    faults_each(train, "train");
    faults_each(save, "save");
    faults_each(embed, "embed");
}

int main(void)
{
    rows();
    clear();
    classes();
    clear();
    return check_result();
}
