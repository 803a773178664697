/* Dense features out of nothing: noise around a mean per class, or, like averages of word vectors,
 * around a mixture of topics. */
#ifndef DATA_FEATURES_MAKE_H
#define DATA_FEATURES_MAKE_H

#include "data/dataset.h"

struct features_make {
    int64_t rows, cols, classes;
    const int32_t *label; /* (rows) class, or with topics community; -1: the mean is zero */
    double distance;      /* of a class's mean from the origin, in deviations of the noise */
    int64_t loud_every;   /* each loud_every-th column has no mean and louder noise; 0: none does */
    float loudness;       /* deviation of the noise in such columns; 1 elsewhere */
    int64_t topics;       /* 0: each class has a mean of its own, and the rest is not read */
    int64_t communities;  /* of each class: community b belongs to class b / communities */
    double spread;        /* of a community's mean from its class's, in the same unit */
    double interest;      /* of a node from its community's mean, without the noise */
    uint64_t seed;
};

/* Fills out->dense (rows, cols). Without topics entry (i, f) is +-distance / sqrt(cols), a sign per
 * class and column, plus bell-shaped noise.
 *
 * A topic is a direction, a sign per column. With topics, the mean of a class is a sum of them all,
 * each with a sign of the class's own; a community adds such a sum with signs of its own; and a
 * node adds eight topics at random. So the rows without noise span `topics` dimensions at most, and
 * columns depend on each other. Distance, spread and interest are lengths of random sums: right on
 * average only.
 *
 * The same bits on every machine. Costs half a Philox block per entry. On failure *out is empty. */
graco_status features_make(struct features *out, const struct features_make *options);

#endif
