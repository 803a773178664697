/* graco convert: writes a data set in graco's own format. */
#include "graco.h"
#include "commands.h"
#include "loading.h"
#include "output.h"
#include "runs.h"

#include <stddef.h>

int cmd_convert(int argc, char **argv)
{
    graco_load_options load = {0};
    graco_dataset *data = NULL;
    bool force = false;
    const struct option options[] = {
        LOADING_OPTIONS(load),
        OPTION_ROW_FLAG("force", 0, &force, "replace OUT if it is a file that exists"),
        {0},
    };
    struct command command = {
        .name = "convert",
        .synopsis = "DATASET OUT [options]",
        .summary = "Writes a data set in graco's own format: one file if OUT ends in .npz, else a\n"
                   "folder of .npy files, which is mapped into memory when it is read.",
        .options = options,
        .min_arguments = 2,
        .max_arguments = 2,
    };
    int code = options_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    if (!loading_target(command.arguments[1], force, command.arguments[0], &load))
        return EXIT_FAILED;
    graco_status status = GRACO_OK;
    TRY(loading_dataset(&data, command.arguments[0], &load, NULL, false));
    TRY(graco_dataset_save(data, command.arguments[1]));
    output_dataset(command.arguments[1], data);
done:
    graco_dataset_free(data);
    return status == GRACO_OK ? EXIT_FINE : output_failure(status);
}
