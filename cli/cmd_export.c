/* graco export: embeddings with the names of their nodes, in formats that other programs read. */
#include "commands.h"
#include "options.h"
#include "output.h"
#include "runs.h"

#include <inttypes.h>
#include <string.h>

static int export(const char *path, const char *output, const graco_export_options *options)
{
    graco_run *run = NULL;
    graco_export_result result = {0};
    graco_status status = GRACO_OK;
    TRY(graco_run_open(&run, path));
    TRY(graco_embeddings_export(&result, graco_run_path(run, 0), output, options));
    runs_say_first(run, "these are the embeddings of");
    output_note("wrote %s: %" PRId64 " nodes by %s, %" PRId64 " numbers each", output, result.rows,
                result.named ? "name" : "number", result.cols);
done:
    graco_run_free(run);
    return status == GRACO_OK ? EXIT_FINE : output_failure(status);
}

static const char SUMMARY[] =
    "Writes the embeddings of a run folder, or of a .npy file of `graco embed`, with\n"
    "the names of the nodes, or their numbers where they have none. The ending of\n"
    "FILE says in which format.";

int cmd_export(int argc, char **argv)
{
    graco_export_options how = {0};
    const char *output = NULL;
    struct option_list of = {0};
    const struct option options[] = {
        OPTION_ROW_TEXT("output", 'o', "FILE", &output,
                        ".csv, .tsv; .txt, .vec, .bin (word2vec); .npz"),
        OPTION_ROW_FLAG("spreadsheet-safe", 0, &how.spreadsheet_safe,
                        "put ' before names that begin like formulas (.csv, .tsv)"),
        OPTION_ROW_LIST("of", "NAME|NUMBER", &of, "only this node; may be given again"),
        {0},
    };
    struct command command = {.name = "export",
                              .synopsis = "RUN -o FILE [options]",
                              .summary = SUMMARY,
                              .options = options,
                              .min_arguments = 1,
                              .max_arguments = 1};
    int code = options_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    how.of = of.values;
    how.of_count = of.count;
    if (output)
        return export(command.arguments[0], output, &how);
    output_error("export: no output file given; expected -o FILE, such as -o vectors.csv");
    return EXIT_USAGE;
}
