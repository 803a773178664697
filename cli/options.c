/* The option parser. One pass over argv finds each word in the command's table, checks its value
 * and stores it; the first thing that is wrong is said in one line, with what was expected. */
#include "options.h"
#include "graco_command.h"
#include "commands.h"
#include "output.h"
#include "base/words.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { OPTION_COLUMN = 31, HELP_COLUMNS = 80, HELP_TEXT = 1024 };

const char *const *options_words(const char *words[OPTION_WORDS_MAX], const char *(*list)(int))
{
    int count = 0;

    while (count < OPTION_WORDS_MAX - 1 && (words[count] = list(count)))
        count++;
    words[count] = NULL;
    return words;
}

int options_place(const char *(*list)(int), const char *word)
{
    int place = 0;
    while (list(place) && strcmp(list(place), word) != 0)
        place++;
    return list(place) ? place : 0;
}

int options_unknown(const char *command, const char *what, const char *word,
                    const char *const *words)
{
    words_unknown(what, word, words);
    output_error("%s%s%s", command, *command ? ": " : "", graco_message());
    return EXIT_USAGE;
}

static bool unknown_option(const struct command *command, const char *word)
{
    const char *names[64] = {"help"};
    char allowed[1024] = "--help", suggestion[64] = "";
    size_t used = strlen(allowed);
    int count = 1;
    for (const struct option *o = command->options; o->name && count < 63; o++) {
        names[count++] = o->name;
        int added = snprintf(allowed + used, sizeof allowed - used, ", --%s", o->name);
        used += added < (int)(sizeof allowed - used) ? (size_t)added : 0;
    }
    const char *bare = word + strspn(word, "-");
    const char *nearest = strlen(bare) > 1 ? words_nearest(bare, names) : NULL;
    const char *key = command->setting_like ? command->setting_like(bare) : NULL;
    if (key && (!nearest || strcmp(key, bare) == 0))
        snprintf(suggestion, sizeof suggestion, " (did you mean --set %s=VALUE?)", key);
    else if (nearest)
        snprintf(suggestion, sizeof suggestion, " (did you mean --%s?)", nearest);
    output_error("%s: unknown option '%s'%s; allowed: %s", command->name, word, suggestion,
                 allowed);
    return false;
}

static const struct option *find_long(const struct command *command, const char *name,
                                      size_t length)
{
    for (const struct option *o = command->options; o->name; o++)
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

static const struct option *find_letter(const struct command *command, char letter)
{
    for (const struct option *o = command->options; o->name; o++)
        if (o->letter && o->letter == letter)
            return o;
    return NULL;
}

static bool bad_value(const struct command *command, const struct option *o, const char *value,
                      const char *expected)
{
    output_error("%s: --%s is '%s'; expected %s", command->name, o->name, value, expected);
    return false;
}

static bool read_integer(const struct command *command, const struct option *o, const char *text)
{
    char expected[160], *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    bool whole = end != text && !*end && errno == 0 && !strchr(" \t\n\v\f\r", text[0]);
    if (whole && number >= o->min && number <= o->max) {
        *(int64_t *)o->target = number;
        return true;
    }
    if (o->max == INT64_MAX && errno != ERANGE)
        snprintf(expected, sizeof expected, "a whole number, at least %" PRId64, o->min);
    else
        snprintf(expected, sizeof expected, "a whole number from %" PRId64 " to %" PRId64, o->min,
                 o->max);
    return bad_value(command, o, text, expected);
}

static bool read_real(const struct command *command, const struct option *o, const char *text)
{
    char expected[160], *end = NULL;
    double number = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(number) && number >= o->real_min &&
        number <= o->real_max && !strchr(" \t\n\v\f\r", text[0])) {
        *(double *)o->target = number;
        return true;
    }
    snprintf(expected, sizeof expected, "a number from %g to %g", o->real_min, o->real_max);
    return bad_value(command, o, text, expected);
}

