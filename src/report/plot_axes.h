/* What plots with two axes of numbers share: a frame, round ticks, a legend. */
#ifndef REPORT_PLOT_AXES_H
#define REPORT_PLOT_AXES_H

#include "report/svg.h"

enum { PLOT_TICKS = 12, PLOT_MARGIN = 10 /* to the right of a frame, at least */ };

/* The range of some numbers; empty while low > high. */
struct plot_range {
    double low, high;
};

struct plot_range plot_range_empty(void);
void plot_range_add(struct plot_range *range, double x); /* NaN adds nothing */

/* The range with a share of its length more at both ends; one that is empty or of one number gets
 * a length. */
struct plot_range plot_range_pad(struct plot_range range, double share);

/* Multiples of 1, 2 or 5 times a power of ten within a range: at most `most`, and at most
 * PLOT_TICKS. */
struct plot_ticks {
    int64_t count;
    double at[PLOT_TICKS];
    int decimals; /* that tell them apart */
};

struct plot_ticks plot_ticks(struct plot_range range, int64_t most);

/* Where the plot lies in its picture, and which numbers its borders are. */
struct plot_frame {
    double left, top, width, height;
    struct plot_range x, y;
};

double plot_x(const struct plot_frame *frame, double x);
double plot_y(const struct plot_frame *frame, double y);

/* Axes with ticks and labels, and a grid of horizontal lines. No x_ticks: round numbers. */
struct plot_axes {
    const char *x_label, *y_label;
    const double *x_ticks;
    int64_t x_tick_count;
    const char *const *x_names; /* (x_tick_count) words at the ticks, or NULL: their numbers */
    bool bare;                  /* no ticks: the numbers mean nothing by themselves */
};

void plot_axes(struct text *out, const struct plot_frame *frame, const struct plot_axes *axes);

/* A number as words, with so many decimals and a true minus sign. */
enum { PLOT_NUMBER = 48 };
void plot_number(char words[PLOT_NUMBER], double number, int decimals);

/* Words of at most `most` characters: longer ones are cut and end in an ellipsis. */
enum { PLOT_NAME = 160 };
void plot_name(char out[PLOT_NAME], const char *words, int64_t most);

/* The colour at a share of the scale of heat maps, 0 to 1, and whether dark letters can be read on
 * it. */
bool plot_colour(char colour[8], double share);
enum { PLOT_CELL_NUMBER = 26 }; /* a cell of this width holds "71.2" */

/* Names in rows that fit the width, each behind a sign that `sign` draws. Returns how high they
 * are; without `out` it only measures. */
struct plot_legend {
    int64_t count;
    const char *(*name)(const void *plot, int64_t index); /* NULL: it is left out */
    void (*sign)(struct text *out, const void *plot, int64_t index, const double at[2]);
    const void *plot;
    double left, top, width;
};

double plot_legend(struct text *out, const struct plot_legend *legend);

#endif
