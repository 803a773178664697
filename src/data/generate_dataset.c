/* A data set out of nothing: a block model, features that say something about the class, a split.
 *
 * Neither half gives the class away. Seven words in ten come from the distribution of the node's
 * class, which overlaps with the others', the rest from the language's; four neighbours in five
 * share the class. With the defaults a linear classifier of the words alone is right about six
 * times in ten, and one that also averages over neighbours much more often.
 *
 * As in graph/generate.h, only Philox numbers and correctly rounded operations decide the bits. */
#include "data/features_make.h"
#include "data/generate_like.h"

#include "base/memory.h"
#include "graph/generate.h"

#include <stdio.h>

/* Words per node: at least WORDS_MIN, WORDS_RANGE values in all. WORD_BLOCKS: Philox blocks that
 * one node reserves, four lanes each, two lanes a word and one for their number. */
enum { WORDS_MIN = 8, WORDS_RANGE = 17, WORD_BLOCKS = 16 };

enum { TRAINING_PER_CLASS = 20, VALIDATION_NODES = 500, TEST_NODES = 1000 };

static const double topic_share = 0.7;

/* How far from the origin a class's mean lies, in deviations of the noise. */
static const double mean_distance = 2.2;

graco_generate_options graco_generate_defaults(void)
{
    return (graco_generate_options){.nodes = 2000,
                                    .classes = 6,
                                    .feature_count = 500,
                                    .degree = 8,
                                    .homophily = 0.8,
                                    .scale = 1};
}

/* A frequent word is much more frequent than a rare one: rank F u^2 has density ~ rank^(-1/2). */
static int64_t draw_rank(uint32_t bits, int64_t words)
{
    double u = bits * 0x1p-32;
    double square = u * u;
    double rank = square * (double)words;
    return (int64_t)rank;
}

/* Inserts a word into an ascending list; returns the new length. A word said twice counts once. */
static int64_t insert_word(int32_t *list, int64_t length, int32_t word)
{
    int64_t at = length;
    while (at > 0 && list[at - 1] > word)
        at--;
    if (at > 0 && list[at - 1] == word)
        return length;
    for (int64_t k = length; k > at; k--)
        list[k] = list[k - 1];
    list[at] = word;
    return length + 1;
}

/* The words of one node, ascending, into list; returns how many. `vocabulary` shuffles the ranks of
 * the language; a class ranks the same words beginning at its own place. */
static int64_t draw_words(int32_t *list, int64_t node, int64_t class, const int32_t *vocabulary,
                          const graco_generate_options *options)
{
    struct random_key key = generate_key(options->seed, 0, GENERATE_WORDS);
    int64_t F = options->feature_count, length = 0;
    uint64_t block = (uint64_t)node * WORD_BLOCKS;
    uint32_t lanes[4 * WORD_BLOCKS];
    random_block(lanes, &key, block);
    int64_t spoken = WORDS_MIN + (int64_t)(((uint64_t)lanes[0] * WORDS_RANGE) >> 32);
    for (int64_t b = 1; 4 * b < 1 + 2 * spoken; b++)
        random_block(lanes + 4 * b, &key, block + (uint64_t)b);
    for (int64_t w = 0; w < spoken; w++) {
        bool topical = lanes[1 + 2 * w] < random_threshold(topic_share);
        int64_t rank = draw_rank(lanes[2 + 2 * w], F);
        int64_t place = topical ? (class + 1) * F / (options->classes + 1) : 0;
        length = insert_word(list, length, vocabulary[(rank + place) % F]);
    }
    return length;
}

static graco_status draw_sparse(struct features *out, const int32_t *label,
                                const graco_generate_options *options)
{
    graco_status status = GRACO_OK;
    struct random_key key = generate_key(options->seed, 0, GENERATE_VOCABULARY);
    int64_t most = WORDS_MIN + WORDS_RANGE - 1, N = options->nodes, F = options->feature_count;
    int32_t *vocabulary = NULL;
    struct csr X = {0};
    TRY(memory_alloc(&vocabulary, F, sizeof *vocabulary));
    random_order(vocabulary, F, &key);
    TRY(csr_alloc(&X, N, F, N * most, false));
    for (int64_t i = 0; i < N; i++)
        X.start[i + 1] =
            X.start[i] + draw_words(X.index + X.start[i], i, label[i], vocabulary, options);
    TRY(memory_grow(&X.index, X.start[N], X.start[N], sizeof *X.index));
    TRY(memory_alloc(&X.value, X.start[N], sizeof *X.value));
    for (int64_t k = 0; k < X.start[N]; k++)
        X.value[k] = 1;
    *out = features_of(X);
    X = (struct csr){0};
done:
    memory_free(vocabulary);
    csr_clear(&X);
    return status;
}

