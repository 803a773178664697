/* Sampling in whole passes over a hop.
 *
 * A hop first counts its edges (in_start), then draws the neighbours' numbers in the graph, then
 * turns them into places in the sample, then sorts the edges by source. Each pass has one kind of
 * random access and no dependence between its steps, so that the processor overlaps the misses; a
 * loop that did everything per edge would wait for each. The places come from a table over the
 * graph's nodes whose entries count only if they carry this draw's stamp: nothing is cleared. */
#include "graph/sampler.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"

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
struct hop_room {
    int64_t in_start, out_start, in_source, out_target, out_edge;
};

struct sample_room {
    int64_t nodes;
    struct hop_room hop[SAMPLER_HOPS];
};

graco_status sampler_create(struct sampler **out, const struct graph *graph, int hops,
                            const int64_t *fanout, uint64_t seed)
{
    graco_status status;
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

/* Makes room for `count` items, of which the first `kept` stay, with an eighth to spare: batches
 * differ a little, and most should find the room there. */
static graco_status reserve(void *block, int64_t *room, int64_t kept, int64_t count, size_t size)
{
    if (count <= *room)
        return GRACO_OK;
    int64_t wanted = count + count / 8;
    graco_status status = memory_grow(block, kept, wanted, size);
    if (status == GRACO_OK)
        *room = wanted;
    return status;
}

/* Starts a draw: nodes of earlier ones lose their places. */
static void next_stamp(struct sampler *s)
{
    if (++s->stamp == 0) {
        memset(s->place, 0, (size_t)s->graph->nodes * sizeof *s->place);
        s->stamp = 1;
    }
}

static graco_status take_seeds(struct sampler *s, struct sample *out, const int32_t *seeds,
                               int64_t count)
{
    graco_status status = GRACO_OK;
    int64_t nodes = s->graph->nodes;
    if (count < 0 || count > nodes)
        FAIL(GRACO_ERROR_ARGUMENT, "a batch of %lld seeds in a graph of %lld nodes",
             (long long)count, (long long)nodes);
    TRY(reserve(&out->nodes, &out->room->nodes, 0, count, sizeof *out->nodes));
    for (int64_t i = 0; i < count; i++) {
        int32_t seed = seeds[i];
        if (seed < 0 || seed >= nodes)
            FAIL(GRACO_ERROR_ARGUMENT, "seed %lld of the batch is node %ld: expected 0 to %lld",
                 (long long)i, (long)seed, (long long)nodes - 1);
        if (s->place[seed].stamp == s->stamp)
            FAIL(GRACO_ERROR_ARGUMENT, "seeds %ld and %lld of the batch are both node %ld",
                 (long)s->place[seed].index, (long long)i, (long)seed);
        s->place[seed] = (struct place){s->stamp, (int32_t)i};
        out->nodes[i] = seed;
    }
    out->count[0] = count;
done:
    return status;
}

/* Fills in_start and makes room for the edges of hop h. */
static graco_status count_edges(const struct sampler *s, struct sample *out, int h)
{
    graco_status status;
    struct graph *hop = &out->hop[h];
    struct hop_room *room = &out->room->hop[h];
    const int64_t *start = s->graph->in_start;
    int64_t targets = out->count[h], fanout = s->fanout[h], edges = 0;
    TRY(reserve(&hop->in_start, &room->in_start, 0, targets + 1, sizeof *hop->in_start));
    for (int64_t t = 0; t < targets; t++) {
        int64_t degree = start[out->nodes[t] + 1] - start[out->nodes[t]];
        hop->in_start[t] = edges;
        edges += fanout == 0 || degree == 0 ? degree : fanout;
    }
    hop->in_start[targets] = edges;
    if (edges > (int64_t)UINT32_MAX)
        FAIL(GRACO_ERROR_ARGUMENT, "hop %d draws %lld edges for %lld nodes: at most %lld fit",
             h + 1, (long long)edges, (long long)targets, (long long)UINT32_MAX);
    hop->nodes = targets;
    hop->edges = edges;
    TRY(reserve(&hop->in_source, &room->in_source, 0, edges, sizeof *hop->in_source));
    TRY(reserve(&hop->out_target, &room->out_target, 0, edges, sizeof *hop->out_target));
    TRY(reserve(&hop->out_edge, &room->out_edge, 0, edges, sizeof *hop->out_edge));
done:
    return status;
}

static void take_all(const struct graph *graph, const struct sample *out, int h)
{
    const struct graph *hop = &out->hop[h];
    for (int64_t t = 0; t < hop->nodes; t++) {
        const int32_t *row = graph->in_source + graph->in_start[out->nodes[t]];
        size_t degree = (size_t)(hop->in_start[t + 1] - hop->in_start[t]);
        if (degree > 0)
            memcpy(hop->in_source + hop->in_start[t], row, degree * sizeof *row);
    }
}

/* Fills in_source with neighbours in the graph's numbering. */
static void draw_neighbours(const struct sampler *s, const struct sample *out, int h, uint32_t step)
{
    const struct random_key key = {s->seed, RANDOM_NEIGHBOURS, (uint32_t)h, step};
    const struct graph *graph = s->graph, *hop = &out->hop[h];
    int64_t fanout = s->fanout[h], first = 0; /* element of number[0] */
    uint32_t number[NUMBERS];
    int32_t *at = hop->in_source;
    random_blocks(number, &key, 0, NUMBERS / 4);
    for (int64_t t = 0; t < hop->nodes; t++) {
        const int32_t *row = graph->in_source + graph->in_start[out->nodes[t]];
        uint64_t degree =
            (uint64_t)(graph->in_start[out->nodes[t] + 1] - graph->in_start[out->nodes[t]]);
        int64_t element = t * fanout, end = degree > 0 ? element + fanout : element;
        while (element < end) {
            if (element >= first + NUMBERS) {
                first = element / NUMBERS * NUMBERS;
                random_blocks(number, &key, (uint64_t)first / 4, NUMBERS / 4);
            }
            int64_t stop = end < first + NUMBERS ? end : first + NUMBERS;
            for (; element < stop; element++)
                *at++ = row[number[element - first] * degree >> 32];
        }
    }
}

/* Turns the neighbours in in_source into places, and appends those not met before to the nodes. */
static graco_status relabel(struct sampler *s, struct sample *out, int h)
{
    graco_status status;
    struct graph *hop = &out->hop[h];
    int64_t count = out->count[h], most = count + hop->edges;
    if (most > s->graph->nodes)
        most = s->graph->nodes;
    TRY(reserve(&out->nodes, &out->room->nodes, count, most, sizeof *out->nodes));
    int32_t *nodes = out->nodes, *source = hop->in_source;
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
    out->count[h + 1] = hop->sources = count;
done:
    return status;
}

/* Fills the outgoing rows: a counting sort of the edges by source. */
static graco_status transpose(struct sample *out, int h)
{
    graco_status status;
    struct graph *hop = &out->hop[h];
    TRY(reserve(&hop->out_start, &out->room->hop[h].out_start, 0, hop->sources + 1,
                sizeof *hop->out_start));
    int64_t *start = hop->out_start;
    memset(start, 0, (size_t)(hop->sources + 1) * sizeof *start);
    for (int64_t e = 0; e < hop->edges; e++)
        start[hop->in_source[e] + 1]++;
    for (int64_t i = 0; i < hop->sources; i++)
        start[i + 1] += start[i];
    for (int64_t t = 0; t < hop->nodes; t++) {
        for (int64_t e = hop->in_start[t]; e < hop->in_start[t + 1]; e++) {
            int64_t at = start[hop->in_source[e]]++;
            hop->out_target[at] = (int32_t)t;
            hop->out_edge[at] = (uint32_t)e;
        }
    }
    /* Filling moved each start to its row's end. */
    memmove(start + 1, start, (size_t)hop->sources * sizeof *start);
    start[0] = 0;
done:
    return status;
}

static graco_status draw_hop(struct sampler *s, struct sample *out, int h, uint32_t step)
{
    graco_status status;
    double begin = threads_own_seconds();
    TRY(count_edges(s, out, h));
    if (s->fanout[h] == 0)
        take_all(s->graph, out, h);
    else
        draw_neighbours(s, out, h, step);
    double drawn = threads_own_seconds();
    TRY(relabel(s, out, h));
    double relabelled = threads_own_seconds();
    TRY(transpose(out, h));
    out->seconds.draw += drawn - begin;
    out->seconds.relabel += relabelled - drawn;
    out->seconds.transpose += threads_own_seconds() - relabelled;
done:
    return status;
}

graco_status sampler_draw(struct sampler *sampler, struct sample *out, const int32_t *seeds,
                          int64_t count, uint32_t step)
{
    graco_status status = GRACO_OK;
    out->hops = 0;
    out->seconds = (struct sample_seconds){0};
    if (!out->room)
        TRY(memory_zalloc(&out->room, 1, sizeof *out->room));
    next_stamp(sampler);
    TRY(take_seeds(sampler, out, seeds, count));
    for (int h = 0; h < sampler->hops; h++)
        TRY(draw_hop(sampler, out, h, step));
    out->hops = sampler->hops;
done:
    return status;
}

void sample_clear(struct sample *sample)
{
    if (!sample)
        return;
    for (int h = 0; h < SAMPLER_HOPS; h++) {
        memory_free(sample->hop[h].in_start);
        memory_free(sample->hop[h].in_source);
        memory_free(sample->hop[h].out_start);
        memory_free(sample->hop[h].out_target);
        memory_free(sample->hop[h].out_edge);
    }
    memory_free(sample->nodes);
    memory_free(sample->room);
    *sample = (struct sample){0};
}
