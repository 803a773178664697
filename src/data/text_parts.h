/* Parts of published data sets that are texts: lists of edges, JSON whose entries are nodes. */
#ifndef DATA_TEXT_PARTS_H
#define DATA_TEXT_PARTS_H

#include "data/dataset.h"
#include "data/members.h"
#include "io/tables/table.h"

struct json;

/* Fills the edges of `parts` from a table with two node numbers below parts->nodes on each line. */
graco_status part_edges(struct dataset_parts *parts, const struct members *members,
                        const char *name, const struct table_options *how);

/* Parses a part that is JSON. The caller frees *out. */
graco_status part_json(struct json **out, const struct members *members, const char *name);

/* The node that an entry of an object is for, by its key: a plain number from 0 to nodes - 1. As keys
 * do not repeat, an object with as many entries as there are nodes has one for each. */
graco_status part_node(int64_t *node, const struct json *entry, int64_t nodes);

#endif
