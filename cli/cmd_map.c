/* graco map: lays out nodes in the plane by their embeddings, as a page to explore, a picture or an
 * array. */
#include "commands.h"
#include "graco_command.h"
#include "loading.h"
#include "output.h"
#include "runs.h"
#include "settings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TARGETS = 4, VALUES_MAX = 256, VALUE_NAME = 128, SCORES = 256, CLUSTERS = 10 };

struct request {
    const char *target[TARGETS]; /* -o, --svg, --png, --npy; NULL: not wanted */
    struct option_list values;
    graco_map_options options;
    graco_load_options load;
};

/* Columns of numbers from .npy files, each with a name. */
struct numbers {
    int64_t count;
    graco_map_values column[VALUES_MAX];
    char name[VALUES_MAX][VALUE_NAME];
    float *values[VALUES_MAX];
};

/* What is read, to be freed together. */
struct inputs {
    graco_run *run;
    const graco_matrix *Z;
    char *const *names;
    graco_dataset *data;
    struct numbers *numbers;
    graco_cluster_result clusters;
    char scores[SCORES];
};

static graco_status add_column(struct numbers *numbers, const char *path, const graco_matrix *table,
                               int64_t column)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    int64_t n = numbers->count;
    if (n == VALUES_MAX)
        return status_fail(GRACO_ERROR_ARGUMENT, "--values: more than %d columns", VALUES_MAX);
    numbers->values[n] = malloc((size_t)table->rows * sizeof **numbers->values);
    if (!numbers->values[n])
        return output_no_memory("the values");
    for (int64_t i = 0; i < table->rows; i++)
        numbers->values[n][i] = table->data[i * table->cols + column];
    int length = (int)strlen(base) - 4 > 64 ? 64 : (int)strlen(base) - 4;
    if (table->cols > 1)
        snprintf(numbers->name[n], VALUE_NAME, "%.*s %" PRId64, length, base, column + 1);
    else
        snprintf(numbers->name[n], VALUE_NAME, "%.*s", length, base);
    numbers->column[n] = (graco_map_values){numbers->name[n], numbers->values[n]};
    numbers->count++;
    return GRACO_OK;
}

static graco_status read_values(struct numbers *numbers, const char *path, int64_t nodes)
{
    graco_matrix table = {0};
    graco_status status = graco_matrix_load(&table, path);
    if (status == GRACO_OK && table.rows != nodes)
        status = status_fail(GRACO_ERROR_ARGUMENT,
                             "%s: %" PRId64 " rows; expected one for each of the %" PRId64 " nodes",
                             path, table.rows, nodes);
    for (int64_t c = 0; status == GRACO_OK && c < table.cols; c++)
        status = add_column(numbers, path, &table, c);
    graco_matrix_clear(&table);
    return status;
}

static void clear_inputs(struct inputs *inputs)
{
    for (int64_t c = 0; inputs->numbers && c < inputs->numbers->count; c++)
        free(inputs->numbers->values[c]);
    free(inputs->numbers);
    graco_cluster_result_clear(&inputs->clusters);
    graco_dataset_free(inputs->data);
    graco_run_free(inputs->run);
}

/* The clusters of the run, as graco eval scores them: as many as classes, or as were asked for. */
static graco_status find_clusters(struct inputs *in, graco_map_options *options)
{
    const graco_dataset_info info = graco_dataset_describe(in->data);
    graco_cluster_options how = graco_cluster_defaults();
    how.clusters = options->clusters;
    bool few = info.classes > 0 && info.classes <= GRACO_CLASS_CLUSTERS;
    if (how.clusters == 0 && (!few || info.multi_label))
        how.clusters = CLUSTERS;
    if (how.clusters > info.nodes)
        how.clusters = info.nodes;
    how.seed = options->seed;
    how.threads = options->threads;
    graco_status status = graco_run_clusters(&in->clusters, in->run, 0, in->data, &how);
    options->clusters = in->clusters.clusters;
    options->cluster = in->clusters.cluster;
    return status;
}

