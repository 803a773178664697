/* Printing: stdout carries results, stderr everything else. A write that fails is noticed once, at
 * the end, and becomes the exit code. */
#include "output.h"
#include "graco_command.h"
#include "commands.h"
#include "stop.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

/* Seconds between two lines of progress, at the ends of epochs and within them. */
#define INTERVAL_TERMINAL 0.1
#define INTERVAL_PIPE 5.0
#define INTERVAL_PIPE_WITHIN 60.0

/* When a training is estimated, in seconds after its speed is known at all: memory that is used for
 * the first time is slow. And from where on it is called long. */
#define ESTIMATE_AFTER 4.0
#define ESTIMATE_LONG 60.0

enum { FIELDS_MAX = 8, FIELD_SIZE = 96, RANK_0_SPEAKS = 5 /* seconds */ };

static void print_line(const char *prefix, const char *format, va_list arguments)
{
    char text[4096];
    vsnprintf(text, sizeof text, format, arguments);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    fprintf(stderr, "%s%s\n", prefix, text);
}

const char *output_prefix(char text[32])
{
    int rank = graco_rank();
    snprintf(text, 32, rank > 0 ? "graco: rank %d: " : "graco: ", rank);
    return text;
}

void output_wait_turn(void)
{
    if (graco_rank() > 0 && sleep(RANK_0_SPEAKS) > 0)
        _exit(EXIT_FAILED);
}

void output_error(const char *format, ...)
{
    char prefix[32];
    va_list arguments;
    output_wait_turn();
    va_start(arguments, format);
    print_line(output_prefix(prefix), format, arguments);
    va_end(arguments);
}

void output_own_error(const char *format, ...)
{
    char prefix[32];
    va_list arguments;
    output_wait_turn();
    snprintf(prefix, sizeof prefix,
             graco_ranks() > 1 ? "graco: rank %d: " : "graco: ", graco_rank());
    va_start(arguments, format);
    print_line(prefix, format, arguments);
    va_end(arguments);
}

void output_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("", format, arguments);
    va_end(arguments);
}

static char hint[256];

void output_hint(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(hint, sizeof hint, format, arguments);
    va_end(arguments);
}

graco_status output_no_memory(const char *what)
{
    return status_fail(GRACO_ERROR_MEMORY, "out of memory for %s", what);
}

const char *output_failed(void)
{
    static char text[STATUS_MESSAGE + sizeof hint];
    snprintf(text, sizeof text, "%.1000s%s%s", graco_message(), *hint ? "; " : "", hint);
    hint[0] = '\0'; /* said */
    return text;
}

/* Whether a message says "rank N: " somewhere. */
static bool names_rank(const char *text)
{
    int rank, length = 0;
    while ((text = strstr(text, "rank "))) {
        if (sscanf(text, "rank %d:%n", &rank, &length) == 1 && length > 0)
            return true;
        text++;
    }
    return false;
}

int output_failure(graco_status status)
{
    const char *text = output_failed();
    bool machine = status == GRACO_ERROR_MEMORY || status == GRACO_ERROR_IO;
    if (machine && !names_rank(text))
        output_own_error("%s", text);
    else
        output_error("%s", text);
    return status == GRACO_ERROR_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
}

