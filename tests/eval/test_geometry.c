/* Effective rank, alignment and uniformity: answers known by hand, oracles of plain loops in
 * double, and any number of threads. */
#include "eval/geometry.h"

#include "base/memory.h"
#include "base/random.h"
#include "check.h"

enum { ROWS = 70, COLS = 13 };

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9 * (1 + fabs(b));
}

static graco_matrix make_matrix(int64_t rows, int64_t cols)
{
    graco_matrix Z = {rows, cols, NULL};
    struct random_key key = {.seed = 3, .stream = RANDOM_GENERATE};
    CHECK_OK(memory_alloc(&Z.data, rows * cols, sizeof *Z.data));
    for (int64_t i = 0; i < rows * cols; i++)
        Z.data[i] = (float)(random_normal(&key, (uint64_t)i) * (1 + (double)(i % cols)));
    return Z;
}

/* A ring in which each node also has an edge to the one after the next. */
static struct graph *make_graph(int64_t nodes)
{
    int32_t source[2 * ROWS], target[2 * ROWS];
    struct graph *graph = NULL;
    for (int32_t i = 0; i < nodes; i++) {
        source[2 * i] = source[2 * i + 1] = i;
        target[2 * i] = (int32_t)((i + 1) % nodes);
        target[2 * i + 1] = (int32_t)((i + 2) % nodes);
    }
    CHECK_OK(graph_create(&graph, NULL, nodes, 2 * nodes, source, target, false));
    return graph;
}

/* ---- Spectrum -------------------------------------------------------------------------------- */

/* One-sided Jacobi: columns are turned in pairs until all are orthogonal; their lengths are the
 * singular values. */
static void naive_spectrum(double *singular, const graco_matrix *Z)
{
    static double A[COLS][ROWS];
    for (int64_t c = 0; c < Z->cols; c++)
        for (int64_t i = 0; i < Z->rows; i++)
            A[c][i] = (double)Z->data[i * Z->cols + c];
    for (int sweep = 0; sweep < 60; sweep++)
        for (int64_t a = 0; a < Z->cols; a++)
            for (int64_t b = a + 1; b < Z->cols; b++) {
                double aa = 0, bb = 0, ab = 0;
                for (int64_t i = 0; i < Z->rows; i++) {
                    aa += A[a][i] * A[a][i];
                    bb += A[b][i] * A[b][i];
                    ab += A[a][i] * A[b][i];
                }
                double angle = 0.5 * atan2(2 * ab, aa - bb), c = cos(angle), s = sin(angle);
                for (int64_t i = 0; i < Z->rows; i++) {
                    double x = A[a][i], y = A[b][i];
                    A[a][i] = c * x + s * y;
                    A[b][i] = c * y - s * x;
                }
            }
    for (int64_t a = 0; a < Z->cols; a++) {
        double square = 0;
        for (int64_t i = 0; i < Z->rows; i++)
            square += A[a][i] * A[a][i];
        int64_t at = a;
        for (; at > 0 && singular[at - 1] < sqrt(square); at--)
            singular[at] = singular[at - 1];
        singular[at] = sqrt(square);
    }
}

static void check_spectrum(void)
{
    graco_matrix Z = make_matrix(ROWS, COLS);
    double found[COLS], other[COLS], expected[COLS];
    CHECK_OK(geometry_spectrum(found, &Z, 1));
    naive_spectrum(expected, &Z);
    for (int i = 0; i < COLS; i++)
        CHECK(near(found[i], expected[i]) && (i == 0 || found[i] <= found[i - 1]));
    for (int threads = 2; threads < 5; threads++) {
        CHECK_OK(geometry_spectrum(other, &Z, threads));
        CHECK(memcmp(found, other, sizeof found) == 0);
    }
    Z.rows = 5; /* fewer rows than columns: the last values are 0 */
    CHECK_OK(geometry_spectrum(found, &Z, 2));
    for (int i = 0; i < COLS; i++)
        CHECK(i < 5 ? found[i] > 0.1 : found[i] == 0);
    Z.cols = GEOMETRY_COLUMNS + 1;
    CHECK_FAILS(geometry_spectrum(found, &Z, 1), GRACO_ERROR_ARGUMENT, "4097 columns");
    Z.cols = COLS;
    graco_matrix_clear(&Z);
}

