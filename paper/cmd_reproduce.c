/* graco reproduce: trains and scores what the paper's tables and figures need, one sample after the
 * other, and keeps them in DIR/results.json. What stands there with the same settings is not
 * trained again, so a call that was killed goes on, and files of several machines add up.
 *
 * The file is replaced after a sample, unless that would take more than a fiftieth of the time;
 * run folders are removed once their samples are in it. */
#include "cells.h"
#include "items.h"
#include "report.h"
#include "samples.h"
#include "cli/commands.h"
#include "cli/loading.h"
#include "cli/machine.h"
#include "cli/output.h"
#include "cli/runs.h"
#include "cli/settings.h"
#include "cli/stop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PENDING_MAX = 256, LABEL = 512, QUICK_SPLITS = 5, FULL_SPLITS = 20 };

#define SAVE_SHARE 50 /* saving takes at most this part of the time */

static const char STOPPING[] = "\nstopping: what is done is kept; a second signal ends at once\n";

/* The data set that graco generates where the published one is not there. */
static const char LOOK_ALIKE[] = "reddit";

struct request {
    struct cells_wanted wanted;
    struct samples_way way;
    struct option_list merge;
    const char *output;
    double scale;       /* of the look-alike */
    int64_t first_seed; /* another call makes the seeds before it */
    bool list, no_train;
};

/* Time that the samples of a training took. */
struct spent {
    double seconds;
    int64_t samples, left; /* made in this call; still to make */
};

struct work {
    const struct request *request;
    struct cell *cells;
    int count;
    struct cells_training *trainings; /* (total) by set */
    struct spent *spent;              /* (total) */
    int total;
    struct results_file *results;
    struct items items;
    char path[RUNS_PATH_MAX]; /* of results.json */
    char machine[MACHINE_TEXT];
    int64_t samples, at; /* wanted in all; the one under way, from 1 */
    int64_t failed;
    char failure[LABEL];        /* the first */
    double saved, save_seconds; /* when, and how long it took */
    struct {
        int training;
        int64_t seed;
    } pending[PENDING_MAX]; /* whose run folders can go after the next save */
    int pendings;
};

/* ---- Saving ---------------------------------------------------------------------------------- */

static graco_status save(struct work *work, const struct samples_set *set)
{
    struct writer json = {0};
    double begun = output_now();
    items_write(&json, &work->items);
    graco_status status = text_status(&json.text);
    if (status == GRACO_OK)
        status = results_file_save(work->results, work->path, json.text.bytes);
    writer_clear(&json);
    for (int i = 0; status == GRACO_OK && i < work->pendings; i++)
        samples_forget(set, &work->request->way, &work->trainings[work->pending[i].training],
                       work->pending[i].seed);
    work->pendings = status == GRACO_OK ? 0 : work->pendings;
    work->saved = output_now();
    work->save_seconds = work->saved - begun;
    return status;
}

static graco_status save_if_due(struct work *work, const struct samples_set *set)
{
    bool due = output_now() - work->saved >= SAVE_SHARE * work->save_seconds;
    return due || work->pendings == PENDING_MAX ? save(work, set) : GRACO_OK;
}

/* The page, the tables and their files, from results.json alone. */
static int finish(const struct work *work)
{
    graco_status status = paper_report(work->path, work->request->output);
    if (status != GRACO_OK)
        return output_failure(status);
    if (!work->request->way.quiet) {
        output_note("%s: %" PRId64 " samples", work->path, results_file_count(work->results));
        output_note("%s/report.html shows what was found", work->request->output);
    }
    return EXIT_FINE;
}

/* ---- Time left ------------------------------------------------------------------------------- */

/* The mean time of a sample of trainings like this one: the same, else of its set and method,
 * else of its set, else of all; -1 where nothing is known. */
static double mean_time(const struct work *work, int training)
{
    const struct cells_training *own = &work->trainings[training];
    for (int likeness = 0; likeness < 4; likeness++) {
        double seconds = 0;
        int64_t samples = 0;
        for (int t = 0; t < work->total; t++) {
            const struct cells_training *other = &work->trainings[t];
            bool alike =
                likeness == 3 ||
                (other->set == own->set &&
                 (likeness == 2 ||
                  (likeness == 0 ? t == training : strcmp(other->method, own->method) == 0)));
            seconds += alike ? work->spent[t].seconds : 0;
            samples += alike ? work->spent[t].samples : 0;
        }
        if (samples > 0)
            return seconds / (double)samples;
    }
    return -1;
}

