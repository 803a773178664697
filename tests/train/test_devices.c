/* The same training on the CPU and on a GPU: the same views are drawn, so the losses follow each
 * other until rounding has grown. And on one GPU the same seed gives the same bits. */
#include "check.h"
#include "fixture.h"

enum { EPOCHS = 20 };

struct losses {
    double loss[EPOCHS];
};

static bool on_epoch(void *user, const graco_epoch *epoch)
{
    struct losses *losses = user;
    losses->loss[epoch->epoch - 1] = epoch->loss;
    return true;
}

static struct losses train(const graco_dataset *data, const graco_config *config, int device)
{
    struct losses losses = {{0}};
    graco_config here = *config;
    graco_train_result result;
    const graco_train_options options = {.on_epoch = on_epoch, .user = &losses};
    here.device = device;
    CHECK_OK(graco_train(NULL, &result, data, &here, &options));
    CHECK(strcmp(result.device, device == DEVICE_CUDA ? "cuda" : "cpu") == 0);
    return losses;
}

static void compare(const graco_dataset *data, const graco_config *config, const char *what,
                    double tolerance)
{
    struct losses cpu = train(data, config, DEVICE_CPU);
    struct losses gpu = train(data, config, DEVICE_CUDA);
    struct losses again = train(data, config, DEVICE_CUDA);
    double worst = 0;
    for (int i = 0; i < config->epochs; i++)
        worst = fmax(worst, fabs(cpu.loss[i] - gpu.loss[i]));
    printf("%s: loss %.6f on the CPU, %.6f on the GPU; at most %.2g apart\n", what,
           cpu.loss[config->epochs - 1], gpu.loss[config->epochs - 1], worst);
    CHECK(worst < tolerance);
    CHECK(memcmp(&gpu, &again, sizeof gpu) == 0);
}

/* All objectives and encoders on a generated graph, whole and in batches; of dense features one of the former, and
 * batches, whose rows are gathered on the device. */
static void compare_small(bool dense)
{
    static const struct {
        const char *encoder, *activation, *objective, *batch;
    } cases[] = {
        {"gcn", "relu", "exact", "0"},        {"gcn", "prelu", "infonce", "0"},
        {"gcn", "relu", "moment", "0"},       {"sage", "elu", "exact", "0"},
        {"sage_skip", "rrelu", "exact", "0"}, {"sage", "elu", "moment", "128"},
        {"gcn", "relu", "exact", "128"},      {"sage_skip", "rrelu", "infonce", "128"},
    };
    graco_dataset *data = fixture_data(.nodes = 600, .dense = dense);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char what[96];
        graco_config config;
        if (dense && i > 0 && strcmp(cases[i].batch, "0") == 0)
            continue;
        preset_config(&config, NULL);
        CHECK_OK(graco_config_set(&config, "encoder", cases[i].encoder));
        CHECK_OK(graco_config_set(&config, "activation", cases[i].activation));
        CHECK_OK(graco_config_set(&config, "objective", cases[i].objective));
        CHECK_OK(graco_config_set(&config, "batch", cases[i].batch));
        config.layers = config.encoder == ENCODER_GCN ? 2 : 3;
        config.hidden = 32;
        config.epochs = 5;
        config.precision = PRECISION_FP32;
        snprintf(what, sizeof what, "%s, %s, %s, batch %s%s", cases[i].encoder, cases[i].activation,
                 cases[i].objective, cases[i].batch, dense ? ", dense" : "");
        compare(data, &config, what, 1e-3);
        config.precision = PRECISION_FP16;
        compare(data, &config, "the same with halves", 1e-2);
    }
    graco_dataset_free(data);
}

/* Many graphs, whose steps are recorded each for itself. */
static void compare_graphs(void)
{
    graco_dataset *data = fixture_data(.like = "ppi", .scale = 0.02);
    graco_config config;
    preset_config(&config, NULL);
    config.hidden = 32;
    config.epochs = 8;
    config.precision = PRECISION_FP32;
    compare(data, &config, "many graphs", 1e-3);
    graco_dataset_free(data);
}

static void compare_cora(void)
{
    graco_dataset *data = NULL;
    graco_config config;
    if (graco_dataset_load(&data, "cora", NULL) != GRACO_OK) {
        printf("left out: Cora (%s)\n", graco_message());
        return;
    }
    preset_config(&config, "cora");
    config.epochs = EPOCHS;
    for (int objective = 0; objective < 3; objective++) {
        config.objective = (enum objective_kind)objective;
        config.precision = PRECISION_FP32;
        compare(data, &config, "cora", 1e-3);
        config.precision = PRECISION_FP16;
        compare(data, &config, "cora with halves", 1e-2);
    }
    graco_dataset_free(data);
}

static bool until_epoch_5(void *user, const graco_epoch *epoch)
{
    (void)user;
    return epoch->epoch < 5;
}

static int64_t read_whole(char *to, int64_t room, const char *folder, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    CHECK(file);
    int64_t size = file ? (int64_t)fread(to, 1, (size_t)room, file) : 0;
    if (file)
        fclose(file);
    remove(path);
    return size;
}

/* A resumed training asks for its steps one kernel at a time first; the other one replays them. */
static void compare_resumed(const char *objective)
{
    enum { ROOM = 1 << 20 };
    static char bytes[2][ROOM];
    int64_t size[2];
    graco_dataset *data = fixture_data(.nodes = 600);
    for (int resumed = 0; resumed < 2; resumed++) {
        char folder[] = "/tmp/graco-devices-XXXXXX";
        graco_config config;
        preset_config(&config, NULL);
        CHECK_OK(graco_config_set(&config, "objective", objective));
        config.epochs = 12;
        config.hidden = 64;
        config.device = DEVICE_CUDA;
        CHECK(mkdtemp(folder));
        graco_train_options options = {.run = folder};
        if (resumed) {
            options.on_epoch = until_epoch_5;
            CHECK(graco_train(NULL, NULL, data, &config, &options) == GRACO_STOPPED);
            options.on_epoch = NULL;
            options.resume = true;
        }
        CHECK_OK(graco_train(NULL, NULL, data, &config, &options));
        size[resumed] = read_whole(bytes[resumed], ROOM, folder, "embeddings.npy");
        CHECK(size[resumed] > 600 * 64 * 4);
    }
    CHECK(size[0] == size[1] && memcmp(bytes[0], bytes[1], (size_t)size[0]) == 0);
    graco_dataset_free(data);
}

static bool gpu_works(void)
{
    graco_dataset *data = fixture_data(.nodes = 200);
    graco_config config;
    preset_config(&config, NULL);
    config.epochs = 1;
    config.device = DEVICE_CUDA;
    graco_status status = graco_train(NULL, NULL, data, &config, NULL);
    graco_dataset_free(data);
    CHECK(status == GRACO_OK || status == GRACO_ERROR_DEVICE);
    return status == GRACO_OK;
}

int main(void)
{
    if (!gpu_works()) {
        char reason[256];
        snprintf(reason, sizeof reason, "no GPU (%s)", graco_message());
        check_skip(reason);
    }
    compare_small(false);
    compare_small(true);
    compare_graphs();
    compare_resumed("exact");
    compare_resumed("moment");
    compare_cora();
    return check_result();
}
