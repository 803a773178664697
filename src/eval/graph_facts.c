/* What a graph is like, without labels and without embeddings: its pieces, how many edges nodes have, and whether nodes
 * with an edge have more alike features than any two nodes. */
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "data/dataset.h"
#include "eval/ranking.h"
#include "graco.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAIRS = 16384,     /* edges, and as many pairs of any two nodes, that are compared */
    PAIRS_A_TIME = 64, /* of a thread */
};

/* ---- Pieces ---------------------------------------------------------------------------------- */

static int32_t root_of(int32_t *parent, int32_t node)
{
    while (parent[node] != node) {
        parent[node] = parent[parent[node]]; /* halves the path */
        node = parent[node];
    }
    return node;
}

/* Components by union and find; the direction of edges does not count. */
static graco_status count_components(graco_graph_facts *out, const struct graph *graph)
{
    int32_t *parent = NULL;
    int64_t *size = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&parent, graph->nodes, sizeof *parent));
    TRY(memory_zalloc(&size, graph->nodes, sizeof *size));
    for (int64_t i = 0; i < graph->nodes; i++)
        parent[i] = (int32_t)i;
    for (int64_t i = 0; i < graph->nodes; i++)
        for (int64_t e = graph->in.start[i]; e < graph->in.start[i + 1]; e++) {
            int32_t a = root_of(parent, (int32_t)i), b = root_of(parent, graph->in.index[e]);
            parent[a < b ? b : a] = a < b ? a : b;
        }
    for (int64_t i = 0; i < graph->nodes; i++)
        size[root_of(parent, (int32_t)i)]++;
    for (int64_t i = 0; i < graph->nodes; i++) {
        out->components += size[i] > 0;
        out->largest = size[i] > out->largest ? size[i] : out->largest;
    }
done:
    memory_free(parent);
    memory_free(size);
    return status;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static graco_status measure_degrees(graco_graph_facts *out, const struct graph *graph)
{
    int64_t *degree = NULL;
    PASS(memory_alloc(&degree, graph->nodes, sizeof *degree));
    for (int64_t i = 0; i < graph->nodes; i++)
        degree[i] = graph->in.start[i + 1] - graph->in.start[i];
    qsort(degree, (size_t)graph->nodes, sizeof *degree, ascending);
    out->degree_mean = (double)graph->edges / (double)graph->nodes;
    out->degree_median = degree[graph->nodes / 2];
    out->degree_most = degree[graph->nodes - 1];
    memory_free(degree);
    return GRACO_OK;
}

/* ---- Features -------------------------------------------------------------------------------- */

/* Pairs of nodes: edges, then pairs of any two. */
struct comparison {
    const struct features *X;
    int64_t count;
    int32_t (*pair)[2]; /* (count) */
    double *cosine;     /* (count) */
};

static double dense_product(const float *a, const float *b, int64_t cols)
{
    double sum = 0;
    for (int64_t k = 0; k < cols; k++)
        sum += (double)a[k] * (double)b[k];
    return sum;
}

static double sparse_product(const struct csr *X, int64_t i, int64_t j)
{
    double sum = 0;
    int64_t a = X->start[i], b = X->start[j];
    while (a < X->start[i + 1] && b < X->start[j + 1]) {
        int32_t left = X->index[a], right = X->index[b];
        if (left == right)
            sum += X->value ? (double)X->value[a] * (double)X->value[b] : 1;
        a += left <= right;
        b += right <= left;
    }
    return sum;
}

static double product(const struct features *X, int64_t i, int64_t j)
{
    return X->dense ? dense_product(X->dense + i * X->cols, X->dense + j * X->cols, X->cols)
                    : sparse_product(&X->sparse, i, j);
}

/* Rows of zeros are like no other: 0. */
static void compare_pairs(void *job, struct threads_piece piece)
{
    const struct comparison *c = job;
    for (int64_t p = piece.first; p < piece.last; p++) {
        int64_t i = c->pair[p][0], j = c->pair[p][1];
        double lengths = sqrt(product(c->X, i, i) * product(c->X, j, j));
        c->cosine[p] = lengths > 0 ? product(c->X, i, j) / lengths : 0;
    }
}

