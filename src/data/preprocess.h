/* What happens to X once, before training: contamination and scaling. */
#ifndef DATA_PREPROCESS_H
#define DATA_PREPROCESS_H

#include "data/dataset.h"

/* How each row is scaled. */
enum scaling {
    SCALING_NONE,
    SCALING_ROWSUM,        /* to sum 1 */
    SCALING_BINARY_ROWSUM, /* likewise, entries other than zero made 1 first */
    SCALING_AUTO,          /* to sum 1 if they are counts: decided before it comes here */
    SCALING_STANDARD,      /* columns to mean 0 and deviation 1, by a preparation */
    SCALING_QUANTILE,      /* columns by rank, likewise */
};

struct preprocess {
    enum scaling scaling;
    double contaminate; /* probability in [0, 1] that an entry becomes zero */
    uint64_t seed;      /* of the contamination */
    int64_t first;      /* number of X's first row in the whole, by which entries are drawn */
};

/* Fills *out with a changed copy of X, of the same form (dense or sparse); the caller owns it and
 * X stays as it is. In this order:
 *
 *   contaminate   each entry becomes zero with probability r, drawn by RANDOM_CONTAMINATE under the
 *                 seed. Element: row * cols + column, so dense and sparse forms of one X agree. A
 *                 sparse X loses the entry.
 *   binary        entries other than zero become 1.
 *   rowsum        x_ij / sum_j x_ij, the sum in double; rows with sum zero stay as they are.
 *
 * GRACO_ERROR_ARGUMENT if r is not in [0, 1]. O(entries). On failure *out is empty. */
graco_status preprocess_features(struct features *out, const struct features *X,
                                 const struct preprocess *options);

/* Rows that were looked at, their entries below 0, and those other than 0. */
struct preprocess_seen {
    int64_t rows, below, others;
};

/* Adds X's rows, of which the first is node `first`, up to the first entry below 0. Only rows count that
 * are among the first PREPROCESS_LOOKED of the whole: of all nodes, or, with a split (nodes of the whole),
 * of its training part. */
enum { PREPROCESS_LOOKED = 4096 };
void preprocess_look(struct preprocess_seen *seen, const struct features *X, int64_t first,
                     const uint8_t *split);

/* Whether features of so many columns are counts, words or shares of them: none below 0, and at least
 * half of them 0. */
bool preprocess_judge(const struct preprocess_seen *seen, int64_t cols);
bool preprocess_counts(const struct features *X, const uint8_t *split);

/* Whether the options change anything; if not, X itself can be used. */
bool preprocess_needed(const struct preprocess *options);

#endif
