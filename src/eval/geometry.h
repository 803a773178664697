/* The shape of embeddings, measured without labels: how many directions they use, whether linked
 * nodes lie close to each other, and whether all nodes together fill the sphere. docs/evaluation.md
 * has the formulas. */
#ifndef EVAL_GEOMETRY_H
#define EVAL_GEOMETRY_H

#include "graph/graph.h"

/* Nodes whose pairs uniformity looks at, and columns that a spectrum may have: its time grows with
 * their cube. */
enum { GEOMETRY_NODES = 3000, GEOMETRY_COLUMNS = 4096 };

/* The singular values of Z (rows, cols), falling: `singular` has room for cols, the last of which
 * are 0 where there are fewer rows. They are roots of eigenvalues of Z'Z, so what is below 1e-7 of
 * the first is rounding. GRACO_ERROR_ARGUMENT for more than GEOMETRY_COLUMNS. O(rows cols^2 +
 * cols^3). */
graco_status geometry_spectrum(double *singular, const graco_matrix *Z, int threads);

/* How many directions matter (Roy and Vetterli): exp(-sum p_i log p_i), p_i = s_i / sum of s. 1 ..
 * count; 0 if all are 0. */
double geometry_effective_rank(const double *singular, int64_t count);

/* Alignment (Wang and Isola) with the edges as positive pairs: the mean of |u_i - u_j|^2 over the
 * edges, u the rows of Z scaled to length one. 0: linked nodes coincide; 2: they are as far apart
 * as random ones. Rows of zeros stay zeros, weights of edges do not count. NaN without edges.
 * O(edges cols). */
graco_status geometry_alignment(double *mean, const graco_matrix *Z, const struct graph *graph,
                                int threads);

/* Uniformity (Wang and Isola): the log of the mean of exp(-2 |u_i - u_j|^2) over all pairs of
 * `*nodes` nodes: of all, or of GEOMETRY_NODES evenly spaced ones. 0: all coincide; about -4:
 * random directions. NaN for one node. */
graco_status geometry_uniformity(double *value, int64_t *nodes, const graco_matrix *Z, int threads);

#endif
