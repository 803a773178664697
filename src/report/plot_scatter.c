/* Points of a map, a path for each class: a line of no length with round ends is a dot, and takes
 * a fifth of a circle's bytes. Each class has its name at its middle. Where the axes are measured,
 * names would lie on the points: classes differ in their shapes there, and stand beside each other
 * where x is a name. */
#include "report/plot.h"

#include "report/plot_axes.h"
#include "report/theme.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 420, PLOT_HEIGHT = 340, LEFT = 26, RIGHT = PLOT_MARGIN, HEAD = 28, FOOT = 32 };
enum { MEASURED_LEFT = 58, MEASURED_FOOT = 46 }; /* room for the numbers of the axes */
enum { NAMED_MAX = 16 };                         /* classes that have their names on the map */
enum { LABEL_HEIGHT = 14 };
enum { APART = 12 }; /* between points of two classes at one name */
enum { FEW = 200 };  /* points up to which each can be large: they hardly cover one another */

static bool is_point(const struct plot_scatter *plot, int64_t i)
{
    return !isnan(plot->x[i]) && !isnan(plot->y[i]);
}

static bool has_points(const struct plot_scatter *plot, int64_t class)
{
    for (int64_t i = 0; i < plot->count; i++)
        if (plot->class_of[i] == class && is_point(plot, i))
            return true;
    return false;
}

/* The legend's: classes, but for those without a point, then the names below the axis. */
static const char *legend_name(const void *of, int64_t index)
{
    const struct plot_scatter *plot = of;
    if (index >= plot->classes)
        return plot->x_names[index - plot->classes];
    return has_points(plot, index) ? plot->class_names[index] : NULL;
}

/* The second eight classes have the first ones' colours, but squares; of a few that are measured, every
 * second one has. */
static const char *dots_of(const struct plot_scatter *plot, int64_t class, bool large)
{
    bool round = (plot->measured ? class : class / THEME_SERIES) % 2 == 0;
    if (large)
        return round ? "dots large" : "dots squares large";
    return round ? "dots" : "dots squares";
}

static void class_sign(struct text *out, const struct plot_scatter *plot, int64_t class,
                       const double at[2])
{
    svg_series_begin(out, class);
    svg_path_begin(out, dots_of(plot, class, true), NULL);
    svg_path_to(out, 'M', at[0] + 6, at[1]);
    text_add(out, "h0");
    svg_path_end(out);
    svg_series_end(out);
}

static void legend_sign(struct text *out, const void *of, int64_t index, const double at[2])
{
    const struct plot_scatter *plot = of;
    char number[PLOT_NUMBER];
    if (index < plot->classes) {
        class_sign(out, plot, index, at);
        return;
    }
    plot_number(number, (double)(index - plot->classes + 1), 0);
    svg_words(out, "end", at[0] + 10, at[1] + 4, number);
}

/* How far the points of a class are moved across: those that share a name of the axis stand beside each
 * other, about the name. */
static double class_aside(const struct plot_frame *frame, const struct plot_scatter *plot,
                          int64_t class)
{
    int64_t before = 0, all = 0;
    if (!plot->x_names)
        return 0;
    for (int64_t c = 0; c < plot->classes; c++) {
        bool there = has_points(plot, c);
        all += there;
        before += there && c < class;
    }
    double apart = fmin(APART, frame->width / (double)(plot->x_name_count * (all + 1)));
    return apart * ((double)before - (double)(all - 1) / 2);
}

static void draw_class(struct text *out, const struct plot_frame *frame,
                       const struct plot_scatter *plot, int64_t class)
{
    double aside = class_aside(frame, plot, class);
    svg_series_begin(out, class);
    svg_path_begin(out, dots_of(plot, class, plot->count <= FEW), NULL);
    for (int64_t i = 0; i < plot->count; i++)
        if (plot->class_of[i] == class && is_point(plot, i)) {
            svg_path_to(out, 'M', plot_x(frame, plot->x[i]) + aside, plot_y(frame, plot->y[i]));
            text_add(out, "h0");
        }
    svg_path_end(out);
    svg_series_end(out);
}

/* A name on the map, centred at its place. */
struct label {
    double x, y, half; /* half: of its width */
};

/* Moves a label up and down from where it should be until it covers none of those placed before
 * it. */
