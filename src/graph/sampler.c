/* Sampling in whole passes over a hop.
 *
 * A hop first counts its edges (in.start), then draws the neighbours' numbers in the graph, then
 * turns them into places in the sample, then transposes its rows. Each pass has one kind of
 * random access and no dependence between its steps, so that the processor overlaps the misses; a
 * loop that did everything per edge would wait for each. The places come from a table over the
 * graph's nodes whose entries count only if they carry this draw's stamp: nothing is cleared. */
#include "graph/sampler.h"

#include "base/memory.h"
#include "base/random.h"

#include <assert.h>
#include <string.h>

enum { NUMBERS = 1024 }; /* random numbers made at a time; whole blocks */

/* Where a node lies in the sample, if the stamp is the draw's. */
struct place {
    uint32_t stamp;
    int32_t index;
};

struct sampler {
    const struct graph *graph; /* borrowed */
    int hops;
    int64_t fanout[SAMPLER_HOPS];
    uint64_t seed;
    uint32_t stamp;      /* of the draw under way */
    struct place *place; /* (graph's nodes) */
};

/* How many items the arrays of a sample have room for. */
struct sample_room {
    int64_t nodes;
    bool weighted; /* its hops have weights */
    struct hop_room {
        struct csr_room in, out;
        int64_t out_edge;
    } hop[SAMPLER_HOPS];
};

graco_status sampler_create(struct sampler **out, const struct graph *graph, int hops,
                            const int64_t *fanout, uint64_t seed)
{
    graco_status status = GRACO_OK;
    struct sampler *sampler = NULL;
    assert(graph->sources == graph->nodes);
    if (hops < 1 || hops > SAMPLER_HOPS)
        FAIL(GRACO_ERROR_ARGUMENT, "a sampler of %d hops: expected 1 to %d", hops, SAMPLER_HOPS);
    for (int h = 0; h < hops; h++) {
        if (fanout[h] < 0 || fanout[h] > INT32_MAX)
            FAIL(GRACO_ERROR_ARGUMENT, "fanout %lld of hop %d: expected 0 (all) to %ld",
                 (long long)fanout[h], h + 1, (long)INT32_MAX);
    }
    TRY(memory_zalloc(&sampler, 1, sizeof *sampler));
    TRY(memory_zalloc(&sampler->place, graph->nodes, sizeof *sampler->place));
    sampler->graph = graph;
    sampler->hops = hops;
    memcpy(sampler->fanout, fanout, (size_t)hops * sizeof *fanout);
    sampler->seed = seed;
    *out = sampler;
    sampler = NULL;
done:
    sampler_free(sampler);
    return status;
}

void sampler_free(struct sampler *sampler)
{
    if (!sampler)
        return;
    memory_free(sampler->place);
    memory_free(sampler);
}

/* Starts a draw: nodes of earlier ones lose their places. */
static void next_stamp(struct sampler *s)
{
    if (++s->stamp == 0) {
        memset(s->place, 0, (size_t)s->graph->nodes * sizeof *s->place);
        s->stamp = 1;
    }
}

static graco_status take_roots(struct sampler *s, struct sample *out, const int32_t *roots,
                               int64_t count)
{
    int64_t nodes = s->graph->nodes;
    if (count < 0 || count > nodes)
        return status_fail(GRACO_ERROR_ARGUMENT, "a batch of %lld roots in a graph of %lld nodes",
                           (long long)count, (long long)nodes);
    PASS(memory_reserve(&out->nodes, &out->room->nodes, 0, count, sizeof *out->nodes));
    for (int64_t i = 0; i < count; i++) {
        int32_t root = roots[i];
        if (root < 0 || root >= nodes)
            return status_fail(GRACO_ERROR_ARGUMENT,
                               "root %lld of the batch is node %ld: expected 0 to %lld",
                               (long long)i, (long)root, (long long)nodes - 1);
        if (s->place[root].stamp == s->stamp)
            return status_fail(GRACO_ERROR_ARGUMENT,
                               "roots %ld and %lld of the batch are both node %ld",
                               (long)s->place[root].index, (long long)i, (long)root);
        s->place[root] = (struct place){s->stamp, (int32_t)i};
        out->nodes[i] = root;
    }
    out->count[0] = count;
    return GRACO_OK;
}

/* Fills in.start and makes room for the edges of hop h. */
static graco_status count_edges(const struct sampler *s, struct sample *out, int h)
{
    struct graph *hop = &out->hop[h];
    struct csr_room *room = &out->room->hop[h].in;
    const int64_t *start = s->graph->in.start;
    int64_t targets = out->count[h], fanout = s->fanout[h], edges = 0;
    bool weighted = s->graph->in.value;
    PASS(csr_reserve(&hop->in, room, targets, 0, weighted));
    for (int64_t t = 0; t < targets; t++) {
        int64_t degree = start[out->nodes[t] + 1] - start[out->nodes[t]];
        hop->in.start[t] = edges;
        edges += fanout == 0 || degree == 0 ? degree : fanout;
    }
    hop->in.start[targets] = edges;
    if (edges > (int64_t)UINT32_MAX)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "hop %d draws %lld edges for %lld nodes: at most %lld fit", h + 1,
                           (long long)edges, (long long)targets, (long long)UINT32_MAX);
    hop->nodes = hop->in.rows = targets;
    hop->edges = edges;
    return csr_reserve(&hop->in, room, targets, edges, weighted);
}

