/* Components against the definition of an eigenvector of the covariance, which is made here entry by entry. */
#include "data/components.h"

#include "base/memory.h"
#include "base/random.h"
#include "check.h"
#include "compute/context.h"
#include "data/small_matrix.h"

enum { ROWS = 400, COLS = 90, MOST = 12 };

static struct context *make_context(int threads)
{
    struct context *context = NULL;
    CHECK_OK(context_create(&context, &backend_cpu, threads, 0));
    return context;
}

/* Dense (rows, cols) of `strong` directions with falling strength, noise, and a mean of `mean`. */
static struct features make_dense(int64_t rows, int64_t cols, float mean, int64_t strong)
{
    const struct random_key key = {.seed = 4, .stream = RANDOM_GENERATE};
    struct features X = {.rows = rows, .cols = cols};
    CHECK_OK(memory_alloc(&X.dense, rows * cols, sizeof *X.dense));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            double sum = 0.05 * random_normal(&key, (uint64_t)(1000000 + i * cols + j));
            for (int64_t k = 0; k < strong; k++)
                sum += pow(0.8, (double)k) * random_normal(&key, (uint64_t)(i * strong + k)) *
                       random_normal(&key, (uint64_t)(4000000 + k * cols + j));
            X.dense[i * cols + j] = mean + (float)sum;
        }
    return X;
}

/* Sparse with one entry in five; column j is there the more often the smaller it is. */
static struct features make_sparse(int64_t rows, int64_t cols)
{
    const struct random_key key = {.seed = 5, .stream = RANDOM_GENERATE};
    struct csr X = {0};
    CHECK_OK(csr_alloc(&X, rows, cols, rows * cols, true));
    for (int64_t i = 0, at = 0; i < rows; i++) {
        for (int64_t j = 0; j < cols; j++) {
            double there = 0.4 * (1 - (double)j / (double)cols);
            if ((double)random_float(&key, (uint64_t)(i * cols + j)) > there)
                continue;
            X.index[at] = (int32_t)j;
            X.value[at++] = 0.5f + (float)((i + j) % 3);
        }
        X.start[i + 1] = at;
    }
    return features_of(X);
}

/* C (cols, cols) in double, of the rows from `first` on. */
static double *covariance_of(const struct features *X, int64_t first)
{
    graco_matrix dense = {0};
    double *C = NULL, *mean = NULL;
    int64_t n = X->rows - first, cols = X->cols;
    CHECK_OK(features_densify(&dense, X));
    CHECK_OK(memory_zalloc(&C, cols * cols, sizeof *C));
    CHECK_OK(memory_zalloc(&mean, cols, sizeof *mean));
    for (int64_t i = first; i < X->rows; i++)
        for (int64_t j = 0; j < cols; j++)
            mean[j] += (double)dense.data[i * cols + j] / (double)n;
    for (int64_t i = first; i < X->rows; i++)
        for (int64_t j = 0; j < cols; j++)
            for (int64_t k = 0; k < cols; k++)
                C[j * cols + k] += ((double)dense.data[i * cols + j] - mean[j]) *
                                   ((double)dense.data[i * cols + k] - mean[k]);
    graco_matrix_clear(&dense);
    memory_free(mean);
    return C;
}

/* Columns of P (n, count): C p = v p with v falling, of length one, orthogonal; the shares of what the best
 * ones could have. Returns the sum of v over that of the best. */
