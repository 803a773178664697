/* Smoothed features: answers known by hand, an oracle of dense matrices in double, and what a projection
 * may and may not change. */
#include "eval/smooth.h"

#include "base/memory.h"
#include "base/random.h"
#include "check.h"

enum { NODES = 50, EDGES = 150, NARROW = 37, WIDE = 300 };

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

/* ---- By hand --------------------------------------------------------------------------------- */

/* Smooths x (nodes, 2) over the edges that are given, and compares with rows (nodes, 2), not yet scaled. */
static void check_rows(const graco_arrays *arrays, const double *rows)
{
    graco_dataset *data = NULL;
    graco_matrix S = {0};
    CHECK_OK(graco_dataset_create(&data, arrays));
    CHECK_OK(smooth_features(&S, data, 2, 1));
    CHECK(S.rows == 4 && S.cols == 2);
    for (int64_t i = 0; i < S.rows; i++) {
        double length = sqrt(rows[2 * i] * rows[2 * i] + rows[2 * i + 1] * rows[2 * i + 1]);
        for (int64_t j = 0; j < 2; j++)
            CHECK(near((double)S.data[2 * i + j], length > 0 ? rows[2 * i + j] / length : 0));
    }
    graco_matrix_clear(&S);
    graco_dataset_free(data);
}

/* Nodes 0 and 1 are linked, node 2 is alone, node 3 is alone and has no features. */
static void known_answers(void)
{
    float x[] = {1, 0, 0, 2, 3, 4, 0, 0}, weight[] = {3};
    int32_t source[] = {0, 1}, target[] = {1, 0};
    graco_arrays arrays = {.nodes = 4, .x = GRACO_MATRIX(x, 4, 2)};
    check_rows(&arrays, (const double[]){1, 0, 0, 1, 3, 4, 0, 0});
    /* A is 1/2 everywhere, and its own square. */
    arrays.source = GRACO_VECTOR(source, 2);
    arrays.target = GRACO_VECTOR(target, 2);
    check_rows(&arrays, (const double[]){1, 1, 1, 1, 3, 4, 0, 0});
    /* One edge of weight 3 into node 1: D is 1 and 4, A = (1 0; 3/2 1/4), A^2 = (1 0; 15/8 1/16). */
    arrays.source = GRACO_VECTOR(source, 1);
    arrays.target = GRACO_VECTOR(target, 1);
    arrays.edge_weight = GRACO_VECTOR(weight, 1);
    check_rows(&arrays, (const double[]){1, 0, 30, 1, 3, 4, 0, 0});
}

/* ---- Oracle ---------------------------------------------------------------------------------- */

static double element(const struct features *X, int64_t i, int64_t j)
{
    if (X->dense)
        return (double)X->dense[i * X->cols + j];
    for (int64_t k = X->sparse.start[i]; k < X->sparse.start[i + 1]; k++)
        if (X->sparse.index[k] == j)
            return (double)X->sparse.value[k];
    return 0;
}

static void scale_row(double *row, int64_t cols)
{
    double square = 0;
    for (int64_t j = 0; j < cols; j++)
        square += row[j] * row[j];
    for (int64_t j = 0; j < cols && square > 0; j++)
        row[j] /= sqrt(square);
}

/* S (NODES, cols) without a projection, by dense matrices. */
static void naive_smooth(double S[NODES][WIDE], const graco_dataset *data)
{
    static double A[NODES][NODES], from[NODES][WIDE];
    const struct graph *graph = data->graph;
    int64_t cols = data->features.cols;
    memset(A, 0, sizeof A);
    for (int64_t t = 0; t < NODES; t++)
        for (int64_t e = graph->in.start[t]; e < graph->in.start[t + 1]; e++)
            A[t][graph->in.index[e]] = graph->in.value ? (double)graph->in.value[e] : 1;
    for (int64_t i = 0; i < NODES; i++) {
        A[i][i] = 1;
        for (int64_t j = 0; j < cols; j++)
            S[i][j] = element(&data->features, i, j);
        scale_row(S[i], cols);
    }
    double degree[NODES] = {0};
    for (int64_t i = 0; i < NODES; i++)
        for (int64_t j = 0; j < NODES; j++)
            degree[i] += A[i][j];
    for (int pass = 0; pass < 2; pass++) {
        memcpy(from, S, sizeof from);
        memset(S, 0, sizeof from);
        for (int64_t i = 0; i < NODES; i++)
            for (int64_t k = 0; k < NODES; k++)
                for (int64_t j = 0; j < cols; j++)
                    S[i][j] += A[i][k] / sqrt(degree[i] * degree[k]) * from[k][j];
    }
    for (int64_t i = 0; i < NODES; i++)
        scale_row(S[i], cols);
}

