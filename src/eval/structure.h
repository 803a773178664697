/* The structure of embeddings, measured without labels: do clusters of them follow the graph's edges,
 * do they explain the features of the nodes' neighbourhoods, and do embeddings predict what groups nodes are in?
 *
 * This is asked of embeddings alone, so the same rows always get the same three numbers, and settings can
 * be compared by them where no label is known. docs/evaluation.md has the formulas. */
#ifndef EVAL_STRUCTURE_H
#define EVAL_STRUCTURE_H

#include "data/dataset.h"
#include "eval/groups.h"
#include "eval/kmeans.h"

/* The clusters of modularity, those of the features, and over how many clusterings each
 * number is a mean. */
enum { STRUCTURE_COMMUNITIES = 10, STRUCTURE_TOPICS = 20, STRUCTURE_REPEATS = 3 };

/* Newman's modularity of clusters (nodes) of a directed graph, or of one whose edges go both ways:
 *
 *     Q = sum over clusters c of W_cc / W - out_c in_c / W^2
 *
 * with W all weights, W_cc those of edges within c, out_c and in_c those of edges that leave and enter
 * nodes of c. Below 1; 0 if all is one cluster; NaN without edges. O(nodes + edges). */
graco_status structure_modularity(double *Q, const struct graph *graph, const int32_t *cluster,
                                  int64_t clusters);

/* The share of the energy of rows s_i that the means of clusters (nodes) have. S (nodes, cols) has rows of
 * length one, as smooth_features gives them, and rows of zeros, which are left out:
 *
 *     sum over clusters c of |sum of s_i over i in c|^2 / n_c, over the number of rows
 *
 * 0 .. 1, 1 if the rows of every cluster are alike; NaN if all are zeros. O((nodes + clusters) * cols). */
graco_status structure_explained(double *share, const graco_matrix *S, const int32_t *cluster,
                                 int64_t clusters, int threads);

/* Fills out (rows, cols) with the rows of Z as they are clustered: scaled to length one, less their mean,
 * scaled to length one again. Rows of zeros stay zeros in either scaling. */
void structure_centre(float *out, const graco_matrix *Z, int threads);

/* What embeddings of a data set are measured by, made once for many of them. */
struct structure_basis {
    const graco_matrix *smooth; /* its smoothed features (eval/smooth.h) */
    const struct groups
        *groups; /* of its nodes (eval/groups.h); NULL: nothing is predicted, which is NaN */
};

/* Measures embeddings Z (nodes, any) of `data`; `threads` never change the result. GRACO_ERROR_NUMBER if Z is not
 * finite. O(rounds of k-means * nodes * columns * 30), with some hundred rounds. */
graco_status structure_measure(graco_structure *out, const graco_matrix *Z,
                               const graco_dataset *data, struct structure_basis basis,
                               int threads);

#endif
