/* Features on a device, as dense or sparse as serves the products.
 *
 * Dense features are shared as they are. Sparse ones are multiplied in compressed rows, and their
 * transpose, which the backward pass needs, is built once for each number of rows that is asked
 * for. A device multiplies dense matrices so much faster that it gets sparse features as dense ones
 * where enough of their entries are not zero. */
#include "layers/input.h"

#include "base/memory.h"
#include "graph/shard.h"

#include <assert.h>

/* Sparse features up to a row, with the transpose that the backward pass may ask for. */
struct prefix {
    struct prefix *next;
    int64_t rows;
    struct sparse_map map;
    struct csr transpose; /* on the host */
    uint32_t *origin; /* (entries) of each entry of the transpose in X; NULL: not asked for yet */
    const uint32_t *from; /* the same on the device */
};

struct input {
    struct context *context;
    const struct features *features; /* NULL: `dense` is all there is, and is borrowed */
    int64_t rows, cols;
    const float *dense;                            /* (rows, cols) on the device; NULL: sparse */
    bool stays_sparse;                             /* the device has no use for dense ones */
    enum { UNDECIDED, PROPAGATE, MULTIPLY } first; /* what is done to sparse features */
    struct sparse plain; /* to propagate: the sparse features on the device */
    struct prefix *prefixes;
    struct dropout dropout;
};

/* A device multiplies by a dense matrix so much faster that it pays from this share of entries on,
 * if the matrix is not too large; more so where operands are rounded. */
enum { DENSE_ONE_IN = 24, DENSE_ONE_IN_ROUNDED = 96 };
static const int64_t DENSE_BYTES = (int64_t)1 << 30;

static bool better_dense(const struct context *context, const struct features *X)
{
    int64_t cells = X->rows * X->cols;
    int one_in = context->precision == PRECISION_FP32 ? DENSE_ONE_IN : DENSE_ONE_IN_ROUNDED;
    return !context->backend->host && !X->dense && X->sparse.start[X->rows] >= cells / one_in &&
           cells <= DENSE_BYTES / (int64_t)sizeof(float);
}

static graco_status share_as_dense(const float **out, struct context *context,
                                   const struct features *X)
{
    graco_status status = GRACO_OK;
    float *dense = NULL;
    TRY(csr_densify(&dense, &X->sparse));
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
    PASS(memory_zalloc(out, 1, sizeof **out));
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
    PASS(input_new(&input, context, rows, cols));
    input->dense = X;
    *out = input;
    return GRACO_OK;
}

static void unshare_matrix(struct context *context, struct sparse *M)
{
    context_unshare(context, M->entries.start);
    context_unshare(context, M->entries.index);
    context_unshare(context, M->entries.value);
    *M = (struct sparse){0};
}

static void prefix_free(struct context *context, struct prefix *prefix)
{
    unshare_matrix(context, &prefix->map.matrix[0]);
    unshare_matrix(context, &prefix->map.transpose[0]);
    context_unshare(context, prefix->from);
    csr_clear(&prefix->transpose);
    memory_free(prefix->origin);
    memory_free(prefix);
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
    unshare_matrix(input->context, &input->plain);
    if (input->features)
        context_unshare(input->context, input->dense);
    memory_free(input);
}

void input_drop(struct input *input, struct dropout dropout)
{
    input->dropout = dropout;
}

const struct features *input_features(const struct input *input)
{
    return input->features;
}

int64_t input_rows(const struct input *input)
{
    return input->rows;
}

/* A matrix as the device sees it. */
static graco_status share_matrix(struct sparse *out, struct context *c, const struct csr *M)
{
    int64_t entries = M->start[M->rows];
    out->entries.rows = M->rows;
    out->entries.cols = M->cols;
    PASS(context_share(c, &out->entries.start, M->start, M->rows + 1, sizeof(int64_t)));
    PASS(context_share(c, &out->entries.index, M->index, entries, sizeof(int32_t)));
    return context_share(c, &out->entries.value, M->value, entries, sizeof(float));
}

