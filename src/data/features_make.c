/* A row is the mean of its class or community, which is drawn once, plus the node's own topics,
 * plus noise. Every random number is keyed by what it decides, so rows can be drawn in any order,
 * and only exact operations follow: the same bits everywhere. */
#include "data/features_make.h"

#include "base/memory.h"
#include "graph/generate.h"

#include <math.h>
#include <string.h>

enum { INTERESTS = 8 };

/* Two numbers of variance 1: each the sum of four 16-bit uniforms, less its mean. That is
 * bell-shaped and exact, where the logarithm and cosine behind a true normal differ between
 * machines. */
static void draw_noise(float noise[2], const struct random_key *key, uint64_t block, double scale)
{
    uint32_t lanes[4];
    random_block(lanes, key, block);
    for (int i = 0; i < 2; i++) {
        uint32_t a = lanes[2 * i], b = lanes[2 * i + 1];
        int64_t sum = (int64_t)(a >> 16) + (a & 0xffff) + (b >> 16) + (b & 0xffff);
        noise[i] = (float)((double)(sum - 2 * 65535) * scale);
    }
}

static bool is_loud(const struct features_make *options, int64_t col)
{
    int64_t loud = options->loud_every;
    return loud > 0 && col % loud == loud - 1;
}

static int draw_sign(const struct random_key *key, int64_t element)
{
    return random_u32(key, (uint64_t)element) >> 31 ? 1 : -1;
}

/* What rows are drawn from; owns its arrays. */
struct row_recipe {
    int64_t groups;  /* classes, or communities */
    float *mean;     /* (groups + 1, cols), the last one zeros */
    float *loudness; /* (cols) */
    int8_t *topic;   /* (topics, cols) 1, -1, or 0 in loud columns; NULL without topics */
};

static void recipe_clear(struct row_recipe *recipe)
{
    memory_free(recipe->mean);
    memory_free(recipe->loudness);
    memory_free(recipe->topic);
}

/* The means of the classes; louder columns have none. */
static void draw_means(struct row_recipe *recipe, const struct features_make *options)
{
    struct random_key key = generate_key(options->seed, 0, GENERATE_MEAN);
    int64_t F = options->cols;
    double step = options->distance / sqrt((double)F);
    for (int64_t k = 0; k < options->classes * F; k++) {
        if (!is_loud(options, k % F))
            recipe->mean[k] = (float)(draw_sign(&key, k) * step);
    }
}

/* Adds `length` times the sum of all topics, each with a sign of the key's own, to a mean. The sum
 * is one of whole numbers, so its order does not matter. */
static void add_centre(float *mean, const struct row_recipe *recipe, const struct random_key *key,
                       int64_t number, double length, const struct features_make *options)
{
    int64_t F = options->cols, T = options->topics;
    double step = length / sqrt((double)(F * T));
    for (int64_t f = 0; f < F; f++) {
        int sum = 0;
        for (int64_t t = 0; t < T; t++)
            sum += recipe->topic[t * F + f] * draw_sign(key, number * T + t);
        double part = sum * step;
        mean[f] += (float)part;
    }
}

static graco_status draw_topics(struct row_recipe *recipe, const struct features_make *options)
{
    struct random_key topics = generate_key(options->seed, 0, GENERATE_TOPICS);
    struct random_key centres = generate_key(options->seed, 0, GENERATE_CENTRES);
    int64_t F = options->cols;
    PASS(memory_alloc(&recipe->topic, options->topics * F, 1));
    for (int64_t k = 0; k < options->topics * F; k++)
        recipe->topic[k] = (int8_t)(is_loud(options, k % F) ? 0 : draw_sign(&topics, k));
    for (int64_t b = 0; b < recipe->groups; b++) {
        float *mean = recipe->mean + b * F;
        add_centre(mean, recipe, &centres, b / options->communities, options->distance, options);
        add_centre(mean, recipe, &centres, options->classes + b, options->spread, options);
    }
    return GRACO_OK;
}

static graco_status recipe_init(struct row_recipe *recipe, const struct features_make *options)
{
    int64_t F = options->cols;
    recipe->groups = options->classes * (options->topics > 0 ? options->communities : 1);
    PASS(memory_zalloc(&recipe->mean, (recipe->groups + 1) * F, sizeof *recipe->mean));
    PASS(memory_alloc(&recipe->loudness, F, sizeof *recipe->loudness));
    for (int64_t f = 0; f < F; f++)
        recipe->loudness[f] = is_loud(options, f) ? options->loudness : 1;
    if (options->topics > 0)
        PASS(draw_topics(recipe, options));
    else
        draw_means(recipe, options);
    return GRACO_OK;
}

/* A node's own topics, added to its row. */
static void add_interests(float *row, const struct row_recipe *recipe, int64_t node,
                          const struct features_make *options)
{
    struct random_key key = generate_key(options->seed, 0, GENERATE_INTERESTS);
    int64_t F = options->cols;
    double step = options->interest / sqrt((double)(F * INTERESTS));
    const int8_t *topic[INTERESTS];
    int sign[INTERESTS];
    for (int j = 0; j < INTERESTS; j++) {
        uint32_t bits = random_u32(&key, (uint64_t)(node * INTERESTS + j));
        sign[j] = bits & 1 ? 1 : -1;
        topic[j] = recipe->topic + (int64_t)(((bits >> 1) * (uint64_t)options->topics) >> 31) * F;
    }
    for (int64_t f = 0; f < F; f++) {
        int sum = 0;
        for (int j = 0; j < INTERESTS; j++)
            sum += sign[j] * topic[j][f];
        double part = sum * step;
        row[f] += (float)part;
    }
}

static void draw_row(float *row, const struct row_recipe *recipe, int64_t node,
                     const struct features_make *options)
{
    struct random_key key = generate_key(options->seed, 0, GENERATE_NOISE);
    int64_t F = options->cols, pairs = (F + 1) / 2;
    int64_t group = options->label[node] >= 0 ? options->label[node] : recipe->groups;
    /* A uniform over 0 .. 65535 has variance (65536^2 - 1) / 12. */
    double scale = sqrt(12.0 / (4.0 * 4294967295.0));
    memcpy(row, recipe->mean + group * F, (size_t)F * sizeof *row);
    if (options->topics > 0)
        add_interests(row, recipe, node, options);
    for (int64_t f = 0; f < F; f += 2) {
        float noise[2];
        draw_noise(noise, &key, (uint64_t)(node * pairs + f / 2), scale);
        for (int64_t k = f; k < f + 2 && k < F; k++) {
            float scaled = noise[k - f] * recipe->loudness[k];
            row[k] += scaled;
        }
    }
}

graco_status features_make(struct features *out, const struct features_make *options)
{
    graco_status status = GRACO_OK;
    struct features X = {.rows = options->rows, .cols = options->cols};
    struct row_recipe recipe = {0};
    *out = (struct features){0};
    TRY(recipe_init(&recipe, options));
    TRY(memory_alloc(&X.dense, options->rows * options->cols, sizeof *X.dense));
    for (int64_t i = 0; i < options->rows; i++)
        draw_row(X.dense + i * options->cols, &recipe, i, options);
    *out = X;
    X = (struct features){0};
done:
    recipe_clear(&recipe);
    features_clear(&X);
    return status;
}
