/* Dense features out of nothing: noise around a mean per class. */
#ifndef DATA_FEATURES_MAKE_H
#define DATA_FEATURES_MAKE_H

#include "data/dataset.h"

struct features_make {
    int64_t rows, cols, classes;
    const int32_t *label; /* (rows) -1: the mean is zero */
    double distance;      /* of a class's mean from the origin, in deviations of the noise */
    int64_t loud_every;   /* each loud_every-th column has no mean and louder noise; 0: none does */
    float loudness;       /* deviation of the noise in such columns; 1 elsewhere */
    uint64_t seed;
};

/* Fills out->dense (rows, cols). Entry (i, f) is +-distance / sqrt(cols), a sign per class and
 * column, plus bell-shaped noise. The same bits on every machine. Costs half a Philox block per
 * entry. On failure *out is empty. */
graco_status features_make(struct features *out, const struct features_make *options);

#endif
