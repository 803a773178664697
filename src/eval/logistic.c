/* Newton's method with preconditioned conjugate gradients, batched over outputs.
 *
 * Every product with X or X' is one for a whole group of outputs, so it runs at the speed of a
 * matrix product. Three things keep the number of products small (about seven per output and C):
 *
 *   1. The coordinates are the principal axes of X. There the Hessian I + C X' D X, D the diagonal
 *      of sigma (1 - sigma), is close to the diagonal 1 + C mean(D) lambda_j, which costs nothing
 *      to invert: the preconditioner.
 *   2. C ascends in even ratios, and w is a smooth function of log C: each C starts from the cubic
 *      through the solutions of the four values before it. The scores X w are linear in w, so the
 *      same factors extrapolate them, without a product.
 *   3. Newton steps are inexact: conjugate gradients stop at a tenth of the gradient, or where the
 *      stopping rule of the header will be met.
 *
 * Outputs leave the batch as they converge. Groups of outputs are independent and run on separate
 * threads; their size depends on the number of outputs alone, so threads do not change bits. */
#include "eval/logistic.h"

#include "base/memory.h"
#include "base/threads.h"
#include "eval/blas.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum {
    GROUP_MAX = 16,            /* outputs that are solved together */
    STRIP = 4,                 /* outputs per product: keeps BLAS on its kernels for small shapes */
    BLOCK_NUMBERS = 48 * 1024, /* of X per product, so that a block stays in the cache */
    HISTORY = 4,               /* solutions behind the extrapolation */
    HALVINGS_MAX = 40,         /* of a step */
};

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static double dot(const double *a, const double *b, int64_t n)
{
    double sum[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int lane = 0; lane < 4; lane++)
            sum[lane] += a[i + lane] * b[i + lane];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void add_scaled(double *a, double factor, const double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        a[i] += factor * b[i];
}

/* ---- One group of outputs -------------------------------------------------------------------- */

/* Row k of each array belongs to output k of the group; (size, rank) arrays are weights in the
 * rotated coordinates, (size, rows) arrays have a number per training row. */
struct group {
    const struct logistic_rows *data;
    const uint8_t *positive; /* (size, rows) */
    int64_t size, block;     /* outputs; rows of XQ per product */
    double C;
    double *block_of_numbers;
    double *w, *past_w[HISTORY];         /* (size, rank) */
    double *score, *past_score[HISTORY]; /* (size, rows) X w */
    double *residual, *curvature;        /* (size, rows) sigma - y, sigma (1 - sigma) */
    double *g, *step, *r, *q, *z;        /* (size, rank); r and q: of conjugate gradients */
    double *step_score;                  /* (size, rows) X step */
    double *packed, *Hq, *Xq,
        *weighted;                      /* batch: (size, rank) twice, (size, rows), (size, block) */
    double f[GROUP_MAX], gg[GROUP_MAX]; /* objective, |g|^2 */
};

static graco_status group_init(struct group *group, const struct logistic_rows *data, int64_t size)
{
    int64_t n = data->rows, rank = data->rank;
    int64_t blocks = (n * rank + BLOCK_NUMBERS - 1) / BLOCK_NUMBERS;
    *group = (struct group){.data = data, .size = size};
    group->block = min64(n, max64(16, ((n + blocks - 1) / blocks + 7) / 8 * 8));
    double **weights[] = {&group->w,         &group->g,         &group->step,
                          &group->r,         &group->q,         &group->z,
                          &group->packed,    &group->Hq,        &group->past_w[0],
                          &group->past_w[1], &group->past_w[2], &group->past_w[3]};
    double **scores[] = {
        &group->score,        &group->residual,      &group->curvature,     &group->step_score,
        &group->Xq,           &group->past_score[0], &group->past_score[1], &group->past_score[2],
        &group->past_score[3]};
    int64_t weight_count = sizeof weights / sizeof *weights;
    int64_t score_count = sizeof scores / sizeof *scores;
    PASS(memory_zalloc(&group->block_of_numbers,
                       size * (weight_count * rank + score_count * n + group->block),
                       sizeof *group->block_of_numbers));
    double *next = group->block_of_numbers;
    for (int64_t i = 0; i < weight_count; i++, next += size * rank)
        *weights[i] = next;
    for (int64_t i = 0; i < score_count; i++, next += size * n)
        *scores[i] = next;
    group->weighted = next;
    return GRACO_OK;
}

/* f of output k at w + length * step, and its residual and curvature there; w stays. */
static double evaluate(struct group *group, int64_t k, double length)
{
    int64_t n = group->data->rows, rank = group->data->rank;
    const double *score = group->score + k * n, *move = group->step_score + k * n;
    const double *w = group->w + k * rank, *step = group->step + k * rank;
    const uint8_t *positive = group->positive + k * n;
    double *residual = group->residual + k * n, *curvature = group->curvature + k * n;
    double loss = 0, product = 1, square = 0;
    for (int64_t i = 0; i < n; i++) {
        double t = positive[i] ? 1 : -1;
        double margin = t * (score[i] + length * move[i]);
        double e = exp(-fabs(margin));
        double wrong = e / (1 + e); /* at most one half, so that 1 - wrong loses no digits */
        curvature[i] = wrong / (1 + e);
        residual[i] = margin >= 0 ? -t * wrong : -t * (1 - wrong);
        loss -= fmin(margin, 0);
        /* The sum of log(1 + e) as logarithms of products, which stay below 2^64. */
        product *= 1 + e;
        if (i % 64 == 63) {
            loss += log(product);
            product = 1;
        }
    }
    loss += log(product);
    for (int64_t j = 0; j < rank; j++) {
        double value = w[j] + length * step[j];
        square += value * value;
    }
    return 0.5 * square + group->C * loss;
}

/* Gradients of the `count` outputs in `list`: g = w + C XQ' residual. */
static void gradients(struct group *group, const int64_t *list, int64_t count)
{
    const struct logistic_rows *data = group->data;
    int64_t n = data->rows, rank = data->rank, block = group->block;
    for (int64_t first = 0; first < n; first += block) {
        int64_t size = min64(block, n - first);
        for (int64_t a = 0; a < count; a++)
            memcpy(group->weighted + a * block, group->residual + list[a] * n + first,
                   (size_t)size * sizeof(double));
        for (int64_t s = 0; s < count; s += STRIP)
            blas_dgemm(data->blas,
                       (struct blas_result){group->Hq + s * rank, min64(STRIP, count - s), rank,
                                            rank, first > 0},
                       size, blas_plain(group->weighted + s * block, block),
                       blas_plain(data->XQ + first * rank, rank));
    }
    for (int64_t a = 0; a < count; a++) {
        int64_t k = list[a];
        double *g = group->g + k * rank;
        const double *w = group->w + k * rank, *sum = group->Hq + a * rank;
        for (int64_t j = 0; j < rank; j++)
            g[j] = w[j] + group->C * sum[j];
        group->gg[k] = dot(g, g, rank);
    }
}

/* Hq = H q and Xq for the `count` outputs in `list`, in the order of the list. */
static void hessian_products(struct group *group, const int64_t *list, int64_t count)
{
    const struct logistic_rows *data = group->data;
    int64_t n = data->rows, rank = data->rank, block = group->block;
    for (int64_t a = 0; a < count; a++)
        memcpy(group->packed + a * rank, group->q + list[a] * rank, (size_t)rank * sizeof(double));
    for (int64_t first = 0; first < n; first += block) {
        int64_t size = min64(block, n - first);
        const double *X = data->XQ + first * rank;
        for (int64_t s = 0; s < count; s += STRIP)
            blas_dgemm(data->blas,
                       (struct blas_result){group->Xq + s * n + first, min64(STRIP, count - s),
                                            size, n, false},
                       rank, blas_plain(group->packed + s * rank, rank), blas_transposed(X, rank));
        for (int64_t a = 0; a < count; a++) {
            const double *curvature = group->curvature + list[a] * n + first;
            const double *Xq = group->Xq + a * n + first;
            double *weighted = group->weighted + a * block;
            for (int64_t i = 0; i < size; i++)
                weighted[i] = group->C * curvature[i] * Xq[i];
        }
        for (int64_t s = 0; s < count; s += STRIP)
            blas_dgemm(data->blas,
                       (struct blas_result){group->Hq + s * rank, min64(STRIP, count - s), rank,
                                            rank, first > 0},
                       size, blas_plain(group->weighted + s * block, block), blas_plain(X, rank));
    }
    for (int64_t a = 0; a < count; a++)
        add_scaled(group->Hq + a * rank, 1, group->packed + a * rank, rank);
}

/* z = M^-1 r for output k; returns r'z. */
static double precondition(struct group *group, int64_t k, double mean_curvature)
{
    int64_t rank = group->data->rank;
    const double *lambda = group->data->lambda, *r = group->r + k * rank;
    double *z = group->z + k * rank;
    for (int64_t j = 0; j < rank; j++)
        z[j] = r[j] / (1 + group->C * mean_curvature * lambda[j]);
    return dot(r, z, rank);
}

/* Starts conjugate gradients for H step = -g of output k; returns r'z. */
static double begin_step(struct group *group, int64_t k, double *mean_curvature)
{
    int64_t n = group->data->rows, rank = group->data->rank;
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += group->curvature[k * n + i];
    *mean_curvature = sum / (double)n;
    for (int64_t j = 0; j < rank; j++)
        group->r[k * rank + j] = -group->g[k * rank + j];
    memset(group->step + k * rank, 0, (size_t)rank * sizeof(double));
    memset(group->step_score + k * n, 0, (size_t)n * sizeof(double));
    double rz = precondition(group, k, *mean_curvature);
    memcpy(group->q + k * rank, group->z + k * rank, (size_t)rank * sizeof(double));
    return rz;
}

/* Approximate Newton steps of the outputs in `list`, and X times them. */
static int64_t find_steps(struct group *group, const int64_t *list, int64_t count)
{
    const double forcing = 0.1, enough = 0.1; /* of |g|; of the stopping rule's |g|^2 */
    int64_t n = group->data->rows, rank = group->data->rank, passes = 0;
    int64_t live[GROUP_MAX];
    double mean_curvature[GROUP_MAX], rz[GROUP_MAX], target[GROUP_MAX];
    for (int64_t a = 0; a < count; a++) {
        int64_t k = live[a] = list[a];
        rz[k] = begin_step(group, k, &mean_curvature[k]);
        target[k] = fmax(forcing * forcing * group->gg[k], enough * 2 * LOGISTIC_GAP * group->f[k]);
    }
    for (int64_t round = 0; round < 4 * rank + 20 && count > 0; round++) {
        int64_t left = 0;
        hessian_products(group, live, count);
        passes += count;
        for (int64_t a = 0; a < count; a++) {
            int64_t k = live[a];
            double *q = group->q + k * rank, *r = group->r + k * rank, *z = group->z + k * rank;
            const double *Hq = group->Hq + a * rank;
            double length = rz[k] / dot(q, Hq, rank);
            add_scaled(group->step + k * rank, length, q, rank);
            add_scaled(group->step_score + k * n, length, group->Xq + a * n, n);
            add_scaled(r, -length, Hq, rank);
            if (!(dot(r, r, rank) > target[k]))
                continue;
            double next = precondition(group, k, mean_curvature[k]), ratio = next / rz[k];
            for (int64_t j = 0; j < rank; j++)
                q[j] = z[j] + ratio * q[j];
            rz[k] = next;
            live[left++] = k;
        }
        count = left;
    }
    return passes;
}

/* Moves output k along its step, halved until f falls enough; leaves it where no length does. */
static void take_step(struct group *group, int64_t k)
{
    const double enough = 1e-4;
    int64_t n = group->data->rows, rank = group->data->rank;
    double slope = dot(group->g + k * rank, group->step + k * rank, rank), length = 1, f;
    /* Close to the minimum rounding alone may seem to raise f, by as much as this. */
    double slack = 1e-14 * group->f[k];
    for (int halvings = 0;; halvings++, length /= 2) {
        f = evaluate(group, k, length);
        if (f <= group->f[k] + enough * length * slope + slack)
            break;
        if (halvings == HALVINGS_MAX) {
            evaluate(group, k, 0);
            return;
        }
    }
    group->f[k] = f;
    add_scaled(group->w + k * rank, length, group->step + k * rank, rank);
    add_scaled(group->score + k * n, length, group->step_score + k * n, n);
}

/* Keeps the present solution and moves w and score to where the polynomial through the last `known`
 * solutions, at most HISTORY, leads. */
static void extrapolate(struct group *group, int64_t known)
{
    static const double factors[HISTORY + 1][HISTORY] = {
        {0}, {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}};
    int64_t used = min64(known, HISTORY);
    struct {
        double *now, **past;
        int64_t size;
    } parts[] = {{group->w, group->past_w, group->size * group->data->rank},
                 {group->score, group->past_score, group->size * group->data->rows}};
    if (used == 0)
        return;
    for (int part = 0; part < 2; part++) {
        double *now = parts[part].now, **past = parts[part].past, *oldest = past[HISTORY - 1];
        for (int64_t h = HISTORY - 1; h > 0; h--)
            past[h] = past[h - 1];
        past[0] = oldest;
        memcpy(oldest, now, (size_t)parts[part].size * sizeof *now);
        for (int64_t i = 0; i < parts[part].size; i++) {
            double value = 0;
            for (int64_t h = 0; h < used; h++)
                value += factors[used][h] * past[h][i];
            now[i] = value;
        }
    }
}

/* All outputs of the group for the C that is set, from where they stand. */
static void solve_one(struct group *group, struct logistic_report *report)
{
    int64_t rank = group->data->rank, n = group->data->rows;
    int64_t active[GROUP_MAX], count = group->size;
    memset(group->step, 0, (size_t)(group->size * rank) * sizeof(double));
    memset(group->step_score, 0, (size_t)(group->size * n) * sizeof(double));
    for (int64_t k = 0; k < count; k++) {
        active[k] = k;
        group->f[k] = evaluate(group, k, 0);
    }
    for (int64_t newton = 0; count > 0; newton++) {
        int64_t left = 0;
        gradients(group, active, count);
        for (int64_t a = 0; a < count; a++) {
            int64_t k = active[a];
            double gap = group->gg[k] / (2 * group->f[k]);
            bool converged = gap <= LOGISTIC_GAP;
            if (!converged && newton < LOGISTIC_NEWTON_MAX) {
                active[left++] = k;
                continue;
            }
            report->solves++;
            report->unconverged += !converged;
            report->worst_gap = gap <= report->worst_gap ? report->worst_gap : gap;
        }
        count = left;
        report->newton += count;
        report->passes += find_steps(group, active, count);
        for (int64_t a = 0; a < count; a++)
            take_step(group, active[a]);
    }
}

/* The outputs first .. first + size - 1 for every C. */
static graco_status solve_group(double *W, struct logistic_report *report,
                                const struct logistic_problem *problem, int64_t first, int64_t size)
{
    graco_status status = GRACO_OK;
    const struct logistic_rows *data = problem->rows;
    const double *C = problem->C;
    struct group group;
    TRY(group_init(&group, data, size));
    group.positive = problem->positive + first * data->rows;
    /* Extrapolation needs even ratios; elsewhere the last solution is the start. */
    for (int64_t c = 0; c < problem->count; c++) {
        bool even = c < 2 || fabs(C[c] * C[c - 2] - C[c - 1] * C[c - 1]) < 1e-9 * C[c] * C[c - 2];
        group.C = C[c];
        extrapolate(&group, even ? c : 1);
        solve_one(&group, report);
        blas_dgemm(data->blas,
                   (struct blas_result){W + (c * problem->outputs + first) * data->cols, size,
                                        data->cols, data->cols, false},
                   data->rank, blas_plain(group.w, data->rank),
                   blas_transposed(data->Q, data->rank));
    }
done:
    memory_free(group.block_of_numbers);
    return status;
}

void logistic_report_add(struct logistic_report *sum, const struct logistic_report *one)
{
    sum->solves += one->solves;
    sum->unconverged += one->unconverged;
    sum->newton += one->newton;
    sum->passes += one->passes;
    if (!(one->worst_gap <= sum->worst_gap))
        sum->worst_gap = one->worst_gap;
}

/* Groups of `size` outputs, each with its own report. */
struct solving {
    double *W;
    const struct logistic_problem *problem;
    struct logistic_report *report; /* (groups) */
    int64_t size;
    atomic_int failure; /* of any group */
};

static void solve_outputs(void *job, struct threads_piece outputs)
{
    struct solving *s = job;
    graco_status status = solve_group(s->W, &s->report[outputs.first / s->size], s->problem,
                                      outputs.first, outputs.last - outputs.first);
    if (status != GRACO_OK)
        atomic_store(&s->failure, (int)status);
}

graco_status logistic_solve(double *W, struct logistic_report *report,
                            const struct logistic_problem *problem)
{
    graco_status status = GRACO_OK;
    struct logistic_report *reports = NULL;
    int64_t outputs = problem->outputs, size = max64(1, min64(GROUP_MAX, (outputs + 1) / 2));
    int64_t groups = (outputs + size - 1) / size;
    TRY(memory_zalloc(&reports, groups, sizeof *reports));
    struct solving solving = {W, problem, reports, size, GRACO_OK};
    threads_run(problem->threads, outputs, size, solve_outputs, &solving);
    if (solving.failure != GRACO_OK) /* the message may lie in another thread */
        FAIL((graco_status)solving.failure,
             "out of memory for the logistic regression of %lld outputs on %lld rows",
             (long long)outputs, (long long)problem->rows->rows);
    *report = (struct logistic_report){0};
    for (int64_t i = 0; i < groups; i++)
        logistic_report_add(report, &reports[i]);
done:
    memory_free(reports);
    return status;
}