static double time_left(const struct work *work)
{
    double left = 0;
    for (int t = 0; t < work->total; t++) {
        double mean = work->spent[t].left > 0 ? mean_time(work, t) : 0;
        if (mean < 0)
            return -1;
        left += mean * (double)work->spent[t].left;
    }
    return left;
}

/* ---- One sample ------------------------------------------------------------------------------ */

/* Which evaluations of a training with a seed have no sample of these settings. */
static graco_status find_wanted(unsigned *wanted, const struct work *work,
                                const struct samples_set *set,
                                const struct cells_training *training, int64_t seed)
{
    graco_status status = GRACO_OK;
    *wanted = 0;
    for (int e = 0; status == GRACO_OK && e < EVALUATIONS; e++) {
        char key[CELLS_KEY], word[SAMPLES_WORD];
        struct results_file_sample sample;
        if (!(training->evaluations & 1u << e))
            continue;
        cells_key(key, training, (enum evaluation)e);
        status = samples_settings(word, set, &work->request->way, training, (enum evaluation)e);
        if (!results_file_find(&sample, work->results, key, seed) ||
            strcmp(sample.settings, word) != 0)
            *wanted |= 1u << e;
    }
    return status;
}

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

static graco_status make_sample(struct work *work, const struct samples_set *set, int t,
                                int64_t seed, unsigned wanted)
{
    const struct cells_training *training = &work->trainings[t];
    const struct samples_way *way = &work->request->way;
    char key[CELLS_KEY], label[LABEL], text[32], left[64] = "";
    double begun = output_now(), seconds = time_left(work);
    cells_key(key, training, EVALUATION_PLAIN);
    if (seconds >= 0)
        snprintf(left, sizeof left, ", %s left", output_time(text, seconds));
    snprintf(label, sizeof label, "cell %" PRId64 " of %" PRId64 "%s  %s, seed %" PRId64 "  ",
             work->at, work->samples, left, key, seed);
    graco_status status = samples_make(work->results, set, way, training, seed, wanted, label);
    bool fine = status == GRACO_OK;
    if (fine) {
        work->spent[t].seconds += output_now() - begun;
        work->spent[t].samples++;
        work->pending[work->pendings].training = t;
        work->pending[work->pendings++].seed = seed;
        status = save_if_due(work, set);
    }
    if (fine && !way->quiet && !isatty(STDERR_FILENO))
        output_note("%s%s", label, output_time(text, output_now() - begun));
    return note_failure(work, status, key);
}

/* ---- One data set ---------------------------------------------------------------------------- */

static graco_status load_set(struct samples_set *set, int index, double scale, bool there)
{
    char path[RUNS_PATH_MAX];
    *set = (struct samples_set){.about = &cells_sets[index], .look_alike = !there, .scale = scale};
    graco_generate_options generate = graco_generate_defaults();
    generate.like = LOOK_ALIKE;
    generate.scale = scale;
    graco_status status = there && loading_find(path, set->about->name)
                              ? graco_dataset_load(&set->data, path, NULL)
                              : graco_dataset_generate(&set->data, &generate);
    if (status == GRACO_OK)
        status = graco_dataset_fingerprint(set->fingerprint, set->data);
    return status;
}

/* The samples of the trainings first .. end - 1, which have the same set, seed by seed: so that
 * each cell soon has some. */
static graco_status make_set(struct work *work, const struct samples_set *set, int first, int end)
{
    graco_status status = GRACO_OK;
    int64_t runs = 0;
    for (int t = first; t < end; t++)
        runs = work->trainings[t].runs > runs ? work->trainings[t].runs : runs;
    for (int64_t seed = work->request->first_seed; status == GRACO_OK && seed < runs; seed++)
        for (int t = first; status == GRACO_OK && t < end; t++) {
            unsigned wanted = 0;
            if (seed >= work->trainings[t].runs)
                continue;
            work->at++;
            status = find_wanted(&wanted, work, set, &work->trainings[t], seed);
            if (status == GRACO_OK && stop_wanted)
                status = GRACO_STOPPED;
            if (status == GRACO_OK && wanted)
                status = make_sample(work, set, t, seed, wanted);
            else if (status == GRACO_OK) /* a kill may have come between saving and removing */
                samples_forget(set, &work->request->way, &work->trainings[t], seed);
            work->spent[t].left -= work->spent[t].left > 0;
        }
    return status;
}

/* How many samples trainings first .. end - 1 make. */
static int64_t count_samples(const struct work *work, int first, int end)
{
    int64_t samples = 0, before = work->request->first_seed;
    for (int t = first; t < end; t++)
        samples += work->trainings[t].runs > before ? work->trainings[t].runs - before : 0;
    return samples;
}

