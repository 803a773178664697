/* The trainer: one model on one device, stepping over stages. */
#ifndef TRAIN_TRAINER_H
#define TRAIN_TRAINER_H

#include "train/stage.h"

struct trainer {
    struct context *context;
    struct tape *tape;
    struct graco_model *model;   /* borrowed; stepped in place where memory is shared */
    float *value, *grad, *m, *v; /* the parameters' blocks on the device */
    float *best;                 /* the same of the best epoch; NULL: none is kept */
    float *before;      /* the values before the last step, of which its loss speaks, or NULL */
    int64_t not_finite; /* the first float of the gradients that is not finite, or -1 */
};

/* Borrows the model. */
graco_status trainer_create(struct trainer **out, const struct backend *backend,
                            struct graco_model *model);
void trainer_free(struct trainer *trainer);

/* Draws what step model->step needs, computes loss and gradients, and steps; stage_outcome has what it
 * came to. GRACO_ERROR_NUMBER, and no step, if the loss or a gradient is not finite; the
 * message names the epoch and the tensor. GRACO_STOPPED, and no step, if the context's watch says so. */
graco_status trainer_step(struct trainer *trainer, struct stage *stage);

/* The second half of a step, once gradients are there: Adam. */
graco_status trainer_update(struct trainer *trainer);

/* The method's cost of the parameters as they are, on a stage. */
graco_status trainer_validate(double *cost, struct trainer *trainer, struct stage *stage);

/* Keeps the parameters that the last cost speaks of as the best: those before the last step, or, where
 * the method validates, those of now. */
graco_status trainer_keep_best(struct trainer *trainer);

/* The pass over a stage in step model->step. */
struct pass trainer_pass(const struct trainer *trainer, const struct stage *stage);

/* Brings the parameters, the best ones and Adam's state back into the model's blocks. */
graco_status trainer_download(struct trainer *trainer);

#endif
