/* Several trainings' curves as one: the mean at each point, and a band from the lowest to the highest. */
#ifndef REPORT_BAND_H
#define REPORT_BAND_H

#include "report/document.h"

struct band {
    int64_t points, found; /* found: points with a number */
    double *x, *mean;      /* (points); NaN where no training has a number */
    double *low, *high;    /* (points); NaN where fewer than two have one */
    struct band_sum *sum;  /* (points) */
};

/* Zeroes, for band_clear to free. */
graco_status band_create(struct band *band, int64_t points);

/* A number of the training under way; those that it has at one point are averaged. NaN is none. */
void band_add(struct band *band, int64_t point, double x, double y);

/* The training is over. */
void band_next(struct band *band);

/* All are. */
void band_finish(struct band *band);

void band_clear(struct band *band);

/* The values of a training by epoch. */
struct band_curve {
    int64_t count;
    const double *epoch, *value; /* (count) */
};

/* Draws curves of one title as a line with a band, without those that have other epochs than the first. `plot` has the
 * name, the index, the title, and in `about` a word for the values that stands behind it. */
graco_status band_draw(struct document *document, const struct document_plot *plot,
                       const char *y_label, const struct band_curve *curves, int64_t count);

#endif
