/* Rows of features that go from the ranks that read them to those that train on them. */
#ifndef DATA_MOVED_ROWS_H
#define DATA_MOVED_ROWS_H

#include "data/dataset.h"
#include "graph/shard.h"

/* Fills *out, which the caller clears, with the rows of this rank's own nodes of `to`, dense or sparse as X
 * is, where X has those of its own nodes of `from`, and node i of `to` is node nodes[i] of `from`. All ranks
 * call it. Beside *out some megabytes are in use at a time. O(nodes + own rows). */
graco_status features_move(struct features *out, const struct features *X, const struct shard *from,
                           const struct shard *to, const int32_t *nodes);

#endif
