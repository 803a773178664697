/* A supervised model knows what its classes are called: predictions have these names, whatever the data set
 * calls its classes. A checkpoint that has the names wrong is refused. */
#include "base/memory.h"
#include "data/dataset.h"
#include "data/small_files.h"
#include "methods/method.h"
#include "run/checkpoint.h"

enum { NODES = 20 };

/* A ring whose node i has the label i of `labels`, one word for two nodes in turn; NULL: none. */
static graco_dataset *make(const char *const labels[2])
{
    char edges[NODES * 16] = "", x[NODES * 16] = "", y[NODES * 16] = "";
    graco_dataset *data = NULL;
    graco_load_options options = {.undirected = true, .delimiter = "comma"};
    for (int i = 0; i < NODES; i++) {
        sprintf(edges + strlen(edges), "n%d,n%d\n", i, (i + 1) % NODES);
        sprintf(x + strlen(x), "n%d,%d,1\n", i, i % 2);
        if (labels && *labels[i % 2])
            sprintf(y + strlen(y), "n%d,%s\n", i, labels[i % 2]);
    }
    fixture_text("edges.csv", edges);
    fixture_text("x.csv", x);
    options.features_path = fixture_path("x.csv");
    if (labels) {
        fixture_text("y.csv", y);
        options.labels_path = fixture_path("y.csv");
    }
    CHECK_OK(graco_dataset_load(&data, fixture_path("edges.csv"), &options));
    return data;
}

static const char *const NAMED[] = {"cat", "dog"}, *const NUMBERED[] = {"0", "1"};

static graco_model *train(const char *const labels[2])
{
    graco_dataset *data = make(labels);
    graco_config *config = NULL;
    graco_model *model = NULL;
    CHECK_OK(graco_config_create(&config, "gcn", NULL));
    CHECK_OK(graco_config_set(config, "hidden", "4"));
    CHECK_OK(graco_config_set(config, "epochs", "2"));
    CHECK_OK(graco_config_set(config, "threads", "1"));
    CHECK_OK(graco_train(&model, NULL, data, config, NULL));
    graco_config_free(config);
    graco_dataset_free(data);
    return model;
}

static void predicts(const graco_model *model, const char *const labels[2], const char *refusal)
{
    graco_dataset *data = make(labels);
    graco_prediction found = {0};
    graco_predict_options options = {.all = true, .threads = 1};
    if (refusal)
        CHECK_FAILS(graco_predict(&found, model, data, &options), GRACO_ERROR_ARGUMENT, refusal);
    else
        CHECK_OK(graco_predict(&found, model, data, &options));
    CHECK(refusal || (found.count == NODES && found.classes == 2));
    graco_prediction_clear(&found);
    graco_dataset_free(data);
}

static bool called(const graco_model *model, int64_t k, const char *name)
{
    const char *found = graco_model_class(model, k);
    return name ? found && strcmp(found, name) == 0 : !found;
}

static void named(void)
{
    graco_model *model = train(NAMED), *back = NULL;
    CHECK_OK(graco_model_save(model, fixture_path("run")));
    CHECK_OK(graco_model_load(&back, fixture_path("run")));
    CHECK(called(back, 0, "cat") && called(back, 1, "dog"));
    CHECK(called(back, -1, NULL) && called(back, 2, NULL));
    predicts(back, NAMED, NULL);
    predicts(back, NULL, NULL);
    predicts(back, (const char *[]){"dog", "cat"}, NULL);
    predicts(back, (const char *[]){"", "dog"}, NULL); /* one of the classes */
    predicts(back, NUMBERED, NULL);
    predicts(back, (const char *[]){"ape", "dog"}, "a class 'ape' that the model was not trained");
    predicts(back, (const char *[]){"0", "2"}, "the model was trained on 2 classes, one of them");
    graco_model_free(model);
    graco_model_free(back);
}

/* Classes that are numbers are called by them. */
static void numbered(void)
{
    graco_model *model = train(NUMBERED);
    CHECK(called(model, 0, NULL));
    predicts(model, NUMBERED, NULL);
    predicts(model, (const char *[]){"1", "0"}, NULL);
    predicts(model, NAMED, NULL); /* the very labels of the training, now with names */
    predicts(model, (const char *[]){"dog", "cat"}, "a class 'cat' that the model was not trained");
    predicts(model, (const char *[]){"0", "2"}, "a class '2' that the model was not trained on");
    graco_model_free(model);
}

/* ---- Checkpoints ------------------------------------------------------------------------------------ */

