/* graco neighbours: the nodes whose embeddings are nearest to each other, as a table or a file. */
#include "graco_more.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "runs.h"
#include "settings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    const char *output, *memory;
    struct option_list of;
    graco_neighbours_options options;
};

/* A name may be any text: what a terminal would obey is not printed. */
static void print_node(char *const *names, int64_t node)
{
    if (!names) {
        printf("%" PRId64, node);
        return;
    }
    for (const char *at = names[node]; *at; at++)
        putchar(iscntrl((unsigned char)*at) ? '?' : *at);
}

static void print_table(const graco_neighbours *found, char *const *names)
{
    for (int64_t i = 0; i < found->count; i++) {
        print_node(names, found->node[i]);
        printf("\n");
        for (int64_t c = i * found->k; c < (i + 1) * found->k; c++) {
            printf("  %9.6g  ", (double)found->score[c]);
            print_node(names, found->index[c]);
            printf("\n");
        }
    }
}

/* The size that a text such as 256M says, by the rules of the setting `memory`. */
static graco_status read_memory(int64_t *bytes, const char *text)
{
    graco_config *config = NULL;
    char value[SETTINGS_TEXT];
    graco_status status = GRACO_OK;
    TRY(graco_config_create(&config, NULL, NULL));
    if (text)
        TRY(graco_config_set(config, "memory", text));
    TRY(graco_config_get(config, "memory", value, sizeof value));
    *bytes = strtoll(value, NULL, 10);
done:
    graco_config_free(config);
    return status;
}

static graco_status save(const graco_neighbours *found, char *const *names, const char *path)
{
    PASS(graco_neighbours_save(found, (const char *const *)names, path));
    output_note("wrote %s: %" PRId64 " neighbours of %" PRId64 " nodes, by %s", path, found->k,
                found->count, names ? "name" : "number");
    return GRACO_OK;
}

static int search(const char *from, struct request *request)
{
    int64_t nodes[OPTION_LIST_MAX];
    graco_run *run = NULL;
    const graco_matrix *Z = NULL;
    char *const *names = NULL;
    graco_neighbours found = {0};
    graco_status status = GRACO_OK;
    TRY(read_memory(&request->options.memory, request->memory));
    TRY(graco_run_open(&run, from));
    TRY(graco_run_embeddings(&Z, &names, run, 0, NULL));
    if (request->of.count > 0) {
        TRY(graco_run_find_nodes(nodes, run, 0, request->of.values, request->of.count));
        request->options.nodes = nodes;
        request->options.count = request->of.count;
    }
    TRY(graco_neighbours_find(&found, Z, &request->options));
    runs_say_first(run, "these are neighbours in");
    if (found.zero_rows > 0 && strcmp(found.metric, "cosine") == 0)
        output_note("%" PRId64 " of %" PRId64
                    " embeddings are all zeros: their cosine with everything is 0",
                    found.zero_rows, found.nodes);
    if (request->output)
        TRY(save(&found, names, request->output));
    else
        print_table(&found, names);
done:
    graco_neighbours_clear(&found);
    graco_run_free(run);
    return status == GRACO_OK ? output_finish() : output_failure(status);
}

static const char SUMMARY[] =
    "Finds the nodes whose embeddings are nearest, exactly, by looking at all pairs.\n"
    "RUN is a run folder or a .npy file. Prints a table, or writes FILE: its ending\n"
    "says in which format.";

int cmd_neighbours(int argc, char **argv)
{
    struct request request = {.options = graco_neighbours_defaults(), .memory = "1G"};
    const char *metrics[OPTION_WORDS_MAX], *devices[OPTION_WORDS_MAX];
    request.options.device = "auto";
    const struct option options[] = {
        OPTION_ROW_LIST("of", "NAME|NUMBER", &request.of, "only of this node; may be given again"),
        {OPTION_ROW("k", 'k', "N", OPTION_INTEGER, &request.options.k, "neighbours of each node"),
         .min = 1, .max = INT32_MAX},
        OPTION_ROW_TEXT("output", 'o', "FILE", &request.output, ".json, .csv or .npz"),
        OPTION_ROW_CHOICE("metric", "NAME", &request.options.metric,
                          options_words(metrics, graco_metric),
                          "cosine: of the angle; inner: the inner product"),
        OPTION_ROW_TEXT("memory", 0, "SIZE", &request.memory,
                        "bytes that copies of rows may fill, such as 256M"),
        OPTION_ROW_CHOICE("device", "NAME", &request.options.device,
                          settings_words(devices, "device"),
                          "auto: a GPU where the work is worth it; cpu; cuda"),
        OPTION_ROW_INTEGER("threads", "N", &request.options.threads, 0, 1024,
                           "threads; 0: one per core"),
        {0},
    };
    struct command command = {.name = "neighbours",
                              .synopsis = "RUN [options]",
                              .summary = SUMMARY,
                              .options = options,
                              .min_arguments = 1,
                              .max_arguments = 1};
    int code = options_begin(&command, argc, argv);
    return code >= 0 ? code : search(command.arguments[0], &request);
}
