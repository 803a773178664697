/* The structure of embeddings, measured without labels: do clusters of them follow the graph's edges, and do they
 * predict the columns and edges that were hidden from them?
 *
 * The same rows always get the same three numbers, and settings can be compared by them where no label is known.
 * docs/evaluation.md has the formulas. */
#ifndef EVAL_STRUCTURE_H
#define EVAL_STRUCTURE_H

#include "data/dataset.h"
#include "eval/hidden.h"
#include "eval/kmeans.h"

/* The clusters of modularity, and over how many clusterings it is a mean. */
enum { STRUCTURE_CLUSTERS = 10, STRUCTURE_REPEATS = 3 };

/* Newman's modularity of clusters (nodes) of a directed graph, or of one whose edges go both ways:
 *
 *     Q = sum over clusters c of W_cc / W - out_c in_c / W^2
 *
 * with W all weights, W_cc those of edges within c, out_c and in_c those of edges that leave and enter
 * nodes of c. Below 1; 0 if all is one cluster; NaN without edges. O(nodes + edges). */
graco_status structure_modularity(double *Q, const struct graph *graph, const int32_t *cluster,
                                  int64_t clusters);

/* Fills out (rows, cols) with the rows of Z as they are clustered: scaled to length one, less their mean,
 * scaled to length one again. Rows of zeros stay zeros in either scaling. */
void structure_centre(float *out, const graco_matrix *Z, int threads);

/* Measures embeddings Z (nodes, any) of hidden->seen; `threads` never change the result. GRACO_ERROR_NUMBER if Z is not finite. O(rounds of k-means * nodes * columns * 10), with some
 * hundred rounds, and what hidden_columns and hidden_edges take. */
graco_status structure_measure(graco_structure *out, const graco_matrix *Z,
                               const struct hidden *hidden, int threads);

/* The three numbers in one, the higher the better:
 *
 *     3 columns / (columns + 0.2) + (modularity + 2 edges - 1) / 2
 *
 * What is NaN is left out, of the mean too; NaN where all three are. docs/tune.md says how it was chosen. */
double structure_score(const graco_structure *structure);

#endif
