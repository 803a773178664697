/* Dropout, inverted: y = x keep / (1 - p), where keep is 1 with probability 1 - p; dx = dy keep /
 * (1 - p). Whether a number is kept is a function of the key and of its place, so that no mask is
 * stored: the way back draws the same one. Sparse features drop their stored entries; the transpose
 * takes its values from the same draw. */
#include "tape/tape_node.h"

#include <assert.h>

struct dropout_node {
    struct tape_node node;
    struct dropout spec;
};

static graco_status dropout_backward(struct tape *tape, struct tape_node *node)
{
    const struct dropout *spec = &((const struct dropout_node *)node)->spec;
    struct tensor *X = node->in[0], *Y = node->out;
    if (X->constant)
        return GRACO_OK;
    PASS(tape->context->kernels->dropout(tape->context, spec, Y->rows * Y->cols, Y->grad, Y->grad));
    if (!X->leaf)
        return tape_pass_gradient(tape, X, &Y->grad);
    PASS(context_turn(tape->context, TURN_JOIN));
    return tape->context->kernels->add(tape->context, X->rows * X->cols, X->grad, Y->grad);
}

struct tensor *tape_dropout(struct tape *tape, const struct dropout *spec, struct tensor *X)
{
    if (!X || spec->p == 0)
        return X;
    assert(X->data && spec->p > 0 && spec->p < 1);
    struct tensor *Y = tape_tensor(tape, X->rows, X->cols);
    struct dropout_node *op =
        tape_record(tape, sizeof *op, dropout_backward, Y, (struct tensor *[3]){X});
    if (!op)
        return NULL;
    op->spec = *spec;
    Y->constant = X->constant;
    graco_status status =
        tape->context->kernels->dropout(tape->context, spec, X->rows * X->cols, Y->data, X->data);
    return status == GRACO_OK ? Y : tape_fail(tape, status);
}

const struct sparse_map *tape_dropout_features(struct tape *tape, const struct dropout *spec,
                                               const struct sparse_map *map, const uint32_t *from,
                                               int64_t entries)
{
    struct context *context = tape->context;
    struct sparse_map *out = tape_object(tape, sizeof *out);
    struct dropout own = *spec;
    graco_status status = GRACO_OK;
    if (!out)
        return NULL;
    assert(spec->p >= 0 && spec->p < 1 && entries <= INT32_MAX);
    *out = *map;
    for (int view = 0; view < map->views; view++) {
        struct tensor *value = tape_constant(tape, entries, 1);
        struct tensor *turned = tape_constant(tape, entries, 1);
        if (!value || !turned)
            return NULL;
        own.key.view = spec->key.view + (uint32_t)view;
        TRY(context->kernels->dropout(context, &own, entries, value->data,
                                      map->matrix[view].entries.value));
        TRY(context->kernels->gather(context, entries, 1, turned->data, value->data,
                                     (const int32_t *)from));
        out->matrix[view].entries.value = value->data;
        out->transpose[view].entries.value = turned->data;
    }
    return out;
done:
    tape_fail(tape, status);
    return NULL;
}
