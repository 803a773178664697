/* The commands of graco: each takes argv[0] = its own name and returns the exit code. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

/* Exit codes of the program. */
enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

int cmd_train(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_embed(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_neighbours(int argc, char **argv);
int cmd_map(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_eval(int argc, char **argv);
int cmd_predict(int argc, char **argv);
int cmd_methods(int argc, char **argv);
int cmd_tune(int argc, char **argv);
int cmd_reproduce(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_partition(int argc, char **argv);
int cmd_split_links(int argc, char **argv);
int cmd_generate(int argc, char **argv);
int cmd_fetch(int argc, char **argv); /* where the build has it: GRACO_FETCH */
int cmd_completion(int argc, char **argv);
int cmd_complete(int argc, char **argv); /* asked by the shells' scripts, not by people */

/* The items that `graco reproduce` makes, by number; NULL past the last. */
const char *reproduce_item(int index);

struct subcommand {
    const char *name;
    const char *help;
    int (*run)(int argc, char **argv);
};

extern const struct subcommand subcommands[]; /* main.c has them; they end with a NULL name */

#endif