/* The scores that graco eval kept of these embeddings, and those of the clusters, in words. */
static graco_status describe_scores(struct inputs *in)
{
    const graco_eval_result *results = NULL;
    const graco_cluster_result *clusters = &in->clusters;
    const int64_t seeds = graco_run_describe(in->run).seeds;
    graco_eval_options how = graco_eval_defaults();
    char *words = in->scores, over[64] = "", nmi[32] = "";
    PASS(graco_run_kept_scores(&results, &how, in->run, in->data));
    if (clusters->labelled > 0)
        snprintf(nmi, sizeof nmi, "NMI %.3f, ", clusters->nmi);
    int length = snprintf(words, SCORES, "%" PRId64 " clusters: %smodularity %.3f",
                          clusters->clusters, nmi, clusters->modularity);
    if (!results)
        return GRACO_OK;
    const graco_eval_summary all = graco_eval_summarise(results, seeds);
    if (seeds > 1)
        snprintf(over, sizeof over, "%" PRId64 " runs, ", seeds);
    snprintf(words + length, SCORES - (size_t)length,
             "; %s%s %.2f ± %.2f: %s%" PRId64 " split%s, protocol %s",
             results[0].multi_label ? "micro-F1" : "accuracy",
             how.with_features ? " with features" : "", all.mean, all.deviation, over, how.splits,
             how.splits == 1 ? "" : "s", graco_protocol_name((int)how.protocol));
    return GRACO_OK;
}

static graco_status read_inputs(struct inputs *in, const char *from, const char *source,
                                struct request *request)
{
    PASS(graco_run_open(&in->run, from));
    if (source)
        PASS(loading_dataset(&in->data, source, &request->load, in->run, false));
    PASS(loading_embeddings(&in->Z, &in->names, in->run, 0, in->data));
    in->numbers = calloc(1, sizeof *in->numbers);
    if (!in->numbers)
        return output_no_memory("the values");
    for (int v = 0; v < request->values.count; v++)
        PASS(read_values(in->numbers, request->values.values[v], in->Z->rows));
    if (in->data && in->Z->rows == graco_dataset_describe(in->data).nodes) {
        PASS(find_clusters(in, &request->options));
        PASS(describe_scores(in));
    }
    request->options.scores = in->scores;
    request->options.data = in->data;
    request->options.values = in->numbers->column;
    request->options.value_count = in->numbers->count;
    request->options.names = (const char *const *)in->names;
    if (!in->names && in->data)
        request->options.names = graco_dataset_arrays(in->data).node_ids.data;
    return GRACO_OK;
}

/* Says what was written when all is: a failure has one message. */
static graco_status save_all(const graco_map *map, const struct request *request)
{
    graco_map_info info = graco_map_describe(map);
    for (int t = 0; t < TARGETS; t++)
        if (request->target[t])
            PASS(graco_map_save(map, request->target[t]));
    for (int t = 0; t < TARGETS; t++)
        if (request->target[t])
            output_note("wrote %s: %" PRId64 " nodes", request->target[t], info.nodes);
    if (*request->options.scores)
        output_note("%s", request->options.scores);
    if (!isnan(info.trustworthiness))
        output_note("trustworthiness %.3f, continuity %.3f: %" PRId64 " neighbours of %" PRId64
                    " nodes; %.1f s",
                    info.trustworthiness, info.continuity, info.quality_k, info.quality_nodes,
                    info.seconds);
    return GRACO_OK;
}

/* The ending of a target must be that of its option, before any work. */
static bool check_targets(const struct request *request, const char *from, const char *source)
{
    static const char *const ending[TARGETS] = {".html", ".svg", ".png", ".npy"};
    static const char *const option[TARGETS] = {"-o", "--svg", "--png", "--npy"};
    int wanted = 0;
    for (int t = 0; t < TARGETS; t++) {
        const char *path = request->target[t];
        if (!path)
            continue;
        const char *end = strrchr(path, '.');
        wanted++;
        if (!end || strcmp(end, ending[t]) != 0) {
            output_error("map: %s %s: expected a name that ends with %s", option[t], path,
                         ending[t]);
            return false;
        }
        if (!runs_target(path, true, (const char *[]){from, source ? source : "", NULL}))
            return false;
    }
    if (wanted == 0)
        output_error("map: nothing to write; expected -o FILE.html, --svg, --png or --npy");
    return wanted > 0;
}

