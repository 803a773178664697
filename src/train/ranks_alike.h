/* Ranks must begin alike. Each reads its files and its settings by itself, and where these differ all would
 * go on with parts of different trainings: with wrong numbers, or rows that are not there. */
#ifndef TRAIN_RANKS_ALIKE_H
#define TRAIN_RANKS_ALIKE_H

#include "comm/comm.h"
#include "layers/model.h"

/* Compares, before the first step, the version of graco, the settings, the fingerprint and the order of the
 * data, and the place and parameters of the model with those of rank 0; `device` and `threads` are each rank's own. All
 * ranks fail with the message of the first that differs: GRACO_ERROR_ARGUMENT. A few messages, and one pass
 * over the parameters. */
graco_status ranks_alike(struct comm *comm, const struct graco_model *model,
                         const struct graco_dataset *data);

#endif
