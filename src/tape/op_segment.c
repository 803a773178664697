/* Operations over the sources s of each target t, entry by entry.
 *
 *     max       Y_t = max_s X_s             dX_s += dY_t where s was the first maximal source
 *     dot       S_e = scale A_t . B_s       dA_t = scale sum_e dS_e B_s     dB_s = scale sum_e dS_e A_t
 *     softmax   W_e = exp(S_e) / sum        dS = W (dW - sum W dW)
 *     sum       Y_t = sum_e W_e V_s         dW_e = dY_t . V_s               dV_s = sum_e W_e dY_t
 *
 * The last three work head by head. Sums over the entries of a source go by the transpose, in its
 * order: no two threads add to one row. */
#include "tape/tape_node.h"

#include <assert.h>

struct segment_node {
    struct tape_node node;
    struct segment_heads heads;
};

static graco_status max_backward(struct tape *tape, struct tape_node *node)
{
    const struct segments *segments = ((struct segment_node *)node)->heads.segments;
    struct tensor *X = node->in[0], *winner = node->in[1], *Y = node->out;
    bool accumulate = false;
    if (X->constant)
        return GRACO_OK;
    PASS(tape_gradient(tape, X, &accumulate));
    PASS(tape->context->kernels->segment_max_backward(tape->context, segments, X->cols, X->grad,
                                                      Y->grad, (const int32_t *)winner->data,
                                                      accumulate));
    tape_drop(tape, winner);
    return GRACO_OK;
}

struct tensor *tape_segment_max(struct tape *tape, const struct segments *segments,
                                struct tensor *X)
{
    if (!X)
        return NULL;
    assert(X->data && X->rows == segments->entries.cols);
    struct tensor *Y = tape_tensor(tape, segments->entries.rows, X->cols);
    struct tensor *winner = tape_constant(tape, segments->entries.rows, X->cols);
    struct segment_node *op =
        tape_record(tape, sizeof *op, max_backward, Y, (struct tensor *[3]){X, winner});
    if (!op)
        return NULL;
    op->heads.segments = segments;
    graco_status status = tape->context->kernels->segment_max(
        tape->context, segments, X->cols, Y->data, X->data, (int32_t *)winner->data);
    return status == GRACO_OK ? Y : tape_fail(tape, status);
}

static graco_status softmax_backward(struct tape *tape, struct tape_node *node)
{
    const struct segments *segments = ((struct segment_node *)node)->heads.segments;
    struct tensor *S = node->in[0], *W = node->out;
    assert(W->data);
    PASS(tape->context->kernels->segment_softmax_backward(tape->context, segments, W->cols, W->grad,
                                                          W->data));
    return tape_pass_gradient(tape, S, &W->grad);
}

struct tensor *tape_segment_softmax(struct tape *tape, const struct segments *segments,
                                    struct tensor *S)
{
    if (!S)
        return NULL;
    assert(S->data && !S->leaf);
    struct tensor *W = tape_tensor_empty(tape, S->rows, S->cols);
    struct segment_node *op =
        tape_record(tape, sizeof *op, softmax_backward, W, (struct tensor *[3]){S});
    if (!op)
        return NULL;
    op->heads.segments = segments;
    W->data = S->data;
    S->data = NULL;
    graco_status status =
        tape->context->kernels->segment_softmax(tape->context, segments, W->cols, W->data);
    return status == GRACO_OK ? W : tape_fail(tape, status);
}

/* X's gradient (+)= the sum over its entries of dS times the other end. */
static graco_status sum_to(struct tape *tape, const struct segment_heads *heads, struct tensor *X,
                           const float *dS, const float *other, bool turned)
{
    bool accumulate = false;
    if (X->constant)
        return GRACO_OK;
    PASS(tape_gradient(tape, X, &accumulate));
    return tape->context->kernels->segment_sum(tape->context, heads, X->grad, dS, other, turned,
                                               accumulate);
}

static graco_status dot_backward(struct tape *tape, struct tape_node *node)
{
    const struct segment_heads *heads = &((struct segment_node *)node)->heads;
    struct tensor *A = node->in[0], *B = node->in[1], *S = node->out;
    assert(A->data && B->data);
    PASS(sum_to(tape, heads, A, S->grad, B->data, false));
    return sum_to(tape, heads, B, S->grad, A->data, true);
}

struct tensor *tape_segment_dot(struct tape *tape, const struct segment_heads *heads,
                                struct tensor *A, struct tensor *B)
{
    if (!A || !B)
        return NULL;
    const struct csr *entries = &heads->segments->entries;
    assert(A->data && B->data && A->rows == entries->rows && B->rows == entries->cols &&
           A->cols == heads->heads * heads->width && B->cols == A->cols);
    struct tensor *S = tape_tensor(tape, heads->segments->count, heads->heads);
    struct segment_node *op =
        tape_record(tape, sizeof *op, dot_backward, S, (struct tensor *[3]){A, B});
    if (!op)
        return NULL;
    op->heads = *heads;
    graco_status status =
        tape->context->kernels->segment_dot(tape->context, heads, S->data, A->data, B->data, false);
    return status == GRACO_OK ? S : tape_fail(tape, status);
}

static graco_status sum_backward(struct tape *tape, struct tape_node *node)
{
    const struct segment_heads *heads = &((struct segment_node *)node)->heads;
    struct tensor *W = node->in[0], *V = node->in[1], *Y = node->out;
    bool accumulate = false;
    assert(W->data && V->data);
    if (!W->constant) {
        PASS(tape_gradient(tape, W, &accumulate));
        PASS(tape->context->kernels->segment_dot(tape->context, heads, W->grad, Y->grad, V->data,
                                                 accumulate));
    }
    return sum_to(tape, heads, V, W->data, Y->grad, true);
}

struct tensor *tape_segment_sum(struct tape *tape, const struct segments *segments,
                                struct tensor *W, struct tensor *V)
{
    if (!W || !V)
        return NULL;
    const struct segment_heads heads = {segments, W->cols, V->cols / W->cols, 1};
    assert(W->data && V->data && V->rows == segments->entries.cols && V->cols % W->cols == 0);
    struct tensor *Y = tape_tensor(tape, segments->entries.rows, V->cols);
    struct segment_node *op =
        tape_record(tape, sizeof *op, sum_backward, Y, (struct tensor *[3]){W, V});
    if (!op)
        return NULL;
    op->heads = heads;
    graco_status status = tape->context->kernels->segment_sum(tape->context, &heads, Y->data,
                                                              W->data, V->data, false, false);
    return status == GRACO_OK ? Y : tape_fail(tape, status);
}
