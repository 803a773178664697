/* Frames on a terminal. A frame is one write: the cursor goes up to the first row, every row is written
 * over the old one, and what stood beyond it is erased. So nothing flickers. The cursor is never hidden
 * and no mode is changed: a program that ends at any moment leaves the terminal as it was. */
#include "live.h"
#include "base/utf8.h"

#include "plot_text.h"
#include "stop.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Rows that are never drawn on: the line of words, and one so that the prompt above stays in sight. */
enum { OTHER_ROWS = 2, CURVES = 2 };

/* The program was continued after Ctrl-Z: the shell has written where the frame was. */
static volatile sig_atomic_t continued;

static void on_continue(int number)
{
    (void)number;
    continued = 1;
}

void live_size(int *cols, int *rows)
{
    struct winsize size = {0};
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
    *cols = known && size.ws_col >= 2 ? size.ws_col : 80;
    *rows = known && size.ws_row >= 1 ? size.ws_row : 24;
}

/* Whether the locale has UTF-8, by its name: the machine need not know the locale itself. */
static bool has_utf8(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *name = NULL;
    for (int i = 0; i < 3 && (!name || !*name); i++)
        name = getenv(variables[i]);
    for (; name && *name; name++)
        if (strncasecmp(name, "utf-8", 5) == 0 || strncasecmp(name, "utf8", 4) == 0)
            return true;
    return false;
}

/* Whether the terminal breaks long lines anew when it becomes narrower, as most do. */
static bool breaks_lines(void)
{
    static const char *const others[] = {"linux", "rxvt", "screen", "vt"};
    const char *kind = getenv("TERM");
    if (getenv("XTERM_VERSION"))
        return false;
    for (int i = 0; kind && i < 4 && !getenv("TMUX"); i++)
        if (strncmp(kind, others[i], strlen(others[i])) == 0)
            return false;
    return true;
}

/* Rows from the first of the frame to the cursor, which is at the end of its last. */
static int rows_up(const struct live *live, int cols)
{
    int rows = live->rows;
    for (int i = 0; i < live->rows && cols < live->cols && breaks_lines(); i++)
        rows += live->used[i] > cols ? (live->used[i] - 1) / cols : 0;
    return rows > 0 ? rows - 1 : 0;
}

/* All of it, not torn by a signal, whose answer is written too; nothing after that answer. */
static void write_all(const char *text, size_t length)
{
    sigset_t stops, before;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &stops, &before);
    length = stop_wanted ? 0 : length;
    while (length > 0) {
        ssize_t written = write(STDERR_FILENO, text, length);
        if (written < 0 && errno != EINTR)
            break;
        text += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The text of a frame, which the caller frees: `plot` has whole rows, or is "". */
static char *compose(struct live *live, const char *plot, const char *line, int cols)
{
    static const char erase[] = "\033[K\n";
    size_t size = strlen(plot) + (LIVE_PLOT_ROWS + 1) * sizeof erase + strlen(line) + 64;
    char *text = malloc(size), *at = text;
    int up = rows_up(live, cols), rows = 0;
    if (!text)
        return NULL;
    at += snprintf(at, size, up > 0 ? "\r\033[%dA" : "\r", up);
    for (const char *end; *plot; plot = end + 1) {
        end = strchr(plot, '\n');
        live->used[rows++] = (int)utf8_count(plot, (size_t)(end - plot));
        memcpy(at, plot, (size_t)(end - plot));
        at += end - plot;
        memcpy(at, erase, sizeof erase - 1);
        at += sizeof erase - 1;
    }
    live->used[rows++] = (int)utf8_count(line, strlen(line));
    live->rows = rows;
    live->cols = cols;
    snprintf(at, size - (size_t)(at - text), "%s\033[J", line);
    return text;
}

/* The plot for a terminal of this size, which the caller frees; "" where it is too small. */
static char *draw_plot(const struct live *live, int cols, int rows)
{
    const graco_curve *c = &live->curve;
    bool informed = c->count > 0 && c->information[c->count - 1] == c->information[c->count - 1];
    const struct plot_text_curve curves[CURVES] = {
        {"loss", c->epoch, c->loss, c->count},
        {"mutual information", c->epoch, c->information, c->count},
    };
    struct plot_text_area area = {.cols = cols - 1, .rows = rows - OTHER_ROWS, .utf8 = has_utf8()};
    area.rows = area.rows < LIVE_PLOT_ROWS ? area.rows : LIVE_PLOT_ROWS;
    if (area.rows < 1 || c->count == 0)
        return calloc(1, 1);
    return plot_text_draw(&area, curves, informed ? CURVES : 1);
}

graco_status live_read(struct live *live)
{
    return graco_run_curve(&live->curve, live->run, 0);
}

void live_draw(struct live *live, const char *line)
{
    struct sigaction action = {.sa_handler = on_continue, .sa_flags = SA_RESTART};
    int cols, height;
    live_size(&cols, &height);
    if (live->cols == 0) {
        sigemptyset(&action.sa_mask);
        sigaction(SIGCONT, &action, NULL);
    }
    if (continued)
        live->rows = 0;
    continued = 0;
    if (live->rows > 0 && cols == live->cols && height == live->height &&
        live->drawn == live->curve.count && strcmp(line, live->line) == 0)
        return;
    char *plot = draw_plot(live, cols, height);
    char *text = plot ? compose(live, plot, line, cols) : NULL;
    if (text)
        write_all(text, strlen(text));
    free(plot);
    free(text);
    live->height = height;
    live->drawn = live->curve.count;
    if (line != live->line)
        snprintf(live->line, sizeof live->line, "%s", line);
}

void live_remove(struct live *live)
{
    char text[32];
    int cols, height;
    live_size(&cols, &height);
    int up = rows_up(live, cols);
    if (live->rows > 0)
        write_all(text, (size_t)snprintf(text, sizeof text,
                                         up > 0 ? "\r\033[%dA\033[J" : "\r\033[J", up));
    live->rows = 0;
}

void live_end(struct live *live)
{
    if (live->rows > 0) {
        live_draw(live, live->line);
        write_all("\n", 1);
    }
    live->rows = 0;
}