/* A data set with random edges and features, a third of them not 0, dense or sparse; some rows are zeros. */
static graco_dataset *make_data(int64_t cols, bool sparse, bool directed, bool weighted)
{
    static float x[NODES * WIDE], value[NODES * WIDE], weight[EDGES];
    static int32_t source[EDGES], target[EDGES], index[NODES * WIDE];
    static int64_t start[NODES + 1];
    struct random_key key = {.seed = 4, .stream = RANDOM_GENERATE};
    graco_dataset *data = NULL;
    for (int i = 0; i < EDGES; i++) {
        source[i] = (int32_t)random_below(&key, (uint64_t)(2 * i), NODES - 5);
        target[i] = (int32_t)random_below(&key, (uint64_t)(2 * i + 1), NODES - 5);
        weight[i] = 0.1f + random_float(&key, (uint64_t)i);
    }
    for (int64_t i = 0, k = 0; i < NODES * cols; i++) {
        x[i] = i / cols % 7 == 0 || i % 3 ? 0 : (float)random_normal(&key, (uint64_t)i);
        if (x[i] != 0) {
            value[k] = x[i];
            index[k++] = (int32_t)(i % cols);
        }
        start[i / cols + 1] = k;
    }
    graco_arrays arrays = {.nodes = NODES,
                           .source = GRACO_VECTOR(source, EDGES),
                           .target = GRACO_VECTOR(target, EDGES),
                           .undirected = !directed};
    if (weighted)
        arrays.edge_weight = GRACO_VECTOR(weight, EDGES);
    if (sparse) {
        arrays.x_indptr = GRACO_VECTOR(start, NODES + 1);
        arrays.x_indices = GRACO_VECTOR(index, start[NODES]);
        arrays.x_data = GRACO_VECTOR(value, start[NODES]);
        arrays.x_cols = cols;
    } else
        arrays.x = GRACO_MATRIX(x, NODES, cols);
    CHECK_OK(graco_dataset_create(&data, &arrays));
    return data;
}

static void check_naive(const graco_matrix *S, const graco_dataset *data)
{
    static double naive[NODES][WIDE];
    naive_smooth(naive, data);
    CHECK(S->rows == NODES && S->cols == data->features.cols);
    for (int64_t i = 0; i < NODES; i++)
        for (int64_t j = 0; j < S->cols; j++)
            CHECK(near((double)S->data[i * S->cols + j], naive[i][j]));
}

/* Dense and sparse features of the same numbers, weights and directions; any number of threads. */
static void oracle(void)
{
    for (int form = 0; form < 8; form++) {
        graco_dataset *data = make_data(NARROW, form & 1, form & 2, form & 4);
        graco_matrix S = {0}, again = {0};
        CHECK(form & 1 ? !data->features.dense : data->features.dense != NULL);
        CHECK_OK(smooth_features(&S, data, 2, 1));
        check_naive(&S, data);
        for (int threads = 2; threads < 5; threads++) {
            CHECK_OK(smooth_features(&again, data, 2, threads));
            CHECK(memcmp(again.data, S.data, sizeof(float) * NODES * NARROW) == 0);
            graco_matrix_clear(&again);
        }
        graco_matrix_clear(&S);
        graco_dataset_free(data);
    }
}

/* ---- Projection ------------------------------------------------------------------------------ */

static double dot(const float *a, const float *b)
{
    double sum = 0;
    for (int j = 0; j < SMOOTH_COLUMNS; j++)
        sum += (double)a[j] * (double)b[j];
    return sum;
}

/* Of many columns 128 are left, of the same bits for dense and sparse features and any number of threads.
 * Cosines are those without a projection, but for an error of about 1 / sqrt(128) and no bias. */
