/* Settings. The library owns the keys, their checks and the presets; this names them on a line. */
#include "settings.h"
#include "output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const settings_objectives[] = {"exact", "infonce", "moment", NULL};
const char *const settings_devices[] = {"auto", "cpu", "cuda", NULL};
const char *const settings_precisions[] = {"fp32", "tf32", "fp16", NULL};

/* Names that may have a preset: the library says which do. */
static const char *const candidates[] = {"cora", "citeseer", "pubmed", "dblp", "reddit", "ppi"};

enum { CANDIDATES = sizeof(candidates) / sizeof(candidates[0]), KEYS_MAX = 62 };

/* The presets there are, ending with NULL, and as text. */
static void list_presets(const char *names[CANDIDATES + 2], char text[128])
{
    graco_config config;
    int count = 0;
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < CANDIDATES; i++)
        if (graco_config_preset(&config, candidates[i])) {
            names[count++] = candidates[i];
            used += (size_t)snprintf(text + used, 128 - used, "%s, ", candidates[i]);
        }
    snprintf(text + used, 128 - used, "general");
    names[count++] = "general";
    names[count] = NULL;
}

const char *settings_preset(graco_config *config, const struct settings *settings, const char *name)
{
    const char *names[CANDIDATES + 2];
    char text[128];

    if (graco_config_preset(config, settings->preset ? settings->preset : name))
        return settings->preset ? settings->preset : name;
    if (!settings->preset || strcmp(settings->preset, "general") == 0)
        return "general";
    list_presets(names, text);
    const char *nearest = options_nearest(settings->preset, names);
    output_error("train: --preset is '%s'; expected one of: %s%s%s%s", settings->preset, text,
                 nearest ? " (did you mean " : "", nearest ? nearest : "", nearest ? "?)" : "");
    return NULL;
}

static bool set(graco_config *config, const char *key, const char *value)
{
    if (graco_config_set(config, key, value) == GRACO_OK)
        return true;
    output_error("train: %s", graco_message());
    return false;
}

static bool set_integer(graco_config *config, const char *key, int64_t value)
{
    char text[32];

    snprintf(text, sizeof(text), "%" PRId64, value);
    return set(config, key, text);
}

static bool unknown_key(const char *key)
{
    const char *names[KEYS_MAX + 1], *help = NULL;
    char allowed[1024] = "";
    size_t used = 0;
    int count = 0;

    for (; count < KEYS_MAX && (names[count] = graco_config_key(count, &help)); count++) {
        int added = snprintf(allowed + used, sizeof(allowed) - used, "%s%s", count ? ", " : "",
                             names[count]);
        used += added < (int)(sizeof(allowed) - used) ? (size_t)added : 0;
    }
    names[count] = NULL;
    const char *nearest = options_nearest(key, names);
    output_error("train: --set has the unknown key '%s'%s%s%s; allowed: %s", key,
                 nearest ? " (did you mean " : "", nearest ? nearest : "", nearest ? "?)" : "",
                 allowed);
    return false;
}

/* One "key=value". */
static bool set_pair(graco_config *config, const char *pair)
{
    char key[64];
    const char *help = NULL, *name = NULL, *equals = strchr(pair, '=');

    if (!equals || equals == pair) {
        output_error("train: --set is '%s'; expected key=value, such as hidden=256", pair);
        return false;
    }
    snprintf(key, sizeof(key), "%.*s", (int)(equals - pair < 63 ? equals - pair : 63), pair);
    for (int i = 0; (name = graco_config_key(i, &help)); i++)
        if (strcmp(name, key) == 0)
            return set(config, key, equals + 1);
    return unknown_key(key);
}

int settings_place(const char *word, const char *const *words)
{
    int place = 0;

    while (words[place + 1] && strcmp(word, words[place]) != 0)
        place++;
    return place;
}

bool settings_apply(graco_config *config, const struct settings *settings)
{
    for (int i = 0; i < settings->sets.count; i++)
        if (!set_pair(config, settings->sets.values[i]))
            return false;
    if (settings->objective)
        config->objective =
            (graco_objective)settings_place(settings->objective, settings_objectives);
    if (settings->device)
        config->device = (graco_device)settings_place(settings->device, settings_devices);
    if (settings->precision)
        config->precision =
            (graco_precision)settings_place(settings->precision, settings_precisions);
    if (settings->epochs >= 0 && !set_integer(config, "epochs", settings->epochs))
        return false;
    if (settings->seed >= 0)
        config->seed = (uint64_t)settings->seed;
    if (settings->threads >= 0)
        config->threads = settings->threads;
    if (settings->memory >= 0)
        config->memory = settings->memory;
    return true;
}

void settings_help(const graco_config *config, const char *preset)
{
    const char *names[CANDIDATES + 2], *key = NULL, *help = NULL;
    char text[128], value[128];

    printf("\nkeys of --set (values of preset %s in brackets):\n", preset);
    for (int i = 0; (key = graco_config_key(i, &help)); i++) {
        if (graco_config_get(config, key, value, sizeof(value)) != GRACO_OK)
            snprintf(value, sizeof(value), "?");
        printf("  %-18s %s [%s]\n", key, help, value);
    }
    list_presets(names, text);
    printf("\npresets: %s\n", text);
}
