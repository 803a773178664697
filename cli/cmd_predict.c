/* graco predict: a table of nodes, the class that each probably has, and the probability of every class.
 * RFC 4180: fields with commas, quotes or line ends are quoted, lines end with CR LF. graco reads it as a
 * table of labels. */
#include "graco_command.h"
#include "commands.h"
#include "loading.h"
#include "nodes.h"
#include "output.h"
#include "runs.h"
#include "settings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FIELD = NODES_NUMBER };

/* Where names are from: nodes are the data set's. Classes are those that the model was trained on, by its
 * names or, without names, by number; or the data set's, where a regression or the training read these. */
struct named {
    const graco_model *model;
    const graco_dataset *data;
    const int32_t *class_of; /* of a regression */
    bool classes;            /* are the data set's, unless the model has names */
};

static const char *class_name(char text[FIELD], struct named named, int64_t class)
{
    const char *name = graco_model_class(named.model, class);
    if (named.class_of)
        class = named.class_of[class];
    if (!name && named.classes)
        return nodes_class(text, named.data, class);
    snprintf(text, FIELD, "%" PRId64, class);
    return name ? name : text;
}

/* The most probable class, the first among equals; of several labels those above 1/2, with semicolons
 * between them. */
static void add_choice(struct text *table, struct named named, const graco_prediction *found,
                       const float *p)
{
    struct text names = {0};
    char text[FIELD];
    int64_t best = 0;
    for (int64_t k = 0; k < found->classes; k++) {
        best = p[k] > p[best] ? k : best;
        if (!found->multi_label || !(p[k] > 0.5f))
            continue;
        text_add(&names, names.length > 0 ? ";" : "");
        text_add(&names, class_name(text, named, k));
    }
    text_add(table, ",");
    text_field(table, found->multi_label ? text_words(&names) : class_name(text, named, best), ',',
               false);
    if (text_status(&names) != GRACO_OK)
        table->status = text_status(&names);
    text_clear(&names);
}

static void add_row(struct text *table, struct named named, const graco_prediction *found,
                    int64_t row)
{
    const float *p = found->probability + row * found->classes;
    char text[FIELD];
    text_field(table, nodes_name(text, named.data, found->node[row]), ',', false);
    add_choice(table, named, found, p);
    for (int64_t k = 0; k < found->classes; k++)
        text_print(table, ",%.6f", (double)p[k]);
    text_add(table, "\r\n");
}

/* The rows of these nodes, or all with a `count` of 0. What was asked for by name is predicted for all
 * nodes, so that row i is node i. */
static void fill(struct text *table, struct named named, const graco_prediction *found,
                 const int64_t *nodes, int count)
{
    char text[FIELD];
    int64_t rows = count > 0 ? count : found->count;
    text_add(table, "node,class");
    for (int64_t k = 0; k < found->classes; k++) {
        text_add(table, ",");
        text_field(table, class_name(text, named, k), ',', false);
    }
    text_add(table, "\r\n");
    for (int64_t i = 0; i < rows; i++)
        add_row(table, named, found, count > 0 ? nodes[i] : i);
}

static graco_status save(const struct text *table, const char *output)
{
    PASS(text_status(table));
    if (strcmp(output, "-") != 0)
        return graco_file_save(output, table->bytes, table->length);
    output_text(table);
    return GRACO_OK;
}

static int predict(const char *path, const char *source, const graco_load_options *load,
                   const char *output, const graco_predict_options *options,
                   const struct option_list *of)
{
    int64_t nodes[OPTION_LIST_MAX] = {0};
    char words[GRACO_DIFFERENCES] = "";
    graco_run *run = NULL;
    graco_dataset *data = NULL;
    const graco_model *model = NULL;
    graco_prediction found = {0};
    struct text table = {0};
    graco_status status = GRACO_OK;
    TRY(graco_run_open(&run, path));
    TRY(graco_run_model(&model, run, 0));
    TRY(loading_dataset(&data, source, load, run, false));
    TRY(loading_keeps_files(output, data));
    TRY(graco_run_compare(words, run, 0, data));
    if (of->count > 0)
        TRY(graco_dataset_find_nodes(nodes, data, of->values, of->count));
    TRY(graco_predict(&found, model, data, options));
    const bool fitted = !isnan(found.C);
    const struct named named = {model, data, found.class_of, fitted || !strstr(words, "labels")};
    fill(&table, named, &found, nodes, of->count);
    TRY(save(&table, output));
    if (fflush(stdout) != 0 || ferror(stdout)) /* output_finish says so */
        goto done;
    runs_say_first(run, "this is by");
    output_note("wrote %s: %" PRId64 " nodes, %" PRId64 " classes",
                strcmp(output, "-") == 0 ? "the standard output" : output,
                of->count > 0 ? of->count : found.count, found.classes);
done:
    text_clear(&table);
    graco_prediction_clear(&found);
    graco_dataset_free(data);
    graco_run_free(run);
    return status == GRACO_OK ? output_finish() : output_failure(status);
}

static const char SUMMARY[] =
    "Writes a CSV table: the nodes of DATASET whose label is not known, the class\n"
    "that each probably has, and the probability of every class. A supervised model\n"
    "says so itself; embeddings are read by regressions on all labels there are.";

static const char *const OTHERS[] = {".npy", ".npz", ".tsv", ".json", NULL};

int cmd_predict(int argc, char **argv)
{
    const char *output = NULL, *devices[OPTION_WORDS_MAX];
    graco_predict_options how = {.device = "auto"};
    graco_load_options load = {0};
    struct option_list of = {0};
    const struct option options[] = {
        OPTION_ROW_TEXT("output", 'o', "FILE", &output, "where to write the table; -: stdout"),
        OPTION_ROW_FLAG("all", 0, &how.all, "predict nodes whose label is known, too"),
        OPTION_ROW_LIST("of", "NAME|NUMBER", &of,
                        "only this node, its label known or not; may be given again"),
        OPTION_ROW_INTEGER("threads", "N", &how.threads, 0, 1024, "threads; 0: one per core"),
        OPTION_ROW_CHOICE("device", "NAME", &how.device, settings_words(devices, "device"),
                          "auto: a GPU if there is one; cpu; cuda"),
        LOADING_OPTIONS(load),
        {0},
    };
    struct command command = {.name = "predict",
                              .synopsis = "RUN DATASET -o FILE",
                              .summary = SUMMARY,
                              .options = options,
                              .min_arguments = 2,
                              .max_arguments = 2};
    int code = options_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    how.all = how.all || of.count > 0;
    if (output && output_other_format("predict", output, OTHERS, ".csv"))
        return EXIT_USAGE;
    if (output && !loading_spares(output, command.arguments[1], &load))
        return EXIT_FAILED;
    if (output)
        return predict(command.arguments[0], command.arguments[1], &load, output, &how, &of);
    output_error("predict: no output file given; expected -o FILE, such as -o classes.csv");
    return EXIT_USAGE;
}
