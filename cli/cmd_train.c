/* graco train: one run or several, of one split or several, stopped and resumed at will.
 *
 * Models of several splits are trained at the same time, each by one thread, once the first has shown how
 * much memory one takes; on a GPU, models of several seeds too. They have nothing in common but the data set,
 * which does not change, so the bits are those of one after the other.
 *
 * A signal is answered at once. The library then gives up the step under way and writes a checkpoint,
 * and the command says how to go on. A second signal ends the program; the last checkpoint stays. */
#include "graco_command.h"
#include "commands.h"
#include "loading.h"
#include "output.h"
#include "runs.h"
#include "settings.h"
#include "stop.h"
#include "trained.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A GPU trains several small models at a time, each on a stream of its own: one of them keeps only a part of
 * it busy. */
enum { DEVICE_WORKERS_MAX = 8 };

enum { RUNS_MAX = 10000, WORKERS_MAX = 64 };

/* That models at a time may take of a GPU: a few small ones, which any GPU has room for. */
static const int64_t DEVICE_BYTES = (int64_t)2 << 30;

/* The answer to a signal; a terminal's line of progress is ended first, by the first character. */
static const char STOPPING[] =
    "\nstopping: a checkpoint comes first; a second signal ends at once\n";

struct line {
    graco_load_options load;
    struct settings settings;
    const char *source; /* NULL: the generated graph */
    const char *output;
    int64_t runs, splits; /* as asked for */
    bool resume, json, quiet, live;
};

/* All that the runs of one command share. */
struct job {
    const struct line *line;
    graco_load_options load;
    graco_dataset *data;
    graco_dataset_info info;
    graco_config *config; /* of the first run */
    uint64_t seed;        /* of the first run */
    const char *preset;
    char run[RUNS_PATH_MAX]; /* folder of the run or runs */
    graco_run *begun;        /* the first that can be continued; NULL: there is none */
    int64_t begun_index;     /* its number */
    struct runs_form form;
    bool divided;    /* the method trains a model for one split */
    bool one_thread; /* each training has one: several at a time share the CPU */
};

static uint64_t seed_of(const graco_config *config)
{
    char value[SETTINGS_TEXT];
    return strtoull(settings_get(value, config, "seed"), NULL, 10);
}

static graco_status set_seed(graco_config *config, uint64_t seed)
{
    char text[SETTINGS_TEXT];
    snprintf(text, sizeof text, "%" PRIu64, seed);
    return graco_config_set(config, "seed", text);
}

/* The first run that can be continued, its folder and number; false if there is none. The data may have
 * fewer splits than were asked for. */
static bool find_begun(char folder[RUNS_PATH_MAX], int64_t *index, const struct job *job)
{
    const struct line *line = job->line;

    for (int one = 0; one < (line->splits > 1 ? 2 : 1); one++) {
        struct runs_form form = {line->runs, one ? 1 : line->splits};
        for (int64_t i = 0; line->resume && *job->run && i < form.runs * form.splits; i++) {
            *index = i / form.splits;
            if (runs_folder(folder, job->run, i, form) && graco_run_look(folder).begun)
                return true;
        }
    }
    return false;
}

/* The settings of the run that is to be continued: its own, but for what belongs to this machine; the seed as run 0
 * has it. Another method than the one that was asked for stays out: the
 * library then refuses. */
static graco_status keep_settings(struct job *job)
{
    graco_training training;
    graco_config *kept = NULL;
    char value[SETTINGS_TEXT];
    const char *key;

    PASS(graco_run_training(&training, job->begun, 0));
    const char *wanted = job->line->settings.method;
    if (!training.config || (wanted && strcmp(wanted, graco_config_method(training.config))))
        return GRACO_OK;
    PASS(graco_config_copy(&kept, training.config));
    graco_status status = GRACO_OK;
    for (int i = 0; status == GRACO_OK && (key = graco_config_key(kept, i, NULL)); i++)
        if (graco_config_kind(key) == GRACO_KEY_HOST)
            status = graco_config_set(kept, key, settings_get(value, job->config, key));
    if (status == GRACO_OK)
        status = set_seed(kept, seed_of(kept) - (uint64_t)job->begun_index);
    graco_config_free(job->config);
    job->config = kept;
    return status;
}

/* Fills job->config: from the first run that can be continued, else from the preset. A preset or method
 * that was asked for by name comes first; the library then refuses what a checkpoint contradicts. */
