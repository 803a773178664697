/* Groups of nodes that a data set has without labels, and how well embeddings tell them.
 *
 * Labels are read off embeddings by a linear classifier that saw a tenth of them. So the question is asked of
 * groups that stand in for labels: clusters of the smoothed features, which are alike in what their
 * neighbourhoods say, and clusters of the graph, which are near each other. Unlike clusters of the embeddings
 * themselves, they ask what all of their columns hold together: embeddings that lost something to few columns
 * or few directions tell less of them, however well they fall apart. */
#ifndef EVAL_GROUPS_H
#define EVAL_GROUPS_H

#include "data/dataset.h"

/* The groups of each kind, the kinds, and the most nodes that a regression learns from and is asked about. */
enum { GROUPS_COUNT = 20, GROUPS_KINDS = 2, GROUPS_LEARNT = 2048, GROUPS_ASKED = 16384 };

/* Owns its arrays. */
struct groups {
    int64_t nodes;
    int kinds; /* that the data set has: none without edges and features that differ */
    int32_t *group[GROUPS_KINDS]; /* (nodes) 0 .. GROUPS_COUNT - 1 */
};

/* The groups of a data set: spherical k-means of the rows of S, its smoothed features (eval/smooth.h), where
 * these differ, and of signals smoothed over its graph, where there are edges. The same for any number of
 * threads. O((nodes + edges) * 128), and two k-means. */
graco_status groups_make(struct groups *out, const graco_matrix *S, const graco_dataset *data,
                         int threads);

/* The share of nodes whose group a ridge regression of `rows` (nodes, cols) tells, the mean over the kinds.
 *
 *     W = argmin |Y - 1 m' - (X - 1 x') W|^2 + ridge |W|^2     X, Y: the rows and the groups, as 0 and 1, of a random
 *                                                              tenth of the nodes; x, m: their means
 *     predicted: the largest of m + W'(row - x) is that of the node's group
 *
 * over the other nodes, at most GROUPS_ASKED of them. ridge is a hundredth of the mean square of the columns of
 * X - 1 x'. 0 .. 1; NaN where there are no groups, or fewer than two nodes. O(m d min(m, d)) for m rows of d columns
 * that it learns from. The same for any number of threads. */
graco_status groups_predicted(double *share, const struct groups *groups, const graco_matrix *rows,
                              int threads);

void groups_clear(struct groups *groups);

#endif
