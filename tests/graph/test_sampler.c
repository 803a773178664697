#include "graph/sampler.h"

#include "base/memory.h"
#include "base/random.h"

#include "check.h"
#include "weigh.h"

enum { NODES = 300, DRAWN_MAX = 1 << 16 };

/* Node t has t % 23 drawn sources of 0 .. NODES - 31, so every 23rd and some more are isolated and
 * the last 30 are nobody's source. */
static struct graph *make_graph(void)
{
    const struct random_key key = {.seed = 9, .stream = RANDOM_GENERATE};
    static int32_t source[NODES * 23], target[NODES * 23];
    struct graph *graph = NULL;
    int64_t edges = 0;
    for (int32_t t = 0; t < NODES; t++) {
        for (int k = 0; k < t % 23; k++, edges++) {
            source[edges] = (int32_t)random_below(&key, (uint64_t)edges, NODES - 30);
            target[edges] = t;
        }
    }
    CHECK_OK(graph_create(&graph, NULL, NODES, edges, source, target, false));
    return graph;
}

static bool is_neighbour(const struct graph *graph, int32_t source, int32_t target)
{
    for (int64_t e = graph->in.start[target]; e < graph->in.start[target + 1]; e++)
        if (graph->in.index[e] == source)
            return true;
    return false;
}

/* ---- What every sample must be --------------------------------------------------------------- */

static bool nodes_are_distinct(const struct sample *s, int64_t graph_nodes)
{
    static bool seen[1 << 12];
    memset(seen, 0, sizeof seen);
    for (int64_t i = 0; i < s->count[s->hops]; i++) {
        if (s->nodes[i] < 0 || s->nodes[i] >= graph_nodes || seen[s->nodes[i]])
            return false;
        seen[s->nodes[i]] = true;
    }
    return true;
}

/* Both orientations hold the same edges under the same ids, and the outgoing rows ascend. */
static bool orientations_agree(const struct graph *hop)
{
    int64_t entries = 0;
    if (hop->in.start[0] != 0 || hop->in.start[hop->nodes] != hop->edges ||
        hop->out.start[0] != 0 || hop->out.start[hop->sources] != hop->edges)
        return false;
    for (int64_t s = 0; s < hop->sources; s++) {
        for (int64_t k = hop->out.start[s]; k < hop->out.start[s + 1]; k++, entries++) {
            int64_t e = hop->out_edge[k], t = hop->out.index[k];
            if (e >= hop->edges || t < 0 || t >= hop->nodes || hop->in.index[e] != s ||
                e < hop->in.start[t] || e >= hop->in.start[t + 1])
                return false;
            /* Ids that rise within a row name every edge once; targets then cannot fall. */
            if (k > hop->out.start[s] && hop->out_edge[k - 1] >= hop->out_edge[k])
                return false;
            if (hop->in.value && hop->out.value[k] != hop->in.value[e])
                return false;
        }
    }
    return entries == hop->edges;
}

/* Each edge joins neighbours, each target has its draws, and a new source comes right after all the
 * sources before it. */
static bool draws_are_right(const struct sample *s, int h, const struct graph *graph,
                            int64_t fanout)
{
    const struct graph *hop = &s->hop[h];
    int64_t known = s->count[h];
    for (int64_t t = 0; t < hop->nodes; t++) {
        int32_t node = s->nodes[t];
        int64_t degree = graph->in.start[node + 1] - graph->in.start[node];
        int64_t drawn = hop->in.start[t + 1] - hop->in.start[t];
        if (drawn != (fanout == 0 || degree == 0 ? degree : fanout))
            return false;
        for (int64_t e = hop->in.start[t]; e < hop->in.start[t + 1]; e++) {
            if (hop->in.index[e] > known || !is_neighbour(graph, s->nodes[hop->in.index[e]], node))
                return false;
            if (graph->in.value &&
                hop->in.value[e] != weight_between(s->nodes[hop->in.index[e]], node))
                return false;
            known += hop->in.index[e] == known;
        }
    }
    return known == s->count[h + 1];
}

static void check_sample(const struct sample *s, const struct graph *graph, const int64_t *fanout)
{
    CHECK(nodes_are_distinct(s, graph->nodes));
    for (int h = 0; h < s->hops; h++) {
        CHECK(s->hop[h].nodes == s->count[h] && s->hop[h].sources == s->count[h + 1]);
        CHECK(orientations_agree(&s->hop[h]));
        CHECK(draws_are_right(s, h, graph, fanout[h]));
    }
}

