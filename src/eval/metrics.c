#include "eval/metrics.h"

#include <math.h>

double metrics_f1(const struct metrics_counts *counts)
{
    double twice = 2 * (double)counts->true_positive;
    double all = twice + (double)counts->false_positive + (double)counts->false_negative;
    return all > 0 ? twice / all : 0;
}

/* Adds one class to the totals and, if it occurs, to the macro average. */
static void add_class(struct metrics_counts *total, double *f1_sum, int64_t *occurring,
                      struct metrics_counts one)
{
    total->true_positive += one.true_positive;
    total->false_positive += one.false_positive;
    total->false_negative += one.false_negative;
    if (one.true_positive + one.false_positive + one.false_negative > 0) {
        *f1_sum += metrics_f1(&one);
        (*occurring)++;
    }
}

struct metrics_scores metrics_single(const int64_t *table, int64_t classes)
{
    struct metrics_counts total = {0};
    double f1_sum = 0;
    int64_t occurring = 0, rows = 0;
    for (int64_t k = 0; k < classes; k++) {
        struct metrics_counts one = {.true_positive = table[k * classes + k]};
        for (int64_t other = 0; other < classes; other++) {
            rows += table[k * classes + other];
            if (other != k) {
                one.false_negative += table[k * classes + other];
                one.false_positive += table[other * classes + k];
            }
        }
        add_class(&total, &f1_sum, &occurring, one);
    }
    return (struct metrics_scores){
        .accuracy = rows > 0 ? (double)total.true_positive / (double)rows : 0,
        .micro_f1 = metrics_f1(&total),
        .macro_f1 = occurring > 0 ? f1_sum / (double)occurring : 0,
    };
}

struct metrics_scores metrics_multi(const int64_t *table, int64_t classes)
{
    struct metrics_counts total = {0};
    double f1_sum = 0;
    int64_t occurring = 0, right = 0, all = 0;
    for (int64_t k = 0; k < classes; k++) {
        const int64_t *row = table + 4 * k;
        right += row[0] + row[3];
        all += row[0] + row[1] + row[2] + row[3];
        add_class(&total, &f1_sum, &occurring,
                  (struct metrics_counts){
                      .true_positive = row[0], .false_positive = row[1], .false_negative = row[2]});
    }
    return (struct metrics_scores){
        .accuracy = all > 0 ? (double)right / (double)all : 0,
        .micro_f1 = metrics_f1(&total),
        .macro_f1 = occurring > 0 ? f1_sum / (double)occurring : 0,
    };
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
