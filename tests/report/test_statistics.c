/* Statistics against numbers worked out by hand. */
#include "check.h"

#include "report/statistics.h"

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

/* Three seeds on two splits:
 *
 * split 0   split 1   mean seed 0     80        84      82 seed 1     82        86      84 seed 2
 * 81        91      86 mean       81        87      84
 *
 * The seeds' means 82, 84, 86 deviate by 2, so the error is 2 / sqrt(3). The splits' means 81 and
 * 87 deviate by sqrt((9 + 9) / 1) = sqrt(18). */
static const double A[3][2] = {{80, 84}, {82, 86}, {81, 91}};

static void summaries(void)
{
    struct seed_scores runs[3];
    for (int i = 0; i < 3; i++)
        runs[i] = (struct seed_scores){.seed = i, .splits = 2, .scores = A[i]};
    struct summary s = statistics_summary(runs, 3);
    CHECK(s.seeds == 3 && s.splits == 2 && near(s.mean, 84));
    CHECK(near(s.error, 2 / sqrt(3)) && near(s.spread, sqrt(18)));

    s = statistics_summary(runs, 1); /* one seed: no error, but a spread */
    CHECK(s.seeds == 1 && near(s.mean, 82) && isnan(s.error) && near(s.spread, sqrt(8)));

    for (int i = 0; i < 3; i++)
        runs[i].splits = 1; /* one split: an error, but no spread */
    s = statistics_summary(runs, 3);
    CHECK(s.splits == 1 && near(s.mean, 81) && near(s.error, 1 / sqrt(3)) && isnan(s.spread));

    runs[0].splits = 2; /* means count all that a seed has, the spread what all have */
    s = statistics_summary(runs, 2);
    CHECK(s.splits == 1 && near(s.mean, 82) && near(s.error, 0) && isnan(s.spread));

    s = statistics_summary(runs, 0);
    CHECK(s.seeds == 0 && isnan(s.mean) && isnan(s.error) && isnan(s.spread));
}

/* Differences of seeds 0 and 1, which both have; seed 7 has no partner:
 *
 *     seed 0: 80 - 79, 84 - 82 = 1, 2    mean 1.5
 *     seed 1: 82 - 83, 86 - 82 = -1, 4   mean 1.5
 *
 * Mean 1.5, error 0; three of four pairs are higher. */
static void pairs(void)
{
    static const double b[3][2] = {{79, 82}, {83, 82}, {10, 10}};
    struct seed_scores left[3], right[3];
    for (int i = 0; i < 3; i++) {
        left[i] = (struct seed_scores){.seed = i, .splits = 2, .scores = A[i]};
        right[i] = (struct seed_scores){.seed = i, .splits = 2, .scores = b[i]};
    }
    right[2].seed = 7;
    struct paired p = statistics_paired(left, 3, right, 3);
    CHECK(p.seeds == 2 && p.splits == 2 && p.pairs == 4 && p.higher == 3);
    CHECK(near(p.difference, 1.5) && near(p.error, 0));

    /* Turned, everything changes its sign. */
    struct paired q = statistics_paired(right, 3, left, 3);
    CHECK(q.seeds == 2 && near(q.difference, -1.5) && q.higher == 1);

    /* Scores that no seed changes pair with every seed: 82 - 80.5, 84 - 80.5, 86 - 80.5. */
    right[0].seedless = true;
    p = statistics_paired(left, 3, right, 1);
    CHECK(p.seeds == 3 && near(p.difference, 3.5) && near(p.error, 2 / sqrt(3)));
    q = statistics_paired(right, 1, left, 3);
    CHECK(q.seeds == 3 && near(q.difference, -3.5) && near(q.error, p.error));
    CHECK(p.higher + q.higher == 6 && p.pairs == 6);

    /* Other splits are no partners; fewer splits are those that count. */
    right[0].seedless = false;
    right[0].split_seed = 5;
    p = statistics_paired(left, 1, right, 1);
    CHECK(p.seeds == 0 && isnan(p.difference) && isnan(p.error) && p.pairs == 0);
    right[0].split_seed = 0;
    right[0].splits = 1;
    p = statistics_paired(left, 1, right, 1);
    CHECK(p.seeds == 1 && p.splits == 1 && near(p.difference, 1) && isnan(p.error));
    right[0].splits = 0;
    CHECK(statistics_paired(left, 1, right, 1).seeds == 0);
}

static void verdicts(void)
{
    CHECK(statistics_verdict(1, 0.4) == VERDICT_HIGHER);
    CHECK(statistics_verdict(1, 0.5) == VERDICT_SAME); /* two errors exactly are within */
    CHECK(statistics_verdict(-1, 0.4) == VERDICT_LOWER);
    CHECK(statistics_verdict(0, 0) == VERDICT_SAME);
    CHECK(statistics_verdict(1, NAN) == VERDICT_UNKNOWN);
    CHECK(statistics_verdict(NAN, 1) == VERDICT_UNKNOWN);
}

int main(void)
{
    summaries();
    pairs();
    verdicts();
    return check_result();
}
