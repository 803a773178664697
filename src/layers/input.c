#include "layers/input.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

/* Sparse features up to a row, with the transpose that the backward pass may ask for. */
struct prefix {
    struct prefix *next;
    int64_t rows;
    struct sparse_map map;
    int64_t *start; /* of the transpose, on the host */
    int32_t *index;
    float *value;
};

struct input {
    struct context *context;
    const struct features *features; /* NULL: `dense` is all there is, and is borrowed */
    int64_t rows, cols;
    const float *dense;                           /* (rows, cols) on the device; NULL: sparse */
    bool stays_sparse;                            /* having been asked */
    enum { UNDECIDED, POOLS, POOLS_NOT } pooling; /* of sparse features */
    struct sparse plain;                          /* where they are: the features on the device */
    struct prefix *prefixes;
};

/* A device multiplies by a dense matrix so much faster that it pays from this share of entries on,
 * if the matrix is not too large; more so where operands are rounded. */
enum { DENSE_ONE_IN = 24, DENSE_ONE_IN_ROUNDED = 96 };
static const int64_t DENSE_BYTES = (int64_t)1 << 30;

static bool better_dense(const struct context *context, const struct features *X)
{
    int64_t cells = X->rows * X->cols;
    int one_in = context->precision == PRECISION_FP32 ? DENSE_ONE_IN : DENSE_ONE_IN_ROUNDED;
    return !context->backend->host && !X->dense && X->start[X->rows] >= cells / one_in &&
           cells <= DENSE_BYTES / (int64_t)sizeof(float);
}

static graco_status share_as_dense(const float **out, struct context *context,
                                   const struct features *X)
{
    graco_status status = GRACO_OK;
    float *dense = NULL;
    TRY(memory_zalloc(&dense, X->rows * X->cols, sizeof(float)));
    for (int64_t row = 0; row < X->rows; row++)
        for (int64_t k = X->start[row]; k < X->start[row + 1]; k++)
            dense[row * X->cols + X->index[k]] = X->value[k];
    TRY(context_share(context, out, dense, X->rows * X->cols, sizeof(float)));
    TRY(context_finish(context)); /* the upload reads `dense` until then */
done:
    memory_free(dense);
    return status;
}

graco_status input_dense(const float **out, struct context *context, const struct features *X)
{
    graco_status status = features_check(X);
    if (status != GRACO_OK || (!X->dense && !better_dense(context, X)))
        return status;
    if (X->dense)
        return context_share(context, out, X->dense, X->rows * X->cols, sizeof(float));
    status = share_as_dense(out, context, X);
    return status == GRACO_ERROR_MEMORY ? GRACO_OK : status; /* without memory for that: sparse */
}

static graco_status input_new(struct input **out, struct context *context, int64_t rows,
                              int64_t cols)
{
    graco_status status = memory_zalloc(out, 1, sizeof **out);
    if (status != GRACO_OK)
        return status;
    (*out)->context = context;
    (*out)->rows = rows;
    (*out)->cols = cols;
    return GRACO_OK;
}

graco_status input_create(struct input **out, struct context *context,
                          const struct features *features)
{
    graco_status status = GRACO_OK;
    struct input *input = NULL;
    TRY(input_new(&input, context, features->rows, features->cols));
    input->features = features;
    TRY(features_check(features));
    if (features->dense)
        TRY(input_dense(&input->dense, context, features));
    *out = input;
    return GRACO_OK;
done:
    input_free(input);
    return status;
}

graco_status input_create_dense(struct input **out, struct context *context, const float *X,
                                int64_t rows, int64_t cols)
{
    struct input *input = NULL;
    graco_status status = input_new(&input, context, rows, cols);
    if (status != GRACO_OK)
        return status;
    input->dense = X;
    *out = input;
    return GRACO_OK;
}

static void prefix_free(struct context *context, struct prefix *prefix)
{
    const struct sparse *both[] = {&prefix->map.matrix[0], &prefix->map.transpose[0]};
    for (int i = 0; i < 2; i++) {
        context_unshare(context, both[i]->entries.start);
        context_unshare(context, both[i]->entries.index);
        context_unshare(context, both[i]->entries.value);
    }
    memory_free(prefix->start);
    memory_free(prefix->index);
    memory_free(prefix->value);
    memory_free(prefix);
}

static void unshare_plain(struct input *input)
{
    context_unshare(input->context, input->plain.entries.start);
    context_unshare(input->context, input->plain.entries.index);
    context_unshare(input->context, input->plain.entries.value);
    input->plain = (struct sparse){0};
}

