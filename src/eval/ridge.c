/* The regression is solved in its smaller form: with the columns' products where there are more rows than
 * columns, else with those of the rows, W = X' (X X' + r)^-1 Y. Either way the products are of the rows
 * of one matrix, and each is summed by one thread. Sums over rows are made piece by piece, and added in order. */
#include "eval/ridge.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "compute/permutation.h"
#include "eval/dot.h"

#include <math.h>

enum { ROWS = 64, ORDER_PER_PIECE = 8, TARGETS_PER_PIECE = 4 };

static const double RIDGES[] = {0.01, 0.1, 1, 10}; /* shares of the mean of the diagonal */

struct ridge {
    const graco_matrix *X, *Y;
    uint32_t words[PERMUTATION_ROUNDS];
    int bits;
    int64_t learnt, asked; /* rows: the first places of the permutation, and those after them */
    int64_t order;         /* of `product`: the smaller of learnt and columns */
    int64_t length;        /* of the rows of `side`: the other one */
    double *x, *y;         /* (cols), (targets) means of the rows that it learns from */
    float *side;           /* (order, length) those rows of X less their mean, or the transpose */
    float *target;         /* (targets, learnt) those of Y less theirs, transposed */
    double *product;       /* (order, order) lower triangle */
    double *factor;        /* (order, order) Cholesky's of `product` and the ridge */
    double *right;         /* (targets, order) */
    double *solution;      /* (targets, order) */
    float *weight;         /* (targets, cols) */
    double *wrong, *all;   /* (pieces of the asked rows) sums of squares */
};

static int64_t row_at(const struct ridge *r, int64_t place)
{
    return permutation_at(r->words, r->bits, r->X->rows, place);
}

static bool by_columns(const struct ridge *r)
{
    return r->X->cols <= r->learnt;
}

/* ---- What it learns from --------------------------------------------------------------------- */

static void add_mean(double *mean, const graco_matrix *rows, int64_t row, int64_t count)
{
    for (int64_t j = 0; j < rows->cols; j++)
        mean[j] += (double)rows->data[row * rows->cols + j] / (double)count;
}

static void take_rows(void *job, struct threads_piece places)
{
    const struct ridge *r = job;
    int64_t cols = r->X->cols, targets = r->Y->cols;
    int64_t down = by_columns(r) ? 1 : cols, across = by_columns(r) ? r->learnt : 1;
    for (int64_t i = places.first; i < places.last; i++) {
        int64_t row = row_at(r, i);
        for (int64_t j = 0; j < cols; j++)
            r->side[i * down + j * across] = (float)((double)r->X->data[row * cols + j] - r->x[j]);
        for (int64_t t = 0; t < targets; t++)
            r->target[t * r->learnt + i] = (float)((double)r->Y->data[row * targets + t] - r->y[t]);
    }
}

static void multiply_rows(void *job, struct threads_piece rows)
{
    const struct ridge *r = job;
    for (int64_t i = rows.first; i < rows.last; i++)
        for (int64_t j = 0; j <= i; j++)
            r->product[i * r->order + j] =
                dot_rows(r->side + i * r->length, r->side + j * r->length, r->length);
}

/* The right sides: X'Y, or Y. */
static void fill_right(void *job, struct threads_piece targets)
{
    const struct ridge *r = job;
    for (int64_t t = targets.first; t < targets.last; t++) {
        const float *y = r->target + t * r->learnt;
        double *right = r->right + t * r->order;
        for (int64_t i = 0; i < r->order; i++)
            right[i] =
                by_columns(r) ? dot_rows(r->side + i * r->length, y, r->length) : (double)y[i];
    }
}

/* ---- One ridge ------------------------------------------------------------------------------- */

/* The ridge keeps every pivot above 0; where all rows are alike there is nothing to solve, and every weight is 0. */
static void factorise(const struct ridge *r, double share)
{
    int64_t n = r->order;
    double trace = 0;
    for (int64_t i = 0; i < n; i++)
        trace += r->product[i * n + i];
    double ridge = trace > 0 ? share * trace / (double)r->X->cols : 1;
    for (int64_t i = 0; i < n; i++) {
        double *row = r->factor + i * n;
        for (int64_t j = 0; j <= i; j++) {
            const double *other = r->factor + j * n;
            double left = r->product[i * n + j] + (i == j ? ridge : 0);
            for (int64_t k = 0; k < j; k++)
                left -= row[k] * other[k];
            row[j] = j < i ? left / other[j] : sqrt(fmax(left, ridge));
        }
    }
}

