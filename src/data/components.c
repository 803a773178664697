/* Randomised subspace iteration (Halko, Martinsson and Tropp, 2011): a block Q of random columns, a few more
 * than are wanted, is multiplied by the covariance C again and again, and made orthonormal in between; then it
 * is rotated to the eigenvectors of C within its span.
 *
 *     Q <- orthonormal(C Q)    C Q = X' (X Q - 1 mean' Q)         sparse or wide X: C is never held
 *
 * The products are the back end's, in float32. Columns are made orthonormal by the inverse Cholesky factor of
 * their inner products: after scaling them to length one, and with a little added to the diagonal at first, so
 * that float32 is enough (shifted CholeskyQR; Fukaya et al., 2020). */
#include "data/components.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "compute/context.h"
#include "data/small_matrix.h"
#include "data/subset.h"

#include <math.h>
#include <string.h>

enum {
    EXTRA = 32, /* columns of the block beside those that are wanted */
    ROUNDS = 6,
    LAST_PASSES = 4, /* of orthonormalisation, the last of them without a shift */
    PASSES = 2,
    ROWS_MOST = 1 << 16,
    ROWS_LEAST = 1 << 12,
    ENTRIES_MOST = 1 << 26,
    COVARIANCE_COLS = 4096, /* dense features with so many columns have their covariance held */
    COVARIANCE_ROWS = 4096, /* that are centred at a time */
    COLS_PER_PIECE = 64,
    ROWS_PER_PIECE = 256,
    DRAWS_PER_PIECE = 4096, /* of four numbers */
};

/* Added to the diagonal, whose entries are 1; above what float32 leaves of dependent columns. */
static const double SHIFT = 1e-4;

/* An eigenvalue below this share of the largest is rounding. */
static const double NOTHING = 1e-6;

struct iteration {
    struct context *context;
    int64_t cols, width;      /* of X; of the block */
    const float *C;           /* (cols, cols); NULL: X stands for it */
    const struct features *X; /* the rows that are looked at */
    struct csr transpose;     /* of sparse X */
    float *mean;              /* (cols) of X's rows */
    float *Q, *next;          /* (cols, width) */
    float *XQ;                /* (rows of X, width) */
    float *shift;             /* (width) -mean' Q */
    float *product;           /* (width, width) */
    double *G, *M;            /* (width, width) */
    double *value;            /* (width) */
};

/* ---- Products -------------------------------------------------------------------------------- */

static graco_status multiply(const struct iteration *s, struct gemm g)
{
    return s->context->kernels->gemm(s->context, &g);
}

/* XQ = X Q - 1 mean' Q. */
static graco_status along_block(struct iteration *s)
{
    const struct activation centre = {
        .kind = ACTIVATION_NONE, .rows = s->X->rows, .cols = s->width, .bias = s->shift};
    int64_t n = s->X->rows, width = s->width;
    PASS(multiply(s, (struct gemm){.m = 1,
                                   .n = width,
                                   .k = s->cols,
                                   .A = s->mean,
                                   .lda = s->cols,
                                   .B = s->Q,
                                   .ldb = width,
                                   .C = s->shift,
                                   .ldc = width}));
    for (int64_t j = 0; j < width; j++)
        s->shift[j] = -s->shift[j];
    if (s->X->dense)
        return multiply(s, (struct gemm){.m = n,
                                         .n = width,
                                         .k = s->cols,
                                         .A = s->X->dense,
                                         .lda = s->cols,
                                         .B = s->Q,
                                         .ldb = width,
                                         .C = s->XQ,
                                         .ldc = width,
                                         .after = &centre});
    const struct sparse matrix = {.entries = s->X->sparse};
    return s->context->kernels->spmm(
        s->context,
        &(struct spmm){
            .views = 1, .matrix = &matrix, .cols = width, .X = s->Q, .Y = s->XQ, .after = &centre});
}