static void take_all(const struct graph *graph, const struct sample *out, int h)
{
    const struct graph *hop = &out->hop[h];
    for (int64_t t = 0; t < hop->nodes; t++) {
        int64_t from = graph->in.start[out->nodes[t]], to = hop->in.start[t];
        size_t degree = (size_t)(hop->in.start[t + 1] - to);
        memcpy(hop->in.index + to, graph->in.index + from, degree * sizeof *hop->in.index);
        if (graph->in.value)
            memcpy(hop->in.value + to, graph->in.value + from, degree * sizeof *hop->in.value);
    }
}

/* Fills in.index with neighbours in the graph's numbering, and in.value with their edges' weights. */
static void draw_neighbours(const struct sampler *s, const struct sample *out, int h, uint32_t step)
{
    const struct random_key key = {s->seed, RANDOM_NEIGHBOURS, (uint32_t)h, step};
    const struct graph *graph = s->graph, *hop = &out->hop[h];
    int64_t fanout = s->fanout[h], first = 0; /* element of number[0] */
    uint32_t number[NUMBERS];
    int32_t *at = hop->in.index;
    float *value = hop->in.value;
    random_blocks(number, &key, 0, NUMBERS / 4);
    for (int64_t t = 0; t < hop->nodes; t++) {
        const int64_t *start = graph->in.start + out->nodes[t];
        const int32_t *row = graph->in.index + start[0];
        uint64_t degree = (uint64_t)(start[1] - start[0]);
        int64_t element = t * fanout, end = degree > 0 ? element + fanout : element;
        while (element < end) {
            if (element >= first + NUMBERS) {
                first = element / NUMBERS * NUMBERS;
                random_blocks(number, &key, (uint64_t)first / 4, NUMBERS / 4);
            }
            int64_t stop = end < first + NUMBERS ? end : first + NUMBERS;
            for (int64_t e = element; value && e < stop; e++)
                *value++ = graph->in.value[start[0] + (int64_t)(number[e - first] * degree >> 32)];
            for (; element < stop; element++)
                *at++ = row[number[element - first] * degree >> 32];
        }
    }
}

/* Turns the neighbours in in.index into places, and appends those not met before to the nodes. */
static graco_status relabel(struct sampler *s, struct sample *out, int h)
{
    struct graph *hop = &out->hop[h];
    int64_t count = out->count[h], most = count + hop->edges;
    if (most > s->graph->nodes)
        most = s->graph->nodes;
    PASS(memory_reserve(&out->nodes, &out->room->nodes, count, most, sizeof *out->nodes));
    int32_t *nodes = out->nodes, *source = hop->in.index;
    struct place *places = s->place;
    uint32_t stamp = s->stamp;
    for (int64_t e = 0; e < hop->edges; e++) {
        int32_t node = source[e];
        struct place *place = &places[node];
        if (place->stamp != stamp) {
            *place = (struct place){stamp, (int32_t)count};
            nodes[count++] = node;
        }
        source[e] = place->index;
    }
    out->count[h + 1] = hop->sources = hop->in.cols = count;
    return GRACO_OK;
}

static graco_status transpose(struct sample *out, int h)
{
    struct graph *hop = &out->hop[h];
    struct hop_room *room = &out->room->hop[h];
    PASS(csr_reserve(&hop->out, &room->out, hop->sources, hop->edges, hop->in.value));
    PASS(memory_reserve(&hop->out_edge, &room->out_edge, 0, hop->edges, sizeof *hop->out_edge));
    csr_transpose_into(&hop->out, hop->out_edge, &hop->in);
    return GRACO_OK;
}

static graco_status draw_hop(struct sampler *s, struct sample *out, int h, uint32_t step)
{
    PASS(count_edges(s, out, h));
    if (s->fanout[h] == 0)
        take_all(s->graph, out, h);
    else
        draw_neighbours(s, out, h, step);
    PASS(relabel(s, out, h));
    return transpose(out, h);
}

graco_status sampler_draw(struct sampler *sampler, struct sample *out, const int32_t *roots,
                          int64_t count, uint32_t step)
{
    out->hops = 0;
    bool weighted = sampler->graph->in.value;
    if (out->room && out->room->weighted != weighted)
        sample_clear(out); /* a matrix always has values or never */
    if (!out->room)
        PASS(memory_zalloc(&out->room, 1, sizeof *out->room));
    out->room->weighted = weighted;
    next_stamp(sampler);
    PASS(take_roots(sampler, out, roots, count));
    for (int h = 0; h < sampler->hops; h++)
        PASS(draw_hop(sampler, out, h, step));
    out->hops = sampler->hops;
    return GRACO_OK;
}

void sample_clear(struct sample *sample)
{
    if (!sample)
        return;
    for (int h = 0; h < SAMPLER_HOPS; h++)
        graph_clear(&sample->hop[h]);
    memory_free(sample->nodes);
    memory_free(sample->room);
    *sample = (struct sample){0};
}
