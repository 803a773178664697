/* Leading principal components of features, and rows along them.                         docs/math.md
 *
 * They span what differs most between rows: the eigenvectors of sum_i (x_i - mean)(x_i - mean)' with the
 * largest eigenvalues. */
#ifndef DATA_COMPONENTS_H
#define DATA_COMPONENTS_H

#include "data/dataset.h"

struct context;

enum { COMPONENTS_MOST = 256 };

/* P (cols, count), the eigenvectors as columns, by falling eigenvalue; NULL: as many as features have columns,
 * and these serve as they are. Where the rows differ in fewer directions the last columns are zeros. */
struct components {
    int64_t cols, count;
    float *P;
};

/* Finds at most `most` components of the rows nodes[0 .. count) of X, or of all rows where nodes is NULL. More
 * than 65,536 rows, or more than 2^26 entries, are told by a sample of them. By randomised subspace iteration: the
 * smallest components are near the best ones, the large ones are right to five digits. The same bits for any
 * number of threads. The context is the CPU's. The caller clears *out. */
graco_status components_fit(struct components *out, struct context *context,
                            const struct features *X, const int32_t *nodes, int64_t count,
                            int64_t most);
void components_clear(struct components *components);

/* The same, always `most` columns, of rows whose sum of products about their mean C (cols, cols) is known:
 * fills P (cols, most). C must be symmetric; most at most cols. */
graco_status components_of(float *P, struct context *context, const float *C, int64_t cols,
                           int64_t most);

/* A block of rows and of components. */
struct components_block {
    int64_t first, rows, from, count;
};

/* Y (rows, count): the block's rows of X times its columns of P. */
graco_status components_apply(float *Y, struct context *context,
                              const struct components *components, const struct features *X,
                              struct components_block block);

#endif
