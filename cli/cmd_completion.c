/* graco completion: prints the script by which a shell completes graco's command lines. Only the frame
 * for each shell is written by hand. The rest follows from the tables: every command is run for its help,
 * and options_divert hands over its options instead of printing them. */
#include "catalogue.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "settings.h"

#include <stdio.h>
#include <string.h>

enum { WORDS_MAX = 128, WORD_SIZE = 32 };

/* What may be typed for the value of an option, or for the arguments of a command. */
struct values {
    int count;
    char words[WORDS_MAX][WORD_SIZE];
    bool files;    /* or the name of a file */
    bool settings; /* KEY=VALUE: the words are the keys */
};

/* What is printed for a shell, in this order: begin, its keys, each command, end. */
struct shell {
    const char *name, *begin;
    void (*keys)(const struct values *keys);
    void (*begin_command)(const char *name);
    void (*option)(const char *command, const struct option *option, const struct values *values);
    void (*end_command)(const struct command *command, const struct values *arguments);
    void (*end)(void);
};

/* ---- What the tables say ------------------------------------------------------------------------- */

static void add(struct values *values, const char *word, size_t length)
{
    for (int i = 0; i < values->count; i++)
        if (strlen(values->words[i]) == length && strncmp(values->words[i], word, length) == 0)
            return;
    if (values->count < WORDS_MAX)
        snprintf(values->words[values->count++], WORD_SIZE, "%.*s", (int)length, word);
}

static void add_word(struct values *values, const char *word)
{
    add(values, word, strlen(word));
}

static void add_sets(struct values *values)
{
    for (int i = 0; catalogue_at(i); i++)
        add_word(values, catalogue_at(i)->name);
}

static void add_files(struct values *values)
{
    values->files = true;
}

static void add_data(struct values *values)
{
    add_sets(values);
    add_files(values);
}

static void add_items(struct values *values)
{
    for (int i = 0; reproduce_item(i); i++)
        add_word(values, reproduce_item(i));
}

static void add_methods(struct values *values)
{
    const char *method = NULL;
    add_word(values, "features"); /* a row of the paper's tables too */
    for (int i = 0; (method = graco_method(i, NULL)); i++)
        add_word(values, method);
}

static void add_presets(struct values *values)
{
    const char *method = NULL, *preset = NULL;
    for (int i = 0; (method = graco_method(i, NULL)); i++)
        for (int j = 0; (preset = graco_preset(method, j)); j++)
            add_word(values, preset);
    add_word(values, "general");
}

/* The keys of every method. */
static void add_keys(struct values *values)
{
    const char *method = NULL, *key = NULL;
    values->settings = true;
    for (int i = 0; (method = graco_method(i, NULL)); i++) {
        graco_config *config = NULL;
        if (graco_config_create(&config, method, NULL) != GRACO_OK)
            return;
        for (int j = 0; (key = graco_config_key(config, j, NULL)); j++)
            add_word(values, key);
        graco_config_free(config);
    }
}

/* What an option's name, the name of its value or a word of a synopsis stands for. */
static const struct {
    const char *name;
    void (*add)(struct values *values);
} MEANINGS[] = {
    {"preset", add_presets}, {"sets", add_sets},      {"methods", add_methods},
    {"KEY=VALUE", add_keys}, {"KEY=RANGE", add_keys}, {"FILE", add_files},
    {"DIR", add_files},      {"RUN", add_files},      {"EMBEDDINGS", add_files},
    {"OUT", add_files},      {"DATASET", add_data},   {"ITEM", add_items},
    {"NAME", add_sets},
};

static void add_meaning(struct values *values, const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof MEANINGS / sizeof *MEANINGS; i++)
        if (strlen(MEANINGS[i].name) == length && strncmp(MEANINGS[i].name, word, length) == 0)
            MEANINGS[i].add(values);
}

/* Adds what "FILE" stands for; of "NAME|N|none", what is typed as it stands there. */
static void add_named(struct values *values, const char *text, size_t length)
{
    add_meaning(values, text, length);
    if (!memchr(text, '|', length))
        return;
    for (size_t at = 0, size = 0; at < length; at += size + 1) {
        size = strcspn(text + at, "| ]");
        if (text[at] >= 'a' && text[at] <= 'z')
            add(values, text + at, size);
    }
}

