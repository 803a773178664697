/* graco report: one page about runs. A folder of several runs, or of models of several splits, is
 * one run of the page. */
#include "commands.h"
#include "loading.h"
#include "output.h"
#include "runs.h"
#include "settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct request {
    const char *target, *protocol;
    graco_report_options options;
    graco_load_options load;
};

/* What can be refused before the work. */
static bool check(const struct command *command, const struct request *request)
{
    const char *end = request->target ? strrchr(request->target, '.') : NULL;
    if (!end || strcmp(end, ".html") != 0) {
        output_error("report: %s%sexpected -o with a name that ends with .html",
                     request->target ? request->target : "nothing to write",
                     request->target ? ": " : "; ");
        return false;
    }
    for (int i = 0; i < command->count; i++) {
        struct stat found;
        if (stat(command->arguments[i], &found) != 0 || !S_ISDIR(found.st_mode)) {
            output_error("report: %s is no folder; expected one that graco train has written",
                         command->arguments[i]);
            return false;
        }
    }
    return runs_target(request->target, true, (const char *[]){NULL});
}

static int make_report(const struct command *command, const struct request *request)
{
    graco_run *runs[COMMAND_ARGUMENTS_MAX] = {NULL};
    int64_t notes = 0;
    graco_status status = runs_open(runs, command->arguments, command->count);
    if (status == GRACO_OK)
        status = graco_report(request->target, &notes, runs, command->count, &request->options);
    if (status == GRACO_OK) {
        output_note("wrote %s: %d run%s", request->target, command->count,
                    command->count == 1 ? "" : "s");
        if (notes > 0)
            output_note("see \"Worth knowing\" on the page: %" PRId64 " remark%s", notes,
                        notes == 1 ? "" : "s");
    }
    for (int r = 0; r < command->count; r++)
        graco_run_free(runs[r]);
    return status == GRACO_OK ? output_finish() : output_failure(status);
}

static const char SUMMARY[] =
    "Makes a page about one or more runs: settings, curves, scores, the shape of the\n"
    "embeddings, a map, and which run is better. The data set is read from where the\n"
    "run's was, and must be the same. What a run does not have is named on the page.";

int cmd_report(int argc, char **argv)
{
    struct request request = {.protocol = "paper", .options = graco_report_defaults()};
    const char *protocols[OPTION_WORDS_MAX], *devices[OPTION_WORDS_MAX];
    graco_eval_options *eval = &request.options.eval;
    int64_t seed = 0;
    eval->device = "auto";
    const struct option options[] = {
        OPTION_ROW_TEXT("output", 'o', "FILE.html", &request.target, "the page"),
        OPTION_ROW_TEXT("data", 0, "DATASET", &request.options.data,
                        "where the data set is now, if not where the runs read it"),
        OPTION_ROW_TEXT("title", 0, "WORDS", &request.options.title,
                        "of the page; else the run's name"),
        OPTION_ROW_CHOICE("protocol", "NAME", &request.protocol,
                          options_words(protocols, graco_protocol_name),
                          "of the scores, as in graco eval"),
        OPTION_ROW_INTEGER("splits", "K", &eval->splits, 1, 1000000, "random splits"),
        OPTION_ROW_INTEGER("seed", "N", &seed, 0, INT64_MAX, "seed of the splits"),
        OPTION_ROW_FLAG("no-map", 0, &request.options.no_map, "leave the map out"),
        OPTION_ROW_CHOICE("device", "NAME", &eval->device, settings_words(devices, "device"),
                          "of the scores: auto, cpu, cuda"),
        OPTION_ROW_INTEGER("threads", "N", &eval->threads, 0, 1024, "threads; 0: one per core"),
        LOADING_OPTIONS(request.load),
        {0},
    };
    struct command command = {.name = "report",
                              .synopsis = "RUN ... -o FILE.html [options]",
                              .summary = SUMMARY,
                              .options = options,
                              .min_arguments = 1,
                              .max_arguments = COMMAND_ARGUMENTS_MAX};
    int code = options_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    request.options.load = &request.load;
    eval->seed = (uint64_t)seed;
    for (int p = 0; protocols[p]; p++)
        if (strcmp(request.protocol, protocols[p]) == 0)
            eval->protocol = (graco_protocol)p;
    return check(&command, &request) ? make_report(&command, &request) : EXIT_USAGE;
}
