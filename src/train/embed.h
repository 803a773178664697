/* Embedding of a data set by a model; see graco_model_embed. */
#ifndef TRAIN_EMBED_H
#define TRAIN_EMBED_H

#include "layers/model.h"

/* The same with a share of the feature entries zeroed first, as in a training with `contaminate`.
 */
graco_status embed_dataset(graco_matrix *Z, const struct graco_model *model,
                           const struct graco_dataset *data, const graco_embed_options *options,
                           double contaminate);

#endif
