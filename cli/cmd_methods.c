/* graco methods: what there is to train with, what each needs and who published it; as JSON with
 * settings and presets. */
#include "commands.h"
#include "options.h"
#include "output.h"

#include <stdio.h>

#define METHOD(member, kind) FIELD(graco_method_info, member, kind)
static const struct field METHOD_FIELDS[] = {
    METHOD(name, STRING),       METHOD(help, STRING),
    METHOD(supervised, BOOL),   METHOD(needs_features, BOOL),
    METHOD(needs_labels, BOOL), METHOD(scale, STRING),
    METHOD(reference, STRING),  {0}};

/* One method with the names of its presets and of the settings that it reads. */
static graco_status write_method(struct writer *json, const graco_method_info *info)
{
    graco_config *config = NULL;
    const char *word = NULL, *name = info->name;

    graco_status status = graco_config_create(&config, name, NULL);
    if (status != GRACO_OK)
        return status;
    writer_open(json, NULL, '{');
    writer_fields(json, METHOD_FIELDS, info);
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
    graco_method_info info;
    graco_status status = GRACO_OK;

    writer_open(&json, NULL, '{');
    writer_open(&json, "methods", '[');
    for (int i = 0; status == GRACO_OK && graco_method_describe(&info, i); i++)
        status = write_method(&json, &info);
    writer_close(&json);
    writer_close(&json);
    if (status == GRACO_OK)
        return output_json(&json);
    writer_clear(&json);
    return output_failure(status);
}

int cmd_methods(int argc, char **argv)
{
    graco_method_info info;
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
    for (int i = 0; graco_method_describe(&info, i); i++) {
        printf("%-12s %s\n", info.name, info.help);
        printf("%-12s %s; needs %s%s%s\n", "", info.supervised ? "supervised" : "unsupervised",
               info.needs_features ? "features" : "",
               info.needs_features && info.needs_labels ? " and " : "",
               info.needs_labels     ? "labels"
               : info.needs_features ? ""
                                     : "edges alone");
        printf("%-12s %s\n%-12s %s\n", "", info.scale, "", info.reference);
    }
    return output_finish();
}
