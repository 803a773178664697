/* Y (r, c) = A (r, k) B (k, c), dA = dY B', dB = A' dY; and Y = A + B. With several views A has one
 * block of rows per view, and a block may have more rows than the result has of that view: then its
 * first rows count, its head, and the others get no gradient. */
#include "tape/tape_node.h"

#include <assert.h>

/* A block of rows of A belongs to each view; the first `rows` of it are used. */
struct head_node {
    struct tape_node node;
    int views;
    int64_t rows;
};

/* tape_gradient of A, whose rows the products may not fill all. */
static graco_status head_gradient(struct tape *tape, const struct head_node *op, bool *accumulate)
{
    struct tensor *A = op->node.in[0];
    if (A->rows == op->views * op->rows)
        return tape_gradient(tape, A, accumulate);
    *accumulate = true;
    return tape_gradient_zeroed(tape, A);
}

static graco_status matmul_backward(struct tape *tape, struct tape_node *node)
{
    struct context *context = tape->context;
    const struct head_node *op = (const struct head_node *)node;
    struct tensor *A = node->in[0], *B = node->in[1], *Y = node->out;
    int64_t rows = op->rows, block = A->rows / op->views;
    bool accumulate = false;
    assert(A->data && B->data);
    if (!B->constant) {
        if (B->leaf) { /* nobody reads it before the step's end; where A has a gradient, that comes first */
            accumulate = true;
            if (!A->constant)
                PASS(context_turn(context, TURN_ASIDE));
        } else {
            PASS(tape_gradient(tape, B, &accumulate));
        }
        for (int view = 0; view < op->views; view++)
            PASS(context->kernels->gemm(context,
                                        &(struct gemm){.transpose_a = true,
                                                       .m = B->rows,
                                                       .n = B->cols,
                                                       .k = rows,
                                                       .A = A->data + view * block * A->cols,
                                                       .lda = A->cols,
                                                       .B = Y->grad + view * rows * Y->cols,
                                                       .ldb = Y->cols,
                                                       .C = B->grad,
                                                       .ldc = B->cols,
                                                       .accumulate = accumulate || view > 0}));
        if (B->leaf && !A->constant)
            PASS(context_turn(context, TURN_BACK));
    }
    if (!A->constant) {
        PASS(head_gradient(tape, op, &accumulate));
        for (int view = 0; view < op->views; view++)
            PASS(context->kernels->gemm(context,
                                        &(struct gemm){.transpose_b = true,
                                                       .m = rows,
                                                       .n = A->cols,
                                                       .k = B->cols,
                                                       .A = Y->grad + view * rows * Y->cols,
                                                       .lda = Y->cols,
                                                       .B = B->data,
                                                       .ldb = B->cols,
                                                       .C = A->grad + view * block * A->cols,
                                                       .ldc = A->cols,
                                                       .accumulate = accumulate}));
    } else {
        tape_drop(tape, A); /* propagated features, which no other operation reads */
    }
    return GRACO_OK;
}

struct tensor *tape_matmul_head(struct tape *tape, struct tensor *A, struct tensor *B, int views,
                                int64_t rows, const struct ending *end)
{
    if (!A || !B)
        return NULL;
    assert((A->cols == B->rows || (A->constant && A->cols > B->rows)) && A->data && B->data);
    if (A->rows == views * rows) { /* whole blocks follow each other: one product */
        rows = A->rows;
        views = 1;
    }
    struct tensor *Y = tape_tensor(tape, views * rows, B->cols);
    struct head_node *op =
        tape_record(tape, sizeof *op, matmul_backward, Y, (struct tensor *[3]){A, B});
    if (!op)
        return NULL;
    op->views = views;
    op->rows = rows;
    tape_settled(tape, &op->node);
    graco_status status = GRACO_OK;
    struct activation after;
    bool fused = views == 1 && tape_fuses(end, Y, &after);
    for (int view = 0; view < views; view++)
        TRY(tape->context->kernels->gemm(
            tape->context, &(struct gemm){.m = rows,
                                          .n = B->cols,
                                          .k = B->rows,
                                          .A = A->data + view * (A->rows / views) * A->cols,
                                          .lda = A->cols,
                                          .B = B->data,
                                          .ldb = B->cols,
                                          .C = Y->data + view * rows * Y->cols,
                                          .ldc = Y->cols,
                                          .A_padded = A->cols > B->rows,
                                          .B_stays = B->leaf,
                                          .after = fused ? &after : NULL}));
    return tape_end(tape, end, Y, fused);
done:
    return tape_fail(tape, status);
}

struct tensor *tape_matmul(struct tape *tape, struct tensor *A, struct tensor *B,
                           const struct ending *end)
{
    return A ? tape_matmul_head(tape, A, B, 1, A->rows, end) : NULL;
}

static graco_status add_backward(struct tape *tape, struct tape_node *node)
{
    struct context *context = tape->context;
    const struct head_node *op = (const struct head_node *)node;
    struct tensor *A = node->in[0], *B = node->in[1], *Y = node->out;
    int64_t block = A->rows / op->views * A->cols, head = op->rows * Y->cols;
    if (!A->constant) {
        PASS(tape_gradient_zeroed(tape, A));
        for (int view = 0; view < op->views; view++)
            PASS(context->kernels->add(context, head, A->grad + view * block,
                                       Y->grad + view * head));
    }
    return tape_pass_gradient(tape, B, &Y->grad);
}

struct tensor *tape_add(struct tape *tape, struct tensor *A, struct tensor *B, int views)
{
    if (!A || !B)
        return NULL;
    assert(A->rows >= B->rows && A->cols == B->cols && A->data && B->data && !B->leaf);
    struct tensor *Y = tape_tensor_empty(tape, B->rows, B->cols);
    struct head_node *op =
        tape_record(tape, sizeof *op, add_backward, Y, (struct tensor *[3]){A, B});
    if (!op)
        return NULL;
    op->views = views;
    op->rows = B->rows / views;
    Y->data = B->data;
    B->data = NULL;
    graco_status status = GRACO_OK;
    int64_t block = A->rows / views * A->cols, head = op->rows * Y->cols;
    for (int view = 0; view < views; view++)
        TRY(tape->context->kernels->add(tape->context, head, Y->data + view * head,
                                        A->data + view * block));
done:
    return status == GRACO_OK ? Y : tape_fail(tape, status);
}
