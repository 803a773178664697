/* The equation that both GraphSAGE encoders share. */
#ifndef LAYERS_LAYER_SAGE_H
#define LAYERS_LAYER_SAGE_H

#include "layers/layer.h"

struct tensor *layer_sage_forward(struct pass *pass, int64_t k, struct tensor *H);

#endif