static int configure(struct job *job)
{
    const struct line *line = job->line;
    int code = settings_preset(&job->config, &job->preset, &line->settings, job->info.name);
    if (code != EXIT_FINE)
        return code;
    if (job->info.inductive) /* whatever the preset; --set inductive=0 still says otherwise */
        graco_config_set(job->config, "inductive", "1");
    if (!line->settings.preset && job->begun) {
        graco_status status = keep_settings(job);
        if (status != GRACO_OK)
            return output_failure(status);
    }
    if (!settings_apply(job->config, &line->settings))
        return EXIT_USAGE;
    bool quiet = line->quiet || line->json;
    if (!quiet)
        settings_say_features(job->config, &job->info);
    graco_status status = settings_resolve(job->config, job->data, graco_ranks(), quiet);
    return status == GRACO_OK ? EXIT_FINE : output_failure(status);
}

static graco_protocol protocol_of(const graco_config *config)
{
    char value[SETTINGS_TEXT];
    return (graco_protocol)options_place(graco_protocol_name,
                                         settings_get(value, config, "protocol"));
}

/* How many trainings there are, once method, settings and data are known. */
static int count_trainings(struct job *job)
{
    const struct line *line = job->line;
    char value[SETTINGS_TEXT];

    job->divided = *settings_get(value, job->config, "split") != '?';
    job->form = (struct runs_form){line->runs, 1};
    if (line->splits > 1 && job->divided)
        job->form.splits = graco_split_count(job->data, protocol_of(job->config), line->splits);
    for (int i = 0; job->form.splits > 1 && i < line->settings.sets.count; i++)
        if (strncmp(line->settings.sets.values[i], "split=", 6) == 0) {
            output_error("train: --splits trains splits 0 .. %" PRId64 "; expected no --set %s",
                         job->form.splits - 1, line->settings.sets.values[i]);
            return EXIT_USAGE;
        }
    if (line->splits > 1 && job->form.splits == 1 && !line->quiet)
        output_note(job->divided ? "%s has one split, its own: one model is trained for it"
                                 : "what the method learns serves every split of %s: one run",
                    job->info.name);
    return runs_check(job->run, job->form, line->resume) ? EXIT_FINE : EXIT_FAILED;
}

/* The settings of training `index`, which the caller frees. */
static graco_status settings_for(graco_config **config, const struct job *job, int64_t index)
{
    char split[SETTINGS_TEXT];

    PASS(graco_config_copy(config, job->config));
    snprintf(split, sizeof split, "%" PRId64, index % job->form.splits);
    PASS(set_seed(*config, job->seed + (uint64_t)(index / job->form.splits)));
    if (job->form.splits > 1)
        PASS(graco_config_set(*config, "split", split));
    return job->one_thread ? graco_config_set(*config, "threads", "1") : GRACO_OK;
}

enum { LABEL = 128 };

/* What progress calls a training. */
static void name_training(char label[LABEL], const struct job *job, int64_t index)
{
    int used = 0;

    label[0] = '\0';
    if (job->form.runs > 1)
        used = snprintf(label, LABEL / 2, "run %" PRId64 " of %" PRId64 "  ",
                        index / job->form.splits + 1, job->form.runs);
    if (job->form.splits > 1)
        snprintf(label + used, LABEL / 2, "split %" PRId64 " of %" PRId64 "  ",
                 index % job->form.splits, job->form.splits);
}

/* Says what came of a training among several at a time, which have no line of progress. */
static void say_trained(const struct job *job, int64_t index, const graco_train_result *result)
{
    char label[LABEL];

    name_training(label, job, index);
    if (result->best_epoch)
        output_note("%s%" PRId64 " epochs, loss %.4f, kept epoch %" PRId64 " of cost %.4f", label,
                    result->epochs, result->loss, result->best_epoch, result->best_cost);
    else
        output_note("%s%" PRId64 " epochs, loss %.4f", label, result->epochs, result->loss);
}

/* Lets a training show its curves, which it writes into its run folder; without these it shows none. */
static struct live *show_curves(struct live *live, const char *folder)
{
    bool opened = graco_run_open(&live->run, folder) == GRACO_OK;
    return opened ? live : NULL;
}

