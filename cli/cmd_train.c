/* graco train: one run or several, stopped and resumed at will.
 *
 * A signal is answered at once. The library then gives up the step under way and writes a checkpoint,
 * and the command says how to go on. A second signal ends the program; the last checkpoint stays. */
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
#include <sys/stat.h>
#include <unistd.h>

enum { RUNS_MAX = 10000 };

/* The answer to a signal; a terminal's line of progress is ended first, by the first character. */
static const char STOPPING[] =
    "\nstopping: a checkpoint comes first; a second signal ends at once\n";

struct line {
    graco_load_options load;
    struct settings settings;
    const char *source; /* NULL: the generated graph */
    const char *output;
    int64_t runs;
    bool resume, json, quiet;
};

/* All that the runs of one command share. */
struct job {
    const struct line *line;
    graco_dataset *data;
    graco_dataset_info info;
    graco_config *config; /* of the first run */
    uint64_t seed;        /* of the first run */
    const char *preset;
    char run[RUNS_PATH_MAX]; /* folder of the run or runs */
};

struct trained {
    char folder[RUNS_PATH_MAX];
    uint64_t seed;
    graco_train_result result;
};

static bool on_epoch(void *user, const graco_epoch *epoch)
{
    output_progress_epoch(user, epoch);
    return !stop_wanted;
}

static bool on_progress(void *user, const graco_progress *progress)
{
    if (!stop_wanted)
        output_progress_step(user, progress);
    return !stop_wanted;
}

/* Prints a word so that a shell reads it back as it is. */
static size_t quote(char *text, size_t size, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./=:,+@%";
    size_t used = 0;

    if (*word && word[strspn(word, plain)] == '\0')
        return (size_t)snprintf(text, size, " %s", word);
    used += (size_t)snprintf(text, size, " '");
    for (; *word && used + 8 < size; word++)
        used += (size_t)snprintf(text + used, size - used, *word == '\'' ? "'\\''" : "%c", *word);
    return used + (size_t)snprintf(text + used, size - used, "'");
}

static int say_stopped(int argc, char **argv, const struct job *job,
                       const graco_train_result *result)
{
    char text[3072] = "", wanted[SETTINGS_TEXT], step[80] = "";
    size_t used = 0;

    if (result->step > 0)
        snprintf(step, sizeof step, ", and step %" PRId64 " of %" PRId64 " of the next",
                 result->step, result->steps);

    for (int i = 1; i < argc && used + 2 * strlen(argv[i]) + 16 < sizeof text; i++)
        used += quote(text + used, sizeof text - used, argv[i]);
    output_error("stopped after epoch %" PRId64 " of %s%s; to continue: graco train%s%s",
                 result->epochs, settings_get(wanted, job->config, "epochs"), step, text,
                 job->line->resume ? "" : " --resume");
    return EXIT_FAILED;
}

static uint64_t seed_of(const graco_config *config)
{
    char value[SETTINGS_TEXT];

    return strtoull(settings_get(value, config, "seed"), NULL, 10);
}

static const char *seed_text(char text[SETTINGS_TEXT], uint64_t seed)
{
    snprintf(text, SETTINGS_TEXT, "%" PRIu64, seed);
    return text;
}

static graco_status set_seed(graco_config *config, uint64_t seed)
{
    char text[SETTINGS_TEXT];

    return graco_config_set(config, "seed", seed_text(text, seed));
}

