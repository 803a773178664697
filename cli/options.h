/* Options: a table says which a command has, where their values go and what is allowed.
 *
 * The targets hold the defaults before parsing; help text prints their values. A command reads
 *
 *     struct option options[] = {
 *         OPTION_ROW_TEXT("output", 'o', "FILE", &output, "where to write"),
 *         OPTION_ROW_INTEGER("seed", "N", &seed, 0, INT64_MAX, "first seed"),
 *         {0},
 *     };
 *     struct command command = {"embed", "RUN DATASET -o FILE", "embeds nodes", options, 2, 2};
 *     int code = options_begin(&command, argc, argv);
 *     if (code >= 0)
 *         return code; */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "graco.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,    /* bool: present or not */
    OPTION_TEXT,    /* const char *: borrowed from argv */
    OPTION_LIST,    /* struct option_list: every value given */
    OPTION_CHOICE,  /* const char *: one of `choices` */
    OPTION_INTEGER, /* int64_t within min .. max */
    OPTION_REAL,    /* double within real_min .. real_max */
};

enum { OPTION_LIST_MAX = 1024, OPTION_WORDS_MAX = 32, COMMAND_ARGUMENTS_MAX = 16 };

struct option_list {
    int count;
    const char *values[OPTION_LIST_MAX];
};

struct option {
    const char *name;  /* without the dashes; NULL ends a table */
    char letter;       /* for -x, or 0 */
    const char *value; /* what help calls the value; NULL for a flag */
    const char *help;  /* one line */
    enum option_kind kind;
    void *target;
    int64_t min, max;
    double real_min, real_max;
    const char *const *choices; /* ends with NULL */
};

/* Rows of a table. */
#define OPTION_ROW(name_, letter_, value_, kind_, target_, help_)                                  \
    .name = name_, .letter = letter_, .value = value_, .kind = kind_, .target = target_,           \
    .help = help_
#define OPTION_ROW_FLAG(name, letter, target, help)                                                \
    {                                                                                              \
        OPTION_ROW(name, letter, NULL, OPTION_FLAG, target, help)                                  \
    }
#define OPTION_ROW_TEXT(name, letter, value, target, help)                                         \
    {                                                                                              \
        OPTION_ROW(name, letter, value, OPTION_TEXT, target, help)                                 \
    }
#define OPTION_ROW_LIST(name, value, target, help)                                                 \
    {                                                                                              \
        OPTION_ROW(name, 0, value, OPTION_LIST, target, help)                                      \
    }
#define OPTION_ROW_CHOICE(name, value, target, choices_, help)                                     \
    {                                                                                              \
        OPTION_ROW(name, 0, value, OPTION_CHOICE, target, help), .choices = choices_               \
    }
#define OPTION_ROW_INTEGER(name, value, target, min_, max_, help)                                  \
    {                                                                                              \
        OPTION_ROW(name, 0, value, OPTION_INTEGER, target, help), .min = min_, .max = max_         \
    }
#define OPTION_ROW_REAL(name, value, target, min_, max_, help)                                     \
    {                                                                                              \
        OPTION_ROW(name, 0, value, OPTION_REAL, target, help), .real_min = min_, .real_max = max_  \
    }

struct command {
    const char *name;
    const char *synopsis; /* what follows the name in the usage line */
    const char *summary;  /* a sentence or two for the help text */
    const struct option *options;
    int min_arguments, max_arguments;
    /* The key of --set that an unknown option is like, or NULL; NULL for a command without --set. */
    const char *(*setting_like)(const char *word);
    /* Filled by options_parse. */
    bool help; /* -h or --help was given: nothing else is required then */
    int count;
    const char *arguments[COMMAND_ARGUMENTS_MAX]; /* what is not an option, borrowed */
};

/* Reads argv[1 .. argc) into the targets. Options take "--name value" or "--name=value", "-x value"
 * or "-xvalue"; "--" ends them. Returns false, after one line on stderr, for wrong use. */
bool options_parse(struct command *command, int argc, char **argv);

/* Prints the usage and the options with their present values, and returns the exit code. Whether an
 * option was given is not recorded: where a command must know, its target starts at NULL or at a
 * value outside the range. */
int options_help(const struct command *command);

/* Until it is called with NULL, options_help gives each command to `visit` instead of printing it, and
 * returns EXIT_FAILED, so that no command goes on. */
void options_divert(void (*visit)(const struct command *command, const void *user),
                    const void *user);

/* One row of a help text, at most 80 columns wide: what is typed, from column `begin` on what it does, then
 * the choices (a list that ends with NULL, or NULL) unless the help names each, then the value in
 * brackets unless NULL. */
void options_row(int begin, const char *left, const char *help, const char *const *choices,
                 const char *value);

/* "LABEL: word, word", in lines of at most 80 columns. */
void options_list(const char *label, const char *const *words);

/* Prints a text, which begins at column `begin`, in lines of at most 80 columns. */
void options_wrap(const char *text, int begin);

/* options_parse, and options_help if that was asked for. Returns the exit code; -1: go on. */
int options_begin(struct command *command, int argc, char **argv);

/* graco_ranks_alike for every option but lists and those that are named in `except`, a list that ends with
 * NULL. */
graco_status options_alike(const struct command *command, const char *const *except);

/* Fills `words` with what one of the library's lists has, ending with NULL, and returns it. */
const char *const *options_words(const char *words[OPTION_WORDS_MAX], const char *(*list)(int));

/* Which of the library's list a word is, one that it has. */
int options_place(const char *(*list)(int), const char *word);

/* Says that a word is none of a list (words_unknown of base/words.h); returns EXIT_USAGE. */
int options_unknown(const char *command, const char *what, const char *word,
                    const char *const *words);

#endif
