/* Features in few columns, as a node has them, or smoothed over the graph: as its neighbourhood has them. */
#ifndef EVAL_SMOOTH_H
#define EVAL_SMOOTH_H

#include "data/dataset.h"

/* Features with more columns are projected to so many: one Philox block has 128 signs. */
enum { SMOOTH_COLUMNS = 128 };

/* Makes features smoothed so many times, scaled to unit rows; of two passes:
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
graco_status smooth_features(graco_matrix *S, const graco_dataset *data, int passes, int threads);

/* The columns of unit(X) of which `only` (cols) is 1, as Y (rows, columns): projected likewise, and not scaled. The
 * others are 0 where nothing is projected. O(entries * columns). The caller clears *Y. */
graco_status smooth_project(graco_matrix *Y, const struct features *X, const uint8_t *only,
                            int threads);

#endif
