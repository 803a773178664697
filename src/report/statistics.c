/* Everything is a mean or a deviation of numbers that come one after the other: scores within a
 * seed, means of seeds, means of splits. The numbers come in the order of the file, so the same
 * file gives the same bits. */
#include "report/statistics.h"

#include <math.h>
#include <stddef.h>

/* Welford's update: stable without a second pass. */
void moments_add(struct moments *moments, double x)
{
    double before = x - moments->mean;
    moments->count++;
    moments->mean += before / (double)moments->count;
    moments->squares += before * (x - moments->mean);
}

double moments_deviation(const struct moments *moments)
{
    return moments->count > 1 ? sqrt(moments->squares / (double)(moments->count - 1)) : NAN;
}

double moments_error(const struct moments *moments)
{
    return moments_deviation(moments) / sqrt((double)moments->count);
}

struct summary statistics_summary(const struct seed_scores *runs, int64_t count)
{
    struct moments over_seeds = {0}, over_splits = {0};
    int64_t splits = INT64_MAX;
    for (int64_t i = 0; i < count; i++) {
        struct moments scores = {0};
        for (int64_t k = 0; k < runs[i].splits; k++)
            moments_add(&scores, runs[i].scores[k]);
        if (scores.count == 0)
            continue;
        moments_add(&over_seeds, scores.mean);
        splits = scores.count < splits ? scores.count : splits;
    }
    splits = over_seeds.count > 0 ? splits : 0;
    for (int64_t k = 0; k < splits; k++) {
        struct moments split = {0};
        for (int64_t i = 0; i < count; i++)
            if (runs[i].splits > 0)
                moments_add(&split, runs[i].scores[k]);
        moments_add(&over_splits, split.mean);
    }
    return (struct summary){.seeds = over_seeds.count,
                            .splits = splits,
                            .mean = over_seeds.count > 0 ? over_seeds.mean : NAN,
                            .error = moments_error(&over_seeds),
                            .spread = moments_deviation(&over_splits)};
}

/* The run of the same seed on the same splits; NULL: there is none. */
static const struct seed_scores *partner(const struct seed_scores *run,
                                         const struct seed_scores *others, int64_t count)
{
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (others[middle].seed < run->seed)
            low = middle + 1;
        else
            high = middle;
    }
    if (count == 1 && others[0].seedless)
        low = 0;
    else if (low == count || others[low].seed != run->seed)
        return NULL;
    return others[low].split_seed == run->split_seed ? &others[low] : NULL;
}

struct paired statistics_paired(const struct seed_scores *a, int64_t a_count,
                                const struct seed_scores *b, int64_t b_count)
{
    struct paired out = {0};
    struct moments over_seeds = {0};
    bool turned = a_count == 1 && a[0].seedless; /* then b's seeds are those to go through */
    const struct seed_scores *first = turned ? b : a, *second = turned ? a : b;
    int64_t first_count = turned ? b_count : a_count, second_count = turned ? a_count : b_count;
    double sign = turned ? -1 : 1;
    for (int64_t i = 0; i < first_count; i++) {
        const struct seed_scores *other = partner(&first[i], second, second_count);
        struct moments differences = {0};
        int64_t splits = other && other->splits < first[i].splits ? other->splits : first[i].splits;
        if (!other || splits == 0)
            continue;
        for (int64_t k = 0; k < splits; k++) {
            double difference = sign * (first[i].scores[k] - other->scores[k]);
            moments_add(&differences, difference);
            out.higher += difference > 0;
        }
        moments_add(&over_seeds, differences.mean);
        out.pairs += splits;
        out.splits = out.seeds == 0 || splits < out.splits ? splits : out.splits;
        out.seeds++;
    }
    out.difference = out.seeds > 0 ? over_seeds.mean : NAN;
    out.error = moments_error(&over_seeds);
    return out;
}

enum verdict statistics_verdict(double difference, double error)
{
    if (isnan(difference) || isnan(error))
        return VERDICT_UNKNOWN;
    if (fabs(difference) <= 2 * error)
        return VERDICT_SAME;
    return difference > 0 ? VERDICT_HIGHER : VERDICT_LOWER;
}
