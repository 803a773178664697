/* Stopping without labels: the cost of a method that has neither a validation nor a loss that tells when
 * to stop, from the structure of its embeddings. */
#ifndef TRAIN_STOPPING_H
#define TRAIN_STOPPING_H

#include "eval/hidden.h"
#include "methods/method.h"

/* Epochs between two looks at the embeddings: a look costs as much as many epochs of a small graph. */
enum { STOPPING_EVERY = 50 };

/* What embeddings of a training are asked for, from the first look on; starts zeroed. */
struct stopping {
    struct hidden hidden;
};

void stopping_clear(struct stopping *stopping);

/* GRACO_ERROR_ARGUMENT if the structure cannot judge a training with this configuration on this data
 * set: one without edges and features, or one that must not see all of the graph. */
graco_status stopping_check(const struct graco_config *config, const struct graco_dataset *given);

/* Bytes of the host that looks take beside the embedding: kept from the first one on, while things are hidden, and
 * while embeddings are measured. For plans. */
struct stopping_room {
    int64_t kept, hiding, measuring;
};

struct stopping_room stopping_room(const struct graco_config *config,
                                   const struct graco_dataset *given);

/* The cost of the model's parameters, which are on the host: minus the score of its embeddings' structure
 * (eval/structure.h), which do not see what is hidden. So a training that was resumed computes the same. `given` is
 * the data set, `data` the same with made features. */
graco_status stopping_cost(double *cost, struct stopping *stopping, const struct graco_model *model,
                           const struct graco_dataset *given, const struct graco_dataset *data);

#endif
