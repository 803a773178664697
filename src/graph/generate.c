#include "graph/generate.h"

#include "base/memory.h"
#include "base/random.h"
#include "graph/graph.h"

#include <math.h>

/* ROUNDS: how often pairs are drawn anew for those that were repeated. EDGE_BLOCKS: Philox blocks
 * reserved for one edge; TRIES: attempts at another class or another node, within that reserve. */
enum { ROUNDS = 8, EDGE_BLOCKS = 32, TRIES = 16 };

/* Walker's alias table: an item is drawn in O(1) in proportion to its weight. */
struct alias {
    uint32_t *keep; /* (items) the slot's own item is taken if 32 random bits are at most this */
    int32_t *other; /* (items) else this one */
};

/* The numbers of one edge, one after the other. */
struct draws {
    struct random_key key;
    uint64_t block;
    uint32_t lanes[4];
    int used;
};

static uint32_t draw(struct draws *draws)
{
    if (draws->used == 4) {
        random_block(draws->lanes, &draws->key, draws->block++);
        draws->used = 0;
    }
    return draws->lanes[draws->used++];
}

/* The nodes sorted by class, the first and last of each, and the tables to draw from. */
struct blocks {
    int64_t *start;  /* (classes + 1) */
    int32_t *member; /* (nodes) */
    double *weight;  /* (nodes) theta, in the order of member */
    double *mass;    /* (classes) sum of weights */
    struct alias nodes, classes;
    int32_t *stack; /* (nodes) scratch of alias_fill */
};

static void blocks_clear(struct blocks *blocks)
{
    memory_free(blocks->start);
    memory_free(blocks->member);
    memory_free(blocks->weight);
    memory_free(blocks->mass);
    memory_free(blocks->nodes.keep);
    memory_free(blocks->nodes.other);
    memory_free(blocks->classes.keep);
    memory_free(blocks->classes.other);
    memory_free(blocks->stack);
}

/* Fills n slots from weights with sum `mass`; destroys the weights. Items lighter than the mean
 * stand at the front of the stack, the others at its back. */
static void alias_fill(uint32_t *keep, int32_t *other, double *weight, int64_t n, double mass,
                       int32_t *stack)
{
    double mean = mass / (double)n;
    int64_t light = 0, heavy = n;
    for (int64_t i = 0; i < n; i++) {
        keep[i] = UINT32_MAX;
        other[i] = (int32_t)i;
        if (weight[i] < mean)
            stack[light++] = (int32_t)i;
        else
            stack[--heavy] = (int32_t)i;
    }
    while (light > 0 && heavy < n) {
        int32_t small = stack[--light], large = stack[heavy];
        double share = weight[small] / mean;
        keep[small] = (uint32_t)(share * 0x1.fffffffep31); /* below 2^32 as share < 1 */
        other[small] = large;
        weight[large] -= mean - weight[small];
        if (weight[large] < mean) {
            heavy++;
            stack[light++] = large;
        }
    }
}

static int64_t alias_draw(const uint32_t *keep, const int32_t *other, int64_t n,
                          struct draws *draws)
{
    int64_t slot = (int64_t)(((uint64_t)draw(draws) * (uint64_t)n) >> 32);
    return draw(draws) <= keep[slot] ? slot : other[slot];
}

static int32_t draw_class(const struct blocks *blocks, int64_t classes, struct draws *draws)
{
    return (int32_t)alias_draw(blocks->classes.keep, blocks->classes.other, classes, draws);
}

static int32_t draw_member(const struct blocks *blocks, int32_t class, struct draws *draws)
{
    int64_t start = blocks->start[class], n = blocks->start[class + 1] - start;
    return blocks->member[start + alias_draw(blocks->nodes.keep + start,
                                             blocks->nodes.other + start, n, draws)];
}

