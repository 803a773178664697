/* The model: a method's configuration and parameters. It knows neither a graph nor a device. */
#ifndef LAYERS_MODEL_H
#define LAYERS_MODEL_H

#include "config/config.h"
#include "layers/parameters.h"

struct method;

struct graco_model {
    const struct method *method;
    struct graco_config config;
    int64_t cols;                        /* features of a node */
    int64_t epoch;                       /* epochs trained so far */
    int64_t step;                        /* steps of the optimiser so far: the random counter */
    char fingerprint[GRACO_FINGERPRINT]; /* of the data that it was trained on; "": not known */
    struct parameters parameters;
};

#endif
