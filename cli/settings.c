/* Settings. The library owns methods, keys, words, checks and presets; this names them on a command
 * line, says what went wrong there, and suggests what was probably meant. */
#include "settings.h"

#include "graco_command.h"
#include "graco_more.h"
#include "commands.h"
#include "output.h"
#include "base/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const settings_short_forms[SHORT_FORMS] = {
    [SHORT_OBJECTIVE] = "objective", [SHORT_EPOCHS] = "epochs",
    [SHORT_SEED] = "seed",           [SHORT_DEVICE] = "device",
    [SHORT_PRECISION] = "precision", [SHORT_THREADS] = "threads",
    [SHORT_MEMORY] = "memory",       [SHORT_NODE_FEATURES] = "node_features",
};

enum { KEYS_MAX = 62, KEY_COLUMN = 21 };

const char *const *settings_words(const char *words[OPTION_WORDS_MAX], const char *key)
{
    int count = 0;

    while (count < OPTION_WORDS_MAX - 1 && (words[count] = graco_config_word(key, count)))
        count++;
    words[count] = NULL;
    return words;
}

/* The presets of a method, ending with "general" and NULL. */
static const char *const *list_presets(const char *names[KEYS_MAX + 2], const char *method)
{
    int count = 0;

    while (count < KEYS_MAX && (names[count] = graco_preset(method, count)))
        count++;
    names[count] = "general";
    names[count + 1] = NULL;
    return names;
}

/* The command that messages name. */
static const char *command_of(const struct settings *settings)
{
    return settings->command ? settings->command : "train";
}

/* Whether a preset is a file rather than a name. */
static bool is_file(const char *preset)
{
    size_t length = strlen(preset);
    return strchr(preset, '/') || (length > 5 && strcmp(preset + length - 5, ".json") == 0);
}

static int load_preset(graco_config **config, const struct settings *settings)
{
    graco_config *loaded = NULL;
    graco_status status = graco_config_load(&loaded, settings->preset);

    if (status != GRACO_OK)
        return output_failure(status);
    const char *method = graco_config_method(loaded);
    if (settings->method && strcmp(settings->method, method) != 0) {
        output_error("%s: --preset %s is for the method %s, and --method is %s",
                     command_of(settings), settings->preset, method, settings->method);
        graco_config_free(loaded);
        return EXIT_USAGE;
    }
    *config = loaded;
    return EXIT_FINE;
}

int settings_preset(graco_config **config, const char **preset, const struct settings *settings,
                    const char *name)
{
    *preset = settings->preset ? settings->preset : graco_preset_for(settings->method, name);
    if (settings->preset && is_file(settings->preset))
        return load_preset(config, settings);
    graco_status status = graco_config_create(config, settings->method, *preset);
    if (status != GRACO_OK) {
        output_error("%s: %s", command_of(settings), graco_message());
        return status == GRACO_ERROR_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
    }
    return EXIT_FINE;
}

/* The keys that the method of `config` reads, ending with NULL. */
static const char *const *list_keys(const char *names[KEYS_MAX + 1], const graco_config *config)
{
    int count = 0;

    while (count < KEYS_MAX && (names[count] = graco_config_key(config, count, NULL)))
        count++;
    names[count] = NULL;
    return names;
}

static bool set(graco_config *config, const struct settings *settings, const char *key,
                const char *value)
{
    if (!value || graco_config_set(config, key, value) == GRACO_OK)
        return true;
    /* The library's "epochs is 'x'" is said of the option. */
    bool named = strncmp(graco_message(), key, strlen(key)) == 0;
    output_error("%s: %s%s", command_of(settings), named ? "--" : "", graco_message());
    return false;
}

/* One "key=value". */
static bool set_pair(graco_config *config, const struct settings *settings, const char *pair)
{
    const char *equals = strchr(pair, '=');
    char key[64];

    if (!equals || equals == pair) {
        output_error("%s: --set is '%s'; expected key=value, such as hidden=256",
                     command_of(settings), pair);
        return false;
    }
    snprintf(key, sizeof key, "%.*s", (int)(equals - pair < 63 ? equals - pair : 63), pair);
    if (graco_config_set(config, key, equals + 1) == GRACO_OK)
        return true;
    output_error("%s: --set: %s", command_of(settings), graco_message());
    return false;
}

bool settings_apply(graco_config *config, const struct settings *settings)
{
    bool right = true;

    for (int i = 0; right && i < settings->sets.count; i++)
        right = set_pair(config, settings, settings->sets.values[i]);
    for (int i = 0; right && i < SHORT_FORMS; i++)
        right = set(config, settings, settings_short_forms[i], settings->given[i]);
    return right;
}

