/* What is hidden of a data set, and the regression that predicts it: an oracle of plain elimination, answers known by
 * hand, and data sets of which little or nothing can be hidden. */
#include "eval/hidden.h"

#include "base/memory.h"
#include "base/random.h"
#include "compute/permutation.h"
#include "eval/ridge.h"
#include "eval/smooth.h"
#include "fixture.h"

enum { NODES = 300, LEARNT = NODES / 2, WIDE = 170, NARROW = 6, TARGETS = 3, MOST = WIDE + 1 };

/* ---- Regression ------------------------------------------------------------------------------ */

/* The rows in the order in which they are learnt from and asked about. */
static void find_order(int64_t order[NODES])
{
    const struct random_key key = {.stream = RANDOM_HIDDEN, .view = 3};
    uint32_t words[PERMUTATION_ROUNDS];
    for (int i = 0; i < PERMUTATION_ROUNDS; i++)
        words[i] = random_u32(&key, (uint64_t)i);
    for (int64_t i = 0; i < NODES; i++)
        order[i] = permutation_at(words, permutation_bits(NODES), NODES, i);
}

/* Solves A x = b (n, n) for b in column n of A by elimination; A is positive definite. */
static void eliminate(double x[MOST], double A[MOST][MOST + 1], int64_t n)
{
    for (int64_t p = 0; p < n; p++)
        for (int64_t i = 0; i < n; i++) {
            double factor = i == p ? 0 : A[i][p] / A[p][p];
            for (int64_t j = p; j <= n; j++)
                A[i][j] -= factor * A[p][j];
        }
    for (int64_t i = 0; i < n; i++)
        x[i] = A[i][n] / A[i][i];
}

/* Adds the squares of what is left of target t of the asked rows, and of all of it. */
static void naive_target(double *wrong, double *all, const graco_matrix *X, const graco_matrix *Y,
                         int64_t t, double share)
{
    static double A[MOST][MOST + 1];
    double w[MOST], x[WIDE] = {0}, y = 0, trace = 0;
    int64_t order[NODES], cols = X->cols;
    find_order(order);
    memset(A, 0, sizeof A);
    for (int64_t i = 0; i < LEARNT; i++) {
        y += (double)Y->data[order[i] * Y->cols + t] / LEARNT;
        for (int64_t j = 0; j < cols; j++)
            x[j] += (double)X->data[order[i] * cols + j] / LEARNT;
    }
    for (int64_t i = 0; i < LEARNT; i++)
        for (int64_t j = 0; j < cols; j++) {
            const float *row = X->data + order[i] * cols;
            double own = (double)row[j] - x[j];
            for (int64_t k = 0; k < cols; k++)
                A[j][k] += own * ((double)row[k] - x[k]);
            A[j][cols] += own * ((double)Y->data[order[i] * Y->cols + t] - y);
        }
    for (int64_t j = 0; j < cols; j++)
        trace += A[j][j];
    for (int64_t j = 0; j < cols; j++)
        A[j][j] += share * trace / (double)cols;
    eliminate(w, A, cols);
    for (int64_t i = LEARNT; i < NODES; i++) {
        double left = (double)Y->data[order[i] * Y->cols + t] - y;
        *all += left * left;
        for (int64_t j = 0; j < cols; j++)
            left -= w[j] * ((double)X->data[order[i] * cols + j] - x[j]);
        *wrong += left * left;
    }
}

static double naive_predicted(const graco_matrix *X, const graco_matrix *Y)
{
    static const double ridges[] = {0.01, 0.1, 1, 10};
    double best = 0;
    for (int k = 0; k < 4; k++) {
        double wrong = 0, all = 0;
        for (int64_t t = 0; t < Y->cols; t++)
            naive_target(&wrong, &all, X, Y, t, ridges[k]);
        best = fmax(best, 1 - wrong / all);
    }
    return best;
}

/* Noise, and targets that are sums of columns and noise: fewer columns than rows to learn from, and more. With little
 * noise a small ridge is best, with much a large one. */
