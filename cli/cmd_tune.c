/* graco tune: looks for settings of a method for a data set, in a folder that can be continued. The
 * library searches; this reads the line, shows the progress, and says what was found. */
#include "graco_command.h"
#include "commands.h"
#include "loading.h"
#include "output.h"
#include "runs.h"
#include "settings.h"
#include "stop.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char STOPPING[] =
    "\nstopping: the best so far is kept; a second signal ends at once\n";

struct line {
    graco_load_options load;
    graco_tune_options tune;
    struct option_list search;
    const char *source, *output, *time, *criterion;
    int64_t seed;
    bool json, quiet;
    char folder[RUNS_PATH_MAX];
};

/* "90", "90s", "10m", "2h" as seconds; false after a message. */
static bool read_time(double *seconds, const char *text)
{
    static const char units[] = "smh";
    static const double factors[] = {1, 60, 3600};
    char *end;
    double number = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end) : units;

    if (end == text || !unit || (*end && end[1]) || !(number > 0 && number < 1e9)) {
        output_error("tune: --time is '%s'; expected a time such as 90s, 10m or 2h", text);
        return false;
    }
    *seconds = number * factors[unit - units];
    return true;
}

static bool on_progress(void *user, const graco_tune_progress *progress)
{
    output_progress_tune(user, progress);
    return !stop_wanted;
}

/* The settings that the search has changed, as --set takes them. */
static void print_settings(const graco_config *best)
{
    graco_config *general = NULL;
    char chosen[SETTINGS_TEXT], usual[SETTINGS_TEXT];
    const char *key;

    if (graco_config_create(&general, graco_config_method(best), NULL) != GRACO_OK)
        return;
    for (int i = 0; (key = graco_config_key(best, i, NULL)); i++)
        if (strcmp(settings_get(chosen, best, key), settings_get(usual, general, key)) != 0)
            output_row(key, "%s", chosen);
    graco_config_free(general);
}

/* What was chosen, and what needs no training, by the validation parts of the same splits. */
static void print_validation(const struct line *line, const graco_dataset *data, double validation)
{
    char beside[128] = "";
    size_t used = 0;
    bool better = true;
    for (int b = 0; graco_dataset_describe(data).feature_count > 0 && graco_baseline(b); b++) {
        double score;
        if (graco_tune_baseline(&score, graco_baseline(b), data, line->tune.threads) != GRACO_OK) {
            output_note("%s is not scored: %s", graco_baseline(b), graco_message());
            continue;
        }
        used += (size_t)snprintf(beside + used, sizeof beside - used, ", %s %.2f",
                                 graco_baseline(b), score);
        better = better && validation > score;
    }
    output_row("validation", "%.2f%s%s", validation, beside, better ? "" : ": not better");
}

static int report_text(const struct line *line, const graco_config *best,
                       const graco_tune_result *result, const graco_dataset *data)
{
    char time[32];

    output_row("searched", "%" PRId64 " trial%s, %" PRId64 " measurement%s, %s%s", result->trials,
               result->trials == 1 ? "" : "s", result->measured, result->measured == 1 ? "" : "s",
               output_time(time, result->seconds),
               result->out_of_time ? ": the time was over" : "");
    output_row("chosen", "trial %" PRId64 ", by %s%s", result->trial, line->criterion,
               result->seeds > 1 ? ", a mean over seeds" : "");
    if (!isnan(result->validation))
        print_validation(line, data, result->validation);
    if (!isnan(result->structure.modularity))
        output_row("modularity", "%.4f", result->structure.modularity);
    if (!isnan(result->structure.columns))
        output_row("columns", "%.4f", result->structure.columns);
    if (!isnan(result->structure.edges))
        output_row("edges", "%.4f", result->structure.edges);
    if (result->raw >= result->score)
        output_row("note",
                   "by structure the raw features score %.3f, the choice %.3f: use them, or search "
                   "encoder=sage,sage_skip and parts=learned+own+smooth",
                   result->raw, result->score);
    print_settings(best);
    output_row("preset", "%s/best.json", line->folder);
    output_row("report", "%s/report.html", line->folder);
    return output_finish();
}

#define TUNED(member, kind) FIELD(graco_tune_result, member, kind)
#define STRUCTURE(member) FIELD_AS(#member, graco_tune_result, structure.member, REAL)
static const struct field TUNED_FIELDS[] = {TUNED(trials, INT),
                                            TUNED(measured, INT),
                                            TUNED(trial, INT),
                                            TUNED(seeds, INT),
                                            STRUCTURE(modularity),
                                            STRUCTURE(columns),
                                            STRUCTURE(edges),
                                            TUNED(validation, REAL),
                                            TUNED(seconds, REAL),
                                            TUNED(out_of_time, BOOL),
                                            {0}};

static int report_json(const struct line *line, const graco_config *best,
                       const graco_tune_result *result)
{
    struct writer json = {0};
    char value[SETTINGS_TEXT];
    const char *key;

    writer_open(&json, NULL, '{');
    writer_string(&json, "folder", line->folder);
    writer_string(&json, "criterion", line->criterion);
    writer_fields(&json, TUNED_FIELDS, result);
    writer_string(&json, "method", graco_config_method(best));
    writer_open(&json, "settings", '{');
    for (int i = 0; (key = graco_config_key(best, i, NULL)); i++)
        writer_string(&json, key, settings_get(value, best, key));
    writer_close(&json);
    writer_close(&json);
    return output_json(&json);
}

/* The folder: as given, else tune/NAME. */
static bool choose_folder(struct line *line, const char *name)
{
    bool usable = name && *name && *name != '.' && !strchr(name, '/');

    if (line->output)
        snprintf(line->folder, sizeof line->folder, "%s", line->output);
    else
        snprintf(line->folder, sizeof line->folder, "tune/%.200s", usable ? name : "unnamed");
    return runs_make(line->folder, "folder");
}

