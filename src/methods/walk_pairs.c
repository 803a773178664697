/* Drawing by rejection, so that no table over the nodes is needed.
 *
 * A pair is drawn again until the walk gets that far and ends elsewhere. An end of a uniform edge has a
 * probability ~ degree; kept with probability degree^-1/4 it has one ~ degree^0.75. */
#include "methods/walk_pairs.h"

#include "base/memory.h"
#include "base/random.h"
#include "graph/walks.h"

#include <math.h>
#include <stdlib.h>

/* More draws than a graph takes in which a node in a hundred has edges, or that has nodes of a million. */
enum { TRIES = 1024 };

/* What numbers of RANDOM_PAIRS are for: `view` of the key. */
enum { FOR_START, FOR_STEPS, FOR_EDGE, FOR_NEGATIVE, FOR_KEEPING, FOR_WALKS };

static struct random_key key_of(const struct walk_pairs *b, uint32_t step, uint32_t purpose)
{
    return (struct random_key){
        .seed = b->seed, .stream = RANDOM_PAIRS, .view = purpose, .step = step};
}

/* A seed of their own for the walks of a step: a walk's number is too short for step and pair. */
static uint64_t walk_seed(const struct walk_pairs *b, uint32_t step)
{
    const struct random_key key = key_of(b, step, FOR_WALKS);
    return (uint64_t)random_u32(&key, 0) << 32 | random_u32(&key, 1);
}

/* Pair p into *first and *second. Where all tries fail it is an edge. */
static void draw_pair(int32_t *first, int32_t *second, const struct walk_pairs *b,
                      struct walks *walks, uint32_t step, int64_t p, int32_t *walk)
{
    const struct random_key start = key_of(b, step, FOR_START), steps = key_of(b, step, FOR_STEPS);
    const struct random_key edge = key_of(b, step, FOR_EDGE);
    for (int64_t number = p * TRIES; number < (p + 1) * TRIES; number++) {
        int64_t far = 1 + random_below(&steps, (uint64_t)number, b->length - 1);
        *first = (int32_t)random_below(&start, (uint64_t)number, walks->graph->nodes);
        walks->length = far + 1;
        if (walks_draw(walk, walks, *first, number) > far && walk[far] != *first) {
            *second = walk[far];
            return;
        }
    }
    int64_t e = random_below(&edge, (uint64_t)p, walks->graph->edges);
    walks->length = 2;
    *first = walks->graph->in.index[e];
    walks_draw(walk, walks, *first, b->pairs * TRIES + p);
    *second = walk[1];
}

static int32_t draw_negative(const struct walk_pairs *b, const struct graph *graph, uint32_t step,
                             int64_t n)
{
    const struct random_key edge = key_of(b, step, FOR_NEGATIVE);
    const struct random_key keep = key_of(b, step, FOR_KEEPING);
    int32_t node = 0;
    for (int64_t number = n * TRIES; number < (n + 1) * TRIES; number++) {
        node = graph->in.index[random_below(&edge, (uint64_t)number, graph->edges)];
        double degree = (double)(graph->out.start[node + 1] - graph->out.start[node]);
        if (random_u32(&keep, (uint64_t)number) < random_threshold(1 / sqrt(sqrt(degree))))
            break;
    }
    return node;
}

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Turns the nodes in `place` into places among the distinct ones. */
static void find_roots(struct walk_pairs *b, int64_t ends)
{
    for (int64_t i = 0; i < ends; i++)
        b->roots[i] = b->place[i];
    qsort(b->roots, (size_t)ends, sizeof *b->roots, compare);
    b->count = 0;
    for (int64_t i = 0; i < ends; i++)
        if (i == 0 || b->roots[i] != b->roots[b->count - 1])
            b->roots[b->count++] = b->roots[i];
    for (int64_t i = 0; i < ends; i++) {
        const int32_t *found =
            bsearch(&b->place[i], b->roots, (size_t)b->count, sizeof *b->roots, compare);
        b->place[i] = (int32_t)(found - b->roots);
    }
}

graco_status walk_pairs_draw(struct walk_pairs *b, const struct graph *graph, uint32_t step)
{
    struct walks walks = {.graph = graph, .seed = walk_seed(b, step), .p = 1, .q = 1};
    int64_t ends = 2 * b->pairs + b->negatives;
    int32_t *walk = NULL;
    graco_status status = GRACO_OK;
    walk_pairs_clear(b);
    TRY(memory_alloc(&walk, b->length, sizeof *walk));
    TRY(memory_alloc(&b->roots, ends, sizeof *b->roots));
    TRY(memory_alloc(&b->place, ends, sizeof *b->place));
    for (int64_t p = 0; p < b->pairs; p++)
        draw_pair(&b->place[p], &b->place[b->pairs + p], b, &walks, step, p, walk);
    for (int64_t n = 0; n < b->negatives; n++)
        b->place[2 * b->pairs + n] = draw_negative(b, graph, step, n);
    find_roots(b, ends);
done:
    memory_free(walk);
    return status;
}

void walk_pairs_clear(struct walk_pairs *b)
{
    memory_free(b->roots);
    memory_free(b->place);
    b->roots = b->place = NULL;
    b->count = 0;
}
