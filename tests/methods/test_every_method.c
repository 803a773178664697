/* What holds for every method, whichever the library lists: the same bytes for any number of threads;
 * a training that is stopped or killed anywhere and resumed leaves the bytes of one that was not; what it
 * needs and a data set lacks is made or said by name; a setting that it does not read is refused; its buffers grow
 * with the graph and no faster. Only graco.h is used, so a new method is tested by its row alone. */
#include "check.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NODES = 300, KILLS = 4, PATH = 256 };

static char root[] = "/tmp/graco-methods-XXXXXX";

static graco_dataset *generated(int64_t nodes, int64_t features)
{
    graco_generate_options options = graco_generate_defaults();
    graco_dataset *data = NULL;
    options.nodes = nodes;
    options.classes = 3;
    options.feature_count = features;
    CHECK_OK(graco_dataset_generate(&data, &options));
    return data;
}

static bool reads(const graco_config *config, const char *key)
{
    const char *name = NULL;
    for (int i = 0; (name = graco_config_key(config, i, NULL)); i++)
        if (strcmp(name, key) == 0)
            return true;
    return false;
}

static const char *value_of(const graco_config *config, const char *key)
{
    static char value[64];
    CHECK_OK(graco_config_get(config, key, value, sizeof value));
    return value;
}

/* Small settings, of which a method takes those that it reads; 0 epochs stay 0. */
static graco_config *make_config(const char *method, const char *threads)
{
    static const char *const settings[][2] = {
        {"hidden", "16"},
        {"units", "8"},
        {"epochs", "5"},
        {"walks", "2"},
        {"length", "8"},
        {"steps", "3"},
        {"checkpoint_every", "2"},
        {"device", "cpu"},
        {"value", "4"},
        {"query", "4"},
        {"gate", "4"},
        {"first", "16"},
        {"rows", "64"},
        {"samples", "50"},
        {"objective", "exact"},
    };
    graco_config *config = NULL;
    CHECK_OK(graco_config_create(&config, method, NULL));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (reads(config, settings[i][0]) && strcmp(value_of(config, settings[i][0]), "0") != 0)
            CHECK_OK(graco_config_set(config, settings[i][0], settings[i][1]));
    CHECK_OK(graco_config_set(config, "threads", threads));
    return config;
}

static graco_matrix trained(const graco_dataset *data, const graco_config *config)
{
    graco_model *model = NULL;
    graco_matrix Z = {0};
    CHECK_OK(graco_train(&model, NULL, data, config, NULL));
    CHECK_OK(graco_model_embed(&Z, model, data, NULL));
    graco_model_free(model);
    return Z;
}

static bool equal(const graco_matrix *a, const graco_matrix *b)
{
    size_t bytes = (size_t)(a->rows * a->cols) * sizeof(float);
    return a->rows == b->rows && a->cols == b->cols && memcmp(a->data, b->data, bytes) == 0;
}

static void threads_change_no_bit(const char *method, const graco_dataset *data,
                                  const graco_matrix *expected)
{
    static const char *const threads[] = {"2", "5"};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        graco_config *config = make_config(method, threads[i]);
        graco_matrix Z = trained(data, config);
        CHECK(equal(&Z, expected));
        graco_matrix_clear(&Z);
        graco_config_free(config);
    }
}

/* ---- Stops and kills ------------------------------------------------------------------------- */

struct stop {
    int64_t epoch, calls;
};

static bool at_epoch(void *user, const graco_epoch *epoch)
{
    return epoch->epoch != ((struct stop *)user)->epoch;
}

static bool at_progress(void *user, const graco_progress *progress)
{
    (void)progress;
    return ((struct stop *)user)->calls-- != 0;
}

static void check_run(const char *run, const graco_dataset *data, const graco_config *config,
                      const graco_matrix *expected)
{
    char path[PATH];
    graco_matrix Z = {0};
    graco_train_options options = {.run = run, .resume = true};
    struct stat unused;
    snprintf(path, sizeof path, "%s/model.safetensors", run);
    options.resume = stat(path, &unused) == 0;
    CHECK_OK(graco_train(NULL, NULL, data, config, &options));
    snprintf(path, sizeof path, "%s/embeddings.npy", run);
    CHECK_OK(graco_matrix_load(&Z, path));
    CHECK(equal(&Z, expected));
    graco_matrix_clear(&Z);
}

