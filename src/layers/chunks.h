/* Running in chunks: exact inference over all neighbours, layer by layer.
 *
 * A layer goes over the rows twice. In the sending sweep it gets as far as pass_propagate, which leaves
 * H W of the chunk's rows in `sent`; what follows sees NULL and does nothing. In the receiving sweep
 * pass_propagate sums `sent` over the neighbours of the chunk's rows, and the layer goes on to its end.
 * So beside the result there are two matrices of one row per node and buffers of one chunk, and
 * features that are mapped from a file are read in order. Over ranks each has chunks of its own rows, and
 * between the sweeps they exchange what was sent: a row's sum has the terms of one process in its order. */
#ifndef LAYERS_CHUNKS_H
#define LAYERS_CHUNKS_H

#include "layers/pass.h"

enum { CHUNK_ROWS = 8192 };

struct chunks {
    struct context *context;
    int64_t nodes, first, rows; /* of the chunk at hand */
    bool sending;
    float *sent; /* (sources of the graph, widest layer): over ranks, rows of others come last */
    int64_t sent_cols;
    float *H; /* (nodes, widest layer) what the layer before gave, or the sum of all */
    int64_t layer;
    struct sparse_map map;    /* the chunk's rows of M */
    struct segments segments; /* the sources of the chunk's rows, counted from its first */
    int64_t *start; /* (CHUNK_ROWS + 1) these starts on the host, if they were asked for */
};

/* What the operations of pass.h do in chunks. */
struct tensor *chunks_propagate(struct pass *pass, struct tensor *H, struct tensor *W,
                                const struct ending *end);
struct tensor *chunks_add_product(struct pass *pass, struct tensor *H, struct tensor *W,
                                  struct tensor *Y);
struct tensor *chunks_product(struct pass *pass, struct tensor *H, struct tensor *W);
struct tensor *chunks_send(struct pass *pass, struct tensor *H, struct tensor *W,
                           const struct ending *end);
const struct segments *chunks_segments(struct pass *pass);

#endif
