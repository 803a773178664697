/* Ranks must begin alike. Each reads its files and its settings by itself, and where these differ all would
 * go on with parts of different trainings: with wrong numbers, or rows that are not there. */
#ifndef TRAIN_RANKS_ALIKE_H
#define TRAIN_RANKS_ALIKE_H

#include "comm/comm.h"
#include "layers/model.h"

/* Compares the version of graco and the settings with those of rank 0, before ranks do anything together that
 * depends on them; `device` and `threads` are each rank's own. All ranks fail with the message of the first that
 * differs: GRACO_ERROR_ARGUMENT. A few messages. */
graco_status ranks_alike_settings(struct comm *comm, const struct graco_config *config);

/* The same, before the first step, for the fingerprint and the order of the data, and the place and parameters
 * of the model. One pass over the parameters. */
graco_status ranks_alike(struct comm *comm, const struct graco_model *model,
                         const struct graco_dataset *data);

#endif
