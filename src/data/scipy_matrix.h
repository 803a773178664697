/* A sparse matrix as scipy's save_npz writes it: the arrays
 *
 *     format   "csr", "csc" or "coo"          shape   (rows, cols)          data   (entries)
 *     csr, csc: indices (entries), indptr     coo: row (entries), col (entries)
 *
 * Every entry becomes a row, a column and a value, whatever the format. */
#ifndef DATA_SCIPY_MATRIX_H
#define DATA_SCIPY_MATRIX_H

#include "data/dataset.h"
#include "data/members.h"

/* The entries of a sparse matrix, in any order; repeated ones are kept. Owns its arrays. */
struct entries {
    int64_t rows, cols, count;
    int64_t backed;     /* the file has an item for each of so many rows or columns */
    int32_t *row, *col; /* (count), for whoever uses them to check */
    float *value;       /* (count) or NULL: ones */
};

/* Reads them; without `values` the array data is not looked at. An archive without the array format has
 * compressed rows if it has indptr, else coordinates. The caller clears *out also after a failure. */
graco_status scipy_matrix_read(struct entries *out, const struct members *members, bool values);

/* Reads the square matrix of a graph of parts->nodes nodes: every entry is an edge, whatever its value.
 * `counted` names what has so many nodes. */
graco_status scipy_matrix_edges(struct dataset_parts *parts, const struct members *members,
                                const char *counted);

void entries_clear(struct entries *entries);

/* GRACO_ERROR_FORMAT unless every entry lies in the matrix, and its rows, which only the shape may back,
 * are no more than so many entries can justify: 65,536, or 16 for each. `known` rows are
 * justified anyway. */
graco_status entries_check(const struct entries *entries, int64_t known);

/* The matrix in compressed rows, with values, sorted. All entries must lie in it. */
graco_status entries_gather(struct csr *out, const struct entries *entries);

#endif
