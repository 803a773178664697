/* graco reproduce: trains and scores what the paper's tables and figures need, one sample after the
 * other, and keeps them in DIR/results.json. What stands there with the same settings is not
 * trained again, so a call that was killed goes on, and files of several machines add up.
 *
 * The file is replaced after each sample; only then its run folder is removed. */
#include "measures.h"
#include "report.h"
#include "samples.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/loading.h"
#include "cli/output.h"
#include "cli/runs.h"
#include "cli/settings.h"
#include "cli/stop.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LABEL = 512, QUICK_SPLITS = 5, FULL_SPLITS = 20 };

static const char STOPPING[] = "\nstopping: what is done is kept; a second signal ends at once\n";

/* The data set that graco generates where the published one is not there. */
static const int LOOK_ALIKE = REDDIT;

struct request {
    struct cells_wanted wanted;
    struct samples_way way;
    struct option_list merge;
    const char *output;
    double scale;       /* of the look-alike */
    int64_t first_seed; /* another call makes the seeds before it */
    bool list, no_train;
};

struct work {
    const struct request *request;
    struct cell cells[CELLS_MAX];
    struct cells_training trainings[CELLS_MAX]; /* (total) by set */
    int count, total;
    struct results *results;
    struct report_about about;
    char path[RUNS_PATH_MAX]; /* of results.json */
    char machine[MACHINE_TEXT];
    int64_t samples, at; /* wanted in all; the one under way, from 1 */
    int64_t failed;
    char failure[LABEL]; /* the first */
};

/* ---- Time left ------------------------------------------------------------------------------- */

/* By the mean time of a training's samples so far, else of all samples; -1 where nothing is known. */
static double time_left(const struct work *work)
{
    const struct cells_training *end = work->trainings + work->total;
    double seconds = 0, left = 0;
    int64_t made = 0;
    for (const struct cells_training *t = work->trainings; t < end; t++) {
        seconds += t->seconds;
        made += t->made;
    }
    for (const struct cells_training *t = work->trainings; made > 0 && t < end; t++)
        left +=
            (double)t->left * (t->made > 0 ? t->seconds / (double)t->made : seconds / (double)made);
    return made > 0 ? left : -1;
}

/* ---- One sample ------------------------------------------------------------------------------ */

/* A failure of the disk ends the command, another one this sample alone. */
static graco_status note_failure(struct work *work, graco_status status, const char *what)
{
    if (status == GRACO_OK || status == GRACO_STOPPED || status == GRACO_ERROR_IO)
        return status;
    const char *message = output_failed();
    if (work->failed++ == 0)
        snprintf(work->failure, sizeof work->failure, "%s: %s", what, message);
    if (!work->request->way.quiet)
        output_note("%s: %s; the others go on", what, message);
    return GRACO_OK;
}

static graco_status make_sample(struct work *work, struct cells_training *training,
                                const struct samples_job *job, unsigned wanted)
{
    char key[CELLS_KEY], label[LABEL], text[32], left[64] = "";
    double begun = output_now(), seconds = time_left(work);
    cells_key(key, job->training, PLAIN);
    if (seconds >= 0)
        snprintf(left, sizeof left, ", %s left", output_time(text, seconds));
    snprintf(label, sizeof label, "cell %" PRId64 " of %" PRId64 "%s  %s, seed %" PRId64 "  ",
             work->at, work->samples, left, key, job->seed);
    graco_status status = samples_make(work->results, job, wanted, label);
    if (status != GRACO_OK)
        return note_failure(work, status, key);
    training->seconds += output_now() - begun;
    training->made++;
    if (!job->way->quiet && !isatty(STDERR_FILENO))
        output_note("%s%s", label, output_time(text, output_now() - begun));
    PASS(results_save(work->results, work->path));
    samples_forget(job);
    return GRACO_OK;
}

/* ---- One data set ---------------------------------------------------------------------------- */

static graco_status load_set(struct samples_set *set, int index, const struct work *work)
{
    char path[RUNS_PATH_MAX];
    bool there = work->about.there[index];
    *set = (struct samples_set){.look_alike = !there, .scale = work->request->scale};
    graco_generate_options generate = graco_generate_defaults();
    generate.like = manifest_sets[LOOK_ALIKE].name;
    generate.scale = set->scale;
    if (there && loading_find(path, manifest_sets[index].name))
        PASS(graco_dataset_load(&set->data, path, NULL));
    else
        PASS(graco_dataset_generate(&set->data, &generate));
    return graco_dataset_fingerprint(set->fingerprint, set->data);
}

