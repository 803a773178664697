#include "eval/logistic.h"

#include "base/random.h"
#include "check.h"
#include "eval/naive_logistic.h"
#include "reference/reference.h"

enum { GRID = 21 };

struct problem {
    int64_t rows, cols, outputs;
    double *X;         /* (rows, cols) the last column is 1 */
    uint8_t *positive; /* (outputs, rows) */
    double *W;         /* (GRID, outputs, cols) */
};

static struct blas blas;
static double grid[GRID];

/* Overlapping classes, columns of very different sizes, some of them dependent. */
static struct problem make(int64_t rows, int64_t cols, int64_t outputs, uint64_t seed)
{
    struct random_key key = {.seed = seed, .stream = RANDOM_GENERATE};
    struct problem p = {rows, cols, outputs, NULL, NULL, NULL};
    p.X = malloc((size_t)(rows * cols) * sizeof *p.X);
    p.positive = malloc((size_t)(outputs * rows));
    p.W = malloc((size_t)(GRID * outputs * cols) * sizeof *p.W);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            double x = random_normal(&key, (uint64_t)(i * cols + j)) / (double)(1 + j);
            p.X[i * cols + j] = j == cols - 1 ? 1 : j % 7 == 3 ? p.X[i * cols + j - 1] : x;
        }
    for (int64_t k = 0; k < outputs; k++)
        for (int64_t i = 0; i < rows; i++) {
            double noise = random_normal(&key, (uint64_t)(rows * cols + k * rows + i));
            p.positive[k * rows + i] = p.X[i * cols + k % cols] + 0.5 * noise > 0.1 * (double)k;
        }
    return p;
}

static void drop(struct problem *p)
{
    free(p->X);
    free(p->positive);
    free(p->W);
}

static const struct backend *backend = &backend_cpu;

static struct logistic_report solve_for(struct problem *p, const double *C, int64_t count,
                                        int threads)
{
    struct logistic_rows rows = {0};
    struct logistic_report report;
    struct context *context = NULL;
    CHECK_OK(context_create(&context, backend, threads, 0));
    CHECK_OK(logistic_rows_init(&rows, &blas, p->X, p->rows, p->cols, threads));
    const struct logistic_problem problem = {.context = context,
                                             .rows = &rows,
                                             .outputs = p->outputs,
                                             .count = count,
                                             .positive = p->positive,
                                             .C = C};
    CHECK_OK(logistic_solve(p->W, &report, &problem));
    logistic_rows_clear(&rows);
    context_free(context);
    return report;
}

static struct logistic_report solve(struct problem *p, int threads)
{
    return solve_for(p, grid, GRID, threads);
}

/* f(w) of one output; g (cols) gets its gradient, *gg the gradient's square. */
static double objective(double *g, double *gg, const struct problem *p, int64_t output, double C,
                        const double *w)
{
    const struct naive_logistic one = {.X = p->X,
                                       .rows = p->rows,
                                       .cols = p->cols,
                                       .positive = p->positive + output * p->rows,
                                       .C = C};
    return naive_logistic(g, gg, &one, w);
}

/* Plain Newton with Gaussian elimination: slow, and right. Returns the minimum of f. */
static double reference_minimum(const struct problem *p, int64_t output, double C)
{
    int64_t n = p->rows, d = p->cols;
    double *w = calloc((size_t)d, sizeof *w), *H = malloc((size_t)(d * (d + 1)) * sizeof *H);
    double *work = malloc((size_t)d * sizeof *work), *trial = malloc((size_t)d * sizeof *trial);
    double gg, f = objective(work, &gg, p, output, C, w);
    for (int step = 0; step < 200 && gg > 1e-20 * f * f; step++) {
        for (int64_t a = 0; a < d; a++)
            for (int64_t b = 0; b <= d; b++)
                H[a * (d + 1) + b] = b == d ? -work[a] : a == b;
        for (int64_t i = 0; i < n; i++) {
            const double *x = p->X + i * d;
            double s = 0;
            for (int64_t j = 0; j < d; j++)
                s += w[j] * x[j];
            double sigma = 1 / (1 + exp(-s)), weight = C * sigma * (1 - sigma);
            for (int64_t a = 0; a < d; a++)
                for (int64_t b = 0; b < d; b++)
                    H[a * (d + 1) + b] += weight * x[a] * x[b];
        }
        for (int64_t a = 0; a < d; a++) /* H is positive definite: no pivoting needed */
            for (int64_t row = 0; row < d; row++) {
                double factor = H[row * (d + 1) + a] / H[a * (d + 1) + a];
                for (int64_t b = a; row != a && b <= d; b++)
                    H[row * (d + 1) + b] -= factor * H[a * (d + 1) + b];
            }
        double better = INFINITY, length = 1;
        for (int halvings = 0; halvings < 40 && !(better <= f); halvings++, length /= 2) {
            for (int64_t j = 0; j < d; j++)
                trial[j] = w[j] + length * H[j * (d + 1) + d] / H[j * (d + 1) + j];
            better = objective(work, &gg, p, output, C, trial);
        }
        if (!(better < f))
            break;
        memcpy(w, trial, (size_t)d * sizeof *w);
        f = better;
    }
    free(w);
    free(H);
    free(work);
    free(trial);
    return f;
}

