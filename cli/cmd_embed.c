/* graco embed: applies a trained encoder to a graph, the one it was trained on or another. */
#include "graco_command.h"
#include "commands.h"
#include "loading.h"
#include "output.h"
#include "runs.h"
#include "settings.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static graco_status save(const char *output, const graco_model *model, const graco_dataset *data,
                         const graco_embed_options *options)
{
    graco_matrix Z = {0};
    bool streamed = strcmp(output, "-") == 0;
    size_t stem = strlen(output);
    stem -= stem > 4 && strcmp(output + stem - 4, ".npy") == 0 ? 4 : 0;
    graco_status status = GRACO_OK;
    TRY(graco_model_embed(&Z, model, data, options));
    TRY(streamed ? graco_matrix_write(&Z, STDOUT_FILENO) : graco_embeddings_save(&Z, data, output));
    output_note("wrote %s: %" PRId64 " x %" PRId64 ", float32",
                streamed ? "the standard output" : output, Z.rows, Z.cols);
    if (!streamed && graco_dataset_node(data, 0))
        output_note("wrote %.*s.node_ids.txt: the names of the nodes", (int)stem, output);
done:
    graco_matrix_clear(&Z);
    return status;
}

static int embed(const char *path, const char *source, const graco_load_options *load,
                 const char *output, const graco_embed_options *options)
{
    graco_run *run = NULL;
    graco_dataset *data = NULL;
    const graco_model *model = NULL;
    char words[GRACO_DIFFERENCES] = "";
    graco_status status = GRACO_OK;
    TRY(graco_run_open(&run, path));
    TRY(graco_run_model(&model, run, 0));
    TRY(loading_dataset(&data, source, load, run, false));
    TRY(loading_keeps_files(output, data));
    TRY(graco_run_compare(words, run, 0, data));
    if (runs_owns(*words ? NULL : graco_run_path(run, 0), output))
        FAIL(GRACO_ERROR_IO,
             "%s belongs to a training, whose names of nodes lie beside it; expected another name "
             "for embeddings of %s",
             output, source);
    TRY(save(output, model, data, options));
    runs_say_first(run, "these are embeddings by");
    if (*words)
        output_note("%s is not what %s was trained on; it differs in: %s", source,
                    graco_run_path(run, 0), words);
done:
    graco_dataset_free(data);
    graco_run_free(run);
    return status == GRACO_OK ? EXIT_FINE : output_failure(status);
}

/* What `graco export` makes of a .npy, and other programs write. */
static const char *const OTHERS[] = {".npz", ".csv", ".tsv", ".txt", ".vec", ".bin", ".json", NULL};

int cmd_embed(int argc, char **argv)
{
    graco_load_options load = {0};
    graco_embed_options how = {.device = "auto"};
    const char *output = NULL, *devices[OPTION_WORDS_MAX];
    const struct option options[] = {
        OPTION_ROW_TEXT("output", 'o', "FILE", &output,
                        "where to write the embeddings (.npy, float32); -: stdout"),
        OPTION_ROW_CHOICE("device", "NAME", &how.device, settings_words(devices, "device"),
                          "auto: a GPU if there is one; cpu; cuda"),
        OPTION_ROW_INTEGER("threads", "N", &how.threads, 0, 1024, "threads; 0: one per core"),
        LOADING_OPTIONS(load),
        {0},
    };
    struct command command = {
        .name = "embed",
        .synopsis = "RUN DATASET -o FILE",
        .summary =
            "Embeds every node of DATASET with the model of the run folder RUN. The data\n"
            "set needs as many features as the one trained on; the graph may be new, which is\n"
            "said. What is not said of its files is as the training had it.",
        .options = options,
        .min_arguments = 2,
        .max_arguments = 2,
    };
    int code = options_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    if (!output) {
        output_error("embed: no output file given; expected -o FILE, such as -o Z.npy");
        return EXIT_USAGE;
    }
    if (output_other_format("embed", output, OTHERS, ".npy"))
        return EXIT_USAGE;
    if (!loading_spares(output, command.arguments[1], &load))
        return EXIT_FAILED;
    return embed(command.arguments[0], command.arguments[1], &load, output, &how);
}
