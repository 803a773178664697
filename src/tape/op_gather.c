/* Y_k = X_row[k]; dX_i sums dY over the places that name row i, in their order, which is a sparse
 * product with the matrix of places. And Y = [A ; B], whose gradient is cut the same way. */
#include "tape/tape_node.h"

#include <assert.h>

struct gather_node {
    struct tape_node node;
    const struct row_list *list;
};

static graco_status gather_backward(struct tape *tape, struct tape_node *node)
{
    const struct row_list *list = ((struct gather_node *)node)->list;
    struct tensor *X = node->in[0], *Y = node->out;
    const struct sparse places = {.entries = list->places};
    bool accumulate = false;
    if (X->constant)
        return GRACO_OK;
    PASS(tape_gradient(tape, X, &accumulate));
    return tape->context->kernels->spmm(tape->context, &(struct spmm){.views = 1,
                                                                      .matrix = &places,
                                                                      .cols = X->cols,
                                                                      .X = Y->grad,
                                                                      .Y = X->grad,
                                                                      .accumulate = accumulate});
}

struct tensor *tape_gather(struct tape *tape, const struct row_list *list, struct tensor *X)
{
    if (!X)
        return NULL;
    assert(X->data &&
           (X->constant || (list->places.rows == X->rows && list->places.cols == list->count)));
    struct tensor *Y = tape_tensor(tape, list->count, X->cols);
    struct gather_node *op =
        tape_record(tape, sizeof *op, gather_backward, Y, (struct tensor *[3]){X});
    if (!op)
        return NULL;
    op->list = list;
    Y->constant = X->constant;
    graco_status status = tape->context->kernels->gather(tape->context, list->count, X->cols,
                                                         Y->data, X->data, list->row);
    return status == GRACO_OK ? Y : tape_fail(tape, status);
}

static graco_status join_backward(struct tape *tape, struct tape_node *node)
{
    const struct tensor *Y = node->out;
    int64_t first = 0;
    for (int i = 0; i < 2; i++) {
        struct tensor *part = node->in[i];
        bool accumulate = false;
        if (!part->constant) {
            PASS(tape_gradient(tape, part, &accumulate));
            PASS(tape->context->kernels->copy_block(
                tape->context, &(struct block_copy){.rows = Y->rows,
                                                    .cols = part->cols,
                                                    .Y = part->grad,
                                                    .ldy = part->cols,
                                                    .X = Y->grad + first,
                                                    .ldx = Y->cols,
                                                    .accumulate = accumulate}));
        }
        first += part->cols;
    }
    return GRACO_OK;
}

struct tensor *tape_join(struct tape *tape, struct tensor *A, struct tensor *B)
{
    if (!A || !B)
        return NULL;
    assert(A->rows == B->rows && A->data && B->data);
    struct tensor *const parts[3] = {A, B};
    struct tensor *Y = tape_tensor(tape, A->rows, A->cols + B->cols);
    if (!tape_record(tape, sizeof(struct tape_node), join_backward, Y, parts))
        return NULL;
    Y->constant = A->constant && B->constant;
    int64_t first = 0;
    for (int i = 0; i < 2; i++) {
        graco_status status = tape->context->kernels->copy_block(
            tape->context, &(struct block_copy){.rows = Y->rows,
                                                .cols = parts[i]->cols,
                                                .Y = Y->data + first,
                                                .ldy = Y->cols,
                                                .X = parts[i]->data,
                                                .ldx = parts[i]->cols});
        if (status != GRACO_OK)
            return tape_fail(tape, status);
        first += parts[i]->cols;
    }
    return Y;
}