/* All edges, or as many drawn ones as are compared; then pairs of two different nodes. */
static void draw_pairs(struct comparison *c, const struct graph *graph, int64_t edges)
{
    const struct random_key key = {.stream = RANDOM_PAIRS, .view = 2};
    for (int64_t p = 0; p < edges; p++) {
        int64_t edge = edges == graph->edges ? p : random_below(&key, (uint64_t)p, graph->edges);
        int64_t low = 0, high = graph->nodes; /* the last row that begins at the edge or before */
        while (high - low > 1) {
            int64_t middle = (low + high) / 2;
            if (graph->in.start[middle] <= edge)
                low = middle;
            else
                high = middle;
        }
        c->pair[p][0] = (int32_t)low;
        c->pair[p][1] = graph->in.index[edge];
    }
    for (int64_t p = edges; p < c->count; p++) {
        uint64_t element = (uint64_t)(PAIRS + 2 * p);
        int64_t a = random_below(&key, element, graph->nodes);
        int64_t b = random_below(&key, element + 1, graph->nodes - 1);
        c->pair[p][0] = (int32_t)a;
        c->pair[p][1] = (int32_t)(b + (b >= a));
    }
}

static graco_status measure_features(graco_graph_facts *out, const struct graco_dataset *data,
                                     int threads)
{
    const struct graph *graph = data->graph;
    int64_t edges = graph->edges < PAIRS ? graph->edges : PAIRS;
    struct comparison c = {.X = &data->features, .count = 2 * edges};
    struct ranking ranking;
    uint8_t *edge = NULL;
    graco_status status = GRACO_OK;
    out->alike = out->edge_cosine = out->pair_cosine = (double)NAN;
    if (edges == 0 || c.X->cols == 0)
        return GRACO_OK;
    TRY(features_check(c.X));
    TRY(memory_alloc(&c.pair, c.count, sizeof *c.pair));
    TRY(memory_alloc(&c.cosine, c.count, sizeof *c.cosine));
    TRY(memory_zalloc(&edge, c.count, 1));
    draw_pairs(&c, graph, edges);
    threads_run(threads, c.count, PAIRS_A_TIME, compare_pairs, &c);
    memset(edge, 1, (size_t)edges);
    TRY(ranking_measure(&ranking, c.cosine, edge, c.count));
    out->alike = ranking.auc;
    out->edge_cosine = out->pair_cosine = 0;
    for (int64_t p = 0; p < c.count; p++)
        *(p < edges ? &out->edge_cosine : &out->pair_cosine) += c.cosine[p] / (double)edges;
done:
    memory_free(c.pair);
    memory_free(c.cosine);
    memory_free(edge);
    return status;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

/* The share of edges between known classes that stay within one, and of pairs of any two such nodes. */
static graco_status measure_classes(graco_graph_facts *out, const struct graco_dataset *data)
{
    int64_t within = 0, known = 0, nodes = 0;
    int64_t *count = NULL;
    out->same_class = out->same_by_chance = (double)NAN;
    if (!data->label)
        return GRACO_OK;
    PASS(memory_zalloc(&count, data->classes, sizeof *count));
    for (int64_t i = 0; i < data->graph->nodes; i++) {
        if (data->label[i] < 0)
            continue;
        nodes++;
        count[data->label[i]]++;
        for (int64_t e = data->graph->in.start[i]; e < data->graph->in.start[i + 1]; e++) {
            int32_t other = data->label[data->graph->in.index[e]];
            known += other >= 0;
            within += other == data->label[i];
        }
    }
    if (known > 0 && nodes > 1) {
        double pairs = 0;
        for (int64_t k = 0; k < data->classes; k++)
            pairs += (double)count[k] * (double)(count[k] - 1);
        out->same_class = (double)within / (double)known;
        out->same_by_chance = pairs / ((double)nodes * (double)(nodes - 1));
    }
    memory_free(count);
    return GRACO_OK;
}

graco_status graco_dataset_facts(graco_graph_facts *out, const graco_dataset *data, int64_t threads)
{
    graco_graph_facts found = {0};
    PASS(count_components(&found, data->graph));
    PASS(measure_degrees(&found, data->graph));
    PASS(measure_features(&found, data, threads_count(threads)));
    PASS(measure_classes(&found, data));
    *out = found;
    return GRACO_OK;
}
