/* The layers of unsupervised GraphSAGE, one kind for each aggregator. They have no name of their own
 * among the encoders: a method chooses one. */
#ifndef LAYERS_LAYER_AGGREGATE_H
#define LAYERS_LAYER_AGGREGATE_H

#include "layers/layer.h"

extern const struct layer_kind layer_aggregate_gcn, layer_aggregate_mean, layer_aggregate_pool,
    layer_aggregate_lstm;

#endif
