/* Logits against known classes. Softmax: L = mean over the list T of log(sum_j exp(x_ij)) - x_iy,
 * dX = (P - onehot) / |T| on T. Sigmoid: the mean over T and all columns of log(1 + exp(-x)) or
 * log(1 + exp(x)), dX = (sigma(x) - target) / (|T| cols) on T. Rows that are not listed get no
 * gradient. */
#include "tape/tape_node.h"

#include <assert.h>

struct classify_node {
    struct tape_node node;
    const struct classification *spec; /* the caller's */
};

static graco_status classify_backward(struct tape *tape, struct tape_node *node)
{
    struct tensor *X = node->in[0];
    assert(X->data);
    PASS(tape_gradient_zeroed(tape, X));
    return tape->context->kernels->classify_backward(tape->context,
                                                     ((struct classify_node *)node)->spec, X->grad);
}

void tape_classify(struct tape *tape, struct classification *spec, struct tensor *X)
{
    if (!X)
        return;
    assert(X->data && X->cols == spec->cols && (spec->row || spec->count <= X->rows));
    struct classify_node *op =
        tape_record(tape, sizeof *op, classify_backward, NULL, (struct tensor *[3]){X});
    if (!op)
        return;
    op->spec = spec;
    spec->X = X->data;
    tape_fail(tape, tape->context->kernels->classify(tape->context, spec));
}