/* One training; EXIT_FINE, or EXIT_FAILED after a message, or -1 if it was stopped. */
static int train_with(struct trained *outcome, struct job *job, int64_t index,
                      const graco_config *config, bool together)
{
    const struct line *line = job->line;
    char label[LABEL], wanted[SETTINGS_TEXT], objective[SETTINGS_TEXT], split[SETTINGS_TEXT];
    struct stat found;
    struct live live = {0};

    outcome->seed = seed_of(config);
    outcome->split = job->divided ? strtoll(settings_get(split, config, "split"), NULL, 10) : -1;
    if (!runs_folder(outcome->folder, job->run, index, job->form))
        return EXIT_FAILED;
    /* Rank 0 alone writes there: what others would make, it could not tell from what was there. */
    bool writes = graco_rank() == 0, fresh = writes && stat(outcome->folder, &found) != 0,
         first = writes && stat(job->run, &found) != 0;
    if (writes && !runs_make(outcome->folder, "run folder"))
        return EXIT_FAILED;
    name_training(label, job, index);
    struct output_progress progress = output_progress_start(line->quiet || together, label);
    if (*settings_get(objective, config, "objective") != '?')
        progress.what = objective;
    graco_train_options options = {
        .run = outcome->folder,
        .resume = line->resume && graco_run_look(outcome->folder).begun,
    };
    output_progress_watch(&options, &progress);
    if (line->live && progress.terminal && !progress.quiet)
        progress.live = show_curves(&live, outcome->folder);
    if (line->resume && !options.resume && !line->quiet)
        output_note("%s holds nothing to continue: starting at epoch 1", outcome->folder);
    graco_status status = graco_train(NULL, &outcome->result, job->data, config, &options);
    output_progress_end(&progress);
    graco_run_free(live.run);
    if (status == GRACO_STOPPED)
        return -1;
    if (status == GRACO_OK && options.resume && isnan(outcome->result.loss) && !line->quiet)
        output_note("%s has %" PRId64 " epochs already, %s were asked for%s: nothing to do",
                    outcome->folder, outcome->result.epochs, settings_get(wanted, config, "epochs"),
                    strcmp(outcome->result.ended, "patience") == 0 ? " at most" : "");
    else if (status == GRACO_OK && together && !line->quiet)
        say_trained(job, index, &outcome->result);
    if (status == GRACO_OK)
        return EXIT_FINE;
    /* A training that was refused leaves no empty folders: rmdir takes no others. */
    if (fresh)
        rmdir(outcome->folder);
    if (first)
        rmdir(job->run);
    return output_failure(status);
}

/* The trainings of a command: the first alone, then the others. */
struct queue {
    struct job *job;
    struct trained *outcomes; /* (total) */
    int64_t begin, total;     /* the first of them to be run now */
};

/* A graco_job_fn, which has said what went wrong. Ranks begin a training and stop in it together, whichever was asked
 * to. */
static graco_status train(void *user, int64_t index, bool alone)
{
    const struct queue *queue = user;
    struct trained *outcome = &queue->outcomes[queue->begin + index];
    graco_config *config = NULL;
    outcome->code = -1;
    if (stop_wanted && graco_ranks() == 1 && queue->begin + index > 0)
        return GRACO_STOPPED;
    graco_status status = settings_for(&config, queue->job, queue->begin + index);
    outcome->code = status == GRACO_OK
                        ? train_with(outcome, queue->job, queue->begin + index, config, !alone)
                        : output_failure(status);
    graco_config_free(config);
    return outcome->code < 0            ? GRACO_STOPPED
           : outcome->code == EXIT_FINE ? GRACO_OK
                                        : GRACO_ERROR_ARGUMENT;
}

static bool on_cpu(const struct queue *queue)
{
    const char *device = queue->outcomes[0].result.device;
    return device && strcmp(device, "cpu") == 0;
}

/* How many a device can train at a time, as the first of them was: on the CPU as many as its memory has room
 * for, splits alone, since a single model may have all threads; on a GPU those that are small there. */
static int64_t count_room(const struct queue *queue)
{
    const graco_train_result *first = &queue->outcomes[0].result;
    int64_t pages = sysconf(_SC_PHYS_PAGES) / 2;
    int64_t room = pages * sysconf(_SC_PAGESIZE) / (graco_peak_memory() + 1);

    if (on_cpu(queue))
        return queue->job->form.splits > 1 ? room : 1;
    if (!first->device || first->buffer_bytes <= 0 || first->ranks > 1)
        return 1;
    int64_t small = DEVICE_BYTES / first->buffer_bytes;
    small = small < room ? small : room;
    return small < DEVICE_WORKERS_MAX ? small : DEVICE_WORKERS_MAX;
}

