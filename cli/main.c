/* graco: the command. It finds the subcommand in a table and hands it the rest of the line. */
#include "graco_command.h"
#include "commands.h"
#include "options.h"
#include "output.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct subcommand subcommands[] = {
    {"train", "learn node embeddings from a graph", cmd_train},
    {"watch", "draw the curves of a training that runs elsewhere", cmd_watch},
    {"plan", "say what a training would take, before it runs", cmd_plan},
    {"embed", "embed the nodes of a graph with a trained model", cmd_embed},
    {"export", "write embeddings with names for other programs", cmd_export},
    {"neighbours", "find the nodes that are nearest to each other", cmd_neighbours},
    {"map", "show nodes in the plane, as a page to explore", cmd_map},
    {"report", "make a page about runs: what they did and which is better", cmd_report},
    {"eval", "score embeddings by the labels of a data set", cmd_eval},
    {"predict", "say which classes nodes without labels have", cmd_predict},
    {"methods", "list the methods to train with", cmd_methods},
    {"tune", "search for the best settings, without labels", cmd_tune},
    {"reproduce", "make the paper's tables and figures again", cmd_reproduce},
    {"info", "describe a data set", cmd_info},
    {"convert", "write a data set in graco's own format", cmd_convert},
    {"partition", "order a data set's nodes so that ranks send less", cmd_partition},
    {"split-links", "hold links out of a graph, to predict them", cmd_split_links},
    {"generate", "make a graph with communities and features", cmd_generate},
#ifdef GRACO_FETCH
    {"fetch", "download a published data set", cmd_fetch},
#endif
    {"completion", "print what a shell completes graco's lines with", cmd_completion},
    {0},
};

enum { SUBCOMMANDS = sizeof subcommands / sizeof subcommands[0] - 1 };

static const struct subcommand *find(const char *name)
{
    for (int i = 0; i < SUBCOMMANDS; i++)
        if (strcmp(name, subcommands[i].name) == 0)
            return &subcommands[i];
    return NULL;
}

static int print_help(void)
{
    printf("usage: graco COMMAND [arguments]\n\n"
           "Learns node embeddings from a graph without labels.\n\ncommands:\n");
    for (int i = 0; i < SUBCOMMANDS; i++)
        printf("  %-11s %s\n", subcommands[i].name, subcommands[i].help);
    printf("  %-11s %s\n", "help", "explain a command: graco help train");
    printf("\n`graco train` alone trains on a graph that graco makes itself.\n"
           "exit codes: 0 fine, 1 failed, 2 wrong use. The manual: man graco.\n");
    return output_finish();
}

static int unknown(const char *word)
{
    const char *names[SUBCOMMANDS + 4] = {NULL};
    for (int i = 0; i < SUBCOMMANDS; i++)
        names[i] = subcommands[i].name;
    names[SUBCOMMANDS] = "help";
    names[SUBCOMMANDS + 1] = "--help";
    names[SUBCOMMANDS + 2] = "--version";
    return options_unknown("", "unknown command", word, names);
}

/* `graco help CMD ...` is `graco CMD ... --help`, so it sees the same values. */
static int help(int argc, char **argv)
{
    char *words[64], last[] = "--help";
    int count = 0;
    if (argc < 2)
        return print_help();
    const struct subcommand *subcommand = find(argv[1]);
    if (!subcommand)
        return unknown(argv[1]);
    for (int i = 1; i < argc && count < 62; i++)
        words[count++] = argv[i];
    words[count] = last;
    words[count + 1] = NULL;
    return subcommand->run(count + 1, words);
}

/* What on_bus_error says: made before, for a handler may not. */
static char cut_line[128];

/* Files are mapped, and the system has no other way to say that one was cut while it was read. */
static void on_bus_error(int number)
{
    output_wait_turn();
    ssize_t ignored = write(STDERR_FILENO, cut_line, strlen(cut_line));

    (void)number;
    (void)ignored;
    _exit(EXIT_FAILED);
}

/* A command that would run whole on every rank, and write its files over theirs. */
static bool is_for_one(const struct subcommand *subcommand)
{
    return graco_ranks() > 1 && subcommand->run != cmd_train;
}

static void catch_bus_error(void)
{
    char prefix[32];

    snprintf(cut_line, sizeof cut_line,
             "%sa file was cut while it was being read, or cannot be read\n",
             output_prefix(prefix));
    signal(SIGBUS, on_bus_error);
}

int main(int argc, char **argv)
{
    output_start();
    if (argc < 2) {
        output_error("no command given; expected one: try 'graco help'");
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("graco %s\n", graco_version());
        return output_finish();
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help();
    if (strcmp(argv[1], "help") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(argv[1], "complete") == 0)
        return cmd_complete(argc - 1, argv + 1);
    const struct subcommand *subcommand = find(argv[1]);
    if (!subcommand)
        return unknown(argv[1]);
    if (is_for_one(subcommand)) {
        output_error("'%s' runs in one process; expected graco, or one rank", argv[1]);
        return EXIT_USAGE;
    }
    catch_bus_error();
    return subcommand->run(argc - 1, argv + 1);
}