/* The samples of trainings[0 .. count), which have the same set, seed by seed: so that
 * each cell soon has some. */
static graco_status make_set(struct work *work, const struct samples_set *set,
                             struct cells_training *trainings, int count)
{
    int64_t runs = 0;
    for (int t = 0; t < count; t++)
        runs = trainings[t].runs > runs ? trainings[t].runs : runs;
    for (int64_t seed = work->request->first_seed; seed < runs; seed++)
        for (struct cells_training *p = trainings; p < trainings + count; p++) {
            struct samples_job job = {set, &work->request->way, p, seed};
            unsigned wanted = 0;
            if (seed >= p->runs)
                continue;
            work->at++;
            PASS(samples_wanted(&wanted, work->results, &job));
            if (stop_wanted)
                return GRACO_STOPPED;
            if (wanted)
                PASS(make_sample(work, p, &job, wanted));
            else
                samples_forget(&job); /* a kill may have come between saving and removing */
            p->left -= p->left > 0;
        }
    return GRACO_OK;
}

/* How many samples trainings make. */
static int64_t count_samples(const struct work *work, const struct cells_training *trainings,
                             int count)
{
    int64_t samples = 0, before = work->request->first_seed;
    for (int t = 0; t < count; t++)
        samples += trainings[t].runs > before ? trainings[t].runs - before : 0;
    return samples;
}

/* Without the data set: says so, and whether there is something to make yet. */
static bool stands_in(struct work *work, int set, struct cells_training *trainings, int count)
{
    const char *name = manifest_sets[set].name;
    bool alike = set == LOOK_ALIKE && !work->request->way.quick;
    if (!work->request->way.quiet)
        output_note("%s is not there, %s; to download it: graco fetch %s", name,
                    alike ? "a generated look-alike stands in" : "its cells stay empty", name);
    if (!alike)
        work->at += count_samples(work, trainings, count);
    for (int t = 0; t < count && !alike; t++)
        trainings[t].left = 0;
    return alike;
}

static graco_status make_all(struct work *work)
{
    for (int first = 0, end = 0; first < work->total; first = end) {
        struct samples_set set = {0};
        int index = work->trainings[first].set;
        struct cells_training *trainings = &work->trainings[first];
        while (end < work->total && work->trainings[end].set == index)
            end++;
        if (!work->about.there[index] && !stands_in(work, index, trainings, end - first))
            continue;
        graco_status status = load_set(&set, index, work);
        if (status == GRACO_OK)
            status = make_set(work, &set, trainings, end - first);
        graco_dataset_free(set.data);
        PASS(note_failure(work, status, manifest_sets[index].name));
    }
    return GRACO_OK;
}

/* ---- The list -------------------------------------------------------------------------------- */

/* A row: how many cells an item has, how many samples it wants, and how many of them there are. */
static void list_item(struct work *work, const struct item *item)
{
    struct cells_wanted wanted = work->request->wanted;
    const char *const names[] = {item->name, NULL};
    int64_t samples = 0, there = 0;
    int cells = 0;
    for (int i = 0; i < work->count; i++)
        cells += work->cells[i].item == item && cells_want(&wanted, &work->cells[i]);
    if (cells == 0 && *wanted.items)
        return;
    if (cells > 0)
        wanted.items = names;
    int total = cells > 0 ? cells_trainings(work->trainings, work->cells, work->count, &wanted) : 0;
    for (const struct cells_training *p = work->trainings; p < work->trainings + total; p++)
        for (int e = 0; e < EVALUATIONS; e++) {
            char key[CELLS_KEY];
            if (!(p->evaluations & 1u << e))
                continue;
            cells_key(key, p, (enum evaluation)e);
            for (int64_t seed = work->request->first_seed; seed < p->runs; seed++) {
                samples++;
                there += results_find(work->results, key, seed) != NULL;
            }
        }
    printf("%-16s %6d %8" PRId64 " %8" PRId64 "\n", item->name, cells, samples, there);
}

static void print_list(struct work *work)
{
    printf("%-16s %6s %8s %8s\n", "item", "cells", "samples", "there");
    for (const struct item *item = manifest_items; item->name; item++)
        list_item(work, item);
    printf("\n%" PRId64 " trainings in all, those that items share counted once\n\n",
           work->samples);
    for (int set = 0; set < SETS; set++) {
        const char *name = manifest_sets[set].name;
        if (work->about.there[set])
            printf("%-10s there\n", name);
        else
            printf("%-10s %s; to download it: graco fetch %s\n", name,
                   set == LOOK_ALIKE ? "a generated look-alike stands in" : "missing", name);
    }
}

