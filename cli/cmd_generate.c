/* graco generate: makes a graph with communities and bag-of-words features. */
#include "graco_more.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "runs.h"

#include <stddef.h>

int cmd_generate(int argc, char **argv)
{
    graco_generate_options generate = graco_generate_defaults();
    graco_dataset *data = NULL;
    int64_t seed = (int64_t)generate.seed;
    const char *likes[OPTION_WORDS_MAX], *const sources[] = {NULL};
    bool force = false;
    const struct option options[] = {
        OPTION_ROW_INTEGER("nodes", "N", &generate.nodes, 1, INT32_MAX, "nodes"),
        OPTION_ROW_INTEGER("classes", "N", &generate.classes, 1, INT32_MAX,
                           "classes, which are communities"),
        OPTION_ROW_INTEGER("features", "N", &generate.feature_count, 0, INT32_MAX,
                           "feature columns, the vocabulary; 0: no features"),
        OPTION_ROW_FLAG("dense", 0, &generate.dense,
                        "features as noise around a mean per class instead of words"),
        OPTION_ROW_REAL("degree", "X", &generate.degree, 0, 1e6, "average degree"),
        OPTION_ROW_REAL("homophily", "X", &generate.homophily, 0, 1,
                        "share of edges that stay within a class"),
        OPTION_ROW_CHOICE("like", "NAME", &generate.like, options_words(likes, graco_likeness),
                          "a graph like a published one instead"),
        OPTION_ROW_REAL("scale", "X", &generate.scale, 1e-6, 1000,
                        "with --like: so many times as many nodes"),
        OPTION_ROW_INTEGER("seed", "N", &seed, 0, INT64_MAX, "the same seed gives the same graph"),
        OPTION_ROW_FLAG("force", 0, &force, "replace OUT if it is a file that exists"),
        {0},
    };
    struct command command = {
        .name = "generate",
        .synopsis = "OUT [options]",
        .summary = "Makes a graph (a degree-corrected block model with bag-of-words features and\n"
                   "the communities as labels) and writes it to OUT: a file if it ends in .npz,\n"
                   "else a folder. With --like, one of the size, degrees, features, labels and\n"
                   "split of a published data set.",
        .options = options,
        .min_arguments = 1,
        .max_arguments = 1,
    };
    int code = options_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    if (!runs_target(command.arguments[0], force, sources))
        return EXIT_FAILED;
    generate.seed = (uint64_t)seed;
    graco_status status = GRACO_OK;
    TRY(graco_dataset_generate(&data, &generate));
    TRY(graco_dataset_save(data, command.arguments[0]));
    output_dataset(command.arguments[0], data);
done:
    graco_dataset_free(data);
    return status == GRACO_OK ? EXIT_FINE : output_failure(status);
}