static int search(struct line *line, const graco_dataset *data)
{
    const char *pairs[OPTION_LIST_MAX + 1] = {NULL};
    struct output_progress progress = output_progress_start(line->quiet, "");
    graco_tune_result result = {.trial = -1};
    graco_config *best = NULL;

    memcpy(pairs, line->search.values, (size_t)line->search.count * sizeof *pairs);
    line->tune.search = pairs;
    line->tune.folder = line->folder;
    line->tune.on_progress = on_progress;
    line->tune.user = &progress;
    stop_on_signals(SA_RESTART, line->quiet ? NULL : STOPPING + !isatty(STDERR_FILENO));
    graco_status status = graco_tune(&best, &result, data, &line->tune);
    output_progress_end(&progress);
    if (status == GRACO_STOPPED && best)
        output_error("stopped after %" PRId64
                     " measurement%s; %s/best.json has the best so far, and "
                     "the same command continues",
                     result.measured, result.measured == 1 ? "" : "s", line->folder);
    int code = status == GRACO_OK || (status == GRACO_STOPPED && best) ? EXIT_FINE
                                                                       : output_failure(status);
    if (code == EXIT_FINE && line->json)
        code = report_json(line, best, &result);
    else if (code == EXIT_FINE && !line->quiet)
        code = report_text(line, best, &result, data);
    graco_config_free(best);
    return status == GRACO_STOPPED ? EXIT_FAILED : code;
}

static int run_line(struct line *line)
{
    graco_dataset *data = NULL;
    graco_generate_options generate = graco_generate_defaults();

    for (int i = 0; graco_criterion_name(i); i++)
        if (strcmp(graco_criterion_name(i), line->criterion) == 0)
            line->tune.criterion = (graco_criterion)i;
    if (line->time && !read_time(&line->tune.seconds, line->time))
        return EXIT_USAGE;
    if (line->tune.trials < 0)
        line->tune.trials = line->time ? 0 : graco_tune_defaults().trials;
    line->tune.seed = (uint64_t)line->seed;
    graco_status status = line->source ? loading_dataset(&data, line->source, &line->load, NULL,
                                                         line->quiet || line->json)
                                       : graco_dataset_generate(&data, &generate);
    if (status != GRACO_OK)
        return output_failure(status);
    int code =
        choose_folder(line, graco_dataset_describe(data).name) ? search(line, data) : EXIT_FAILED;
    rmdir(
        line->folder); /* a search that was refused leaves no empty folder: rmdir takes no other */
    if (!line->output)
        rmdir("tune");
    graco_dataset_free(data);
    return code;
}

/* The methods that learn without labels: the others have nothing that a search could compare. */
static const char *method_name(int index)
{
    graco_method_info info;
    for (int i = 0; graco_method_describe(&info, i); i++)
        if (!info.supervised && index-- == 0)
            return info.name;
    return NULL;
}

int cmd_tune(int argc, char **argv)
{
    struct line line = {.tune = {.trials = -1, .device = "auto"},
                        .criterion = graco_criterion_name(GRACO_CRITERION_STRUCTURE)};
    graco_tune_options *tune = &line.tune;
    const char *methods[OPTION_WORDS_MAX], *criteria[OPTION_WORDS_MAX], *devices[OPTION_WORDS_MAX];
    const struct option options[] = {
        OPTION_ROW_TEXT("output", 'o', "DIR", &line.output,
                        "folder of the search; by default tune/NAME"),
        OPTION_ROW_INTEGER("trials", "N", &tune->trials, 1, 100000,
                           "settings to try; by default 50, or as many as --time allows"),
        OPTION_ROW_TEXT("time", 0, "TIME", &line.time,
                        "end with the best so far after 90s, 10m, 2h"),
        OPTION_ROW_CHOICE("criterion", "NAME", &line.criterion,
                          options_words(criteria, graco_criterion_name),
                          "what settings are compared by; structure reads no labels"),
        OPTION_ROW_CHOICE("method", "NAME", &tune->method, options_words(methods, method_name),
                          "whose settings; one that learns without labels"),
        OPTION_ROW_LIST("search", "KEY=VALUE", &line.search,
                        "search a,b,c or low..high for one setting; one value pins it"),
        OPTION_ROW_CHOICE("device", "NAME", &tune->device, settings_words(devices, "device"),
                          "auto: a GPU if there is one; cpu; cuda"),
        OPTION_ROW_INTEGER("seed", "N", &line.seed, 0, INT64_MAX,
                           "the same seed and trials give the same choice"),
        OPTION_ROW_INTEGER("at-once", "N", &tune->at_once, 0, 64,
                           "trainings at a time; 0: as memory and threads allow"),
        OPTION_ROW_INTEGER("threads", "N", &tune->threads, 0, 1024, "threads; 0: one per core"),
        OPTION_ROW_FLAG("json", 0, &line.json, "print one JSON object at the end"),
        OPTION_ROW_FLAG("quiet", 'q', &line.quiet, "no progress and no summary"),
        LOADING_OPTIONS(line.load),
        {0},
    };
    struct command command = {
        .name = "tune",
        .synopsis = "[DATASET] [-o DIR] [options]",
        .summary =
            "Searches for the best settings for a graph, without labels unless asked to use\n"
            "them. DIR gets best.json, which `graco train --preset DIR/best.json` takes,\n"
            "trials.csv and report.html. The same command continues a search that was\n"
            "stopped or killed, or with more --trials adds to it.",
        .options = options,
        .max_arguments = 1,
    };
    int code = options_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    line.source = command.count ? command.arguments[0] : NULL;
    return run_line(&line);
}
