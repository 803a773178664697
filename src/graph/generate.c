/* Drawing the block model in O(1) per edge.
 *
 * Alias tables give a community, a community of a class, or a node of a community in proportion to
 * its weight. Building the graph tells how many pairs were drawn twice; so many are drawn anew, a
 * few times over. */
#include "graph/generate.h"

#include "base/memory.h"
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

/* The nodes sorted by community, so by class too, and the tables to draw from: a node of a
 * community, any community, a community of a class. */
struct blocks {
    int64_t count, per_class; /* communities */
    struct csr members;       /* rows: communities, index: their nodes */
    double *weight;           /* (nodes) theta, in the order of members */
    double *mass;             /* (count) sum of weights */
    struct alias nodes, all, class;
    int32_t *stack; /* (nodes) scratch */
};

static void blocks_clear(struct blocks *blocks)
{
    csr_clear(&blocks->members);
    memory_free(blocks->weight);
    memory_free(blocks->mass);
    memory_free(blocks->nodes.keep);
    memory_free(blocks->nodes.other);
    memory_free(blocks->all.keep);
    memory_free(blocks->all.other);
    memory_free(blocks->class.keep);
    memory_free(blocks->class.other);
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

static int32_t draw_block(const struct blocks *blocks, struct draws *draws)
{
    return (int32_t)alias_draw(blocks->all.keep, blocks->all.other, blocks->count, draws);
}

/* A community of the class that `block` belongs to. */
static int32_t draw_sibling(const struct blocks *blocks, int32_t block, struct draws *draws)
{
    int64_t n = blocks->per_class, first = block / n * n;
    return (int32_t)(first +
                     alias_draw(blocks->class.keep + first, blocks->class.other + first, n, draws));
}

static int32_t draw_member(const struct blocks *blocks, int32_t block, struct draws *draws)
{
    int64_t start = blocks->members.start[block], n = blocks->members.start[block + 1] - start;
    return blocks->members.index[start + alias_draw(blocks->nodes.keep + start,
                                                    blocks->nodes.other + start, n, draws)];
}

static int64_t per_class(const struct generate_options *options)
{
    return options->communities > 0 ? options->communities : 1;
}

static graco_status check_options(const struct generate_options *options)
{
    if (options->nodes < 1 || options->nodes > INT32_MAX)
        return status_fail(GRACO_ERROR_ARGUMENT, "a graph of %lld nodes: expected 1 to %lld",
                           (long long)options->nodes, (long long)INT32_MAX);
    if (options->classes < 1 || options->classes > options->nodes)
        return status_fail(GRACO_ERROR_ARGUMENT, "%lld classes: expected 1 to %lld, one per node",
                           (long long)options->classes, (long long)options->nodes);
    if (options->communities < 0 || per_class(options) > options->nodes / options->classes)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%lld communities in each of %lld classes: expected at most %lld in all,"
                           " one per node",
                           (long long)options->communities, (long long)options->classes,
                           (long long)options->nodes);
    if (!(options->degree >= 0 && options->degree < (double)options->nodes))
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "an average degree of %g: expected 0 to less than %lld, the nodes",
                           options->degree, (long long)options->nodes);
    if (!(options->homophily >= 0 && options->homophily <= 1))
        return status_fail(GRACO_ERROR_ARGUMENT, "a homophily of %g: expected 0 to 1",
                           options->homophily);
    if (!(options->cohesion >= 0 && options->cohesion <= options->homophily))
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "a cohesion of %g: expected 0 to the homophily, %g", options->cohesion,
                           options->homophily);
    if ((double)options->nodes * options->degree / 2 > (double)(UINT32_MAX / 2))
        return status_fail(
            GRACO_ERROR_ARGUMENT, "a graph of %.0f undirected edges: at most %lld are possible",
            (double)options->nodes * options->degree / 2, (long long)(UINT32_MAX / 2));
    return GRACO_OK;
}