static void oracle(int64_t cols, double noise)
{
    static float x[NODES * WIDE], y[NODES * TARGETS];
    const graco_matrix X = {NODES, cols, x}, Y = {NODES, TARGETS, y};
    const struct random_key key = {.seed = 4, .stream = RANDOM_GENERATE};
    double share = 0;
    for (int64_t i = 0; i < NODES * cols; i++)
        x[i] = (float)random_normal(&key, (uint64_t)i) + 2;
    for (int64_t i = 0; i < NODES * TARGETS; i++) {
        int64_t row = i / TARGETS, t = i % TARGETS;
        double error = noise * random_normal(&key, (uint64_t)(NODES * WIDE + i));
        y[i] = (float)(error + (double)x[row * cols + t] - 2 * (double)x[row * cols + t + 1]);
    }
    double known = naive_predicted(&X, &Y);
    CHECK(known > 0.02 && known < 1);
    for (int threads = 1; threads < 4; threads++) {
        double again = share;
        CHECK_OK(ridge_predicted(&share, &Y, &X, threads));
        CHECK(fabs(share - known) < 1e-5 && (threads == 1 || share == again));
    }
}

/* Rows predict themselves; rows that are all alike, rows of no columns, and noise predict nothing. */
static void known_answers(void)
{
    static float x[NODES * 4], y[NODES * 4];
    const graco_matrix X = {NODES, 4, x}, Y = {NODES, 4, y};
    const struct random_key key = {.seed = 9, .stream = RANDOM_GENERATE};
    double share = 5;
    for (int64_t i = 0; i < NODES * 4; i++)
        x[i] = y[i] = (float)random_normal(&key, (uint64_t)i);
    CHECK_OK(ridge_predicted(&share, &Y, &X, 1));
    CHECK(share > 0.999 && share < 1);
    memset(x, 0, sizeof x);
    CHECK_OK(ridge_predicted(&share, &Y, &X, 1));
    CHECK(share == 0);
    CHECK_OK(ridge_predicted(&share, &Y, &(graco_matrix){NODES, 0, x}, 1));
    CHECK(share == 0);
    CHECK_OK(ridge_predicted(&share, &X, &Y, 1)); /* there is nothing to predict */
    CHECK(isnan(share));
    CHECK_OK(ridge_predicted(&share, &(graco_matrix){1, 4, y}, &(graco_matrix){1, 4, y}, 1));
    CHECK(isnan(share));
    CHECK_OK(ridge_predicted(&share, &(graco_matrix){2, 1, y}, &(graco_matrix){2, 4, y}, 1));
    CHECK(share == 0);
}

/* ---- What is hidden -------------------------------------------------------------------------- */

static double element(const struct features *X, int64_t i, int64_t j)
{
    if (X->dense)
        return (double)X->dense[i * X->cols + j];
    for (int64_t k = X->sparse.start[i]; k < X->sparse.start[i + 1]; k++)
        if (X->sparse.index[k] == j)
            return X->sparse.value ? (double)X->sparse.value[k] : 1;
    return 0;
}

static double length(const struct features *X, int64_t i)
{
    double square = 0;
    for (int64_t j = 0; j < X->cols; j++)
        square += element(X, i, j) * element(X, i, j);
    return square > 0 ? sqrt(square) : 1;
}

/* A column is seen whole or not at all, a fifth of them not; the others are asked for, of rows of length one. */
static void check_columns(const struct hidden *hidden, const graco_dataset *data)
{
    const struct features *X = &data->features, *seen = &hidden->seen.features;
    int64_t gone = 0, nodes = data->graph->nodes;
    CHECK(seen->cols == X->cols && seen->rows == nodes && !seen->dense == !X->dense);
    for (int64_t j = 0; j < X->cols; j++) {
        int64_t kept = 0, lost = 0;
        for (int64_t i = 0; i < nodes; i++) {
            double x = element(X, i, j), there = element(seen, i, j);
            CHECK(there == x || there == 0);
            kept += there != 0;
            lost += there != x;
            if (X->cols <= SMOOTH_COLUMNS)
                CHECK(fabs((double)hidden->columns.data[i * X->cols + j] -
                           (x - there) / length(X, i)) < 1e-6);
        }
        CHECK(kept == 0 || lost == 0);
        gone += lost > 0;
    }
    CHECK(gone == X->cols / HIDDEN_SHARE);
    CHECK(hidden->columns.rows == nodes &&
          hidden->columns.cols == (X->cols < SMOOTH_COLUMNS ? X->cols : SMOOTH_COLUMNS));
}

static int64_t count_pairs(const struct graph *graph)
{
    int64_t pairs = 0;
    for (int64_t t = 0; t < graph->nodes; t++)
        for (int64_t e = graph->in.start[t]; e < graph->in.start[t + 1]; e++)
            pairs += graph->in.index[e] < t || !graph_links(graph, (int32_t)t, graph->in.index[e]);
    return pairs;
}