/* How many are trained at a time: as many as threads are wanted, and as there is room for. */
static int count_workers(const struct queue *queue)
{
    char value[SETTINGS_TEXT];
    int64_t wanted = strtoll(settings_get(value, queue->job->config, "threads"), NULL, 10);
    int64_t room = count_room(queue), left = queue->total - queue->begin;

    int64_t count = wanted > 0 ? wanted : sysconf(_SC_NPROCESSORS_ONLN);
    count = count < room ? count : room;
    count = count < left ? count : left;
    return count < 1 ? 1 : count < WORKERS_MAX ? (int)count : WORKERS_MAX;
}

/* Trains all. *failed: the number of the one that did not go well; -1: none did not. */
static graco_status work_off(int64_t *failed, struct queue *queue)
{
    *failed = -1;
    graco_status status = graco_run_jobs(failed, 1, 1, train, queue);
    if (status != GRACO_OK)
        return status;
    queue->begin = 1;
    int count = queue->total > 1 ? count_workers(queue) : 1;
    queue->job->one_thread = count > 1 && on_cpu(queue);
    status = graco_run_jobs(failed, queue->total - 1, count, train, queue);
    *failed += *failed >= 0;
    return status;
}

static int train_all(struct job *job, int argc, char **argv)
{
    const struct line *line = job->line;
    struct queue queue = {.job = job, .total = job->form.runs * job->form.splits};
    int code = EXIT_FINE;

    queue.outcomes = calloc((size_t)queue.total, sizeof *queue.outcomes);
    if (!queue.outcomes) {
        output_own_error("out of memory for the results of %" PRId64 " runs", queue.total);
        return EXIT_FAILED;
    }
    job->seed = seed_of(job->config);
    stop_on_signals(SA_RESTART, line->quiet ? NULL : STOPPING + !isatty(STDERR_FILENO));
    int64_t failed;
    graco_status status = work_off(&failed, &queue);
    const struct trained_all all = {job->run,  job->info.name, job->preset, job->config,
                                    job->form, queue.outcomes, job->data,   line->source};
    if (failed > 0 && queue.outcomes[failed].code < 0 && !queue.outcomes[failed].result.ended)
        failed--; /* it was not begun */
    if (failed >= 0 && queue.outcomes[failed].code <= EXIT_FINE)
        code =
            trained_stopped(argc, argv, job->config, line->resume, &queue.outcomes[failed].result);
    else if (failed >= 0)
        code = queue.outcomes[failed].code;
    else if (status != GRACO_OK) /* no training did: there was no memory to begin them */
        code = output_failure(status);
    else if (line->json || !line->quiet)
        code = trained_report(&all, line->json);
    free(queue.outcomes);
    return code;
}

/* Loads the data set, as that of the run to continue was read. */
static graco_status load(struct job *job)
{
    const struct line *line = job->line;
    graco_generate_options generate = graco_generate_defaults();

    graco_dataset_free(job->data);
    job->data = NULL;
    PASS(line->source ? loading_dataset(&job->data, line->source, &job->load, job->begun,
                                        line->quiet || line->json)
                      : graco_dataset_generate(&job->data, &generate));
    job->info = graco_dataset_describe(job->data);
    return GRACO_OK;
}

/* The folder for the run: as given, else runs/NAME. */
static void choose_folder(struct job *job)
{
    const char *name = job->info.name;
    bool usable = name && *name && *name != '.' && !strchr(name, '/');

    if (job->line->output)
        snprintf(job->run, sizeof job->run, "%s", job->line->output);
    else
        snprintf(job->run, sizeof job->run, "runs/%.200s", usable ? name : "unnamed");
}

/* Finds the first run that can be continued. It says how the data set is read, which ranks do together: so
 * they must have found the same. */
static graco_status find_alike(struct job *job)
{
    char folder[RUNS_PATH_MAX];
    bool found = find_begun(folder, &job->begun_index, job);

    graco_run_free(job->begun);
    job->begun = NULL;
    graco_status status = graco_ranks_alike("the run to continue", found ? folder : "none");
    return status == GRACO_OK && found ? graco_run_open(&job->begun, folder) : status;
}

/* Where the folder was not known before the data set: reads again as the begun run's data were, if that
 * gives another data set. */
static graco_status load_again(struct job *job)
{
    char words[GRACO_DIFFERENCES] = "";

    PASS(find_alike(job));
    if (!job->begun)
        return GRACO_OK;
    PASS(graco_run_compare(words, job->begun, 0, job->data));
    PASS(graco_ranks_alike("what the run's data differ in", *words ? words : "nothing"));
    return *words ? load(job) : GRACO_OK;
}

static graco_status load_all(struct job *job)
{
    if (job->line->output)
        choose_folder(job);
    PASS(find_alike(job));
    PASS(load(job));
    if (job->line->output)
        return GRACO_OK;
    choose_folder(job);
    return load_again(job);
}

