/* The node features as encoders read them: [X diag(m_1) W; X diag(m_2) W] for the views' masks,
 * dense or sparse. */
#ifndef MODEL_INPUT_H
#define MODEL_INPUT_H

#include "compute/tape.h"
#include "data/dataset.h"
#include "graph/view.h"

struct input {
    int64_t rows, cols;
    struct context *context;
    struct dense_map dense; /* X is NULL if the features are sparse */
    struct sparse_map sparse;
    /* The transpose of sparse features, and everything as the device sees it. */
    int64_t *transpose_start;
    int32_t *transpose_index;
    float *transpose_value;
};

/* Prepares features for a device. Borrows them. O(entries). */
graco_status input_create(struct input **out, struct context *context,
                          const struct features *features);
void input_free(struct input *input);

/* X times the rows of W that each view's mask keeps, stacked. The masks must not change before the
 * backward pass. */
struct tensor *input_product(struct tape *tape, struct input *input, const struct views *views,
                             struct tensor *W);

#endif