/* What is seen of the graph are edges of it with their weights, in both orientations; a pair is hidden in both directions,
 * listed once, and as many pairs that have no edge are listed behind them. */
static void check_edges(const struct hidden *hidden, const struct graph *graph)
{
    const struct graph *seen = hidden->seen.graph;
    int64_t all = count_pairs(graph), left = count_pairs(seen);
    double share = (double)(all - left) / (double)all;
    CHECK(share > 0.15 && share < 0.25 && seen->nodes == graph->nodes);
    CHECK(hidden->linked == (all - left < HIDDEN_EDGES ? all - left : HIDDEN_EDGES));
    CHECK(hidden->pairs == 2 * hidden->linked);
    for (int64_t t = 0; t < seen->nodes; t++)
        for (int64_t e = seen->in.start[t]; e < seen->in.start[t + 1]; e++) {
            int32_t s = seen->in.index[e];
            int64_t was = csr_find(&graph->in, (int32_t)t, s);
            CHECK(was >= 0 && graph_links(seen, s, (int32_t)t));
            CHECK(!graph->in.value || seen->in.value[e] == graph->in.value[was]);
        }
    CHECK(graph_is_symmetric(seen) == graph_is_symmetric(graph));
    for (int64_t i = 0; i < hidden->pairs; i++) {
        int32_t a = hidden->pair[2 * i], b = hidden->pair[2 * i + 1];
        bool linked = graph_links(graph, a, b) || graph_links(graph, b, a);
        CHECK(a != b && linked == (i < hidden->linked));
        CHECK(!graph_links(seen, a, b) && !graph_links(seen, b, a));
        for (int64_t k = i > 40 ? i - 40 : 0; k < i && i < hidden->linked; k++)
            CHECK(hidden->pair[2 * k] != b || hidden->pair[2 * k + 1] != a);
    }
}

/* P(cosine of a hidden edge > that of another pair), pair by pair. */
static double naive_auc(const struct hidden *hidden, const graco_matrix *Z)
{
    double sum = 0, cosine[2000];
    CHECK(hidden->pairs <= 2000);
    for (int64_t i = 0; i < hidden->pairs; i++) {
        const float *a = Z->data + hidden->pair[2 * i] * Z->cols;
        const float *b = Z->data + hidden->pair[2 * i + 1] * Z->cols;
        double ab = 0, aa = 0, bb = 0;
        for (int64_t j = 0; j < Z->cols; j++) {
            ab += (double)a[j] * (double)b[j];
            aa += (double)a[j] * (double)a[j];
            bb += (double)b[j] * (double)b[j];
        }
        cosine[i] = ab / sqrt(aa * bb);
    }
    for (int64_t i = 0; i < hidden->linked; i++)
        for (int64_t k = hidden->linked; k < hidden->pairs; k++)
            sum += cosine[i] > cosine[k] ? 1 : cosine[i] == cosine[k] ? 0.5 : 0;
    return sum / (double)hidden->linked / (double)(hidden->pairs - hidden->linked);
}

static graco_dataset *directed(void)
{
    enum { EDGES = 900 };
    static int32_t source[EDGES], target[EDGES];
    static float weight[EDGES], x[NODES][7];
    const struct random_key key = {.seed = 2, .stream = RANDOM_GENERATE};
    graco_dataset *data = NULL;
    for (int i = 0; i < EDGES; i++) {
        source[i] = (int32_t)random_below(&key, (uint64_t)(2 * i), NODES);
        target[i] = (int32_t)random_below(&key, (uint64_t)(2 * i + 1), NODES);
        weight[i] = 0.5f + random_float(&key, (uint64_t)i);
    }
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < 7; j++)
            x[i][j] = random_float(&key, (uint64_t)(EDGES + 7 * i + j)) + 0.1f;
    CHECK_OK(
        graco_dataset_create(&data, &(graco_arrays){.x = GRACO_MATRIX(&x[0][0], NODES, 7),
                                                    .source = GRACO_VECTOR(source, EDGES),
                                                    .target = GRACO_VECTOR(target, EDGES),
                                                    .edge_weight = GRACO_VECTOR(weight, EDGES)}));
    return data;
}

/* Dense and sparse features, few and many columns; directed edges with weights; a graph of more edges than are asked
 * about. */
