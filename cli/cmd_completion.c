/* What shells complete. Their scripts (completion.bash, completion.zsh, completion.fish) are constant: they
 * ask `graco complete WORD...`, which knows commands, options and their words from the same tables as the
 * help. Every command is run for its help, and options_divert hands over its options instead of printing
 * them. */
#include "catalogue.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "settings.h"

#include <stdio.h>
#include <string.h>

/* ---- The answer: a word and what it is for in each line ---------------------------------------------- */

enum { OFFERED_MAX = 256, WORD_SIZE = 64, TYPED_SIZE = 4096 };

/* The word under the cursor, and what was offered for it so far: no word twice. */
struct line {
    const char *before; /* the word before it; "" where it is the first behind the command */
    const char
        *kept; /* begins an offer: "--method=" of --method=dg, which is one word to some shells */
    const char *typed; /* what follows in an offer begins with this */
    bool files;        /* names of files fit too */
    int count;
    char offered[OFFERED_MAX][WORD_SIZE];
};

/* Prints a word that fits, with `end` behind it. */
static void offer(struct line *line, const char *word, const char *end, const char *help)
{
    if (strncmp(word, line->typed, strlen(line->typed)) != 0 || line->count == OFFERED_MAX)
        return;
    for (int i = 0; i < line->count; i++)
        if (strcmp(line->offered[i], word) == 0)
            return;
    snprintf(line->offered[line->count++], WORD_SIZE, "%s", word);
    printf("%.*s%s%s\t%s\n", (int)(line->typed - line->kept), line->kept, word, end, help);
}

/* ---- What words of the tables stand for ------------------------------------------------------------- */

static void offer_files(struct line *line)
{
    line->files = true;
}

static void offer_sets(struct line *line)
{
    for (int i = 0; catalogue_at(i); i++)
        offer(line, catalogue_at(i)->name, "", catalogue_at(i)->about);
}

static void offer_data(struct line *line)
{
    offer_sets(line);
    offer_files(line);
}

static void offer_items(struct line *line)
{
    for (int i = 0; reproduce_item(i); i++)
        offer(line, reproduce_item(i), "", "");
}

static void offer_methods(struct line *line)
{
    const char *method = NULL;
    offer(line, "features", "", "the features as they are"); /* a row of the paper's tables too */
    for (int i = 0; (method = graco_method(i)); i++)
        offer(line, method, "", "");
}

static void offer_presets(struct line *line)
{
    const char *method = NULL, *preset = NULL;
    for (int i = 0; (method = graco_method(i)); i++)
        for (int j = 0; (preset = graco_preset(method, j)); j++)
            offer(line, preset, "", "");
    offer(line, "general", "", "");
}

/* KEY= for the keys of every method, or KEY=WORD. */
static void offer_settings(struct line *line)
{
    const char *method = NULL, *key = NULL, *help = NULL;
    const char *equals = strchr(line->typed, '='), *words[OPTION_WORDS_MAX];
    if (equals) {
        char name[WORD_SIZE];
        snprintf(name, sizeof name, "%.*s", (int)(equals - line->typed), line->typed);
        line->typed = equals + 1;
        for (const char *const *word = settings_words(words, name); *word; word++)
            offer(line, *word, "", "");
        return;
    }
    for (int i = 0; (method = graco_method(i)); i++) {
        graco_config *config = NULL;
        if (graco_config_create(&config, method, NULL) != GRACO_OK)
            return;
        for (int j = 0; (key = graco_config_key(config, j, &help)); j++)
            offer(line, key, "=", help);
        graco_config_free(config);
    }
}

/* What an option's name, the name of its value or a word of a synopsis stands for. */
static const struct {
    const char *name;
    void (*offer)(struct line *line);
} MEANINGS[] = {
    {"preset", offer_presets},     {"sets", offer_sets},  {"methods", offer_methods},
    {"KEY=VALUE", offer_settings}, {"FILE", offer_files}, {"KEY=RANGE", offer_settings},
    {"DIR", offer_files},          {"RUN", offer_files},  {"EMBEDDINGS", offer_files},
    {"OUT", offer_files},          {"ITEM", offer_items}, {"DATASET", offer_data},
    {"NAME", offer_sets},
};

/* Offers what "FILE" stands for; of "NAME|N|none", what is typed as it stands there. Returns whether it is one of
 * MEANINGS. */
static bool offer_named(struct line *line, const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof MEANINGS / sizeof *MEANINGS; i++)
        if (strlen(MEANINGS[i].name) == length && strncmp(MEANINGS[i].name, text, length) == 0) {
            MEANINGS[i].offer(line);
            return true;
        }
    if (!memchr(text, '|', length))
        return false;
    for (size_t at = 0, size = 0; at < length; at += size + 1) {
        char word[WORD_SIZE];
        size = strcspn(text + at, "| ]");
        snprintf(word, sizeof word, "%.*s", (int)size, text + at);
        if (word[0] >= 'a' && word[0] <= 'z')
            offer(line, word, "", "");
    }
    return false;
}

static void offer_values(struct line *line, const struct option *option)
{
    for (const char *const *choice = option->choices; choice && *choice; choice++)
        offer(line, *choice, "", "");
    if (!option->choices && !offer_named(line, option->name, strlen(option->name)))
        offer_named(line, option->value, strlen(option->value));
}