/* next = C Q. */
static graco_status times_covariance(struct iteration *s)
{
    int64_t width = s->width;
    if (s->C)
        return multiply(s, (struct gemm){.m = s->cols,
                                         .n = width,
                                         .k = s->cols,
                                         .A = s->C,
                                         .lda = s->cols,
                                         .B = s->Q,
                                         .ldb = width,
                                         .C = s->next,
                                         .ldc = width});
    PASS(along_block(s));
    if (s->X->dense)
        return multiply(s, (struct gemm){.transpose_a = true,
                                         .m = s->cols,
                                         .n = width,
                                         .k = s->X->rows,
                                         .A = s->X->dense,
                                         .lda = s->cols,
                                         .B = s->XQ,
                                         .ldb = width,
                                         .C = s->next,
                                         .ldc = width});
    const struct sparse matrix = {.entries = s->transpose};
    return s->context->kernels->spmm(
        s->context,
        &(struct spmm){
            .views = 1, .matrix = &matrix, .back = true, .cols = width, .X = s->XQ, .Y = s->next});
}

/* G (width, width) = A' B in double, made symmetric. */
static graco_status products(struct iteration *s, const float *A, const float *B)
{
    int64_t n = s->width;
    PASS(multiply(s, (struct gemm){.transpose_a = true,
                                   .m = n,
                                   .n = n,
                                   .k = s->cols,
                                   .A = A,
                                   .lda = n,
                                   .B = B,
                                   .ldb = n,
                                   .C = s->product,
                                   .ldc = n}));
    for (int64_t r = 0; r < n; r++)
        for (int64_t c = 0; c <= r; c++) {
            double both = ((double)s->product[r * n + c] + (double)s->product[c * n + r]) / 2;
            s->G[r * n + c] = s->G[c * n + r] = both;
        }
    return GRACO_OK;
}

/* Q M in place of Q. */
static graco_status change_block(struct iteration *s)
{
    int64_t n = s->width;
    for (int64_t k = 0; k < n * n; k++)
        s->product[k] = (float)s->M[k];
    PASS(multiply(s, (struct gemm){.m = s->cols,
                                   .n = n,
                                   .k = n,
                                   .A = s->Q,
                                   .lda = n,
                                   .B = s->product,
                                   .ldb = n,
                                   .C = s->next,
                                   .ldc = n}));
    float *made = s->next;
    s->next = s->Q;
    s->Q = made;
    return GRACO_OK;
}

/* One pass: M = D R^-1, where D makes the columns as long as 1 and R'R = D Q'Q D + shift. */
static graco_status straighten(struct iteration *s, double shift)
{
    int64_t n = s->width;
    PASS(products(s, s->Q, s->Q));
    for (int64_t c = 0; c < n; c++) {
        double square = s->G[c * n + c];
        s->value[c] = square > 0 ? 1 / sqrt(square) : 0;
    }
    for (int64_t k = 0; k < n * n; k++)
        s->G[k] *= s->value[k / n] * s->value[k % n];
    for (int64_t c = 0; c < n; c++)
        s->G[c * n + c] += shift;
    small_invert_cholesky(s->M, s->G, n);
    for (int64_t k = 0; k < n * n; k++)
        s->M[k] *= s->value[k / n];
    return change_block(s);
}

/* ---- The rows -------------------------------------------------------------------------------- */

struct averaging {
    const struct features *X;
    float *mean;
};

static void average_dense(void *job, struct threads_piece cols)
{
    const struct averaging *a = job;
    double sum[COLS_PER_PIECE] = {0};
    for (int64_t i = 0; i < a->X->rows; i++)
        for (int64_t j = cols.first; j < cols.last; j++)
            sum[j - cols.first] += (double)a->X->dense[i * a->X->cols + j];
    for (int64_t j = cols.first; j < cols.last; j++)
        a->mean[j] = (float)(sum[j - cols.first] / (double)a->X->rows);
}

