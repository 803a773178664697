/* What a run was trained on is what is used: its data can be read again as they were, and other data
 * are told by their fingerprint. */
#include "graco_command.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "data/fingerprint.h"
#include "io/files/file.h"
#include "io/json/json.h"
#include "methods/method.h"

#include <stdio.h>

/* config.json has a few kilobytes, the most of it paths. */
static const int64_t CONFIG_LIMIT = (int64_t)1 << 20;

graco_status graco_model_compare(char words[GRACO_DIFFERENCES], const graco_model *model,
                                 const graco_dataset *data)
{
    char found[GRACO_FINGERPRINT];
    PASS(graco_dataset_fingerprint(found, data));
    bool supervised = model->method->needs & METHOD_NEEDS_LABELS;
    unsigned split = supervised || model->config.inductive ? FINGERPRINT_SPLIT : 0;
    fingerprint_compare(words, model->fingerprint, found,
                        split | (supervised ? FINGERPRINT_LABELS : 0));
    return GRACO_OK;
}

/* How the data of a run were read; nothing where the folder does not say. */
static graco_status read_reading(struct reading *out, const char *run)
{
    graco_status status = GRACO_OK;
    struct json *object = NULL;
    const struct json *reading;
    char *path = NULL;
    TRY(memory_path(&path, run, "config.json"));
    if (!file_exists(path))
        goto done;
    TRY(json_parse_file(&object, path, CONFIG_LIMIT));
    reading = json_find(object, "reading");
    if (reading)
        status = reading_get(out, reading);
    if (status != GRACO_OK)
        status_context(status, "%s: reading", path);
done:
    json_free(object);
    memory_free(path);
    return status;
}

static graco_status add_note(graco_dataset *data, const char *added, const char *run)
{
    char note[1024];
    int slot = 0;
    while (data->notes[slot])
        slot++;
    snprintf(note, sizeof note, "%s: read as the data of %.200s were: %.600s", data->name, run,
             added);
    return memory_string(&data->notes[slot], note);
}

graco_status graco_dataset_load_as(graco_dataset **out, const char *source,
                                   const graco_load_options *options, const char *run)
{
    graco_load_options all = options ? *options : (graco_load_options){0};
    struct reading reading = {0};
    graco_dataset *data = NULL;
    graco_status status = GRACO_OK;
    char added[512];
    TRY(read_reading(&reading, run));
    reading_apply(&all, added, sizeof added, &reading, source);
    TRY(graco_dataset_load(&data, source, &all));
    if (*added)
        TRY(add_note(data, added, run));
    *out = data;
    data = NULL;
done:
    graco_dataset_free(data);
    reading_clear(&reading);
    return status;
}