/* ---- The oracle ------------------------------------------------------------------------------ */

struct naive {
    int32_t nodes[NODES];
    int64_t count;
    int32_t source[DRAWN_MAX]; /* of one hop */
    int64_t edges;
};

static int32_t naive_place(struct naive *n, int32_t node)
{
    for (int64_t i = 0; i < n->count; i++)
        if (n->nodes[i] == node)
            return (int32_t)i;
    n->nodes[n->count] = node;
    return (int32_t)n->count++;
}

static void naive_hop(struct naive *n, const struct graph *graph, int64_t fanout,
                      const struct random_key *key)
{
    int64_t targets = n->count;
    n->edges = 0;
    for (int64_t t = 0; t < targets; t++) {
        const int32_t *row = graph->in.index + graph->in.start[n->nodes[t]];
        int64_t degree = graph->in.start[n->nodes[t] + 1] - graph->in.start[n->nodes[t]];
        for (int64_t d = 0; d < (fanout ? fanout : degree) && degree > 0; d++) {
            int64_t pick = d;
            if (fanout > 0) {
                uint64_t u = random_u32(key, (uint64_t)(t * fanout + d));
                pick = (int64_t)(u * (uint64_t)degree >> 32);
            }
            n->source[n->edges++] = naive_place(n, row[pick]);
        }
    }
}

static void check_against_oracle(const struct sample *s, const struct graph *graph,
                                 const int64_t *fanout, uint64_t seed, uint32_t step)
{
    static struct naive n;
    n.count = s->count[0];
    memcpy(n.nodes, s->nodes, (size_t)n.count * sizeof *n.nodes);
    for (int h = 0; h < s->hops; h++) {
        const struct random_key key = {seed, RANDOM_NEIGHBOURS, (uint32_t)h, step};
        naive_hop(&n, graph, fanout[h], &key);
        CHECK(n.edges == s->hop[h].edges && n.count == s->count[h + 1]);
        CHECK(memcmp(n.source, s->hop[h].in.index, (size_t)n.edges * sizeof *n.source) == 0);
    }
    CHECK(memcmp(n.nodes, s->nodes, (size_t)n.count * sizeof *n.nodes) == 0);
}

/* Batches of different sizes share one sample, so that its memory is used again and grows. The
 * fanouts reach beyond the numbers that the sampler makes at a time, and are not multiples of a
 * block. */
static void agrees_with_oracle(const struct graph *graph)
{
    static const int64_t fanouts[][3] = {{3, 2, 1},    {30, 25, 20}, {1, 1, 1},
                                         {1500, 2, 7}, {0, 3, 0},    {5, 0, 2}};
    static int32_t order[NODES];
    const struct random_key key = {.seed = 4, .stream = RANDOM_ORDER};
    struct sample sample = {0};
    random_order(order, NODES, &key);
    for (size_t i = 0; i < sizeof fanouts / sizeof *fanouts; i++) {
        const int64_t sizes[] = {1, 7, 0, 20, 3};
        uint64_t seed = 100 + i + (i << 40);
        struct sampler *sampler = NULL;
        CHECK_OK(sampler_create(&sampler, graph, 3, fanouts[i], seed));
        for (uint32_t step = 0; step < 5; step++) {
            const int32_t *roots = order + 20 * step;
            CHECK_OK(sampler_draw(sampler, &sample, roots, sizes[step], step));
            CHECK(sample.hops == 3 && sample.count[0] == sizes[step]);
            CHECK(sizes[step] == 0 ||
                  memcmp(sample.nodes, roots, (size_t)sizes[step] * sizeof *roots) == 0);
            check_sample(&sample, graph, fanouts[i]);
            check_against_oracle(&sample, graph, fanouts[i], seed, step);
        }
        sampler_free(sampler);
    }
    sample_clear(&sample);
}

/* ---- Properties ------------------------------------------------------------------------------ */

static bool same_sample(const struct sample *a, const struct sample *b)
{
    bool same = a->hops == b->hops && memcmp(a->count, b->count, sizeof a->count) == 0 &&
                memcmp(a->nodes, b->nodes, (size_t)a->count[a->hops] * sizeof *a->nodes) == 0;
    for (int h = 0; same && h < a->hops; h++)
        same = a->hop[h].edges == b->hop[h].edges &&
               memcmp(a->hop[h].in.index, b->hop[h].in.index,
                      (size_t)a->hop[h].edges * sizeof *a->hop[h].in.index) == 0;
    return same;
}

