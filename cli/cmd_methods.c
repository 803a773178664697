/* graco methods: what there is to train with, a line each; as JSON with settings and presets. */
#include "commands.h"
#include "options.h"
#include "output.h"

#include <stdio.h>

/* One method with the names of its presets and of the settings that it reads. */
static graco_status write_method(struct writer *json, const char *name, const char *help)
{
    graco_config *config = NULL;
    const char *word = NULL;

    graco_status status = graco_config_create(&config, name, NULL);
    if (status != GRACO_OK)
        return status;
    writer_open(json, NULL, '{');
    writer_string(json, "name", name);
    writer_string(json, "help", help);
    writer_open(json, "presets", '[');
    for (int i = 0; (word = graco_preset(name, i)); i++)
        writer_string(json, NULL, word);
    writer_close(json);
    writer_open(json, "settings", '[');
    for (int i = 0; (word = graco_config_key(config, i, NULL)); i++)
        writer_string(json, NULL, word);
    writer_close(json);
    writer_close(json);
    graco_config_free(config);
    return GRACO_OK;
}

static int print_json(void)
{
    struct writer json = {0};
    const char *name = NULL, *help = NULL;
    graco_status status = GRACO_OK;

    writer_open(&json, NULL, '{');
    writer_open(&json, "methods", '[');
    for (int i = 0; status == GRACO_OK && (name = graco_method(i, &help)); i++)
        status = write_method(&json, name, help);
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
        OPTION_ROW_FLAG("json", 0, &json, "print one JSON object, with presets and settings"),
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