int settings_make(graco_config **config, const char **preset, const struct settings *settings,
                  const char *name)
{
    graco_config *made = NULL;
    int code = settings_preset(&made, preset, settings, name);

    if (code == EXIT_FINE && !settings_apply(made, settings))
        code = EXIT_USAGE;
    if (code == EXIT_FINE)
        *config = made;
    else
        graco_config_free(made);
    return code;
}

const char *settings_get(char value[SETTINGS_TEXT], const graco_config *config, const char *key)
{
    if (graco_config_get(config, key, value, SETTINGS_TEXT) != GRACO_OK)
        snprintf(value, SETTINGS_TEXT, "?");
    return value;
}

const char *settings_show(char value[SETTINGS_TEXT], const graco_config *config, const char *key)
{
    static const char units[] = "KMGT";
    int unit = -1;

    settings_get(value, config, key);
    if (strcmp(key, settings_short_forms[SHORT_MEMORY]) != 0)
        return value;
    unsigned long long bytes = strtoull(value, NULL, 10);
    for (; bytes > 0 && bytes % 1024 == 0 && unit < 3; unit++)
        bytes /= 1024;
    if (unit >= 0)
        snprintf(value, SETTINGS_TEXT, "%llu%c", bytes, units[unit]);
    return value;
}

void settings_say_features(const graco_config *config, const graco_dataset_info *data)
{
    graco_method_info method = {0};
    char value[SETTINGS_TEXT];
    for (int i = 0; graco_method_describe(&method, i); i++)
        if (strcmp(method.name, graco_config_method(config)) == 0)
            break;
    settings_get(value, config, settings_short_forms[SHORT_NODE_FEATURES]);
    if (method.needs_features && data->feature_count == 0 && strcmp(value, "auto") == 0)
        output_note("%s has no features: spectral ones are made from its edges (--node-features)",
                    data->name);
}

graco_status settings_resolve(graco_config *config, const graco_dataset *data, int64_t ranks,
                              bool quiet)
{
    static const char *const keys[] = {"objective", "parts", "width", "batch", "epochs", NULL};
    const graco_dataset_info info = graco_dataset_describe(data);
    graco_config *asked = NULL;
    char before[SETTINGS_TEXT], after[SETTINGS_TEXT], why[160], chosen[256] = "";
    graco_status status = graco_config_copy(&asked, config);
    if (status == GRACO_OK)
        status = graco_config_resolve(why, sizeof why, config, data, ranks);
    for (int i = 0; keys[i] && status == GRACO_OK && *why; i++)
        if (strcmp(settings_get(before, asked, keys[i]), settings_get(after, config, keys[i])) != 0)
            snprintf(chosen + strlen(chosen), sizeof chosen - strlen(chosen), "%s%s=%s",
                     *chosen ? " " : "", keys[i], after);
    if (*chosen && !quiet)
        output_note("chosen for %" PRId64 " nodes and %" PRId64 " edges: %s (%s)", info.nodes,
                    info.edges, chosen, why);
    graco_config_free(asked);
    return status;
}

const char *settings_like(const char *word)
{
    const char *names[KEYS_MAX + 1], *method = NULL, *found = NULL;

    for (int i = 0; (method = graco_method(i)) && !found; i++) {
        graco_config *config = NULL;

        if (graco_config_create(&config, method, NULL) != GRACO_OK)
            return NULL;
        found = words_nearest(word, list_keys(names, config));
        graco_config_free(config);
    }
    return found;
}

void settings_help(const graco_config *config, const char *preset)
{
    const char *names[KEYS_MAX + 2], *words[OPTION_WORDS_MAX], *key = NULL, *help = NULL;
    const char *method = graco_config_method(config);
    char value[SETTINGS_TEXT];

    printf("\nkeys of --set for the method %s (values of preset %s in brackets):\n", method,
           preset);
    for (int i = 0; (key = graco_config_key(config, i, &help)); i++)
        options_row(KEY_COLUMN, key, help, settings_words(words, key),
                    settings_show(value, config, key));
    putchar('\n');
    options_list("presets", list_presets(names, method));
}

int settings_command_help(const struct command *command, struct settings *settings)
{
    graco_config *config = NULL;
    const char *source = command->count ? command->arguments[0] : "generated";
    const char *slash = strrchr(source, '/'), *preset = NULL;
    char values[SHORT_FORMS][SETTINGS_TEXT];
    int code = settings_make(&config, &preset, settings, slash ? slash + 1 : source);
    if (code != EXIT_FINE)
        return code;
    settings->method = graco_config_method(config);
    settings->preset = preset;
    for (int i = 0; i < SHORT_FORMS; i++)
        if (*settings_show(values[i], config, settings_short_forms[i]) != '?')
            settings->given[i] = values[i];
    code = options_help(command);
    if (code == EXIT_FINE)
        settings_help(config, preset);
    graco_config_free(config);
    return code == EXIT_FINE ? output_finish() : code;
}
