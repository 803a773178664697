/* How fast neighbours are sampled on a graph of Reddit's size, by one core.
 *
 * The graph is made here: the node of rank r has a degree, and is a source, in proportion to
 * r^(-1/3), which gives Reddit's mean of 492 and a largest degree of about 20 thousand; ranks are
 * scattered over the numbers. Rows do not ascend and may repeat a source, which the sampler does
 * not mind. Every figure is the drawing thread's own time, so that a busy machine spoils it less;
 * the first batch, which finds no memory yet, is shown apart. Then the same batches through
 * prefetch. Prints one JSON object. */
#include "graco_command.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "graph/sampler.h"
#include "train/prefetch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 232965, HOPS = 3, BATCH = 256, BATCHES_MAX = 999 };

static const int64_t EDGES = 114615892;
static const int64_t FANOUT[HOPS] = {30, 25, 20};
static const uint64_t SEED = 1;

/* Seconds and counts of one batch. */
struct measured {
    double seconds;
    int64_t edges, nodes;
};

/* A permutation of the nodes: the multiplier is a prime that does not divide their number. */
static int32_t node_of_rank(int64_t rank)
{
    return (int32_t)(rank * 2654435761 % NODES);
}

/* Rows for all nodes, the sum of their lengths close to `edges`. */
static void fill_starts(struct graph *graph, int64_t edges)
{
    double scale = (double)edges / (1.5 * pow(NODES, 2.0 / 3));
    for (int64_t rank = 0; rank < NODES; rank++)
        graph->in.start[node_of_rank(rank) + 1] = (int64_t)(scale / cbrt((double)rank + 1) + 0.5);
    for (int64_t i = 0; i < NODES; i++)
        graph->in.start[i + 1] += graph->in.start[i];
    graph->edges = graph->in.start[NODES];
}

static void fill_sources(struct graph *graph)
{
    enum { CHUNK = 4096 };
    const struct random_key key = {.seed = SEED, .stream = RANDOM_GENERATE};
    uint32_t number[CHUNK];
    for (int64_t e = 0; e < graph->edges; e++) {
        if (e % CHUNK == 0)
            random_blocks(number, &key, (uint64_t)e / 4, CHUNK / 4);
        double u = number[e % CHUNK] * 0x1p-32;
        graph->in.index[e] = node_of_rank((int64_t)(u * sqrt(u) * NODES));
    }
}

static graco_status make_graph(struct graph **out, int64_t edges)
{
    graco_status status = GRACO_OK;
    struct graph *graph = NULL;
    TRY(memory_zalloc(&graph, 1, sizeof *graph));
    graph->nodes = graph->sources = NODES;
    TRY(memory_zalloc(&graph->in.start, NODES + 1, sizeof *graph->in.start));
    fill_starts(graph, edges);
    TRY(memory_alloc(&graph->in.index, graph->edges, sizeof *graph->in.index));
    fill_sources(graph);
    *out = graph;
    graph = NULL;
done:
    graph_free(graph);
    return status;
}

static void count_sample(struct measured *out, const struct sample *sample)
{
    out->nodes = sample->count[sample->hops];
    out->edges = 0;
    for (int h = 0; h < sample->hops; h++)
        out->edges += sample->hop[h].edges;
}

static graco_status measure_batches(struct measured *batch, int batches, const struct graph *graph,
                                    const int32_t *order)
{
    graco_status status = GRACO_OK;
    struct sampler *sampler = NULL;
    struct sample sample = {0};
    TRY(sampler_create(&sampler, graph, HOPS, FANOUT, SEED));
    for (int i = 0; i < batches; i++) {
        double begin = threads_own_seconds();
        TRY(sampler_draw(sampler, &sample, order + (int64_t)i * BATCH, BATCH, (uint32_t)i));
        batch[i].seconds = threads_own_seconds() - begin;
        count_sample(&batch[i], &sample);
    }
done:
    sampler_free(sampler);
    sample_clear(&sample);
    return status;
}

