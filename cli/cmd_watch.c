/* graco watch: the curves of a training that another process runs, from its run folder.
 *
 * The folder says how things stand. While a training is under way it holds the file `lock`, and removes it
 * at the end; so a lock that nobody holds is what a killed training left. Embeddings are written last, and a
 * training that was stopped has none. The lock is looked at before the metrics are read: once it is gone
 * every line is there. */
#include "commands.h"
#include "graco_command.h"
#include "options.h"
#include "output.h"
#include "runs.h"
#include "settings.h"
#include "stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Seconds between two looks at the folder; seconds without a new epoch after which the lock is tried. To try
 * it is to hold it for a moment, which could turn a training away that starts just then. */
#define LOOK_EVERY 0.1
#define TRY_AFTER 1.0

/* Epochs whose mean time says how long the others take. */
enum { RECENT = 20 };

struct watching {
    const char *path;
    struct live live;
    struct output_progress progress;
    double tried;  /* when the lock was tried, or something new was seen; 0: never */
    double wanted; /* epochs, NaN: not known */
    double shown;  /* the epoch of the last line in a pipe */
};

static graco_run_state look(struct watching *watch)
{
    bool due = output_now() - watch->tried >= TRY_AFTER;
    if (due)
        watch->tried = output_now();
    return graco_run_stands(watch->path, due);
}

/* How many epochs the training is to have, which may change until it begins to write metrics. */
static double wanted_epochs(const struct watching *watch)
{
    graco_run *run = NULL;
    graco_training training = {0};
    char epochs[SETTINGS_TEXT];
    double wanted = (double)NAN;
    if (graco_run_open(&run, watch->path) == GRACO_OK &&
        graco_run_training(&training, run, 0) == GRACO_OK && training.config)
        wanted = strtod(settings_get(epochs, training.config, "epochs"), NULL);
    graco_run_free(run);
    return wanted;
}

/* Mean seconds of the last epochs. */
static double recent_seconds(const graco_curve *curves)
{
    int64_t first = curves->count > RECENT ? curves->count - RECENT : 0;
    double sum = 0;
    for (int64_t i = first; i < curves->count; i++)
        sum += curves->seconds[i];
    return sum / (double)(curves->count - first);
}

static void show(struct watching *watch, bool last)
{
    const graco_curve *curves = &watch->live.curve;
    if (curves->count == 0)
        return;
    double epoch = curves->epoch[curves->count - 1];
    double wanted = watch->wanted >= epoch ? watch->wanted : epoch;
    graco_epoch now = {.epoch = (int64_t)epoch,
                       .epochs = (int64_t)wanted,
                       .loss = curves->loss[curves->count - 1],
                       .mutual_information = curves->information[curves->count - 1],
                       .seconds = curves->seconds[curves->count - 1],
                       .seconds_left = (wanted - epoch) * recent_seconds(curves)};
    double before = watch->progress.shown;
    if (!watch->progress.terminal && epoch == watch->shown)
        return;
    if (last)
        watch->progress.shown = before = 0;
    output_progress_epoch(&watch->progress, &now);
    if (watch->progress.shown != before)
        watch->shown = epoch;
}

/* Reads what is new and shows it. Returns the exit code; -1: go on. */
static int refresh(struct watching *watch, bool last)
{
    int64_t before = watch->live.curve.count;
    graco_status status = live_read(&watch->live);
    if (status != GRACO_OK) {
        output_progress_end(&watch->progress);
        return output_failure(status);
    }
    const graco_curve *curve = &watch->live.curve;
    if (curve->count != before)
        watch->tried = output_now();
    if (curve->count > 0 && !(watch->wanted >= curve->epoch[curve->count - 1]))
        watch->wanted = wanted_epochs(watch);
    show(watch, last);
    return -1;
}

/* A folder of several runs has no metrics of its own. Returns the exit code; -1: go on. */
static int refuse_several(const struct watching *watch)
{
    graco_run *run = NULL;
    if (graco_run_open(&run, watch->path) != GRACO_OK)
        return -1;
    const graco_run_info info = graco_run_describe(run);
    bool several = info.seed_folders || info.split_folders;
    if (several)
        output_error("watch: %s holds several trainings; expected one of them, such as %s",
                     watch->path, graco_run_path(run, 0));
    graco_run_free(run);
    return several ? EXIT_USAGE : -1;
}

/* Says how the training ended and returns the exit code. */
static int say_end(const struct watching *watch, graco_run_state state)
{
    const graco_curve *curves = &watch->live.curve;
    double epoch = curves->count > 0 ? curves->epoch[curves->count - 1] : 0;
    if (state == GRACO_RUN_ENDED) {
        output_note("%s: ended after epoch %.0f", watch->path, epoch);
        return EXIT_FINE;
    }
    output_error("%s: the training %s after epoch %.0f of %.0f; `graco train ... --resume` "
                 "continues it",
                 watch->path, state == GRACO_RUN_KILLED ? "was killed" : "was stopped", epoch,
                 fmax(watch->wanted, epoch));
    return EXIT_FAILED;
}

static int follow(struct watching *watch)
{
    const struct timespec nap = {.tv_nsec = (long)(LOOK_EVERY * 1e9)};
    bool said = false;
    for (;;) {
        graco_run_state state = look(watch);
        int code = state == GRACO_RUN_NONE ? refuse_several(watch) : -1;
        bool over = state != GRACO_RUN_NONE && state != GRACO_RUN_TRAINING;
        if (code < 0)
            code = refresh(watch, over);
        if (code >= 0)
            return code;
        if (over) {
            output_progress_end(&watch->progress);
            return say_end(watch, state);
        }
        if (state == GRACO_RUN_NONE && !said)
            output_note("%s: no training has begun; waiting for one", watch->path);
        said = said || state == GRACO_RUN_NONE;
        if (stop_wanted)
            return EXIT_FAILED;
        nanosleep(&nap, NULL);
    }
}

int cmd_watch(int argc, char **argv)
{
    const struct option options[] = {{0}};
    struct command command = {
        .name = "watch",
        .synopsis = "RUN",
        .summary =
            "Draws the curves of a training that another process runs, in the run folder RUN,\n"
            "until it ends; waits for it if it has not begun. Ctrl-C ends the watching, not\n"
            "the training. Exit code 1: the training was stopped or killed.",
        .options = options,
        .min_arguments = 1,
        .max_arguments = 1,
    };
    int code = options_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    struct watching watch = {.path = command.arguments[0],
                             .progress = output_progress_start(false, ""),
                             .wanted = (double)NAN};
    struct stat found;
    if (strlen(watch.path) >= RUNS_PATH_MAX) {
        output_error("watch: the name of the run folder is too long");
        return EXIT_USAGE;
    }
    if (stat(watch.path, &found) == 0 && !S_ISDIR(found.st_mode)) {
        output_error("watch: %s is a file; expected a run folder", watch.path);
        return EXIT_USAGE;
    }
    watch.progress.elsewhere = true;
    watch.progress.live = &watch.live;
    stop_on_signals(0, watch.progress.terminal ? "\n" : NULL);
    graco_status status = graco_run_open(&watch.live.run, watch.path);
    code = status == GRACO_OK ? follow(&watch) : output_failure(status);
    graco_run_free(watch.live.run);
    return code;
}
