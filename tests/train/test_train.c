/* Training as a whole, on small generated graphs: it learns, it resumes to the same bits, it stops
 * when asked, and threads and memory change nothing. */
#include "data/node_features.h"
#include "fixture.h"

#include "base/memory.h"
#include "data/dataset.h"
#include "io/files/file.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EPOCHS = 12, LINE_MAX_BYTES = 512 };

static graco_dataset *generated(bool dense)
{
    return fixture_data(.nodes = 300, .feature_count = 60, .dense = dense);
}

static graco_config configured(void)
{
    return fixture_config("grace", "hidden=16 projection=24 epochs=12 lr=0.01 correction=20 "
                                   "checkpoint_every=5");
}

/* The losses of metrics.jsonl as text, which has all their digits. */
static int read_losses(char losses[][LINE_MAX_BYTES], int most, const char *run)
{
    char *path = NULL, line[LINE_MAX_BYTES];
    int count = 0;
    CHECK_OK(memory_path(&path, run, "metrics.jsonl"));
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    while (file && count < most && fgets(line, sizeof line, file)) {
        int epoch = 0;
        CHECK(sscanf(line, "{\"epoch\":%d,\"loss\":%511[^,]", &epoch, losses[count]) == 2);
        CHECK(epoch == ++count);
    }
    if (file)
        fclose(file);
    memory_free(path);
    return count;
}

struct seen {
    int64_t calls, stop_at;
    double first, last;
    bool sound;
};

static bool on_epoch(void *user, const graco_epoch *epoch)
{
    struct seen *watch = user;
    watch->first = watch->calls++ ? watch->first : epoch->loss;
    watch->last = epoch->loss;
    watch->sound =
        watch->sound && isfinite(epoch->loss) && epoch->seconds >= 0 &&
        (epoch->epoch < epoch->epochs ? epoch->seconds_left > 0 : epoch->seconds_left == 0);
    return epoch->epoch != watch->stop_at;
}

/* Every objective and activation, dense and sparse features: the loss falls. */
static void learns(void)
{
    for (int objective = 0; objective < 3; objective++)
        for (int activation = 0; activation < 4; activation++) {
            graco_dataset *data = generated(activation % 2);
            graco_config config = configured();
            graco_train_result result;
            graco_model *model = NULL;
            graco_matrix Z = {0};
            struct seen watch = {.sound = true};
            graco_train_options options = {.on_epoch = on_epoch, .user = &watch};
            config.objective = (enum objective_kind)objective;
            config.activation = activation;
            config.epochs = 40;
            CHECK_OK(graco_train(&model, &result, data, &config, &options));
            CHECK(watch.calls == 40 && watch.sound);
            CHECK(watch.last < watch.first - 0.1);
            CHECK(result.epochs == 40 && result.loss == watch.last && result.seconds > 0);
            CHECK(strcmp(result.device, "cpu") == 0 && result.epoch_ms_median > 0);
            CHECK(isfinite(result.mutual_information) == (objective != OBJECTIVE_MOMENT));
            CHECK_OK(graco_model_embed(&Z, model, data,
                                       &(graco_embed_options){.threads = 1, .device = "cpu"}));
            bool finite = Z.rows == 300 && Z.cols == 16;
            for (int64_t i = 0; i < Z.rows * Z.cols; i++)
                finite = finite && isfinite(Z.data[i]);
            CHECK(finite);
            graco_matrix_clear(&Z);
            graco_model_free(model);
            graco_dataset_free(data);
        }
}

/* Without a run folder, without a result, without a model: nothing is asked, nothing breaks. */
static void bare(void)
{
    graco_dataset *data = generated(false);
    graco_config config = configured();
    config.epochs = 1;
    CHECK_OK(graco_train(NULL, NULL, data, &config, NULL));
    config.epochs = 0;
    graco_train_result result;
    CHECK_OK(graco_train(NULL, &result, data, &config, NULL));
    CHECK(result.epochs == 0 && isnan(result.loss));
    graco_dataset_free(data);
}

