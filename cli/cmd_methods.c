/* graco methods: what there is to train with, a line each; as JSON with settings and presets. */
#include "commands.h"
#include "options.h"
#include "output.h"

#include <stdio.h>

/* The words that a setting takes; nothing where it is no choice. */
static void write_words(struct writer *json, const char *key)
{
    const char *word = NULL;

    if (!graco_config_word(key, 0))
        return;
    writer_open(json, "words", '[');
    for (int i = 0; (word = graco_config_word(key, i)); i++)
        writer_string(json, NULL, word);
    writer_close(json);
}

/* Every setting that a method reads, with its general value. */
static graco_status write_settings(struct writer *json, const char *method)
{
    graco_config *config = NULL;
    const char *key = NULL, *help = NULL;
    char value[64];

    graco_status status = graco_config_create(&config, method, NULL);
    for (int i = 0; status == GRACO_OK && (key = graco_config_key(config, i, &help)); i++) {
        status = graco_config_get(config, key, value, sizeof value);
        writer_open(json, NULL, '{');
        writer_string(json, "key", key);
        writer_string(json, "help", help);
        writer_string(json, "value", status == GRACO_OK ? value : "");
        write_words(json, key);
        writer_close(json);
    }
    graco_config_free(config);
    return status;
}

static int print_json(void)
{
    struct writer json = {0};
    const char *name = NULL, *help = NULL, *preset = NULL;
    graco_status status = GRACO_OK;

    writer_open(&json, NULL, '{');
    writer_open(&json, "methods", '[');
    for (int i = 0; status == GRACO_OK && (name = graco_method(i, &help)); i++) {
        writer_open(&json, NULL, '{');
        writer_string(&json, "name", name);
        writer_string(&json, "help", help);
        writer_open(&json, "presets", '[');
        for (int k = 0; (preset = graco_preset(name, k)); k++)
            writer_string(&json, NULL, preset);
        writer_close(&json);
        writer_open(&json, "settings", '[');
        status = write_settings(&json, name);
        writer_close(&json);
        writer_close(&json);
    }
    writer_close(&json);
    writer_close(&json);
    if (status == GRACO_OK)
        return output_json(&json);
    writer_clear(&json);
    return output_failure(status);
}

int cmd_methods(int argc, char **argv)
{
    const char *name = NULL, *help = NULL;
    bool json = false;
    const struct option options[] = {
        OPTION_ROW_FLAG("json", 0, &json, "print one JSON object, with settings and presets"),
        {0},
    };
    struct command command = {
        .name = "methods",
        .synopsis = "[--json]",
        .summary = "Lists the methods of `graco train --method NAME`; `graco help train --method\n"
                   "NAME` has the settings of one.",
        .options = options,
    };

    int code = options_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    if (json)
        return print_json();
    for (int i = 0; (name = graco_method(i, &help)); i++)
        printf("%-12s %s\n", name, help);
    return output_finish();
}
