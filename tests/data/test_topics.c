/* Features of topics: how long their parts are, and that they span no more than the topics. */
#include "data/features_make.h"

#include "base/memory.h"
#include "check.h"

enum { ROWS = 60000, COLS = 24, LOUD = 12, QUIET = COLS - COLS / LOUD };

struct moments {
    double mean[COLS], variance[COLS];
};

/* Rows i % groups == group. */
static struct moments moments_of(const struct features *X, int64_t groups, int64_t group)
{
    struct moments m = {{0}, {0}};
    double n = 0;
    for (int64_t i = group; i < ROWS; i += groups, n++)
        for (int f = 0; f < COLS; f++) {
            m.mean[f] += X->dense[i * COLS + f];
            m.variance[f] += (double)X->dense[i * COLS + f] * X->dense[i * COLS + f];
        }
    for (int f = 0; f < COLS; f++) {
        m.mean[f] /= n;
        m.variance[f] = m.variance[f] / n - m.mean[f] * m.mean[f];
    }
    return m;
}

static struct features make(const struct features_make *given, int64_t groups)
{
    struct features X = {0};
    struct features_make options = *given;
    int32_t *label = NULL;
    CHECK_OK(memory_alloc(&label, ROWS, sizeof *label));
    for (int32_t i = 0; i < ROWS; i++)
        label[i] = (int32_t)(groups > 0 ? i % groups : -1);
    options.rows = ROWS;
    options.cols = COLS;
    options.label = label;
    options.loud_every = LOUD;
    options.loudness = 3;
    CHECK_OK(features_make(&X, &options));
    memory_free(label);
    return X;
}

/* With one topic every mean is the same direction, forwards or backwards, its length distance +
 * spread or their difference, and interests lie along it. */
static void one_topic(void)
{
    struct features_make options = {
        .classes = 4, .topics = 1, .communities = 2, .distance = 6, .spread = 2, .interest = 5};
    struct features X = make(&options, 8);
    struct moments first = moments_of(&X, 8, 0);
    double along = 0, across = 0, n = 0;
    bool seen[2] = {false, false};
    for (int64_t b = 0; b < 8; b++) {
        struct moments m = moments_of(&X, 8, b);
        double dot = 0, length = 0;
        for (int f = 0; f < COLS; f++) {
            dot += m.mean[f] * (first.mean[f] > 0 ? 1 : -1) * (f % LOUD != LOUD - 1);
            length += m.mean[f] * m.mean[f];
        }
        double own = fabs(dot) / sqrt(QUIET) * sqrt((double)COLS / QUIET);
        CHECK(fabs(own - 8) < 0.2 || fabs(own - 4) < 0.2);
        CHECK(fabs(sqrt(length) - fabs(dot) / sqrt(QUIET)) < 0.2);
        seen[own > 6] = true;
    }
    CHECK(seen[0] && seen[1]);
    for (int64_t i = 0; i < ROWS; i += 8, n++) {
        double a = 0, c = 0;
        for (int f = 0, quiet = 0; f < COLS; f++) {
            double sign = first.mean[f] > 0 ? 1 : -1, x = X.dense[i * COLS + f] - first.mean[f];
            if (f % LOUD == LOUD - 1)
                continue;
            a += sign * x;
            c += sign * x * (quiet++ % 2 ? 1 : -1);
        }
        along += a * a / QUIET;
        across += c * c / QUIET;
    }
    CHECK(fabs(along / n - (1 + 25.0 * QUIET / COLS)) < 1.2);
    CHECK(fabs(across / n - 1) < 0.06);
    CHECK(fabs(first.mean[LOUD - 1]) < 0.15 && fabs(first.variance[LOUD - 1] - 9) < 0.5);
    features_clear(&X);
}

/* With many, lengths are those of sums: distance^2 + spread^2, and interest^2 of variance. */
static void many_topics(void)
{
    struct features_make options = {
        .classes = 60, .topics = 64, .communities = 2, .distance = 6, .spread = 3, .interest = 4};
    struct features X = make(&options, 120);
    double means = 0, variance = 0;
    for (int64_t b = 0; b < 120; b++) {
        struct moments m = moments_of(&X, 120, b);
        for (int f = 0; f < COLS; f++) {
            means += f % LOUD == LOUD - 1 ? 0 : m.mean[f] * m.mean[f] / 120;
            variance += f % LOUD == LOUD - 1 ? 0 : m.variance[f] / 120 / QUIET;
        }
    }
    CHECK(fabs(means / QUIET * COLS - 45) < 5);
    CHECK(fabs(variance - (1 + 16.0 / COLS)) < 0.05);
    features_clear(&X);
}

static void unknown_labels(void)
{
    struct features_make options = {
        .classes = 4, .topics = 8, .communities = 2, .distance = 6, .spread = 2, .interest = 0};
    struct features X = make(&options, 0);
    struct moments m = moments_of(&X, 1, 0);
    for (int f = 0; f < COLS; f++)
        CHECK(fabs(m.mean[f]) < 0.06);
    features_clear(&X);
}

int main(void)
{
    one_topic();
    many_topics();
    unknown_labels();
    return check_result();
}