static bool read_choice(const struct command *command, const struct option *o, const char *text)
{
    char what[64];
    for (const char *const *choice = o->choices; *choice; choice++)
        if (strcmp(text, *choice) == 0) {
            *(const char **)o->target = *choice;
            return true;
        }
    snprintf(what, sizeof what, "--%s is", o->name);
    options_unknown(command->name, what, text, o->choices);
    return false;
}

static bool read_value(const struct command *command, const struct option *o, const char *text)
{
    struct option_list *list = o->target;
    switch (o->kind) {
    case OPTION_TEXT:
        if (!*text)
            return bad_value(command, o, text, o->value);
        *(const char **)o->target = text;
        return true;
    case OPTION_LIST:
        if (list->count == OPTION_LIST_MAX) {
            output_error("%s: --%s is given more than %d times", command->name, o->name,
                         OPTION_LIST_MAX);
            return false;
        }
        list->values[list->count++] = text;
        return true;
    case OPTION_CHOICE:
        return read_choice(command, o, text);
    case OPTION_INTEGER:
        return read_integer(command, o, text);
    case OPTION_REAL:
        return read_real(command, o, text);
    case OPTION_FLAG:
        break;
    }
    *(bool *)o->target = true;
    return true;
}

/* A following word is a value unless it looks like an option; -1 and - are values. */
static bool is_value(const char *word)
{
    return word && !(word[0] == '-' && word[1] && !strchr("0123456789.", word[1]));
}

/* Reads one option; `inside` is the value written in the same word, or NULL. Sets *used to how many
 * words it took. */
static bool read_option(const struct command *command, const struct option *o, const char *inside,
                        const char *next, int *used)
{
    *used = 1;
    if (o->kind == OPTION_FLAG) {
        if (!inside)
            return read_value(command, o, "");
        output_error("%s: --%s takes no value, found '%s'", command->name, o->name, inside);
        return false;
    }
    if (inside)
        return read_value(command, o, inside);
    if (!is_value(next)) {
        output_error("%s: --%s needs a value (%s), found %s%s%s", command->name, o->name, o->value,
                     next ? "'" : "", next ? next : "the end of the line", next ? "'" : "");
        return false;
    }
    *used = 2;
    return read_value(command, o, next);
}

static bool read_argument(struct command *command, const char *word)
{
    if (command->count < command->max_arguments && command->count < COMMAND_ARGUMENTS_MAX) {
        command->arguments[command->count++] = word;
        return true;
    }
    output_error("%s: unexpected argument '%s'; usage: graco %s %s", command->name, word,
                 command->name, command->synopsis);
    return false;
}

/* Reads the word at argv[at], and the next if it is its value. */
static bool read_word(struct command *command, char **argv, int at, int *used)
{
    const char *word = argv[at], *inside = NULL;
    const struct option *o = NULL;
    *used = 1;
    if (word[0] != '-' || word[1] == '\0')
        return read_argument(command, word);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        command->help = true;
        return true;
    }
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        o = find_long(command, word + 2, length);
        inside = word[2 + length] ? word + 3 + length : NULL;
    } else {
        o = find_letter(command, word[1]);
        inside = word[2] ? word + 2 : NULL;
    }
    if (!o) {
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
        return unknown_option(command, name);
    }
    return read_option(command, o, inside, argv[at + 1], used);
}

bool options_parse(struct command *command, int argc, char **argv)
{
    bool options_over = false;
    int used = 1;
    for (int at = 1; at < argc; at += used) {
        used = 1;
        if (options_over) {
            if (!read_argument(command, argv[at]))
                return false;
        } else if (strcmp(argv[at], "--") == 0) {
            options_over = true;
        } else if (!read_word(command, argv, at, &used)) {
            return false;
        }
    }
    if (command->help || command->count >= command->min_arguments)
        return true;
    output_error("%s: %d of %d arguments are missing; usage: graco %s %s", command->name,
                 command->min_arguments - command->count, command->min_arguments, command->name,
                 command->synopsis);
    return false;
}