static double check_eigenvectors(const float *P, const double *C, int64_t n, int64_t count)
{
    double *copy = NULL, *V = NULL, *best = NULL, sum = 0, most = 0, before = (double)INFINITY;
    CHECK_OK(memory_alloc(&copy, n * n, sizeof *copy));
    CHECK_OK(memory_alloc(&V, n * n, sizeof *V));
    CHECK_OK(memory_alloc(&best, n, sizeof *best));
    memcpy(copy, C, (size_t)(n * n) * sizeof *copy);
    small_eigen(best, V, copy, n);
    for (int64_t c = 0; c < count; c++) {
        double value = 0, worst = 0, largest = 0;
        for (int64_t r = 0; r < n; r++) {
            double product = 0, unit = 0;
            for (int64_t k = 0; k < n; k++) {
                product += C[r * n + k] * (double)P[k * count + c];
                unit += C[r * n + k] * V[k * n + c];
            }
            value += product * (double)P[r * count + c];
            worst = fmax(worst, fabs(product - best[c] * (double)P[r * count + c]));
            CHECK(fabs(unit - best[c] * V[r * n + c]) < 1e-9 * best[0]); /* the oracle's own */
            if (fabs((double)P[r * count + c]) > fabs(largest) + 1e-7)
                largest = (double)P[r * count + c];
        }
        CHECK(value <= before * (1 + 1e-5) && fabs(value - best[c]) < 1e-3 * best[c]);
        CHECK(worst < 0.02 * best[0] && largest > 0);
        for (int64_t other = 0; other <= c; other++) {
            double dot = 0;
            for (int64_t r = 0; r < n; r++)
                dot += (double)P[r * count + c] * (double)P[r * count + other];
            CHECK(fabs(dot - (other == c)) < 1e-4);
        }
        before = value;
        sum += value;
        most += best[c];
    }
    memory_free(copy);
    memory_free(V);
    memory_free(best);
    return sum / most;
}

/* Whatever the number of threads: the same bits. */
static struct components fit(const struct features *X, const int32_t *nodes, int64_t count,
                             int64_t most)
{
    struct components found[2] = {{0}};
    for (int t = 0; t < 2; t++) {
        struct context *context = make_context(1 + 2 * t);
        CHECK_OK(components_fit(&found[t], context, X, nodes, count, most));
        context_free(context);
    }
    CHECK(found[0].cols == X->cols && found[0].count == (X->cols < most ? X->cols : most));
    if (found[0].P)
        CHECK(memcmp(found[0].P, found[1].P,
                     (size_t)(found[0].cols * found[0].count) * sizeof(float)) == 0);
    components_clear(&found[1]);
    return found[0];
}

/* Blocks of X P against products in double. */
static void check_blocks(const struct components *p, const struct features *X)
{
    struct context *context = make_context(2);
    graco_matrix dense = {0};
    const struct components_block blocks[] = {
        {0, X->rows, 0, p->count}, {7, 100, 3, 5}, {X->rows - 1, 1, p->count - 1, 1}};
    CHECK_OK(features_densify(&dense, X));
    for (int b = 0; b < 3; b++) {
        const struct components_block at = blocks[b];
        float *Y = NULL;
        CHECK_OK(memory_alloc(&Y, at.rows * at.count, sizeof *Y));
        CHECK_OK(components_apply(Y, context, p, X, at));
        for (int64_t i = 0; i < at.rows; i++)
            for (int64_t c = 0; c < at.count; c++) {
                const float *x = dense.data + (at.first + i) * X->cols;
                double sum = p->P ? 0 : (double)x[at.from + c], size = 1;
                for (int64_t j = 0; j < X->cols && p->P; j++) {
                    sum += (double)x[j] * (double)p->P[j * p->count + at.from + c];
                    size += fabs((double)x[j]);
                }
                CHECK(fabs(sum - (double)Y[i * at.count + c]) < 1e-5 * size);
            }
        memory_free(Y);
    }
    graco_matrix_clear(&dense);
    context_free(context);
}

static void check_features(struct features X)
{
    double *C = covariance_of(&X, 0);
    struct components p = fit(&X, NULL, 0, MOST);
    CHECK(check_eigenvectors(p.P, C, X.cols, p.count) > 1 - 1e-4);
    check_blocks(&p, &X);
    components_clear(&p);
    memory_free(C);
    /* Some rows alone: those of the second half. */
    int32_t nodes[ROWS];
    int64_t half = X.rows / 2;
    for (int64_t i = 0; i < X.rows - half; i++)
        nodes[i] = (int32_t)(half + i);
    C = covariance_of(&X, half);
    p = fit(&X, nodes, X.rows - half, MOST);
    CHECK(check_eigenvectors(p.P, C, X.cols, p.count) > 1 - 1e-4);
    components_clear(&p);
    memory_free(C);
    /* Few columns serve as they are. */
    p = fit(&X, NULL, 0, X.cols);
    CHECK(!p.P);
    check_blocks(&p, &X);
    features_clear(&X);
}