static graco_status draw_dense(struct features *X, const int32_t *label,
                               const graco_generate_options *options)
{
    struct features_make make = {.rows = options->nodes,
                                 .cols = options->feature_count,
                                 .classes = options->classes,
                                 .label = label,
                                 .distance = mean_distance,
                                 .seed = options->seed};
    return features_make(X, &make);
}

static int64_t at_most(int64_t value, int64_t limit)
{
    return value < limit ? value : limit;
}

/* A split like the public ones: a few nodes of each class for training, then validation and test;
 * shares of a tenth, a quarter and a half where the graph is small. */
static graco_status draw_split(uint8_t **split, const int32_t *label,
                               const graco_generate_options *options)
{
    graco_status status = GRACO_OK;
    int64_t N = options->nodes, tenth = N / (10 * options->classes);
    int64_t per_class = at_most(TRAINING_PER_CLASS, tenth > 0 ? tenth : 1);
    int64_t left[2] = {at_most(VALIDATION_NODES, N / 4), at_most(TEST_NODES, N / 2)};
    int32_t *count = NULL;
    TRY(memory_zalloc(&count, options->classes, sizeof *count));
    TRY(memory_alloc(split, N, sizeof **split));
    for (int64_t i = 0; i < N; i++) {
        if (count[label[i]] < per_class) {
            count[label[i]]++;
            (*split)[i] = 0;
        } else {
            int part = left[0] > 0 ? 0 : 1;
            (*split)[i] = left[part] > 0 ? (uint8_t)(part + 1) : 3;
            left[part]--;
        }
    }
done:
    memory_free(count);
    return status;
}

/* Refuses what would fill the memory after minutes of drawing. Sizes that make no sense pass: the
 * generator refuses them with a better message. */
static graco_status expect_memory(const graco_generate_options *options)
{
    double N = (double)options->nodes, F = (double)options->feature_count, bytes = 0;
    char what[128];
    if (options->nodes < 1 || options->nodes > INT32_MAX || !(options->degree >= 0) ||
        !(options->degree < N))
        return GRACO_OK;
    if (options->dense)
        bytes = 4 * F * (N + (double)options->classes);
    else if (options->feature_count > 0)
        bytes = 4 * F + 8 * (WORDS_MIN + WORDS_RANGE / 2) * N / 2; /* some words are said twice */
    snprintf(what, sizeof what, "a graph of %lld nodes with %lld %s features",
             (long long)options->nodes, (long long)options->feature_count,
             options->dense ? "dense" : "sparse");
    return memory_expect(bytes + generate_bytes(options->nodes, options->degree), what);
}

graco_status graco_dataset_generate(graco_dataset **out, const graco_generate_options *options)
{
    graco_status status = GRACO_OK;
    struct generated graph = {0};
    struct dataset_parts parts = {.name = "generated", .undirected = true};
    struct generate_options structure = {.nodes = options->nodes,
                                         .classes = options->classes,
                                         .degree = options->degree,
                                         .homophily = options->homophily,
                                         .seed = options->seed};
    if (options->like)
        return generate_like(out, options);
    if (options->feature_count < 0 || options->feature_count > INT32_MAX)
        FAIL(GRACO_ERROR_ARGUMENT, "%lld features: expected 0 to %lld",
             (long long)options->feature_count, (long long)INT32_MAX);
    TRY(expect_memory(options));
    TRY(generate_graph(&graph, &structure)); /* one community a class: it is the label */
    parts.nodes = options->nodes;
    if (options->feature_count > 0)
        TRY((options->dense ? draw_dense : draw_sparse)(&parts.features, graph.community, options));
    TRY(draw_split(&parts.split, graph.community, options));
    parts.edges = graph.edges;
    parts.source = graph.source;
    parts.target = graph.target;
    parts.label = graph.community;
    parts.classes = options->classes;
    graph = (struct generated){0};
    TRY(dataset_create(out, &parts));
    /* Pairs that were drawn twice are no duplicates in a file. */
    (*out)->duplicates = (*out)->self_loops = 0;
done:
    generated_clear(&graph);
    dataset_parts_clear(&parts);
    return status;
}
