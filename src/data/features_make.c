#include "data/features_make.h"

#include "base/memory.h"
#include "base/random.h"
#include "graph/generate.h"

#include <math.h>

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

/* The means of the classes, and one more of zeros; louder columns have none. */
static graco_status draw_means(float **mean, const struct features_make *options)
{
    struct random_key key = {
        .seed = options->seed, .stream = RANDOM_GENERATE, .view = GENERATE_MEAN};
    int64_t F = options->cols, loud = options->loud_every;
    double step = options->distance / sqrt((double)F);
    graco_status status = memory_zalloc(mean, (options->classes + 1) * F, sizeof **mean);
    for (int64_t k = 0; status == GRACO_OK && k < options->classes * F; k++) {
        if (loud == 0 || k % F % loud != loud - 1)
            (*mean)[k] = (float)(random_u32(&key, (uint64_t)k) >> 31 ? step : -step);
    }
    return status;
}

static void draw_row(float *row, const float *mean, const float *loudness, uint64_t block,
                     const struct features_make *options)
{
    struct random_key key = {
        .seed = options->seed, .stream = RANDOM_GENERATE, .view = GENERATE_NOISE};
    /* A uniform over 0 .. 65535 has variance (65536^2 - 1) / 12. */
    double scale = sqrt(12.0 / (4.0 * 4294967295.0));
    for (int64_t f = 0; f < options->cols; f += 2) {
        float noise[2];
        draw_noise(noise, &key, block + (uint64_t)(f / 2), scale);
        for (int64_t k = f; k < f + 2 && k < options->cols; k++) {
            float scaled = noise[k - f] * loudness[k];
            row[k] = mean[k] + scaled;
        }
    }
}

graco_status features_make(struct features *out, const struct features_make *options)
{
    graco_status status;
    int64_t F = options->cols, pairs = (F + 1) / 2, loud = options->loud_every;
    struct features X = {.rows = options->rows, .cols = F};
    float *mean = NULL, *loudness = NULL;
    *out = (struct features){0};
    TRY(draw_means(&mean, options));
    TRY(memory_alloc(&loudness, F, sizeof *loudness));
    for (int64_t f = 0; f < F; f++)
        loudness[f] = loud > 0 && f % loud == loud - 1 ? options->loudness : 1;
    TRY(memory_alloc(&X.dense, options->rows * F, sizeof *X.dense));
    for (int64_t i = 0; i < options->rows; i++) {
        int64_t class = options->label[i] >= 0 ? options->label[i] : options->classes;
        draw_row(X.dense + i * F, mean + class * F, loudness, (uint64_t)(i * pairs), options);
    }
    *out = X;
    X = (struct features){0};
done:
    memory_free(mean);
    memory_free(loudness);
    features_clear(&X);
    return status;
}
