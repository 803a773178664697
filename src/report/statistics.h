/* Means and their errors over two kinds of chance.
 *
 * A score varies with the seed that a training starts from, and with the split that it is tested
 * on. The two are kept apart: the standard error over seeds says how far another set of seeds
 * might move the mean on these very splits; the spread over splits says how much a score depends
 * on which nodes are tested, and does not shrink with more seeds. */
#ifndef REPORT_STATISTICS_H
#define REPORT_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

/* The scores of one seed, one for each split. Borrows them. */
struct seed_scores {
    int64_t seed;
    int64_t split_seed; /* split k of two runs is the same if these are equal */
    bool seedless;      /* no seed changes these scores: they pair with every seed */
    int64_t splits;
    const double *scores; /* (splits) */
};

struct summary {
    int64_t seeds, splits; /* splits: that every seed has */
    double mean;           /* over seeds of the mean over splits; NaN without a run */
    double error; /* standard error of the mean over seeds: deviation of the seeds' means divided by
                      sqrt(seeds); NaN for one seed */
    double spread; /* deviation over splits of the mean over seeds; NaN for one split */
};

/* Mean and deviation of numbers that come one after the other. Zero it to begin. */
struct moments {
    int64_t count;
    double mean, squares; /* squares: the sum of (x - mean)^2 */
};

void moments_add(struct moments *moments, double x);
double moments_deviation(const struct moments *moments); /* of a sample; NaN below two numbers */
double moments_error(const struct moments *moments);     /* of the mean: deviation / sqrt(count) */

/* Summarises the runs of one key; one without a split does not count. O(scores). */
struct summary statistics_summary(const struct seed_scores *runs, int64_t count);

/* a's scores minus b's, paired by seed and split: what both have in common is taken away. Runs are
 * in ascending order of their seeds. */
struct paired {
    int64_t seeds, splits; /* that were paired; 0 seeds: none is in common */
    double difference;     /* mean over seeds of the mean over splits; NaN if none was paired */
    double error;          /* its standard error over seeds; NaN for one seed */
    int64_t pairs, higher; /* pairs of scores, and in how many of them a's is the higher one */
};

struct paired statistics_paired(const struct seed_scores *a, int64_t a_count,
                                const struct seed_scores *b, int64_t b_count);

/* Whether a difference is more than chance explains: beyond two standard errors. */
enum verdict {
    VERDICT_UNKNOWN, /* no difference, or no error to hold it against */
    VERDICT_SAME,
    VERDICT_HIGHER,
    VERDICT_LOWER,
};

enum verdict statistics_verdict(double difference, double error);

#endif
