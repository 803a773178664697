/* The first line of an edge list: whether it is a header, and which columns are the ends and the weights. */
#ifndef IO_TABLES_TABLE_HEAD_H
#define IO_TABLES_TABLE_HEAD_H

#include "io/tables/scan.h"
#include "io/tables/table.h"

/* More columns are taken for no table: what is kept of each would be more than its bytes. */
enum { TABLE_COLUMNS = 1 << 16 };

/* Fills header, columns, order, weighted, left_out and reading of `edges`. `scan` stands before the first
 * line, and afterwards before the first edge. Reads all lines once where the first may be a header by what it
 * holds. */
graco_status table_head_find(struct table_edges *edges, struct scan *scan,
                             const struct table_options *options);

/* Fails if the first line was taken for a header by its looks and a node has one of the names that it has above
 * the ends. */
graco_status table_head_check(const struct table_edges *edges, const char *file);

/* Whether a field has attributes of an edge, as networkx writes them unless it is told not to: "{}". */
bool table_is_attributes(struct scan_field field);

#endif