/* Threads and memory change no bit of the model and the embeddings. */
static void same_bits(void)
{
    static const struct {
        int64_t threads, memory;
    } ways[] = {{1, 0}, {2, 1 << 30}, {3, 300000}, {7, 1}};
    const char *first = fixture_path("first"), *next = fixture_path("next");
    for (int objective = 0; objective < 3; objective++) {
        graco_dataset *data = generated(false);
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
            graco_config config = configured();
            graco_train_options options = {.run = way ? next : first};
            config.objective = (enum objective_kind)objective;
            config.activation = ACTIVATION_RRELU;
            config.threads = ways[way].threads;
            config.memory = ways[way].memory;
            CHECK_OK(graco_train(NULL, NULL, data, &config, &options));
            CHECK(way == 0 || fixture_same_file(first, next, "embeddings.npy"));
            if (way)
                fixture_remove(next);
        }
        fixture_remove(first);
        graco_dataset_free(data);
    }
}

/* A training stopped at an epoch, or killed after its last checkpoint, and resumed. */
static void resumes(enum objective_kind objective, int64_t stop_at, bool killed)
{
    const char *whole = fixture_path("whole"), *broken = fixture_path("broken");
    char a[EPOCHS + 1][LINE_MAX_BYTES], b[EPOCHS + 1][LINE_MAX_BYTES];
    graco_dataset *data = generated(true);
    graco_config config = configured();
    struct seen watch = {.stop_at = stop_at, .sound = true};
    graco_train_result result = {0};
    graco_model *model = NULL;
    config.objective = objective;
    config.activation = ACTIVATION_PRELU;
    CHECK_OK(graco_train(NULL, NULL, data, &config, &(graco_train_options){.run = whole}));
    graco_train_options options = {.run = broken, .on_epoch = on_epoch, .user = &watch};
    CHECK_FAILS(graco_train(&model, &result, data, &config, &options), GRACO_STOPPED, "stopped");
    CHECK(result.epochs == stop_at && model != NULL && watch.calls == stop_at);
    graco_model_free(model);
    CHECK(!file_exists(fixture_path("broken/embeddings.npy")));
    if (killed) { /* later lines, one of them cut, that no checkpoint knows of */
        FILE *file = fopen(fixture_path("broken/metrics.jsonl"), "a");
        CHECK(file && fputs("{\"epoch\":99,\"loss\":1.0,\n{\"epo", file) >= 0);
        CHECK(file && fclose(file) == 0);
    }
    options = (graco_train_options){.run = broken, .resume = true};
    config.threads = 1;
    CHECK_OK(graco_train(NULL, &result, data, &config, &options));
    CHECK(result.epochs == EPOCHS);
    CHECK(fixture_same_file(whole, broken, "embeddings.npy"));
    CHECK(read_losses(a, EPOCHS + 1, whole) == EPOCHS &&
          read_losses(b, EPOCHS + 1, broken) == EPOCHS);
    CHECK(memcmp(a[EPOCHS - 1], b[EPOCHS - 1], strlen(a[EPOCHS - 1]) + 1) == 0);
    config.threads = 2; /* once more with the first one's settings: the same checkpoint */
    CHECK_OK(graco_train(NULL, NULL, data, &config, &options));
    CHECK(fixture_same_file(whole, broken, "model.safetensors"));
    CHECK(fixture_same_file(whole, broken, "config.json"));
    fixture_remove(whole);
    fixture_remove(broken);
    graco_dataset_free(data);
}