static void place_label(struct label *label, const struct label *placed, int64_t count)
{
    double begin = label->y;
    for (int step = 1; step <= 2 * NAMED_MAX; step++) {
        bool free = true;
        for (int64_t i = 0; i < count; i++)
            free = free && (fabs(label->x - placed[i].x) > label->half + placed[i].half ||
                            fabs(label->y - placed[i].y) >= LABEL_HEIGHT);
        if (free)
            return;
        label->y = begin + (step % 2 == 1 ? 1 : -1) * ((step + 1) / 2) * LABEL_HEIGHT;
    }
}

static void name_class(struct text *out, const struct plot_frame *frame,
                       const struct plot_scatter *plot, int64_t class, struct label *labels)
{
    double x = 0, y = 0;
    int64_t count = 0;
    char name[PLOT_NAME];
    for (int64_t i = 0; i < plot->count; i++)
        if (plot->class_of[i] == class && is_point(plot, i)) {
            x += plot_x(frame, plot->x[i]);
            y += plot_y(frame, plot->y[i]);
            count++;
        }
    if (count == 0) {
        labels[class] = (struct label){-WIDTH, 0, 0}; /* covers nothing */
        return;
    }
    plot_name(name, plot->class_names[class], 14);
    labels[class] = (struct label){x / (double)count, y / (double)count, svg_width(name) / 2};
    place_label(&labels[class], labels, class);
    svg_words(out, "middle halo", labels[class].x, labels[class].y + 4, name);
}

/* Whether all names of x have room side by side below the axis. */
static bool names_fit(const struct plot_scatter *plot, double width)
{
    bool fit = true;
    for (int64_t n = 0; n < plot->x_name_count; n++)
        fit = fit && svg_width(plot->x_names[n]) + 6 <= width / (double)plot->x_name_count;
    return fit;
}

static void measure(struct plot_frame *frame, const struct plot_scatter *plot)
{
    struct plot_range x = plot_range_empty(), y = plot_range_empty();
    for (int64_t i = 0; i < plot->count; i++)
        if (is_point(plot, i)) {
            plot_range_add(&x, plot->x[i]);
            plot_range_add(&y, plot->y[i]);
        }
    frame->x = plot_range_pad(x, 0.04);
    frame->y = plot_range_pad(y, 0.04);
    if (plot->x_names)
        frame->x = (struct plot_range){-0.5, (double)plot->x_name_count - 0.5};
}

/* Names of x stand below the axis; where they have no room, their numbers from 1 do. */
static void draw_axes(struct text *out, const struct plot_frame *frame,
                      const struct plot_scatter *plot, bool fit)
{
    double ticks[PLOT_X_NAMES];
    char number[PLOT_X_NAMES][PLOT_NUMBER];
    const char *words[PLOT_X_NAMES];
    for (int64_t n = 0; n < plot->x_name_count; n++) {
        ticks[n] = (double)n;
        plot_number(number[n], (double)(n + 1), 0);
        words[n] = fit ? plot->x_names[n] : number[n];
    }
    plot_axes(out, frame,
              &(struct plot_axes){.x_label = plot->x_label,
                                  .y_label = plot->y_label,
                                  .x_ticks = ticks,
                                  .x_tick_count = plot->x_name_count,
                                  .x_names = words,
                                  .bare = !plot->measured});
}

void plot_scatter(struct text *out, const struct svg_head *head, const struct plot_scatter *plot)
{
    double left = plot->measured ? MEASURED_LEFT : LEFT;
    double foot = plot->measured ? MEASURED_FOOT : FOOT;
    struct plot_frame frame = {
        .left = left, .top = HEAD, .width = WIDTH - left - RIGHT, .height = PLOT_HEIGHT};
    bool fit = names_fit(plot, frame.width);
    struct plot_legend legend = {.count = plot->classes + (fit ? 0 : plot->x_name_count),
                                 .name = legend_name,
                                 .sign = legend_sign,
                                 .plot = plot,
                                 .left = left - 6,
                                 .top = HEAD + PLOT_HEIGHT + foot + 8,
                                 .width = WIDTH - left - RIGHT};
    struct label labels[NAMED_MAX];
    char title[PLOT_NAME];
    measure(&frame, plot);
    svg_begin(out, head, WIDTH, legend.top + plot_legend(NULL, &legend) - 10);
    plot_name(title, head->title, 48);
    svg_words(out, "name", left, 15, title);
    draw_axes(out, &frame, plot, fit);
    for (int64_t c = 0; c < plot->classes; c++)
        draw_class(out, &frame, plot, c);
    for (int64_t c = 0; c < plot->classes && plot->classes <= NAMED_MAX && !plot->measured; c++)
        name_class(out, &frame, plot, c, labels);
    plot_legend(out, &legend);
    svg_end(out);
}