static void solve_target(const struct ridge *r, int64_t target)
{
    const double *right = r->right + target * r->order;
    double *b = r->solution + target * r->order;
    int64_t n = r->order;
    for (int64_t i = 0; i < n; i++) {
        b[i] = right[i];
        for (int64_t k = 0; k < i; k++)
            b[i] -= r->factor[i * n + k] * b[k];
        b[i] /= r->factor[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        b[i] /= r->factor[i * n + i];
        for (int64_t k = 0; k < i; k++)
            b[k] -= r->factor[i * n + k] * b[i];
    }
}

static void weigh_target(const struct ridge *r, int64_t target)
{
    const double *b = r->solution + target * r->order;
    float *weight = r->weight + target * r->X->cols;
    for (int64_t j = 0; j < r->X->cols; j++) {
        double sum = by_columns(r) ? b[j] : 0;
        for (int64_t i = 0; !by_columns(r) && i < r->learnt; i++)
            sum += b[i] * (double)r->side[i * r->length + j];
        weight[j] = (float)sum;
    }
}

static void learn(void *job, struct threads_piece targets)
{
    const struct ridge *r = job;
    for (int64_t target = targets.first; target < targets.last; target++) {
        solve_target(r, target);
        weigh_target(r, target);
    }
}

static void ask(void *job, struct threads_piece places)
{
    const struct ridge *r = job;
    int64_t cols = r->X->cols, targets = r->Y->cols;
    double wrong = 0, all = 0;
    for (int64_t t = 0; t < targets; t++) {
        const float *weight = r->weight + t * cols;
        double base = 0; /* what the regression makes of the mean row */
        for (int64_t j = 0; j < cols; j++)
            base += r->x[j] * (double)weight[j];
        for (int64_t i = places.first; i < places.last; i++) {
            int64_t row = row_at(r, r->learnt + i);
            double y = (double)r->Y->data[row * targets + t] - r->y[t];
            double left = y - (dot_rows(weight, r->X->data + row * cols, cols) - base);
            wrong += left * left;
            all += y * y;
        }
    }
    r->wrong[places.first / ROWS] = wrong;
    r->all[places.first / ROWS] = all;
}

static double share_predicted(const struct ridge *r)
{
    int64_t pieces = (r->asked + ROWS - 1) / ROWS;
    double wrong = 0, all = 0;
    for (int64_t i = 0; i < pieces; i++) {
        wrong += r->wrong[i];
        all += r->all[i];
    }
    return all > 0 ? fmax(0, 1 - wrong / all) : (double)NAN;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static struct ridge prepare(const graco_matrix *Y, const graco_matrix *X)
{
    const struct random_key key = {.stream = RANDOM_HIDDEN, .view = 3};
    struct ridge r = {.X = X, .Y = Y, .bits = permutation_bits(X->rows)};
    for (int i = 0; i < PERMUTATION_ROUNDS; i++)
        r.words[i] = random_u32(&key, (uint64_t)i);
    r.learnt = (X->rows + 1) / 2;
    r.learnt = r.learnt < RIDGE_LEARNT ? r.learnt : RIDGE_LEARNT;
    r.asked = X->rows - r.learnt;
    r.asked = r.asked < RIDGE_ASKED ? r.asked : RIDGE_ASKED;
    r.order = by_columns(&r) ? X->cols : r.learnt;
    r.length = by_columns(&r) ? r.learnt : X->cols;
    return r;
}

static graco_status make_room(struct ridge *r)
{
    int64_t targets = r->Y->cols, pieces = (r->asked + ROWS - 1) / ROWS;
    PASS(memory_zalloc(&r->x, r->X->cols, sizeof *r->x));
    PASS(memory_zalloc(&r->y, targets, sizeof *r->y));
    PASS(memory_alloc(&r->side, r->order * r->length, sizeof *r->side));
    PASS(memory_alloc(&r->target, targets * r->learnt, sizeof *r->target));
    PASS(memory_alloc(&r->product, r->order * r->order, sizeof *r->product));
    PASS(memory_alloc(&r->factor, r->order * r->order, sizeof *r->factor));
    PASS(memory_alloc(&r->right, targets * r->order, sizeof *r->right));
    PASS(memory_alloc(&r->solution, targets * r->order, sizeof *r->solution));
    PASS(memory_alloc(&r->weight, targets * r->X->cols, sizeof *r->weight));
    PASS(memory_alloc(&r->wrong, pieces, sizeof *r->wrong));
    return memory_alloc(&r->all, pieces, sizeof *r->all);
}

static void release(struct ridge *r)
{
    void *blocks[] = {r->x,     r->y,        r->side,   r->target, r->product, r->factor,
                      r->right, r->solution, r->weight, r->wrong,  r->all};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        memory_free(blocks[i]);
}

graco_status ridge_predicted(double *share, const graco_matrix *Y, const graco_matrix *X,
                             int threads)
{
    graco_status status = GRACO_OK;
    struct ridge r = prepare(Y, X);
    *share = (double)NAN;
    if (r.asked == 0 || Y->cols == 0)
        return GRACO_OK;
    TRY(make_room(&r));
    for (int64_t i = 0; i < r.learnt; i++) {
        add_mean(r.x, X, row_at(&r, i), r.learnt);
        add_mean(r.y, Y, row_at(&r, i), r.learnt);
    }
    threads_run(threads, r.learnt, ROWS, take_rows, &r);
    threads_run(threads, r.order, ORDER_PER_PIECE, multiply_rows, &r);
    threads_run(threads, Y->cols, TARGETS_PER_PIECE, fill_right, &r);
    for (size_t k = 0; k < sizeof RIDGES / sizeof *RIDGES; k++) {
        factorise(&r, RIDGES[k]);
        threads_run(threads, Y->cols, TARGETS_PER_PIECE, learn, &r);
        threads_run(threads, r.asked, ROWS, ask, &r);
        double found = share_predicted(&r);
        *share = k > 0 && found < *share ? *share : found;
    }
done:
    release(&r);
    return status;
}
