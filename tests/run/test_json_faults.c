/* What is written through JSON: every allocation fails once. The call then says that memory is
 * short, leaves the old file as it was, and no temporary file stays behind. */
#include "check.h"
#include "fixture.h"
#include "faults.h"

#include "base/memory.h"
#include "io/files/file.h"
#include "io/json/json.h"
#include "io/safetensors.h"
#include "run/checkpoint.h"
#include "run/run_folder.h"

#include <unistd.h>

static char folder[] = "/tmp/graco-test-XXXXXX";
static char path[64];

/* ---- The calls ------------------------------------------------------------------------------- */

static graco_status write_tensors(void)
{
    const float values[6] = {1, 2, 3, 4, 5, 6};
    const int64_t shape[2] = {2, 3};
    struct array array;
    graco_status status = array_borrow(&array, ARRAY_F32, values, 2, shape);
    if (status != GRACO_OK)
        return status;
    return safetensors_write(path, (struct safetensors_entry[]){{"a", &array}, {"b", &array}}, 2,
                             (struct safetensors_pair[]){{"k", "v"}, {"l", "w"}}, 2);
}

static graco_status read_tensors(void)
{
    struct safetensors *file = NULL;
    graco_status status = safetensors_read(&file, path);
    safetensors_free(file);
    return status;
}

static graco_status write_json(void)
{
    struct writer json = {.style = WRITER_PRETTY};
    graco_status status = GRACO_OK;
    writer_open(&json, NULL, '{');
    writer_string(&json, "short", "a\"\n\1");
    writer_string(&json, "text",
                  "and a longer one, so that the block must grow again and "
                  "again until there is room for all of these letters, "
                  "which are many, and more than two hundred and fifty-six "
                  "of them, for that is what the first block has room for");
    writer_close(&json);
    TRY(writer_finish(&json));
    TRY(file_write_text(path, &json.text));
done:
    writer_clear(&json);
    return status;
}

static graco_status parse_json(void)
{
    struct json *value = NULL;
    graco_status status = json_parse_file(&value, path, 1 << 20);
    json_free(value);
    return status;
}

static graco_status log_run(void)
{
    struct run_folder *run = NULL;
    char name[] = "set";
    struct graph graph = {.nodes = 3, .edges = 4};
    struct graco_model model = {.fingerprint = "3"};
    const struct graco_dataset data = {
        .name = name,
        .graph = &graph,
        .reading = {.source = "set.csv", .options = {.undirected = true}}};
    const graco_epoch epoch = {.epoch = 1, .loss = 0.5, .mutual_information = 1, .floored = 2};
    graco_status status = GRACO_OK;
    preset_config(&model.config, "cora");
    TRY(run_folder_open(&run, folder));
    TRY(run_folder_write_config(run, &model, &data));
    TRY(run_folder_start_metrics(run, 1));
    TRY(run_folder_log(run, &epoch));
done:
    run_folder_free(run);
    return status;
}

static graco_status write_checkpoint(void)
{
    struct graco_model *model = NULL;
    graco_config config;
    graco_status status = GRACO_OK;
    preset_config(&config, "cora");
    config.hidden = 2;
    TRY(model_create(&model, &config, (struct model_sizes){.cols = 3}));
    TRY(checkpoint_write(model, path));
done:
    graco_model_free(model);
    return status;
}

static graco_status read_as(void)
{
    graco_dataset *data = NULL;
    graco_status status = GRACO_OK;
    if (!file_exists(path))
        CHECK_OK(file_write_atomic(path, "0 1\n", 4));
    TRY(fixture_load_as(&data, path, NULL, folder));
    CHECK(graco_dataset_describe(data).edges == 2);
done:
    graco_dataset_free(data);
    return status;
}

static const struct {
    const char *name, *file;
    graco_status (*call)(void);
} calls[] = {
    {"write tensors", "t.safetensors", write_tensors},
    {"read tensors", "t.safetensors", read_tensors},
    {"write JSON", "j.json", write_json},
    {"parse JSON", "j.json", parse_json},
    {"log a run", "config.json", log_run},
    {"write a checkpoint", "model", write_checkpoint},
    {"read as a run did", "edges.txt", read_as}, /* which log_run has recorded */
};

/* ---- The loop -------------------------------------------------------------------------------- */

/* Only whole files are in the folder: no temporary one stays behind. */
static bool no_rests(void)
{
    struct file_list list = {0};
    bool clean = true;
    CHECK_OK(file_list_folder(&list, folder));
    for (int64_t i = 0; i < list.count; i++)
        clean = clean && !strstr(list.names[i], ".tmp");
    file_list_clear(&list);
    return clean;
}

/* Fails allocation n for n = 0, 1, 2, ... until there are no more, and says how many there were. */
static long fail_each(graco_status (*call)(void))
{
    for (long n = 0; n <= 5000; n++) {
        faults_until = n;
        graco_status status = call();
        bool hit = faults_until == 0;
        faults_until = -1;
        CHECK(no_rests());
        if (status == GRACO_OK)
            return n;
        CHECK(hit && status == GRACO_ERROR_MEMORY && strstr(graco_message(), "memory"));
    }
    return -1;
}

int main(void)
{
    CHECK(mkdtemp(folder) != NULL);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, calls[i].file);
        CHECK_OK(calls[i].call());
        long count = fail_each(calls[i].call);
        CHECK(count > 0);
        printf("%s: %ld allocations\n", calls[i].name, count);
    }
    struct file_list list = {0};
    CHECK_OK(file_list_folder(&list, folder));
    for (int64_t i = 0; i < list.count; i++) {
        char name[512];
        snprintf(name, sizeof name, "%s/%.200s", folder, list.names[i]);
        unlink(name);
    }
    file_list_clear(&list);
    rmdir(folder);
    return check_result();
}
