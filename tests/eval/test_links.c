/* Links held out of a graph: none stays, nothing else goes, and a graph that still has one is refused. */
#include "fixture.h"

#include "data/links.h"

#include <unistd.h>

static bool linked(const graco_dataset *data, int32_t a, int32_t b)
{
    return graph_links(data->graph, a, b) || graph_links(data->graph, b, a);
}

static graco_dataset *make(bool directed)
{
    graco_generate_options options = graco_generate_defaults();
    graco_dataset *data = NULL, *turned = NULL;
    options.nodes = 300;
    options.feature_count = 20;
    CHECK_OK(graco_dataset_generate(&data, &options));
    if (!directed)
        return data;
    /* Edges upward alone, weighted by their ends. */
    graco_arrays arrays = graco_dataset_arrays(data);
    int64_t count = 0, edges = data->graph->edges;
    int32_t *source = malloc((size_t)edges * sizeof *source), *target = malloc((size_t)edges * 4);
    float *weight = malloc((size_t)edges * sizeof *weight);
    for (int32_t to = 0; to < 300; to++)
        for (int64_t e = data->graph->in.start[to]; e < data->graph->in.start[to + 1]; e++)
            if (data->graph->in.index[e] < to || to % 7 == 0) {
                source[count] = data->graph->in.index[e];
                target[count] = to;
                weight[count++] = (float)(1 + to);
            }
    arrays.edge_indptr = (graco_array){0};
    arrays.source = GRACO_VECTOR(source, count);
    arrays.target = GRACO_VECTOR(target, count);
    arrays.edge_weight = GRACO_VECTOR(weight, count);
    CHECK_OK(graco_dataset_create(&turned, &arrays));
    graco_dataset_free(data);
    free(source);
    free(target);
    free(weight);
    return turned;
}

static void check_split(const graco_dataset *data, const char *path)
{
    graco_dataset *rest = NULL;
    graco_links links = {0};
    int64_t count[3][2] = {{0}}, gone = 0, all = 0;
    CHECK_OK(graco_links_split(data, path, &(graco_links_options){0.2, 0.1, 5}));
    CHECK_OK(graco_dataset_load(&rest, path, NULL));
    CHECK_OK(graco_links_load(&links, path));
    bool right = true;
    for (int64_t i = 0; i < links.count; i++) {
        const int32_t *row = links.pair + 4 * i;
        count[row[2]][row[3]]++;
        right = right && linked(data, row[0], row[1]) == row[3] && row[0] < row[1];
        right = right && linked(rest, row[0], row[1]) == (row[3] && row[2] == LINKS_TRAIN);
        if (row[3] && row[2] != LINKS_TRAIN)
            gone +=
                graph_links(data->graph, row[0], row[1]) + graph_links(data->graph, row[1], row[0]);
    }
    CHECK(right);
    for (int32_t a = 0; a < data->graph->nodes; a++)
        for (int32_t b = 0; b < a; b++)
            all += linked(data, a, b);
    CHECK(count[2][1] == llround(0.2 * (double)all) && count[1][1] == llround(0.1 * (double)all));
    CHECK(count[0][1] == all - count[1][1] - count[2][1]);
    for (int p = 0; p < 3; p++)
        CHECK(count[p][0] == count[p][1]);
    CHECK(rest->graph->edges == data->graph->edges - gone);
    CHECK((rest->graph->in.value != NULL) == (data->graph->in.value != NULL));
    CHECK(rest->features.cols == data->features.cols && rest->classes == data->classes);
    CHECK_OK(links_check(&links, rest));
    CHECK_FAILS(links_check(&links, data), GRACO_ERROR_ARGUMENT, "still has the link of nodes");
    graco_links_clear(&links);
    graco_dataset_free(rest);
}

/* Of two nodes that an edge joins one way, none is a pair without a link, whichever way it goes. */
static void check_one_way(bool upward, const char *path)
{
    enum { SIZE = 40 };
    int32_t low[SIZE * SIZE], high[SIZE * SIZE];
    int64_t count = 0, others = 0;
    graco_dataset *data = NULL;
    graco_links links = {0};
    for (int32_t i = 0; i < SIZE; i++)
        for (int32_t j = 0; j < i; j++)
            if ((i + j) % 5 < 2) {
                low[count] = j;
                high[count++] = i;
            }
    graco_arrays arrays = {.nodes = SIZE};
    arrays.source = GRACO_VECTOR(upward ? low : high, count);
    arrays.target = GRACO_VECTOR(upward ? high : low, count);
    CHECK_OK(graco_dataset_create(&data, &arrays));
    CHECK_OK(graco_links_split(data, path, &(graco_links_options){0.2, 0.1, 5}));
    CHECK_OK(graco_links_load(&links, path));
    bool right = true;
    for (int64_t i = 0; i < links.count; i++) {
        const int32_t *row = links.pair + 4 * i;
        right = right && row[3] == ((row[0] + row[1]) % 5 < 2);
        others += !row[3];
    }
    CHECK(right && others > 100);
    graco_links_clear(&links);
    graco_dataset_free(data);
}

