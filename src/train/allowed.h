/* Whether settings can train on a data set: what is known before any work is done. */
#ifndef TRAIN_ALLOWED_H
#define TRAIN_ALLOWED_H

#include "data/dataset.h"
#include "config/config.h"

struct comm;
struct method;

/* GRACO_ERROR_ARGUMENT names settings that the method does not take, alone or on this data set. Trainings, plans and
 * searches ask before they begin, so that all of them refuse the same. What depends on features that are yet to be
 * made is left to the training. */
graco_status allowed_check(const struct graco_config *config, const struct graco_dataset *given);

/* GRACO_ERROR_ARGUMENT names what does not train over ranks, in trainings and in plans; one process,
 * where comm is NULL, trains everything. */
graco_status allowed_check_ranks(const struct comm *comm, const struct graco_config *config,
                                 const struct method *method, const struct graco_dataset *given);

#endif
