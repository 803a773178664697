#include "model/input.h"

#include "base/memory.h"

#include <string.h>

/* Fills the transpose by counting; the order within a row is ascending. */
static graco_status transpose(struct input *input, const struct features *X)
{
    graco_status status = GRACO_OK;
    int64_t entries = X->start[X->rows], *start;
    TRY(memory_zalloc(&input->transpose_start, X->cols + 1, sizeof(int64_t)));
    TRY(memory_alloc(&input->transpose_index, entries, sizeof(int32_t)));
    TRY(memory_alloc(&input->transpose_value, entries, sizeof(float)));
    start = input->transpose_start;
    for (int64_t k = 0; k < entries; k++)
        start[X->index[k]]++;
    for (int64_t col = 0, total = 0; col <= X->cols; col++) {
        int64_t count = start[col];
        start[col] = total += count;
    }
    /* start[col] is where the column ends now; filled from behind it comes to where it begins. */
    for (int64_t row = X->rows - 1; row >= 0; row--)
        for (int64_t k = X->start[row + 1] - 1; k >= X->start[row]; k--) {
            int64_t at = --start[X->index[k]];
            input->transpose_index[at] = (int32_t)row;
            input->transpose_value[at] = X->value[k];
        }
done:
    return status;
}

static graco_status share_sparse(struct input *input, const struct features *X)
{
    struct context *c = input->context;
    int64_t entries = X->start[X->rows];
    struct sparse *M = &input->sparse.matrix[0], *T = &input->sparse.transpose[0];
    graco_status status = GRACO_OK;
    TRY(transpose(input, X));
    M->rows = T->cols = X->rows;
    M->cols = T->rows = X->cols;
    TRY(context_share(c, &M->start, X->start, X->rows + 1, sizeof(int64_t)));
    TRY(context_share(c, &M->index, X->index, entries, sizeof(int32_t)));
    TRY(context_share(c, &M->value, X->value, entries, sizeof(float)));
    TRY(context_share(c, &T->start, input->transpose_start, X->cols + 1, sizeof(int64_t)));
    TRY(context_share(c, &T->index, input->transpose_index, entries, sizeof(int32_t)));
    TRY(context_share(c, &T->value, input->transpose_value, entries, sizeof(float)));
    input->sparse.matrix[1] = *M;
    input->sparse.transpose[1] = *T;
    input->sparse.shared = true;
done:
    return status;
}

graco_status input_create(struct input **out, struct context *context,
                          const struct features *features)
{
    graco_status status = GRACO_OK;
    struct input *input = NULL;
    TRY(features_check(features));
    TRY(memory_zalloc(&input, 1, sizeof *input));
    input->context = context;
    input->rows = features->rows;
    input->cols = features->cols;
    if (features->dense) {
        input->dense.rows = features->rows;
        input->dense.cols = features->cols;
        TRY(context_share(context, &input->dense.X, features->dense,
                          features->rows * features->cols, sizeof(float)));
    } else {
        TRY(share_sparse(input, features));
    }
    *out = input;
    return GRACO_OK;
done:
    input_free(input);
    return status;
}

void input_free(struct input *input)
{
    if (!input)
        return;
    const struct sparse *both[] = {&input->sparse.matrix[0], &input->sparse.transpose[0]};
    for (int i = 0; i < 2; i++) {
        context_unshare(input->context, both[i]->start);
        context_unshare(input->context, both[i]->index);
        context_unshare(input->context, both[i]->value);
    }
    context_unshare(input->context, input->dense.X);
    memory_free(input->transpose_start);
    memory_free(input->transpose_index);
    memory_free(input->transpose_value);
    memory_free(input);
}

struct tensor *input_product(struct tape *tape, struct input *input, const struct views *views,
                             struct tensor *W)
{
    if (input->dense.X) {
        input->dense.views = views->count;
        memcpy(input->dense.mask, views->mask, sizeof views->mask);
        return tape_features(tape, &input->dense, W);
    }
    input->sparse.views = views->count;
    for (int v = 0; v < views->count; v++) {
        input->sparse.matrix[v].col_scale = views->mask[v];
        input->sparse.transpose[v].row_scale = views->mask[v];
    }
    return tape_propagate(tape, &input->sparse, W);
}
