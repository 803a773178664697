#include "graph/graph.h"

#include "base/random.h"
#include "check.h"

enum { NODES_MAX = 40, PAIRS_MAX = 900 };

/* What the graph must be, from a table of how often each pair was given. */
struct oracle {
    bool joined[NODES_MAX][NODES_MAX]; /* [source][target] */
    int64_t edges, self_loops, duplicates;
};

static void oracle_fill(struct oracle *oracle, int64_t pairs, const int32_t *source,
                        const int32_t *target, bool undirected)
{
    static bool given[NODES_MAX][NODES_MAX];
    memset(given, 0, sizeof given);
    memset(oracle, 0, sizeof *oracle);
    for (int64_t e = 0; e < pairs; e++) {
        int32_t s = source[e], t = target[e];
        if (s == t) {
            oracle->self_loops++;
            continue;
        }
        oracle->duplicates += given[s][t];
        given[s][t] = oracle->joined[s][t] = true;
        if (undirected)
            oracle->joined[t][s] = true;
    }
    for (int s = 0; s < NODES_MAX; s++) {
        for (int t = 0; t < NODES_MAX; t++)
            oracle->edges += oracle->joined[s][t];
    }
}

static void check_against(const struct graph *graph, const struct oracle *oracle)
{
    int64_t e = 0, at = 0;
    bool same =
        graph->edges == oracle->edges && graph->in.start[0] == 0 && graph->out.start[0] == 0;
    CHECK(same);
    if (!same)
        return;
    for (int64_t t = 0; t < graph->nodes; t++) {
        for (int64_t s = 0; s < graph->nodes; s++) {
            if (oracle->joined[s][t])
                same = same && graph->in.index[e++] == s;
        }
        same = same && graph->in.start[t + 1] == e;
    }
    CHECK(same);
    for (int64_t s = 0; s < graph->nodes; s++) {
        for (int64_t t = 0; t < graph->nodes; t++) {
            if (!oracle->joined[s][t])
                continue;
            int64_t id = graph->out_edge[at];
            same = same && graph->out.index[at] == t && graph->in.index[id] == s;
            same = same && id >= graph->in.start[t] && id < graph->in.start[t + 1];
            at++;
        }
        same = same && graph->out.start[s + 1] == at;
    }
    CHECK(same);
}

static void random_graphs(void)
{
    for (uint32_t trial = 0; trial < 200; trial++) {
        struct random_key key = {.seed = 11, .stream = RANDOM_GENERATE, .step = trial};
        int32_t source[PAIRS_MAX], target[PAIRS_MAX];
        int64_t nodes = 1 + random_below(&key, 0, NODES_MAX);
        int64_t pairs = random_below(&key, 1, PAIRS_MAX);
        for (int64_t e = 0; e < pairs; e++) {
            source[e] = (int32_t)random_below(&key, 2 + 2 * (uint64_t)e, nodes);
            target[e] = (int32_t)random_below(&key, 3 + 2 * (uint64_t)e, nodes);
        }
        for (int undirected = 0; undirected < 2; undirected++) {
            struct oracle oracle;
            struct graph *graph = NULL;
            struct graph_removed removed;
            oracle_fill(&oracle, pairs, source, target, undirected);
            CHECK_OK(graph_create(&graph, &removed, nodes, pairs, source, target, undirected));
            CHECK(removed.self_loops == oracle.self_loops);
            CHECK(removed.duplicates == oracle.duplicates);
            check_against(graph, &oracle);
            graph_free(graph);
        }
    }
}

static void small_graphs(void)
{
    struct graph *graph = NULL;
    const int32_t source[] = {1, 0, 1, 2, 2}, target[] = {0, 1, 0, 2, 0};
    struct graph_removed removed;
    CHECK_OK(graph_create(&graph, NULL, 0, 0, NULL, NULL, true));
    CHECK(graph->edges == 0 && graph->in.start[0] == 0);
    graph_free(graph);
    CHECK_OK(graph_create(&graph, NULL, 3, 0, NULL, NULL, false));
    CHECK(graph->edges == 0 && graph->out.start[3] == 0);
    graph_free(graph);
    /* Both directions of one edge are no duplicate, the same direction twice is. */
    CHECK_OK(graph_create(&graph, &removed, 3, 5, source, target, true));
    CHECK(graph->edges == 4 && removed.self_loops == 1 && removed.duplicates == 1);
    graph_free(graph);
    graph_free(NULL);
}

static void wrong_ids(void)
{
    struct graph *graph = NULL;
    const int32_t fine[] = {0, 1}, negative[] = {1, -1}, large[] = {0, 3};
    CHECK_FAILS(graph_create(&graph, NULL, 3, 2, fine, negative, false), GRACO_ERROR_FORMAT,
                "edge 1 joins nodes 1 and -1: expected 0 to 2");
    CHECK_FAILS(graph_create(&graph, NULL, 3, 2, large, fine, true), GRACO_ERROR_FORMAT,
                "edge 1 joins nodes 3 and 1");
    CHECK_FAILS(graph_create(&graph, NULL, -1, 0, fine, fine, true), GRACO_ERROR_ARGUMENT,
                "-1 nodes");
    CHECK_FAILS(graph_create(&graph, NULL, (int64_t)1 << 31, 0, fine, fine, true),
                GRACO_ERROR_ARGUMENT, "2147483648 nodes");
    CHECK_FAILS(graph_create(&graph, NULL, 3, -2, fine, fine, true), GRACO_ERROR_ARGUMENT,
                "-2 edges");
    CHECK(graph == NULL);
}

