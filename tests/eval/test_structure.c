/* k-means, the three numbers of embeddings' structure and their score: answers known by hand, oracles of plain loops,
 * and graphs that have nothing to measure. */
#include "eval/kmeans.h"
#include "eval/structure.h"

#include "base/memory.h"
#include "base/random.h"
#include "eval/measure_structure.h"
#include "fixture.h"

enum { NODES = 60, COLS = 37, CLUSTERS = 7 };

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

static graco_matrix make_matrix(int64_t rows, int64_t cols, uint64_t seed)
{
    graco_matrix X = {rows, cols, NULL};
    struct random_key key = {.seed = seed, .stream = RANDOM_GENERATE};
    CHECK_OK(memory_alloc(&X.data, rows * cols, sizeof *X.data));
    for (int64_t i = 0; i < rows * cols; i++)
        X.data[i] = (float)random_normal(&key, (uint64_t)i);
    return X;
}

/* ---- k-means --------------------------------------------------------------------------------- */

static double distance(const float *x, const float *c, int64_t cols)
{
    double sum = 0;
    for (int64_t j = 0; j < cols; j++)
        sum += ((double)x[j] - (double)c[j]) * ((double)x[j] - (double)c[j]);
    return sum;
}

/* No row is nearer to another centre, and the cost is that of the rows. */
static void check_fixed(const struct kmeans *found, const graco_matrix *X)
{
    double cost = 0;
    int64_t rows = 0;
    for (int64_t i = 0; i < X->rows; i++) {
        const float *x = X->data + i * X->cols;
        double own = distance(x, found->centre + found->cluster[i] * X->cols, X->cols);
        for (int64_t k = 0; k < found->clusters; k++)
            CHECK(distance(x, found->centre + k * X->cols, X->cols) > own - 1e-4);
        cost += own;
    }
    for (int64_t k = 0; k < found->clusters; k++)
        rows += found->size[k];
    CHECK(rows == X->rows && fabs(cost - found->cost) < 1e-4 * (1 + cost));
}

/* Each centre is the mean of its rows, or has its direction. */
static void check_means(const struct kmeans *found, const graco_matrix *X, bool spherical)
{
    for (int64_t k = 0; k < found->clusters; k++) {
        double mean[COLS] = {0}, square = 0;
        int64_t rows = 0;
        for (int64_t i = 0; i < X->rows; i++) {
            for (int64_t j = 0; found->cluster[i] == k && j < X->cols; j++)
                mean[j] += (double)X->data[i * X->cols + j];
            rows += found->cluster[i] == k;
        }
        for (int64_t j = 0; j < X->cols; j++)
            square += mean[j] * mean[j];
        CHECK(rows == found->size[k] && rows > 0);
        for (int64_t j = 0; j < X->cols; j++)
            CHECK(fabs(mean[j] / (spherical ? sqrt(square) : (double)rows) -
                       (double)found->centre[k * X->cols + j]) < 1e-4);
    }
}

static void fixed_point(bool spherical)
{
    graco_matrix X = make_matrix(NODES, COLS, 3);
    struct kmeans found = {0}, again = {0};
    struct kmeans_options options = {CLUSTERS, 3, spherical, 5, 1};
    if (spherical)
        structure_centre(X.data, &X, 1);
    CHECK_OK(kmeans_fit(&found, &X, &options));
    check_fixed(&found, &X);
    check_means(&found, &X, spherical);
    for (options.threads = 2; options.threads < 5; options.threads++) {
        CHECK_OK(kmeans_fit(&again, &X, &options));
        CHECK(memcmp(again.centre, found.centre, sizeof(float) * CLUSTERS * COLS) == 0);
        CHECK(memcmp(again.cluster, found.cluster, sizeof(int32_t) * NODES) == 0);
        CHECK(again.cost == found.cost);
        kmeans_clear(&again);
    }
    options.starts = 1;
    CHECK_OK(kmeans_fit(&again, &X, &options));
    CHECK(again.cost >= found.cost); /* the first start is among the three */
    kmeans_clear(&again);
    kmeans_clear(&found);
    graco_matrix_clear(&X);
}

/* Four heaps far from each other, each of two points: the cost is known. */
static void heaps(void)
{
    float x[16 * 2];
    graco_matrix X = {16, 2, x};
    struct kmeans found = {0};
    for (int i = 0; i < 16; i++) {
        x[2 * i] = (float)(100 * (i % 4 / 2)) + (i < 8 ? 1.0f : -1.0f);
        x[2 * i + 1] = (float)(100 * (i % 2));
    }
    CHECK_OK(kmeans_fit(&found, &X, &(struct kmeans_options){4, 4, false, 0, 1}));
    CHECK(near(found.cost, 16));
    for (int i = 4; i < 16; i++)
        CHECK(found.cluster[i] == found.cluster[i % 4]);
    kmeans_clear(&found);
}