static void find_values(struct values *values, const struct option *option)
{
    *values = (struct values){0};
    for (const char *const *choice = option->choices; choice && *choice; choice++)
        add_word(values, *choice);
    if (option->choices || !option->value)
        return;
    add_meaning(values, option->name, strlen(option->name));
    if (values->count == 0)
        add_named(values, option->value, strlen(option->value));
}

/* From the synopsis: "[EMBEDDINGS ...] DATASET -o FILE [options]" has two words that are arguments. */
static void find_arguments(struct values *values, const struct command *command)
{
    bool of_option = false;
    *values = (struct values){0};
    for (const char *at = command->synopsis; *at;) {
        size_t length = strcspn(at, " [],");
        if (length > 0 && !of_option && *at != '-')
            add_named(values, at, length);
        if (length > 0)
            of_option = *at == '-';
        at += length > 0 ? length : 1;
    }
}

/* ---- Printing ------------------------------------------------------------------------------------ */

static void print_words(const char *before, const struct values *values, const char *after)
{
    for (int i = 0; i < values->count; i++)
        printf("%s%s%s", before, values->words[i], after);
}

/* Text for within '...': a backslash before each of `special`, and `quote` for '. */
static void print_text(const char *text, const char *special, const char *quote)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs(quote, stdout);
        else
            printf("%s%c", strchr(special, *text) ? "\\" : "", *text);
}

/* The words that a key of --set takes. */
static void find_words(struct values *values, const char *key)
{
    const char *words[OPTION_WORDS_MAX];
    *values = (struct values){0};
    for (const char *const *word = settings_words(words, key); *word; word++)
        add_word(values, *word);
}

/* ---- bash: one case for what stands before the cursor -------------------------------------------- */

/* It takes --set key=word for four words. So a word that is no option stands there with a blank behind it,
 * unless a = follows. */
static const char BASH_BEGIN[] =
    "# bash completion of graco, printed by `graco completion bash`.\n"
    "_graco() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} at=$COMP_CWORD command=${COMP_WORDS[1]} files='' "
    "before\n"
    "    local words=''\n"
    "    [ \"$command\" != help ] || { command=${COMP_WORDS[2]} at=$((at - 1)); }\n"
    "    [ $at -gt 1 ] || command=''\n"
    "    before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    if [ \"$cur\" = = ]; then\n"
    "        cur=''\n"
    "    elif [ \"$before\" = = ]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    elif [ \"${before#-}\" = \"$before\" ]; then\n"
    "        before=$before' '\n"
    "    fi\n"
    "    case \"$command $before\" in\n";

static void bash_keys(const struct values *keys)
{
    struct values words;
    for (int i = 0; i < keys->count; i++) {
        find_words(&words, keys->words[i]);
        if (words.count == 0)
            continue;
        printf("    *' %s') words='", keys->words[i]);
        print_words("", &words, " ");
        printf("' ;;\n");
    }
    printf("    *' '[!-] | *' '[!-]*[!\\ ]) ;;\n");
}

static void bash_option(const char *command, const struct option *option,
                        const struct values *values)
{
    if (!option->value)
        return;
    printf("    '%s --%s'", command, option->name);
    if (option->letter)
        printf(" | '%s -%c'", command, option->letter);
    printf(") words='");
    print_words("", values, values->settings ? "= " : " ");
    printf("'%s ;;\n", values->files ? " files=1" : "");
}

static void bash_end_command(const struct command *command, const struct values *arguments)
{
    printf("    '%s '*) words='--help ", command->name);
    for (const struct option *o = command->options; o->name; o++)
        printf("--%s ", o->name);
    print_words("", arguments, " ");
    printf("'%s ;;\n", arguments->files ? " files=1" : "");
}