/* Every solution is at the minimum, as the gradient says and as the slow method finds. */
static void reaches_the_minimum(int64_t rows, int64_t cols, int64_t outputs)
{
    struct problem p = make(rows, cols, outputs, 1);
    struct logistic_report report = solve(&p, 1);
    double *work = malloc((size_t)cols * sizeof *work), worst = 0;
    CHECK(report.unconverged == 0 && report.solves == GRID * outputs);
    CHECK(report.worst_gap <= LOGISTIC_GAP);
    for (int64_t c = 0; c < GRID; c++)
        for (int64_t k = 0; k < outputs; k++) {
            double gg, f = objective(work, &gg, &p, k, grid[c], p.W + (c * outputs + k) * cols);
            worst = fmax(worst, gg / (2 * f));
            CHECK(gg / (2 * f) <= 1.01 * LOGISTIC_GAP);
            if (c % 5 == 0) {
                double least = reference_minimum(&p, k, grid[c]);
                CHECK(f >= least * (1 - 1e-9) && f <= least * (1 + 2 * LOGISTIC_GAP));
            }
        }
    CHECK(fabs(worst - report.worst_gap) <= 1e-3 * LOGISTIC_GAP);
    free(work);
    drop(&p);
}

/* Together or alone: the same minimum, so nearly the same weights. */
static void batches_agree_with_single_solves(void)
{
    struct problem all = make(80, 12, 19, 2);
    solve(&all, 1);
    for (int64_t k = 0; k < all.outputs; k++) {
        struct problem one = all;
        one.outputs = 1;
        one.positive = all.positive + k * all.rows;
        one.W = malloc((size_t)(GRID * all.cols) * sizeof *one.W);
        solve(&one, 1);
        for (int64_t c = 0; c < GRID; c++) {
            double difference = 0, size = 0;
            for (int64_t j = 0; j < all.cols; j++) {
                double a = all.W[(c * all.outputs + k) * all.cols + j], b = one.W[c * all.cols + j];
                difference += (a - b) * (a - b);
                size += b * b;
            }
            /* |w - w*|^2 / 2 <= f - f* for a 1-strongly convex f. */
            double gg, work[12], f = objective(work, &gg, &one, 0, grid[c], one.W + c * all.cols);
            CHECK(sqrt(difference) <= 2 * sqrt(2 * LOGISTIC_GAP * f));
            CHECK(difference <= 1e-4 * size + 1e-12);
        }
        free(one.W);
    }
    drop(&all);
}

static void threads_do_not_change_bits(int64_t rows, int64_t cols)
{
    struct problem p = make(rows, cols, 37, 3);
    size_t bytes = (size_t)(GRID * p.outputs * p.cols) * sizeof *p.W;
    double *first = malloc(bytes);
    solve(&p, 1);
    memcpy(first, p.W, bytes);
    for (int threads = 2; threads <= 5; threads++) {
        solve(&p, threads);
        CHECK(memcmp(first, p.W, bytes) == 0);
    }
    free(first);
    drop(&p);
}

/* All rows zero but for the bias, all rows positive, one row, a separable problem at large C. */
static void degenerate_problems(void)
{
    struct problem p = make(50, 6, 3, 4);
    for (int64_t i = 0; i < p.rows; i++)
        for (int64_t j = 0; j < p.cols; j++)
            p.X[i * p.cols + j] = j == p.cols - 1;
    memset(p.positive, 1, (size_t)p.rows);
    memset(p.positive + p.rows, 0, (size_t)p.rows);
    CHECK(solve(&p, 1).unconverged == 0);
    for (int64_t i = 0; i < GRID * p.outputs * p.cols; i++)
        CHECK(isfinite(p.W[i]) && (i % p.cols == p.cols - 1 || fabs(p.W[i]) < 1e-9));
    CHECK(p.W[p.cols - 1] > 0 && p.W[2 * p.cols - 1] < 0);

    memset(p.X, 0, (size_t)(p.rows * p.cols) * sizeof *p.X);
    CHECK(solve(&p, 1).unconverged == 0);
    for (int64_t i = 0; i < GRID * p.outputs * p.cols; i++)
        CHECK(p.W[i] == 0);
    drop(&p);

    p = make(1, 6, 2, 5);
    CHECK(solve(&p, 2).unconverged == 0);
    drop(&p);

    p = make(60, 4, 1, 6);
    for (int64_t i = 0; i < p.rows; i++)
        p.positive[i] = p.X[i * p.cols] > 0;
    CHECK(solve(&p, 1).unconverged == 0);
    drop(&p);
}

/* Values of C in uneven ratios start from the last solution, and converge all the same. */
static void uneven_grid(void)
{
    struct problem p = make(90, 9, 4, 7);
    const double C[] = {0.01, 0.5, 0.7, 3, 1000, 1001};
    struct logistic_report report = solve_for(&p, C, 6, 1);
    CHECK(report.unconverged == 0 && report.solves == 24);
    for (int64_t c = 0; c < 6; c++) {
        double gg, work[9], f = objective(work, &gg, &p, 0, C[c], p.W + c * p.outputs * p.cols);
        CHECK(f <= reference_minimum(&p, 0, C[c]) * (1 + 2 * LOGISTIC_GAP));
    }
    drop(&p);
}

static void on_this_backend(void)
{
    reaches_the_minimum(120, 15, 5);
    reaches_the_minimum(30, 40, 3);
    reaches_the_minimum(700, 4, 9);
    batches_agree_with_single_solves();
    threads_do_not_change_bits(150, 20);
    threads_do_not_change_bits(40, 70);
    threads_do_not_change_bits(3000, 40);
    degenerate_problems();
    uneven_grid();
}

int main(void)
{
    CHECK_OK(blas_open(&blas, 4));
    for (int c = 0; c < GRID; c++)
        grid[c] = ldexp(1, c - 10);
    on_this_backend();
    backend = &backend_reference;
    on_this_backend();
    if (backend_find(&backend, "cuda") == GRACO_OK)
        on_this_backend();
    else
        printf("left out: the GPU (%s)\n", graco_message());
    return check_result();
}
