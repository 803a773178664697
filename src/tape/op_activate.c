/* Y = act(X + b) over X (rows, cols) with b (cols). The way back needs the sign of X + b, or Y itself
 * (ELU, SIGMOID). Y has the same sign and takes over X's buffer, except for PRELU, whose learned slope may turn negative:
 * PRELU keeps X. */
#include "tape/tape_node.h"

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
    assert(seen);
    PASS(tape->context->kernels->activate_backward(tape->context, &op->spec, Y->grad, Y->grad, seen,
                                                   bias ? bias->grad : NULL,
                                                   slope ? slope->grad : NULL));
    return tape_pass_gradient(tape, X, &Y->grad);
}

static struct activation complete(const struct ending *end, const struct tensor *X)
{
    struct activation spec = end->spec;
    assert(!end->bias || end->bias->cols == X->cols);
    spec.rows = X->rows;
    spec.cols = X->cols;
    spec.bias = end->bias ? end->bias->data : NULL;
    if (end->slope)
        spec.slope = end->slope->data;
    return spec;
}

bool tape_fuses(const struct ending *end, const struct tensor *Y, struct activation *after)
{
    if (!end || end->spec.kind == ACTIVATION_PRELU)
        return false;
    *after = complete(end, Y);
    return true;
}

struct tensor *tape_end(struct tape *tape, const struct ending *end, struct tensor *X, bool done)
{
    if (!X || !end)
        return X;
    if (end->spec.kind == ACTIVATION_PRELU && !end->slope)
        return NULL; /* making its leaf failed */
    bool in_place = end->spec.kind != ACTIVATION_PRELU;
    assert(X->data && !X->leaf && (in_place || !done));
    struct tensor *Y =
        in_place ? tape_tensor_empty(tape, X->rows, X->cols) : tape_tensor(tape, X->rows, X->cols);
    struct activate_node *op = tape_record(tape, sizeof *op, activate_backward, Y,
                                           (struct tensor *[3]){X, end->bias, end->slope});
    if (!op)
        return NULL;
    op->spec = complete(end, X);
    tape_settled(tape, &op->node);
    const float *from = X->data;
    if (in_place) {
        Y->data = X->data;
        X->data = NULL;
    }
    if (done)
        return Y;
    graco_status status = tape->context->kernels->activate(tape->context, &op->spec, Y->data, from);
    return status == GRACO_OK ? Y : tape_fail(tape, status);
}

struct tensor *tape_activate(struct tape *tape, const struct ending *end, struct tensor *X)
{
    return tape_end(tape, end, X, false);
}