/* A sample depends on the seed and the step, not on what its sampler drew before. */
static void keys_decide(const struct graph *graph)
{
    const int64_t fanout[] = {4, 4};
    const int32_t roots[] = {22, 21, 20, 45}, others[] = {1, 2, 3};
    struct sampler *fresh = NULL, *used = NULL, *other = NULL;
    struct sample a = {0}, b = {0};
    CHECK_OK(sampler_create(&fresh, graph, 2, fanout, 7));
    CHECK_OK(sampler_create(&used, graph, 2, fanout, 7));
    CHECK_OK(sampler_create(&other, graph, 2, fanout, 8));
    for (uint32_t step = 0; step < 10; step++)
        CHECK_OK(sampler_draw(used, &b, others, 3, step));
    CHECK_OK(sampler_draw(fresh, &a, roots, 4, 5));
    CHECK_OK(sampler_draw(used, &b, roots, 4, 5));
    CHECK(same_sample(&a, &b));
    CHECK_OK(sampler_draw(used, &b, roots, 4, 6));
    CHECK(!same_sample(&a, &b));
    CHECK_OK(sampler_draw(other, &b, roots, 4, 5));
    CHECK(!same_sample(&a, &b));
    sampler_free(fresh);
    sampler_free(used);
    sampler_free(other);
    sample_clear(&a);
    sample_clear(&b);
}

/* Nodes 0, 1, 2 draw from 7, 10 and 100 neighbours: chi-square of the counts, whose deviation is
 * sqrt(2 k) around k, the neighbours less one. */
static void draws_are_uniform(void)
{
    enum { TARGETS = 3, MOST = 100, FANOUT = 40, STEPS = 500 };
    const int64_t degree[TARGETS] = {7, 10, MOST}, fanout = FANOUT;
    const int32_t roots[] = {0, 1, 2};
    int32_t source[200], target[200];
    int64_t edges = 0, counts[TARGETS][TARGETS + MOST] = {{0}};
    for (int32_t t = 0; t < TARGETS; t++)
        for (int32_t k = 0; k < degree[t]; k++, edges++)
            source[edges] = TARGETS + k, target[edges] = t;
    struct graph *graph = NULL;
    struct sampler *sampler = NULL;
    struct sample sample = {0};
    CHECK_OK(graph_create(&graph, NULL, TARGETS + MOST, edges, source, target, false));
    CHECK_OK(sampler_create(&sampler, graph, 1, &fanout, 21));
    for (uint32_t step = 0; step < STEPS; step++) {
        CHECK_OK(sampler_draw(sampler, &sample, roots, TARGETS, step));
        for (int64_t e = 0; e < sample.hop[0].edges; e++)
            counts[e / FANOUT][sample.nodes[sample.hop[0].in.index[e]]]++;
    }
    for (int t = 0; t < TARGETS; t++) {
        double expected = (double)FANOUT * STEPS / (double)degree[t], square = 0;
        double freedom = (double)degree[t] - 1;
        for (int64_t k = 0; k < degree[t]; k++) {
            double off = (double)counts[t][TARGETS + k] - expected;
            square += off * off / expected;
        }
        CHECK(fabs(square - freedom) < 4 * sqrt(2 * freedom));
    }
    sampler_free(sampler);
    sample_clear(&sample);
    graph_free(graph);
}

/* Fanout 0 from all nodes: the graph itself. */
static void everything(const struct graph *graph)
{
    const int64_t fanout[] = {0, 0};
    int32_t all[NODES];
    struct sampler *sampler = NULL;
    struct sample sample = {0};
    for (int32_t i = 0; i < NODES; i++)
        all[i] = i;
    CHECK_OK(sampler_create(&sampler, graph, 2, fanout, 1));
    CHECK_OK(sampler_draw(sampler, &sample, all, NODES, 3));
    check_sample(&sample, graph, fanout);
    size_t rows = (size_t)(NODES + 1) * sizeof(int64_t);
    size_t edges = (size_t)graph->edges * sizeof(int32_t);
    for (int h = 0; h < 2; h++) {
        const struct graph *hop = &sample.hop[h];
        CHECK(hop->sources == NODES && hop->nodes == NODES && hop->edges == graph->edges);
        CHECK(memcmp(hop->in.start, graph->in.start, rows) == 0);
        CHECK(memcmp(hop->in.index, graph->in.index, edges) == 0);
        CHECK(memcmp(hop->out.start, graph->out.start, rows) == 0);
        CHECK(memcmp(hop->out.index, graph->out.index, edges) == 0);
        CHECK(memcmp(hop->out_edge, graph->out_edge, edges) == 0);
    }
    sampler_free(sampler);
    sample_clear(&sample);
}

