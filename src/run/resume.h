/* Resuming: the model of a run folder, if it may continue what is asked for. */
#ifndef RUN_RESUME_H
#define RUN_RESUME_H

#include "data/dataset.h"
#include "layers/model.h"

/* What a training goes on with. */
struct resumed {
    const struct graco_config *config;
    const struct graco_dataset *given; /* the caller's data set */
    const struct graco_dataset *data;  /* the same with the features that the training reads */
    const char *checkpoint;            /* its path */
};

/* Reads the checkpoint, with the settings that are wanted now. GRACO_ERROR_ARGUMENT names what differs from
 * those that it was trained with, or from its data. The caller frees *out. */
graco_status resume_model(struct graco_model **out, const struct resumed *r);

/* A checkpoint must stand at a step that the epochs of this data, of so many steps, have. */
graco_status resume_check_place(const struct graco_model *model, const struct resumed *r,
                                int64_t steps);

#endif