/* Fewer rows, or fewer different ones, than clusters; rows of zeros; no columns. */
static void few_rows(void)
{
    float x[8 * 2] = {0};
    struct kmeans found = {0};
    for (int spherical = 0; spherical < 2; spherical++) {
        graco_matrix three = {3, 2, x}, none = {8, 0, x};
        struct kmeans_options options = {5, 2, spherical, 0, 1};
        memset(x, 0, sizeof x);
        CHECK_OK(kmeans_fit(&found, &three, &options));
        CHECK(found.clusters == 3 && near(found.cost, 0));
        kmeans_clear(&found);
        CHECK_OK(kmeans_fit(&found, &none, &options));
        CHECK(found.clusters == 5);
        kmeans_clear(&found);
        for (int i = 0; i < 8; i++)
            x[2 * i + i % 2] = 1;
        CHECK_OK(kmeans_fit(&found, &(graco_matrix){8, 2, x}, &options));
        CHECK(near(found.cost, 0));
        for (int i = 2; i < 8; i++)
            CHECK(found.cluster[i] == found.cluster[i % 2] && found.cluster[0] != found.cluster[1]);
        kmeans_clear(&found);
    }
}

/* ---- Modularity ----------------------------------------------------------------- */

/* The definition: over all pairs of nodes of a cluster, weight less expectation. */
static double naive_modularity(const struct graph *graph, const int32_t *cluster)
{
    double W = 0, out[NODES] = {0}, in[NODES] = {0}, Q = 0;
    static double A[NODES][NODES];
    memset(A, 0, sizeof A);
    for (int64_t t = 0; t < graph->nodes; t++)
        for (int64_t e = graph->in.start[t]; e < graph->in.start[t + 1]; e++)
            A[graph->in.index[e]][t] = graph->in.value ? (double)graph->in.value[e] : 1;
    for (int64_t s = 0; s < graph->nodes; s++)
        for (int64_t t = 0; t < graph->nodes; t++) {
            W += A[s][t];
            out[s] += A[s][t];
            in[t] += A[s][t];
        }
    for (int64_t s = 0; s < graph->nodes; s++)
        for (int64_t t = 0; t < graph->nodes; t++)
            Q += cluster[s] == cluster[t] ? (A[s][t] - out[s] * in[t] / W) / W : 0;
    return Q;
}

