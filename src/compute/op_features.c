/* Y_v = X diag(m_v) W for dense X: X (diag(m_v) W), so X is never copied. dW = sum_v diag(m_v) X'
 * dY_v. Pooled first, M_v X stands for X: it is kept for the way back, and as X is constant nothing
 * goes back through M_v. */
#include "compute/tape_node.h"

#include <assert.h>

struct features_node {
    struct tape_node node;
    struct dense_map map;
    int64_t rows;          /* of the result, per view */
    struct tensor *pooled; /* (views * rows, cols) M_v X; NULL: X itself serves all views */
};

/* What a view multiplies. */
static const float *operand(const struct features_node *op, int view)
{
    return op->pooled ? op->pooled->data + view * op->rows * op->map.cols : op->map.X;
}

static graco_status pool(struct tape *tape, struct features_node *op)
{
    const struct dense_map *map = &op->map;
    op->pooled = tape_tensor(tape, map->views * op->rows, map->cols);
    if (!op->pooled)
        return tape->status;
    return tape->context->backend->spmm(tape->context,
                                        &(struct spmm){.views = map->views,
                                                       .matrix = map->pool->matrix,
                                                       .cols = map->cols,
                                                       .X = map->X,
                                                       .Y = op->pooled->data,
                                                       .y_step = op->rows * map->cols});
}

/* diag(mask) W into `masked`, or W itself where nothing is masked. */
static graco_status masked_weights(struct tape *tape, const float **out, const float *mask,
                                   const struct tensor *W, float *masked)
{
    *out = mask ? masked : W->data;
    if (!mask)
        return GRACO_OK;
    return tape->context->backend->scale_rows(tape->context, W->rows, W->cols, masked, mask,
                                              W->data, false);
}

static graco_status features_backward(struct tape *tape, struct tape_node *node)
{
    struct context *context = tape->context;
    const struct features_node *op = (const struct features_node *)node;
    const struct dense_map *map = &op->map;
    struct tensor *W = node->in[0], *Y = node->out;
    float *product = NULL;
    bool started;
    graco_status status = tape_gradient(tape, W, &started);
    if (status != GRACO_OK)
        return status;
    if (!started)
        TRY(context->backend->zero(context, W->grad, (size_t)(W->rows * W->cols) * sizeof(float)));
    TRY(context_take(context, &product, W->rows * W->cols, sizeof(float)));
    for (int view = 0; view < map->views; view++) {
        const float *mask = map->mask[view];
        TRY(context->backend->gemm(context, &(struct gemm){.transpose_a = true,
                                                           .m = W->rows,
                                                           .n = W->cols,
                                                           .k = op->rows,
                                                           .A = operand(op, view),
                                                           .lda = map->cols,
                                                           .B = Y->grad + view * op->rows * Y->cols,
                                                           .ldb = Y->cols,
                                                           .beta = mask ? 0.0f : 1.0f,
                                                           .C = mask ? product : W->grad,
                                                           .ldc = W->cols}));
        if (mask)
            TRY(context->backend->scale_rows(context, W->rows, W->cols, W->grad, mask, product,
                                             true));
    }
    tape_drop(tape, op->pooled);
done:
    context_give(context, product);
    return status;
}

struct tensor *tape_features(struct tape *tape, const struct dense_map *map, struct tensor *W)
{
    if (!W)
        return NULL;
    assert(W->rows == map->cols && W->data);
    struct context *context = tape->context;
    int64_t rows = map->pool ? map->pool->matrix[0].rows : map->rows;
    struct tensor *Y = tape_tensor(tape, rows * map->views, W->cols);
    struct features_node *op = Y ? tape_record(tape, sizeof *op, features_backward) : NULL;
    if (!op)
        return NULL;
    op->node.out = Y;
    op->node.in[0] = W;
    op->map = *map;
    op->rows = rows;
    float *masked = NULL;
    graco_status status = GRACO_OK;
    if (map->pool)
        TRY(pool(tape, op));
    TRY(context_take(context, &masked, W->rows * W->cols, sizeof(float)));
    for (int view = 0; view < map->views; view++) {
        const float *weights;
        TRY(masked_weights(tape, &weights, map->mask[view], W, masked));
        TRY(context->backend->gemm(context, &(struct gemm){.m = rows,
                                                           .n = W->cols,
                                                           .k = map->cols,
                                                           .A = operand(op, view),
                                                           .lda = map->cols,
                                                           .B = weights,
                                                           .ldb = W->cols,
                                                           .C = Y->data + view * rows * W->cols,
                                                           .ldc = W->cols}));
    }
done:
    context_give(context, masked);
    return status == GRACO_OK ? Y : tape_fail(tape, status);
}
