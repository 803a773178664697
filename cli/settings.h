/* Settings: from a preset, `--set key=value` and their short forms to a configuration. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "graco.h"
#include "options.h"

/* What the command line says; the caller owns what it points to. */
struct settings {
    const char *preset;      /* NULL: the one named like the data set */
    struct option_list sets; /* key=value */
    const char *objective;   /* NULL: the preset's */
    const char *device;      /* NULL: the preset's */
    const char *precision;   /* NULL: the preset's */
    int64_t epochs;          /* -1: the preset's */
    int64_t seed;            /* -1: the preset's */
    int64_t threads;         /* -1: the preset's */
    int64_t memory;          /* -1: the preset's */
};

/* The names that --objective takes, in the order of graco_objective, ending with NULL. */
extern const char *const settings_objectives[];

/* The same for --device and --precision, in the order of graco_device and graco_precision. */
extern const char *const settings_devices[], *const settings_precisions[];

/* The place of a word that is in `words`. */
int settings_place(const char *word, const char *const *words);

/* Fills `config` with the preset that was asked for, else the one named `name`, which may be NULL.
 * Returns the preset's name, "general" if there is none of its own; NULL, after a message, for an
 * unknown one that was asked for. */
const char *settings_preset(graco_config *config, const struct settings *settings,
                            const char *name);

/* Lays the other settings over `config`. Returns false after a message. */
bool settings_apply(graco_config *config, const struct settings *settings);

/* Prints every key with its help and its value in `config`. */
void settings_help(const graco_config *config, const char *preset);

#endif