/* More columns than their covariance may have held: the products go over X itself. */
static void wide(void)
{
    enum { WIDE = 4097 };
    struct features X = make_dense(60, WIDE, 1, 20);
    struct components p = fit(&X, NULL, 0, 8);
    struct context *context = make_context(2);
    float *Y = NULL;
    double sum = 0, before = (double)INFINITY;
    CHECK_OK(memory_alloc(&Y, 60 * 8, sizeof *Y));
    CHECK_OK(components_apply(Y, context, &p, &X, (struct components_block){0, 60, 0, 8}));
    for (int c = 0; c < 8; c++) { /* centred columns of X P are orthogonal and fall */
        double mean = 0, square = 0;
        for (int i = 0; i < 60; i++)
            mean += (double)Y[i * 8 + c] / 60;
        for (int i = 0; i < 60; i++)
            square += pow((double)Y[i * 8 + c] - mean, 2);
        for (int other = 0; other < c; other++) {
            double dot = 0;
            for (int i = 0; i < 60; i++)
                dot += ((double)Y[i * 8 + c] - mean) * (double)Y[i * 8 + other];
            CHECK(fabs(dot) < 1e-2 * square);
        }
        CHECK(square < before);
        before = square;
        sum += square;
    }
    CHECK(sum > 0);
    memory_free(Y);
    components_clear(&p);
    context_free(context);
    features_clear(&X);
}

/* Rows that differ in fewer directions than are wanted: the others are zeros. */
static void few_directions(void)
{
    struct features X = make_dense(5, 40, 0, 20);
    struct components p = fit(&X, NULL, 0, 10);
    for (int64_t c = 0; c < 10; c++) {
        double square = 0;
        for (int64_t j = 0; j < 40; j++)
            square += pow((double)p.P[j * 10 + c], 2);
        CHECK(fabs(square - (c < 4)) < 1e-4);
    }
    components_clear(&p);
    features_clear(&X);
    X = make_dense(3, 40, 0, 20);
    memset(X.dense, 0, 3 * 40 * sizeof *X.dense);
    p = fit(&X, NULL, 0, 10);
    for (int64_t k = 0; k < 400; k++)
        CHECK(p.P[k] == 0);
    components_clear(&p);
    features_clear(&X);
}

/* A sample tells what all rows do: the span of the leading components is nearly the same. */
static void sampled(void)
{
    enum { MANY = 66000 };
    struct features X = make_dense(MANY, 24, 0, 3);
    struct components p = fit(&X, NULL, 0, 4);
    double *C = covariance_of(&X, 0), kept = 0, whole = 0;
    for (int64_t c = 0; c < 4; c++)
        for (int64_t r = 0; r < 24; r++)
            for (int64_t k = 0; k < 24; k++)
                kept += (double)p.P[r * 4 + c] * C[r * 24 + k] * (double)p.P[k * 4 + c];
    double V[24 * 24], value[24];
    small_eigen(value, V, C, 24);
    for (int64_t c = 0; c < 4; c++)
        whole += value[c];
    CHECK(kept > 0.9999 * whole && kept < whole * (1 + 1e-6));
    memory_free(C);
    components_clear(&p);
    features_clear(&X);
}

int main(void)
{
    check_features(make_dense(ROWS, COLS, 0, 20));
    check_features(make_dense(ROWS, COLS, 1000, 20));
    check_features(make_sparse(ROWS, COLS));
    wide();
    few_directions();
    sampled();
    return check_result();
}
