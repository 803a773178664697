/* Parts of a data set: which nodes belong to a split or to a graph, and their rows. */
#ifndef DATA_SUBSET_H
#define DATA_SUBSET_H

#include "data/dataset.h"

/* SUBSET_ALL in place of a split or a graph: any. */
enum { SUBSET_ALL = -1 };

/* The ascending list of the nodes with split == `split` that belong to graph `graph`; the caller
 * owns *nodes, which has *count of them and may be empty. A data set without a split has all its
 * nodes in split 0; one without graph ids has the single graph 0. O(nodes of that graph).
 * GRACO_ERROR_ARGUMENT if there is no such split (0 .. 3) or graph. */
graco_status subset_nodes(int32_t **nodes, int64_t *count, const struct graco_dataset *data,
                          int split, int64_t graph);

/* The ascending list of the nodes with split <= `part`, of all graphs; the data set has a split. */
graco_status subset_upto(int32_t **nodes, int64_t *count, const struct graco_dataset *data,
                         int part);

/* Fills *out with the rows nodes[0 .. count) of X, dense or sparse as X is; the caller owns it. */
graco_status subset_features(struct features *out, const struct features *X, const int32_t *nodes,
                             int64_t count);

#endif
