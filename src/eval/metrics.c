/* Every score follows from whole numbers: how often each class was right, wrongly chosen and missed.
 * Micro-F1 is the F1 of their sums over the classes, macro-F1 the mean of the classes' own F1. */
#include "eval/metrics.h"

#include <math.h>

void metrics_add(struct metrics_counts *sum, const struct metrics_counts *one)
{
    sum->true_positive += one->true_positive;
    sum->false_positive += one->false_positive;
    sum->false_negative += one->false_negative;
}

double metrics_f1(const struct metrics_counts *counts)
{
    double twice = 2 * (double)counts->true_positive;
    double all = twice + (double)counts->false_positive + (double)counts->false_negative;
    return all > 0 ? twice / all : 0;
}

/* Sums over the classes. */
struct class_sums {
    struct metrics_counts total;
    double f1;
    int64_t occurring; /* classes that the macro average counts */
};

static void add_class(struct class_sums *sums, struct metrics_counts one)
{
    metrics_add(&sums->total, &one);
    sums->f1 += metrics_f1(&one);
    sums->occurring += one.true_positive + one.false_positive + one.false_negative > 0;
}

static struct metrics_scores scores_of(const struct class_sums *sums, int64_t right, int64_t all)
{
    return (struct metrics_scores){
        .accuracy = all > 0 ? (double)right / (double)all : 0,
        .micro_f1 = metrics_f1(&sums->total),
        .macro_f1 = sums->occurring > 0 ? sums->f1 / (double)sums->occurring : 0,
    };
}

/* Class k of truth by prediction. */
static struct metrics_counts square_counts(const int64_t *table, int64_t classes, int64_t k)
{
    int64_t right = table[k * classes + k];
    struct metrics_counts one = {right, -right, -right}; /* the loop counts them too */
    for (int64_t other = 0; other < classes; other++) {
        one.false_positive += table[other * classes + k];
        one.false_negative += table[k * classes + other];
    }
    return one;
}

struct metrics_scores metrics_single(const int64_t *table, int64_t classes)
{
    struct class_sums sums = {0};
    int64_t rows = 0;
    for (int64_t k = 0; k < classes; k++) {
        const int64_t *row = table + 4 * k;
        struct metrics_counts one = classes > METRICS_SQUARE
                                        ? (struct metrics_counts){row[0], row[1], row[2]}
                                        : square_counts(table, classes, k);
        rows += one.true_positive + one.false_negative;
        add_class(&sums, one);
    }
    return scores_of(&sums, sums.total.true_positive, rows);
}

struct metrics_scores metrics_multi(const int64_t *table, int64_t classes)
{
    struct class_sums sums = {0};
    int64_t right = 0, all = 0;
    for (int64_t k = 0; k < classes; k++) {
        const int64_t *row = table + 4 * k;
        right += row[0] + row[3];
        all += row[0] + row[1] + row[2] + row[3];
        add_class(&sums, (struct metrics_counts){row[0], row[1], row[2]});
    }
    return scores_of(&sums, right, all);
}

void metrics_spread(double *mean, double *deviation, const double *values, int64_t n)
{
    double sum = 0, square = 0;
    for (int64_t i = 0; i < n; i++)
        sum += values[i];
    *mean = n > 0 ? sum / (double)n : 0;
    for (int64_t i = 0; i < n; i++)
        square += (values[i] - *mean) * (values[i] - *mean);
    *deviation = n > 1 ? sqrt(square / (double)(n - 1)) : 0;
}