/* Fills mean, and the transpose of sparse X. */
static graco_status average(struct iteration *s)
{
    struct averaging a = {s->X, s->mean};
    PASS(memory_zalloc(&s->mean, s->cols, sizeof *s->mean));
    a.mean = s->mean;
    if (s->X->dense) {
        threads_run(s->context->threads, s->cols, COLS_PER_PIECE, average_dense, &a);
        return GRACO_OK;
    }
    PASS(csr_transpose(&s->transpose, NULL, &s->X->sparse));
    for (int64_t j = 0; j < s->cols; j++) {
        double sum = 0;
        for (int64_t k = s->transpose.start[j]; k < s->transpose.start[j + 1]; k++)
            sum += s->transpose.value ? (double)s->transpose.value[k] : 1;
        s->mean[j] = (float)(sum / (double)s->X->rows);
    }
    return GRACO_OK;
}

struct centring {
    const struct iteration *s;
    float *block;
    int64_t first;
};

static void centre_rows(void *job, struct threads_piece rows)
{
    const struct centring *c = job;
    int64_t cols = c->s->cols;
    for (int64_t i = rows.first; i < rows.last; i++)
        for (int64_t j = 0; j < cols; j++)
            c->block[i * cols + j] = c->s->X->dense[(c->first + i) * cols + j] - c->s->mean[j];
}

/* C (cols, cols) of dense rows, which are centred before they are multiplied: a large mean would leave nothing
 * of small differences. */
static graco_status hold_covariance(float *C, struct iteration *s)
{
    struct centring centring = {.s = s};
    int64_t cols = s->cols, n = s->X->rows;
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&centring.block, COVARIANCE_ROWS * cols, sizeof(float)));
    for (int64_t first = 0; first < n; first += COVARIANCE_ROWS) {
        int64_t rows = first + COVARIANCE_ROWS < n ? COVARIANCE_ROWS : n - first;
        centring.first = first;
        threads_run(s->context->threads, rows, ROWS_PER_PIECE, centre_rows, &centring);
        TRY(multiply(s, (struct gemm){.transpose_a = true,
                                      .m = cols,
                                      .n = cols,
                                      .k = rows,
                                      .A = centring.block,
                                      .lda = cols,
                                      .B = centring.block,
                                      .ldb = cols,
                                      .C = C,
                                      .ldc = cols,
                                      .accumulate = first > 0}));
    }
done:
    memory_free(centring.block);
    return status;
}

/* ---- The iteration --------------------------------------------------------------------------- */

static void draw_block(void *job, struct threads_piece blocks)
{
    const struct iteration *s = job;
    const struct random_key key = {.stream = RANDOM_COMPONENTS};
    int64_t entries = s->cols * s->width;
    for (int64_t b = blocks.first; b < blocks.last; b++) {
        double four[4];
        random_normals(four, &key, (uint64_t)b);
        for (int64_t k = 4 * b; k < 4 * b + 4 && k < entries; k++)
            s->Q[k] = (float)four[k - 4 * b];
    }
}

static graco_status make_room(struct iteration *s)
{
    int64_t entries = s->cols * s->width, square = s->width * s->width;
    PASS(memory_alloc(&s->Q, entries, sizeof *s->Q));
    PASS(memory_alloc(&s->next, entries, sizeof *s->next));
    PASS(memory_alloc(&s->product, square, sizeof *s->product));
    PASS(memory_alloc(&s->G, square, sizeof *s->G));
    PASS(memory_alloc(&s->M, square, sizeof *s->M));
    PASS(memory_alloc(&s->value, s->width, sizeof *s->value));
    if (s->C)
        return GRACO_OK;
    PASS(memory_alloc(&s->shift, s->width, sizeof *s->shift));
    return memory_alloc(&s->XQ, s->X->rows * s->width, sizeof *s->XQ);
}

static void release(struct iteration *s)
{
    void *blocks[] = {s->mean, s->Q, s->next, s->XQ, s->shift, s->product, s->G, s->M, s->value};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        memory_free(blocks[i]);
    csr_clear(&s->transpose);
}