/* The fields of one run, or of all of them as one. */
static void write_fields(struct writer *json, const struct job *job, const struct trained *outcome)
{
    const graco_train_result *result = &outcome->result;
    char objective[SETTINGS_TEXT], text[SETTINGS_TEXT];

    writer_string(json, "run", outcome->folder);
    writer_string(json, "dataset", job->info.name);
    writer_string(json, "preset", job->preset);
    writer_string(json, "method", graco_config_method(job->config));
    if (*settings_get(objective, job->config, "objective") != '?')
        writer_string(json, "objective", objective);
    writer_integer(json, "epochs", result->epochs);
    if (result->best_epoch) {
        writer_integer(json, "best_epoch", result->best_epoch);
        writer_real(json, "best_cost", result->best_cost);
    }
    writer_string(json, "ended", result->ended);
    writer_real(json, "loss", result->loss);
    writer_real(json, "mutual_information", result->mutual_information);
    writer_real(json, "seconds", result->seconds);
    writer_real(json, "epoch_ms_median", result->epoch_ms_median);
    writer_integer(json, "peak_rss_bytes", graco_peak_memory());
    writer_integer(json, "buffer_bytes", result->buffer_bytes);
    writer_string(json, "device", result->device ? result->device : "cpu");
    if (outcome->seed <= INT64_MAX)
        writer_integer(json, "seed", (int64_t)outcome->seed);
    else
        writer_string(json, "seed", seed_text(text, outcome->seed)); /* as config.json has it */
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

/* Several runs as one: epochs of each, mean loss, seconds of all, median of the medians. Runs that had
 * nothing to do have no loss, and count for the seconds alone. */
static struct trained summarise(const struct job *job, const struct trained *outcomes,
                                double *medians, int64_t count)
{
    struct trained sum = outcomes[0];
    double loss = 0, mutual_information = 0;
    int64_t trained = 0;

    snprintf(sum.folder, sizeof sum.folder, "%s", job->run);
    sum.result.seconds = 0;
    for (int64_t i = 0; i < count; i++) {
        const graco_train_result *result = &outcomes[i].result;
        sum.result.seconds += result->seconds;
        if (isnan(result->loss))
            continue;
        loss += result->loss;
        mutual_information += result->mutual_information;
        medians[trained++] = result->epoch_ms_median;
    }
    if (trained == 0)
        return sum;
    qsort(medians, (size_t)trained, sizeof *medians, compare);
    sum.result.epoch_ms_median = (medians[(trained - 1) / 2] + medians[trained / 2]) / 2;
    sum.result.loss = loss / (double)trained;
    sum.result.mutual_information = mutual_information / (double)trained;
    return sum;
}

static int report_json(const struct job *job, const struct trained *sum,
                       const struct trained *outcomes, int64_t count)
{
    struct writer json = {0};

    writer_open(&json, NULL, '{');
    write_fields(&json, job, sum);
    if (count > 1) {
        writer_open(&json, "runs", '[');
        for (int64_t i = 0; i < count; i++) {
            writer_open(&json, NULL, '{');
            write_fields(&json, job, &outcomes[i]);
            writer_close(&json);
        }
        writer_close(&json);
    }
    writer_close(&json);
    return output_json(&json);
}

static int report(const struct job *job, const struct trained *outcomes, double *medians)
{
    const struct line *line = job->line;
    struct trained sum = summarise(job, outcomes, medians, line->runs);
    char time[32], memory[32], first[RUNS_PATH_MAX];

    if (line->json)
        return report_json(job, &sum, outcomes, line->runs);
    if (line->quiet)
        return EXIT_FINE;
    output_row("trained", "%" PRId64 " epochs on %s, %" PRId64 " run%s", sum.result.epochs,
               job->info.name, line->runs, line->runs == 1 ? "" : "s");
    if (line->runs == 1 && sum.result.best_epoch)
        output_row("kept", "epoch %" PRId64 ", of cost %.5f; ended by %s", sum.result.best_epoch,
                   sum.result.best_cost, sum.result.ended);
    if (!isnan(sum.result.loss)) {
        output_row("loss", "%.5f%s", sum.result.loss, line->runs == 1 ? "" : " (mean)");
        output_row("time", "%s, %.*f ms per epoch (median) on %s",
                   output_time(time, sum.result.seconds), sum.result.epoch_ms_median < 10 ? 2 : 1,
                   sum.result.epoch_ms_median, sum.result.device);
    }
    output_row("peak memory", "%s", output_bytes(memory, graco_peak_memory()));
    if (line->runs == 1)
        snprintf(first, sizeof first, "%s", job->run);
    else
        snprintf(first, sizeof first, "%.*s/run-*", RUNS_PATH_MAX - 16, job->run);
    output_row("embeddings", "%s/embeddings.npy", first);
    return output_finish();
}

/* The first run that can be continued, its folder and number; false if there is none. */
static bool find_begun(char folder[RUNS_PATH_MAX], int64_t *index, const struct job *job)
{
    for (*index = 0; job->line->resume && *job->run && *index < job->line->runs; ++*index)
        if (runs_folder(folder, job->run, *index, job->line->runs) && runs_holds_model(folder))
            return true;
    return false;
}

/* The settings of a run that is to be continued, number `index`: those of its checkpoint, but for what
 * may change; the seed as run 0 has it. Another method than the one that was asked for stays out: the
 * library then refuses. */
static graco_status keep_settings(struct job *job, const char *folder, int64_t index)
{
    static const char *const free_keys[] = {"device", "threads", "memory"};
    graco_model *model = NULL;
    graco_config *kept = NULL;
    char value[SETTINGS_TEXT], words[GRACO_DIFFERENCES]; /* the library refuses what differs */

    graco_status status = graco_model_load(&model, folder);
    const char *wanted = job->line->settings.method;
    if (status == GRACO_OK && !job->line->quiet)
        status = loading_compare(words, folder, model, job->data);
    if (status == GRACO_OK && wanted &&
        strcmp(wanted, graco_config_method(graco_model_config(model))) != 0) {
        graco_model_free(model);
        return GRACO_OK;
    }
    if (status == GRACO_OK)
        status = graco_config_copy(&kept, graco_model_config(model));
    graco_model_free(model);
    if (status != GRACO_OK)
        return status;
    for (size_t i = 0; i < sizeof free_keys / sizeof *free_keys && status == GRACO_OK; i++)
        status =
            graco_config_set(kept, free_keys[i], settings_get(value, job->config, free_keys[i]));
    if (status == GRACO_OK)
        status = set_seed(kept, seed_of(kept) - (uint64_t)index);
    graco_config_free(job->config);
    job->config = kept;
    return status;
}

/* Fills job->config: from the first run that can be continued, else from the preset. A preset or method
 * that was asked for by name comes first; the library then refuses what a checkpoint contradicts. */
static int configure(struct job *job)
{
    const struct line *line = job->line;
    char folder[RUNS_PATH_MAX];
    int64_t index;

    job->preset = settings_preset(&job->config, &line->settings, job->info.name);
    if (!job->preset)
        return EXIT_USAGE;
    if (job->info.inductive) /* whatever the preset; --set inductive=0 still says otherwise */
        graco_config_set(job->config, "inductive", "1");
    if (!line->settings.preset && find_begun(folder, &index, job)) {
        graco_status status = keep_settings(job, folder, index);
        if (status != GRACO_OK)
            return output_failure(status);
    }
    return settings_apply(job->config, &line->settings) ? EXIT_FINE : EXIT_USAGE;
}

/* One run; EXIT_FINE, or EXIT_FAILED after a message, or -1 if it was stopped. */
static int train(struct trained *outcome, struct job *job, int64_t index)
{
    const struct line *line = job->line;
    char label[64] = "", wanted[SETTINGS_TEXT], objective[SETTINGS_TEXT];
    struct stat found;

    outcome->seed = job->seed + (uint64_t)index;
    if (set_seed(job->config, outcome->seed) != GRACO_OK ||
        !runs_folder(outcome->folder, job->run, index, line->runs))
        return EXIT_FAILED;
    bool fresh = stat(outcome->folder, &found) != 0, first = stat(job->run, &found) != 0;
    if (!runs_make(outcome->folder, "run folder"))
        return EXIT_FAILED;
    if (line->runs > 1)
        snprintf(label, sizeof label, "run %" PRId64 " of %" PRId64 "  ", index + 1, line->runs);
    struct output_progress progress = output_progress_start(line->quiet, label);
    if (*settings_get(objective, job->config, "objective") != '?')
        progress.what = objective;
    graco_train_options options = {
        .run = outcome->folder,
        .resume = line->resume && runs_holds_model(outcome->folder),
        .on_epoch = on_epoch,
        .user = &progress,
        .on_progress = on_progress,
    };
    if (line->resume && !options.resume && !line->quiet)
        output_note("%s holds nothing to continue: starting at epoch 1", outcome->folder);
    graco_status status = graco_train(NULL, &outcome->result, job->data, job->config, &options);
    output_progress_end(&progress);
    if (status == GRACO_STOPPED)
        return -1;
    if (status == GRACO_OK && options.resume && isnan(outcome->result.loss) && !line->quiet)
        output_note("%s has %" PRId64 " epochs already, %s were asked for%s: nothing to do",
                    outcome->folder, outcome->result.epochs,
                    settings_get(wanted, job->config, "epochs"),
                    strcmp(outcome->result.ended, "patience") == 0 ? " at most" : "");
    if (status == GRACO_OK)
        return EXIT_FINE;
    /* A training that was refused leaves no empty folders: rmdir takes no others. */
    if (fresh)
        rmdir(outcome->folder);
    if (first)
        rmdir(job->run);
    return output_failure(status);
}

static int train_all(struct job *job, int argc, char **argv)
{
    int64_t count = job->line->runs;
    struct trained *outcomes = calloc((size_t)count, sizeof *outcomes);
    double *medians = calloc((size_t)count, sizeof *medians);
    int code = EXIT_FINE;

    if (!outcomes || !medians) {
        output_error("out of memory for the results of %" PRId64 " runs", count);
        code = EXIT_FAILED;
    }
    job->seed = seed_of(job->config);
    stop_on_signals(SA_RESTART, job->line->quiet ? NULL : STOPPING + !isatty(STDERR_FILENO));
    for (int64_t i = 0; code == EXIT_FINE && i < count; i++) {
        code = train(&outcomes[i], job, i);
        if (code < 0 || (code == EXIT_FINE && stop_wanted && i + 1 < count))
            code = say_stopped(argc, argv, job, &outcomes[i].result);
    }
    if (code == EXIT_FINE)
        code = report(job, outcomes, medians);
    free(outcomes);
    free(medians);
    return code;
}

/* Loads the data set, as that of the run folder `run` was read unless this is NULL. */
static graco_status load(struct job *job, const char *run)
{
    const struct line *line = job->line;
    graco_generate_options generate = graco_generate_defaults();

    graco_dataset_free(job->data);
    job->data = NULL;
    graco_status status = line->source ? loading_dataset(&job->data, line->source, &line->load, run,
                                                         line->quiet || line->json)
                                       : graco_dataset_generate(&job->data, &generate);
    if (status == GRACO_OK)
        job->info = graco_dataset_describe(job->data);
    return status;
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

/* Where the folder was not known before the data set: reads again as the begun run's data were, if that
 * gives another data set. */
static graco_status load_again(struct job *job)
{
    char folder[RUNS_PATH_MAX], words[GRACO_DIFFERENCES] = "";
    graco_model *model = NULL;
    int64_t index;
    bool known;

    if (!find_begun(folder, &index, job))
        return GRACO_OK;
    graco_status status = graco_model_load(&model, folder);
    if (status == GRACO_OK)
        status = graco_model_compare(&known, words, model, job->data);
    graco_model_free(model);
    return *words ? load(job, folder) : status;
}

static graco_status load_all(struct job *job)
{
    char folder[RUNS_PATH_MAX];
    int64_t index;

    if (job->line->output)
        choose_folder(job);
    graco_status status = load(job, find_begun(folder, &index, job) ? folder : NULL);
    if (status != GRACO_OK || job->line->output)
        return status;
    choose_folder(job);
    return load_again(job);
}

static int run_job(const struct line *line, int argc, char **argv)
{
    struct job job = {.line = line};
    graco_config *trial = NULL;

    /* Wrong settings are said before the data is read, unless a checkpoint says by which method. */
    bool right =
        (line->resume && !line->settings.method) ||
        (settings_preset(&trial, &line->settings, NULL) && settings_apply(trial, &line->settings));
    graco_config_free(trial);
    if (!right)
        return EXIT_USAGE;
    if (line->output && !runs_check(line->output, line->runs, line->resume))
        return EXIT_FAILED;
    graco_status status = load_all(&job);
    int code = status != GRACO_OK                              ? output_failure(status)
               : runs_check(job.run, line->runs, line->resume) ? configure(&job)
                                                               : EXIT_FAILED;
    if (code == EXIT_FINE)
        code = train_all(&job, argc, argv);
    graco_config_free(job.config);
    graco_dataset_free(job.data);
    return code;
}

/* Help shows the settings that this command line would train with. */
static int help(const struct command *command, struct settings *settings)
{
    graco_config *config = NULL;
    const char *source = command->count ? command->arguments[0] : "generated";
    const char *slash = strrchr(source, '/');
    char values[SHORT_FORMS][SETTINGS_TEXT];

    const char *preset = settings_preset(&config, settings, slash ? slash + 1 : source);
    if (!preset || !settings_apply(config, settings)) {
        graco_config_free(config);
        return EXIT_USAGE;
    }
    settings->method = graco_config_method(config);
    settings->preset = preset;
    for (int i = 0; i < SHORT_FORMS; i++)
        settings->given[i] = settings_show(values[i], config, settings_short_forms[i]);
    int code = options_help(command);
    if (code == EXIT_FINE)
        settings_help(config, preset);
    graco_config_free(config);
    return code == EXIT_FINE ? output_finish() : code;
}

static const char *method_name(int index)
{
    return graco_method(index, NULL);
}

int cmd_train(int argc, char **argv)
{
    struct line line = {.runs = 1};
    struct settings *settings = &line.settings;
    const char **given = settings->given;
    const char *methods[OPTION_WORDS_MAX], *objectives[OPTION_WORDS_MAX],
        *devices[OPTION_WORDS_MAX], *precisions[OPTION_WORDS_MAX];
    bool deterministic = false; /* every training is: the option is accepted and changes nothing */
    const struct option options[] = {
        OPTION_ROW_TEXT("output", 'o', "RUN", &line.output, "run folder; by default runs/NAME"),
        OPTION_ROW_CHOICE("method", "NAME", &settings->method, options_words(methods, method_name),
                          "how to learn, as `graco methods` says"),
        OPTION_ROW_TEXT("preset", 0, "NAME", &settings->preset,
                        "hyperparameters; by default those named like the data set"),
        OPTION_ROW_LIST("set", "KEY=VALUE", &settings->sets,
                        "set one hyperparameter; may be repeated"),
        OPTION_ROW_CHOICE("objective", "NAME", &given[SHORT_OBJECTIVE],
                          settings_words(objectives, "objective"), "exact, infonce or moment"),
        OPTION_ROW_TEXT("epochs", 0, "N", &given[SHORT_EPOCHS], "the same as --set epochs=N"),
        OPTION_ROW_TEXT("seed", 0, "N", &given[SHORT_SEED], "seed of the first run"),
        OPTION_ROW_INTEGER("runs", "K", &line.runs, 1, RUNS_MAX,
                           "train K runs, seeds N, N+1 ..., in RUN/run-1 ..."),
        OPTION_ROW_CHOICE("device", "NAME", &given[SHORT_DEVICE], settings_words(devices, "device"),
                          "auto: a GPU if there is one; cpu; cuda"),
        OPTION_ROW_CHOICE("precision", "NAME", &given[SHORT_PRECISION],
                          settings_words(precisions, "precision"),
                          "operands of a GPU's products: fp32, tf32, fp16"),
        OPTION_ROW_FLAG("deterministic", 0, &deterministic,
                        "the same seed gives the same bits on one device: always so, at no cost"),
        OPTION_ROW_TEXT("threads", 0, "N", &given[SHORT_THREADS], "threads; 0: one per core"),
        OPTION_ROW_TEXT("memory", 0, "SIZE", &given[SHORT_MEMORY],
                        "what the objective's tiles may fill, such as 256M or 4G"),
        OPTION_ROW_FLAG("resume", 0, &line.resume, "continue the unfinished runs in RUN"),
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
        return help(&command, settings);
    line.source = command.count ? command.arguments[0] : NULL;
    return run_job(&line, argc, argv);
}
