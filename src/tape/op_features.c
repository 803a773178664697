/* Features X (rows, F), which are constant; views may have other rows each. Y_v = X diag(m_v) W with W (F, h) is found as
 * X (diag(m_v) W), so that X is never copied; dW = sum_v diag(m_v) X' dY_v. Or X is propagated
 * first, P_v = M_v X diag(m_v): P is then the left operand of an ordinary product, and nothing goes
 * back through M_v. */
#include "tape/tape_node.h"

#include <assert.h>

enum { LINE = 32 }; /* floats of one line of memory */

struct features_node {
    struct tape_node node;
    struct dense_map map;
};

/* diag(mask) W into `masked`, or W itself where nothing is masked. */
static graco_status masked_weights(struct tape *tape, const float **out, const float *mask,
                                   const struct tensor *W, float *masked)
{
    *out = mask ? masked : W->data;
    if (!mask)
        return GRACO_OK;
    return tape->context->kernels->scale_rows(tape->context, W->rows, W->cols, masked, mask,
                                              W->data, false);
}

static graco_status features_backward(struct tape *tape, struct tape_node *node)
{
    struct context *context = tape->context;
    const struct dense_map *map = &((const struct features_node *)node)->map;
    struct tensor *W = node->in[0], *Y = node->out;
    float *product = NULL;
    graco_status status = GRACO_OK;
    TRY(tape_gradient_zeroed(tape, W));
    TRY(context_take(context, &product, W->rows * W->cols, sizeof(float)));
    for (int view = 0; view < map->views; view++) {
        const float *mask = map->mask[view];
        TRY(context->kernels->gemm(context,
                                   &(struct gemm){.transpose_a = true,
                                                  .m = W->rows,
                                                  .n = W->cols,
                                                  .k = map->rows,
                                                  .A = map->X[view],
                                                  .lda = map->cols,
                                                  .B = Y->grad + view * map->rows * Y->cols,
                                                  .ldb = Y->cols,
                                                  .C = mask ? product : W->grad,
                                                  .ldc = W->cols,
                                                  .accumulate = !mask}));
        if (mask)
            TRY(context->kernels->scale_rows(context, W->rows, W->cols, W->grad, mask, product,
                                             true));
    }
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
    struct tensor *Y = tape_tensor(tape, map->rows * map->views, W->cols);
    struct features_node *op =
        tape_record(tape, sizeof *op, features_backward, Y, (struct tensor *[3]){W});
    if (!op)
        return NULL;
    op->map = *map;
    float *masked = NULL;
    graco_status status = GRACO_OK;
    TRY(context_take(context, &masked, W->rows * W->cols, sizeof(float)));
    for (int view = 0; view < map->views; view++) {
        const float *weights = NULL;
        TRY(masked_weights(tape, &weights, map->mask[view], W, masked));
        TRY(context->kernels->gemm(context,
                                   &(struct gemm){.m = map->rows,
                                                  .n = W->cols,
                                                  .k = map->cols,
                                                  .A = map->X[view],
                                                  .lda = map->cols,
                                                  .B = weights,
                                                  .ldb = W->cols,
                                                  .C = Y->data + view * map->rows * W->cols,
                                                  .ldc = W->cols}));
    }
done:
    context_give(context, masked);
    return status == GRACO_OK ? Y : tape_fail(tape, status);
}

struct tensor *tape_propagate_features(struct tape *tape, const struct dense_map *map,
                                       const struct sparse_map *views)
{
    int64_t rows = views->matrix[0].entries.rows;
    assert(views->views == map->views && views->matrix[0].entries.cols == map->rows);
    struct tensor *P = tape_constant(tape, map->views * rows, map->cols);
    if (!P)
        return NULL;
    bool shared = map->views == 1 || map->X[1] == map->X[0];
    graco_status status = GRACO_OK;
    for (int view = 0; view < (shared ? 1 : map->views); view++)
        TRY(tape->context->kernels->spmm(tape->context,
                                         &(struct spmm){.views = shared ? map->views : 1,
                                                        .matrix = views->matrix + view,
                                                        .cols = map->cols,
                                                        .X = map->X[view],
                                                        .Y = P->data + view * rows * map->cols,
                                                        .y_step = rows * map->cols,
                                                        .mask = {map->mask[view], map->mask[1]}}));
done:
    return status == GRACO_OK ? P : tape_fail(tape, status);
}

/* Whole lines of memory where that makes rows at most a sixteenth longer: products read such rows a
 * fifth faster. Else a multiple of 4. */
int64_t tape_propagate_row(int64_t cols)
{
    int64_t lines = (cols + LINE - 1) / LINE * LINE;
    return (lines - cols) * 16 <= cols ? lines : (cols + 3) / 4 * 4;
}

struct tensor *tape_propagate_sparse(struct tape *tape, const struct sparse *X,
                                     const float *const mask[2], const struct sparse_map *views)
{
    int64_t rows = views->matrix[0].entries.rows, row = tape_propagate_row(X->entries.cols);
    assert(views->matrix[0].entries.cols == X->entries.rows &&
           X->entries.cols <= PROPAGATE_SPARSE_COLS);
    struct tensor *P = tape_constant(tape, views->views * rows, row);
    if (!P)
        return NULL;
    graco_status status = tape->context->kernels->propagate_sparse(
        tape->context, &(struct propagate_sparse){.views = views->views,
                                                  .matrix = views->matrix,
                                                  .X = X,
                                                  .mask = {mask[0], mask[1]},
                                                  .Y = P->data,
                                                  .y_row = row,
                                                  .y_step = rows * row});
    return status == GRACO_OK ? P : tape_fail(tape, status);
}