/* Embeddings that know every link rank them first; those of one value know nothing. */
static void test_scores(const graco_dataset *data, const char *path)
{
    graco_dataset *rest = NULL;
    graco_links links = {0};
    graco_link_result result = {0}, again = {0};
    graco_matrix Z = {300, 300, calloc(300 * 300, sizeof(float))}, flat = {300, 1, NULL};
    CHECK_OK(graco_dataset_load(&rest, path, NULL));
    CHECK_OK(graco_links_load(&links, path));
    for (int32_t a = 0; a < 300; a++)
        for (int32_t b = 0; b < 300; b++)
            Z.data[300 * a + b] = (a == b ? 20.0f : 0.0f) + (linked(data, a, b) ? 1.0f : 0.0f);
    CHECK_OK(graco_evaluate_links(&result, &Z, rest, &links, 1));
    CHECK(result.links == result.others && result.links > 0 && result.converged);
    CHECK(result.score[0].auc > 0.99 && result.score[0].average_precision > 0.99);
    CHECK(result.score[1].auc > 0.99);
    CHECK(strcmp(result.score[2].name, "hadamard") == 0 && result.score[2].auc > 0.8);
    CHECK_OK(graco_evaluate_links(&again, &Z, rest, &links, 3));
    CHECK(again.score[2].auc == result.score[2].auc && again.C == result.C);
    flat.data = Z.data;
    for (int64_t i = 0; i < 300; i++)
        flat.data[i] = 1;
    CHECK_OK(graco_evaluate_links(&result, &flat, rest, &links, 1));
    for (int i = 0; i < GRACO_LINK_SCORES; i++)
        CHECK(result.score[i].auc == 0.5 && result.score[i].average_precision == 0.5);
    /* What is refused. */
    CHECK_FAILS(graco_evaluate_links(&result, &flat, data, &links, 1), GRACO_ERROR_ARGUMENT,
                "still has the link");
    flat.rows = 299;
    CHECK_FAILS(graco_evaluate_links(&result, &flat, rest, &links, 1), GRACO_ERROR_ARGUMENT,
                "299 rows");
    flat.rows = 300;
    flat.data[7] = NAN;
    CHECK_FAILS(graco_evaluate_links(&result, &flat, rest, &links, 1), GRACO_ERROR_NUMBER,
                "node 7");
    links.pair[0] = 300;
    flat.data[7] = 1;
    CHECK_FAILS(graco_evaluate_links(&result, &flat, rest, &links, 1), GRACO_ERROR_ARGUMENT,
                "node 300");
    graco_links_clear(&links);
    graco_dataset_free(rest);
    free(Z.data);
}

static void test_refused(const graco_dataset *data, const char *path)
{
    const int32_t few[] = {0, 0, 1}, to[] = {1, 2, 2};
    graco_dataset *full = NULL;
    CHECK_FAILS(graco_links_split(data, path, &(graco_links_options){0, 0.1, 0}),
                GRACO_ERROR_ARGUMENT, "expected a share above 0");
    CHECK_FAILS(graco_links_split(data, path, &(graco_links_options){0.6, 0.4, 0}),
                GRACO_ERROR_ARGUMENT, "less than 1 together");
    CHECK_FAILS(graco_links_split(data, path, &(graco_links_options){1e-9, 0, 0}),
                GRACO_ERROR_ARGUMENT, "too few to hold out");
    CHECK_OK(graco_dataset_create(&full, &(graco_arrays){.nodes = 3,
                                                         .source = GRACO_VECTOR(few, 3),
                                                         .target = GRACO_VECTOR(to, 3),
                                                         .undirected = true}));
    CHECK_FAILS(graco_links_split(full, path, &(graco_links_options){0.4, 0, 0}),
                GRACO_ERROR_ARGUMENT, "too few pairs of nodes without an edge");
    CHECK(access(path, F_OK) != 0);
    graco_dataset_free(full);
}

/* Clusters of embeddings that are the classes are the classes. */
static void test_clusters(const graco_dataset *data)
{
    graco_cluster_result result = {0};
    graco_cluster_options options = graco_cluster_defaults();
    graco_matrix Z = {300, 7, calloc(300 * 7, sizeof(float))};
    for (int64_t i = 0; i < 300; i++)
        Z.data[7 * i + data->label[i]] = (float)(i + 1);
    CHECK_OK(graco_evaluate_clusters(&result, &Z, data, NULL));
    CHECK(result.clusters == data->classes && result.labelled == 300 && result.nodes == 300);
    CHECK(fabs(result.nmi - 1) < 1e-12 && result.ari == 1 && result.accuracy == 1);
    CHECK(result.silhouette == 1 && result.modularity > 0.2);
    graco_cluster_result_clear(&result);
    options.clusters = 1;
    CHECK_OK(graco_evaluate_clusters(&result, &Z, data, &options));
    CHECK(result.nmi == 0 && isnan(result.silhouette));
    graco_cluster_result_clear(&result);
    options.clusters = 301;
    CHECK_FAILS(graco_evaluate_clusters(&result, &Z, data, &options), GRACO_ERROR_ARGUMENT,
                "301 clusters of 300 nodes");
    Z.data[8] = INFINITY;
    CHECK_FAILS(graco_evaluate_clusters(&result, &Z, data, NULL), GRACO_ERROR_NUMBER, "node 1");
    Z.rows = 12;
    CHECK_FAILS(graco_evaluate_clusters(&result, &Z, data, NULL), GRACO_ERROR_ARGUMENT, "12 rows");
    free(Z.data);
}

int main(void)
{
    const char *path = fixture_path("split"), *archive = fixture_path("split.npz");
    const char *other = fixture_path("none");
    graco_dataset *data = make(false), *directed = make(true);
    check_split(data, path);
    check_split(directed, archive);
    test_scores(data, path);
    check_one_way(true, archive);
    check_one_way(false, archive);
    test_refused(data, other);
    test_clusters(data);
    graco_dataset_free(data);
    graco_dataset_free(directed);
    return check_result();
}