void output_start(void)
{
    /* Each the wrong way round: to read or write there must fail. */
    static const int flags[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", flags[fd]) < 0)
            break; /* the lowest free number is fd */
    signal(SIGPIPE, SIG_IGN);
}

void output_text(const struct text *text)
{
    fwrite(text_words(text), 1, (size_t)text->length, stdout);
}

int output_finish(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_FINE;
    output_own_error("the output could not be written: %s", strerror(errno));
    return EXIT_FAILED;
}

int output_json(struct writer *json)
{
    int code = EXIT_FAILED;
    if (writer_finish(json) == GRACO_OK) {
        output_text(&json->text);
        code = output_finish();
    } else {
        output_error("no JSON could be made: %s", json->text.status == GRACO_ERROR_ARGUMENT
                                                      ? "a name is not UTF-8"
                                                      : "memory ran out");
    }
    writer_clear(json);
    return code;
}

bool output_other_format(const char *command, const char *path, const char *const *endings,
                         const char *expected)
{
    const char *ending = strrchr(path, '.');
    for (; ending && *endings; endings++) {
        if (strcasecmp(ending, *endings) != 0)
            continue;
        output_error("%s: %s ends in %s, and this writes %s; expected -o %.*s%s", command, path,
                     ending, expected, (int)(ending - path), path, expected);
        return true;
    }
    return false;
}

void output_row(const char *label, const char *format, ...)
{
    va_list arguments;
    printf("%-18s ", label);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

void output_dataset(const char *target, const graco_dataset *data)
{
    graco_dataset_info info = graco_dataset_describe(data);
    output_note("wrote %s: %" PRId64 " nodes, %" PRId64 " edges, %" PRId64 " features, %" PRId64
                " classes",
                target, info.nodes, info.edges, info.feature_count, info.classes);
}

const char *output_time(char text[32], double seconds)
{
    if (!(seconds >= 0) || seconds > 1e9)
        snprintf(text, 32, "?");
    else if (seconds < 10)
        snprintf(text, 32, "%.1f s", seconds);
    else if (seconds < 60)
        snprintf(text, 32, "%.0f s", seconds);
    else if (seconds < 3600)
        snprintf(text, 32, "%d min %02d s", (int)seconds / 60, (int)seconds % 60);
    else
        snprintf(text, 32, "%d h %02d min", (int)(seconds / 3600), (int)seconds / 60 % 60);
    return text;
}

double output_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct output_progress output_progress_start(bool quiet, const char *label)
{
    const char *kind = getenv("TERM");
    bool plain = kind && strcmp(kind, "dumb") == 0;
    return (struct output_progress){
        .quiet = quiet,
        .terminal = isatty(STDERR_FILENO) && !plain,
        .label = label,
        .what = "training",
        .begun = output_now(),
    };
}

/* A line of progress: fields from left to right, the first of which always stays. */
struct fields {
    int count;
    struct {
        char text[FIELD_SIZE];
        int rank; /* fields of a higher rank go first where the line is too long */
    } list[FIELDS_MAX];
};

EXT_PRINTF(3, 4)
static void add_field(struct fields *fields, int rank, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fields->list[fields->count].text, FIELD_SIZE, format, arguments);
    va_end(arguments);
    fields->list[fields->count++].rank = rank;
}

/* Drops fields until the line has at most `width` characters. */
static void fit_fields(struct fields *fields, size_t width)
{
    for (;;) {
        size_t length = 0;
        int worst = 0;
        for (int i = 0; i < fields->count; i++) {
            length += strlen(fields->list[i].text) + (i > 0 ? 2 : 0);
            worst = fields->list[i].rank > fields->list[worst].rank ? i : worst;
        }
        if (length <= width)
            return;
        if (worst == 0) {
            fields->list[0].text[width < FIELD_SIZE ? width : FIELD_SIZE - 1] = '\0';
            return;
        }
        memmove(&fields->list[worst], &fields->list[worst + 1],
                (size_t)(--fields->count - worst) * sizeof *fields->list);
    }
}

/* One column stays free: a full line would make some terminals go to the next. */
static size_t terminal_width(void)
{
    int cols, rows;
    live_size(&cols, &rows);
    return (size_t)cols - 1;
}

static void print_fields(struct output_progress *progress, struct fields *fields)
{
    char line[LIVE_LINE] = "";
    size_t used = 0;
    if (progress->terminal)
        fit_fields(fields, terminal_width());
    for (int i = 0; i < fields->count; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", i > 0 ? "  " : "",
                                 fields->list[i].text);
    if (progress->terminal && progress->live) {
        live_draw(progress->live, line);
        return;
    }
    fprintf(stderr, progress->terminal ? "\r%s\033[K" : "%s\n", line);
    fflush(stderr);
    progress->open = progress->terminal;
}

/* Whether it is time for another line; if so, it counts as shown. */
static bool is_due(struct output_progress *progress, double interval)
{
    double time = output_now();
    if (progress->quiet || (progress->shown > 0 && time - progress->shown < interval))
        return false;
    progress->shown = time;
    return true;
}

void output_progress_epoch(struct output_progress *progress, const graco_epoch *epoch)
{
    char text[32];
    struct fields fields = {0};
    bool last = epoch->epoch == epoch->epochs && !progress->brief;
    double pipe = progress->brief ? INTERVAL_PIPE_WITHIN : INTERVAL_PIPE;
    if (progress->live && !progress->elsewhere && live_read(progress->live) != GRACO_OK)
        output_failed(); /* an epoch that cannot be read is not drawn */
    if (!is_due(progress, last ? 0 : progress->terminal ? INTERVAL_TERMINAL : pipe))
        return;
    add_field(&fields, 0, "%sepoch %" PRId64 "/%" PRId64, progress->label, epoch->epoch,
              epoch->epochs);
    add_field(&fields, 2, "loss %.5f", epoch->loss);
    add_field(&fields, 4, "%.1f ms", 1e3 * epoch->seconds);
    add_field(&fields, 1, "%s left", output_time(text, epoch->seconds_left));
    if (!progress->elsewhere)
        add_field(&fields, 5, "%s", number_bytes(text, graco_peak_memory()));
    if (epoch->floored > 0)
        add_field(&fields, 3, "%" PRId64 " floored", epoch->floored);
    print_fields(progress, &fields);
}

/* Says once, when some seconds have shown how fast it goes, that a training is long. */
static void estimate(struct output_progress *progress, const graco_progress *step)
{
    char whole[32], less[32];
    if (progress->estimated || !(step->seconds_left >= 0))
        return;
    if (progress->known_from == 0)
        progress->known_from = step->seconds;
    if (step->seconds < progress->known_from + ESTIMATE_AFTER)
        return;
    progress->estimated = true;
    if (step->seconds_left < ESTIMATE_LONG)
        return;
    if (progress->live)
        live_remove(progress->live);
    output_progress_end(progress);
    const char *value = step->faster ? strchr(step->faster, '=') : NULL;
    output_note("%s%s: about %s%s%.*s%s%s%s%s", progress->label, progress->what,
                output_time(whole, step->seconds_left), value ? "; `--" : "",
                value ? (int)(value - step->faster) : 0, value ? step->faster : "",
                value ? " " : "", value ? value + 1 : "", value ? "` about " : "",
                value ? output_time(less, step->faster_seconds) : "");
}

void output_progress_step(struct output_progress *progress, const graco_progress *step)
{
    char text[32];
    struct fields fields = {0};
    if (progress->quiet)
        return;
    estimate(progress, step);
    if (!progress->terminal && output_now() - progress->begun < INTERVAL_PIPE_WITHIN)
        return;
    if (!is_due(progress, progress->terminal ? INTERVAL_TERMINAL : INTERVAL_PIPE_WITHIN))
        return;
    add_field(&fields, 0, "%sepoch %" PRId64 "/%" PRId64, progress->label, step->epoch,
              step->epochs);
    if (step->steps > 1)
        add_field(&fields, 3, "step %" PRId64 "/%" PRId64, step->step, step->steps);
    else
        add_field(&fields, 3, "%.0f%%", 100 * step->share);
    if (step->step > 0)
        add_field(&fields, 2, "loss %.5f", step->loss);
    add_field(&fields, 1, "%s left", output_time(text, step->seconds_left));
    add_field(&fields, 5, "%s", number_bytes(text, graco_peak_memory()));
    print_fields(progress, &fields);
}

void output_progress_tune(struct output_progress *progress, const graco_tune_progress *tune)
{
    char text[32];
    struct fields fields = {0};
    if (!is_due(progress, progress->terminal ? INTERVAL_TERMINAL : INTERVAL_PIPE))
        return;
    if (tune->trials > 0)
        add_field(&fields, 0, "trial %" PRId64 "/%" PRId64, tune->trials_done, tune->trials);
    else
        add_field(&fields, 0, "trial %" PRId64, tune->trials_done);
    if (tune->best_trial >= 0)
        add_field(&fields, 1, "best %" PRId64, tune->best_trial);
    if (tune->best_trial >= 0 && !isnan(tune->best_validation))
        add_field(&fields, 2, "validation %.2f", tune->best_validation);
    if (tune->best_trial >= 0 && !isnan(tune->best.modularity))
        add_field(&fields, 4, "modularity %.3f", tune->best.modularity);
    if (tune->best_trial >= 0 && !isnan(tune->best.columns))
        add_field(&fields, 5, "columns %.3f", tune->best.columns);
    if (tune->best_trial >= 0 && !isnan(tune->best.edges))
        add_field(&fields, 6, "edges %.3f", tune->best.edges);
    add_field(&fields, 3, "%s left", output_time(text, tune->seconds_left));
    print_fields(progress, &fields);
}

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

void output_progress_watch(graco_train_options *options, struct output_progress *progress)
{
    options->on_epoch = on_epoch;
    options->on_progress = on_progress;
    options->user = progress;
}

void output_progress_bytes(struct output_progress *progress, const char *label, int64_t done,
                           int64_t total, double rate)
{
    char part[32], whole[32];
    struct fields fields = {0};
    if (!progress->terminal || !is_due(progress, INTERVAL_TERMINAL))
        return;
    add_field(&fields, 0, "%s", label);
    if (total >= 0)
        add_field(&fields, 1, "%s of %s", number_bytes(part, done), number_bytes(whole, total));
    else
        add_field(&fields, 1, "%s", number_bytes(part, done));
    add_field(&fields, 2, "%s/s", number_bytes(part, (int64_t)rate));
    print_fields(progress, &fields);
}

void output_progress_end(struct output_progress *progress)
{
    if (progress->live)
        live_end(progress->live);
    if (progress->open)
        fputc('\n', stderr);
    progress->open = false;
}