static int make_map(const char *from, const char *source, struct request *request)
{
    const char *base = strrchr(from, '/') && strrchr(from, '/')[1] ? strrchr(from, '/') + 1 : from;
    struct inputs inputs = {0};
    graco_map *map = NULL;
    if (!check_targets(request, from, source))
        return EXIT_USAGE;
    if (!request->options.title)
        request->options.title = base;
    graco_status status = GRACO_OK;
    TRY(read_inputs(&inputs, from, source, request));
    runs_say_first(inputs.run, "this is a map of");
    TRY(graco_map_make(&map, inputs.Z, &request->options));
    TRY(save_all(map, request));
done:
    graco_map_free(map);
    clear_inputs(&inputs);
    return status == GRACO_OK ? output_finish() : output_failure(status);
}

static const char SUMMARY[] =
    "Lays out the nodes of a run, or of a .npy file, in the plane: nodes with similar\n"
    "embeddings lie side by side. Writes one page, which needs no network.\n"
    "With DATASET nodes can be coloured by class and degree.";

int cmd_map(int argc, char **argv)
{
    struct request request = {.options = graco_map_defaults()};
    const char *devices[OPTION_WORDS_MAX];
    int64_t seed = 0;
    request.options.device = "auto";
    const struct option options[] = {
        OPTION_ROW_TEXT("output", 'o', "FILE.html", &request.target[0], "the page"),
        OPTION_ROW_TEXT("svg", 0, "FILE.svg", &request.target[1], "a picture by class or cluster"),
        OPTION_ROW_TEXT("png", 0, "FILE.png", &request.target[2], "the same in pixels"),
        OPTION_ROW_TEXT("npy", 0, "FILE.npy", &request.target[3], "the places, (nodes, 2)"),
        OPTION_ROW_TEXT("title", 0, "WORDS", &request.options.title,
                        "of the page; else RUN's name"),
        OPTION_ROW_LIST("values", "FILE.npy", &request.values,
                        "numbers of the nodes to colour by; may be given again"),
        {OPTION_ROW("k", 'k', "N", OPTION_INTEGER, &request.options.k,
                    "neighbours of a node that the layout follows"),
         .min = 1, .max = 256},
        OPTION_ROW_INTEGER("clusters", "N", &request.options.clusters, 0, 4096,
                           "of k-means; 0: as many as classes, else 10"),
        OPTION_ROW_INTEGER("epochs", "N", &request.options.epochs, 0, 100000,
                           "of the layout; 0: 500 up to 10,000 nodes, else 200"),
        OPTION_ROW_INTEGER("seed", "N", &seed, 0, INT64_MAX, "of layout and clusters"),
        OPTION_ROW_CHOICE("device", "NAME", &request.options.device,
                          settings_words(devices, "device"),
                          "where neighbours are sought: auto, cpu, cuda"),
        OPTION_ROW_INTEGER("threads", "N", &request.options.threads, 0, 1024,
                           "threads; 0: one per core"),
        LOADING_OPTIONS(request.load),
        {0},
    };
    struct command command = {.name = "map",
                              .synopsis = "RUN [DATASET] -o FILE.html [options]",
                              .summary = SUMMARY,
                              .options = options,
                              .min_arguments = 1,
                              .max_arguments = 2};
    int code = options_begin(&command, argc, argv);
    request.options.seed = (uint64_t)seed;
    return code >= 0 ? code
                     : make_map(command.arguments[0],
                                command.count > 1 ? command.arguments[1] : NULL, &request);
}
