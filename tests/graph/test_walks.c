/* Walks against exact probabilities, by Pearson's chi-square: those of the golden file for p and q, and
 * 1 / degree for p = q = 1, both also times weights; then dead ends, and that a walk depends on seed and number alone. */
#include "graph/walks.h"

#include "golden.h"

enum { DRAWS = 400000, LENGTH = 40 };

/* A statistic with `freedom` degrees of freedom is above this once in about 30,000 times. */
static double chi_square_most(int64_t freedom)
{
    double f = (double)freedom, z = 4;
    return f * pow(1 - 2 / (9 * f) + z * sqrt(2 / (9 * f)), 3); /* Wilson and Hilferty, 1931 */
}

/* The place of x in v's sorted row, or -1. */
static int64_t place_of(const struct graph *graph, int32_t v, int32_t x)
{
    for (int64_t k = graph->out.start[v]; k < graph->out.start[v + 1]; k++)
        if (graph->out.index[k] == x)
            return k - graph->out.start[v];
    return -1;
}

/* The number of edge (t, v) in the file's order, which is by source, then target. */
static int64_t edge_of(const struct graph *graph, int32_t t, int32_t v)
{
    return graph->out.start[t] + place_of(graph, t, v);
}

struct observed {
    int64_t *count, *steps; /* of each probability; of each edge that a step came over */
};

/* Walks from every node, and where they went after each edge. */
static void observe(struct observed *out, const struct walks *walks, const int32_t *ptr)
{
    int32_t walk[LENGTH];
    int64_t number = 0;
    for (int64_t steps = 0; steps < DRAWS; number++) {
        int32_t start = (int32_t)(number % walks->graph->nodes);
        int64_t length = walks_draw(walk, walks, start, number);
        for (int64_t i = 2; i < length; i++, steps++) {
            int64_t edge = edge_of(walks->graph, walk[i - 2], walk[i - 1]);
            int64_t place = place_of(walks->graph, walk[i - 1], walk[i]);
            CHECK(place >= 0);
            out->count[ptr[edge] + place]++;
            out->steps[edge]++;
        }
    }
}

static void compare(const struct observed *seen, const int32_t *ptr, const double *probability,
                    int64_t edges)
{
    double statistic = 0;
    int64_t freedom = 0;
    for (int64_t e = 0; e < edges; e++) {
        for (int64_t k = ptr[e]; k < ptr[e + 1]; k++) {
            double expected = probability[k] * (double)seen->steps[e];
            double off = (double)seen->count[k] - expected;
            statistic += off * off / expected;
        }
        freedom += ptr[e + 1] - ptr[e] - 1;
    }
    printf("chi-square %.1f with %lld degrees of freedom, at most %.1f\n", statistic,
           (long long)freedom, chi_square_most(freedom));
    CHECK(statistic < chi_square_most(freedom));
}

/* Edge i has weight 1 + i % 5 if weighted. */
static struct graph *make_graph(const int32_t *edges, int64_t count, bool weighted)
{
    struct graph *graph = NULL;
    int32_t last = 0;
    float *weight = NULL;
    CHECK_OK(memory_alloc(&weight, count, sizeof *weight));
    for (int64_t i = 0; i < count; i++)
        weight[i] = (float)(1 + i % 5);
    for (int64_t i = 0; i < 2 * count; i++)
        last = edges[i] > last ? edges[i] : last;
    CHECK_OK(graph_build(&graph, NULL,
                         &(struct graph_pairs){last + 1, count, edges, edges + count,
                                               weighted ? weight : NULL, false}));
    memory_free(weight);
    return graph;
}

/* Probabilities over the next steps times the weights of their edges. After edge e, which leads to v,
 * they are those of v's outgoing edges. */
static void weigh_steps(double *probability, const struct graph *graph, const int32_t *ptr)
{
    for (int64_t e = 0; e < graph->edges; e++) {
        const float *weight = graph->out.value + graph->out.start[graph->out.index[e]];
        double sum = 0;
        for (int64_t k = ptr[e]; k < ptr[e + 1]; k++)
            sum += probability[k] *= (double)weight[k - ptr[e]];
        for (int64_t k = ptr[e]; k < ptr[e + 1]; k++)
            probability[k] /= sum;
    }
}

