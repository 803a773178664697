/* Y = A B, dA = dY B', dB = A' dY; and Y = A + B. */
#include "compute/tape_node.h"

#include <assert.h>

static graco_status matmul_backward(struct tape *tape, struct tape_node *node)
{
    struct context *context = tape->context;
    struct tensor *A = node->in[0], *B = node->in[1], *Y = node->out;
    graco_status status = GRACO_OK;
    bool started;
    assert(A->data && B->data);
    if (!B->constant) {
        TRY(tape_gradient(tape, B, &started));
        TRY(context->backend->gemm(context, &(struct gemm){.transpose_a = true,
                                                           .m = B->rows,
                                                           .n = B->cols,
                                                           .k = A->rows,
                                                           .A = A->data,
                                                           .lda = A->cols,
                                                           .B = Y->grad,
                                                           .ldb = Y->cols,
                                                           .beta = started ? 1.0f : 0.0f,
                                                           .C = B->grad,
                                                           .ldc = B->cols}));
    }
    if (!A->constant) {
        TRY(tape_gradient(tape, A, &started));
        TRY(context->backend->gemm(context, &(struct gemm){.transpose_b = true,
                                                           .m = A->rows,
                                                           .n = A->cols,
                                                           .k = B->cols,
                                                           .A = Y->grad,
                                                           .lda = Y->cols,
                                                           .B = B->data,
                                                           .ldb = B->cols,
                                                           .beta = started ? 1.0f : 0.0f,
                                                           .C = A->grad,
                                                           .ldc = A->cols}));
    }
done:
    return status;
}

struct tensor *tape_matmul(struct tape *tape, struct tensor *A, struct tensor *B)
{
    if (!A || !B)
        return NULL;
    assert(A->cols == B->rows && A->data && B->data);
    struct tensor *Y = tape_tensor(tape, A->rows, B->cols);
    struct tape_node *node = Y ? tape_record(tape, sizeof *node, matmul_backward) : NULL;
    if (!node)
        return NULL;
    node->out = Y;
    node->in[0] = A;
    node->in[1] = B;
    graco_status status =
        tape->context->backend->gemm(tape->context, &(struct gemm){.m = A->rows,
                                                                   .n = B->cols,
                                                                   .k = A->cols,
                                                                   .A = A->data,
                                                                   .lda = A->cols,
                                                                   .B = B->data,
                                                                   .ldb = B->cols,
                                                                   .C = Y->data,
                                                                   .ldc = Y->cols});
    return status == GRACO_OK ? Y : tape_fail(tape, status);
}

static graco_status add_backward(struct tape *tape, struct tape_node *node)
{
    struct context *context = tape->context;
    struct tensor *A = node->in[0], *B = node->in[1], *Y = node->out;
    int64_t count = Y->rows * Y->cols;
    graco_status status = GRACO_OK;
    bool started;
    if (!A->constant) {
        TRY(tape_gradient(tape, A, &started));
        if (!started)
            TRY(context->backend->zero(context, A->grad, (size_t)count * sizeof(float)));
        TRY(context->backend->add(context, count, A->grad, Y->grad));
    }
    TRY(tape_pass_gradient(tape, B, &Y->grad));
done:
    return status;
}

struct tensor *tape_add(struct tape *tape, struct tensor *A, struct tensor *B)
{
    if (!A || !B)
        return NULL;
    assert(A->rows == B->rows && A->cols == B->cols && A->data && B->data && !B->leaf);
    struct tensor *Y = tape_tensor_empty(tape, B->rows, B->cols);
    struct tape_node *node = Y ? tape_record(tape, sizeof *node, add_backward) : NULL;
    if (!node)
        return NULL;
    node->out = Y;
    node->in[0] = A;
    node->in[1] = B;
    Y->data = B->data;
    B->data = NULL;
    graco_status status =
        tape->context->backend->add(tape->context, Y->rows * Y->cols, Y->data, A->data);
    return status == GRACO_OK ? Y : tape_fail(tape, status);
}