/* What cannot be resumed, or trained at all, says why. */
static void refusals(void)
{
    const char *run = fixture_path("refused");
    graco_dataset *data = generated(false);
    graco_dataset *other = fixture_data(.nodes = 50, .feature_count = 61);
    graco_dataset *plain = fixture_data(.nodes = 50, .feature_count = -1);
    graco_config config = configured();
    graco_train_options options = {.run = run}, resume = {.run = run, .resume = true};
    config.epochs = 2;
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, &resume), GRACO_ERROR_IO,
                "model.safetensors");
    CHECK_OK(graco_train(NULL, NULL, data, &config, &options));
    CHECK_FAILS(graco_train(NULL, NULL, other, &config, &resume), GRACO_ERROR_ARGUMENT, "61");
    config.tau = 0.7;
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, &resume), GRACO_ERROR_ARGUMENT, "tau");
    config.tau = 0.5;
    config.node_features = NODE_FEATURES_GIVEN;
    CHECK_FAILS(graco_train(NULL, NULL, plain, &config, NULL), GRACO_ERROR_ARGUMENT, "features");
    config.node_features = NODE_FEATURES_AUTO;
    resume.run = NULL;
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, &resume), GRACO_ERROR_ARGUMENT, "resume");
    options.run = "/nowhere/at/all";
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, &options), GRACO_ERROR_IO, "/nowhere");
    graco_model *model = NULL;
    graco_matrix Z = {0};
    CHECK_OK(graco_model_load(&model, run));
    CHECK_FAILS(graco_model_embed(&Z, model, other, NULL), GRACO_ERROR_ARGUMENT, "61");
    CHECK(Z.data == NULL);
    graco_model_free(model);
    fixture_remove(run);
    graco_dataset_free(data);
    graco_dataset_free(other);
    graco_dataset_free(plain);
}

/* A loss that is not finite ends the training before it spoils the weights. */
static void explodes(void)
{
    const char *run = fixture_path("exploding");
    graco_config config = configured();
    graco_dataset *data = NULL;
    graco_model *model = NULL;
    struct dataset_parts parts = {.name = "huge", .nodes = 4, .features = {.rows = 4, .cols = 3}};
    CHECK_OK(memory_alloc(&parts.features.dense, 12, sizeof(float)));
    for (int i = 0; i < 12; i++)
        parts.features.dense[i] = 3e38f; /* finite, but not once multiplied */
    CHECK_OK(dataset_create(&data, &parts));
    CHECK_FAILS(graco_train(&model, NULL, data, &config, &(graco_train_options){.run = run}),
                GRACO_ERROR_NUMBER, "the loss is not finite in epoch");
    CHECK(model == NULL);
    if (strstr(graco_message(), "last good checkpoint")) /* and it is good */
        CHECK_OK(graco_model_load(&model, run));
    graco_model_free(model);
    fixture_remove(run);
    graco_dataset_free(data);
}

/* The general preset scales counts and leaves other features alone; what it decided stands in the model,
 * and is what the same word would have done. */
static void scales_counts(void)
{
    for (int dense = 0; dense < 2; dense++) {
        graco_dataset *data = generated(dense);
        graco_config config = configured();
        graco_model *model[2] = {NULL};
        graco_train_result result[2] = {{0}};
        char word[32];
        CHECK_OK(graco_config_set(&config, "scaling", "auto"));
        CHECK_OK(graco_train(&model[0], &result[0], data, &config, NULL));
        CHECK_OK(graco_config_get(&model[0]->config, "scaling", word, sizeof word));
        CHECK(strcmp(word, dense ? "none" : "rowsum") == 0);
        CHECK_OK(graco_config_set(&config, "scaling", word));
        CHECK_OK(graco_train(&model[1], &result[1], data, &config, NULL));
        CHECK(result[0].loss == result[1].loss);
        graco_model_free(model[0]);
        graco_model_free(model[1]);
        graco_dataset_free(data);
    }
}

int main(void)
{
    learns();
    bare();
    same_bits();
    for (int objective = 0; objective < 3; objective++) {
        resumes((enum objective_kind)objective, 7, false);
        resumes((enum objective_kind)objective, 5, true);
    }
    refusals();
    explodes();
    scales_counts();
    return check_result();
}
