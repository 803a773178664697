/* The regression is solved in its smaller form: with the columns' products where there are more rows than
 * columns, else with those of the rows, W = X' (X X' + ridge)^-1 Y. Either way the products are of the rows
 * of one matrix, and each is summed by one thread. */
#include "eval/groups.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "compute/permutation.h"
#include "eval/dot.h"
#include "eval/kmeans.h"
#include "eval/smooth.h"
#include "eval/structure.h"

#include <math.h>

enum { ROWS = 64, ORDER_PER_PIECE = 8, STARTS = 2, TENTH = 10 };

static const double RIDGE = 0.01;

/* ---- Groups ---------------------------------------------------------------------------------- */

static bool differ(const graco_matrix *centred)
{
    for (int64_t i = 0; i < centred->rows * centred->cols; i++)
        if (centred->data[i] != 0)
            return true;
    return false;
}

/* Rows that are all alike make no groups. */
static graco_status add_kind(struct groups *groups, const graco_matrix *S, int threads)
{
    graco_status status = GRACO_OK;
    graco_matrix rows = {.rows = S->rows, .cols = S->cols};
    struct kmeans found = {0};
    const struct kmeans_options options = {
        .clusters = GROUPS_COUNT, .starts = STARTS, .spherical = true, .threads = threads};
    if (S->cols == 0)
        return GRACO_OK;
    TRY(memory_alloc(&rows.data, rows.rows * rows.cols, sizeof *rows.data));
    structure_centre(rows.data, S, threads);
    if (!differ(&rows))
        goto done;
    TRY(kmeans_fit(&found, &rows, &options));
    groups->group[groups->kinds++] = found.cluster;
    found.cluster = NULL;
done:
    kmeans_clear(&found);
    graco_matrix_clear(&rows);
    return status;
}

graco_status groups_make(struct groups *out, const graco_matrix *S, const graco_dataset *data,
                         int threads)
{
    graco_status status = GRACO_OK;
    struct groups made = {.nodes = data->graph->nodes};
    graco_matrix signals = {0};
    TRY(add_kind(&made, S, threads));
    TRY(smooth_signals(&signals, data, threads));
    TRY(add_kind(&made, &signals, threads));
    *out = made;
    made = (struct groups){0};
done:
    graco_matrix_clear(&signals);
    groups_clear(&made);
    return status;
}

void groups_clear(struct groups *groups)
{
    for (int kind = 0; kind < GROUPS_KINDS; kind++)
        memory_free(groups->group[kind]);
    *groups = (struct groups){0};
}

/* ---- Regression ------------------------------------------------------------------------------ */

struct prediction {
    const struct groups *groups;
    const graco_matrix *rows;
    uint32_t words[PERMUTATION_ROUNDS];
    int bits;
    int64_t learnt, asked; /* nodes: the first places of the permutation, and those after them */
    int64_t targets;       /* GROUPS_COUNT for each kind */
    int64_t order;         /* of `product`: the smaller of learnt and columns */
    int64_t length;        /* of the rows of `side`: the other one */
    double *mean;          /* (cols) of the rows that it learns from */
    double *share;         /* (targets) of these in each group */
    int32_t *target;       /* (kinds, learnt) of each of them */
    float *side;           /* (order, length) those rows less their mean, or the transpose */
    double *product;       /* (order, order) lower triangle; then its Cholesky factor */
    double *solution;      /* (targets, order) */
    float *weight;         /* (targets, cols) */
    int64_t *right;        /* (pieces of the asked nodes) */
};

static int64_t node_at(const struct prediction *r, int64_t place)
{
    return permutation_at(r->words, r->bits, r->groups->nodes, place);
}

static int32_t target_of(const struct prediction *r, int kind, int64_t node)
{
    return kind * GROUPS_COUNT + r->groups->group[kind][node];
}

static bool by_columns(const struct prediction *r)
{
    return r->rows->cols <= r->learnt;
}

