/* graco convert: writes a data set in graco's own format. */
#include "graco_command.h"
#include "commands.h"
#include "loading.h"
#include "output.h"
#include "runs.h"

#include <stddef.h>

int cmd_convert(int argc, char **argv)
{
    graco_load_options load = {0};
    graco_dataset *data = NULL;
    const char *layouts[OPTION_WORDS_MAX], *layout = graco_layout(0);
    bool force = false;
    const struct option options[] = {
        LOADING_OPTIONS(load),
        OPTION_ROW_CHOICE("layout", "NAME", &layout, options_words(layouts, graco_layout),
                          "how the files are laid out"),
        OPTION_ROW_FLAG("force", 0, &force, "replace OUT if it is a file that exists"),
        {0},
    };
    struct command command = {
        .name = "convert",
        .synopsis = "DATASET OUT [options]",
        .summary = "Writes a data set in graco's own format: one file if OUT ends in .npz, else a\n"
                   "folder of .npy files, which is mapped into memory when it is read. Or in the\n"
                   "layout of DGL's PPI or Reddit: an archive if OUT ends in .zip, else a folder.",
        .options = options,
        .min_arguments = 2,
        .max_arguments = 2,
    };
    int code = options_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    const char *const sources[] = {command.arguments[0],
                                   load.features_path ? load.features_path : "",
                                   load.labels_path ? load.labels_path : "", NULL};
    if (!runs_target(command.arguments[1], force, sources))
        return EXIT_FAILED;
    graco_status status = loading_dataset(&data, command.arguments[0], &load, NULL, false);
    if (status == GRACO_OK)
        status = graco_dataset_export(data, command.arguments[1], layout);
    if (status == GRACO_OK)
        output_dataset(command.arguments[1], data);
    graco_dataset_free(data);
    return status == GRACO_OK ? EXIT_FINE : output_failure(status);
}
