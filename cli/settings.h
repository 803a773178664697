/* Settings: from a method, a preset, `--set key=value` and its short forms to a configuration. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "graco.h"
#include "options.h"

enum { SETTINGS_TEXT = 64 };

/* Options that are short for --set, with the name of their key. */
enum short_form {
    SHORT_OBJECTIVE,
    SHORT_EPOCHS,
    SHORT_SEED,
    SHORT_DEVICE,
    SHORT_PRECISION,
    SHORT_THREADS,
    SHORT_MEMORY,
    SHORT_NODE_FEATURES,
    SHORT_FORMS,
};

extern const char *const settings_short_forms[SHORT_FORMS];

/* What the command line says; the caller owns what it points to. NULL where it says nothing. */
struct settings {
    const char *command;     /* that messages name; NULL: train */
    const char *method;      /* by default the first, or that of a preset file */
    const char *preset;      /* by default the one named like the data set */
    struct option_list sets; /* key=value */
    const char *given[SHORT_FORMS];
};

/* The words of options that have some, for the two macros below. */
struct settings_choices {
    const char *methods[OPTION_WORDS_MAX], *objectives[OPTION_WORDS_MAX],
        *devices[OPTION_WORDS_MAX], *precisions[OPTION_WORDS_MAX], *features[OPTION_WORDS_MAX];
};

/* Rows of an option table that fill a struct settings: what is learnt, and where. */
#define SETTINGS_OPTIONS(settings, choices)                                                        \
    OPTION_ROW_CHOICE("method", "NAME", &(settings).method,                                        \
                      options_words((choices).methods, graco_method),                              \
                      "how to learn, as `graco methods` says"),                                    \
        OPTION_ROW_TEXT("preset", 0, "NAME|FILE", &(settings).preset,                              \
                        "hyperparameters; by default those named like the data set"),              \
        OPTION_ROW_LIST("set", "KEY=VALUE", &(settings).sets,                                      \
                        "set one hyperparameter; may be repeated"),                                \
        OPTION_ROW_CHOICE("objective", "NAME", &(settings).given[SHORT_OBJECTIVE],                 \
                          settings_words((choices).objectives, "objective"),                       \
                          "which pairs the loss looks at"),                                        \
        OPTION_ROW_CHOICE("node-features", "NAME", &(settings).given[SHORT_NODE_FEATURES],         \
                          settings_words((choices).features, "node_features"),                     \
                          "given, or made from edges"),                                            \
        OPTION_ROW_TEXT("epochs", 0, "N", &(settings).given[SHORT_EPOCHS],                         \
                        "the same as --set epochs=N"),                                             \
        OPTION_ROW_TEXT("seed", 0, "N", &(settings).given[SHORT_SEED], "seed of the first run")

#define SETTINGS_MACHINE_OPTIONS(settings, choices)                                                \
    OPTION_ROW_CHOICE("device", "NAME", &(settings).given[SHORT_DEVICE],                           \
                      settings_words((choices).devices, "device"),                                 \
                      "auto: a GPU if there is one; cpu; cuda"),                                   \
        OPTION_ROW_CHOICE("precision", "NAME", &(settings).given[SHORT_PRECISION],                 \
                          settings_words((choices).precisions, "precision"),                       \
                          "operands of products: fp32, tf32, fp16, bf16"),                         \
        OPTION_ROW_TEXT("threads", 0, "N", &(settings).given[SHORT_THREADS],                       \
                        "threads; 0: one per core"),                                               \
        OPTION_ROW_TEXT("memory", 0, "SIZE", &(settings).given[SHORT_MEMORY],                      \
                        "what the objective's tiles may fill, such as 256M or 4G")

/* Fills `words` with those that a key takes, ending with NULL, and returns it. */
const char *const *settings_words(const char *words[OPTION_WORDS_MAX], const char *key);

/* Makes *config from the preset that was asked for, else from the one named `name`, which may be NULL.
 * *preset is then the preset's name, "general" if there is none of its own. One that has a slash or ends in
 * .json is a file, which names the method too. Returns EXIT_FINE; after a message EXIT_USAGE for an unknown
 * method or preset that was asked for, EXIT_FAILED without memory or for a bad file. */
int settings_preset(graco_config **config, const char **preset, const struct settings *settings,
                    const char *name);

/* Lays the other settings over `config`. Returns false after a message. */
bool settings_apply(graco_config *config, const struct settings *settings);

/* Both. Where it returns another code than EXIT_FINE *config is as it was. */
int settings_make(graco_config **config, const char **preset, const struct settings *settings,
                  const char *name);

/* The help of a command that has settings: its options and the keys with the values that this command
 * line would train with. Returns the exit code. */
int settings_command_help(const struct command *command, struct settings *settings);

/* One value as text; "?" where the method does not read the key. Returns `value`. */
const char *settings_get(char value[SETTINGS_TEXT], const graco_config *config, const char *key);

/* The same for people: 1G, not 1073741824. */
const char *settings_show(char value[SETTINGS_TEXT], const graco_config *config, const char *key);

/* Says that features are made, where the method reads some, the data set has none and nothing was said. */
void settings_say_features(const graco_config *config, const graco_dataset_info *data);

/* Decides what `auto` means for the data, and says what was chosen, unless quiet; GRACO_OK, or what to fail with. */
graco_status settings_resolve(graco_config *config, const graco_dataset *data, int64_t ranks,
                              bool quiet);

/* The key of any method that `word` is most like; NULL if none is close. */
const char *settings_like(const char *word);

/* Prints every key that the method reads with its help and its value in `config`. */
void settings_help(const graco_config *config, const char *preset);

#endif