static void bash_end(void)
{
    printf("    *) words='");
    for (const struct subcommand *s = subcommands; s->name; s++)
        printf("%s ", s->name);
    printf("help --help --version' ;;\n"
           "    esac\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" ${files:+-f} -- \"$cur\")\n"
           "    [ -z \"$files\" ] || compopt -o filenames 2>/dev/null\n"
           "    case ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac\n"
           "}\n"
           "complete -F _graco graco\n");
}

/* ---- zsh: _arguments for each command ------------------------------------------------------------ */

static const char ZSH_BEGIN[] = "#compdef graco\n"
                                "# zsh completion of graco, printed by `graco completion zsh`.\n";

static void zsh_values(const struct values *values)
{
    if (values->settings || values->count == 0) {
        printf(values->settings ? "_graco_settings" : values->files ? "_files" : " ");
        return;
    }
    printf(values->files ? "{_alternative \"words:word:(" : "(");
    print_words(" ", values, "");
    printf(values->files ? ")\" \"files:file:_files\"}" : ")");
}

static void zsh_keys(const struct values *keys)
{
    struct values words;
    printf("_graco_settings() {\n    _values setting");
    for (int i = 0; i < keys->count; i++) {
        find_words(&words, keys->words[i]);
        printf(" \\\n        '%s:value:", keys->words[i]);
        zsh_values(&words);
        putchar('\'');
    }
    printf("\n}\n"
           "_graco() {\n"
           "    local curcontext=$curcontext\n"
           "    if ((CURRENT > 2)) && [[ $words[2] == help ]]; then\n"
           "        words=(graco \"${words[@]:2}\")\n"
           "        ((CURRENT--))\n"
           "    fi\n"
           "    if ((CURRENT > 2)); then\n"
           "        local command=$words[2]\n"
           "        shift words\n"
           "        ((CURRENT--))\n"
           "        case $command in\n");
}

static void zsh_begin_command(const char *name)
{
    printf("        %s) _arguments -s", name);
}

static void zsh_option(const char *command, const struct option *option,
                       const struct values *values)
{
    (void)command;
    printf(" \\\n            ");
    if (option->letter)
        printf("'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, option->name, option->letter,
               option->value ? "+" : "", option->name, option->value ? "=" : "");
    else
        printf("'%s--%s%s[", option->kind == OPTION_LIST ? "*" : "", option->name,
               option->value ? "=" : "");
    print_text(option->help, "[]:\\", "'\\''");
    putchar(']');
    if (option->value) {
        printf(":%s:", option->value);
        zsh_values(values);
    }
    putchar('\'');
}

static void zsh_end_command(const struct command *command, const struct values *arguments)
{
    printf(" \\\n            '(-h --help)'{-h,--help}'[print this]'");
    if (command->max_arguments > 0) {
        printf(" \\\n            '*: :");
        zsh_values(arguments);
        putchar('\'');
    }
    printf(" ;;\n");
}

static void zsh_end(void)
{
    printf("        esac\n"
           "    else\n"
           "        local -a commands=(");
    for (const struct subcommand *s = subcommands; s->name; s++) {
        printf("\n            '%s:", s->name);
        print_text(s->help, "\\", "'\\''");
        putchar('\'');
    }
    printf("\n            'help:explain a command')\n"
           "        local -a options=('--help:list the commands' '--version:print the version')\n"
           "        _describe command commands\n"
           "        _describe -o option options\n"
           "    fi\n"
           "}\n"
           "if [[ $funcstack[1] == _graco ]]; then _graco \"$@\"; else compdef _graco graco; fi\n");
}

/* ---- fish: a line for each option ---------------------------------------------------------------- */

static const char FISH_BEGIN[] = "# fish completion of graco, printed by `graco completion fish`.\n"
                                 "function __graco_in\n"
                                 "    set -l words (commandline -opc)\n"
                                 "    test \"$words[2]\" = help; and set -e words[2]\n"
                                 "    test \"$words[2]\" = \"$argv[1]\"\n"
                                 "end\n"
                                 "complete -c graco -f\n";

/* KEY=WORD for the keys that take words. */
static void fish_pairs(const struct values *keys)
{
    struct values words;
    for (int i = 0; i < keys->count; i++) {
        find_words(&words, keys->words[i]);
        for (int j = 0; j < words.count; j++)
            printf("%s=%s ", keys->words[i], words.words[j]);
    }
}