static void check_rank(void)
{
    CHECK(near(geometry_effective_rank((double[]){2, 2, 2, 2}, 4), 4));
    CHECK(near(geometry_effective_rank((double[]){5, 0, 0}, 3), 1));
    CHECK(near(geometry_effective_rank((double[]){3, 1}, 2),
               exp(-0.75 * log(0.75) - 0.25 * log(0.25))));
    CHECK(geometry_effective_rank((double[]){0, 0}, 2) == 0);
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static double naive_apart(const graco_matrix *Z, int64_t i, int64_t j)
{
    double a = 0, b = 0, sum = 0;
    for (int64_t c = 0; c < Z->cols; c++) {
        a += pow((double)Z->data[i * Z->cols + c], 2);
        b += pow((double)Z->data[j * Z->cols + c], 2);
    }
    for (int64_t c = 0; c < Z->cols; c++)
        sum += pow((a > 0 ? (double)Z->data[i * Z->cols + c] / sqrt(a) : 0) -
                       (b > 0 ? (double)Z->data[j * Z->cols + c] / sqrt(b) : 0),
                   2);
    return sum;
}

static void check_pairs(void)
{
    graco_matrix Z = make_matrix(ROWS, COLS);
    struct graph *graph = make_graph(ROWS);
    double alignment = 0, uniformity = 0, edges = 0, pairs = 0, other = 0;
    int64_t nodes = 0;
    memset(Z.data, 0, COLS * sizeof *Z.data); /* a row of zeros stays one */
    for (int64_t i = 0; i < ROWS; i++)
        edges += naive_apart(&Z, i, (i + 1) % ROWS) + naive_apart(&Z, i, (i + 2) % ROWS);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < i; j++)
            pairs += exp(-2 * naive_apart(&Z, i, j));
    CHECK_OK(geometry_alignment(&alignment, &Z, graph, 1));
    CHECK_OK(geometry_uniformity(&uniformity, &nodes, &Z, 1));
    CHECK(near(alignment, edges / (2 * ROWS)));
    CHECK(near(uniformity, log(pairs / (ROWS * (ROWS - 1) / 2.0))) && nodes == ROWS);
    for (int threads = 2; threads < 5; threads++) {
        CHECK_OK(geometry_alignment(&other, &Z, graph, threads));
        CHECK(memcmp(&other, &alignment, sizeof other) == 0);
        CHECK_OK(geometry_uniformity(&other, &nodes, &Z, threads));
        CHECK(memcmp(&other, &uniformity, sizeof other) == 0);
    }
    graph_free(graph);
    graco_matrix_clear(&Z);
}

/* Two nodes face to face, two that coincide, one alone, no edges; and more nodes than are looked
 * at. */
static void check_known(void)
{
    float opposite[] = {3, 0, -1, 0}, equal[] = {1, 2, 2, 4};
    graco_matrix Z = {2, 2, opposite}, many = make_matrix(2 * GEOMETRY_NODES, 2);
    struct graph *two = NULL, *none = NULL;
    double value = 0;
    int64_t nodes = 0;
    CHECK_OK(graph_create(&two, NULL, 2, 1, (int32_t[]){0}, (int32_t[]){1}, true));
    CHECK_OK(graph_create(&none, NULL, 2, 0, NULL, NULL, false));
    CHECK_OK(geometry_alignment(&value, &Z, two, 1));
    CHECK(near(value, 4));
    CHECK_OK(geometry_uniformity(&value, &nodes, &Z, 1));
    CHECK(near(value, -8) && nodes == 2);
    CHECK_OK(geometry_alignment(&value, &Z, none, 1));
    CHECK(isnan(value));
    Z.data = equal;
    CHECK_OK(geometry_alignment(&value, &Z, two, 1));
    CHECK(fabs(value) < 1e-12);
    Z.rows = 1;
    CHECK_OK(geometry_uniformity(&value, &nodes, &Z, 1));
    CHECK(isnan(value));
    for (int64_t i = 0; i < 2 * many.rows;
         i++) /* every second node is the same, the others differ */
        many.data[i] = i % 4 < 2 ? 1 : many.data[i];
    CHECK_OK(geometry_uniformity(&value, &nodes, &many, 2));
    CHECK(fabs(value) < 1e-12 && nodes == GEOMETRY_NODES);
    graco_matrix_clear(&many);
    graph_free(two);
    graph_free(none);
}

int main(void)
{
    check_spectrum();
    check_rank();
    check_pairs();
    check_known();
    return check_result();
}