/* Of the rows that it learns from, and what groups these are in. */
static void find_means(struct prediction *r)
{
    int64_t cols = r->rows->cols;
    for (int64_t i = 0; i < r->learnt; i++) {
        int64_t node = node_at(r, i);
        for (int64_t j = 0; j < cols; j++)
            r->mean[j] += (double)r->rows->data[node * cols + j] / (double)r->learnt;
        for (int kind = 0; kind < r->groups->kinds; kind++) {
            int32_t target = target_of(r, kind, node);
            r->target[kind * r->learnt + i] = target;
            r->share[target] += 1 / (double)r->learnt;
        }
    }
}

static void take_rows(void *job, struct threads_piece places)
{
    const struct prediction *r = job;
    int64_t cols = r->rows->cols, down = by_columns(r) ? 1 : cols,
            across = by_columns(r) ? r->learnt : 1;
    for (int64_t i = places.first; i < places.last; i++) {
        const float *row = r->rows->data + node_at(r, i) * cols;
        for (int64_t j = 0; j < cols; j++)
            r->side[i * down + j * across] = (float)((double)row[j] - r->mean[j]);
    }
}

static void multiply_rows(void *job, struct threads_piece rows)
{
    const struct prediction *r = job;
    for (int64_t i = rows.first; i < rows.last; i++)
        for (int64_t j = 0; j <= i; j++)
            r->product[i * r->order + j] =
                dot_rows(r->side + i * r->length, r->side + j * r->length, r->length);
}

/* The Cholesky factor of `product` and the ridge, in its place. The ridge keeps every pivot above 0; where all
 * rows are alike there is nothing to solve, and every weight is 0. */
static void factorise(const struct prediction *r)
{
    int64_t n = r->order;
    double trace = 0;
    for (int64_t i = 0; i < n; i++)
        trace += r->product[i * n + i];
    double ridge = trace > 0 ? RIDGE * trace / (double)r->rows->cols : 1;
    for (int64_t i = 0; i < n; i++) {
        double *row = r->product + i * n;
        row[i] += ridge;
        for (int64_t j = 0; j <= i; j++) {
            const double *other = r->product + j * n;
            double left = row[j];
            for (int64_t k = 0; k < j; k++)
                left -= row[k] * other[k];
            row[j] = j < i ? left / other[j] : sqrt(fmax(left, ridge));
        }
    }
}

/* The right sides of all targets, in place of the solutions: X'Y, where the mean of Y adds nothing, for the
 * columns of X have mean 0; or Y less its mean. */
static void fill_targets(void *job, struct threads_piece rows)
{
    const struct prediction *r = job;
    for (int64_t i = rows.first; i < rows.last; i++)
        for (int kind = 0; kind < r->groups->kinds; kind++) {
            const int32_t *target = r->target + kind * r->learnt;
            for (int64_t k = 0; by_columns(r) && k < r->learnt; k++)
                r->solution[target[k] * r->order + i] += (double)r->side[i * r->length + k];
            if (!by_columns(r))
                r->solution[target[i] * r->order + i] = 1;
        }
    for (int64_t t = 0; !by_columns(r) && t < r->targets; t++)
        for (int64_t i = rows.first; i < rows.last; i++)
            r->solution[t * r->order + i] -= r->share[t];
}

static void solve_target(const struct prediction *r, int64_t target)
{
    double *b = r->solution + target * r->order;
    int64_t n = r->order;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < i; k++)
            b[i] -= r->product[i * n + k] * b[k];
        b[i] /= r->product[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        b[i] /= r->product[i * n + i];
        for (int64_t k = 0; k < i; k++)
            b[k] -= r->product[i * n + k] * b[i];
    }
}

static void weigh_target(const struct prediction *r, int64_t target)
{
    const double *b = r->solution + target * r->order;
    float *weight = r->weight + target * r->rows->cols;
    for (int64_t j = 0; j < r->rows->cols; j++) {
        double sum = by_columns(r) ? b[j] : 0;
        for (int64_t i = 0; !by_columns(r) && i < r->learnt; i++)
            sum += b[i] * (double)r->side[i * r->length + j];
        weight[j] = (float)sum;
    }
}

static void learn(void *job, struct threads_piece targets)
{
    const struct prediction *r = job;
    for (int64_t target = targets.first; target < targets.last; target++) {
        solve_target(r, target);
        weigh_target(r, target);
    }
}

/* ---- Questions ------------------------------------------------------------------------------- */

