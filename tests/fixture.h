/* What tests of trainings share: data sets, settings, a folder of the test's own, files that are compared.
 *
 *     graco_dataset *data = fixture_data(.nodes = 120, .feature_count = 30);
 *     graco_config config = fixture_config("dgi", "hidden=16 epochs=200 lr=0.01");
 *     graco_train(NULL, NULL, data, &config, &(graco_train_options){.run = fixture_path("run")});
 */
#ifndef TESTS_FIXTURE_H
#define TESTS_FIXTURE_H

#include "check.h"
#include "config/config.h"
#include "data/dataset.h"
#include "methods/method.h"
#include "methods/objective.h"
#include "pinned.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

/* Choices, in the order of their words. */
enum { ENCODER_GCN, ENCODER_SAGE, ENCODER_SAGE_SKIP };
enum { DEVICE_AUTO, DEVICE_CPU, DEVICE_CUDA };

/* A generated data set. A member that is not named, or is 0, is as graco_generate_defaults() has it; a feature_count
 * of -1 makes none. */
#define fixture_data(...) fixture_generate((graco_generate_options){__VA_ARGS__})

static inline graco_dataset *fixture_generate(graco_generate_options wanted)
{
    graco_generate_options options = graco_generate_defaults();
    graco_dataset *data = NULL;
    if (wanted.nodes)
        options.nodes = wanted.nodes;
    if (wanted.classes)
        options.classes = wanted.classes;
    if (wanted.feature_count)
        options.feature_count = wanted.feature_count < 0 ? 0 : wanted.feature_count;
    if (wanted.degree != 0)
        options.degree = wanted.degree;
    if (wanted.homophily != 0)
        options.homophily = wanted.homophily;
    if (wanted.scale != 0)
        options.scale = wanted.scale;
    options.seed = wanted.seed;
    options.dense = wanted.dense;
    options.like = wanted.like;
    CHECK_OK(graco_dataset_generate(&data, &options));
    return data;
}

/* Settings of a method (pinned.h) on two threads of the CPU, changed by "KEY=VALUE ...". */
static inline graco_config fixture_config(const char *name, const char *settings)
{
    const struct method *method = NULL;
    graco_config config;
    CHECK_OK(method_find(&method, name));
    pinned_config(&config, method);
    CHECK_OK(config_apply(&config, "device=cpu threads=2"));
    CHECK_OK(config_apply(&config, settings));
    return config;
}

/* Fills *config with GRACE's preset of that name, or with settings for any graph (pinned.h). */
static inline void preset_config(graco_config *config, const char *name)
{
    const struct method *method = NULL;
    CHECK_OK(method_find(&method, "grace"));
    if (strcmp(graco_preset_for("grace", name ? name : "general"), "general") == 0)
        pinned_config(config, method);
    else
        method_configure(config, method, name);
}

/* A feature of a node, dense or sparse. */
static inline float fixture_feature(const struct features *X, int64_t row, int64_t column)
{
    if (X->dense)
        return X->dense[row * X->cols + column];
    for (int64_t k = X->sparse.start[row]; k < X->sparse.start[row + 1]; k++)
        if (X->sparse.index[k] == column)
            return X->sparse.value[k];
    return 0;
}

/* The data set as that of a run was read. */
static inline graco_status fixture_load_as(graco_dataset **out, const char *source,
                                           const graco_load_options *options, const char *folder)
{
    graco_run *run = NULL;
    graco_status status = graco_run_open(&run, folder);
    if (status == GRACO_OK)
        status = graco_run_data(out, NULL, run, source, options);
    graco_run_free(run);
    return status;
}

/* ---- Training ---- */

/* Trains and embeds the same data; *result may be NULL. */
static inline graco_matrix fixture_train(graco_train_result *result, const graco_dataset *data,
                                         const graco_config *config)
{
    const graco_embed_options options = {.threads = config->threads, .device = "cpu"};
    graco_model *model = NULL;
    graco_matrix Z = {0};
    CHECK_OK(graco_train(&model, result, data, config, NULL));
    CHECK_OK(graco_model_embed(&Z, model, data, &options));
    graco_model_free(model);
    return Z;
}

static inline graco_matrix fixture_embed(const graco_model *model, const graco_dataset *data)
{
    graco_matrix Z = {0};
    CHECK_OK(graco_model_embed(&Z, model, data, &(graco_embed_options){.device = "cpu"}));
    return Z;
}

/* The same bits; frees neither. */
static inline bool fixture_same(const graco_matrix *a, const graco_matrix *b)
{
    return a->rows == b->rows && a->cols == b->cols &&
           memcmp(a->data, b->data, (size_t)(a->rows * a->cols) * sizeof *a->data) == 0;
}

/* For graco_train_options.on_epoch: stops after the epoch that `user`, an int64_t, names. */
static inline bool fixture_stop_at(void *user, const graco_epoch *epoch)
{
    return epoch->epoch != *(const int64_t *)user;
}

/* ---- Files ---- */

static char fixture_root[64] = "/tmp/graco-test-XXXXXX";
static pid_t fixture_owner; /* a process that it forks leaves the folder alone */

static inline int fixture_remove_one(const char *path, const struct stat *about, int kind,
                                     struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    return remove(path);
}

/* Removes a file, or a folder with all that is in it; one that is not there is fine. */
static inline void fixture_remove(const char *path)
{
    nftw(path, fixture_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void fixture_end(void)
{
    if (getpid() == fixture_owner)
        fixture_remove(fixture_root);
}

/* The test's own folder, which goes when the test ends. */
static inline const char *fixture_folder(void)
{
    if (fixture_owner)
        return fixture_root;
    if (!mkdtemp(fixture_root))
        check_skip("no folder for temporary files");
    fixture_owner = getpid();
    atexit(fixture_end);
    return fixture_root;
}

/* Uses another folder in its place, and leaves that one alone. */
static inline void fixture_use(const char *folder)
{
    snprintf(fixture_root, sizeof fixture_root, "%s", folder);
    fixture_owner = -1;
}

/* A path in that folder; valid for the next 31 calls. */
static inline const char *fixture_path(const char *name)
{
    static char paths[32][256];
    static int next;
    char *path = paths[next++ % 32];
    snprintf(path, sizeof paths[0], "%s/%s", fixture_folder(), name);
    return path;
}

/* The bytes of a file and a NUL behind them; to be freed. NULL: there is no such file. */
static inline char *fixture_read(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (!file)
        return NULL;
    CHECK(fstat(fileno(file), &about) == 0);
    char *text = malloc((size_t)about.st_size + 1);
    *length = fread(text, 1, (size_t)about.st_size, file);
    text[*length] = '\0';
    fclose(file);
    return text;
}

/* Two files of the same bytes: `name` in two folders, or the folders are the files if it is NULL. */
static inline bool fixture_same_file(const char *a, const char *b, const char *name)
{
    char path[2][512];
    char *text[2];
    size_t length[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "%s%s%s", i ? b : a, name ? "/" : "", name ? name : "");
        text[i] = fixture_read(path[i], &length[i]);
    }
    bool same =
        text[0] && text[1] && length[0] == length[1] && memcmp(text[0], text[1], length[0]) == 0;
    free(text[0]);
    free(text[1]);
    return same;
}

/* Writes a file of the test's folder. */
static inline void fixture_write(const char *name, const void *bytes, size_t length)
{
    const char *path = fixture_path(name);
    unlink(path); /* some file systems sync a file that is cut and written again */
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, length, file) == length);
    if (file)
        fclose(file);
}

static inline void fixture_text(const char *name, const char *text)
{
    fixture_write(name, text, strlen(text));
}

#endif