static graco_status share_prefix(struct context *c, struct prefix *prefix, const struct features *X)
{
    struct csr first = X->sparse;
    struct sparse *M = &prefix->map.matrix[0], *T = &prefix->map.transpose[0];
    first.rows = prefix->rows;
    PASS(csr_transpose(&prefix->transpose, NULL, &first));
    PASS(share_matrix(M, c, &first));
    PASS(share_matrix(T, c, &prefix->transpose));
    M->longest = csr_longest_row(&first);
    T->longest = csr_longest_row(&prefix->transpose);
    prefix->map.matrix[1] = *M;
    prefix->map.transpose[1] = *T;
    prefix->map.shared = true;
    return GRACO_OK;
}

/* The first `rows` rows of the features on the device: those that are there already, or uploaded now. */
static graco_status rows_on_device(struct prefix **out, struct input *input, int64_t rows)
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

/* The map of a prefix with stored entries dropped out; NULL: the tape has failed. */
static const struct sparse_map *drop_entries(struct tape *tape, struct input *input,
                                             struct prefix *prefix)
{
    struct csr first = input->features->sparse, transpose = {0};
    int64_t entries = first.start[prefix->rows];
    graco_status status = GRACO_OK;
    first.rows = prefix->rows;
    if (!prefix->origin)
        TRY(csr_transpose(&transpose, &prefix->origin, &first));
    if (!prefix->from)
        TRY(context_share(input->context, &prefix->from, prefix->origin, entries,
                          sizeof *prefix->origin));
    csr_clear(&transpose);
    return tape_dropout_features(tape, &input->dropout, &prefix->map, prefix->from, entries);
done:
    csr_clear(&transpose);
    tape_fail(tape, status);
    return NULL;
}

/* Each step looks whether a mapped file still has its length: reading behind its end would kill. */
static bool readable(struct tape *tape, const struct input *input)
{
    graco_status status = input->features ? features_check(input->features) : GRACO_OK;
    tape_fail(tape, status);
    return status == GRACO_OK;
}

/* The first `rows` rows of dense features, with numbers dropped out where that is wanted; NULL: the tape
 * has failed. */
static const float *dense_rows(struct tape *tape, const struct input *input, int64_t rows)
{
    struct tensor *X = tape_parameter(tape, rows, input->cols, (float *)input->dense, NULL);
    X = tape_dropout(tape, &input->dropout, X);
    return X ? X->data : NULL;
}

/* Dense features as the tape takes them, the first `rows` rows of each view. Where the second reads them
 * in another order they are gathered. */
static graco_status dense_of(struct dense_map *out, struct tape *tape, const struct input *input,
                             const struct views *views, int64_t rows)
{
    struct context *c = input->context;
    struct tensor *gathered = NULL;
    const float *X = readable(tape, input) ? dense_rows(tape, input, rows) : NULL;
    if (!X)
        return tape_status(tape);
    *out = (struct dense_map){.views = views->count,
                              .rows = rows,
                              .cols = input->cols,
                              .X = {X, X},
                              .mask = {views->mask[0], views->mask[1]}};
    if (views->order.views < 2)
        return GRACO_OK;
    gathered = tape_constant(tape, rows, input->cols);
    if (!gathered)
        return tape_status(tape);
    out->X[1] = gathered->data;
    return c->kernels->gather(c, rows, input->cols, gathered->data, X,
                              views->order.matrix[1].entries.index);
}

/* The same, where no view reads the rows in an order of its own. */
static struct tensor *product(struct tape *tape, struct input *input, const struct views *views,
                              struct tensor *W, int64_t rows)
{
    struct prefix *prefix = NULL;
    graco_status status = GRACO_OK;
    bool dropping = input->dropout.p > 0 && !input_is_dense(input); /* of stored entries */
    if (!input->dense && !input->stays_sparse && !dropping) {
        status = input_dense(&input->dense, input->context, input->features);
        input->stays_sparse = !input->dense;
    }
    if (status == GRACO_OK && input->dense && !dropping) {
        struct dense_map dense;
        status = dense_of(&dense, tape, input, views, rows);
        if (status == GRACO_OK)
            return tape_features(tape, &dense, W);
    }
    if (status == GRACO_OK)
        status = rows_on_device(&prefix, input, rows);
    if (status != GRACO_OK)
        return tape_fail(tape, status);
    prefix->map.views = views->count;
    for (int v = 0; v < views->count; v++) {
        prefix->map.matrix[v].col_scale = views->mask[v];
        prefix->map.transpose[v].row_scale = views->mask[v];
    }
    const struct sparse_map *map = dropping ? drop_entries(tape, input, prefix) : &prefix->map;
    return map ? tape_propagate(tape, map, W, NULL) : NULL;
}