static void fish_values(const struct values *values)
{
    if (values->count > 0) {
        printf(" -a '");
        print_words("", values, values->settings ? "= " : " ");
        if (values->settings)
            fish_pairs(values);
        putchar('\'');
    }
    if (values->files)
        printf(" -F");
}

static void fish_option(const char *command, const struct option *option,
                        const struct values *values)
{
    printf("complete -c graco -n '__graco_in %s' -l %s", command, option->name);
    if (option->letter)
        printf(" -s %c", option->letter);
    if (option->value)
        printf(values->files ? " -r" : " -x");
    fish_values(values);
    printf(" -d '");
    print_text(option->help, "\\", "\\'");
    printf("'\n");
}

static void fish_end_command(const struct command *command, const struct values *arguments)
{
    printf("complete -c graco -n '__graco_in %s' -l help -s h -d 'print this'\n", command->name);
    if (command->max_arguments > 0) {
        printf("complete -c graco -n '__graco_in %s'", command->name);
        fish_values(arguments);
        putchar('\n');
    }
}

static void fish_end(void)
{
    for (const struct subcommand *s = subcommands; s->name; s++) {
        printf("complete -c graco -n '__graco_in \"\"' -a %s -d '", s->name);
        print_text(s->help, "\\", "\\'");
        printf("'\n");
    }
    printf("complete -c graco -n '__graco_in \"\"' -a help -d 'explain a command'\n"
           "complete -c graco -n '__graco_in \"\"' -l help -s h -d 'list the commands'\n"
           "complete -c graco -n '__graco_in \"\"' -l version -s V -d 'print the version'\n");
}

/* ---- The command --------------------------------------------------------------------------------- */

static void begin_nothing(const char *name)
{
    (void)name;
}

static void no_keys(const struct values *keys)
{
    (void)keys;
}

static const struct shell SHELLS[] = {
    {"bash", BASH_BEGIN, bash_keys, begin_nothing, bash_option, bash_end_command, bash_end},
    {"zsh", ZSH_BEGIN, zsh_keys, zsh_begin_command, zsh_option, zsh_end_command, zsh_end},
    {"fish", FISH_BEGIN, no_keys, begin_nothing, fish_option, fish_end_command, fish_end},
};

static void print_command(const struct command *command, const void *user)
{
    const struct shell *shell = user;
    struct values values;
    shell->begin_command(command->name);
    for (const struct option *o = command->options; o->name; o++) {
        find_values(&values, o);
        shell->option(command->name, o, &values);
    }
    find_arguments(&values, command);
    shell->end_command(command, &values);
}

static int print_script(const struct shell *shell)
{
    char help[] = "--help";
    struct values keys = {0};
    add_keys(&keys);
    fputs(shell->begin, stdout);
    shell->keys(&keys);
    options_divert(print_command, shell);
    for (const struct subcommand *s = subcommands; s->name; s++) {
        char name[WORD_SIZE];
        snprintf(name, sizeof name, "%s", s->name);
        s->run(2, (char *[]){name, help, NULL});
    }
    options_divert(NULL, NULL);
    shell->end();
    return output_finish();
}

int cmd_completion(int argc, char **argv)
{
    const struct option options[] = {{0}};
    struct command command = {
        .name = "completion",
        .synopsis = "bash|zsh|fish",
        .summary = "Prints a script by which the shell completes graco's commands, options and\n"
                   "their words. `make install` puts it where the shell looks for it; else, for\n"
                   "bash: source <(graco completion bash).",
        .options = options,
        .min_arguments = 1,
        .max_arguments = 1,
    };
    int code = options_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    for (size_t i = 0; i < sizeof SHELLS / sizeof *SHELLS; i++)
        if (strcmp(command.arguments[0], SHELLS[i].name) == 0)
            return print_script(&SHELLS[i]);
    output_error("completion: unknown shell '%s'; expected bash, zsh or fish",
                 command.arguments[0]);
    return EXIT_USAGE;
}
