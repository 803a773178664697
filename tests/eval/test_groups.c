/* Groups of nodes without labels, and the regression that predicts them: an oracle of plain elimination,
 * answers known by hand, and graphs that have nothing to group by. */
#include "eval/groups.h"

#include "base/memory.h"
#include "base/random.h"
#include "check.h"
#include "compute/permutation.h"
#include "eval/smooth.h"

enum { NODES = 300, LEARNT = NODES / 10, WIDE = 70, NARROW = 6, MOST = WIDE + 1 };

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* ---- Regression ------------------------------------------------------------------------------ */

/* The nodes in the order in which they are learnt from and asked about. */
static void find_order(int64_t order[NODES])
{
    const struct random_key key = {.stream = RANDOM_SMOOTH, .view = 2};
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

/* The weights of a group, the last of them what is added: normal equations of rows less their mean. */
static void naive_weights(double w[MOST], const graco_matrix *X, const int64_t *order,
                          const int32_t *group, int32_t of)
{
    static double A[MOST][MOST + 1];
    double mean[WIDE] = {0}, share = 0, trace = 0;
    int64_t cols = X->cols;
    memset(A, 0, sizeof A);
    for (int64_t i = 0; i < LEARNT; i++) {
        share += (group[order[i]] == of) / (double)LEARNT;
        for (int64_t j = 0; j < cols; j++)
            mean[j] += (double)X->data[order[i] * cols + j] / LEARNT;
    }
    for (int64_t i = 0; i < LEARNT; i++)
        for (int64_t j = 0; j < cols; j++) {
            const float *row = X->data + order[i] * cols;
            for (int64_t k = 0; k < cols; k++)
                A[j][k] += ((double)row[j] - mean[j]) * ((double)row[k] - mean[k]);
            A[j][cols] += ((double)row[j] - mean[j]) * ((group[order[i]] == of) - share);
        }
    for (int64_t j = 0; j < cols; j++)
        trace += A[j][j];
    for (int64_t j = 0; j < cols; j++)
        A[j][j] += 0.01 * trace / (double)cols;
    eliminate(w, A, cols);
    w[cols] = share;
    for (int64_t j = 0; j < cols; j++)
        w[cols] -= w[j] * mean[j];
}

static double naive_predicted(const graco_matrix *X, const int32_t *group)
{
    static double w[GROUPS_COUNT][MOST];
    int64_t order[NODES], right = 0;
    find_order(order);
    for (int32_t g = 0; g < GROUPS_COUNT; g++)
        naive_weights(w[g], X, order, group, g);
    for (int64_t i = LEARNT; i < NODES; i++) {
        int32_t best = 0;
        double most = -INFINITY;
        for (int32_t g = 0; g < GROUPS_COUNT; g++) {
            double value = w[g][X->cols];
            for (int64_t j = 0; j < X->cols; j++)
                value += w[g][j] * (double)X->data[order[i] * X->cols + j];
            best = value > most ? g : best;
            most = value > most ? value : most;
        }
        right += best == group[order[i]];
    }
    return (double)right / (NODES - LEARNT);
}

/* Noise and, in one column, the group: fewer columns than rows to learn from, and more. One kind of groups, and
 * two, whose shares are averaged. */
static void oracle(int64_t cols)
{
    static float x[NODES * WIDE];
    int32_t first[NODES], second[NODES];
    const graco_matrix X = {NODES, cols, x};
    const struct random_key key = {.seed = 4, .stream = RANDOM_GENERATE};
    struct groups groups = {.nodes = NODES, .kinds = 1, .group = {first, second}};
    double share = 0;
    for (int64_t i = 0; i < NODES; i++) {
        first[i] = (int32_t)(i * i % 5);
        second[i] = (int32_t)(i % 3);
        for (int64_t j = 0; j < cols; j++)
            x[i * cols + j] = (float)random_normal(&key, (uint64_t)(i * cols + j));
        x[i * cols + first[i]] += 3;
    }
    double one = naive_predicted(&X, first), other = naive_predicted(&X, second);
    CHECK(one > 0.5 && one < 1 && other > 0.15 && other < 0.6);
    for (int threads = 1; threads < 4; threads++) {
        groups.kinds = 1;
        CHECK_OK(groups_predicted(&share, &groups, &X, threads));
        CHECK(near(share, one));
        groups.kinds = 2;
        CHECK_OK(groups_predicted(&share, &groups, &X, threads));
        CHECK(near(share, (one + other) / 2));
    }
}

/* Rows that hold the group predict it; rows that are all alike, and rows of no columns, have what the largest group
 * has. */
static void known_answers(void)
{
    static float x[NODES * 4];
    int32_t group[NODES];
    int64_t first = 0, order[NODES];
    struct groups groups = {.nodes = NODES, .kinds = 1, .group = {group}};
    double share = 0;
    find_order(order);
    for (int64_t i = 0; i < NODES; i++)
        group[i] = i % 4 == 3 ? 7 : 2;
    for (int64_t i = LEARNT; i < NODES; i++)
        first += group[order[i]] == 2;
    for (int64_t i = 0; i < NODES; i++)
        x[4 * i + 1] = group[i] == 7;
    CHECK_OK(groups_predicted(&share, &groups, &(graco_matrix){NODES, 4, x}, 1));
    CHECK(share == 1);
    memset(x, 0, sizeof x);
    CHECK_OK(groups_predicted(&share, &groups, &(graco_matrix){NODES, 4, x}, 1));
    CHECK(near(share, (double)first / (NODES - LEARNT)));
    CHECK_OK(groups_predicted(&share, &groups, &(graco_matrix){NODES, 0, x}, 1));
    CHECK(near(share, (double)first / (NODES - LEARNT)));
    groups.kinds = 0;
    CHECK_OK(groups_predicted(&share, &groups, &(graco_matrix){NODES, 4, x}, 1));
    CHECK(isnan(share));
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* `count` cliques of 20 nodes, or as many nodes without edges; features say which clique, or nothing. */
static graco_dataset *cliques(int count, bool edges, bool features)
{
    enum { SIZE = 20, ALL = 15 * SIZE };
    static int32_t source[ALL * SIZE], target[ALL * SIZE];
    static float x[ALL][16];
    graco_dataset *data = NULL;
    int64_t links = 0;
    memset(x, 0, sizeof x);
    for (int32_t i = 0; i < count * SIZE; i++) {
        x[i][i / SIZE] = 1;
        for (int32_t j = 0; edges && j < count * SIZE; j++)
            if (i != j && i / SIZE == j / SIZE) {
                source[links] = i;
                target[links++] = j;
            }
    }
    graco_arrays arrays = {.nodes = count * SIZE,
                           .source = GRACO_VECTOR(source, links),
                           .target = GRACO_VECTOR(target, links)};
    if (features)
        arrays.x = GRACO_MATRIX(&x[0][0], count * SIZE, 16);
    CHECK_OK(graco_dataset_create(&data, &arrays));
    return data;
}

/* A group never parts a clique, whatever the data set has, so rows that say the clique predict that of every node whose
 * clique was learnt from. Rows that fell together onto two directions lost that, however far apart these are. */
static void groups_of_cliques(void)
{
    static float x[NODES * 15], two[NODES * 2];
    for (int i = 0; i < NODES; i++) {
        x[15 * i + i / 20] = 1;
        two[2 * i + i / 20 % 2] = 1;
    }
    for (int form = 0; form < 4; form++) {
        bool edges = form & 1, features = form & 2;
        graco_dataset *data = cliques(15, edges, features);
        graco_matrix S = {0};
        struct groups groups = {0}, again = {0};
        double share = 0, lost = 0;
        CHECK_OK(smooth_features(&S, data, 1));
        CHECK_OK(groups_make(&groups, &S, data, 1));
        CHECK_OK(groups_make(&again, &S, data, 3));
        CHECK(groups.nodes == NODES && groups.kinds == edges + features);
        for (int kind = 0; kind < groups.kinds; kind++) {
            for (int i = 0; i < NODES; i++)
                CHECK(groups.group[kind][i] == groups.group[kind][i / 20 * 20]);
            CHECK(groups.group[kind][0] != groups.group[kind][NODES - 1]);
            CHECK(memcmp(groups.group[kind], again.group[kind], sizeof(int32_t) * NODES) == 0);
        }
        CHECK_OK(groups_predicted(&share, &groups, &(graco_matrix){NODES, 15, x}, 1));
        CHECK_OK(groups_predicted(&lost, &groups, &(graco_matrix){NODES, 2, two}, 1));
        CHECK(form == 0 ? isnan(share) && isnan(lost) : share > 0.5 && lost < 0.3);
        groups_clear(&again);
        groups_clear(&groups);
        graco_matrix_clear(&S);
        graco_dataset_free(data);
    }
}

/* Near nodes have signals that are alike, far ones none in common. */
static void signals(void)
{
    graco_dataset *data = cliques(2, true, false), *none = cliques(2, false, false);
    graco_matrix T = {0};
    CHECK_OK(smooth_signals(&T, data, 2));
    CHECK(T.rows == 40 && T.cols == SMOOTH_COLUMNS);
    for (int64_t i = 0; i < 40; i++) {
        double near_by = 0, far = 0, length = 0;
        for (int64_t j = 0; j < T.cols; j++) {
            double own = (double)T.data[i * T.cols + j];
            length += own * own;
            near_by += own * (double)T.data[(i / 20 * 20 + 3) * T.cols + j];
            far += own * (double)T.data[((i + 20) % 40) * T.cols + j];
        }
        CHECK(fabs(length - 1) < 1e-5 && near_by > 0.99 && fabs(far) < 0.4);
    }
    graco_matrix_clear(&T);
    CHECK_OK(smooth_signals(&T, none, 1));
    CHECK(T.rows == 0 && !T.data);
    graco_dataset_free(none);
    graco_dataset_free(data);
}

/* One node leaves none to ask about; two leave one. */
static void few_nodes(void)
{
    float x[4] = {1, 2, 3, 5};
    for (int64_t nodes = 1; nodes < 3; nodes++) {
        graco_dataset *data = NULL;
        graco_matrix S = {0};
        struct groups groups = {0};
        double share = 0;
        CHECK_OK(graco_dataset_create(&data, &(graco_arrays){.x = GRACO_MATRIX(x, nodes, 2)}));
        CHECK_OK(smooth_features(&S, data, 1));
        CHECK_OK(groups_make(&groups, &S, data, 1));
        CHECK_OK(groups_predicted(&share, &groups, &(graco_matrix){nodes, 2, x}, 1));
        CHECK(nodes == 1 ? isnan(share) : share == 0);
        groups_clear(&groups);
        graco_matrix_clear(&S);
        graco_dataset_free(data);
    }
}

/* Features that are zeros, or the same for all nodes, make no groups: every embedding would tell them. */
static void nodes_alike(void)
{
    float x[3][40] = {{0}};
    for (int i = 0; i < 40; i++) {
        x[1][i] = 3.7f;
        x[2][i] = i < 20 ? 1 : -1;
    }
    for (int form = 0; form < 3; form++) {
        graco_dataset *data = NULL;
        graco_matrix S = {0};
        struct groups groups = {0};
        CHECK_OK(graco_dataset_create(&data, &(graco_arrays){.x = GRACO_MATRIX(x[form], 20, 2)}));
        CHECK_OK(smooth_features(&S, data, 1));
        CHECK_OK(groups_make(&groups, &S, data, 1));
        CHECK(groups.nodes == 20 && groups.kinds == (form == 2));
        groups_clear(&groups);
        graco_matrix_clear(&S);
        graco_dataset_free(data);
    }
}

int main(void)
{
    oracle(NARROW);
    oracle(WIDE);
    known_answers();
    groups_of_cliques();
    signals();
    few_nodes();
    nodes_alike();
    return check_result();
}
