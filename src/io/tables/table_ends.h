/* Which columns of a table of edges are their ends: what graco_table_ends asks, for a first line that may or
 * may not be a header. */
#ifndef IO_TABLES_TABLE_ENDS_H
#define IO_TABLES_TABLE_ENDS_H

#include <stdbool.h>

/* Whether two names are those of opposite ends: a known pair, or both end in id. */
bool table_ends_pair(const char *a, const char *b);

/* Whether a name is id or ends in id. */
bool table_ends_id(const char *name);

/* Whether a name is that of a column of row numbers, as data frames write them. */
bool table_ends_index(const char *name);

#endif
