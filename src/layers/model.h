/* The model: a method's configuration and parameters. It knows neither a graph nor a device. */
#ifndef LAYERS_MODEL_H
#define LAYERS_MODEL_H

#include "config/config.h"
#include "layers/parameters.h"

struct method;

/* What the steps of an epoch came to so far. */
struct epoch_sums {
    int64_t steps;  /* 0: the model stands between two epochs, and the rest is 0 too */
    int64_t weight; /* of these steps; schedule_weight at the epoch's end */
    double loss, mutual_information; /* shares in the epoch's means */
    int64_t floored;
    double seconds;
};

struct graco_model {
    const struct method *method;
    struct graco_config config;
    int64_t cols;           /* features of a node */
    int64_t epoch;          /* epochs trained so far */
    int64_t step;           /* steps of the optimiser so far: the random counter */
    struct epoch_sums sums; /* of the epoch under way */
    struct parameters parameters;
};

#endif
