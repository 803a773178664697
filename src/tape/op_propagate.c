/* Propagation: Y_v (rows, d) = M_v (rows, cols) X_v (cols, d), dX_v = M_v' dY_v; a shared X gets
 * the sum over the views.
 *
 * Where ranks have rows each, X and dY lack the rows of others. These are exchanged while those rows of the
 * product are computed that need none of them, the inner ones, and while the view before is ended:
 *
 *     on their way   others' rows of view 0   others' rows of view 1
 *     computed       inner rows of view 0     outer rows of view 0, inner rows of view 1   outer rows of view 1
 *
 * A row is computed once, from all that it reads: its sum has the terms that one process would add, in
 * its order. A device, whose messages go in the order of its kernels, completes X first. */
#include "compute/exchange.h"
#include "tape/tape_node.h"

#include <assert.h>

struct propagate_node {
    struct tape_node node;
    const struct sparse_map *map;
};

enum { FORWARD, BACKWARD };        /* by a matrix, or by its transpose */
enum { COPIED_AT_ONCE = 1 << 18 }; /* numbers, between two looks at what is on its way */

/* Some rows of one view's product: Y's of that view from X. */
static graco_status multiply_rows(struct context *c, const struct spmm *whole, int view,
                                  const float *X, const int32_t *rows, int64_t count)
{
    if (count == 0)
        return GRACO_OK;
    return c->kernels->spmm(c, &(struct spmm){.views = 1,
                                              .matrix = &whole->matrix[view],
                                              .cols = whole->cols,
                                              .X = X,
                                              .Y = whole->Y + view * whole->y_step,
                                              .accumulate = whole->accumulate,
                                              .rows = rows,
                                              .row_count = count});
}

static graco_status copy_moving(struct context *c, float *to, const float *from, int64_t count)
{
    for (int64_t first = 0; first < count; first += COPIED_AT_ONCE) {
        int64_t left = count - first, piece = left < COPIED_AT_ONCE ? left : COPIED_AT_ONCE;
        PASS(c->buffers->copy(c, to + first, from + first, (size_t)piece * sizeof(float)));
        comm_move(c->comm);
    }
    return GRACO_OK;
}

/* The product over ranks, whose X has this rank's rows of each view. */
static graco_status multiply_over_ranks(struct context *c, const struct sparse_map *map, int way,
                                        const struct spmm *whole)
{
    const int32_t *order = map->order[way];
    int64_t cols = whole->cols, own = map->rows->own, all = own + map->rows->others;
    int64_t inner = map->inner[way], outer = own - inner;
    float *completed = NULL; /* (views, all, cols) what outer rows read */
    graco_status status = GRACO_OK;
    assert(!map->shared);
    TRY(context_take(c, &completed, map->views * all * cols, sizeof(float)));
    for (int view = 0; view < map->views; view++) {
        const float *X = whole->X + view * own * cols;
        float *read = completed + view * all * cols;
        TRY(comm_exchange_start(map->comm, map->rows, cols, X, read + own * cols));
        if (view > 0)
            TRY(multiply_rows(c, whole, view - 1, read - all * cols, order + inner, outer));
        TRY(multiply_rows(c, whole, view, X, order, inner));
        if (outer > 0)
            TRY(copy_moving(c, read, X, own * cols));
        TRY(comm_finish(map->comm));
    }
    TRY(multiply_rows(c, whole, map->views - 1, completed + (map->views - 1) * all * cols,
                      order + inner, outer));
    if (whole->after)
        TRY(c->kernels->activate(c, whole->after, whole->Y, whole->Y));
done:
    context_give(c, completed);
    return status;
}

/* The same on a device. */
static graco_status multiply_completed(struct context *c, const struct sparse_map *map,
                                       const struct spmm *whole)
{
    int64_t cols = whole->cols, own = map->rows->own, all = own + map->rows->others;
    struct spmm product = *whole;
    float *completed = NULL; /* (views, all, cols) */
    graco_status status = GRACO_OK;
    TRY(context_take(c, &completed, map->views * all * cols, sizeof(float)));
    for (int view = 0; view < map->views; view++)
        TRY(c->buffers->copy(c, completed + view * all * cols, whole->X + view * own * cols,
                             (size_t)(own * cols) * sizeof(float)));
    TRY(exchange_rows(c, map->rows, map->sent, cols, map->views, completed));
    product.X = completed;
    product.x_step = all * cols;
    TRY(c->kernels->spmm(c, &product));
done:
    context_give(c, completed);
    return status;
}

static graco_status multiply(struct context *c, const struct sparse_map *map, int way,
                             const struct spmm *whole)
{
    if (map->rows && c->peers)
        return multiply_completed(c, map, whole);
    return map->rows ? multiply_over_ranks(c, map, way, whole) : c->kernels->spmm(c, whole);
}

static graco_status propagate_backward(struct tape *tape, struct tape_node *node)
{
    const struct sparse_map *map = ((struct propagate_node *)node)->map;
    struct tensor *X = node->in[0], *Y = node->out;
    bool accumulate = false;
    int64_t read = map->matrix[0].entries.rows;
    int64_t given = map->rows ? map->rows->own : map->matrix[0].entries.cols;
    if (X->constant)
        return GRACO_OK;
    PASS(tape_gradient(tape, X, &accumulate));
    return multiply(tape->context, map, BACKWARD,
                    &(struct spmm){.views = map->views,
                                   .matrix = map->transpose,
                                   .back = true,
                                   .cols = X->cols,
                                   .X = Y->grad,
                                   .x_step = read * X->cols,
                                   .Y = X->grad,
                                   .y_step = map->shared ? 0 : given * X->cols,
                                   .accumulate = accumulate});
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
    graco_status status = multiply(tape->context, map, FORWARD,
                                   &(struct spmm){.views = map->views,
                                                  .matrix = map->matrix,
                                                  .cols = X->cols,
                                                  .X = X->data,
                                                  .x_step = map->shared ? 0 : cols * X->cols,
                                                  .Y = Y->data,
                                                  .y_step = rows * X->cols,
                                                  .after = fused ? &after : NULL});
    return status == GRACO_OK ? tape_end(tape, end, Y, fused) : tape_fail(tape, status);
}
