/* graco partition: a data set with an order of its nodes that lets ranks send each other less. */
#include "graco_command.h"
#include "commands.h"
#include "loading.h"
#include "output.h"
#include "runs.h"

#include <stddef.h>

static int divide(const char *source, const char *output, const graco_load_options *load,
                  int64_t ranks)
{
    graco_dataset *data = NULL;
    graco_status status = GRACO_OK;
    TRY(loading_dataset(&data, source, load, NULL, false));
    TRY(graco_dataset_partition(data, ranks, output));
    output_dataset(output, data);
done:
    graco_dataset_free(data);
    return status == GRACO_OK ? EXIT_FINE : output_failure(status);
}

int cmd_partition(int argc, char **argv)
{
    graco_load_options load = {0};
    const char *output = NULL;
    int64_t ranks = 0;
    bool force = false;
    const struct option options[] = {
        {OPTION_ROW("ranks", 'n', "P", OPTION_INTEGER, &ranks, "ranks to divide the nodes among"),
         .min = 1, .max = GRACO_RANKS_MOST},
        OPTION_ROW_TEXT("output", 'o', "DIR", &output,
                        "folder to write, or one file if it ends in .npz"),
        OPTION_ROW_FLAG("force", 0, &force, "replace DIR if it is a file that exists"),
        LOADING_OPTIONS(load),
        {0},
    };
    struct command command = {
        .name = "partition",
        .synopsis = "DATASET -n P -o DIR [options]",
        .summary = "Writes a data set in graco's own format with an order of its nodes, by METIS,\n"
                   "in which few edges join nodes of different ranks: graco-mpi then sends less.\n"
                   "Rows and names, and those of all results, stay in the order that they have.",
        .options = options,
        .min_arguments = 1,
        .max_arguments = 1,
    };
    int code = options_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    const char *source = command.arguments[0];
    if (ranks > 0 && output)
        return loading_target(output, force, source, &load) ? divide(source, output, &load, ranks)
                                                            : EXIT_FAILED;
    output_error("partition: no %s given; expected %s", ranks > 0 ? "output" : "number of ranks",
                 ranks > 0 ? "-o DIR" : "-n P");
    return EXIT_USAGE;
}
