/* Stopping without labels: the cost of a method that has neither a validation nor a loss that tells when
 * to stop, from the structure of its embeddings. */
#ifndef TRAIN_STOPPING_H
#define TRAIN_STOPPING_H

#include "methods/method.h"

/* Epochs between two looks at the embeddings: a look costs as much as many epochs of a small graph. */
enum { STOPPING_EVERY = 50 };

/* What the costs of a training are measured against; starts zeroed. Owns its matrix. */
struct stopping {
    graco_matrix smooth;   /* the smoothed features of the data set */
    graco_structure first; /* of the encoder with its first weights */
    bool known;            /* both are */
};

void stopping_clear(struct stopping *stopping);

/* GRACO_ERROR_ARGUMENT if the structure cannot judge a training with this configuration on this data
 * set: one without edges and features, or one that must not see all of the graph. */
graco_status stopping_check(const struct graco_config *config, const struct graco_dataset *given);

/* Bytes of the host that looks take beside the embedding: kept from the first one on, while features are smoothed, and
 * while embeddings are clustered. For plans. */
struct stopping_room {
    int64_t kept, smoothing, clustering;
};

struct stopping_room stopping_room(const struct graco_config *config,
                                   const struct graco_dataset *given);

/* The cost of the model's parameters, which are on the host: with modularity a and share explained b of its
 * embeddings (eval/structure.h), and a0 and b0 those of the first weights,
 *
 *     cost = -(a / max(|a0|, 0.01) + b / max(|b0|, 0.01)) / 2
 *
 * or one of the terms where the data set has no edges or no features; what a regression predicts has no part. So
 * both count alike, and a training that was resumed computes the same. `given` is the data set, `data` the same
 * with made features. */
graco_status stopping_cost(double *cost, struct stopping *stopping, const struct graco_model *model,
                           const struct graco_dataset *given, const struct graco_dataset *data);

#endif
