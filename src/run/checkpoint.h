/* Checkpoints: model.safetensors holds everything that a training needs to go on to the same bits:
 * parameters under their names, Adam's moments under "adam_m.NAME" and "adam_v.NAME", the best
 * parameters so far, where a training keeps them, under "best.NAME", and as metadata the epoch and step
 * (the random counter), the best epoch and its cost, the sizes that the model is made for, the method,
 * every key that it reads and the fingerprint of the data. */
#ifndef RUN_CHECKPOINT_H
#define RUN_CHECKPOINT_H

#include "methods/method.h"

/* Writes atomically: `path` holds the old checkpoint or the new one, whatever happens.
 * GRACO_ERROR_NUMBER, and nothing written, if a tensor holds a number that is not finite. */
graco_status checkpoint_write(const struct graco_model *model, const char *path);

/* Reads a checkpoint; the caller owns *out. Tensors that are missing, of another shape or not
 * finite are GRACO_ERROR_FORMAT. */
graco_status checkpoint_read(struct graco_model **out, const char *path);

#endif