/* 1, -1, or 0 for rounding: so that the first of the largest entries of column c becomes positive. */
static float sign_of(const struct iteration *s, int64_t c)
{
    float most = 0;
    for (int64_t i = 0; i < s->cols; i++) {
        float entry = s->Q[i * s->width + c];
        most = fabsf(entry) > fabsf(most) ? entry : most;
    }
    if (!(s->value[c] > NOTHING * s->value[0]))
        return 0;
    return most < 0 ? -1 : 1;
}

/* Q becomes eigenvectors; P (cols, most) the first of them. */
static graco_status iterate(float *P, struct iteration *s, int64_t most)
{
    int64_t blocks = (s->cols * s->width + 3) / 4;
    threads_run(s->context->threads, blocks, DRAWS_PER_PIECE, draw_block, s);
    for (int round = 0; round < ROUNDS; round++) {
        int passes = round + 1 < ROUNDS ? PASSES : LAST_PASSES;
        PASS(times_covariance(s));
        float *made = s->next;
        s->next = s->Q;
        s->Q = made;
        for (int pass = 1; pass <= passes; pass++)
            PASS(straighten(s, pass == LAST_PASSES ? 0 : SHIFT));
    }
    PASS(times_covariance(s));
    PASS(products(s, s->Q, s->next));
    small_eigen(s->value, s->M, s->G, s->width);
    PASS(change_block(s));
    for (int64_t c = 0; c < most; c++) {
        float sign = sign_of(s, c);
        for (int64_t i = 0; i < s->cols; i++)
            P[i * most + c] = sign == 0 ? 0 : sign * s->Q[i * s->width + c];
    }
    return GRACO_OK;
}

graco_status components_of(float *P, struct context *context, const float *C, int64_t cols,
                           int64_t most)
{
    struct iteration s = {.context = context,
                          .cols = cols,
                          .width = most + EXTRA < cols ? most + EXTRA : cols,
                          .C = C};
    graco_status status = GRACO_OK;
    TRY(make_room(&s));
    TRY(iterate(P, &s, most));
done:
    release(&s);
    return status;
}

/* Of so many rows of X: their number, and that of a sample of them. */
static int64_t sample_size(const struct features *X, int64_t count)
{
    double entries =
        X->dense ? (double)X->cols : (double)X->sparse.start[X->rows] / fmax((double)X->rows, 1);
    double most = fmax(ENTRIES_MOST / fmax(entries, 1), ROWS_LEAST);
    most = fmin(most, ROWS_MOST);
    return (double)count > most ? (int64_t)most : count;
}

/* Rows nodes[0 .. count), of which each of `size` equal stretches gives one. */
static graco_status take_rows(struct features *rows, const struct features *X, const int32_t *nodes,
                              int64_t count, int64_t size)
{
    const struct random_key key = {.stream = RANDOM_COMPONENTS, .view = 1};
    int32_t *taken = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&taken, size, sizeof *taken));
    for (int64_t i = 0; i < size; i++) {
        int64_t low = i * count / size, high = (i + 1) * count / size;
        int64_t at = low + random_below(&key, (uint64_t)i, high - low);
        taken[i] = nodes ? nodes[at] : (int32_t)at;
    }
    TRY(subset_features(rows, X, taken, size));
done:
    memory_free(taken);
    return status;
}

/* Fills out->P from the rows of X. */
static graco_status fit_rows(struct components *out, struct context *context,
                             const struct features *X)
{
    struct iteration s = {.context = context, .cols = X->cols, .X = X};
    float *C = NULL;
    graco_status status = GRACO_OK;
    s.width = out->count + EXTRA < X->cols ? out->count + EXTRA : X->cols;
    TRY(average(&s));
    if (X->dense && X->cols <= COVARIANCE_COLS) {
        TRY(memory_alloc(&C, X->cols * X->cols, sizeof *C));
        TRY(hold_covariance(C, &s));
        s.C = C;
    }
    TRY(make_room(&s));
    TRY(iterate(out->P, &s, out->count));
done:
    release(&s);
    memory_free(C);
    return status;
}