static void modularity(void)
{
    enum { EDGES = 300 };
    int32_t source[EDGES], target[EDGES], cluster[NODES];
    float weight[EDGES];
    struct random_key key = {.seed = 1, .stream = RANDOM_GENERATE};
    for (int i = 0; i < EDGES; i++) {
        source[i] = (int32_t)random_below(&key, (uint64_t)(2 * i), NODES);
        target[i] = (int32_t)random_below(&key, (uint64_t)(2 * i + 1), NODES);
        weight[i] = 0.1f + random_float(&key, (uint64_t)i);
    }
    for (int i = 0; i < NODES; i++)
        cluster[i] = i % CLUSTERS;
    for (int form = 0; form < 4; form++) {
        struct graph *graph = NULL;
        double Q = 0;
        CHECK_OK(graph_build(&graph, NULL,
                             &(struct graph_pairs){NODES, EDGES, source, target,
                                                   form & 1 ? weight : NULL, form & 2}));
        CHECK_OK(structure_modularity(&Q, graph, cluster, CLUSTERS));
        CHECK(fabs(Q - naive_modularity(graph, cluster)) < 1e-9);
        graph_free(graph);
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Two cliques of 20 nodes, or as many nodes without edges; features say which clique, or nothing, or, with
 * `mixed`, whether a node's number is odd. */
static graco_dataset *cliques(bool edges, bool features, bool mixed)
{
    enum { HALF = 20, MOST = 2 * HALF * HALF };
    static int32_t source[MOST], target[MOST];
    static float x[2 * HALF][2];
    graco_dataset *data = NULL;
    int64_t count = 0;
    for (int32_t i = 0; i < 2 * HALF; i++) {
        bool first = mixed ? i % 2 : i < HALF;
        x[i][0] = first ? 3 : 0;
        x[i][1] = first ? 0 : 1;
        for (int32_t j = 0; edges && j < 2 * HALF; j++)
            if (i != j && i / HALF == j / HALF) {
                source[count] = i;
                target[count++] = j;
            }
    }
    graco_arrays arrays = {.nodes = 2 * HALF,
                           .source = GRACO_VECTOR(source, count),
                           .target = GRACO_VECTOR(target, count)};
    if (features)
        arrays.x = GRACO_MATRIX(&x[0][0], 2 * HALF, 2);
    CHECK_OK(graco_dataset_create(&data, &arrays));
    return data;
}

/* Embeddings that tell the cliques apart are known to have 1/2, nearly 1 and 1; equal ones 0, 0 and 1/2; where the data
 * set has nothing, nothing is measured. */
static void known_answers(void)
{
    float z[40 * 3];
    graco_matrix Z = {40, 3, z};
    for (int form = 0; form < 4; form++) {
        bool edges = form & 1, features = form & 2;
        graco_dataset *data = cliques(edges, features, false);
        graco_structure found = {0};
        for (int i = 0; i < 40; i++)
            memcpy(z + 3 * i, i < 20 ? (float[]){1, 0, 5} : (float[]){0, 2, 5}, 3 * sizeof *z);
        CHECK_OK(measure_structure(&found, &Z, data, 1));
        CHECK(edges ? near(found.modularity, 0.5) : isnan(found.modularity));
        CHECK(features ? found.columns > 0.99 : isnan(found.columns));
        CHECK(edges ? near(found.edges, 1) : isnan(found.edges));
        for (int zeros = 0; zeros < 2; zeros++) {
            for (int i = 0; i < 120; i++)
                z[i] = zeros ? 0 : (float)(1 + i % 3);
            CHECK_OK(measure_structure(&found, &Z, data, 2));
            CHECK(edges ? near(found.modularity, 0) : isnan(found.modularity));
            CHECK(features ? found.columns == 0 : isnan(found.columns));
            CHECK(edges ? near(found.edges, 0.5) : isnan(found.edges));
        }
        graco_dataset_free(data);
    }
}

/* Rows that tell the cliques say nothing of features that only know whether a node's number is odd, and the other way
 * round: either half of the score sees its own kind of graph. */
static void two_kinds(void)
{
    float z[40 * 2];
    graco_dataset *data = cliques(true, true, true);
    for (int odd = 0; odd < 2; odd++) {
        graco_structure found = {0};
        for (int i = 0; i < 40; i++) {
            z[2 * i] = odd ? (float)(i % 2) : i < 20;
            z[2 * i + 1] = 1 - z[2 * i];
        }
        CHECK_OK(measure_structure(&found, &(graco_matrix){40, 2, z}, data, 1));
        CHECK(odd ? found.columns > 0.99 : found.columns < 0.05);
        CHECK(odd ? found.modularity < 0.05 && found.edges < 0.7
                  : near(found.modularity, 0.5) && near(found.edges, 1));
    }
    graco_dataset_free(data);
}

/* A number that is not there is left out. */
static void scores(void)
{
    const double none = (double)NAN;
    static const double wanted[8] = {1.5 + 0.55, 1.5 + 0.7, 1.5 + 0.4, 1.5, 0.55, 0.7, 0.4};
    for (int gone = 0; gone < 8; gone++) {
        const graco_structure one = {gone & 1 ? none : 0.4, gone & 4 ? none : 0.2,
                                     gone & 2 ? none : 0.85};
        double score = structure_score(&one);
        CHECK(gone == 7 ? isnan(score) : near(score, wanted[gone]));
    }
    CHECK(near(structure_score(&(graco_structure){-0.1, 0, 0.4}), -0.15));
}

static void refused(void)
{
    float z[40 * 3] = {0};
    graco_dataset *data = cliques(true, true, false);
    graco_structure found = {2, 3, 4};
    z[50] = NAN;
    CHECK_FAILS(measure_structure(&found, &(graco_matrix){40, 3, z}, data, 1), GRACO_ERROR_NUMBER,
                "node 16");
    z[50] = INFINITY;
    CHECK(measure_structure(&found, &(graco_matrix){40, 3, z}, data, 1) == GRACO_ERROR_NUMBER);
    CHECK_FAILS(measure_structure(&found, &(graco_matrix){39, 3, z}, data, 1), GRACO_ERROR_ARGUMENT,
                "39 rows");
    CHECK(found.modularity == 2 && found.columns == 3 && found.edges == 4);
    graco_dataset_free(data);
}

/* Embeddings with the graph's classes in them have more structure than noise, for any number of threads
 * the same; a single node has none. */
static void order(void)
{
    graco_dataset *data = fixture_data(.nodes = 400);
    graco_structure good = {0}, again = {0}, bad = {0};
    graco_matrix Z = make_matrix(400, 24, 1);
    CHECK_OK(measure_structure(&bad, &Z, data, 1));
    for (int64_t i = 0; i < 400; i++)
        Z.data[i * 24 + graco_dataset_label(data, i)] += 8;
    CHECK_OK(measure_structure(&good, &Z, data, 1));
    CHECK(good.modularity > bad.modularity + 0.2 && good.columns > bad.columns);
    CHECK(good.edges > bad.edges + 0.1 && bad.columns >= 0);
    CHECK(structure_score(&good) > structure_score(&bad) + 0.2);
    for (int threads = 2; threads < 5; threads++) {
        CHECK_OK(measure_structure(&again, &Z, data, threads));
        CHECK(memcmp(&again, &good, sizeof good) == 0);
    }
    graco_dataset_free(data);
    graco_matrix_clear(&Z);

    float one[2] = {1, 2};
    CHECK_OK(graco_dataset_create(&data, &(graco_arrays){.x = GRACO_MATRIX(one, 1, 2)}));
    CHECK_OK(measure_structure(&good, &(graco_matrix){1, 2, one}, data, 1));
    CHECK(isnan(good.modularity) && isnan(good.columns) && isnan(good.edges));
    graco_dataset_free(data);
}

int main(void)
{
    fixed_point(false);
    fixed_point(true);
    heaps();
    few_rows();
    modularity();
    known_answers();
    two_kinds();
    scores();
    refused();
    order();
    return check_result();
}
