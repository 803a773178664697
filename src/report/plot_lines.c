/* Lines over one axis. Bands are drawn first, lines over them, marks on top; where a number is
 * missing the line breaks. A line of steps goes across first, then up or down. */
#include "report/plot.h"

#include "report/plot_axes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 420, PLOT_HEIGHT = 210, LEFT = 56, RIGHT = 14, HEAD = 22, FOOT = 44 };

static const char *const DASHES[] = {NULL, "7 4", "2 4", "9 3 2 3"};

static const char *dash_of(int64_t series)
{
    return DASHES[series % 4];
}

static void series_sign(struct text *out, const void *plot, int64_t index, const double at[2])
{
    svg_series_begin(out, index);
    svg_path_begin(out, "line", dash_of(index));
    svg_path_to(out, 'M', at[0] - 10, at[1]);
    svg_path_to(out, 'L', at[0] + 10, at[1]);
    svg_path_end(out);
    if (((const struct plot_lines *)plot)->marks)
        svg_mark(out, index, at[0], at[1], NULL);
    svg_series_end(out);
}

/* Whether point i has all its numbers. */
static bool whole(const struct plot_series *s, int64_t i, bool band)
{
    return !isnan(s->x[i]) && !isnan(s->y[i]) &&
           (!band || (!isnan(s->low[i]) && !isnan(s->high[i])));
}

/* A series without a point has no place in the legend. */
static const char *series_name(const void *plot, int64_t index)
{
    const struct plot_series *s = &((const struct plot_lines *)plot)->series[index];
    for (int64_t i = 0; i < s->count; i++)
        if (whole(s, i, false))
            return s->label;
    return NULL;
}

static void draw_band(struct text *out, const struct plot_frame *frame, const struct plot_series *s)
{
    if (!s->low || !s->high)
        return;
    for (int64_t i = 0; i < s->count; i++) {
        int64_t end = i;
        while (end < s->count && whole(s, end, true))
            end++;
        if (end < i + 2) /* a band has a length */
            continue;
        svg_path_begin(out, "band", NULL);
        for (int64_t k = i; k < end; k++)
            svg_path_to(out, k == i ? 'M' : 'L', plot_x(frame, s->x[k]), plot_y(frame, s->high[k]));
        for (int64_t k = end - 1; k >= i; k--)
            svg_path_to(out, 'L', plot_x(frame, s->x[k]), plot_y(frame, s->low[k]));
        svg_path_end(out);
        i = end;
    }
}

/* Draws to point i from the one before it. */
static void line_to(struct text *out, const struct plot_frame *frame, const struct plot_series *s,
                    int64_t i, bool steps)
{
    double x = plot_x(frame, s->x[i]), y = plot_y(frame, s->y[i]);
    if (steps && s->x[i] != s->x[i - 1])
        svg_path_to(out, 'L', x, plot_y(frame, s->y[i - 1]));
    if (!steps || s->y[i] != s->y[i - 1])
        svg_path_to(out, 'L', x, y);
}

static void draw_line(struct text *out, const struct plot_frame *frame, const struct plot_series *s,
                      const char *dash, bool steps)
{
    svg_path_begin(out, "line", dash);
    for (int64_t i = 0; i < s->count; i++) {
        if (!whole(s, i, false))
            continue;
        if (i > 0 && whole(s, i - 1, false))
            line_to(out, frame, s, i, steps);
        else
            svg_path_to(out, 'M', plot_x(frame, s->x[i]), plot_y(frame, s->y[i]));
    }
    svg_path_end(out);
}

static void draw_marks(struct text *out, const struct plot_frame *frame,
                       const struct plot_series *s, int64_t shape)
{
    for (int64_t i = 0; i < s->count; i++) {
        char name[PLOT_NAME], x[PLOT_NUMBER], y[PLOT_NUMBER], error[PLOT_NUMBER] = "";
        char words[PLOT_NAME + 4 * PLOT_NUMBER];
        if (!whole(s, i, false))
            continue;
        plot_name(name, s->label, 28);
        plot_number(x, s->x[i], 2);
        plot_number(y, s->y[i], 2);
        if (s->high && !isnan(s->high[i]))
            plot_number(error, s->high[i] - s->y[i], 2);
        snprintf(words, sizeof words, "%s at %s: %s%s%s", name, x, y, *error ? " \xC2\xB1 " : "",
                 error);
        svg_mark(out, shape, plot_x(frame, s->x[i]), plot_y(frame, s->y[i]), words);
    }
}

static void measure(struct plot_frame *frame, const struct plot_lines *plot)
{
    struct plot_range x = plot_range_empty(), y = plot_range_empty();
    for (int64_t i = 0; i < plot->series_count; i++) {
        const struct plot_series *s = &plot->series[i];
        for (int64_t k = 0; k < s->count; k++) {
            plot_range_add(&x, s->x[k]);
            plot_range_add(&y, s->y[k]);
            plot_range_add(&y, s->low ? s->low[k] : NAN);
            plot_range_add(&y, s->high ? s->high[k] : NAN);
        }
    }
    for (int64_t k = 0; k < plot->x_tick_count; k++)
        plot_range_add(&x, plot->x_ticks[k]);
    frame->x = plot_range_pad(x, plot->marks ? 0.04 : 0);
    frame->y = plot_range_pad(y, 0.07);
}

void plot_lines(struct text *out, const struct svg_head *head, const struct plot_lines *plot)
{
    struct plot_legend legend = {.count = plot->series_count > 1 ? plot->series_count : 0,
                                 .name = series_name,
                                 .sign = series_sign,
                                 .plot = plot,
                                 .left = LEFT - 4,
                                 .top = HEAD + 16,
                                 .width = WIDTH - LEFT - RIGHT};
    double top = HEAD + 6 + (legend.count > 0 ? plot_legend(NULL, &legend) : 0);
    struct plot_frame frame = {
        .left = LEFT, .top = top, .width = WIDTH - LEFT - RIGHT, .height = PLOT_HEIGHT};
    char title[PLOT_NAME];
    measure(&frame, plot);
    svg_begin(out, head, WIDTH, top + PLOT_HEIGHT + FOOT);
    plot_name(title, head->title, 48);
    svg_words(out, "name", LEFT, 15, title);
    plot_axes(out, &frame,
              &(struct plot_axes){.x_label = plot->x_label,
                                  .y_label = plot->y_label,
                                  .x_ticks = plot->x_ticks,
                                  .x_tick_count = plot->x_tick_count});
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = plot->series_count - 1; i >= 0; i--) {
            svg_series_begin(out, i);
            if (pass == 0)
                draw_band(out, &frame, &plot->series[i]);
            else
                draw_line(out, &frame, &plot->series[i], dash_of(i), plot->steps);
            if (pass == 1 && plot->marks)
                draw_marks(out, &frame, &plot->series[i], i);
            svg_series_end(out);
        }
    if (legend.count > 0)
        plot_legend(out, &legend);
    svg_end(out);
}

void plot_lines_about(struct text *out, const struct plot_lines *plot)
{
    for (int64_t i = 0; i < plot->series_count; i++) {
        const struct plot_series *s = &plot->series[i];
        int64_t first = 0, last = s->count - 1;
        while (first < s->count && isnan(s->y[first]))
            first++;
        while (last >= 0 && isnan(s->y[last]))
            last--;
        text_add(out, i > 0 ? " " : "");
        text_add(out, s->label);
        if (first > last)
            text_add(out, " has no number.");
        else
            text_print(out, " goes from %.4g at %g to %.4g at %g.", s->y[first], s->x[first],
                       s->y[last], s->x[last]);
    }
}
