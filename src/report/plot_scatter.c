/* Points of a map, a path for each class: a line of no length with round ends is a dot, and takes
 * a fifth of a circle's bytes. Each class has its name at its middle, or, where the class is what
 * the plot measures against, below the axis, so that colours need not be told apart. */
#include "report/plot.h"

#include "report/plot_axes.h"
#include "report/theme.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 420, PLOT_HEIGHT = 340, LEFT = 26, RIGHT = PLOT_MARGIN, HEAD = 28, FOOT = 32 };
enum { MEASURED_LEFT = 58, MEASURED_FOOT = 46 }; /* room for the numbers of the axes */
enum { NAMED_MAX = 16 };                         /* classes that have their names on the map */
enum { LABEL_HEIGHT = 14 };
enum { FEW = 200 }; /* points up to which each can be large: they hardly cover one another */

static const char *class_name(const void *plot, int64_t index)
{
    return ((const struct plot_scatter *)plot)->class_names[index];
}

/* The second eight classes have the first ones' colours, but squares. */
static const char *dots_of(int64_t class, bool large)
{
    bool round = class / THEME_SERIES % 2 == 0;
    if (large)
        return round ? "dots large" : "dots squares large";
    return round ? "dots" : "dots squares";
}

static void class_sign(struct text *out, const void *plot, int64_t index, const double at[2])
{
    (void)plot;
    svg_series_begin(out, index);
    svg_path_begin(out, dots_of(index, true), NULL);
    svg_path_to(out, 'M', at[0] + 6, at[1]);
    text_add(out, "h0");
    svg_path_end(out);
    svg_series_end(out);
}

static bool is_point(const struct plot_scatter *plot, int64_t i)
{
    return !isnan(plot->x[i]) && !isnan(plot->y[i]);
}

static void draw_class(struct text *out, const struct plot_frame *frame,
                       const struct plot_scatter *plot, int64_t class)
{
    svg_series_begin(out, class);
    svg_path_begin(out, dots_of(class, plot->count <= FEW), NULL);
    for (int64_t i = 0; i < plot->count; i++)
        if (plot->class_of[i] == class && is_point(plot, i)) {
            svg_path_to(out, 'M', plot_x(frame, plot->x[i]), plot_y(frame, plot->y[i]));
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

/* Whether the names of all classes have room side by side below the axis. */
static bool names_fit(const struct plot_scatter *plot, double width)
{
    bool fit = plot->classes <= PLOT_TICKS;
    for (int64_t c = 0; c < plot->classes; c++)
        fit = fit && svg_width(plot->class_names[c]) + 6 <= width / (double)plot->classes;
    return fit;
}

void plot_scatter(struct text *out, const struct svg_head *head, const struct plot_scatter *plot)
{
    static const double numbers[PLOT_TICKS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    struct plot_range x = plot_range_empty(), y = plot_range_empty();
    double left = plot->measured ? MEASURED_LEFT : LEFT;
    double foot = plot->measured ? MEASURED_FOOT : FOOT;
    struct plot_legend legend = {.count = plot->classes,
                                 .name = class_name,
                                 .sign = class_sign,
                                 .plot = plot,
                                 .left = left - 6,
                                 .top = HEAD + PLOT_HEIGHT + foot + 8,
                                 .width = WIDTH - left - RIGHT};
    struct plot_frame frame = {
        .left = left, .top = HEAD, .width = WIDTH - left - RIGHT, .height = PLOT_HEIGHT};
    bool below = plot->by_class && names_fit(plot, frame.width);
    struct label labels[NAMED_MAX];
    char title[PLOT_NAME];
    for (int64_t i = 0; i < plot->count; i++)
        if (is_point(plot, i)) {
            plot_range_add(&x, plot->x[i]);
            plot_range_add(&y, plot->y[i]);
        }
    frame.x =
        below ? (struct plot_range){-0.5, (double)plot->classes - 0.5} : plot_range_pad(x, 0.04);
    frame.y = plot_range_pad(y, 0.04);
    legend.count = below ? 0 : plot->classes;
    svg_begin(out, head, WIDTH, legend.top + plot_legend(NULL, &legend) - 10);
    plot_name(title, head->title, 48);
    svg_words(out, "name", left, 15, title);
    plot_axes(out, &frame,
              &(struct plot_axes){.x_label = plot->x_label,
                                  .y_label = plot->y_label,
                                  .x_ticks = numbers,
                                  .x_tick_count = below ? plot->classes : 0,
                                  .x_names = below ? plot->class_names : NULL,
                                  .bare = !plot->measured});
    for (int64_t c = 0; c < plot->classes; c++)
        draw_class(out, &frame, plot, c);
    for (int64_t c = 0; c < plot->classes && plot->classes <= NAMED_MAX && !plot->measured; c++)
        name_class(out, &frame, plot, c, labels);
    plot_legend(out, &legend);
    svg_end(out);
}
