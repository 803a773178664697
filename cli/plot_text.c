/* Curves drawn with characters. Panels write into one grid of code points, which becomes text at the end.
 * A curve is drawn in dots, several to a character: each column of dots gets the whole range of values that
 * fall into it, so that no spike is lost however many epochs share a column. */
#include "plot_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE_BY_SIDE = 36, /* columns that a panel needs beside another */
    BELOW = 5,         /* rows that a panel needs below another */
    GAP = 3,           /* columns between panels */
    LABELLED_COLS = 18,
    LABEL_SIZE = 32,
    BAR = 0x2502,     /* the vertical line of box drawing */
    BRAILLE = 0x2800, /* the character without dots; each dot is a bit */
    UTF8_MOST = 4,    /* bytes of a character, newline included */
};

struct grid {
    int cols, rows;
    bool utf8;
    uint32_t *cell; /* (rows, cols) */
};

/* Part of a grid. */
struct panel {
    struct grid *grid;
    int row, col, rows, cols;
};

struct range {
    double low, high; /* low > high: nothing is in it */
};

static void put(const struct panel *panel, int row, int col, const char *text)
{
    for (; *text && col < panel->cols; text++, col++)
        if (col >= 0)
            panel->grid->cell[(panel->row + row) * panel->grid->cols + panel->col + col] =
                (unsigned char)*text;
}

/* ---- Dots ------------------------------------------------------------------------------------ */

static int dots_across(const struct panel *panel)
{
    return panel->cols * (panel->grid->utf8 ? 2 : 1);
}

static int dots_down(const struct panel *panel)
{
    return panel->rows * (panel->grid->utf8 ? 4 : 2);
}

static void put_dot(const struct panel *panel, int x, int y)
{
    static const unsigned char bits[4][2] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int width = panel->grid->utf8 ? 2 : 1, height = panel->grid->utf8 ? 4 : 2;
    uint32_t *cell =
        &panel->grid->cell[(panel->row + y / height) * panel->grid->cols + panel->col + x / width];
    if (panel->grid->utf8)
        *cell = (*cell >= BRAILLE ? *cell : BRAILLE) | bits[y % 4][x % 2];
    else
        *cell = *cell == ' ' ? (y % 2 ? '.' : '\'') : *cell == (y % 2 ? '.' : '\'') ? *cell : ':';
}

static void put_line(const struct panel *panel, int x0, int y0, int x1, int y1)
{
    int steps = abs(y1 - y0) > x1 - x0 ? abs(y1 - y0) : x1 - x0;
    for (int i = 0; i <= steps; i++)
        put_dot(panel, x0 + (int)lround((double)i * (x1 - x0) / (steps ? steps : 1)),
                y0 + (int)lround((double)i * (y1 - y0) / (steps ? steps : 1)));
}

/* Where a value is among `dots`; in the middle if the range is one value. Halves, because the range of
 * two doubles need not be one. */
static int to_dot(double value, struct range range, int dots)
{
    double wide = range.high / 2 - range.low / 2;
    return wide > 0 ? (int)lround((value / 2 - range.low / 2) / wide * (dots - 1)) : (dots - 1) / 2;
}

/* Draws the curve, a column of dots at a time. */
static void draw_curve(const struct panel *panel, const struct plot_text_curve *curve,
                       struct range xs, struct range ys)
{
    int column = -1, last = 0, low = 0, high = 0; /* column < 0: behind a gap */
    for (int64_t i = 0; i < curve->count; i++) {
        bool gap = !isfinite(curve->y[i]);
        int x = gap ? -1 : xs.low < xs.high ? to_dot(curve->x[i], xs, dots_across(panel)) : 0;
        int y = gap ? 0 : dots_down(panel) - 1 - to_dot(curve->y[i], ys, dots_down(panel));
        if (column >= 0 && x != column)
            put_line(panel, column, low, column, high);
        if (column >= 0 && x > column)
            put_line(panel, column, last, x, y);
        low = x == column && low < y ? low : y;
        high = x == column && high > y ? high : y;
        column = x;
        last = y;
    }
    if (column >= 0)
        put_line(panel, column, low, column, high);
}

/* ---- Panels ---------------------------------------------------------------------------------- */

/* The range of what is drawn: x of all points, y of those that are finite. */
static void find_ranges(struct range *xs, struct range *ys, const struct plot_text_curve *curve)
{
    *xs = *ys = (struct range){INFINITY, -INFINITY};
    if (curve->count > 0)
        *xs = (struct range){curve->x[0], curve->x[curve->count - 1]};
    for (int64_t i = 0; i < curve->count; i++)
        if (isfinite(curve->y[i])) {
            ys->low = fmin(ys->low, curve->y[i]);
            ys->high = fmax(ys->high, curve->y[i]);
        }
}

