/* Items in parts: two ways to part them, compared; and whether rows lie nearer to their own part than to others. */
#ifndef EVAL_PARTITION_H
#define EVAL_PARTITION_H

#include "base/status.h"

/* As scikit-learn has them:
 *
 *     nmi        I(A; B) / ((H(A) + H(B)) / 2); 1 if both ways are one part
 *     ari        the Rand index, less what chance gives, over its largest value less that; 1 if A = B
 *     accuracy   the share of items in matched parts, each part of A matched with at most one of B so
 *                that it is largest (Kuhn and Munkres)  */
struct partition_scores {
    double nmi, ari, accuracy;
};

/* a and b (count): parts 0 .. a_parts - 1 and 0 .. b_parts - 1; items whose a or b is negative do not count,
 * and at least one must. With more than PARTITION_MATCHED parts of either the accuracy is NaN: its time is cubic in
 * them. O(count log count + parts^3), the latter up to that many. */
enum { PARTITION_MATCHED = 1024 };
graco_status partition_compare(struct partition_scores *out, int64_t count, const int32_t *a,
                               int64_t a_parts, const int32_t *b, int64_t b_parts);

/* ---- One way to part rows ---------------------------------------------------------------------- */

enum { SILHOUETTE_ROWS = 3000 };

/* The mean of (b - a) / max(a, b) over rows, with a the mean distance to the other rows of a row's own
 * cluster and b that to the rows of the nearest other cluster; 0 for a row that is a cluster by itself. Of
 * more than SILHOUETTE_ROWS rows so many are drawn, and the others are as if they were not there. NaN for
 * fewer than 2 clusters, or as many as rows. O(rows^2 cols) for the rows drawn. */
graco_status silhouette_measure(double *mean, const graco_matrix *X, const int32_t *cluster,
                                int64_t clusters, uint64_t seed, int threads);

#endif
