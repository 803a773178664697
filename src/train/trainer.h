/* The trainer: one model on one device, stepping over one graph. */
#ifndef TRAIN_TRAINER_H
#define TRAIN_TRAINER_H

#include "data/dataset.h"
#include "model/model.h"
#include "model/objective.h"

struct trainer {
    struct context *context;
    struct tape *tape;
    struct graco_model
        *model;               /* borrowed; its blocks are stepped in place where memory is shared */
    struct features prepared; /* a copy of the features, empty where the data set's own serve */
    struct input *input;
    struct views *views;
    struct objective objective;
    float *value, *grad, *m, *v; /* the parameters' blocks on the device */
};

/* Prepares features, views and buffers. Borrows model and data set. */
graco_status trainer_create(struct trainer **out, const struct backend *backend,
                            struct graco_model *model, const struct graco_dataset *data);
void trainer_free(struct trainer *trainer);

/* Draws the views of epoch model->epoch, computes loss and gradients, and steps; results are in
 * trainer->objective. GRACO_ERROR_NUMBER, and no step, if the loss is not finite. */
graco_status trainer_step(struct trainer *trainer);

/* The same on views and draws that the caller has set: forward, backward and Adam. */
graco_status trainer_gradient(struct trainer *trainer, const struct pass *pass);
graco_status trainer_update(struct trainer *trainer);

/* Brings the parameters and Adam's state back into the model's blocks. */
graco_status trainer_download(struct trainer *trainer);

#endif