void input_free(struct input *input)
{
    if (!input)
        return;
    while (input->prefixes) {
        struct prefix *next = input->prefixes->next;
        prefix_free(input->context, input->prefixes);
        input->prefixes = next;
    }
    unshare_plain(input);
    if (input->features)
        context_unshare(input->context, input->dense);
    memory_free(input);
}

int64_t input_rows(const struct input *input)
{
    return input->rows;
}

/* Fills the transpose by counting; the order within a row is ascending. */
static graco_status transpose(struct prefix *prefix, const struct features *X)
{
    graco_status status = GRACO_OK;
    int64_t entries = X->start[prefix->rows], *start;
    TRY(memory_zalloc(&prefix->start, X->cols + 1, sizeof(int64_t)));
    TRY(memory_alloc(&prefix->index, entries, sizeof(int32_t)));
    TRY(memory_alloc(&prefix->value, entries, sizeof(float)));
    start = prefix->start;
    for (int64_t k = 0; k < entries; k++)
        start[X->index[k]]++;
    for (int64_t col = 0, total = 0; col <= X->cols; col++) {
        int64_t count = start[col];
        start[col] = total += count;
    }
    /* start[col] is where the column ends now; filled from behind it comes to where it begins. */
    for (int64_t row = prefix->rows - 1; row >= 0; row--)
        for (int64_t k = X->start[row + 1] - 1; k >= X->start[row]; k--) {
            int64_t at = --start[X->index[k]];
            prefix->index[at] = (int32_t)row;
            prefix->value[at] = X->value[k];
        }
done:
    return status;
}

static int64_t longest_row(const int64_t *start, int64_t rows)
{
    int64_t longest = 0;
    for (int64_t row = 0; row < rows; row++)
        if (start[row + 1] - start[row] > longest)
            longest = start[row + 1] - start[row];
    return longest;
}

static graco_status share_prefix(struct context *c, struct prefix *prefix, const struct features *X)
{
    int64_t entries = X->start[prefix->rows];
    struct sparse *M = &prefix->map.matrix[0], *T = &prefix->map.transpose[0];
    graco_status status = GRACO_OK;
    TRY(transpose(prefix, X));
    M->entries.rows = T->entries.cols = prefix->rows;
    M->entries.cols = T->entries.rows = X->cols;
    M->longest = longest_row(X->start, M->entries.rows);
    T->longest = longest_row(prefix->start, T->entries.rows);
    TRY(context_share(c, &M->entries.start, X->start, prefix->rows + 1, sizeof(int64_t)));
    TRY(context_share(c, &M->entries.index, X->index, entries, sizeof(int32_t)));
    TRY(context_share(c, &M->entries.value, X->value, entries, sizeof(float)));
    TRY(context_share(c, &T->entries.start, prefix->start, X->cols + 1, sizeof(int64_t)));
    TRY(context_share(c, &T->entries.index, prefix->index, entries, sizeof(int32_t)));
    TRY(context_share(c, &T->entries.value, prefix->value, entries, sizeof(float)));
    prefix->map.matrix[1] = *M;
    prefix->map.transpose[1] = *T;
    prefix->map.shared = true;
done:
    return status;
}

static graco_status find_prefix(struct prefix **out, struct input *input, int64_t rows)
{
    graco_status status = GRACO_OK;
    struct prefix *prefix = input->prefixes;
    while (prefix && prefix->rows != rows)
        prefix = prefix->next;
    *out = prefix;
    if (prefix)
        return GRACO_OK;
    TRY(memory_zalloc(&prefix, 1, sizeof *prefix));
    prefix->rows = rows;
    TRY(share_prefix(input->context, prefix, input->features));
    prefix->next = input->prefixes;
    input->prefixes = *out = prefix;
    return GRACO_OK;
done:
    if (prefix)
        prefix_free(input->context, prefix);
    return status;
}

/* Dense features as the tape takes them. */
static struct dense_map dense_of(const struct input *input, const struct views *views, int64_t rows)
{
    return (struct dense_map){.views = views->count,
                              .rows = rows,
                              .cols = input->cols,
                              .X = input->dense,
                              .mask = {views->mask[0], views->mask[1]}};
}

/* Each step looks whether a mapped file still has its length: reading behind its end would kill. */
static bool readable(struct tape *tape, const struct input *input)
{
    graco_status status = input->features ? features_check(input->features) : GRACO_OK;
    if (status != GRACO_OK)
        tape_stop(tape, status);
    return status == GRACO_OK;
}