static bool is_among(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

/* The present value of an option as text; NULL if there is none to show. */
static const char *format_value(char *text, size_t size, const struct option *o)
{
    if (o->kind == OPTION_TEXT || o->kind == OPTION_CHOICE)
        return *(const char **)o->target;
    if (o->kind == OPTION_REAL)
        snprintf(text, size, "%g", *(double *)o->target);
    else if (o->kind == OPTION_INTEGER)
        snprintf(text, size, "%" PRId64, *(int64_t *)o->target);
    else
        return NULL;
    return text;
}

graco_status options_alike(const struct command *command, const char *const *except)
{
    char name[64], text[64];
    graco_status status = GRACO_OK;

    for (const struct option *o = command->options; o->name && status == GRACO_OK; o++) {
        bool flag = o->kind == OPTION_FLAG && *(bool *)o->target;
        const char *value = flag ? "given" : format_value(text, sizeof text, o);
        if (o->kind == OPTION_LIST || is_among(except, o->name))
            continue;
        snprintf(name, sizeof name, "--%s", o->name);
        status = graco_ranks_alike(name, value ? value : "not given");
    }
    return status;
}

void options_wrap(const char *text, int begin)
{
    int at = begin;
    while (*text) {
        int length = (int)strcspn(text, " ");
        bool first = at == begin;
        if (!first && at + 1 + length > HELP_COLUMNS) {
            printf("\n%*s", begin, "");
            at = begin;
            first = true;
        }
        printf("%s%.*s", first ? "" : " ", length, text);
        at += length + !first;
        text += length + strspn(text + length, " ");
    }
    putchar('\n');
}

void options_row(int begin, const char *left, const char *help, const char *const *choices,
                 const char *value)
{
    char text[HELP_TEXT];
    bool all = true;
    for (const char *const *choice = choices; choice && *choice; choice++)
        all = all && strstr(help, *choice);
    int used = snprintf(text, sizeof text, "%s", help);
    for (const char *const *choice = choices; !all && *choice && used < HELP_TEXT; choice++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %s",
                         choice == choices ? ":" : ",", *choice);
    if (value && used < HELP_TEXT)
        snprintf(text + used, sizeof text - (size_t)used, " [%s]", value);
    if ((int)strlen(left) + 3 > begin)
        printf("  %s\n%*s", left, begin, "");
    else
        printf("  %-*s", begin - 2, left);
    options_wrap(text, begin);
}

void options_list(const char *label, const char *const *words)
{
    char text[HELP_TEXT];
    int used = snprintf(text, sizeof text, "%s:", label);
    for (int i = 0; words[i] && used < HELP_TEXT; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %s", i ? "," : "", words[i]);
    options_wrap(text, 0);
}

/* Where options_help hands commands over. */
static struct {
    void (*visit)(const struct command *command, const void *user);
    const void *user;
} diverted;

void options_divert(void (*visit)(const struct command *command, const void *user),
                    const void *user)
{
    diverted.visit = visit;
    diverted.user = user;
}

int options_help(const struct command *command)
{
    if (diverted.visit) {
        diverted.visit(command, diverted.user);
        return EXIT_FAILED;
    }
    printf("usage: graco %s %s\n\n%s\n\noptions (present values in brackets):\n", command->name,
           command->synopsis, command->summary);
    for (const struct option *o = command->options; o->name; o++) {
        char left[64], value[256];
        char letter[8] = "    ";
        if (o->letter)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->value ? " " : "",
                 o->value ? o->value : "");
        bool given = o->kind != OPTION_INTEGER || *(int64_t *)o->target >= o->min;
        options_row(OPTION_COLUMN, left, o->help, o->choices,
                    given ? format_value(value, sizeof value, o) : NULL);
    }
    options_row(OPTION_COLUMN, "-h, --help", "print this", NULL, NULL);
    return output_finish();
}

int options_begin(struct command *command, int argc, char **argv)
{
    if (!options_parse(command, argc, argv))
        return EXIT_USAGE;
    return command->help ? options_help(command) : -1;
}
