/* Sparse matrices in the text format MatrixMarket, as edge lists. */
#ifndef IO_TABLES_MATRIX_MARKET_H
#define IO_TABLES_MATRIX_MARKET_H

#include "io/tables/scan.h"
#include "io/tables/table.h"

/* Whether the text begins with the format's banner. */
bool matrix_market_knows(const struct scan *scan);

/* Fills *out, which is empty before; the caller clears it, also on failure. Values are weights, unless
 * they are left out. */
graco_status matrix_market_read(struct table_edges *out, struct scan scan, bool unweighted);

/* Reads a matrix of any shape and with any finite values: `nodes` of *out is its rows, source and target
 * are the row and the column of each entry, counted from 0, and weight its value, NULL in a pattern. On
 * failure *out is empty. */
graco_status matrix_market_matrix(struct table_edges *out, int64_t *cols, const char *file,
                                  const void *bytes, int64_t length);

#endif
