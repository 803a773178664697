#include "eval/metrics.h"

#include "check.h"

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

/* Three classes, the third never true and predicted once; worked out by hand. */
static void single_label(void)
{
    const int64_t table[] = {5, 1, 0, 2, 3, 1, 0, 0, 0};
    struct metrics_scores scores = metrics_single(table, 3);
    CHECK(near(scores.accuracy, 8.0 / 12) && near(scores.micro_f1, 8.0 / 12));
    CHECK(near(scores.macro_f1, (10.0 / 13 + 6.0 / 10 + 0) / 3));
    /* A class that neither occurs nor is predicted does not count in the macro average. */
    const int64_t two[] = {5, 1, 0, 2, 4, 0, 0, 0, 0};
    CHECK(near(metrics_single(two, 3).macro_f1, (10.0 / 13 + 8.0 / 11) / 2));
    const int64_t nothing[4] = {0};
    scores = metrics_single(nothing, 2);
    CHECK(scores.accuracy == 0 && scores.micro_f1 == 0 && scores.macro_f1 == 0);
}

static void multi_label(void)
{
    /* tp fp fn tn */
    const int64_t table[] = {3, 1, 2, 4, 0, 0, 5, 5, 0, 0, 0, 10};
    struct metrics_scores scores = metrics_multi(table, 3);
    CHECK(near(scores.micro_f1, 6.0 / (6 + 1 + 7)));
    CHECK(near(scores.macro_f1, (6.0 / 9 + 0) / 2));
    CHECK(near(scores.accuracy, (7 + 5 + 10) / 30.0));
}

static void spread(void)
{
    const double values[] = {1, 2, 4};
    double mean, deviation;
    metrics_spread(&mean, &deviation, values, 3);
    CHECK(near(mean, 7.0 / 3) && near(deviation, sqrt(7.0 / 3)));
    metrics_spread(&mean, &deviation, values, 1);
    CHECK(mean == 1 && deviation == 0);
}

int main(void)
{
    single_label();
    multi_label();
    spread();
    return check_result();
}
