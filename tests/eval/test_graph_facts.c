/* What a graph is like: by hand on six nodes, and by all pairs on a larger graph. */
#include "base/memory.h"
#include "fixture.h"

#include <math.h>

/* A triangle, an edge, and a node by itself. */
static graco_dataset *six(bool dense)
{
    static const int32_t source[] = {0, 1, 0, 3}, target[] = {1, 2, 2, 4};
    static const int32_t label[] = {0, 0, 1, 1, 1, -1};
    static const float x[6][2] = {{1, 0}, {2, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 0}};
    struct dataset_parts parts = {
        .name = "six", .nodes = 6, .edges = 4, .undirected = true, .classes = 2};
    graco_dataset *data = NULL;
    CHECK_OK(memory_alloc(&parts.source, 4, sizeof(int32_t)));
    CHECK_OK(memory_alloc(&parts.target, 4, sizeof(int32_t)));
    CHECK_OK(memory_alloc(&parts.label, 6, sizeof(int32_t)));
    memcpy(parts.source, source, sizeof source);
    memcpy(parts.target, target, sizeof target);
    memcpy(parts.label, label, sizeof label);
    parts.features.rows = 6;
    parts.features.cols = 2;
    if (dense) {
        CHECK_OK(memory_alloc(&parts.features.dense, 12, sizeof(float)));
        memcpy(parts.features.dense, x, sizeof x);
    } else {
        struct csr *sparse = &parts.features.sparse;
        CHECK_OK(csr_alloc(sparse, 6, 2, 12, true));
        for (int i = 0, count = 0; i < 6; i++) {
            for (int k = 0; k < 2; k++) {
                sparse->index[count] = k;
                sparse->value[count] = x[i][k];
                count += x[i][k] != 0;
            }
            sparse->start[i + 1] = count;
        }
    }
    CHECK_OK(dataset_create(&data, &parts));
    return data;
}

static void by_hand(bool dense)
{
    graco_graph_facts facts = {0};
    graco_dataset *data = six(dense);
    CHECK_OK(graco_dataset_facts(&facts, data, 1));
    CHECK(facts.components == 3 && facts.largest == 3);
    CHECK(facts.degree_mean == 8.0 / 6 && facts.degree_median == 2 && facts.degree_most == 2);
    CHECK(fabs(facts.edge_cosine - (6 + sqrt(2)) / 8) < 1e-12);
    CHECK(facts.pair_cosine >= 0 && facts.pair_cosine < facts.edge_cosine);
    CHECK(facts.alike > 0.5 && facts.alike <= 1);
    CHECK(facts.same_class == 0.5 && facts.same_by_chance == 8.0 / 20);
    graco_dataset_free(data);
}

static double cosine(const graco_matrix *X, int64_t i, int64_t j)
{
    double sum[3] = {0};
    for (int64_t k = 0; k < X->cols; k++) {
        double a = (double)X->data[i * X->cols + k], b = (double)X->data[j * X->cols + k];
        sum[0] += a * b;
        sum[1] += a * a;
        sum[2] += b * b;
    }
    return sum[1] > 0 && sum[2] > 0 ? sum[0] / sqrt(sum[1] * sum[2]) : 0;
}

/* Of 1,600 nodes all edges are compared, and so many pairs that their mean is near that of all. */
static void against_all_pairs(void)
{
    graco_dataset *data = fixture_data(.nodes = 1600, .feature_count = 60, .classes = 4);
    const struct graph *graph = data->graph;
    graco_graph_facts facts = {0}, threads = {0};
    graco_matrix X = {0};
    double edges = 0, pairs = 0, alike = 0, count = 0;
    CHECK_OK(features_densify(&X, &data->features));
    CHECK_OK(graco_dataset_facts(&facts, data, 1));
    CHECK_OK(graco_dataset_facts(&threads, data, 3));
    CHECK(memcmp(&facts, &threads, sizeof facts) == 0);
    CHECK(graph->edges <= 16384);
    for (int64_t i = 0; i < X.rows; i++)
        for (int64_t j = 0; j < X.rows; j++)
            pairs += i == j ? 0 : cosine(&X, i, j) / (double)(X.rows * (X.rows - 1));
    for (int64_t i = 0; i < X.rows; i++)
        for (int64_t e = graph->in.start[i]; e < graph->in.start[i + 1]; e++) {
            double own = cosine(&X, i, graph->in.index[e]);
            edges += own / (double)graph->edges;
            for (int64_t p = 0; p < 20; p++, count++) {
                double other = cosine(&X, (i * 7 + p * 31) % X.rows, (e + p * 13) % X.rows);
                alike += own > other ? 1 : own == other ? 0.5 : 0;
            }
        }
    CHECK(fabs(facts.edge_cosine - edges) < 1e-9);
    CHECK(fabs(facts.pair_cosine - pairs) < 0.01);
    CHECK(facts.edge_cosine > facts.pair_cosine + 0.02);
    CHECK(fabs(facts.alike - alike / count) < 0.02);
    graco_matrix_clear(&X);
    graco_dataset_free(data);
}

static void what_is_not_known(void)
{
    graco_dataset *data = fixture_data(.nodes = 40, .feature_count = -1);
    graco_graph_facts facts = {0};
    CHECK_OK(graco_dataset_facts(&facts, data, 1));
    CHECK(isnan(facts.alike) && isnan(facts.edge_cosine) && isnan(facts.pair_cosine));
    CHECK(!isnan(facts.same_class));
    graco_dataset_free(data);
}

int main(void)
{
    by_hand(true);
    by_hand(false);
    against_all_pairs();
    what_is_not_known();
    return check_result();
}