static graco_status make_all(struct work *work)
{
    graco_status status = GRACO_OK;
    for (int first = 0, end = 0; status == GRACO_OK && first < work->total; first = end) {
        struct samples_set set = {0};
        int index = work->trainings[first].set;
        bool there = work->items.there[index];
        const char *name = cells_sets[index].name;
        while (end < work->total && work->trainings[end].set == index)
            end++;
        if (!there && (strcmp(name, LOOK_ALIKE) != 0 || work->request->way.quick)) {
            work->at += count_samples(work, first, end);
            for (int t = first; t < end; t++)
                work->spent[t].left = 0;
            if (!work->request->way.quiet)
                output_note("%s is not there, its cells stay empty; to download it: graco fetch %s",
                            name, name);
            continue;
        }
        if (!there && !work->request->way.quiet)
            output_note("%s is not there, a generated look-alike stands in; to download it: graco "
                        "fetch %s",
                        name, name);
        status = load_set(&set, index, work->request->scale, there);
        if (status == GRACO_OK)
            status = make_set(work, &set, first, end);
        graco_status saved = work->pendings > 0 ? save(work, &set) : GRACO_OK;
        status = status == GRACO_OK || status == GRACO_STOPPED
                     ? (saved == GRACO_OK ? status : saved)
                     : status;
        graco_dataset_free(set.data);
        status = note_failure(work, status, name);
    }
    return status;
}

/* ---- The list -------------------------------------------------------------------------------- */

/* How many samples an item wants, and how many of them there are. */
static void count_item(int64_t counts[2], const struct work *work, int item)
{
    struct cell *own = calloc(CELLS_MAX, sizeof *own);
    struct cells_training *trainings = calloc(CELLS_MAX, sizeof *trainings);
    int count = 0;
    counts[0] = counts[1] = 0;
    for (int i = 0; own && i < work->count; i++)
        if (work->cells[i].item == item)
            own[count++] = work->cells[i];
    int total =
        own && trainings ? cells_trainings(trainings, own, count, &work->request->wanted) : 0;
    for (int t = 0; t < total; t++)
        for (int e = 0; e < EVALUATIONS; e++) {
            char key[CELLS_KEY];
            if (!(trainings[t].evaluations & 1u << e))
                continue;
            cells_key(key, &trainings[t], (enum evaluation)e);
            for (int64_t seed = work->request->first_seed; seed < trainings[t].runs; seed++) {
                counts[0]++;
                counts[1] += results_file_find(NULL, work->results, key, seed);
            }
        }
    free(own);
    free(trainings);
}

static int print_list(const struct work *work)
{
    printf("%-16s %6s %8s %8s\n", "item", "cells", "samples", "there");
    for (int item = 0; cells_items[item].name; item++) {
        int64_t counts[2];
        int cells = 0;
        for (int i = 0; i < work->count; i++)
            cells +=
                work->cells[i].item == item && cells_want(&work->request->wanted, &work->cells[i]);
        count_item(counts, work, item);
        if (cells > 0 || !*work->request->wanted.items)
            printf("%-16s %6d %8" PRId64 " %8" PRId64 "\n", cells_items[item].name, cells,
                   counts[0], counts[1]);
    }
    printf("\n%" PRId64 " trainings in all, those that items share counted once\n\n",
           work->samples);
    for (int set = 0; set < CELLS_SETS; set++) {
        const char *name = cells_sets[set].name;
        bool alike = strcmp(name, LOOK_ALIKE) == 0;
        if (work->items.there[set])
            printf("%-10s there\n", name);
        else
            printf("%-10s %s; to download it: graco fetch %s\n", name,
                   alike ? "a generated look-alike stands in" : "missing", name);
    }
    return output_finish();
}

/* ---- The command ----------------------------------------------------------------------------- */

static graco_status merge(struct work *work)
{
    graco_status status = GRACO_OK;
    for (int i = 0; status == GRACO_OK && i < work->request->merge.count; i++) {
        const char *path = work->request->merge.values[i];
        struct results_file *other = NULL;
        int64_t taken = 0;
        if (access(path, F_OK) != 0)
            return output_fail(GRACO_ERROR_IO, "%s is not there; expected a results.json", path);
        status = results_file_open(&other, path, false);
        if (status == GRACO_OK)
            status = results_file_merge(work->results, &taken, other);
        if (status == GRACO_OK && !work->request->way.quiet)
            output_note("%s: took %" PRId64 " of %" PRId64 " samples", path, taken,
                        results_file_count(other));
        results_file_free(other);
    }
    return status;
}

