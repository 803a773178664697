/* Leading eigenvectors of a graph's normalised adjacency, as features of its nodes. */
#ifndef DATA_SPECTRAL_H
#define DATA_SPECTRAL_H

#include "graph/graph.h"

/* Chosen on Cora, see docs/math.md: more vectors tell of single small corners of a graph. */
enum { SPECTRAL_COMPONENTS = 32, SPECTRAL_VECTORS = 32 };
enum { SPECTRAL_COLS = SPECTRAL_COMPONENTS + SPECTRAL_VECTORS };

/* Fills X (nodes, SPECTRAL_COLS); rows of nodes without edges are zeros. With S = D^-1/2 W D^-1/2 and
 * W = (A + A') / 2 the eigenvectors of 1 are D^1/2 on one component and 0 elsewhere, as many as there are
 * components: the first columns are random sums of them. The others are the eigenvectors of the largest
 * other eigenvalues, each times its eigenvalue, its largest entry positive. The same bits for any number
 * of threads. Takes 89 products with S, of 48 columns each, and 600 bytes a node. */
graco_status spectral_features(float *X, const struct graph *graph, int threads);

#endif