struct tensor *input_product(struct tape *tape, struct input *input, const struct views *views,
                             struct tensor *W, int64_t rows)
{
    struct prefix *prefix = NULL;
    graco_status status = GRACO_OK;
    assert(rows <= input->rows);
    if (!W)
        return NULL;
    if (!input->dense && !input->stays_sparse)
        status = input_dense(&input->dense, input->context, input->features);
    input->stays_sparse = !input->dense;
    if (status == GRACO_OK && input->dense) {
        struct dense_map map = dense_of(input, views, rows);
        return readable(tape, input) ? tape_features(tape, &map, W) : NULL;
    }
    if (status == GRACO_OK)
        status = find_prefix(&prefix, input, rows);
    if (status != GRACO_OK) {
        tape_stop(tape, status);
        return NULL;
    }
    prefix->map.views = views->count;
    for (int v = 0; v < views->count; v++) {
        prefix->map.matrix[v].col_scale = views->mask[v];
        prefix->map.transpose[v].row_scale = views->mask[v];
    }
    return tape_propagate(tape, &prefix->map, W, NULL);
}

/* Multiplications of one view, forward and backward, in either order. */
static bool pools_first(const struct views *views, int64_t features, int64_t width)
{
    double targets = (double)views->map.matrix[0].entries.rows,
           sources = (double)views->map.matrix[0].entries.cols;
    double entries = (double)views->edges + targets, F = (double)features, h = (double)width;
    double multiply_first = 2 * sources * F * h + 2 * entries * h;
    double pool_first = 2 * targets * F * h + entries * F;
    return pool_first < multiply_first;
}

/* Whether the features came dense. What a device makes of sparse ones does not count: it is made
 * when first asked for, and every step must go the same way. */
static bool is_dense(const struct input *input)
{
    return !input->features || input->features->dense;
}

/* Sparse features pool fast where there is a kernel for it; the dense product then must be the
 * faster one, and its operand not too large. */
static bool better_pooled(const struct input *input, const struct views *views)
{
    int64_t rows = views->count * views->map.matrix[0].entries.rows;
    return input->context->kernels->propagate_sparse && !is_dense(input) &&
           better_dense(input->context, input->features) && input->cols <= PROPAGATE_SPARSE_COLS &&
           rows * input->cols <= DENSE_BYTES / (int64_t)sizeof(float);
}

/* Shares the features as they are, and sees whether the pool has room for what comes of them. */
static graco_status try_pooling(struct input *input, const struct views *views)
{
    const struct features *X = input->features;
    struct sparse *plain = &input->plain;
    struct context *c = input->context;
    int64_t rows = views->count * views->map.matrix[0].entries.rows;
    float *room = NULL;
    graco_status status = GRACO_OK;
    plain->entries.rows = X->rows;
    plain->entries.cols = X->cols;
    TRY(context_share(c, &plain->entries.start, X->start, X->rows + 1, sizeof(int64_t)));
    TRY(context_share(c, &plain->entries.index, X->index, X->start[X->rows], sizeof(int32_t)));
    TRY(context_share(c, &plain->entries.value, X->value, X->start[X->rows], sizeof(float)));
    TRY(context_take(c, &room, rows * tape_propagate_row(X->cols), sizeof(float)));
    context_give(c, room);
done:
    return status;
}

/* Chooses once for all steps; without the memory for it features are multiplied first. */
static bool pools_sparse(struct tape *tape, struct input *input, const struct views *views)
{
    if (input->pooling == UNDECIDED) {
        input->pooling = better_pooled(input, views) ? POOLS : POOLS_NOT;
        graco_status status = input->pooling == POOLS ? try_pooling(input, views) : GRACO_OK;
        if (status != GRACO_OK) {
            unshare_plain(input);
            input->pooling = POOLS_NOT;
        }
        if (status != GRACO_OK && status != GRACO_ERROR_MEMORY)
            tape_stop(tape, status);
    }
    return input->pooling == POOLS;
}

struct tensor *input_pool(struct tape *tape, struct input *input, const struct views *views,
                          struct tensor *W, const struct ending *end)
{
    int64_t rows = input->rows;
    assert(rows == views->map.matrix[0].entries.cols);
    if (!W)
        return NULL;
    if (pools_sparse(tape, input, views)) {
        struct tensor *P = tape_propagate_sparse(tape, &input->plain, views->mask, &views->map);
        return tape_matmul(tape, P, W, end);
    }
    if (is_dense(input) && pools_first(views, W->rows, W->cols)) {
        struct dense_map map = dense_of(input, views, rows);
        struct tensor *P =
            readable(tape, input) ? tape_propagate_features(tape, &map, &views->map) : NULL;
        return tape_matmul(tape, P, W, end);
    }
    struct tensor *XW = input_product(tape, input, views, W, rows);
    struct tensor *pooled = tape_propagate(tape, &views->map, XW, end);
    tape_drop(tape, XW);
    return pooled;
}
