/* Induced subgraphs against an oracle that looks at every pair of nodes. */
#include "base/memory.h"
#include "base/random.h"
#include "check.h"
#include "graph/subgraph.h"
#include "weigh.h"

static bool has_edge(const struct graph *graph, int32_t source, int32_t target)
{
    for (int64_t e = graph->in.start[target]; e < graph->in.start[target + 1]; e++) {
        if (graph->in.index[e] == source)
            return true;
    }
    return false;
}

/* Rows in both orientations, edge ids by target and source, exactly the edges of the whole. */
static void check_part(const struct graph *part, const struct graph *whole, const int32_t *nodes)
{
    int64_t edges = 0;
    bool same = true, sound = part->in.start[0] == 0 && part->out.start[0] == 0;
    for (int32_t t = 0; t < part->nodes; t++) {
        for (int32_t s = 0; s < part->nodes; s++) {
            bool wanted = has_edge(whole, nodes[s], nodes[t]);
            same &= wanted == has_edge(part, s, t);
            edges += wanted;
        }
    }
    CHECK(same && edges == part->edges && part->sources == part->nodes);
    CHECK(part->in.start[part->nodes] == edges && part->out.start[part->nodes] == edges);
    for (int32_t s = 0; s < part->nodes; s++) {
        for (int64_t k = part->out.start[s]; k < part->out.start[s + 1]; k++) {
            int64_t id = part->out_edge[k], t = part->out.index[k];
            sound &=
                part->in.index[id] == s && id >= part->in.start[t] && id < part->in.start[t + 1];
            sound &=
                !whole->in.value || (part->in.value[id] == weight_between(nodes[s], nodes[t]) &&
                                     part->out.value[k] == part->in.value[id]);
            sound &= k == part->out.start[s] || part->out.index[k] > part->out.index[k - 1];
        }
    }
    for (int32_t t = 0; t < part->nodes; t++) {
        for (int64_t e = part->in.start[t] + 1; e < part->in.start[t + 1]; e++)
            sound &= part->in.index[e] > part->in.index[e - 1];
    }
    CHECK(sound);
}

static struct graph *random_graph(int64_t nodes, int64_t edges, uint64_t seed, bool undirected)
{
    struct graph *graph = NULL;
    struct random_key key = {.seed = seed, .stream = RANDOM_GENERATE};
    int32_t *ends = NULL;
    CHECK_OK(memory_alloc(&ends, 2 * edges, sizeof *ends));
    for (int64_t e = 0; e < 2 * edges; e++)
        ends[e] = (int32_t)random_below(&key, (uint64_t)e, nodes);
    CHECK_OK(graph_create(&graph, NULL, nodes, edges, ends, ends + edges, undirected));
    memory_free(ends);
    return graph;
}

/* Each node is chosen with probability share; 2 takes a run of consecutive ones. */
static void check_random(uint64_t seed, double share, bool undirected, bool weighted)
{
    int32_t nodes[60];
    int64_t count = 0;
    struct graph *whole = random_graph(60, 400, seed, undirected), *part = NULL;
    struct random_key key = {.seed = seed, .stream = RANDOM_SPLITS};
    if (weighted)
        weigh(whole);
    for (int32_t i = 0; i < 60; i++) {
        if (share > 1 ? i >= 7 && i < 31 : random_float(&key, (uint64_t)i) < share)
            nodes[count++] = i;
    }
    CHECK_OK(subgraph_create(&part, whole, nodes, count));
    CHECK(part->nodes == count);
    check_part(part, whole, nodes);
    CHECK(!undirected || graph_is_symmetric(part));
    graph_free(part);
    graph_free(whole);
}

/* Changing everything outside the chosen nodes changes nothing inside. */
static void check_independence(void)
{
    const int32_t nodes[] = {0, 2, 5};
    const int32_t source[] = {0, 2, 5, 1, 3, 1}, target[] = {2, 5, 0, 3, 4, 0};
    const int32_t other_source[] = {4, 0, 4, 2, 5}, other_target[] = {1, 2, 5, 5, 0};
    struct graph *whole = NULL, *part = NULL, *other = NULL, *other_part = NULL;
    CHECK_OK(graph_create(&whole, NULL, 6, 6, source, target, false));
    CHECK_OK(graph_create(&other, NULL, 6, 5, other_source, other_target, false));
    CHECK_OK(subgraph_create(&part, whole, nodes, 3));
    CHECK_OK(subgraph_create(&other_part, other, nodes, 3));
    CHECK(part->edges == 3 && other_part->edges == 3);
    CHECK(memcmp(part->in.start, other_part->in.start, 4 * sizeof *part->in.start) == 0);
    CHECK(memcmp(part->in.index, other_part->in.index, 3 * sizeof *part->in.index) == 0);
    CHECK(memcmp(part->out_edge, other_part->out_edge, 3 * sizeof *part->out_edge) == 0);
    graph_free(part);
    graph_free(other_part);
    graph_free(whole);
    graph_free(other);
}

static void check_refusals(void)
{
    struct graph *whole = random_graph(5, 10, 1, false), *part = NULL;
    CHECK_FAILS(subgraph_create(&part, whole, (int32_t[]){1, 5}, 2), GRACO_ERROR_ARGUMENT,
                "node 5 of a subgraph: expected 0 to 4");
    CHECK_FAILS(subgraph_create(&part, whole, (int32_t[]){-1}, 1), GRACO_ERROR_ARGUMENT, "node -1");
    CHECK_FAILS(subgraph_create(&part, whole, (int32_t[]){3, 3}, 2), GRACO_ERROR_ARGUMENT,
                "node 3 of a subgraph comes after node 3");
    CHECK_FAILS(subgraph_create(&part, whole, NULL, 6), GRACO_ERROR_ARGUMENT, "6 nodes");
    CHECK(part == NULL);
    whole->sources = 6;
    CHECK_FAILS(subgraph_create(&part, whole, NULL, 0), GRACO_ERROR_ARGUMENT, "sampled hop");
    whole->sources = 5;
    CHECK_OK(subgraph_create(&part, whole, NULL, 0));
    CHECK(part->nodes == 0 && part->edges == 0 && part->in.start[0] == 0);
    graph_free(part);
    graph_free(whole);
}

int main(void)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        check_random(seed, 0.5, seed % 2, seed % 3 == 0);
        check_random(seed, 0.1, seed % 2, seed % 3 == 0);
        check_random(seed, 1, seed % 2, seed % 3 == 0);
        check_random(seed, 2, seed % 2, seed % 3 == 0);
    }
    check_independence();
    check_refusals();
    return check_result();
}