/* Writes the checkpoint with `from` in its header, a length of 8 bytes and JSON, replaced by `to`. */
static void forge(const uint8_t *bytes, int64_t length, const char *from, const char *to)
{
    uint8_t *forged = malloc((size_t)length + 64);
    uint64_t size = 0;
    memcpy(&size, bytes, sizeof size);
    char *header = malloc((size_t)size + 65), *at;
    memcpy(header, bytes + 8, (size_t)size);
    header[size] = '\0';
    at = strstr(header, "\"class_names\":{");
    at = at ? strstr(at, from) : NULL;
    CHECK(at);
    if (at) {
        memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
        memcpy(at, to, strlen(to));
    }
    uint64_t grown = strlen(header);
    memcpy(forged, &grown, sizeof grown);
    memcpy(forged + 8, header, (size_t)grown);
    memcpy(forged + 8 + grown, bytes + 8 + size, (size_t)(length - 8) - (size_t)size);
    fixture_write("wrong.safetensors", forged, (size_t)length - (size_t)size + (size_t)grown);
    free(header);
    free(forged);
}

static void refused(const char *part)
{
    graco_model *back = NULL;
    CHECK_FAILS(checkpoint_read(&back, fixture_path("wrong.safetensors")), GRACO_ERROR_FORMAT,
                part);
    CHECK(strstr(graco_message(), "wrong.safetensors") && !strchr(graco_message(), '\n'));
}

static void wrong_types(const graco_model *model)
{
    static const struct {
        const char *from, *to;
    } cases[] = {{"\"U8\"", "\"I8\""},
                 {"\"U8\"", "\"BOOL\""},
                 {"[8]", "[2,4]"},
                 {"[8]", "[8,1]"},
                 {"\"U8\",\"shape\":[8]", "\"I32\",\"shape\":[2]"},
                 {"\"U8\",\"shape\":[8]", "\"F64\",\"shape\":[1]"},
                 {"\"U8\",\"shape\":[8]", "\"F64\",\"shape\":[]"}};
    uint8_t *bytes = NULL;
    int64_t length = 0;
    CHECK_OK(checkpoint_write(model, fixture_path("good.safetensors")));
    CHECK_OK(file_read(&bytes, &length, fixture_path("good.safetensors"), 1 << 24));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        forge(bytes, length, cases[i].from, cases[i].to);
        refused("class_names");
    }
    memory_free(bytes);
}

static void put_names(graco_model *model, const char *names, int64_t bytes)
{
    CHECK_OK(memory_alloc(&model->class_names[0], bytes, 1));
    memcpy(model->class_names[0], names, (size_t)bytes);
    model->class_bytes = bytes;
    CHECK_OK(checkpoint_write(model, fixture_path("wrong.safetensors")));
    memory_free(model->class_names[0]);
}

/* What a data set may call a class, a checkpoint may too: any bytes but a NUL, and any number of them. */
static void strange_names(graco_model *model)
{
    enum { LONG = 1 << 20 };
    char *text = malloc(LONG + 6);
    graco_model *back = NULL;
    put_names(model, "\xff\xfe\0\xc3", 5);
    CHECK_OK(checkpoint_read(&back, fixture_path("wrong.safetensors")));
    CHECK(called(back, 0, "\xff\xfe") && called(back, 1, "\xc3"));
    graco_model_free(back);
    back = NULL;
    memset(text, 'x', LONG);
    memcpy(text + LONG, "\0dog\n", 6);
    put_names(model, text, LONG + 6);
    CHECK_OK(checkpoint_read(&back, fixture_path("wrong.safetensors")));
    CHECK(called(back, 0, text) && called(back, 1, "dog\n"));
    predicts(back, NAMED, "expected its 2 classes, the first of them 'xxxx");
    CHECK(strlen(graco_message()) < 400);
    graco_model_free(back);
    free(text);
}

static void checkpoints(void)
{
    static const struct {
        const char *names;
        int64_t bytes;
    } wrong[] = {{"cat", 4}, {"cat\0dog\0ape", 12}, {"cat\0dogs", 8}, {"cat\0cat", 8}, {"\0\0", 3}};
    graco_model *model = train(NAMED);
    wrong_types(model);
    memory_free(model->class_names[0]);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        put_names(model, wrong[i].names, wrong[i].bytes);
        refused("'class_names'");
    }
    strange_names(model);
    model->class_names[0] = NULL;
    graco_model_free(model);
}

int main(void)
{
    named();
    numbered();
    checkpoints();
    return check_result();
}