/* ---- The command ----------------------------------------------------------------------------- */

static graco_status merge(struct work *work)
{
    for (int i = 0; i < work->request->merge.count; i++) {
        const char *path = work->request->merge.values[i];
        struct results *other = NULL;
        int64_t taken = 0;
        if (access(path, F_OK) != 0)
            return status_fail(GRACO_ERROR_IO, "%s is not there; expected a results.json", path);
        PASS(results_open(&other, path, false));
        int64_t count = other->count;
        PASS(results_merge(work->results, &taken, other));
        if (!work->request->way.quiet)
            output_note("%s: took %" PRId64 " of %" PRId64 " samples", path, taken, count);
    }
    return GRACO_OK;
}

/* Fills what follows from the request: cells, trainings, which data there are. */
static graco_status prepare(struct work *work)
{
    const struct request *request = work->request;
    char path[RUNS_PATH_MAX];
    work->count = cells_list(work->cells);
    work->total = cells_trainings(work->trainings, work->cells, work->count, &request->wanted);
    work->samples = count_samples(work, work->trainings, work->total);
    work->about.quick = request->way.quick;
    for (int set = 0; set < SETS; set++)
        work->about.there[set] = loading_find(path, manifest_sets[set].name);
    return results_open(&work->results, work->path, !request->list);
}

/* How many samples of each training are to be made, as far as keys tell. */
static void count_left(struct work *work)
{
    for (struct cells_training *p = work->trainings; p < work->trainings + work->total; p++)
        for (int64_t seed = work->request->first_seed; seed < p->runs; seed++) {
            char key[CELLS_KEY];
            cells_key(key, p, PLAIN);
            p->left += !results_find(work->results, key, seed);
        }
}

/* Trains what is missing, and saves. */
static graco_status make(struct work *work)
{
    const struct request *request = work->request;
    graco_status status = GRACO_OK;
    PASS(merge(work));
    if (!request->no_train) {
        work->results->made = (struct made){.quick = request->way.quick,
                                            .device = request->way.device,
                                            .machine = machine_name(work->machine),
                                            .runs = request->wanted.runs,
                                            .splits = request->way.splits};
        count_left(work);
        stop_on_signals(SA_RESTART, request->way.quiet ? NULL : STOPPING + !isatty(STDERR_FILENO));
        status = make_all(work);
        if (!request->way.keep)
            rmdir(request->way.folder); /* if nothing is left in it */
    }
    if (status == GRACO_OK || status == GRACO_STOPPED)
        PASS(results_save(work->results, work->path));
    return status;
}

static int run_work(struct work *work)
{
    const struct request *request = work->request;
    graco_status status = prepare(work);
    if (request->list && status == GRACO_OK) {
        print_list(work);
        return output_finish();
    }
    if (status == GRACO_OK)
        status = make(work);
    if (status == GRACO_STOPPED) {
        output_error("stopped at cell %" PRId64 " of %" PRId64 "; the same command goes on",
                     work->at, work->samples);
        return EXIT_FAILED;
    }
    if (status == GRACO_OK && work->failed > 0) {
        output_error("%s; failed in all: %" PRId64 ", which the same command tries again",
                     work->failure, work->failed);
        return EXIT_FAILED;
    }
    if (status == GRACO_OK)
        status = report_make(work->path, request->output, &work->about);
    if (status != GRACO_OK)
        return output_failure(status);
    if (!request->way.quiet) {
        output_note("%s: %" PRId64 " samples", work->path, work->results->count);
        output_note("%s/report.html shows what was found", request->output);
    }
    return EXIT_FINE;
}

const char *reproduce_item(int index)
{
    return manifest_items[index].name;
}

static const char *set_name(int index)
{
    return index < SETS ? manifest_sets[index].name : NULL;
}

/* The methods, and the features alone, which are a row of the tables too. */
static const char *method_name(int index)
{
    return index == 0 ? "features" : graco_method(index - 1);
}

/* Whether every word of a list "a,b" is one of `names`; says which is not. */
static bool check_words(const char *what, const char *list, const char *(*names)(int))
{
    const char *words[OPTION_WORDS_MAX];
    options_words(words, names);
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',') {
        char word[SETTINGS_TEXT], unknown[32];
        int found = 0;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        for (int i = 0; words[i]; i++)
            found |= strcmp(words[i], word) == 0;
        snprintf(unknown, sizeof unknown, "unknown %s", what);
        if (!found)
            return options_unknown("reproduce", unknown, word, words) == EXIT_FINE;
    }
    return true;
}

