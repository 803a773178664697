/* Features smoothed over the graph: what a node's neighbourhood says, where its own row says little.
 *
 * An encoder mixes the rows of neighbours, so embeddings that keep close to the features of a node
 * alone are no better for it; what clusters of embeddings should explain are the rows of its
 * neighbourhood. */
#ifndef EVAL_SMOOTH_H
#define EVAL_SMOOTH_H

#include "data/dataset.h"

/* Features with more columns are projected to so many: one Philox block has 128 signs. */
enum { SMOOTH_COLUMNS = 128 };

/* Makes the twice smoothed features, scaled to unit rows:
 *
 *     S = unit(A A unit(X) R),    A = D^-1/2 (weights + I) D^-1/2
 *
 * S (nodes, columns)   D: what the weights of the edges into a node add up to, and 1
 * R (cols, 128): signs that are always the same, for inner products stay about as they are. The identity
 * for at most 128 columns.
 *
 * A row of zeros stays one in either scaling. Without edges A is the identity; without features *S has no
 * rows. The caller clears *S. The same bits for any number of threads. O(entries * columns +
 * (nodes + edges) * columns), in memory for twice S and 128 bytes a feature. */
graco_status smooth_features(graco_matrix *S, const graco_dataset *data, int threads);

/* Makes signals of the graph alone, random signs that are smoothed four times and scaled to unit rows:
 *
 *     T = unit(A A A A R)
 *
 * T, R (nodes, 128), A as above. R: signs that are always the same for a node's number. Two rows have about
 * the cosine of what walks of four steps from the two nodes have in common, so near nodes have rows that are
 * alike. Without edges *T has no rows. The caller clears *T. The same bits for any number of threads. */
graco_status smooth_signals(graco_matrix *T, const graco_dataset *data, int threads);

#endif