graco_status components_fit(struct components *out, struct context *context,
                            const struct features *X, const int32_t *nodes, int64_t count,
                            int64_t most)
{
    struct components found = {.cols = X->cols, .count = X->cols < most ? X->cols : most};
    struct features rows = {0};
    graco_status status = GRACO_OK;
    if (X->cols <= most)
        goto done;
    TRY(features_check(X));
    count = nodes ? count : X->rows;
    int64_t size = sample_size(X, count);
    if (nodes || size < count)
        TRY(take_rows(&rows, X, nodes, count, size));
    TRY(memory_zalloc(&found.P, found.cols * found.count, sizeof *found.P));
    if (size > 0)
        TRY(fit_rows(&found, context, nodes || size < count ? &rows : X));
done:
    features_clear(&rows);
    if (status == GRACO_OK)
        *out = found;
    else
        components_clear(&found);
    return status;
}

void components_clear(struct components *components)
{
    memory_free(components->P);
    *components = (struct components){0};
}

/* ---- Rows along components ------------------------------------------------------------------- */

struct copying {
    const struct features *X;
    struct components_block block;
    float *Y;
};

/* Columns of X itself. */
static void copy_rows(void *job, struct threads_piece rows)
{
    const struct copying *c = job;
    const struct csr *sparse = &c->X->sparse;
    int64_t from = c->block.from, count = c->block.count;
    for (int64_t i = rows.first; i < rows.last; i++) {
        int64_t row = c->block.first + i;
        float *y = c->Y + i * count;
        if (c->X->dense) {
            memcpy(y, c->X->dense + row * c->X->cols + from, (size_t)count * sizeof *y);
            continue;
        }
        memset(y, 0, (size_t)count * sizeof *y);
        for (int64_t k = sparse->start[row]; k < sparse->start[row + 1]; k++)
            if (sparse->index[k] >= from && sparse->index[k] < from + count)
                y[sparse->index[k] - from] = sparse->value ? sparse->value[k] : 1;
    }
}

/* Sparse rows times columns of P, which are gathered for it. */
static graco_status apply_sparse(float *Y, struct context *context,
                                 const struct components *components, const struct features *X,
                                 struct components_block block)
{
    struct sparse rows = {.entries = X->sparse};
    float *P = NULL;
    graco_status status = GRACO_OK;
    rows.entries.rows = block.rows;
    rows.entries.start += block.first;
    TRY(context_take(context, &P, components->cols * block.count, sizeof *P));
    for (int64_t i = 0; i < components->cols; i++)
        memcpy(P + i * block.count, components->P + i * components->count + block.from,
               (size_t)block.count * sizeof *P);
    TRY(context->kernels->spmm(
        context, &(struct spmm){.views = 1, .matrix = &rows, .cols = block.count, .X = P, .Y = Y}));
done:
    context_give(context, P);
    return status;
}

graco_status components_apply(float *Y, struct context *context,
                              const struct components *components, const struct features *X,
                              struct components_block block)
{
    PASS(features_check(X));
    if (!components->P) {
        struct copying copying = {X, block, Y};
        threads_run(context->threads, block.rows, ROWS_PER_PIECE, copy_rows, &copying);
        return GRACO_OK;
    }
    if (!X->dense)
        return apply_sparse(Y, context, components, X, block);
    return context->kernels->gemm(context, &(struct gemm){.m = block.rows,
                                                          .n = block.count,
                                                          .k = components->cols,
                                                          .A = X->dense + block.first * X->cols,
                                                          .lda = X->cols,
                                                          .B = components->P + block.from,
                                                          .ldb = components->count,
                                                          .C = Y,
                                                          .ldc = block.count});
}
