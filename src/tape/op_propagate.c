/* Propagation: Y_v (rows, d) = M_v (rows, cols) X_v (cols, d), dX_v = M_v' dY_v; a shared X gets
 * the sum over the views. */
#include "tape/tape_node.h"

#include <assert.h>

struct propagate_node {
    struct tape_node node;
    const struct sparse_map *map;
};

static graco_status propagate_backward(struct tape *tape, struct tape_node *node)
{
    const struct sparse_map *map = ((struct propagate_node *)node)->map;
    struct tensor *X = node->in[0], *Y = node->out;
    bool accumulate = false;
    if (X->constant)
        return GRACO_OK;
    PASS(tape_gradient(tape, X, &accumulate));
    return tape->context->kernels->spmm(
        tape->context,
        &(struct spmm){.views = map->views,
                       .matrix = map->transpose,
                       .transpose = map->matrix,
                       .cols = X->cols,
                       .X = Y->grad,
                       .x_step = map->matrix[0].entries.rows * X->cols,
                       .Y = X->grad,
                       .y_step = map->shared ? 0 : map->matrix[0].entries.cols * X->cols,
                       .accumulate = accumulate});
}

struct tensor *tape_propagate(struct tape *tape, const struct sparse_map *map, struct tensor *X,
                              const struct ending *end)
{
    if (!X)
        return NULL;
    int64_t rows = map->matrix[0].entries.rows, cols = map->matrix[0].entries.cols;
    assert(X->data && X->rows == (map->shared ? cols : cols * map->views));
    struct tensor *Y = tape_tensor(tape, rows * map->views, X->cols);
    struct propagate_node *op =
        tape_record(tape, sizeof *op, propagate_backward, Y, (struct tensor *[3]){X});
    if (!op)
        return NULL;
    op->map = map;
    struct activation after;
    bool fused = tape_fuses(end, Y, &after);
    graco_status status = tape->context->kernels->spmm(
        tape->context, &(struct spmm){.views = map->views,
                                      .matrix = map->matrix,
                                      .cols = X->cols,
                                      .X = X->data,
                                      .x_step = map->shared ? 0 : cols * X->cols,
                                      .Y = Y->data,
                                      .y_step = rows * X->cols,
                                      .after = fused ? &after : NULL});
    return status == GRACO_OK ? tape_end(tape, end, Y, fused) : tape_fail(tape, status);
}
