/* Ranks that read a folder together, each its rows alone: own features, and the edges that touch own
 * nodes. What has a number or a name for each node, labels say, every rank reads whole. */
#ifndef DATA_READ_ROWS_H
#define DATA_READ_ROWS_H

#include "data/dataset.h"
#include "data/readers.h"

/* Whether the files of a source can be read so. */
bool rows_possible(const struct source *source);

/* Whether a source is read so: several ranks ask for it, and the files of each allow it. All ranks call it once
 * for a data set, whatever each has found under its name. */
graco_status rows_can(bool *out, const struct source *source);

/* Fills nodes, edges, features and shard of `parts`. All ranks call it. */
graco_status rows_read(struct dataset_parts *parts, const struct source *source);

/* Fills what is known of the whole in the shard of a finished data set. All ranks call it. */
graco_status rows_describe(struct graco_dataset *data);

#endif
