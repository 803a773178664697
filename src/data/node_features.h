/* Features made from the graph alone, for data sets that have none or whose own are not wanted. */
#ifndef DATA_NODE_FEATURES_H
#define DATA_NODE_FEATURES_H

#include "data/dataset.h"

enum node_features {
    NODE_FEATURES_AUTO,     /* the data set's own; spectral where it has none */
    NODE_FEATURES_GIVEN,    /* the data set's own */
    NODE_FEATURES_DEGREE,   /* degrees, and those of neighbours: for any graph */
    NODE_FEATURES_SPECTRAL, /* data/spectral.h */
    NODE_FEATURES_LEARNED, /* the identity: row i of the first layer's weights is node i's vector */
    NODE_FEATURES_WALK,    /* node2vec's vectors, which data/ cannot make */
};

/* Columns of DEGREE, with d the edges into a node:
 *
 *     0 .. 2     log(1 + d), the same of the edges out of it, and of the weights of those into it
 *     3 .. 6     mean, deviation, least and most of log(1 + d) over the sources of those edges, 0 without
 *     7          1
 *     8 .. 23    1 in the column of the node's size: 8 + min(15, floor(2 log2(1 + d))) */
enum { DEGREE_SIZES = 16, DEGREE_COLS = 8 + DEGREE_SIZES };

/* Makes DEGREE, SPECTRAL or LEARNED, (nodes, cols); the caller clears them. The same bits for any number
 * of threads. On failure *out is empty. */
graco_status node_features_make(struct features *out, enum node_features kind,
                                const struct graph *graph, int threads);

/* Scales the rows of X (rows, cols) to length one; rows of zeros stay. */
void node_features_unit(float *X, int64_t rows, int64_t cols);

#endif