/* Whether the features came dense. Sparse ones that a device has as dense ones do not count: they
 * are made dense at the first use, and every step must go the same way. */
bool input_is_dense(const struct input *input)
{
    return !input->features || input->features->dense;
}

/* X W once for all rows, and then in each view's order: the rows of a product are those of X. */
static struct tensor *ordered_product(struct tape *tape, struct input *input,
                                      const struct views *views, struct tensor *W, int64_t rows)
{
    struct context *c = input->context;
    struct views plain = {.count = 1};
    struct tensor *XW = product(tape, input, &plain, W, input->rows);
    struct tensor *all = tape_propagate(tape, &views->order, XW, NULL);
    tape_drop(tape, XW);
    if (rows == input->rows || !all)
        return all;
    struct tensor *heads = tape_constant(tape, views->count * rows, W->cols);
    if (heads)
        tape_fail(tape, c->buffers->zero(c, heads->data,
                                         (size_t)(heads->rows * heads->cols) * sizeof(float)));
    return tape_add(tape, all, heads, views->count);
}

struct tensor *input_product(struct tape *tape, struct input *input, const struct views *views,
                             struct tensor *W, int64_t rows)
{
    assert(rows <= input->rows);
    if (!W)
        return NULL;
    bool few = input_is_dense(input) && rows < input->rows; /* gathered at less cost */
    return views->order.views == 2 && !few ? ordered_product(tape, input, views, W, rows)
                                           : product(tape, input, views, W, rows);
}

/* What decides the order of two products. */
struct product_sizes {
    double targets, sources, edges;
    double views, products; /* of X W: views that read the same rows in different orders share it */
};

/* Multiplications of all views, forward and backward, in either order. */
static bool fewer_propagated(const struct product_sizes *s, int64_t columns, int64_t width)
{
    double entries = s->edges + s->targets, F = (double)columns, h = (double)width;
    double multiply_first = s->products * (2 * s->sources * F * h) + s->views * (2 * entries * h);
    double propagate_first = s->views * (2 * s->targets * F * h + entries * F);
    return propagate_first < multiply_first;
}

/* Of the whole graph: all ranks must go the same way. */
static struct product_sizes sizes_over_ranks(const struct shard *shard, int views)
{
    double nodes = (double)shard->all_nodes, edges = (double)shard->all_edges;
    return (struct product_sizes){nodes, nodes, edges, views, views};
}

static bool propagates_first(const struct views *views, int64_t columns, int64_t width)
{
    const struct csr *M = &views->map.matrix[0].entries;
    struct product_sizes sizes = {(double)M->rows, (double)M->cols, (double)views->edges,
                                  views->count, views->order.views == 2 ? 1 : views->count};
    if (views->graph->shard)
        sizes = sizes_over_ranks(views->graph->shard, views->count);
    return fewer_propagated(&sizes, columns, width);
}

bool input_reads_others(const struct features *X, const struct shard *shard, int views,
                        int64_t width)
{
    const struct product_sizes sizes = sizes_over_ranks(shard, views);
    return X->dense && fewer_propagated(&sizes, X->cols, width);
}

/* Whether sparse features are better propagated first: there is a kernel for it, the product that
 * follows is faster with a dense operand, and that operand is not too large. */
static bool better_propagated(const struct input *input, const struct views *views)
{
    int64_t rows = views->count * views->map.matrix[0].entries.rows;
    if (views->map.rows) /* a rank has its own rows of sparse features alone */
        return false;
    return input->context->kernels->propagate_sparse && !input_is_dense(input) &&
           better_dense(input->context, input->features) && input->cols <= PROPAGATE_SPARSE_COLS &&
           rows * input->cols <= DENSE_BYTES / (int64_t)sizeof(float);
}