static void projection(void)
{
    static double naive[NODES][WIDE];
    graco_dataset *dense = make_data(WIDE, false, false, true);
    graco_dataset *sparse = make_data(WIDE, true, false, true);
    graco_matrix S = {0}, again = {0};
    double bias = 0, square = 0;
    CHECK_OK(smooth_features(&S, dense, 2, 1));
    CHECK_OK(smooth_features(&again, sparse, 2, 3));
    CHECK(S.rows == NODES && S.cols == SMOOTH_COLUMNS && again.cols == SMOOTH_COLUMNS);
    CHECK(memcmp(again.data, S.data, sizeof(float) * NODES * SMOOTH_COLUMNS) == 0);
    naive_smooth(naive, dense);
    for (int64_t a = 0; a < NODES; a++)
        for (int64_t b = 0; b < a; b++) {
            double cosine = 0;
            for (int64_t j = 0; j < WIDE; j++)
                cosine += naive[a][j] * naive[b][j];
            double error = dot(S.data + a * SMOOTH_COLUMNS, S.data + b * SMOOTH_COLUMNS) - cosine;
            bias += error / (NODES * (NODES - 1) / 2);
            square += error * error / (NODES * (NODES - 1) / 2);
        }
    CHECK(fabs(bias) < 0.02 && sqrt(square) > 0.01 && sqrt(square) < 0.1);
    graco_matrix_clear(&S);
    graco_matrix_clear(&again);
    graco_dataset_free(dense);
    graco_dataset_free(sparse);
}

/* Some columns of unit rows, in place or projected: those of all columns less those of the others. */
static void some_columns(void)
{
    for (int form = 0; form < 4; form++) {
        graco_dataset *data = make_data(form & 1 ? WIDE : NARROW, form & 2, false, false);
        const struct features *X = &data->features;
        uint8_t only[3][WIDE] = {{0}};
        graco_matrix Y[3] = {{0}}, again = {0};
        for (int64_t j = 0; j < X->cols; j++) {
            only[0][j] = 1;
            only[1 + (j % 3 == 0)][j] = 1;
        }
        for (int k = 0; k < 3; k++)
            CHECK_OK(smooth_project(&Y[k], X, only[k], 1 + k));
        CHECK_OK(smooth_project(&again, X, NULL, 3));
        for (int64_t i = 0; i < NODES * Y[0].cols; i++) {
            int64_t row = i / Y[0].cols, column = i % Y[0].cols;
            double scaled[WIDE];
            for (int64_t j = 0; j < X->cols; j++)
                scaled[j] = element(X, row, j);
            scale_row(scaled, X->cols);
            CHECK(near((double)Y[0].data[i], (double)Y[1].data[i] + (double)Y[2].data[i]));
            CHECK(again.data[i] == Y[0].data[i]);
            if (X->cols == NARROW)
                CHECK(near((double)Y[2].data[i], column % 3 == 0 ? scaled[column] : 0));
        }
        for (int k = 0; k < 3; k++)
            graco_matrix_clear(&Y[k]);
        graco_matrix_clear(&again);
        graco_dataset_free(data);
    }
}

/* Without a pass a row is the node's own, with one its neighbours' too. */
static void passes(void)
{
    float x[] = {1, 0, 0, 1};
    int32_t source[] = {0, 1}, target[] = {1, 0};
    graco_dataset *data = NULL;
    CHECK_OK(graco_dataset_create(&data, &(graco_arrays){.x = GRACO_MATRIX(x, 2, 2),
                                                         .source = GRACO_VECTOR(source, 2),
                                                         .target = GRACO_VECTOR(target, 2)}));
    for (int count = 0; count < 2; count++) {
        graco_matrix S = {0};
        CHECK_OK(smooth_features(&S, data, count, 1));
        CHECK(near((double)S.data[0], count ? sqrt(0.5) : 1) &&
              near((double)S.data[1], count ? sqrt(0.5) : 0));
        graco_matrix_clear(&S);
    }
    graco_dataset_free(data);
}

static void no_features(void)
{
    int32_t source[] = {0}, target[] = {1};
    graco_dataset *data = NULL;
    graco_matrix S = {0};
    CHECK_OK(graco_dataset_create(&data, &(graco_arrays){.source = GRACO_VECTOR(source, 1),
                                                         .target = GRACO_VECTOR(target, 1)}));
    CHECK_OK(smooth_features(&S, data, 2, 1));
    CHECK(S.cols == 0 && !S.data);
    graco_dataset_free(data);
}

int main(void)
{
    known_answers();
    oracle();
    projection();
    some_columns();
    passes();
    no_features();
    return check_result();
}