/* Settings that look at more than a rank's own rows and their neighbours read the data set again, whole. */
static graco_status load_whole(struct job *job)
{
    if (graco_ranks() == 1 || !graco_looks_at_all(job->config, job->data))
        return GRACO_OK;
    job->load.by_rows = false;
    return load(job);
}

static int run_job(const struct line *line, int argc, char **argv)
{
    struct job job = {.line = line, .load = line->load};
    graco_config *trial = NULL;
    const char *preset;

    /* Wrong settings are said before the data is read, unless a checkpoint says by which method. */
    int code = line->resume && !line->settings.method
                   ? EXIT_FINE
                   : settings_make(&trial, &preset, &line->settings, NULL);
    graco_config_free(trial);
    if (code != EXIT_FINE)
        return code;
    if (line->output && line->splits == 1 &&
        !runs_check(line->output, (struct runs_form){line->runs, 1}, line->resume))
        return EXIT_FAILED;
    graco_status status = load_all(&job);
    code = status == GRACO_OK ? configure(&job) : output_failure(status);
    if (code == EXIT_FINE && (status = load_whole(&job)) != GRACO_OK)
        code = output_failure(status);
    if (code == EXIT_FINE)
        code = count_trainings(&job);
    if (code == EXIT_FINE)
        code = train_all(&job, argc, argv);
    graco_config_free(job.config);
    graco_run_free(job.begun);
    graco_dataset_free(job.data);
    return code;
}

/* Options that ranks need not share, and settings, which graco_train compares when it knows what they have
 * come to. */
static const char *const NOT_ALIKE[] = {
    "method",  "preset", "objective",     "node-features", "epochs", "seed",  "device", "precision",
    "threads", "memory", "deterministic", "live",          "json",   "quiet", NULL};

int cmd_train(int argc, char **argv)
{
    struct line line = {.runs = 1, .splits = 1};
    struct settings *settings = &line.settings;
    struct settings_choices choices;
    bool deterministic = false; /* every training is: the option is accepted and changes nothing */
    const struct option options[] = {
        OPTION_ROW_TEXT("output", 'o', "RUN", &line.output, "run folder; by default runs/NAME"),
        SETTINGS_OPTIONS(*settings, choices),
        OPTION_ROW_INTEGER("runs", "K", &line.runs, 1, RUNS_MAX,
                           "train K runs, seeds N, N+1 ..., in RUN/run-1 ..."),
        OPTION_ROW_INTEGER("splits", "K", &line.splits, 1, RUNS_MAX,
                           "train a model for each of K splits, in RUN/split-0 ..."),
        SETTINGS_MACHINE_OPTIONS(*settings, choices),
        OPTION_ROW_FLAG("deterministic", 0, &deterministic,
                        "the same seed gives the same bits on one device: always so, at no cost"),
        OPTION_ROW_FLAG("resume", 0, &line.resume, "continue the unfinished runs in RUN"),
        OPTION_ROW_FLAG("live", 0, &line.live, "draw the curves on the terminal"),
        OPTION_ROW_FLAG("json", 0, &line.json, "print one JSON object at the end"),
        OPTION_ROW_FLAG("quiet", 'q', &line.quiet, "no progress and no summary"),
        LOADING_OPTIONS(line.load),
        {0},
    };
    struct command command = {
        .name = "train",
        .synopsis = "[DATASET] [-o RUN] [options]",
        .summary =
            "Learns node embeddings. DATASET is a name under $GRACO_DATA, a file or a folder;\n"
            "without it, a graph that graco makes itself. RUN holds config.json,\n"
            "metrics.jsonl, model.safetensors and embeddings.npy afterwards; one that holds a\n"
            "run already is refused unless --resume is given.",
        .options = options,
        .max_arguments = 1,
        .setting_like = settings_like,
    };

    if (!options_parse(&command, argc, argv))
        return EXIT_USAGE;
    if (command.help)
        return settings_command_help(&command, settings);
    line.source = command.count ? command.arguments[0] : NULL;
    graco_status status = graco_ranks_alike("DATASET", line.source ? line.source : "not given");
    if (status == GRACO_OK)
        status = options_alike(&command, NOT_ALIKE);
    if (status != GRACO_OK)
        return output_failure(status);
    if (graco_rank() > 0) { /* rank 0 speaks for all */
        line.quiet = true;
        line.json = false;
    }
    line.load.by_rows = true;
    return run_job(&line, argc, argv);
}
