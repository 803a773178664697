/* k-means: rows into so many clusters, by Lloyd's algorithm from centres that k-means++ draws.
 *
 *     plain       least sum of |x_i - c|^2, a centre being the mean of its rows
 *     spherical   the same with centres of length one, for rows of length one or 0; of the latter, which
 *                 lie in no direction, the cost is 0 */
#ifndef EVAL_KMEANS_H
#define EVAL_KMEANS_H

#include "graco_more.h"

struct kmeans_options {
    int64_t clusters; /* at least 1; more than there are rows become as many */
    int64_t starts;   /* at least 1: the best of so many is kept, the first among equals */
    bool spherical;
    uint64_t seed;
    int threads; /* never changes the result */
};

/* Owns its arrays. */
struct kmeans {
    int64_t clusters, rows, cols;
    int32_t *cluster; /* (rows) 0 .. clusters - 1 */
    int64_t *size; /* (clusters) rows of each; 0 where fewer rows differ than there are clusters */
    float *centre; /* (clusters, cols) */
    double cost;   /* the sum above */
};

/* X (rows, cols) has at least one row, and finite numbers. A cluster that loses its last row gets the
 * row farthest from its own centre, unless every row lies at its centre. A row as near to two centres
 * goes to the first.
 * O(starts * rounds * rows * cols * clusters), at most KMEANS_ROUNDS rounds. */
enum { KMEANS_ROUNDS = 100 };
graco_status kmeans_fit(struct kmeans *out, const graco_matrix *X,
                        const struct kmeans_options *options);

/* The clusters of embeddings: plain k-means of X, the rows of Z at length one; rows of zeros stay. The caller clears X, also
 * on failure (clusters.c). */
graco_status clusters_find(struct kmeans *out, graco_matrix *X, const graco_matrix *Z,
                           const graco_cluster_options *options);

void kmeans_clear(struct kmeans *kmeans);

#endif