/* Wall seconds per batch when nobody computes meanwhile. */
static graco_status measure_prefetch(double *seconds, int batches, const struct graph *graph,
                                     const int32_t *order, bool thread)
{
    graco_status status = GRACO_OK;
    struct prefetch *prefetch = NULL;
    const struct sample *sample;
    const struct prefetch_options options = {
        .graph = graph,
        .hops = HOPS,
        .fanout = FANOUT,
        .seed = SEED,
        .roots = order,
        .count = NODES,
        .batch = BATCH,
        .thread = thread,
        .ahead = 2,
    };
    TRY(prefetch_create(&prefetch, &options));
    TRY(prefetch_next(prefetch, &sample));
    double begin = threads_seconds();
    for (int i = 0; i < batches; i++)
        TRY(prefetch_next(prefetch, &sample));
    *seconds = (threads_seconds() - begin) / batches;
done:
    prefetch_free(prefetch);
    return status;
}

static void print_batches(const struct measured *batch, int batches)
{
    struct measured sum = {0};
    double slowest = 1e300;
    for (int i = 1; i < batches; i++) {
        sum.seconds += batch[i].seconds;
        sum.edges += batch[i].edges;
        sum.nodes += batch[i].nodes;
        slowest = fmin(slowest, (double)batch[i].edges / batch[i].seconds);
    }
    double n = batches - 1, to_ns = 1e9 / (double)sum.edges;
    printf("  \"edges_per_batch\": %.0f,\n  \"nodes_per_batch\": %.0f,\n", (double)sum.edges / n,
           (double)sum.nodes / n);
    printf("  \"seconds_per_batch\": %.4f,\n  \"seconds_first_batch\": %.4f,\n", sum.seconds / n,
           batch[0].seconds);
    printf("  \"ns_per_edge\": %.2f,\n", sum.seconds * to_ns);
    printf("  \"million_edges_per_second_per_core\": %.1f,\n", 1e3 / (sum.seconds * to_ns));
    printf("  \"slowest_batch\": %.1f,\n", slowest * 1e-6);
}

static graco_status run(int64_t edges, int batches)
{
    graco_status status = GRACO_OK;
    static struct measured batch[BATCHES_MAX + 1];
    static int32_t order[NODES];
    struct graph *graph = NULL;
    const struct random_key key = {.seed = SEED, .stream = RANDOM_ORDER};
    TRY(make_graph(&graph, edges));
    for (int32_t i = 0; i < NODES; i++)
        order[i] = i;
    random_shuffle(order, NODES, &key);
    printf("{\n  \"nodes\": %d,\n  \"edges\": %lld,\n", NODES, (long long)graph->edges);
    TRY(measure_batches(batch, batches + 1, graph, order));
    print_batches(batch, batches + 1);
    printf("  \"prefetch\": [\n");
    for (int threads = 0; threads <= 1; threads++) {
        double seconds = 0;
        TRY(measure_prefetch(&seconds, batches, graph, order, threads));
        printf("    {\"threads\": %d, \"wall_seconds_per_batch\": %.4f}%s\n", threads, seconds,
               threads < 1 ? "," : "");
    }
    printf("  ],\n  \"peak_mbytes\": %.0f\n}\n", (double)graco_peak_memory() * 1e-6);
done:
    graph_free(graph);
    return status;
}

int main(int argc, char **argv)
{
    int batches = 20;
    int64_t edges = EDGES;
    bool right = true;
    for (int i = 1; right && i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            edges = EDGES / 50;
        else if (strcmp(argv[i], "--batches") == 0 && i + 1 < argc)
            batches = atoi(argv[++i]);
        else
            right = false;
    }
    if (!right || batches < 1 || batches > NODES / BATCH - 1 || batches > BATCHES_MAX) {
        fprintf(stderr, "usage: bench_sampler [--batches 1..%d] [--quick]\n", NODES / BATCH - 1);
        return 2;
    }
    if (run(edges, batches) != GRACO_OK) {
        fprintf(stderr, "bench_sampler: %s\n", graco_message());
        return 1;
    }
    return 0;
}
