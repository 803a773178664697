/* Opening a run, and what its files say of its trainings. Looking at a folder never fails: what the system does
 * not show is not there. */
#include "run/run.h"

#include "graco_command.h"
#include "base/memory.h"
#include "data/fingerprint.h"
#include "io/files/file.h"
#include "io/files/system.h"
#include "io/json/json.h"
#include "methods/preset_file.h"
#include "run/checkpoint.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* config.json has a few kilobytes, the most of it paths. */
static const int64_t CONFIG_LIMIT = (int64_t)1 << 20;

/* ---- Folders --------------------------------------------------------------------------------- */

graco_status graco_run_folder(char *folder, size_t size, const char *path, int64_t number,
                              int64_t split)
{
    char of_run[32] = "", of_split[32] = "";
    if (number >= 0)
        snprintf(of_run, sizeof of_run, "/run-%lld", (long long)number);
    if (split >= 0)
        snprintf(of_split, sizeof of_split, "/split-%lld", (long long)split);
    int length = snprintf(folder, size, "%s%s%s", path, of_run, of_split);
    if (length + 64 < (int64_t)size) /* room for the names of its files */
        return GRACO_OK;
    return status_fail(GRACO_ERROR_ARGUMENT,
                       "the run folder's name has %d bytes; expected at most %lld", length,
                       (long long)size - 65);
}

/* How many folders of this prefix and a number there are. */
static graco_status count_folders(int64_t *count, const char *folder, const char *prefix)
{
    struct file_list list = {0};
    size_t length = strlen(prefix);
    *count = 0;
    if (!file_is_folder(folder))
        return GRACO_OK;
    PASS(file_list_folder(&list, folder));
    for (int64_t i = 0; i < list.count; i++) {
        const char *digits = list.names[i] + length;
        *count += strncmp(list.names[i], prefix, length) == 0 && *digits &&
                  digits[strspn(digits, "0123456789")] == '\0';
    }
    file_list_clear(&list);
    return GRACO_OK;
}

/* Gaps between the numbers do not matter: a folder that is missing has nothing in it. */
static graco_status find_trainings(struct graco_run *run)
{
    enum { ROOM = 4096 };
    graco_run_info *info = &run->info;
    char folder[ROOM];
    PASS(count_folders(&info->seeds, run->path, "run-"));
    info->seed_folders = info->seeds > 0;
    PASS(graco_run_folder(folder, sizeof folder, run->path, info->seed_folders ? 1 : -1, -1));
    PASS(count_folders(&info->splits, folder, "split-"));
    info->split_folders = info->splits > 0;
    info->seeds = info->seed_folders ? info->seeds : 1;
    info->splits = info->split_folders ? info->splits : 1;
    PASS(memory_zalloc(&run->trainings, info->seeds * info->splits, sizeof *run->trainings));
    for (int64_t i = 0; i < info->seeds * info->splits; i++) {
        PASS(graco_run_folder(folder, sizeof folder, run->path,
                              info->seed_folders ? i / info->splits + 1 : -1,
                              info->split_folders ? i % info->splits : -1));
        PASS(memory_string(&run->trainings[i].folder, folder));
        run->trainings[i].numbered = info->seed_folders || info->split_folders;
    }
    return GRACO_OK;
}

graco_status graco_run_open(graco_run **out, const char *path)
{
    graco_status status = GRACO_OK;
    struct graco_run *run = NULL;
    TRY(memory_zalloc(&run, 1, sizeof *run));
    TRY(memory_string(&run->path, path));
    run->info.path = run->path;
    TRY(find_trainings(run));
    *out = run;
    run = NULL;
done:
    graco_run_free(run);
    return status;
}

static void clear_training(struct run_training *training)
{
    graco_model_free(training->model);
    curve_clear(&training->curve);
    reading_clear(&training->reading);
    graco_config_free(training->config);
    json_free(training->json);
    text_clear(&training->task);
    memory_free(training->folder);
}

void graco_run_free(graco_run *run)
{
    if (!run)
        return;
    for (int64_t i = 0; run->trainings && i < run->info.seeds * run->info.splits; i++) {
        graco_run_close(run, i);
        clear_training(&run->trainings[i]);
    }
    scores_clear(&run->scores);
    baselines_clear(&run->baselines);
    memory_free(run->trainings);
    memory_free(run->path);
    memory_free(run);
}

graco_run_info graco_run_describe(const graco_run *run)
{
    return run->info;
}

const char *graco_run_path(const graco_run *run, int64_t index)
{
    return run->trainings[index].folder;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Bytes of a file of a training; -1: it is not there. */
static int64_t size_of(const char *folder, const char *name, struct stat *found)
{
    char *path = NULL;
    int64_t size = -1;
    if (memory_path(&path, folder, name) == GRACO_OK && stat(path, found) == 0)
        size = found->st_size;
    memory_free(path);
    return size;
}

graco_run_files graco_run_look(const char *folder)
{
    static const char *const names[] = {"config.json", "node_ids.txt", "metrics.jsonl",
                                        "embeddings.npy"};
    struct stat found;
    graco_run_files files = {0};
    files.begun = size_of(folder, "model.safetensors", &found) >= 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t used = strlen(files.others);
        if (size_of(folder, names[i], &found) >= 0)
            snprintf(files.others + used, sizeof files.others - used, "%s%s", used ? ", " : "",
                     names[i]);
    }
    int64_t size = size_of(folder, "embeddings.npy", &found);
    files.embedded = size > 0 || (size == 0 && !S_ISREG(found.st_mode));
    return files;
}

