/* Y = act(X + b). The backward pass reads Y alone, whose sign is X's for every kind but PRELU,
 * whose learned slope may turn negative: PRELU keeps X and is not in place. */
#include "compute/tape_node.h"

#include <assert.h>

struct activate_node {
    struct tape_node node;
    struct activation spec;
};

static graco_status activate_backward(struct tape *tape, struct tape_node *node)
{
    struct activate_node *op = (struct activate_node *)node;
    struct tensor *X = node->in[0], *bias = node->in[1], *slope = node->in[2], *Y = node->out;
    const float *seen = op->spec.kind == ACTIVATION_PRELU ? X->data : Y->data;
    if (op->spec.kind ==
        ACTIVATION_NONE) /* its slope is 1 everywhere; Y may be taken over by now */
        seen = Y->grad;
    assert(seen);
    graco_status status = tape->context->backend->activate_backward(
        tape->context, &op->spec, Y->grad, Y->grad, seen, bias ? bias->grad : NULL,
        slope ? slope->grad : NULL);
    return status == GRACO_OK ? tape_pass_gradient(tape, X, &Y->grad) : status;
}

struct tensor *tape_activate(struct tape *tape, const struct activation *spec, struct tensor *X,
                             struct tensor *bias, struct tensor *slope)
{
    if (!X)
        return NULL;
    bool in_place = spec->kind != ACTIVATION_PRELU;
    assert(X->data && !X->leaf && (!bias || bias->cols == X->cols));
    struct tensor *Y =
        in_place ? tape_tensor_empty(tape, X->rows, X->cols) : tape_tensor(tape, X->rows, X->cols);
    struct activate_node *op = Y ? tape_record(tape, sizeof *op, activate_backward) : NULL;
    if (!op)
        return NULL;
    op->node.out = Y;
    op->node.in[0] = X;
    op->node.in[1] = bias;
    op->node.in[2] = slope;
    op->spec = *spec;
    op->spec.rows = X->rows;
    op->spec.cols = X->cols;
    op->spec.bias = bias ? bias->data : NULL;
    if (slope)
        op->spec.slope = slope->data;
    const float *from = X->data;
    if (in_place) {
        Y->data = X->data;
        X->data = NULL;
    }
    graco_status status = tape->context->backend->activate(tape->context, &op->spec, Y->data, from);
    return status == GRACO_OK ? Y : tape_fail(tape, status);
}