static int run(struct request *request, const struct command *command)
{
    const char *items[COMMAND_ARGUMENTS_MAX + 1] = {NULL};
    char folder[RUNS_PATH_MAX];
    struct work *work = NULL;
    for (int i = 0; i < command->count; i++) {
        items[i] = command->arguments[i];
        if (!check_words("item", items[i], reproduce_item))
            return EXIT_USAGE;
    }
    if (!check_words("data set", request->wanted.sets, set_name) ||
        !check_words("method", request->wanted.methods, method_name))
        return EXIT_USAGE;
    if (strlen(request->output) >= RUNS_PATH_MAX - 80) {
        output_error("the name %.80s is too long", request->output);
        return EXIT_USAGE;
    }
    if (!request->list && !runs_make(request->output, "folder"))
        return EXIT_FAILED;
    graco_status status = memory_zalloc(&work, 1, sizeof *work);
    if (status != GRACO_OK)
        return output_failure(status);
    request->wanted.items = items;
    request->wanted.quick = request->way.quick;
    if (request->way.splits == 0)
        request->way.splits = request->way.quick ? QUICK_SPLITS : FULL_SPLITS;
    request->way.folder = folder;
    work->request = request;
    snprintf(work->path, sizeof work->path, "%s/results.json", request->output);
    snprintf(folder, sizeof folder, "%s/runs", request->output);
    int code = run_work(work);
    results_free(work->results);
    memory_free(work);
    return code;
}

int cmd_reproduce(int argc, char **argv)
{
    struct request request = {.output = "reproduction", .scale = 1};
    const char *devices[OPTION_WORDS_MAX];
    request.way.device = "auto";
    const struct option options[] = {
        OPTION_ROW_TEXT("output", 'o', "DIR", &request.output,
                        "where results.json and its report are kept"),
        OPTION_ROW_TEXT("sets", 0, "LIST", &request.wanted.sets, "these data sets alone: cora,ppi"),
        OPTION_ROW_TEXT("methods", 0, "LIST", &request.wanted.methods,
                        "these methods alone: grace,dgi"),
        OPTION_ROW_INTEGER("runs", "K", &request.wanted.runs, 0, 10000,
                           "seeds of each training; 0: 20 for the main table, 5 elsewhere, 5 for "
                           "PPI, 1 for Reddit"),
        OPTION_ROW_INTEGER("first-seed", "K", &request.first_seed, 0, 10000,
                           "leave the seeds before it to other calls, whose files merge"),
        OPTION_ROW_INTEGER("splits", "K", &request.way.splits, 0, 10000,
                           "random splits; 0: 20, or 5 with --quick"),
        OPTION_ROW_CHOICE("device", "NAME", &request.way.device, settings_words(devices, "device"),
                          "auto: a GPU if there is one; cpu; cuda"),
        OPTION_ROW_FLAG("quick", 0, &request.way.quick,
                        "one seed, fewer epochs, coarser grids, no PPI or Reddit: 13 minutes on "
                        "two cores"),
        OPTION_ROW_LIST("merge", "FILE", &request.merge,
                        "take the samples of another results.json; may be repeated"),
        OPTION_ROW_FLAG("no-train", 0, &request.no_train, "train nothing, only merge and report"),
        OPTION_ROW_FLAG("keep-runs", 0, &request.way.keep,
                        "keep the run folders in DIR/runs once they are scored"),
        OPTION_ROW_REAL("scale", "X", &request.scale, 1e-6, 1000,
                        "of the graph like Reddit that stands in for it"),
        OPTION_ROW_FLAG("list", 0, &request.list, "say what would be trained, and do nothing"),
        OPTION_ROW_FLAG("quiet", 'q', &request.way.quiet, "no progress"),
        {0},
    };
    struct command command = {
        .name = "reproduce",
        .synopsis = "[ITEM ...] [-o DIR] [options]",
        .summary =
            "Makes the paper's tables and figures again. ITEM is datasets, hyperparameters,\n"
            "transductive, inductive, ablation, infonce, sensitivity, robustness or theorems;\n"
            "without any: all. Every training that they need is scored and kept in\n"
            "DIR/results.json. What stands there is not trained again: the same command goes\n"
            "on after it was stopped or killed.",
        .options = options,
        .max_arguments = COMMAND_ARGUMENTS_MAX,
    };
    int code = options_begin(&command, argc, argv);
    return code >= 0 ? code : run(&request, &command);
}
