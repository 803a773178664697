#include "train/prefetch.h"

#include "base/memory.h"
#include "base/random.h"

#include "check.h"

#include <time.h>

enum {
    NODES = 400,
    TRAINED = 130,
    BATCH = 32,
    STEPS = 13
}; /* five steps an epoch, the last of 2 */

static const int64_t FANOUT[] = {4, 3};

static struct graph *make_graph(void)
{
    const struct random_key key = {.seed = 2, .stream = RANDOM_GENERATE};
    static int32_t source[NODES * 8], target[NODES * 8];
    struct graph *graph = NULL;
    for (int32_t e = 0; e < NODES * 8; e++) {
        source[e] = (int32_t)random_below(&key, (uint64_t)e, NODES);
        target[e] = e / 8;
    }
    CHECK_OK(graph_create(&graph, NULL, NODES, NODES * 8, source, target, true));
    return graph;
}

static struct prefetch_options make_options(const struct graph *graph, const int32_t *nodes)
{
    return (struct prefetch_options){
        .graph = graph,
        .hops = 2,
        .fanout = FANOUT,
        .seed = 11,
        .roots = nodes,
        .count = TRAINED,
        .batch = BATCH,
        .ahead = 3,
    };
}

/* A digest of everything in the sample; FNV-1a over its words. */
static uint64_t digest_bytes(uint64_t digest, const void *block, size_t bytes)
{
    const unsigned char *byte = block;
    for (size_t i = 0; i < bytes; i++)
        digest = (digest ^ byte[i]) * 1099511628211u;
    return digest;
}

static uint64_t digest_sample(const struct sample *s)
{
    uint64_t digest =
        digest_bytes(14695981039346656037u, s->count, (size_t)(s->hops + 1) * sizeof *s->count);
    digest = digest_bytes(digest, s->nodes, (size_t)s->count[s->hops] * sizeof *s->nodes);
    for (int h = 0; h < s->hops; h++) {
        size_t edges = (size_t)s->hop[h].edges;
        digest = digest_bytes(digest, s->hop[h].in.index, edges * sizeof(int32_t));
        digest = digest_bytes(digest, s->hop[h].out.index, edges * sizeof(int32_t));
        digest = digest_bytes(digest, s->hop[h].out_edge, edges * sizeof(uint32_t));
    }
    return digest;
}

static void wait_a_little(long milliseconds)
{
    const struct timespec time = {0, milliseconds * 1000000};
    nanosleep(&time, NULL);
}

/* An epoch visits every node once, in another order than the one before. */
static void epochs_are_permutations(const struct prefetch_options *options)
{
    struct prefetch *prefetch = NULL;
    const struct sample *sample = NULL;
    int32_t first[2] = {-1, -1};
    CHECK(prefetch_steps(TRAINED, BATCH, 1) == 5);
    CHECK_OK(prefetch_create(&prefetch, options));
    for (int epoch = 0; epoch < 2; epoch++) {
        int seen[NODES] = {0};
        for (int step = 0; step < 5; step++) {
            CHECK_OK(prefetch_next(prefetch, &sample));
            CHECK(sample->count[0] == (step < 4 ? BATCH : 2));
            for (int64_t i = 0; i < sample->count[0]; i++)
                seen[sample->nodes[i]]++;
            if (step == 0)
                first[epoch] = sample->nodes[0];
        }
        for (int i = 0; i < TRAINED; i++)
            CHECK(seen[options->roots[i]] == 1);
    }
    CHECK(first[0] != first[1]);
    prefetch_free(prefetch);
}

/* A last batch that would be too small belongs to the one before it. */
static void small_rest_joins(struct prefetch_options options)
{
    struct prefetch *prefetch = NULL;
    const struct sample *sample = NULL;
    options.count = 4 * BATCH + 1;
    options.least = 2;
    CHECK(prefetch_steps(options.count, BATCH, 1) == 5);
    CHECK(prefetch_steps(options.count, BATCH, 2) == 4);
    CHECK(prefetch_steps(options.count + 1, BATCH, 2) == 5);
    CHECK(prefetch_steps(4 * BATCH, BATCH, 2) == 4);
    CHECK(prefetch_steps(1, BATCH, 2) == 1);
    CHECK_OK(prefetch_create(&prefetch, &options));
    for (int step = 0; step < 8; step++) {
        CHECK_OK(prefetch_next(prefetch, &sample));
        CHECK(sample->count[0] == (step % 4 < 3 ? BATCH : BATCH + 1));
    }
    prefetch_free(prefetch);
}

/* Roots that somebody else says: as many as the step's number, and none at step 4. */
static graco_status draw_some(int32_t **roots, int64_t *count, const void *owner, uint32_t step)
{
    const int32_t *nodes = owner;
    if (step == 4)
        return status_fail(GRACO_ERROR_ARGUMENT, "no roots");
    PASS(memory_alloc(roots, (int64_t)step + 1, sizeof **roots));
    for (uint32_t i = 0; i <= step; i++)
        (*roots)[i] = nodes[i];
    *count = (int64_t)step + 1;
    return GRACO_OK;
}

static void roots_are_asked_for(struct prefetch_options options)
{
    for (int thread = 0; thread <= 1; thread++) {
        options.thread = thread;
        struct prefetch *prefetch = NULL;
        const struct sample *sample = NULL;
        options.owner = options.roots;
        options.draw = draw_some;
        CHECK_OK(prefetch_create(&prefetch, &options));
        for (int64_t step = 0; step < 4; step++) {
            CHECK_OK(prefetch_next(prefetch, &sample));
            CHECK(sample->count[0] == step + 1 && sample->nodes[step] == options.roots[step]);
        }
        CHECK_FAILS(prefetch_next(prefetch, &sample), GRACO_ERROR_ARGUMENT, "no roots");
        prefetch_free(prefetch);
    }
}