/* Writes the range of y at the left, where there is room, and gives up the columns that it takes. */
static void label_left(struct panel *panel, struct range ys)
{
    char high[LABEL_SIZE], low[LABEL_SIZE];
    if (panel->cols < LABELLED_COLS || ys.low > ys.high)
        return;
    snprintf(high, sizeof high, "%.5g", ys.high);
    snprintf(low, sizeof low, "%.5g", ys.low);
    int wide = (int)(strlen(high) > strlen(low) ? strlen(high) : strlen(low));
    bool one = strcmp(high, low) == 0 || panel->rows == 1;
    put(panel, one ? (panel->rows - 1) / 2 : 0, wide - (int)strlen(high), high);
    if (!one)
        put(panel, panel->rows - 1, wide - (int)strlen(low), low);
    for (int row = 0; row < panel->rows; row++)
        panel->grid->cell[(panel->row + row) * panel->grid->cols + panel->col + wide] =
            panel->grid->utf8 ? BAR : '|';
    panel->col += wide + 1;
    panel->cols -= wide + 1;
}

static void draw_panel(struct panel panel, const struct plot_text_curve *curve)
{
    struct range xs, ys;
    char text[LABEL_SIZE + 64], last[LABEL_SIZE];
    bool titled = panel.rows >= 3, below = panel.rows >= 4;
    find_ranges(&xs, &ys, curve);
    snprintf(text, sizeof text, "%.60s", curve->name);
    if (curve->count > 0)
        snprintf(text, sizeof text, "%.60s %.6g", curve->name, curve->y[curve->count - 1]);
    if (titled)
        put(&panel, 0, 0, text);
    panel.row += titled;
    panel.rows -= titled + below;
    label_left(&panel, ys);
    if (below && curve->count > 0) {
        snprintf(text, sizeof text, "%.10g", xs.low);
        snprintf(last, sizeof last, "%.10g", xs.high);
        put(&panel, panel.rows, 0, text);
        if (xs.low < xs.high && (int)(strlen(text) + strlen(last)) < panel.cols)
            put(&panel, panel.rows, panel.cols - (int)strlen(last), last);
    }
    if (ys.low <= ys.high)
        draw_curve(&panel, curve, xs, ys);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static char *write_utf8(char *at, uint32_t code)
{
    if (code < 0x80) {
        *at++ = (char)code;
        return at;
    }
    *at++ = (char)(0xe0 | code >> 12);
    *at++ = (char)(0x80 | (code >> 6 & 0x3f));
    *at++ = (char)(0x80 | (code & 0x3f));
    return at;
}

static char *to_text(const struct grid *grid)
{
    char *text = malloc((size_t)grid->rows * ((size_t)grid->cols + 1) * UTF8_MOST + 1), *at = text;
    for (int row = 0; text && row < grid->rows; row++) {
        int cols = grid->cols;
        while (cols > 0 && grid->cell[row * grid->cols + cols - 1] == ' ')
            cols--;
        for (int col = 0; col < cols; col++)
            at = write_utf8(at, grid->cell[row * grid->cols + col]);
        *at++ = '\n';
    }
    if (text)
        *at = '\0';
    return text;
}

char *plot_text_draw(const struct plot_text_area *area, const struct plot_text_curve *curves,
                     int count)
{
    struct grid grid = {.cols = area->cols, .rows = area->rows, .utf8 = area->utf8};
    size_t cells = (size_t)grid.cols * (size_t)grid.rows;
    bool beside = count > 1 && (grid.cols + GAP) / count - GAP >= SIDE_BY_SIDE;
    bool below = count > 1 && !beside && grid.rows / count >= BELOW;
    int across = beside ? count : 1, down = below ? count : 1;
    grid.cell = malloc(cells * sizeof *grid.cell);
    if (!grid.cell)
        return NULL;
    for (size_t i = 0; i < cells; i++)
        grid.cell[i] = ' ';
    for (int i = 0; i < across * down && i < count; i++) {
        int cols = (grid.cols + GAP) / across - GAP, rows = grid.rows / down;
        draw_panel((struct panel){.grid = &grid,
                                  .row = below ? i * rows : 0,
                                  .col = beside ? i * (cols + GAP) : 0,
                                  .rows = rows,
                                  .cols = cols},
                   &curves[i]);
    }
    char *text = to_text(&grid);
    free(grid.cell);
    return text;
}