/* The weight of the edge from s to t in either orientation; 0: they differ, or there is none. */
static double weight_of(const struct graph *graph, int32_t s, int32_t t)
{
    for (int64_t k = graph->out.start[s]; k < graph->out.start[s + 1]; k++)
        if (graph->out.index[k] == t) {
            float weight = graph->out.value[k];
            return weight == graph->in.value[graph->out_edge[k]] ? (double)weight : 0;
        }
    return 0;
}

static graco_status build(struct graph **out, const float *weight, bool undirected)
{
    static const int32_t source[] = {0, 1, 0, 2, 2, 3, 0}, target[] = {1, 0, 1, 2, 3, 1, 1};
    return graph_build(out, NULL, &(struct graph_pairs){4, 7, source, target, weight, undirected});
}

/* 0 -> 1 three times, 1 -> 0, a loop at 2, 2 -> 3 and 3 -> 1. */
static void weights(void)
{
    const float weight[] = {0.5f, 3, 0.25f, 7, 2, 1, 1};
    struct graph *graph = NULL;
    CHECK_OK(build(&graph, weight, false));
    CHECK(graph->edges == 4);
    CHECK(weight_of(graph, 0, 1) == 1.75 && weight_of(graph, 1, 0) == 3);
    CHECK(weight_of(graph, 2, 3) == 2 && weight_of(graph, 3, 1) == 1);
    graph_free(graph);
    /* A direction that was not given has the weight of the other, one that was keeps its own. */
    CHECK_OK(build(&graph, weight, true));
    CHECK(graph->edges == 6);
    CHECK(weight_of(graph, 0, 1) == 1.75 && weight_of(graph, 1, 0) == 3);
    CHECK(weight_of(graph, 2, 3) == 2 && weight_of(graph, 3, 2) == 2);
    CHECK(weight_of(graph, 3, 1) == 1 && weight_of(graph, 1, 3) == 1);
    graph_free(graph);
}

/* Weights of repeated edges are added whatever they are, ones too; sums that are all 1 are as none. */
static void ones(void)
{
    static const int32_t source[] = {0, 1, 2, 3}, target[] = {1, 0, 3, 1};
    const float given[] = {1, 1, 1, 1, 1, 1, 1}, sums[] = {0.5f, 1, 0.25f, 9, 1, 1, 0.25f};
    struct graph *graph = NULL;
    CHECK_OK(build(&graph, given, false));
    CHECK(graph->edges == 4 && graph->in.value && weight_of(graph, 0, 1) == 3);
    CHECK(weight_of(graph, 1, 0) == 1 && weight_of(graph, 2, 3) == 1);
    graph_free(graph);
    CHECK_OK(build(&graph, NULL, true)); /* without weights a repeated edge is one edge */
    CHECK(graph->edges == 6 && !graph->in.value && !graph->out.value);
    graph_free(graph);
    CHECK_OK(graph_build(&graph, NULL, &(struct graph_pairs){4, 4, source, target, given, true}));
    CHECK(graph->edges == 6 && !graph->in.value && !graph->out.value);
    graph_free(graph);
    CHECK_OK(build(&graph, sums, false));
    CHECK(graph->edges == 4 && !graph->in.value && !graph->out.value);
    graph_free(graph);
}

static void wrong_weights(void)
{
    const float wrong[] = {0, -1, NAN, INFINITY, -INFINITY, 1e-40f};
    struct graph *graph = NULL;
    float weight[] = {1, 1, 1, 1, 1, 1, 2};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        weight[4] = wrong[i];
        CHECK_FAILS(build(&graph, weight, true), GRACO_ERROR_FORMAT,
                    "edge 4, from node 2 to node 3, has the weight");
    }
    weight[4] = 1;
    weight[0] = weight[2] = 3e38f;
    CHECK_FAILS(build(&graph, weight, true), GRACO_ERROR_FORMAT, "add up to inf");
    CHECK(graph == NULL);
}

/* Every pair is an edge if and only if it was given. */
static void links(void)
{
    const int32_t source[] = {0, 0, 0, 3, 4}, target[] = {1, 3, 4, 0, 2};
    struct graph *graph = NULL;
    CHECK_OK(graph_create(&graph, NULL, 5, 5, source, target, false));
    for (int32_t i = 0; i < 5; i++)
        for (int32_t j = 0; j < 5; j++) {
            bool given = false;
            for (int e = 0; e < 5; e++)
                given = given || (source[e] == i && target[e] == j);
            CHECK(graph_links(graph, i, j) == given);
        }
    graph_free(graph);
}

int main(void)
{
    links();
    random_graphs();
    small_graphs();
    wrong_ids();
    weights();
    ones();
    wrong_weights();
    return check_result();
}