struct random_key generate_key(uint64_t seed, uint32_t step, enum generate_part part)
{
    return (struct random_key){
        .seed = seed, .stream = RANDOM_GENERATE, .step = step, .view = (uint32_t)part};
}

double generate_bytes(int64_t nodes, double degree)
{
    return (60 + 20 * degree) * (double)nodes;
}

/* The first nodes have one community each, so that none is empty; the others draw theirs. */
static graco_status draw_communities(int32_t **community, const struct generate_options *options)
{
    struct random_key key = generate_key(options->seed, options->step, GENERATE_CLASS);
    int64_t count = options->classes * per_class(options);
    PASS(memory_alloc(community, options->nodes, sizeof **community));
    for (int64_t i = 0; i < options->nodes; i++)
        (*community)[i] = (int32_t)(i < count ? i : random_below(&key, (uint64_t)i, count));
    return GRACO_OK;
}

/* theta = u^(-1/2): a power law with exponent 3; u^(-3/4): with exponent 7/3. The heaviest node
 * must not take a share of the edges that does not vanish with the size of the graph, so theta ends
 * at the root of N. */
static double draw_weight(const struct generate_options *options, int64_t node)
{
    struct random_key key = generate_key(options->seed, options->step, GENERATE_WEIGHT);
    double u = (random_u32(&key, (uint64_t)node) + 0.5) * 0x1p-32;
    double root = sqrt(u), limit = sqrt((double)options->nodes);
    double divisor = options->heavy ? sqrt(root) : 1;
    divisor = divisor * root;
    double weight = 1 / divisor;
    return weight < limit ? weight : limit;
}

static graco_status blocks_alloc(struct blocks *blocks, int64_t nodes)
{
    int64_t count = blocks->count;
    PASS(memory_alloc(&blocks->weight, nodes, sizeof *blocks->weight));
    PASS(memory_zalloc(&blocks->mass, count, sizeof *blocks->mass));
    PASS(memory_alloc(&blocks->nodes.keep, nodes, sizeof *blocks->nodes.keep));
    PASS(memory_alloc(&blocks->nodes.other, nodes, sizeof *blocks->nodes.other));
    PASS(memory_alloc(&blocks->all.keep, count, sizeof *blocks->all.keep));
    PASS(memory_alloc(&blocks->all.other, count, sizeof *blocks->all.other));
    PASS(memory_alloc(&blocks->class.keep, count, sizeof *blocks->class.keep));
    PASS(memory_alloc(&blocks->class.other, count, sizeof *blocks->class.other));
    return memory_alloc(&blocks->stack, nodes, sizeof *blocks->stack);
}

/* Sorts the nodes by community and gives each its weight. */
static graco_status sort_nodes(struct blocks *blocks, const int32_t *community,
                               const struct generate_options *options)
{
    int64_t nodes = options->nodes;
    for (int64_t i = 0; i < nodes; i++)
        blocks->stack[i] = (int32_t)i;
    PASS(csr_from_pairs(&blocks->members, blocks->count, nodes, nodes, community, blocks->stack,
                        NULL));
    for (int64_t k = 0; k < nodes; k++)
        blocks->weight[k] = draw_weight(options, blocks->members.index[k]);
    return GRACO_OK;
}

/* The tables over communities: within each class, then over all; filling destroys the masses. */
static graco_status fill_classes(struct blocks *blocks, double total)
{
    int64_t n = blocks->per_class;
    double *mass = NULL;
    PASS(memory_alloc(&mass, n, sizeof *mass));
    for (int64_t first = 0; first < blocks->count; first += n) {
        double sum = 0;
        for (int64_t b = 0; b < n; b++) {
            mass[b] = blocks->mass[first + b];
            sum += mass[b];
        }
        alias_fill(blocks->class.keep + first, blocks->class.other + first, mass, n, sum,
                   blocks->stack);
    }
    alias_fill(blocks->all.keep, blocks->all.other, blocks->mass, blocks->count, total,
               blocks->stack);
    memory_free(mass);
    return GRACO_OK;
}

