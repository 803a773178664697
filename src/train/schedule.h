/* The schedule: which stages make up an epoch.
 *
 * Whole graphs come one per step, in an order that is shuffled anew each epoch; one graph is the
 * simplest case. Mini-batches come from the prefetcher, roots in a shuffled order, each with its
 * neighbourhood's features taken from the stock. With `inductive` only the training split exists:
 * nodes, features and edges of other splits are cut away before anything is drawn, and edge ids
 * number what is left. */
#ifndef TRAIN_SCHEDULE_H
#define TRAIN_SCHEDULE_H

#include "train/stage.h"

struct schedule;

/* Prepares features, graphs and buffers for training `model` on `data`, which allowed_check has let pass. Borrows all
 * three. */
graco_status schedule_create(struct schedule **out, struct context *context,
                             const struct graco_model *model, const struct graco_dataset *data);
void schedule_free(struct schedule *schedule);

/* Steps in one epoch. */
int64_t schedule_steps(const struct schedule *schedule);

/* What the weights of an epoch's stages add up to. */
int64_t schedule_weight(const struct schedule *schedule);

/* The stage of the next step, which is step model->step. Valid until the next call. */
graco_status schedule_next(struct schedule *schedule, struct stage **out);

/* A stage over all the data that a validation may see, also where a step sees a part of it: all nodes, or those of
 * the training and validation parts of an inductive training. */
graco_status schedule_whole(struct schedule *schedule, struct stage **out);

/* Seconds spent waiting for samples, and gathering features and building stages so far; a device
 * may still be working on the latter. */
struct schedule_times {
    double sample, gather;
};

struct schedule_times schedule_times(const struct schedule *schedule);

#endif
