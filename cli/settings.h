/* Settings: from a method, a preset, `--set key=value` and its short forms to a configuration. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "graco.h"
#include "options.h"

enum { SETTINGS_TEXT = 64 };

/* What the command line says; the caller owns what it points to. */
struct settings {
    const char *method;      /* NULL: the first */
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

/* Fills `words` with those that a key takes, ending with NULL, and returns it. */
const char *const *settings_words(const char *words[OPTION_WORDS_MAX], const char *key);

/* Makes *config from the preset that was asked for, else from the one named `name`, which may be NULL.
 * Returns the preset's name, "general" if there is none of its own; NULL, after a message, for an
 * unknown method or preset that was asked for. */
const char *settings_preset(graco_config **config, const struct settings *settings,
                            const char *name);

/* Lays the other settings over `config`. Returns false after a message. */
bool settings_apply(graco_config *config, const struct settings *settings);

/* One value as text; "?" where the method does not read the key. Returns `value`. */
const char *settings_get(char value[SETTINGS_TEXT], const graco_config *config, const char *key);

/* A whole number, -1 where the method does not read the key; and how to set one. */
int64_t settings_integer(const graco_config *config, const char *key);
bool settings_set_integer(graco_config *config, const char *key, int64_t value);

/* Prints every key that the method reads with its help and its value in `config`. */
void settings_help(const graco_config *config, const char *preset);

#endif
