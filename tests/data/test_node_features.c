/* Made features: spectral ones against the definition of an eigenvector and against known eigenvalues,
 * degrees against a graph counted by hand. */
#include "data/node_features.h"

#include "base/memory.h"
#include "base/random.h"
#include "check.h"
#include "data/spectral.h"

enum { COMPONENTS = SPECTRAL_COMPONENTS, VECTORS = SPECTRAL_VECTORS, COLS = SPECTRAL_COLS };

/* ---- Graphs ---------------------------------------------------------------------------------- */

static struct graph *make_graph(int64_t nodes, int64_t edges, const int32_t *source,
                                const int32_t *target, const float *weight, bool undirected)
{
    struct graph *graph = NULL;
    CHECK_OK(graph_build(&graph, NULL,
                         &(struct graph_pairs){nodes, edges, source, target, weight, undirected}));
    return graph;
}

/* A ring of `nodes`. */
static struct graph *make_ring(int32_t nodes)
{
    static int32_t source[1024], target[1024];
    for (int32_t i = 0; i < nodes; i++) {
        source[i] = i;
        target[i] = (i + 1) % nodes;
    }
    return make_graph(nodes, nodes, source, target, NULL, true);
}

/* 300 nodes in random edges, 40 pairs, and 5 nodes without edges; some edges have no reverse. */
static struct graph *make_parts(bool weighted)
{
    enum { EDGES = 1500, PAIRS = 40 };
    static int32_t source[EDGES + PAIRS], target[EDGES + PAIRS];
    static float weight[EDGES + PAIRS];
    const struct random_key key = {.seed = 6, .stream = RANDOM_GENERATE};
    for (int32_t e = 0; e < EDGES + PAIRS; e++) {
        source[e] = (int32_t)random_below(&key, (uint64_t)(3 * e), 300);
        target[e] = (int32_t)random_below(&key, (uint64_t)(3 * e + 1), 300);
        weight[e] = 0.2f + random_float(&key, (uint64_t)(4 * (3 * EDGES + e)));
        if (e >= EDGES) {
            source[e] = 300 + 2 * (e - EDGES);
            target[e] = source[e] + 1;
        }
    }
    return make_graph(385, EDGES + PAIRS, source, target, weighted ? weight : NULL, false);
}

/* ---- The matrix, entry by entry --------------------------------------------------------------- */

/* W (nodes, nodes) = (A + A') / 2. */
static double *dense_of(const struct graph *graph)
{
    int64_t n = graph->nodes;
    double *W = NULL;
    CHECK_OK(memory_zalloc(&W, n * n, sizeof *W));
    for (int64_t t = 0; t < n; t++)
        for (int64_t e = graph->in.start[t]; e < graph->in.start[t + 1]; e++) {
            double half = (graph->in.value ? (double)graph->in.value[e] : 1) / 2;
            W[t * n + graph->in.index[e]] += half;
            W[graph->in.index[e] * n + t] += half;
        }
    return W;
}

/* S = D^-1/2 W D^-1/2 in place; degree (nodes). */
static void normalise(double *W, double *degree, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        degree[i] = 0;
        for (int64_t j = 0; j < n; j++)
            degree[i] += W[i * n + j];
    }
    for (int64_t k = 0; k < n * n; k++)
        W[k] /= W[k] > 0 ? sqrt(degree[k / n] * degree[k % n]) : 1;
}

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Columns are eigenvectors: S x = v x, |x| = v, orthogonal, v falls; the first ones have v = 1. Returns
 * how many eigenvalues are above zero. */
static int check_spectral(const struct graph *graph, double tolerance, double *value)
{
    int64_t n = graph->nodes;
    double *S = dense_of(graph), *degree = NULL, *column = NULL, *product = NULL;
    float *X = NULL, *again = NULL;
    int positive = 0;
    CHECK_OK(memory_alloc(&degree, n, sizeof *degree));
    CHECK_OK(memory_alloc(&column, n * COLS, sizeof *column));
    CHECK_OK(memory_alloc(&product, n, sizeof *product));
    CHECK_OK(memory_alloc(&X, n * COLS, sizeof *X));
    CHECK_OK(memory_alloc(&again, n * COLS, sizeof *again));
    normalise(S, degree, n);
    CHECK_OK(spectral_features(X, graph, 1));
    CHECK_OK(spectral_features(again, graph, 3));
    CHECK(memcmp(X, again, (size_t)(n * COLS) * sizeof *X) == 0);
    for (int c = 0; c < COLS; c++) {
        double *x = column + c * n, worst = 0;
        for (int64_t i = 0; i < n; i++)
            x[i] = (double)X[i * COLS + c];
        for (int64_t i = 0; i < n; i++)
            product[i] = dot(S + i * n, x, n);
        double square = dot(x, x, n), v = square > 0 ? dot(x, product, n) / square : 0;
        for (int64_t i = 0; i < n; i++)
            worst = fmax(worst, fabs(product[i] - v * x[i]));
        if (c < COMPONENTS) {
            CHECK(square > 0 && fabs(v - 1) < 1e-5 && worst < 1e-5);
            continue;
        }
        value[c - COMPONENTS] = v;
        if (v < 0.05)
            continue; /* little is left of a vector that is scaled by this */
        positive++;
        CHECK(worst < tolerance && fabs(sqrt(square) - v) < 1e-3);
        CHECK(c == COMPONENTS || v <= value[c - COMPONENTS - 1] + 1e-5);
        for (int other = 0; other < c; other++)
            CHECK(fabs(dot(x, column + other * n, n)) < 1e-4 * sqrt(square) * 10);
    }
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < COLS && degree[i] == 0; c++)
            CHECK(X[i * COLS + c] == 0);
    memory_free(S);
    memory_free(degree);
    memory_free(column);
    memory_free(product);
    memory_free(X);
    memory_free(again);
    return positive;
}