/* Shares the features as they are, and sees whether the device has room for what comes of them. */
static graco_status try_propagating(struct input *input, const struct views *views)
{
    struct context *c = input->context;
    int64_t rows = views->count * views->map.matrix[0].entries.rows;
    float *room = NULL;
    PASS(share_matrix(&input->plain, c, &input->features->sparse));
    PASS(context_take(c, &room, rows * tape_propagate_row(input->cols), sizeof(float)));
    context_give(c, room);
    return GRACO_OK;
}

/* Chooses once for all steps; without the memory for it features are multiplied first. */
static bool propagates_sparse(struct tape *tape, struct input *input, const struct views *views)
{
    if (input->first == UNDECIDED) {
        bool better = better_propagated(input, views);
        graco_status status = better ? try_propagating(input, views) : GRACO_OK;
        input->first = better && status == GRACO_OK ? PROPAGATE : MULTIPLY;
        if (status != GRACO_OK)
            unshare_matrix(input->context, &input->plain);
        if (status != GRACO_OK && status != GRACO_ERROR_MEMORY)
            tape_fail(tape, status);
    }
    return input->first == PROPAGATE;
}

struct tensor *input_propagate(struct tape *tape, struct input *input, const struct views *views,
                               struct tensor *W, const struct ending *end)
{
    const struct csr *M = &views->map.matrix[0].entries;
    int64_t rows = input->rows;
    assert(rows == M->cols || (views->map.rows && rows == M->rows));
    if (!W)
        return NULL;
    if (input->dropout.p == 0 && views->order.views < 2 && propagates_sparse(tape, input, views)) {
        struct tensor *P = tape_propagate_sparse(tape, &input->plain, views->mask, &views->map);
        return tape_matmul(tape, P, W, end);
    }
    if (input_is_dense(input) && propagates_first(views, W->rows, W->cols)) {
        struct dense_map map;
        assert(rows == M->cols);
        tape_fail(tape, dense_of(&map, tape, input, views, rows));
        struct tensor *P =
            tape_status(tape) == GRACO_OK ? tape_propagate_features(tape, &map, &views->map) : NULL;
        return tape_matmul(tape, P, W, end);
    }
    struct tensor *XW = input_product(tape, input, views, W, views->map.rows ? M->rows : rows);
    struct tensor *MXW = tape_propagate(tape, &views->map, XW, end);
    tape_drop(tape, XW);
    return MXW;
}

graco_status input_slice(const float **dense, struct sparse *sparse, struct input *input,
                         int64_t first, int64_t rows)
{
    if (input->features)
        PASS(features_check(input->features)); /* each time: they may lie in a file that was cut */
    *dense = input->dense ? input->dense + first * input->cols : NULL;
    if (!input->dense && !input->plain.entries.start)
        PASS(share_matrix(&input->plain, input->context, &input->features->sparse));
    *sparse = input->plain;
    sparse->entries.rows = rows;
    sparse->entries.start += input->dense ? 0 : first;
    return GRACO_OK;
}

graco_status input_densify(float *Y, struct input *input, const struct sparse *M)
{
    struct context *c = input->context;
    size_t bytes = (size_t)(input->rows * input->cols) * sizeof(float);
    float *made = NULL; /* on the host */
    const float *X = input->dense, *shared = NULL;
    graco_status status = GRACO_OK;
    if (input->features)
        TRY(features_check(input->features));
    if (!X) {
        TRY(csr_densify(&made, &input->features->sparse));
        TRY(context_share(c, &shared, made, input->rows * input->cols, sizeof(float)));
        X = shared;
    }
    if (!M)
        TRY(c->buffers->copy(c, Y, X, bytes));
    else
        TRY(c->kernels->spmm(
            c, &(struct spmm){.views = 1, .matrix = M, .cols = input->cols, .X = X, .Y = Y}));
    TRY(context_finish(c)); /* it reads `made` until then */
done:
    context_unshare(c, shared);
    memory_free(made);
    return status;
}
