/* Orders for ranks: every node once, the same each time, fewer rows that ranks read of each other; the
 * graph in an order has the same edges and weights. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "check.h"

#include "base/memory.h"
#include "comm/comm_tally.h"
#include "graph/order.h"
#include "graph/shard.h"

enum { NODES = 240, GROUPS = 4, EDGES = 1500 };

/* Directed edges with weights, mostly within groups that lie scattered: node i is in group i % GROUPS. */
static struct graph *make_graph(void)
{
    int32_t source[EDGES], target[EDGES];
    float weight[EDGES];
    uint32_t state = 7;
    struct graph *graph = NULL;
    for (int e = 0; e < EDGES; e++) {
        state = state * 1664525u + 1013904223u;
        source[e] = (int32_t)(state >> 8) % NODES;
        state = state * 1664525u + 1013904223u;
        int32_t step = (int32_t)(state >> 8) % (NODES / GROUPS) * GROUPS;
        target[e] = (source[e] + (e % 20 == 0 ? 1 : step)) % NODES;
        weight[e] = 1 + (float)(e % 5);
    }
    CHECK_OK(graph_build(&graph, NULL,
                         &(struct graph_pairs){NODES, EDGES, source, target, weight, false}));
    return graph;
}

/* Rows that all ranks together read of others. */
static int64_t boundary(const struct graph *graph, int ranks)
{
    int64_t sum = 0;
    for (int rank = 0; rank < ranks; rank++) {
        struct comm comm;
        struct shard *shard = NULL;
        comm_tally_init(&comm, rank, ranks);
        CHECK_OK(shard_create(&shard, &comm, graph));
        sum += shard->rows.others;
        shard_free(shard);
        comm_tally_clear(&comm);
    }
    return sum;
}

static bool is_order(const int32_t *order, int64_t nodes)
{
    bool seen[NODES] = {false};
    for (int64_t i = 0; i < nodes; i++) {
        if (order[i] < 0 || order[i] >= nodes || seen[order[i]])
            return false;
        seen[order[i]] = true;
    }
    return true;
}

/* The weight of the edge from s to t; -1: there is none. */
static double edge(const struct graph *graph, int32_t s, int32_t t)
{
    for (int64_t e = graph->in.start[t]; e < graph->in.start[t + 1]; e++)
        if (graph->in.index[e] == s)
            return graph->in.value ? (double)graph->in.value[e] : 1;
    return -1;
}

#if __has_include(<metis.h>)
#include <dlfcn.h>
#include <metis.h>

static const struct graph *divided;

/* In the place of METIS's own, which it calls: every node has its neighbours of either direction, ascending and once, and
 * weighs its edges and as much as a mean node's. */
int METIS_PartGraphKway(idx_t *nodes, idx_t *constraints, idx_t *start, idx_t *index, idx_t *weight,
                        idx_t *sizes, idx_t *weights, idx_t *parts, real_t *shares, real_t *uneven,
                        idx_t *options, idx_t *cut, idx_t *part)
{
    int (*own)(idx_t *, idx_t *, idx_t *, idx_t *, idx_t *, idx_t *, idx_t *, idx_t *, real_t *,
               real_t *, idx_t *, idx_t *, idx_t *);
    void *found = dlsym(RTLD_NEXT, "METIS_PartGraphKway");
    int64_t wrong = !found;
    for (int32_t i = 0; i < *nodes; i++) {
        idx_t e = start[i];
        for (int32_t j = 0; j < *nodes; j++)
            if (edge(divided, i, j) >= 0 || edge(divided, j, i) >= 0)
                wrong += e >= start[i + 1] || index[e++] != j;
        wrong += e != start[i + 1];
        wrong += weight[i] !=
                 divided->edges / *nodes + 1 + divided->in.start[i + 1] - divided->in.start[i];
    }
    CHECK(wrong == 0);
    memcpy(&own, &found, sizeof own);
    return own(nodes, constraints, start, index, weight, sizes, weights, parts, shares, uneven,
               options, cut, part);
}
#endif

static void test_apply(void)
{
    struct graph *graph = make_graph(), *ordered = NULL;
    int32_t order[NODES];
    for (int32_t i = 0; i < NODES; i++)
        order[i] = i * 7 % NODES;
    CHECK(is_order(order, NODES));
    CHECK_OK(order_apply(&ordered, graph, order));
    CHECK(ordered->nodes == NODES && ordered->edges == graph->edges);
    int64_t wrong = 0;
    for (int32_t s = 0; s < NODES; s++)
        for (int32_t t = 0; t < NODES; t++)
            wrong += edge(ordered, s, t) != edge(graph, order[s], order[t]);
    CHECK(wrong == 0);
    graph_free(ordered);
    graph_free(graph);
}

/* Graphs that need no parts have an order without METIS too. */
static void test_plain(void)
{
    struct graph *graph = make_graph(), *empty = NULL;
    int32_t order[NODES];
    CHECK_OK(order_find(order, graph, 1));
    CHECK(is_order(order, NODES) && order[5] == 5);
    CHECK_OK(graph_create(&empty, NULL, 9, 0, NULL, NULL, false));
    CHECK_OK(order_find(order, empty, 4));
    CHECK(is_order(order, 9));
    CHECK_FAILS(order_find(order, empty, 10), GRACO_ERROR_ARGUMENT,
                "9 nodes for 10 ranks: expected at least one for each");
    graph_free(empty);
    graph_free(graph);
}

static void test_find(void)
{
    struct graph *graph = make_graph();
    int32_t order[NODES], again[NODES];
#if __has_include(<metis.h>)
    divided = graph;
#endif
    if (order_find(order, graph, 2) == GRACO_ERROR_DEVICE) {
        printf("left out: orders, for this build has no METIS\n");
        graph_free(graph);
        return;
    }
    for (int ranks = 2; ranks <= NODES; ranks = ranks < 8 ? ranks + 1 : ranks * 3 + 6) {
        struct graph *ordered = NULL;
        CHECK_OK(order_find(order, graph, ranks));
        CHECK_OK(order_find(again, graph, ranks));
        CHECK(is_order(order, NODES) && memcmp(order, again, sizeof order) == 0);
        CHECK_OK(order_apply(&ordered, graph, order));
        CHECK(boundary(ordered, ranks) <= boundary(graph, ranks));
        CHECK(ranks != GROUPS || 2 * boundary(ordered, ranks) < boundary(graph, ranks));
        graph_free(ordered);
    }
    graph_free(graph);
}

int main(void)
{
    test_apply();
    test_plain();
    test_find();
    return check_result();
}
