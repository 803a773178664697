/* A layer of an encoder, as a table: adding one is a file layer_NAME.c and a row in
 * config/encoders.def. Its equation is written once, in the operations of pass.h, and so runs whole on
 * the tape or in chunks of rows without it. */
#ifndef LAYERS_LAYER_H
#define LAYERS_LAYER_H

#include "layers/pass.h"

struct layer_kind {
    enum view_norm norm; /* of the matrices M that it propagates by */
    bool wide; /* all layers but the last give 2 hidden columns, unless a method says else */

    /* Declares the parameters of all layers, with layer_declare and by itself. */
    void (*declare)(struct graco_model *model);

    /* Columns that the widest pass_send of a layer has; NULL: those of what layers give. */
    int64_t (*sends)(const struct graco_model *model);

    /* What layer k > 1 reads, for the rows that it reads; NULL: what the layer before gave. Of earlier
     * layers it may read the sum of pass->before alone: in chunks there is nothing else. */
    struct tensor *(*input)(struct pass *pass, int64_t k);

    /* What layer k gives, from what it reads; H is NULL where that is the features. */
    struct tensor *(*forward)(struct pass *pass, int64_t k, struct tensor *H);
};

#define ENCODER(name) extern const struct layer_kind layer_##name;
#include "config/encoders.def"
#undef ENCODER

/* The layers of unsupervised GraphSAGE, one kind for each aggregator. They have no name of their own
 * among the encoders: a method chooses one. */
extern const struct layer_kind layer_aggregate_gcn, layer_aggregate_mean, layer_aggregate_pool,
    layer_aggregate_lstm;

/* The equation that both GraphSAGE encoders share. */
struct tensor *layer_sage_forward(struct pass *pass, int64_t k, struct tensor *H);

/* Declares W_k (blocks * width read, width given) and b_k (1, width given) of every layer k. */
void layer_declare(struct graco_model *model, int64_t blocks);

/* Width of what layer k reads and of what it gives, k = 1 .. layers. */
int64_t layer_width_in(const struct graco_model *model, int64_t k);
int64_t layer_width(const struct graco_model *model, int64_t k);

#endif
