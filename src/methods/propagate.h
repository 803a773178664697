/* Features filtered by powers of the propagation matrix, for the two methods that learn nothing. */
#ifndef METHODS_PROPAGATE_H
#define METHODS_PROPAGATE_H

#include "data/components.h"
#include "methods/method.h"

enum filter_kind { FILTER_MEAN, FILTER_POWER }; /* as the words of the setting `filter` */

/* With S the matrix of the pass's view and Y its features, or what `columns` makes of them:
 *
 *     mean    Z = alpha Y + (1 - alpha) / K sum of S^k Y over k = 1 .. K        K = hops
 *     power   Z = S^K Y
 */
struct filter {
    enum filter_kind kind;
    int64_t hops;
    double alpha;
    bool unit;                        /* rows of Z are scaled to length one; zero rows stay so */
    const struct components *columns; /* Y's: features times a matrix, or as they are */
};

/* Fills Z (nodes, cols) on the host. Works off blocks of columns: beside Z it takes two of them, for a mean
 * three. A column's bits do not depend on the block that it is in. O(hops (edges + nodes) cols). */
graco_status filter_run(float *Z, struct pass *pass, const struct filter *filter);

#endif