/* Fills what follows from the request: cells, trainings, which data there are. */
static graco_status prepare(struct work *work)
{
    const struct request *request = work->request;
    char path[RUNS_PATH_MAX];
    work->cells = cells_list(&work->count);
    work->trainings = calloc(CELLS_MAX, sizeof *work->trainings);
    work->spent = calloc(CELLS_MAX, sizeof *work->spent);
    if (!work->cells || !work->trainings || !work->spent)
        return output_no_memory("the list of cells");
    work->total = cells_trainings(work->trainings, work->cells, work->count, &request->wanted);
    work->samples = count_samples(work, 0, work->total);
    work->items = (struct items){.cells = work->cells, .count = work->count};
    work->items.made = (struct items_made){.quick = request->way.quick,
                                           .device = request->no_train ? NULL : request->way.device,
                                           .machine = machine_name(work->machine),
                                           .runs = request->wanted.runs,
                                           .splits = request->way.splits};
    for (int set = 0; set < CELLS_SETS; set++)
        work->items.there[set] = loading_find(path, cells_sets[set].name);
    return GRACO_OK;
}

/* How many samples of each training are to be made, as far as keys tell. */
static void count_left(struct work *work)
{
    for (int t = 0; t < work->total; t++)
        for (int64_t seed = work->request->first_seed; seed < work->trainings[t].runs; seed++) {
            char key[CELLS_KEY];
            cells_key(key, &work->trainings[t], EVALUATION_PLAIN);
            work->spent[t].left += !results_file_find(NULL, work->results, key, seed);
        }
}

static int run_work(struct work *work)
{
    const struct request *request = work->request;
    graco_status status = prepare(work);
    if (status == GRACO_OK)
        status = results_file_open(&work->results, work->path, !request->list);
    if (status != GRACO_OK)
        return output_failure(status);
    work->items.results = work->results;
    if (request->list)
        return print_list(work);
    status = merge(work);
    count_left(work);
    stop_on_signals(SA_RESTART, request->way.quiet ? NULL : STOPPING + !isatty(STDERR_FILENO));
    if (status == GRACO_OK && !request->no_train)
        status = make_all(work);
    graco_status saved = status == GRACO_OK || status == GRACO_STOPPED ? save(work, NULL) : status;
    if (!request->way.keep)
        rmdir(request->way.folder); /* if nothing is left in it */
    if (saved != GRACO_OK)
        return output_failure(saved);
    if (status == GRACO_STOPPED) {
        output_error("stopped at cell %" PRId64 " of %" PRId64 "; the same command goes on",
                     work->at, work->samples);
        return EXIT_FAILED;
    }
    if (work->failed == 0)
        return finish(work);
    output_error("%s; failed in all: %" PRId64 ", which the same command tries again",
                 work->failure, work->failed);
    return EXIT_FAILED;
}

const char *reproduce_item(int index)
{
    return cells_items[index].name;
}

static const char *set_name(int index)
{
    return index < CELLS_SETS ? cells_sets[index].name : NULL;
}

/* The methods, and the features alone, which are a row of the tables too. */
static const char *method_name(int index)
{
    return index == 0 ? "features" : graco_method(index - 1, NULL);
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
    struct work work = {.request = request};
    for (int i = 0; i < command->count; i++) {
        items[i] = command->arguments[i];
        if (!check_words("item", items[i], reproduce_item))
            return EXIT_USAGE;
    }
    if (!check_words("data set", request->wanted.sets, set_name) ||
        !check_words("method", request->wanted.methods, method_name))
        return EXIT_USAGE;
    request->wanted.items = items;
    request->wanted.quick = request->way.quick;
    if (request->way.splits == 0)
        request->way.splits = request->way.quick ? QUICK_SPLITS : FULL_SPLITS;
    request->way.folder = folder;
    if (snprintf(work.path, sizeof work.path, "%s/results.json", request->output) >=
            RUNS_PATH_MAX - 64 ||
        snprintf(folder, sizeof folder, "%s/runs", request->output) >= RUNS_PATH_MAX - 64) {
        output_error("the name %.80s is too long", request->output);
        return EXIT_USAGE;
    }
    if (!request->list && !runs_make(request->output, "folder"))
        return EXIT_FAILED;
    int code = run_work(&work);
    results_file_free(work.results);
    free(work.cells);
    free(work.trainings);
    free(work.spent);
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
