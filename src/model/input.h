/* The node features as encoders read them: [X diag(m_1) W; X diag(m_2) W] for the views' masks,
 * dense or sparse, of all rows or of the first ones. */
#ifndef MODEL_INPUT_H
#define MODEL_INPUT_H

#include "compute/tape.h"
#include "data/dataset.h"
#include "graph/view.h"

struct input;

/* Prepares features for a device. Borrows them. */
graco_status input_create(struct input **out, struct context *context,
                          const struct features *features);
void input_free(struct input *input);

int64_t input_rows(const struct input *input);

/* The first `rows` rows of X times the rows of W that each view's mask keeps, stacked. Neither
 * `views` nor its masks may change before the backward pass. Sparse features cost O(entries) once
 * for each number of rows. */
struct tensor *input_product(struct tape *tape, struct input *input, const struct views *views,
                             struct tensor *W, int64_t rows);

#endif
