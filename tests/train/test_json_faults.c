/* What is written through JSON: every allocation of jansson, and of ours, fails once. The call then
 * says that memory is short, leaves the old file as it was, and nothing leaks. */
#include "check.h"
#include "presets.h"
#include "faults.h"

#include "base/memory.h"
#include "io/files/file.h"
#include "io/json/json.h"
#include "io/safetensors.h"
#include "train/checkpoint.h"
#include "train/run_folder.h"

#include <jansson.h>
#include <unistd.h>

static char folder[] = "/tmp/graco-test-XXXXXX";
static char path[64];
static long json_left = -1; /* allocations of jansson that still succeed; negative: all do */
static long json_blocks;    /* that are not freed yet */

static void *json_malloc(size_t size)
{
    if (json_left == 0)
        return NULL;
    json_left -= json_left > 0;
    json_blocks++;
    return malloc(size);
}

static void json_release(void *block)
{
    json_blocks -= block != NULL;
    free(block);
}

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
    struct json *object = NULL, *list = NULL, *inside = NULL;
    graco_status status = GRACO_OK;
    TRY(json_create_object(&object));
    TRY(json_create_array(&list));
    TRY(json_add_int(list, 1));
    TRY(json_add_double(list, 0.5));
    TRY(json_add_string(list, "a\"\n\1"));
    TRY(json_create_object(&inside));
    TRY(json_put_null(inside, "n"));
    TRY(json_put_bool(inside, "t", true));
    status = json_add(list, inside);
    inside = NULL;
    TRY(status);
    status = json_put(object, "list", list);
    list = NULL;
    TRY(status);
    TRY(json_put_double(object, "nan", (double)NAN));
    TRY(json_put_double(object, "large", 1e300));
    TRY(json_put_string(object, "text",
                        "and a longer one, so that the block must grow again and "
                        "again until there is room for all of these letters, "
                        "which are many, and more than two hundred and fifty-six "
                        "of them, for that is what the first block has room for"));
    TRY(json_write(path, object));
done:
    json_free(inside);
    json_free(list);
    json_free(object);
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
    graco_config config;
    const graco_dataset_info info = {.name = "set", .nodes = 3, .edges = 4, .features = 5};
    const graco_epoch epoch = {.epoch = 1, .loss = 0.5, .mutual_information = 1, .floored = 2};
    graco_status status = GRACO_OK;
    preset_config(&config, "cora");
    TRY(run_folder_open(&run, folder));
    TRY(run_folder_write_config(run, &config, &info));
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
    TRY(model_create(&model, &config, 3));
    TRY(checkpoint_write(model, path));
done:
    graco_model_free(model);
    return status;
}

static const struct {
    const char *name, *file;
    graco_status (*call)(void);
    bool parses; /* jansson takes a token that it has no memory for to be a bad one */
} calls[] = {
    {"write tensors", "t.safetensors", write_tensors, false},
    {"read tensors", "t.safetensors", read_tensors, true},
    {"write JSON", "j.json", write_json, false},
    {"parse JSON", "j.json", parse_json, true},
    {"log a run", "config.json", log_run, false},
    {"write a checkpoint", "model", write_checkpoint, false},
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

/* Fails allocation n of jansson, or of the library, for n = 0, 1, 2, ... */
static long fail_each(graco_status (*call)(void), bool of_jansson, bool parses)
{
    long n = 0;
    for (;; n++) {
        graco_status status;
        if (of_jansson)
            json_left = n;
        else
            faults_until = n;
        status = call();
        bool hit = of_jansson ? json_left == 0 : faults_until == 0;
        json_left = -1;
        faults_until = -1;
        CHECK(json_blocks == 0 && no_rests());
        if (status == GRACO_OK)
            return n;
        CHECK(hit && (status == GRACO_ERROR_MEMORY ||
                      (parses && of_jansson && status == GRACO_ERROR_FORMAT)));
        CHECK(status == GRACO_ERROR_FORMAT || strstr(graco_message(), "memory"));
        if (n > 5000)
            return -1;
    }
}

int main(void)
{
    CHECK(mkdtemp(folder) != NULL);
    json_set_alloc_funcs(json_malloc, json_release);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, calls[i].file);
        CHECK_OK(calls[i].call());
        long ours = fail_each(calls[i].call, false, calls[i].parses),
             theirs = fail_each(calls[i].call, true, calls[i].parses);
        CHECK(ours >= 0 && theirs >= 0 && ours + theirs > 0);
        printf("%s: %ld allocations of ours, %ld of jansson's\n", calls[i].name, ours, theirs);
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
