/* Compressed rows: the one sparse matrix on the host, under graphs, features and the operands of
 * kernels.
 *
 * Functions that build a matrix give the caller *out, which is empty after a failure. Those that
 * end in _into write to arrays that are long enough already and cannot fail. Only csr_check and
 * csr_check_starts doubt what they get. */
#ifndef SPARSE_CSR_H
#define SPARSE_CSR_H

#include "base/status.h"

/* A matrix in compressed rows. Whoever says so owns the arrays. */
struct csr {
    int64_t rows, cols;
    int64_t *start; /* (rows + 1) where a row's entries begin */
    int32_t *index; /* (start[rows]) column of each entry, ascending within a row */
    float *value;   /* (start[rows]), or NULL: ones */
};

/* How many items the arrays of a matrix have room for. */
struct csr_room {
    int64_t starts, entries;
};

/* Allocates the arrays; all but start[0], which is 0, are left to be filled. O(1). */
graco_status csr_alloc(struct csr *out, int64_t rows, int64_t cols, int64_t entries, bool values);

/* Makes room in arrays that are used again, with an eighth to spare; an array that grows loses what
 * it held. The same matrix always has values, or never. */
graco_status csr_reserve(struct csr *matrix, struct csr_room *room, int64_t rows, int64_t entries,
                         bool values);

/* The identity of n rows. O(n). */
graco_status csr_identity(struct csr *out, int64_t n, bool values);

void csr_clear(struct csr *matrix);

/* Checks that the rows begin at 0, follow each other and end at `entries`, the length of `index`:
 * then the entries can be addressed. GRACO_ERROR_FORMAT names the row. O(rows). */
graco_status csr_check_starts(const struct csr *matrix, int64_t entries);

/* Checks that row pointers start (rows + 1) do not descend. GRACO_ERROR_FORMAT names the row; that of start[0]
 * has number `first`. O(rows). */
graco_status csr_check_order(const int64_t *start, int64_t first, int64_t rows);

/* Checks everything: starts, columns that are in range and ascend within a row, finite values. The
 * lengths of the arrays are the caller's to check. GRACO_ERROR_FORMAT names the row, of which the
 * matrix's first has number `first`. O(rows + entries). */
graco_status csr_check(const struct csr *matrix, int64_t first);

/* Sorts the entries of every row by column, values along with them. Columns may be any numbers.
 * O(rows + entries log(longest row)), and O(rows + entries) if they ascend already. */
graco_status csr_sort(struct csr *matrix);

/* Gathers pairs (row, col) into rows: within a row they keep their order, and repeated pairs are
 * kept. With `value` (pairs), which may be NULL, each entry has its pair's. All numbers must be in
 * range. O(rows + pairs). */
graco_status csr_from_pairs(struct csr *out, int64_t rows, int64_t cols, int64_t pairs,
                            const int32_t *row, const int32_t *col, const float *value);

/* Lists the places of each number: row i of *out has, ascending, every k with row[k] == i, as columns.
 * All numbers must be in range. O(rows + count). */
graco_status csr_group(struct csr *out, int64_t rows, int64_t count, const int32_t *row);

/* The same of other numbers, as many, into what csr_group gave. */
void csr_group_into(struct csr *out, const int32_t *row);

/* Transposes. Entry k of the transpose was entry from[k] of `matrix`, which then has less than 2^32
 * of them; `from` may be NULL. The rows of the transpose ascend even if those of `matrix` do not.
 * O(rows + cols + entries). */
graco_status csr_transpose(struct csr *out, uint32_t **from, const struct csr *matrix);
void csr_transpose_into(struct csr *out, uint32_t *from, const struct csr *matrix);

/* Copies the rows rows[0 .. count), which must be in range and may repeat. With `room`, out's
 * arrays are reused and grow to the largest use. O(count + entries copied). */
graco_status csr_gather(struct csr *out, struct csr_room *room, const struct csr *matrix,
                        const int32_t *rows, int64_t count);

/* The matrix as a new dense one, (rows, cols). O(rows * cols + entries). */
graco_status csr_densify(float **out, const struct csr *matrix);

/* Fills row (entries) with the row of each entry. O(rows + entries). */
void csr_entry_rows(int32_t *row, const struct csr *matrix);

/* Fills order (rows) with every row once: first those whose columns are all below `cols`, then the others,
 * both ascending. Returns how many come first. O(rows + entries). */
int64_t csr_inner_first(int32_t *order, const struct csr *matrix, int64_t cols);

/* The place of the entry in this row and column, or -1. O(log of the row's entries). */
int64_t csr_find(const struct csr *matrix, int64_t row, int32_t col);

/* The number of entries in the row that has most. O(rows). */
int64_t csr_longest_row(const struct csr *matrix);

#endif