static void hides(void)
{
    graco_dataset *forms[] = {fixture_data(.nodes = NODES, .feature_count = 40),
                              fixture_data(.nodes = NODES, .feature_count = 200, .dense = true),
                              directed(),
                              fixture_data(.nodes = 2000, .feature_count = 10, .degree = 90)};
    for (int form = 0; form < 4; form++) {
        const graco_dataset *data = forms[form];
        struct hidden hidden = {0}, again = {0};
        CHECK_OK(hidden_make(&hidden, data, 1));
        CHECK_OK(hidden_make(&again, data, 3));
        check_columns(&hidden, data);
        check_edges(&hidden, data->graph);
        CHECK(hidden.linked < HIDDEN_EDGES || form == 3);
        CHECK(hidden_differ(&hidden) && hidden.data == data);
        CHECK(again.pairs == hidden.pairs &&
              memcmp(again.pair, hidden.pair, (size_t)hidden.pairs * 2 * sizeof(int32_t)) == 0);
        CHECK(memcmp(again.columns.data, hidden.columns.data,
                     (size_t)(hidden.columns.rows * hidden.columns.cols) * sizeof(float)) == 0);
        graco_matrix Z = {data->graph->nodes, 5, NULL};
        const struct random_key key = {.seed = 1, .stream = RANDOM_GENERATE};
        double auc = 0, same = 0, share = 0;
        CHECK_OK(memory_alloc(&Z.data, Z.rows * 5, sizeof *Z.data));
        for (int64_t i = 0; i < Z.rows * 5; i++)
            Z.data[i] = (float)random_normal(&key, (uint64_t)i);
        CHECK_OK(hidden_edges(&auc, &hidden, &Z, 1));
        CHECK_OK(hidden_edges(&same, &hidden, &Z, 3));
        CHECK(auc == same && fabs(auc - 0.5) < 0.15);
        CHECK(form == 3 || fabs(auc - naive_auc(&hidden, &Z)) < 1e-9);
        CHECK_OK(hidden_columns(&share, &hidden, &Z, 2));
        CHECK(share >= 0 && share < 0.05);
        CHECK_OK(hidden_columns(&share, &hidden, &hidden.columns, 2));
        CHECK(share > 0.95);
        graco_matrix_clear(&Z);
        hidden_clear(&again);
        hidden_clear(&hidden);
        graco_dataset_free(forms[form]);
    }
}

/* Of one column nothing is hidden, of two one is; without edges none is; where every pair has an edge there is no other
 * pair; columns that are the same for all nodes ask for nothing. */
static void little(void)
{
    enum { ALL = 12 };
    int32_t source[ALL * ALL], target[ALL * ALL];
    float x[ALL * 2], z[ALL * 2];
    const graco_matrix Z = {ALL, 2, z};
    int64_t edges = 0;
    for (int32_t i = 0; i < ALL; i++)
        for (int32_t j = 0; j < ALL; j++) {
            source[edges] = i;
            target[edges++] = j;
        }
    for (int i = 0; i < 2 * ALL; i++)
        z[i] = (float)(1 + i % 5);
    for (int form = 0; form < 12; form++) {
        int64_t cols = form % 3;
        bool same = form / 3 % 2, complete = form / 6;
        graco_dataset *data = NULL;
        struct hidden hidden = {0};
        double share = 0, auc = 0;
        graco_arrays arrays = {.nodes = ALL};
        for (int i = 0; i < 2 * ALL; i++)
            x[i] = same ? (float)(3 + i % 2) : z[i];
        if (cols > 0)
            arrays.x = GRACO_MATRIX(x, ALL, cols);
        if (complete) {
            arrays.source = GRACO_VECTOR(source, edges);
            arrays.target = GRACO_VECTOR(target, edges);
        }
        CHECK_OK(graco_dataset_create(&data, &arrays));
        CHECK_OK(hidden_make(&hidden, data, 1));
        CHECK(hidden.own_features == (cols == 2));
        CHECK((hidden.seen.features.dense == data->features.dense) == (cols < 2));
        CHECK(hidden_differ(&hidden) == (cols == 2 && !same));
        CHECK_OK(hidden_columns(&share, &hidden, &Z, 1));
        CHECK_OK(hidden_edges(&auc, &hidden, &Z, 1));
        CHECK(isnan(share) == !hidden_differ(&hidden) && isnan(auc));
        CHECK((hidden.linked > 0) == complete && hidden.pairs == hidden.linked);
        hidden_clear(&hidden);
        graco_dataset_free(data);
    }
}

int main(void)
{
    oracle(NARROW, 0.1);
    oracle(NARROW, 4);
    oracle(WIDE, 0.1);
    known_answers();
    hides();
    little();
    return check_result();
}