/* The group of a kind that a row has the largest value for. `base`: the values of a row of zeros. */
static int32_t tell(const struct prediction *r, const double *base, int kind, const float *row)
{
    int32_t best = kind * GROUPS_COUNT;
    double most = -(double)INFINITY;
    for (int32_t t = kind * GROUPS_COUNT; t < (kind + 1) * GROUPS_COUNT; t++) {
        double value = base[t] + dot_rows(r->weight + t * r->rows->cols, row, r->rows->cols);
        best = value > most ? t : best;
        most = fmax(value, most);
    }
    return best;
}

static void ask(void *job, struct threads_piece places)
{
    const struct prediction *r = job;
    int64_t cols = r->rows->cols, right = 0;
    double base[GROUPS_COUNT * GROUPS_KINDS];
    for (int64_t t = 0; t < r->targets; t++) {
        base[t] = r->share[t];
        for (int64_t j = 0; j < cols; j++)
            base[t] -= r->mean[j] * (double)r->weight[t * cols + j];
    }
    for (int64_t i = places.first; i < places.last; i++) {
        int64_t node = node_at(r, r->learnt + i);
        for (int kind = 0; kind < r->groups->kinds; kind++)
            right += tell(r, base, kind, r->rows->data + node * cols) == target_of(r, kind, node);
    }
    r->right[places.first / ROWS] = right;
}

static struct prediction prepare(const struct groups *groups, const graco_matrix *rows)
{
    const struct random_key key = {.stream = RANDOM_SMOOTH, .view = 2};
    struct prediction r = {.groups = groups,
                           .rows = rows,
                           .bits = permutation_bits(groups->nodes),
                           .targets = groups->kinds * GROUPS_COUNT};
    for (int i = 0; i < PERMUTATION_ROUNDS; i++)
        r.words[i] = random_u32(&key, (uint64_t)i);
    r.learnt = (groups->nodes + TENTH - 1) / TENTH;
    r.learnt = r.learnt < GROUPS_LEARNT ? r.learnt : GROUPS_LEARNT;
    r.asked = groups->nodes - r.learnt;
    r.asked = r.asked < GROUPS_ASKED ? r.asked : GROUPS_ASKED;
    r.order = by_columns(&r) ? rows->cols : r.learnt;
    r.length = by_columns(&r) ? r.learnt : rows->cols;
    return r;
}

graco_status groups_predicted(double *share, const struct groups *groups, const graco_matrix *rows,
                              int threads)
{
    graco_status status = GRACO_OK;
    struct prediction r = prepare(groups, rows);
    int64_t pieces = (r.asked + ROWS - 1) / ROWS, right = 0;
    *share = (double)NAN;
    if (groups->kinds == 0 || r.asked == 0)
        return GRACO_OK;
    TRY(memory_zalloc(&r.mean, rows->cols, sizeof *r.mean));
    TRY(memory_zalloc(&r.share, r.targets, sizeof *r.share));
    TRY(memory_alloc(&r.target, groups->kinds * r.learnt, sizeof *r.target));
    TRY(memory_alloc(&r.side, r.order * r.length, sizeof *r.side));
    TRY(memory_alloc(&r.product, r.order * r.order, sizeof *r.product));
    TRY(memory_zalloc(&r.solution, r.targets * r.order, sizeof *r.solution));
    TRY(memory_alloc(&r.weight, r.targets * rows->cols, sizeof *r.weight));
    TRY(memory_alloc(&r.right, pieces, sizeof *r.right));
    find_means(&r);
    threads_run(threads, r.learnt, ROWS, take_rows, &r);
    threads_run(threads, r.order, ORDER_PER_PIECE, multiply_rows, &r);
    factorise(&r);
    threads_run(threads, r.order, ORDER_PER_PIECE, fill_targets, &r);
    threads_run(threads, r.targets, 1, learn, &r);
    threads_run(threads, r.asked, ROWS, ask, &r);
    for (int64_t i = 0; i < pieces; i++)
        right += r.right[i];
    *share = (double)right / (double)(r.asked * groups->kinds);
done:
    memory_free(r.right);
    memory_free(r.weight);
    memory_free(r.solution);
    memory_free(r.product);
    memory_free(r.side);
    memory_free(r.target);
    memory_free(r.share);
    memory_free(r.mean);
    return status;
}
