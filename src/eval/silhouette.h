/* Whether rows lie nearer to their own cluster than to others. */
#ifndef EVAL_SILHOUETTE_H
#define EVAL_SILHOUETTE_H

#include "base/status.h"

enum { SILHOUETTE_ROWS = 3000 };

/* The mean of (b - a) / max(a, b) over rows, with a the mean distance to the other rows of a row's own
 * cluster and b that to the rows of the nearest other cluster; 0 for a row that is a cluster by itself. Of
 * more than SILHOUETTE_ROWS rows so many are drawn, and the others are as if they were not there. NaN for
 * fewer than 2 clusters, or as many as rows. O(rows^2 cols) for the rows drawn. */
graco_status silhouette_measure(double *mean, const graco_matrix *X, const int32_t *cluster,
                                int64_t clusters, uint64_t seed, int threads);

#endif
