/* z = (x + b) / |x + b| for each row of X (rows, cols), dx = (dz - z (z . dz)) / |x + b|, both in
 * place; db (cols) sums dx. The norms (rows) are kept. */
#include "tape/tape_node.h"

#include <assert.h>

static graco_status normalise_backward(struct tape *tape, struct tape_node *node)
{
    struct tensor *X = node->in[0], *norm = node->in[1], *bias = node->in[2], *Z = node->out;
    PASS(tape->context->kernels->normalise_backward(tape->context, Z->rows, Z->cols, Z->grad,
                                                    Z->data, norm->data, bias ? bias->grad : NULL));
    return tape_pass_gradient(tape, X, &Z->grad);
}

struct tensor *tape_normalise(struct tape *tape, struct tensor *X, struct tensor *bias)
{
    if (!X)
        return NULL;
    assert(X->data && !X->leaf);
    struct tensor *Z = tape_tensor_empty(tape, X->rows, X->cols);
    struct tensor *norm = tape_tensor(tape, X->rows, 1);
    if (!tape_record(tape, sizeof(struct tape_node), normalise_backward, Z,
                     (struct tensor *[3]){X, norm, bias}))
        return NULL;
    Z->data = X->data;
    X->data = NULL;
    graco_status status = tape->context->kernels->normalise(
        tape->context, Z->rows, Z->cols, Z->data, bias ? bias->data : NULL, norm->data);
    return status == GRACO_OK ? Z : tape_fail(tape, status);
}