graco_run_state graco_run_stands(const char *folder, bool certain)
{
    struct stat found;
    char *path = NULL;
    bool left_over = false;
    if (memory_path(&path, folder, "lock") != GRACO_OK)
        return GRACO_RUN_NONE;
    int fd = system_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd >= 0 && certain) /* a lock that nobody holds is what a killed training left */
        left_over = system_lock_shared(fd) == 0 && system_same_file(fd, path);
    if (fd >= 0)
        system_close(fd);
    memory_free(path);
    if (fd >= 0 || size_of(folder, "lock", &found) >= 0)
        return left_over ? GRACO_RUN_KILLED : GRACO_RUN_TRAINING;
    if (size_of(folder, "metrics.jsonl", &found) < 0)
        return GRACO_RUN_NONE;
    return size_of(folder, "embeddings.npy", &found) > 0 ? GRACO_RUN_ENDED : GRACO_RUN_STOPPED;
}

/* ---- config.json ----------------------------------------------------------------------------- */

const struct json *run_json(const struct graco_run *run, int64_t index)
{
    return run->trainings[index].json;
}

/* The settings; NULL where the method is one of another version of graco. A key that is not there came later,
 * and has its start value. */
static graco_status read_settings(struct run_training *training)
{
    const char *method = NULL, *key;
    const struct json *value;
    if (!json_as_string(&method, json_find(training->json, "method")))
        return GRACO_OK;
    graco_status status = graco_config_create(&training->config, method, NULL);
    if (status == GRACO_ERROR_ARGUMENT)
        return GRACO_OK;
    PASS(status);
    config_init(training->config, training->config->method, training->config->keys);
    for (int i = 0; (key = graco_config_key(training->config, i, NULL)); i++)
        if ((value = json_find(training->json, key)))
            PASS(preset_set(training->config, key, value));
    return GRACO_OK;
}

static graco_status read_json(struct run_training *training)
{
    const struct json *reading = json_find(training->json, "reading");
    graco_training *about = &training->about;
    json_as_string(&about->dataset, json_find(training->json, "dataset"));
    json_as_string(&about->fingerprint, json_find(training->json, "fingerprint"));
    if (about->fingerprint && !fingerprint_valid(about->fingerprint))
        about->fingerprint = NULL; /* an older graco had none */
    if (reading) {
        graco_status status = reading_get(&training->reading, reading);
        if (status != GRACO_OK)
            return status_context(status, "reading");
    }
    about->source = training->reading.source;
    return read_settings(training);
}

/* What the settings say beside themselves. */
static void describe_settings(graco_training *about)
{
    char text[CONFIG_TEXT];
    about->split = -1;
    if (!about->config)
        return;
    about->seed = about->config->seed;
    if (graco_config_get(about->config, "split", text, sizeof text) == GRACO_OK)
        about->split = strtoll(text, NULL, 10);
}

static graco_status read_config(struct run_training *training)
{
    char *path = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_path(&path, training->folder, "config.json"));
    if (file_is_folder(training->folder) && file_exists(path)) {
        TRY(json_parse_file(&training->json, path, CONFIG_LIMIT));
        status = read_json(training);
        if (status == GRACO_ERROR_ARGUMENT)
            status = GRACO_ERROR_FORMAT;
        if (status != GRACO_OK)
            status_context(status, "%s", path);
    }
done:
    if (status != GRACO_OK) { /* it is as if nothing had been read */
        graco_config_free(training->config);
        json_free(training->json);
        reading_clear(&training->reading);
        training->config = NULL;
        training->json = NULL;
        training->about = (graco_training){0};
    }
    memory_free(path);
    return status;
}

/* What config.json does not say, the checkpoint may. One that is damaged says nothing either, unless it is all that
 * there is. */
static graco_status ask_checkpoint(struct graco_run *run, int64_t index)
{
    struct run_training *training = &run->trainings[index];
    graco_training *about = &training->about;
    const graco_model *model = NULL;
    if ((about->config && about->fingerprint) || !graco_run_look(training->folder).begun)
        return GRACO_OK;
    graco_status status = graco_run_model(&model, run, index);
    if (status == GRACO_ERROR_FORMAT && training->json)
        return GRACO_OK;
    PASS(status);
    if (!about->config)
        about->config = &model->config;
    if (!about->fingerprint && *model->fingerprint)
        about->fingerprint = model->fingerprint;
    return GRACO_OK;
}

graco_status graco_run_training(graco_training *out, graco_run *run, int64_t index)
{
    struct run_training *training = &run->trainings[index];
    graco_training *about = &training->about;
    if (!training->asked) {
        if (!training->json) /* it is there where the checkpoint failed before */
            PASS(read_config(training));
        about->config = training->config;
        PASS(ask_checkpoint(run, index));
        describe_settings(about);
        training->asked = true;
    }
    *out = *about;
    return GRACO_OK;
}

/* ---- The model ------------------------------------------------------------------------------- */

graco_status graco_run_model(const graco_model **out, graco_run *run, int64_t index)
{
    struct run_training *training = &run->trainings[index];
    if (!training->model)
        PASS(graco_model_load(&training->model, training->folder));
    *out = training->model;
    return GRACO_OK;
}
