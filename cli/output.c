/* Printing: stdout carries results, stderr everything else. A write that fails is noticed once, at the
 * end, and becomes the exit code. */
#include "output.h"
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Seconds between two lines of progress. */
#define INTERVAL_TERMINAL 0.1
#define INTERVAL_PIPE 5.0

static void print_line(const char *prefix, const char *format, va_list arguments)
{
    char text[4096];
    vsnprintf(text, sizeof text, format, arguments);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    fprintf(stderr, "%s%s\n", prefix, text);
}

void output_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("graco: ", format, arguments);
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

/* A failure of the command itself, not of the library; "": none. */
static char own[1024];

graco_status output_fail(graco_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(own, sizeof own, format, arguments);
    va_end(arguments);
    return status;
}

graco_status output_no_memory(const char *what)
{
    return output_fail(GRACO_ERROR_MEMORY, "out of memory for %s", what);
}

int output_failure(graco_status status)
{
    if (*own)
        output_error("%s", own);
    else
        output_error("%s%s%s", graco_message(), hint[0] ? "; " : "", hint);
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

int output_finish(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_FINE;
    output_error("the output could not be written: %s", strerror(errno));
    return EXIT_FAILED;
}

int output_json(struct writer *json)
{
    int code = EXIT_FAILED;
    if (writer_finish(json)) {
        fwrite(json->text, 1, json->length, stdout); /* output_finish looks whether it worked */
        code = output_finish();
    } else {
        output_error("no JSON could be made: memory ran out, or a name is not UTF-8");
    }
    writer_clear(json);
    return code;
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

const char *output_bytes(char text[32], int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;
    while (value >= 1024 && unit < 4) {
        value /= 1024;
        unit++;
    }
    snprintf(text, 32, unit && value < 10 ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return text;
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
    };
}

void output_progress_epoch(struct output_progress *progress, const graco_epoch *epoch)
{
    char left[32], memory[32];
    double time = output_now(), interval = progress->terminal ? INTERVAL_TERMINAL : INTERVAL_PIPE;
    bool last = epoch->epoch == epoch->epochs;
    if (progress->quiet || (!last && progress->shown > 0 && time - progress->shown < interval))
        return;
    progress->shown = time;
    fprintf(stderr, "%s%sepoch %" PRId64 "/%" PRId64 "  loss %.5f  %.1f ms  %s left  %s",
            progress->terminal ? "\r" : "", progress->label, epoch->epoch, epoch->epochs,
            epoch->loss, 1e3 * epoch->seconds, output_time(left, epoch->seconds_left),
            output_bytes(memory, graco_peak_memory()));
    if (epoch->floored > 0)
        fprintf(stderr, "  %" PRId64 " floored", epoch->floored);
    fputs(progress->terminal ? "\033[K" : "\n", stderr);
    fflush(stderr);
    progress->open = progress->terminal;
}

void output_progress_bytes(struct output_progress *progress, const char *label, int64_t done,
                           int64_t total, double rate)
{
    char part[32], whole[32], speed[32];
    double time = output_now();
    if (progress->quiet || !progress->terminal || time - progress->shown < INTERVAL_TERMINAL)
        return;
    progress->shown = time;
    fprintf(stderr, "\r%s  %s", label, output_bytes(part, done));
    if (total >= 0)
        fprintf(stderr, " of %s", output_bytes(whole, total));
    fprintf(stderr, "  %s/s\033[K", output_bytes(speed, (int64_t)rate));
    fflush(stderr);
    progress->open = true;
}

void output_progress_end(struct output_progress *progress)
{
    if (progress->open)
        fputc('\n', stderr);
    progress->open = false;
}
