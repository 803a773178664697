/* What embeddings consist of: what an encoder learned, a node's own features and its neighbourhood's, each
 * centred and scaled to length one.                                                          docs/math.md
 *
 *     Z = [unit(c(Z_learned)) ; unit(c(P X)) ; unit(c(S^2 P X)) ; unit(c(M P X))] / sqrt(blocks) . map
 *
 * P are the leading principal components of the features X, S = D^-1/2 (A + I) D^-1/2, and
 * M = alpha I + (1 - alpha) / 16 sum of S, S^2, ..., S^16. The means that c takes away, P and the map to fewer
 * columns are found at the end of a training, from what it may see, and belong to its model.
 *
 * All of it runs on the host, with the same bits for any number of threads. Rows are joined block by block:
 * memory grows by two parts of a graph, and never by all. */
#ifndef LAYERS_PARTS_H
#define LAYERS_PARTS_H

#include "data/components.h"

#include <stdbool.h>

struct context;
struct graph;

enum { PARTS_BLOCKS = 4 };

/* Owned by a model; empty until they are found. */
struct parts {
    struct components components;
    float *mean; /* (joined) of every column of the blocks; NULL: nothing was found yet */
    float *map;  /* (joined, columns) NULL: blocks are kept whole */
};

/* One of the blocks, and its columns among those that are joined. */
struct parts_block {
    const char *name;
    int64_t first, cols;
};

/* The blocks of a model's embeddings, in their order; returns how many. */
int parts_list(struct parts_block blocks[PARTS_BLOCKS], const graco_model *model);

/* Columns of all blocks; whether embeddings are what was learned, as it is. */
int64_t parts_joined(const graco_model *model);
bool parts_none(const graco_model *model);

/* A graph, its features as the training reads them, and what the model's encoder gives. */
struct parts_source {
    struct context *context; /* the CPU's */
    const struct graph *graph;
    const struct features *X;
    const float *learned; /* (nodes, the model's width) */
};

/* Finds model->parts from all rows of a source. */
graco_status parts_find(graco_model *model, const struct parts_source *source);

/* Z (nodes, the model's columns). */
graco_status parts_join(float *Z, const graco_model *model, const struct parts_source *source);

/* Bytes of the host that either takes at most, beside the source and Z. */
int64_t parts_bytes(const graco_model *model, int64_t nodes);

void parts_clear(struct parts *parts);

#endif