static graco_status check_options(const struct generate_options *options)
{
    if (options->nodes < 1 || options->nodes > INT32_MAX)
        return status_fail(GRACO_ERROR_ARGUMENT, "a graph of %lld nodes: expected 1 to %lld",
                           (long long)options->nodes, (long long)INT32_MAX);
    if (options->classes < 1 || options->classes > options->nodes)
        return status_fail(GRACO_ERROR_ARGUMENT, "%lld classes: expected 1 to %lld, one per node",
                           (long long)options->classes, (long long)options->nodes);
    if (!(options->degree >= 0 && options->degree < (double)options->nodes))
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "an average degree of %g: expected 0 to less than %lld, the nodes",
                           options->degree, (long long)options->nodes);
    if (!(options->homophily >= 0 && options->homophily <= 1))
        return status_fail(GRACO_ERROR_ARGUMENT, "a homophily of %g: expected 0 to 1",
                           options->homophily);
    if ((double)options->nodes * options->degree / 2 > (double)(UINT32_MAX / 2))
        return status_fail(
            GRACO_ERROR_ARGUMENT, "a graph of %.0f undirected edges: at most %lld are possible",
            (double)options->nodes * options->degree / 2, (long long)(UINT32_MAX / 2));
    return GRACO_OK;
}

double generate_bytes(int64_t nodes, double degree)
{
    return (60 + 20 * degree) * (double)nodes;
}

/* The first nodes have one class each, so that no class is empty; the others draw theirs. */
static graco_status draw_labels(int32_t **label, const struct generate_options *options)
{
    struct random_key key = {.seed = options->seed,
                             .stream = RANDOM_GENERATE,
                             .step = options->step,
                             .view = GENERATE_CLASS};
    graco_status status = memory_alloc(label, options->nodes, sizeof **label);
    for (int64_t i = 0; status == GRACO_OK && i < options->nodes; i++)
        (*label)[i] =
            (int32_t)(i < options->classes ? i : random_below(&key, (uint64_t)i, options->classes));
    return status;
}

/* theta = u^(-1/2): a power law with exponent 3; u^(-3/4): with exponent 7/3. The heaviest node
 * must not take a share of the edges that does not vanish with the size of the graph, so theta ends
 * at the root of N. */
static double draw_weight(const struct generate_options *options, int64_t node)
{
    struct random_key key = {.seed = options->seed,
                             .stream = RANDOM_GENERATE,
                             .step = options->step,
                             .view = GENERATE_WEIGHT};
    double u = (random_u32(&key, (uint64_t)node) + 0.5) * 0x1p-32;
    double root = sqrt(u), limit = sqrt((double)options->nodes);
    double divisor = options->heavy ? sqrt(root) : 1;
    divisor = divisor * root;
    double weight = 1 / divisor;
    return weight < limit ? weight : limit;
}

static graco_status blocks_alloc(struct blocks *blocks, int64_t nodes, int64_t classes)
{
    graco_status status;
    TRY(memory_zalloc(&blocks->start, classes + 1, sizeof *blocks->start));
    TRY(memory_alloc(&blocks->member, nodes, sizeof *blocks->member));
    TRY(memory_alloc(&blocks->weight, nodes, sizeof *blocks->weight));
    TRY(memory_zalloc(&blocks->mass, classes, sizeof *blocks->mass));
    TRY(memory_alloc(&blocks->nodes.keep, nodes, sizeof *blocks->nodes.keep));
    TRY(memory_alloc(&blocks->nodes.other, nodes, sizeof *blocks->nodes.other));
    TRY(memory_alloc(&blocks->classes.keep, classes, sizeof *blocks->classes.keep));
    TRY(memory_alloc(&blocks->classes.other, classes, sizeof *blocks->classes.other));
    TRY(memory_alloc(&blocks->stack, nodes, sizeof *blocks->stack));
done:
    return status;
}

