/* Plots: functions from numbers to a picture of SVG. Every plot of every page is drawn here.
 *
 * Numbers that are NaN are missing, and left out. Titles, labels and names may be any words; they
 * are escaped. A plot without numbers is an empty frame. What a plot shows by colour it also shows
 * by shape, place or words. */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "report/svg.h"

/* ---- Lines with bands ------------------------------------------------------------------------ */

struct plot_series {
    const char *label;
    int64_t count;
    const double *x, *y;      /* (count) */
    const double *low, *high; /* (count) of the band, or NULL: there is none */
};

struct plot_lines {
    const char *x_label, *y_label;
    int64_t series_count;
    const struct plot_series *series;
    bool marks;            /* a sign at every point, with its numbers under the mouse */
    bool steps;            /* y holds until the next point */
    const double *x_ticks; /* (x_tick_count), or NULL: round numbers */
    int64_t x_tick_count;
};

void plot_lines(struct text *out, const struct svg_head *head, const struct plot_lines *plot);

/* What each line does from its first number to its last, as a sentence each. */
void plot_lines_about(struct text *out, const struct plot_lines *plot);

/* ---- Heat map -------------------------------------------------------------------------------- */

/* Cells from dark (low) to bright (high), each with its number, and the highest in a frame. */
struct plot_heat {
    const char *x_label, *y_label, *value_label;
    int64_t columns, rows;
    const double *x, *y;      /* (columns), (rows): what the cells stand for */
    const double *values;     /* (rows, columns); row 0 is the lowest in the picture */
    const char *const *words; /* (rows, columns) of each cell, for the mouse; or NULL */
};

void plot_heat(struct text *out, const struct svg_head *head, const struct plot_heat *plot);

/* The lowest and the highest value, and where that is, as a sentence. */
void plot_heat_about(struct text *out, const struct plot_heat *plot);

/* ---- Confusion of classes -------------------------------------------------------------------- */

/* Of the nodes of each class, a row, the share that was taken for each class, a column: rows add up
 * to 100 %. Rows have names, columns numbers. */
enum { PLOT_CLASSES = 64 }; /* more cells than this squared are too small to be seen */

struct plot_confusion {
    int64_t classes;          /* at most PLOT_CLASSES */
    const int64_t *counts;    /* (classes, classes): truth by prediction */
    const int32_t *numbers;   /* (classes) */
    const char *const *names; /* (classes) or NULL: "class NUMBER" */
};

void plot_confusion(struct text *out, const struct svg_head *head,
                    const struct plot_confusion *plot);

/* ---- Points by class ------------------------------------------------------------------------- */

/* With x_names, x is the number of one of them, and classes stand beside each other there. The names stand
 * below the axis or, where they have no room, in the legend. Classes without a point are not in it. */
enum { PLOT_X_NAMES = 32 }; /* at most */

struct plot_scatter {
    const char *x_label, *y_label;
    int64_t count, classes;
    const double *x, *y;            /* (count) */
    const int32_t *class_of;        /* (count) */
    const char *const *class_names; /* (classes) */
    bool measured; /* its axes have numbers, and classes are named in the legend alone */
    const char *const *x_names; /* (x_name_count), or NULL */
    int64_t x_name_count;
};

void plot_scatter(struct text *out, const struct svg_head *head, const struct plot_scatter *plot);

#endif
