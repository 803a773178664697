/* The features as a training, and whoever embeds with its model, reads them. */
#ifndef TRAIN_PREPARE_H
#define TRAIN_PREPARE_H

#include "config/config.h"
#include "data/dataset.h"
#include "layers/model.h"

struct prepared {
    struct features copy;     /* owned; empty where the data set's own features serve */
    const struct features *X; /* the copy or the data set's own */
};

/* Scales the features as the configuration says, a share `contaminate` of their entries zeroed first. */
graco_status prepare_features(struct prepared *out, const struct graco_dataset *data,
                              const struct graco_config *config, double contaminate);

/* Lets a new model's method find what it does not learn, in the features that a training on `data` sees. */
graco_status prepare_model(struct graco_model *model, const struct graco_dataset *data);

#endif