static graco_status blocks_init(struct blocks *blocks, const int32_t *community,
                                const struct generate_options *options)
{
    double total = 0;
    blocks->per_class = per_class(options);
    blocks->count = options->classes * blocks->per_class;
    PASS(blocks_alloc(blocks, options->nodes));
    PASS(sort_nodes(blocks, community, options));
    for (int64_t b = 0; b < blocks->count; b++) {
        int64_t start = blocks->members.start[b], n = blocks->members.start[b + 1] - start;
        for (int64_t k = start; k < start + n; k++)
            blocks->mass[b] += blocks->weight[k];
        total += blocks->mass[b];
        alias_fill(blocks->nodes.keep + start, blocks->nodes.other + start, blocks->weight + start,
                   n, blocks->mass[b], blocks->stack);
    }
    return fill_classes(blocks, total);
}

/* A community of another class than `own`'s. */
static int32_t draw_stranger(const struct blocks *blocks, int32_t own, struct draws *draws)
{
    int64_t n = blocks->per_class;
    for (int i = 0; i < TRIES; i++) {
        int32_t block = draw_block(blocks, draws);
        if (block / n != own / n)
            return block;
    }
    return (int32_t)((own + n) % blocks->count);
}

/* The community of the second end of an edge that starts in `own`. */
static int32_t draw_other_end(const struct blocks *blocks, int32_t own, struct draws *draws,
                              const struct generate_options *options)
{
    uint32_t bits = draw(draws);
    if (blocks->per_class > 1 && bits < random_threshold(options->cohesion))
        return own;
    if (bits >= random_threshold(options->homophily) && options->classes > 1)
        return draw_stranger(blocks, own, draws);
    return blocks->per_class > 1 ? draw_sibling(blocks, own, draws) : own;
}

static void draw_edge(struct generated *graph, int64_t e, const struct blocks *blocks,
                      const struct generate_options *options)
{
    struct draws draws = {.key = generate_key(options->seed, options->step, GENERATE_EDGE),
                          .block = (uint64_t)e * EDGE_BLOCKS,
                          .used = 4};
    int32_t own = draw_block(blocks, &draws);
    int32_t source = draw_member(blocks, own, &draws), target = source;
    int32_t block = draw_other_end(blocks, own, &draws, options);
    /* A self-loop is drawn anew; if it stays one, the graph leaves it out. */
    for (int i = 0; i < TRIES && target == source; i++)
        target = draw_member(blocks, block, &draws);
    graph->source[e] = source;
    graph->target[e] = target;
}

/* Draws pairs until, repetitions apart, there are `wanted`, or nearly. */
static graco_status draw_edges(struct generated *graph, const struct blocks *blocks,
                               const struct generate_options *options, int64_t wanted)
{
    struct graph *built = NULL;
    int64_t missing = wanted;
    for (int round = 0; round < ROUNDS && missing > wanted / 512; round++) {
        int64_t drawn = graph->edges;
        PASS(memory_grow(&graph->source, drawn, drawn + missing, sizeof *graph->source));
        PASS(memory_grow(&graph->target, drawn, drawn + missing, sizeof *graph->target));
        graph->edges = drawn + missing;
        for (int64_t e = drawn; e < graph->edges; e++)
            draw_edge(graph, e, blocks, options);
        PASS(graph_create(&built, NULL, options->nodes, graph->edges, graph->source, graph->target,
                          true));
        missing = wanted - built->edges / 2;
        graph_free(built);
        built = NULL;
    }
    return GRACO_OK;
}

graco_status generate_graph(struct generated *out, const struct generate_options *options)
{
    graco_status status = GRACO_OK;
    struct generated graph = {0};
    struct blocks blocks = {0};
    double ends, wanted;
    *out = graph;
    TRY(check_options(options));
    TRY(draw_communities(&graph.community, options));
    TRY(blocks_init(&blocks, graph.community, options));
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
    memory_free(graph->community);
    *graph = (struct generated){0};
}