/* The same samples in the same order with and without the thread, for a ring of one or more,
 * whether the caller or the thread is slow, and from any first step. */
static void thread_does_not_matter(struct prefetch_options options)
{
    uint64_t expected[STEPS];
    for (int thread = 0; thread <= 1; thread++) {
        for (int variant = 0; variant < 3; variant++) {
            struct prefetch *prefetch = NULL;
            const struct sample *sample = NULL;
            options.thread = thread;
            options.ahead = variant == 1 ? 1 : 4;
            options.first_step = variant == 2 ? 4 : 0;
            CHECK_OK(prefetch_create(&prefetch, &options));
            for (int64_t step = options.first_step; step < STEPS; step++) {
                CHECK_OK(prefetch_next(prefetch, &sample));
                if (step % 4 == 3)
                    wait_a_little(2); /* time for the thread to spoil the sample, if it could */
                uint64_t digest = digest_sample(sample);
                if (thread == 0 && variant == 0)
                    expected[step] = digest;
                CHECK(digest == expected[step]);
            }
            prefetch_free(prefetch);
        }
    }
    for (int i = 1; i < STEPS; i++)
        CHECK(expected[i] != expected[i - 1]);
}

/* The sample of a step is what a sampler draws for that step from the epoch's order. */
static void agrees_with_sampler(struct prefetch_options options)
{
    const struct random_key key = {options.seed, RANDOM_ORDER, 0, 1};
    int32_t order[TRAINED];
    struct sampler *sampler = NULL;
    struct prefetch *prefetch = NULL;
    struct sample drawn = {0};
    const struct sample *sample = NULL;
    memcpy(order, options.roots, sizeof order);
    random_shuffle(order, TRAINED, &key);
    CHECK_OK(sampler_create(&sampler, options.graph, 2, FANOUT, options.seed));
    CHECK_OK(sampler_draw(sampler, &drawn, order + 2 * BATCH, BATCH, 7));
    options.first_step = 7;
    options.thread = true;
    CHECK_OK(prefetch_create(&prefetch, &options));
    CHECK_OK(prefetch_next(prefetch, &sample));
    CHECK(digest_sample(sample) == digest_sample(&drawn));
    prefetch_free(prefetch);
    sampler_free(sampler);
    sample_clear(&drawn);
}

/* Freed at once, while the thread draws, when it waits, and after a failure. */
static void ends_at_any_time(struct prefetch_options options)
{
    const struct sample *sample = NULL;
    for (int round = 0; round < 30; round++) {
        struct prefetch *prefetch = NULL;
        options.thread = true;
        CHECK_OK(prefetch_create(&prefetch, &options));
        if (round % 5 == 4)
            wait_a_little(2);
        for (int i = 0; i < round % 4; i++)
            CHECK_OK(prefetch_next(prefetch, &sample));
        prefetch_free(prefetch);
    }
    prefetch_free(NULL);
}

/* A node that is none fails its step alone: the steps before it come out, then its message, as
 * often as it is asked for. */
static void failures_arrive_in_order(struct prefetch_options options)
{
    const struct random_key key = {options.seed, RANDOM_ORDER, 0, 0};
    int32_t nodes[TRAINED], place[TRAINED];
    random_order(place, TRAINED, &key);
    memcpy(nodes, options.roots, sizeof nodes);
    nodes[place[2 * BATCH + 5]] = NODES + 7;
    options.roots = nodes;
    for (int thread = 0; thread <= 1; thread++) {
        struct prefetch *prefetch = NULL;
        const struct sample *sample = NULL;
        options.thread = thread;
        CHECK_OK(prefetch_create(&prefetch, &options));
        CHECK_OK(prefetch_next(prefetch, &sample));
        CHECK_OK(prefetch_next(prefetch, &sample));
        for (int i = 0; i < 3; i++)
            CHECK_FAILS(prefetch_next(prefetch, &sample), GRACO_ERROR_ARGUMENT,
                        "sampling step 2: root 5 of the batch is node 407");
        prefetch_free(prefetch);
    }
}

static void wrong_options(const struct prefetch_options *right)
{
    struct prefetch *prefetch = NULL;
    struct prefetch_options o[6] = {*right, *right, *right, *right, *right, *right};
    const char *part[] = {"0 nodes to train on", "401 nodes",       "batch 0",
                          "first step -1",       "0 samples ahead", "9 hops"};
    o[0].count = 0;
    o[1].count = NODES + 1;
    o[2].batch = 0;
    o[3].first_step = -1;
    o[4].ahead = 0;
    o[5].hops = 9;
    for (int i = 0; i < 6; i++)
        CHECK_FAILS(prefetch_create(&prefetch, &o[i]), GRACO_ERROR_ARGUMENT, part[i]);
    CHECK(prefetch == NULL);
}

int main(void)
{
    struct graph *graph = make_graph();
    int32_t nodes[TRAINED];
    for (int32_t i = 0; i < TRAINED; i++)
        nodes[i] = 3 * i + 1;
    const struct prefetch_options options = make_options(graph, nodes);
    epochs_are_permutations(&options);
    small_rest_joins(options);
    roots_are_asked_for(options);
    thread_does_not_matter(options);
    agrees_with_sampler(options);
    ends_at_any_time(options);
    failures_arrive_in_order(options);
    wrong_options(&options);
    graph_free(graph);
    return check_result();
}
