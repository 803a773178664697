/* The node features as encoders read them: [X diag(m_1) W; X diag(m_2) W] for the views' masks,
 * dense or sparse, of all rows or of the first ones. */
#ifndef LAYERS_INPUT_H
#define LAYERS_INPUT_H

#include "tape/tape.h"
#include "data/dataset.h"
#include "graph/view.h"

struct input;
struct shard;

/* Prepares features for a device. Borrows them. */
graco_status input_create(struct input **out, struct context *context,
                          const struct features *features);

/* The input of dense rows X (rows, cols) that are on the device already. Borrows them. */
graco_status input_create_dense(struct input **out, struct context *context, const float *X,
                                int64_t rows, int64_t cols);

void input_free(struct input *input);

/* Features as a dense matrix on the device, which ends with context_unshare; *out does not change
 * where they are sparse and better stay so. A device multiplies sparse ones as dense ones where
 * enough of them is not zero. */
graco_status input_dense(const float **out, struct context *context,
                         const struct features *features);

/* From now on products read X with entries dropped out as `dropout` says: the stored ones, where X is
 * sparse. A share of 0 reads all. */
void input_drop(struct input *input, struct dropout dropout);

/* Y (M's rows, columns of X) = M X, dense, on the device; X itself where M is NULL. Sparse features take
 * as much memory again meanwhile. */
graco_status input_densify(float *Y, struct input *input, const struct sparse *M);

/* The features that it was made from; NULL: dense rows were given. */
const struct features *input_features(const struct input *input);

int64_t input_rows(const struct input *input);

/* Whether the features came dense; then input_slice gives them so. */
bool input_is_dense(const struct input *input);

/* The first `rows` rows of X, in each view's order, times the rows of W that its mask keeps, stacked.
 * Where a view has an order of its own nothing may be masked. Neither
 * `views` nor its masks may change before the backward pass. Sparse features cost O(entries) once
 * for each number of rows. */
struct tensor *input_product(struct tape *tape, struct input *input, const struct views *views,
                             struct tensor *W, int64_t rows);

/* [M_1 X diag(m_1) W; M_2 X diag(m_2) W] with the views' matrices M, ended by `end` unless NULL.
 *
 * It is M (X W) or (M X) W, whichever takes fewer operations. Propagating first needs one sparse
 * product of F columns, where multiplying first needs two of W's columns, there and back; and it
 * multiplies the targets' rows, not the sources'. It keeps M X, (views * targets, F), until the backward
 * pass. Sparse features, whose sums over neighbours are dense, are propagated first on a device alone:
 * where it would multiply them as dense ones, and has the memory at the first call. */
struct tensor *input_propagate(struct tape *tape, struct input *input, const struct views *views,
                               struct tensor *W, const struct ending *end);

/* Whether a rank reads other ranks' rows of X: they are dense, and input_propagate propagates them before
 * it multiplies by W (X's columns, width). */
bool input_reads_others(const struct features *X, const struct shard *shard, int views,
                        int64_t width);

/* Rows first .. first + rows - 1 of X, unmasked, on the device: *dense where X is dense there, else
 * *sparse. For inference. */
graco_status input_slice(const float **dense, struct sparse *sparse, struct input *input,
                         int64_t first, int64_t rows);

#endif