static void isolated_nodes(const struct graph *graph)
{
    const int64_t fanout[] = {5, 0, 3};
    const int32_t roots[] = {0, 23, 46}; /* no neighbours */
    struct sampler *sampler = NULL;
    struct sample sample = {0};
    CHECK_OK(sampler_create(&sampler, graph, 3, fanout, 1));
    CHECK_OK(sampler_draw(sampler, &sample, roots, 3, 0));
    for (int h = 0; h < 3; h++)
        CHECK(sample.count[h + 1] == 3 && sample.hop[h].edges == 0);
    check_sample(&sample, graph, fanout);
    sampler_free(sampler);
    sample_clear(&sample);
}

/* A sample that served a graph without weights serves one with them, and again one without. */
static void weights_come_and_go(const struct graph *plain, const struct graph *weighted)
{
    const int64_t fanout[] = {4, 3};
    const int32_t roots[] = {22, 21, 20, 45};
    const struct graph *const graphs[] = {plain, weighted, plain, weighted};
    struct sample sample = {0};
    for (int i = 0; i < 4; i++) {
        struct sampler *sampler = NULL;
        CHECK_OK(sampler_create(&sampler, graphs[i], 2, fanout, 7));
        CHECK_OK(sampler_draw(sampler, &sample, roots, i == 1 ? 2 : 4, 1));
        CHECK(!sample.hop[1].in.value == !graphs[i]->in.value);
        check_sample(&sample, graphs[i], fanout);
        sampler_free(sampler);
    }
    sample_clear(&sample);
}

static void wrong_arguments(const struct graph *graph)
{
    const int64_t fanout[] = {2, INT32_MAX, 0}, negative[] = {2, -1}, large[] = {1 + (1LL << 31)};
    const int32_t twice[] = {5, 6, 5}, beyond[] = {1, NODES}, below[] = {-1}, fine[] = {1, 2};
    struct sampler *sampler = NULL;
    struct sample sample = {0};
    CHECK_FAILS(sampler_create(&sampler, graph, 0, fanout, 1), GRACO_ERROR_ARGUMENT, "0 hops");
    CHECK_FAILS(sampler_create(&sampler, graph, 9, fanout, 1), GRACO_ERROR_ARGUMENT, "9 hops");
    CHECK_FAILS(sampler_create(&sampler, graph, 2, negative, 1), GRACO_ERROR_ARGUMENT,
                "fanout -1 of hop 2");
    CHECK_FAILS(sampler_create(&sampler, graph, 1, large, 1), GRACO_ERROR_ARGUMENT, "fanout");
    CHECK(sampler == NULL);
    CHECK_OK(sampler_create(&sampler, graph, 1, fanout, 1));
    CHECK_FAILS(sampler_draw(sampler, &sample, twice, 3, 0), GRACO_ERROR_ARGUMENT,
                "roots 0 and 2 of the batch are both node 5");
    CHECK_FAILS(sampler_draw(sampler, &sample, beyond, 2, 0), GRACO_ERROR_ARGUMENT, "node 300");
    CHECK_FAILS(sampler_draw(sampler, &sample, below, 1, 0), GRACO_ERROR_ARGUMENT, "node -1");
    CHECK_FAILS(sampler_draw(sampler, &sample, fine, -1, 0), GRACO_ERROR_ARGUMENT, "-1 roots");
    CHECK(sample.hops == 0);
    CHECK_OK(sampler_draw(sampler, &sample, fine, 2, 0));
    CHECK(sample.hops == 1);
    sampler_free(sampler);
    CHECK_OK(sampler_create(&sampler, graph, 2, fanout, 1));
    CHECK_FAILS(sampler_draw(sampler, &sample, fine, 2, 0), GRACO_ERROR_ARGUMENT, "hop 2 draws");
    sampler_free(sampler);
    sampler_free(NULL);
    sample_clear(&sample);
    sample_clear(NULL);
}

int main(void)
{
    struct graph *graph = make_graph(), *weighted = make_graph();
    weigh(weighted);
    agrees_with_oracle(weighted);
    everything(weighted);
    isolated_nodes(weighted);
    weights_come_and_go(graph, weighted);
    graph_free(weighted);
    agrees_with_oracle(graph);
    keys_decide(graph);
    draws_are_uniform();
    everything(graph);
    isolated_nodes(graph);
    wrong_arguments(graph);
    graph_free(graph);
    return check_result();
}
