/* graco watch: the curves of a training that another process runs, from its run folder.
 *
 * The folder says how things stand. While a training is under way it holds the file `lock`, and removes it
 * at the end; so a lock that nobody holds is what a killed training left. Embeddings are written last, and a
 * training that was stopped has none. The lock is looked at before the metrics are read: once it is gone
 * every line is there. */
#include "commands.h"
#include "options.h"
#include "output.h"
#include "runs.h"
#include "stop.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Seconds between two looks at the folder; seconds without a new epoch after which the lock is tried. To try
 * it is to hold it for a moment, which could turn a training away that starts just then. */
#define LOOK_EVERY 0.1
#define TRY_AFTER 1.0

/* Epochs whose mean time says how long the others take. */
enum { RECENT = 20, PATH = RUNS_PATH_MAX + 32, CONFIG_BYTES = 1 << 16 };

enum state { WAITING, TRAINING, ENDED, KILLED };

struct watching {
    const char *run;
    struct live live;
    struct output_progress progress;
    double tried;  /* when the lock was tried, or something new was seen; 0: never */
    double wanted; /* epochs, NaN: not known */
    double shown;  /* the epoch of the last line in a pipe */
};

static const char *path_of(char path[PATH], const struct watching *watch, const char *file)
{
    snprintf(path, PATH, "%s/%s", watch->run, file);
    return path;
}

/* Bytes of a file of the run; -1: it is not there. */
static int64_t size_of(const struct watching *watch, const char *file)
{
    char path[PATH];
    struct stat found;
    return stat(path_of(path, watch, file), &found) == 0 ? (int64_t)found.st_size : -1;
}

/* Whether nobody holds the lock that was opened, which is still the one at its path. */
static bool is_left_over(int fd, const char *path)
{
    struct stat open, there;
    return flock(fd, LOCK_SH | LOCK_NB) == 0 && fstat(fd, &open) == 0 && stat(path, &there) == 0 &&
           open.st_ino == there.st_ino && open.st_dev == there.st_dev;
}

static enum state look(struct watching *watch)
{
    char path[PATH];
    int fd = open(path_of(path, watch, "lock"), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool due = output_now() - watch->tried >= TRY_AFTER, left_over = false;
    if (fd < 0 && size_of(watch, "lock") < 0)
        return size_of(watch, "metrics.jsonl") < 0 ? WAITING : ENDED;
    if (fd < 0)
        return TRAINING;
    if (due) {
        left_over = is_left_over(fd, path);
        watch->tried = output_now();
    }
    close(fd);
    return left_over ? KILLED : TRAINING;
}

/* How many epochs the training is to have: config.json says it. */
static double wanted_epochs(const struct watching *watch)
{
    static char text[CONFIG_BYTES];
    char path[PATH];
    FILE *file = fopen(path_of(path, watch, "config.json"), "re");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    return curves_number(text, "epochs");
}

/* Mean seconds of the last epochs. */
static double recent_seconds(const struct curves *curves)
{
    int64_t first = curves->count > RECENT ? curves->count - RECENT : 0;
    double sum = 0;
    for (int64_t i = first; i < curves->count; i++)
        sum += curves->seconds[i];
    return sum / (double)(curves->count - first);
}

static void show(struct watching *watch, bool last)
{
    const struct curves *curves = &watch->live.curves;
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
    char path[PATH];
    const struct curves *curves = &watch->live.curves;
    int64_t before = curves->offset;
    graco_status status = curves_follow(&watch->live.curves, path_of(path, watch, "metrics.jsonl"));
    if (status != GRACO_OK) {
        output_progress_end(&watch->progress);
        return output_failure(status);
    }
    if (curves->offset != before) {
        watch->wanted = wanted_epochs(watch);
        watch->tried = output_now();
    }
    show(watch, last);
    return -1;
}

/* A folder of several runs has no metrics of its own. Returns the exit code; -1: go on. */
static int refuse_several(const struct watching *watch)
{
    char first[RUNS_PATH_MAX];
    struct runs_form form = runs_found(watch->run);
    if ((form.runs == 0 && form.splits == 0) || !runs_first(first, watch->run))
        return -1;
    output_error("watch: %s holds several trainings; expected one of them, such as %s", watch->run,
                 first);
    return EXIT_USAGE;
}

/* Says how the training ended and returns the exit code. */
static int say_end(const struct watching *watch, enum state state)
{
    const struct curves *curves = &watch->live.curves;
    double epoch = curves->count > 0 ? curves->epoch[curves->count - 1] : 0;
    if (state == ENDED && size_of(watch, "embeddings.npy") > 0) {
        output_note("%s: ended after epoch %.0f", watch->run, epoch);
        return EXIT_FINE;
    }
    output_error("%s: the training %s after epoch %.0f of %.0f; `graco train ... --resume` "
                 "continues it",
                 watch->run, state == KILLED ? "was killed" : "was stopped", epoch,
                 fmax(watch->wanted, epoch));
    return EXIT_FAILED;
}

static int follow(struct watching *watch)
{
    const struct timespec nap = {.tv_nsec = (long)(LOOK_EVERY * 1e9)};
    bool said = false;
    for (;;) {
        enum state state = look(watch);
        int code = state == WAITING ? refuse_several(watch) : -1;
        bool over = state == ENDED || state == KILLED;
        if (code < 0)
            code = refresh(watch, over);
        if (code >= 0)
            return code;
        if (over) {
            output_progress_end(&watch->progress);
            return say_end(watch, state);
        }
        if (state == WAITING && !said)
            output_note("%s: no training has begun; waiting for one", watch->run);
        said = said || state == WAITING;
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
    struct watching watch = {.run = command.arguments[0],
                             .progress = output_progress_start(false, ""),
                             .wanted = (double)NAN};
    struct stat found;
    if (strlen(watch.run) >= RUNS_PATH_MAX) {
        output_error("watch: the name of the run folder is too long");
        return EXIT_USAGE;
    }
    if (stat(watch.run, &found) == 0 && !S_ISDIR(found.st_mode)) {
        output_error("watch: %s is a file; expected a run folder", watch.run);
        return EXIT_USAGE;
    }
    watch.progress.elsewhere = true;
    watch.progress.live = &watch.live;
    stop_on_signals(0, watch.progress.terminal ? "\n" : NULL);
    code = follow(&watch);
    curves_clear(&watch.live.curves);
    return code;
}
