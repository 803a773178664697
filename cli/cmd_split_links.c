/* graco split-links: holds links out of a graph before anything is trained on it, so that `graco eval --task
 * link` can test whether embeddings know them. */
#include "commands.h"
#include "loading.h"
#include "output.h"
#include "runs.h"

static int split(const char *source, const char *output, const graco_load_options *load,
                 const graco_links_options *how)
{
    graco_dataset *data = NULL;
    graco_status status = GRACO_OK;
    TRY(loading_dataset(&data, source, load, NULL, false));
    TRY(graco_links_split(data, output, how));
    output_note("wrote %s: %s without %g of its links for the test and %g for validation", output,
                graco_dataset_describe(data).name, how->test, how->validation);
done:
    graco_dataset_free(data);
    return status == GRACO_OK ? EXIT_FINE : output_failure(status);
}

static const char SUMMARY[] =
    "Writes DATASET without some of its links, and beside it these links and as many\n"
    "pairs of nodes without one. Train on DIR, then score the embeddings by\n"
    "`graco eval RUN DIR --task link`.";

int cmd_split_links(int argc, char **argv)
{
    graco_links_options how = graco_links_defaults();
    graco_load_options load = {0};
    const char *output = NULL;
    int64_t seed = 0;
    bool force = false;
    const struct option options[] = {
        OPTION_ROW_TEXT("output", 'o', "DIR", &output,
                        "folder to write, or one file if it ends in .npz"),
        OPTION_ROW_REAL("test", "SHARE", &how.test, 0, 1, "share of the links for the test"),
        OPTION_ROW_REAL("validation", "SHARE", &how.validation, 0, 1, "share for validation"),
        OPTION_ROW_INTEGER("seed", "N", &seed, 0, INT64_MAX, "seed of the draws"),
        OPTION_ROW_FLAG("force", 0, &force, "replace DIR if it is a file that exists"),
        LOADING_OPTIONS(load),
        {0},
    };
    struct command command = {.name = "split-links",
                              .synopsis = "DATASET -o DIR [options]",
                              .summary = SUMMARY,
                              .options = options,
                              .min_arguments = 1,
                              .max_arguments = 1};
    int code = options_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    const char *source = command.arguments[0];
    how.seed = (uint64_t)seed;
    if (output)
        return loading_target(output, force, source, &load) ? split(source, output, &load, &how)
                                                            : EXIT_FAILED;
    output_error("split-links: no output given; expected -o DIR");
    return EXIT_USAGE;
}