/* From the synopsis: "[EMBEDDINGS ...] DATASET -o FILE [options]" has two words that are arguments. */
static void offer_arguments(struct line *line, const struct command *command)
{
    bool of_option = false;
    for (const char *at = command->synopsis; *at;) {
        size_t length = strcspn(at, " [],");
        if (length > 0 && !of_option && *at != '-')
            offer_named(line, at, length);
        if (length > 0)
            of_option = *at == '-';
        at += length > 0 ? length : 1;
    }
}

/* ---- The line --------------------------------------------------------------------------------------- */

/* Whether a word is that option: --NAME, -X, or --NAME= with more behind it. */
static bool is_option(const struct option *option, const char *word)
{
    size_t length = strlen(option->name);
    if (word[0] == '-' && option->letter && word[1] == option->letter && !word[2])
        return true;
    return strncmp(word, "--", 2) == 0 && strncmp(word + 2, option->name, length) == 0 &&
           (!word[2 + length] || word[2 + length] == '=');
}

/* Letters only where a dash was typed: they would hide the rest. */
static void offer_option(struct line *line, const struct option *option)
{
    char name[WORD_SIZE];
    snprintf(name, sizeof name, "--%s", option->name);
    offer(line, name, "", option->help);
    snprintf(name, sizeof name, "-%c", option->letter);
    if (option->letter && line->typed[0] == '-')
        offer(line, name, "", option->help);
}

/* Offers what fits behind `before`: the values of an option, or options and arguments. */
static void offer_command(const struct command *command, const void *user)
{
    struct line *line = *(struct line *const *)user;
    const char *equals = strchr(line->typed, '=');
    bool inside = equals && strncmp(line->typed, "--", 2) == 0;
    for (const struct option *o = command->options; o->name; o++) {
        if (!o->value || !is_option(o, inside ? line->typed : line->before))
            continue;
        line->typed = inside ? equals + 1 : line->typed;
        offer_values(line, o);
        return;
    }
    offer_arguments(line, command);
    offer_option(line, &(struct option){.name = "help", .letter = 'h', .help = "print this"});
    for (const struct option *o = command->options; o->name; o++)
        offer_option(line, o);
}

static void offer_commands(struct line *line)
{
    for (const struct subcommand *s = subcommands; s->name; s++)
        offer(line, s->name, "", s->help);
    offer(line, "help", "", "explain a command");
    offer(line, "--help", "", "list the commands");
    offer(line, "--version", "", "print the version");
}

/* bash takes --method=dg and encoder=sa for three words each, and completes the last. Joins them in `typed`,
 * and returns how many words there are then. */
static int join(struct line *line, char typed[TYPED_SIZE], int count, char **words)
{
    line->kept = line->typed = words[count - 1];
    int equals = strcmp(words[count - 1], "=") == 0 ? count - 1 : count - 2;
    if (equals < 1 || strcmp(words[equals], "=") != 0)
        return count;
    int head = snprintf(typed, TYPED_SIZE, "%s=", words[equals - 1]);
    if (head >= TYPED_SIZE)
        return count;
    snprintf(typed + head, TYPED_SIZE - (size_t)head, "%s",
             equals < count - 1 ? words[count - 1] : "");
    line->typed = typed;
    line->kept = typed + head;
    return equals;
}

int cmd_complete(int argc, char **argv)
{
    static struct line line;
    static char typed[TYPED_SIZE];
    char **words = argv + 1, help[] = "--help";
    int count = argc - 1;
    if (count > 1 && strcmp(words[0], "help") == 0) {
        words++;
        count--;
    }
    if (count < 1)
        return EXIT_FINE;
    count = join(&line, typed, count, words);
    if (count == 1)
        offer_commands(&line);
    int before = count > 3 && strcmp(words[count - 2], "=") == 0 ? count - 3 : count - 2;
    line.before = before > 0 ? words[before] : "";
    options_divert(offer_command, &(struct line *){&line});
    for (const struct subcommand *s = subcommands; s->name && count > 1; s++)
        if (strcmp(s->name, words[0]) == 0)
            s->run(2, (char *[]){words[0], help, NULL});
    options_divert(NULL, NULL);
    if (line.files)
        puts("/");
    return output_finish();
}

/* ---- The scripts ------------------------------------------------------------------------------------ */

/* The files completion.bash, completion.zsh and completion.fish: the build makes these. */
extern const char COMPLETION_BASH[], COMPLETION_ZSH[], COMPLETION_FISH[];

int cmd_completion(int argc, char **argv)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    const char *const scripts[] = {COMPLETION_BASH, COMPLETION_ZSH, COMPLETION_FISH};
    const struct option options[] = {{0}};
    struct command command = {
        .name = "completion",
        .synopsis = "bash|zsh|fish",
        .summary = "Prints a script by which the shell completes graco's commands, options and\n"
                   "their words: it asks graco itself. `make install` puts it where the shell\n"
                   "looks for it; else, for bash: source <(graco completion bash).",
        .options = options,
        .min_arguments = 1,
        .max_arguments = 1,
    };
    int code = options_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(command.arguments[0], shells[i]) == 0) {
            fputs(scripts[i], stdout);
            return output_finish();
        }
    output_error("completion: unknown shell '%s'; expected bash, zsh or fish",
                 command.arguments[0]);
    return EXIT_USAGE;
}
