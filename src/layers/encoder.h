/* The encoder: layers of one kind, one after the other. */
#ifndef LAYERS_ENCODER_H
#define LAYERS_ENCODER_H

#include "layers/layer.h"

/* The kind of layers that a configuration asks for. */
const struct layer_kind *encoder_kind(const struct graco_config *config);

/* Declares the parameters of all layers. */
void encoder_declare(struct graco_model *model);

/* H (views * nodes, hidden) of the whole graph, or of a mini-batch's roots; on the tape. */
struct tensor *encoder_run(struct pass *pass);

/* Z (nodes, hidden) on the host: every node over all its neighbours, in chunks. The pass has one view,
 * of a graph, and no gradients. */
graco_status encoder_embed(float *Z, struct pass *pass);

#endif