static void remove_run(const char *run)
{
    char command[PATH + 8];
    snprintf(command, sizeof command, "rm -rf %s", run);
    CHECK(system(command) == 0);
}

/* Stopped after each epoch in turn, and at the first words about progress. */
static void stops_lose_nothing(const char *method, const graco_dataset *data,
                               const graco_matrix *expected)
{
    graco_config *config = make_config(method, "2");
    char run[PATH];
    snprintf(run, sizeof run, "%s/stopped-%s", root, method);
    for (int64_t epoch = 0; epoch < 4; epoch++) {
        struct stop stop = {epoch, 1};
        graco_train_options options = {.run = run, .user = &stop, .on_epoch = at_epoch};
        if (!epoch)
            options.on_progress = at_progress;
        graco_status status = graco_train(NULL, NULL, data, config, &options);
        CHECK(status == GRACO_STOPPED ||
              status == GRACO_OK); /* sgc has no epoch, others are short */
        check_run(run, data, config, expected);
        remove_run(run);
    }
    graco_config_free(config);
}

/* Killed at any moment, often several times in one training. */
static void kills_lose_nothing(const char *method, const graco_dataset *data,
                               const graco_matrix *expected)
{
    graco_config *config = make_config(method, "2");
    graco_train_result result = {0};
    char run[PATH], path[PATH];
    struct stat unused;
    snprintf(run, sizeof run, "%s/killed-%s", root, method);
    snprintf(path, sizeof path, "%s/killed-%s/model.safetensors", root, method);
    CHECK_OK(graco_train(NULL, &result, data, config, NULL));
    for (int kill_at = 1; kill_at <= KILLS; kill_at++) {
        double seconds = 1.5 * result.seconds * kill_at / KILLS;
        struct timespec wait = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
        graco_train_options options = {.run = run, .resume = stat(path, &unused) == 0};
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            _exit(graco_train(NULL, NULL, data, config, &options) != GRACO_OK);
        CHECK(child > 0);
        nanosleep(&wait, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    check_run(run, data, config, expected);
    remove_run(run);
    graco_config_free(config);
}

/* With more epochs a training goes on to what it would have been with them from the start, or says why not. */
static void more_epochs_go_on(const char *method, const graco_dataset *data)
{
    graco_config *config = make_config(method, "2");
    graco_matrix whole = {0}, Z = {0};
    char run[PATH], path[2 * PATH];
    snprintf(run, sizeof run, "%s/more-%s", root, method);
    if (strcmp(value_of(config, "epochs"), "0") == 0)
        goto done;
    whole = trained(data, config);
    CHECK_OK(graco_config_set(config, "epochs", "2"));
    CHECK_OK(graco_train(NULL, NULL, data, config, &(graco_train_options){.run = run}));
    CHECK_OK(graco_config_set(config, "epochs", "5"));
    const graco_train_options options = {.run = run, .resume = true};
    graco_status status = graco_train(NULL, NULL, data, config, &options);
    if (status != GRACO_OK)
        CHECK_FAILS(status, GRACO_ERROR_ARGUMENT,
                    "expected --epochs 2, or a training from the start");
    snprintf(path, sizeof path, "%s/embeddings.npy", run);
    if (status == GRACO_OK) {
        CHECK_OK(graco_matrix_load(&Z, path));
        CHECK(equal(&Z, &whole));
    }
    remove_run(run);
done:
    graco_matrix_clear(&Z);
    graco_matrix_clear(&whole);
    graco_config_free(config);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

/* An edge list alone: neither features nor labels. */
static graco_dataset *bare_graph(void)
{
    graco_dataset *data = NULL;
    char path[PATH];
    snprintf(path, sizeof path, "%s/edges.csv", root);
    FILE *file = fopen(path, "w");
    CHECK(file);
    for (int i = 0; file && i < 40; i++)
        fprintf(file, "%d,%d\n", i, (i + 1) % 40);
    CHECK(file && fclose(file) == 0);
    const graco_load_options options = {.undirected = true};
    CHECK_OK(graco_dataset_load(&data, path, &options));
    return data;
}

static void needs_are_named(const graco_method_info *info, const graco_dataset *bare,
                            const graco_dataset *featured)
{
    graco_config *config = make_config(info->name, "1");
    const graco_dataset *given[] = {bare, featured};
    for (int i = 0; i < 2; i++) {
        if (!info->needs_labels) {
            CHECK_OK(graco_train(NULL, NULL, given[i], config, NULL));
            continue;
        }
        CHECK_FAILS(graco_train(NULL, NULL, given[i], config, NULL), GRACO_ERROR_ARGUMENT,
                    info->name);
        CHECK(strstr(graco_message(), "needs labels"));
    }
    CHECK_OK(graco_config_set(config, "node_features", "given"));
    if (info->needs_features && !info->needs_labels)
        CHECK_FAILS(graco_train(NULL, NULL, bare, config, NULL), GRACO_ERROR_ARGUMENT,
                    "needs node features");
    CHECK_FAILS(graco_config_set(config, "no_such_key", "1"), GRACO_ERROR_ARGUMENT, "no_such_key");
    if (!reads(config, "tau"))
        CHECK_FAILS(graco_config_set(config, "tau", "0.5"), GRACO_ERROR_ARGUMENT, info->name);
    graco_config_free(config);
}

/* The generated features without the labels. */
static graco_dataset *unlabelled(void)
{
    graco_dataset *data = NULL;
    char path[PATH], edges[PATH];
    snprintf(edges, sizeof edges, "%s/edges.csv", root);
    snprintf(path, sizeof path, "%s/features.csv", root);
    FILE *file = fopen(path, "w");
    CHECK(file);
    for (int i = 0; file && i < 40; i++)
        fprintf(file, "%d.5,%d.25\n", i % 7, i % 5);
    CHECK(file && fclose(file) == 0);
    const graco_load_options options = {
        .features_path = path, .undirected = true, .header = "no", .id_column = "none"};
    CHECK_OK(graco_dataset_load(&data, edges, &options));
    return data;
}

/* Four times the nodes and edges take at most about four times the buffers, whatever the method. */
static void memory_is_linear(const char *method)
{
    int64_t bytes[2] = {0};
    for (int i = 0; i < 2; i++) {
        graco_dataset *data = generated(i ? 8000 : 2000, 30);
        graco_config *config = make_config(method, "1");
        graco_train_result result = {0};
        if (strcmp(value_of(config, "epochs"), "0") != 0)
            CHECK_OK(graco_config_set(config, "epochs", "1"));
        CHECK_OK(graco_config_set(config, "memory", "1M"));
        CHECK_OK(graco_train(NULL, &result, data, config, NULL));
        bytes[i] = result.buffer_bytes;
        graco_config_free(config);
        graco_dataset_free(data);
    }
    if (bytes[1] > 5 * bytes[0] + (1 << 20))
        printf("%s: %.2f MB for 2,000 nodes, %.2f MB for 8,000\n", method, (double)bytes[0] / 1e6,
               (double)bytes[1] / 1e6);
    CHECK(bytes[1] <= 5 * bytes[0] + (1 << 20));
}

int main(void)
{
    graco_method_info info = {0};
    if (!mkdtemp(root))
        check_skip("no folder can be made in /tmp");
    graco_dataset *data = generated(NODES, 30), *bare = bare_graph(), *featured = unlabelled();
    for (int i = 0; graco_method_describe(&info, i); i++) {
        int failed = check_failed;
        graco_config *config = make_config(info.name, "1");
        graco_matrix expected = trained(data, config);
        threads_change_no_bit(info.name, data, &expected);
        stops_lose_nothing(info.name, data, &expected);
        more_epochs_go_on(info.name, data);
        kills_lose_nothing(info.name, data, &expected);
        needs_are_named(&info, bare, featured);
        memory_is_linear(info.name);
        if (check_failed > failed)
            fprintf(stderr, "the above is about method %s\n", info.name);
        graco_matrix_clear(&expected);
        graco_config_free(config);
    }
    graco_dataset_free(data);
    graco_dataset_free(bare);
    graco_dataset_free(featured);
    remove_run(root);
    return check_result();
}