static void spectral(void)
{
    double value[VECTORS];
    const double pi = 3.14159265358979323846;
    struct graph *graph = make_ring(200);
    CHECK(check_spectral(graph, 2e-3, value) == VECTORS);
    for (int c = 0; c < VECTORS; c++) /* cos(2 pi k / n), each twice but for k = 0 */
        CHECK(fabs(value[c] - cos(2 * pi * (c / 2 + 1) / 200)) < 1e-4);
    graph_free(graph);
    graph = make_ring(9); /* fewer nodes than vectors */
    check_spectral(graph, 1e-4, value);
    CHECK(fabs(value[0] - cos(2 * pi / 9)) < 1e-5 && fabs(value[2] - cos(4 * pi / 9)) < 1e-5);
    graph_free(graph);
    for (int weighted = 0; weighted < 2; weighted++) {
        graph = make_parts(weighted);
        CHECK(check_spectral(graph, 2e-3, value) == VECTORS);
        CHECK(value[0] < 0.999); /* the components' own are not among them */
        graph_free(graph);
    }
}

static void tiny(void)
{
    float X[2 * COLS];
    struct graph *graph = make_graph(2, 0, NULL, NULL, NULL, true);
    CHECK_OK(spectral_features(X, graph, 1));
    for (int i = 0; i < 2 * COLS; i++)
        CHECK(X[i] == 0);
    graph_free(graph);
    graph = make_graph(2, 1, (int32_t[]){0}, (int32_t[]){1}, NULL, true);
    CHECK_OK(spectral_features(X, graph, 1));
    for (int i = 0; i < 2 * COLS; i++)
        CHECK(isfinite(X[i]) && (i % COLS >= COMPONENTS || X[i] != 0));
    graph_free(graph);
}

/* A star into node 0 from 1 .. 4, with weights, and 4 -> 5. */
static void degree(void)
{
    const int32_t source[] = {1, 2, 3, 4, 4}, target[] = {0, 0, 0, 0, 5};
    const float weight[] = {1, 2, 3, 4, 5};
    struct features X = {0};
    struct graph *graph = make_graph(6, 5, source, target, weight, false);
    CHECK_OK(node_features_make(&X, NODE_FEATURES_DEGREE, graph, 1));
    CHECK(X.rows == 6 && X.cols == DEGREE_COLS && X.dense);
    const float *centre = X.dense, *leaf = X.dense + 5 * DEGREE_COLS;
    CHECK(fabsf(centre[0] - logf(5)) < 1e-6f && centre[1] == 0);
    CHECK(fabsf(centre[2] - logf(11)) < 1e-6f && fabsf(leaf[2] - logf(6)) < 1e-6f);
    CHECK(centre[3] == 0 && centre[4] == 0 && centre[7] == 1); /* nothing leads to its sources */
    CHECK(X.dense[4 * DEGREE_COLS + 1] == (float)log1p(2));
    for (int64_t i = 0; i < 6; i++) {
        float sizes = 0;
        for (int c = 8; c < DEGREE_COLS; c++)
            sizes += X.dense[i * DEGREE_COLS + c];
        CHECK(sizes == 1);
    }
    CHECK(centre[8 + 4] == 1 && leaf[8 + 2] == 1); /* 2 log2(5) = 4.6, 2 log2(2) = 2 */
    features_clear(&X);
    CHECK_OK(node_features_make(&X, NODE_FEATURES_LEARNED, graph, 1));
    CHECK(X.cols == 6 && X.sparse.start[6] == 6 && X.sparse.index[5] == 5);
    CHECK_OK(csr_check(&X.sparse, 0));
    features_clear(&X);
    CHECK_OK(node_features_make(&X, NODE_FEATURES_SPECTRAL, graph, 1));
    for (int64_t i = 0; i < 6; i++) {
        double square = 0;
        for (int c = 0; c < COLS; c++)
            square += (double)X.dense[i * COLS + c] * (double)X.dense[i * COLS + c];
        CHECK(fabs(square - 1) < 1e-5);
    }
    features_clear(&X);
    graph_free(graph);
}

int main(void)
{
    spectral();
    tiny();
    degree();
    return check_result();
}