/* The file's edges in its order are the graph's outgoing entries. */
static void check_walks(const struct golden *g, bool weighted)
{
    int64_t edges, entries;
    int32_t *edge = golden_ints(g, "edges", &edges), *ptr = golden_ints(g, "ptr", NULL);
    struct array probability = golden_member(g, "probability");
    edges /= 2;
    entries = probability.count;
    struct graph *graph = make_graph(edge, edges, weighted);
    struct observed seen = {0};
    double *uniform = NULL, *biased = NULL;
    CHECK_OK(memory_zalloc(&seen.count, entries, sizeof *seen.count));
    CHECK_OK(memory_zalloc(&seen.steps, edges, sizeof *seen.steps));
    CHECK_OK(memory_alloc(&uniform, entries, sizeof *uniform));
    CHECK_OK(memory_alloc(&biased, entries, sizeof *biased));
    memcpy(biased, probability.data, (size_t)entries * sizeof *biased);
    if (weighted)
        weigh_steps(biased, graph, ptr);
    struct walks walks = {graph, 7, LENGTH, golden_scalar(g, "p"), golden_scalar(g, "q")};
    observe(&seen, &walks, ptr);
    compare(&seen, ptr, biased, edges);
    for (int64_t e = 0; e < edges; e++)
        for (int64_t k = ptr[e]; k < ptr[e + 1]; k++)
            uniform[k] = 1.0 / (double)(ptr[e + 1] - ptr[e]);
    if (weighted)
        weigh_steps(uniform, graph, ptr);
    memset(seen.count, 0, (size_t)entries * sizeof *seen.count);
    memset(seen.steps, 0, (size_t)edges * sizeof *seen.steps);
    walks.p = walks.q = 1;
    observe(&seen, &walks, ptr);
    compare(&seen, ptr, uniform, edges);
    memory_free(uniform);
    memory_free(biased);
    memory_free(seen.count);
    memory_free(seen.steps);
    memory_free(edge);
    memory_free(ptr);
    array_clear(&probability);
    graph_free(graph);
}

static void check_file(const struct golden *g)
{
    check_walks(g, false);
    check_walks(g, true);
}

static void test_dead_ends(void)
{
    const int32_t source[] = {0, 1}, target[] = {1, 2};
    struct graph *graph = NULL;
    int32_t walk[LENGTH];
    CHECK_OK(graph_create(&graph, NULL, 4, 2, source, target, false));
    for (double p = 0.25; p <= 1; p *= 2) {
        struct walks walks = {graph, 1, LENGTH, p, 1 / p};
        CHECK(walks_draw(walk, &walks, 3, 0) == 1 && walk[0] == 3); /* no neighbours */
        CHECK(walks_draw(walk, &walks, 0, 1) == 3 && walk[1] == 1 && walk[2] == 2);
        walks.length = 1;
        CHECK(walks_draw(walk, &walks, 0, 2) == 1);
    }
    graph_free(graph);
}

static void test_numbers(void)
{
    const int32_t source[] = {0, 0, 0, 1, 1, 2}, target[] = {1, 2, 3, 2, 3, 3};
    struct graph *graph = NULL;
    int32_t one[LENGTH], other[LENGTH];
    CHECK_OK(graph_create(&graph, NULL, 4, 6, source, target, true));
    struct walks walks = {graph, 3, LENGTH, 0.5, 2}, reseeded = walks;
    CHECK(walks_draw(one, &walks, 0, 5) == LENGTH);
    CHECK(walks_draw(other, &walks, 0, 6) == LENGTH && memcmp(one, other, sizeof one) != 0);
    CHECK(walks_draw(other, &walks, 0, 5) == LENGTH && memcmp(one, other, sizeof one) == 0);
    reseeded.seed = 4;
    CHECK(walks_draw(other, &reseeded, 0, 5) == LENGTH && memcmp(one, other, sizeof one) != 0);
    graph_free(graph);
}

int main(void)
{
    golden_each("walks", check_file);
    test_dead_ends();
    test_numbers();
    return check_result();
}
