/* Propagation: Y_v (rows, d) = M_v (rows, cols) X_v (cols, d), dX_v = M_v' dY_v; a shared X gets
 * the sum over the views. Where ranks have rows each, X and dY are first completed by rows of others;
 * a sum then has the terms that one process would add, in its order. */
#include "compute/exchange.h"
#include "tape/tape_node.h"

#include <assert.h>

struct propagate_node {
    struct tape_node node;
    const struct sparse_map *map;
};

/* What a product reads: `own` itself, or, over ranks, *completed, which goes back to the context. */
static graco_status complete(const float **out, float **completed, struct context *c,
                             const struct sparse_map *map, const float *own, int64_t cols)
{
    *out = own;
    if (!map->rows)
        return GRACO_OK;
    int64_t all = map->rows->own + map->rows->others, rows = map->rows->own;
    PASS(context_take(c, completed, map->views * all * cols, sizeof(float)));
    *out = *completed;
    for (int view = 0; view < map->views; view++)
        PASS(c->buffers->copy(c, *completed + view * all * cols, own + view * rows * cols,
                              (size_t)(rows * cols) * sizeof(float)));
    return exchange_rows(c, map->rows, map->sent, cols, map->views, *completed);
}

static graco_status propagate_backward(struct tape *tape, struct tape_node *node)
{
    const struct sparse_map *map = ((struct propagate_node *)node)->map;
    struct tensor *X = node->in[0], *Y = node->out;
    const float *dY = NULL;
    float *completed = NULL;
    bool accumulate = false;
    int64_t read = map->rows ? map->rows->own + map->rows->others : map->matrix[0].entries.rows;
    int64_t given = map->rows ? map->rows->own : map->matrix[0].entries.cols;
    graco_status status = GRACO_OK;
    if (X->constant)
        return GRACO_OK;
    TRY(tape_gradient(tape, X, &accumulate));
    TRY(complete(&dY, &completed, tape->context, map, Y->grad, X->cols));
    TRY(tape->context->kernels->spmm(tape->context,
                                     &(struct spmm){.views = map->views,
                                                    .matrix = map->transpose,
                                                    .transpose = map->rows ? NULL : map->matrix,
                                                    .cols = X->cols,
                                                    .X = dY,
                                                    .x_step = read * X->cols,
                                                    .Y = X->grad,
                                                    .y_step = map->shared ? 0 : given * X->cols,
                                                    .accumulate = accumulate}));
done:
    context_give(tape->context, completed);
    return status;
}

struct tensor *tape_propagate(struct tape *tape, const struct sparse_map *map, struct tensor *X,
                              const struct ending *end)
{
    if (!X)
        return NULL;
    int64_t rows = map->matrix[0].entries.rows, cols = map->matrix[0].entries.cols;
    assert(X->data && X->rows == (map->rows ? rows : cols) * (map->shared ? 1 : map->views));
    struct tensor *Y = tape_tensor(tape, rows * map->views, X->cols);
    struct propagate_node *op =
        tape_record(tape, sizeof *op, propagate_backward, Y, (struct tensor *[3]){X});
    if (!op)
        return NULL;
    op->map = map;
    struct activation after;
    bool fused = tape_fuses(end, Y, &after);
    const float *read = NULL;
    float *completed = NULL;
    graco_status status = GRACO_OK;
    TRY(complete(&read, &completed, tape->context, map, X->data, X->cols));
    TRY(tape->context->kernels->spmm(tape->context,
                                     &(struct spmm){.views = map->views,
                                                    .matrix = map->matrix,
                                                    .cols = X->cols,
                                                    .X = read,
                                                    .x_step = map->shared ? 0 : cols * X->cols,
                                                    .Y = Y->data,
                                                    .y_step = rows * X->cols,
                                                    .after = fused ? &after : NULL}));
done:
    context_give(tape->context, completed);
    return status == GRACO_OK ? tape_end(tape, end, Y, fused) : tape_fail(tape, status);
}