static graco_status blocks_init(struct blocks *blocks, const int32_t *label,
                                const struct generate_options *options)
{
    graco_status status;
    int64_t nodes = options->nodes, classes = options->classes;
    double total = 0;
    TRY(blocks_alloc(blocks, nodes, classes));
    for (int64_t i = 0; i < nodes; i++)
        blocks->start[label[i] + 1]++;
    for (int64_t c = 0; c < classes; c++)
        blocks->start[c + 1] += blocks->start[c];
    for (int64_t i = nodes - 1; i >= 0; i--) {
        /* Filled backwards from each class's end, which moves to the class's start. */
        int64_t at = --blocks->start[label[i] + 1];
        blocks->member[at] = (int32_t)i;
        blocks->weight[at] = draw_weight(options, i);
    }
    for (int64_t c = 0; c < classes; c++)
        blocks->start[c] = blocks->start[c + 1];
    blocks->start[classes] = nodes;
    for (int64_t c = 0; c < classes; c++) {
        int64_t start = blocks->start[c], n = blocks->start[c + 1] - start;
        for (int64_t k = start; k < start + n; k++)
            blocks->mass[c] += blocks->weight[k];
        total += blocks->mass[c];
        alias_fill(blocks->nodes.keep + start, blocks->nodes.other + start, blocks->weight + start,
                   n, blocks->mass[c], blocks->stack);
    }
    alias_fill(blocks->classes.keep, blocks->classes.other, blocks->mass, classes, total,
               blocks->stack);
done:
    return status;
}

/* The second end of an edge that starts in class `own`. */
static int32_t draw_other_class(const struct blocks *blocks, int64_t classes, int32_t own,
                                struct draws *draws)
{
    for (int i = 0; i < TRIES; i++) {
        int32_t class = draw_class(blocks, classes, draws);
        if (class != own)
            return class;
    }
    return (int32_t)((own + 1) % classes);
}

static void draw_edge(struct generated *graph, int64_t e, const struct blocks *blocks,
                      const struct generate_options *options)
{
    struct draws draws = {.key = {.seed = options->seed,
                                  .stream = RANDOM_GENERATE,
                                  .step = options->step,
                                  .view = GENERATE_EDGE},
                          .block = (uint64_t)e * EDGE_BLOCKS,
                          .used = 4};
    int32_t own = draw_class(blocks, options->classes, &draws);
    int32_t source = draw_member(blocks, own, &draws), target = source;
    bool within = draw(&draws) < random_threshold(options->homophily) || options->classes == 1;
    int32_t class = within ? own : draw_other_class(blocks, options->classes, own, &draws);
    /* A self-loop is drawn anew; if it stays one, the graph leaves it out. */
    for (int i = 0; i < TRIES && target == source; i++)
        target = draw_member(blocks, class, &draws);
    graph->source[e] = source;
    graph->target[e] = target;
}

/* Draws pairs until, repetitions apart, there are `wanted`, or nearly. */
static graco_status draw_edges(struct generated *graph, const struct blocks *blocks,
                               const struct generate_options *options, int64_t wanted)
{
    graco_status status = GRACO_OK;
    struct graph *built = NULL;
    int64_t missing = wanted;
    for (int round = 0; round < ROUNDS && missing > wanted / 512; round++) {
        int64_t drawn = graph->edges;
        TRY(memory_grow(&graph->source, drawn, drawn + missing, sizeof *graph->source));
        TRY(memory_grow(&graph->target, drawn, drawn + missing, sizeof *graph->target));
        graph->edges = drawn + missing;
        for (int64_t e = drawn; e < graph->edges; e++)
            draw_edge(graph, e, blocks, options);
        TRY(graph_create(&built, NULL, options->nodes, graph->edges, graph->source, graph->target,
                         true));
        missing = wanted - built->edges / 2;
        graph_free(built);
        built = NULL;
    }
done:
    return status;
}

graco_status generate_graph(struct generated *out, const struct generate_options *options)
{
    graco_status status;
    struct generated graph = {0};
    struct blocks blocks = {0};
    double ends, wanted;
    *out = graph;
    TRY(check_options(options));
    TRY(draw_labels(&graph.label, options));
    TRY(blocks_init(&blocks, graph.label, options));
    ends = (double)options->nodes * options->degree;
    wanted = ends / 2;
    TRY(draw_edges(&graph, &blocks, options, (int64_t)wanted));
    *out = graph;
    graph = (struct generated){0};
done:
    blocks_clear(&blocks);
    generated_clear(&graph);
    return status;
}

void generated_clear(struct generated *graph)
{
    memory_free(graph->source);
    memory_free(graph->target);
    memory_free(graph->label);
    *graph = (struct generated){0};
}
