/* Numbers that are known: what graco gave once for a small input, held to a tolerance that other processors
 * and libraries of mathematics keep. Such a test notices any change of what is computed, and says neither
 * which is right; where a formula can be written down, write it down instead. */
#ifndef TESTS_KNOWN_H
#define TESTS_KNOWN_H

#include "check.h"

/* |value - wanted| at most `tolerance` times the larger of 1 and |wanted|. */
static inline void check_known(const char *what, double value, double wanted, double tolerance)
{
    bool holds = fabs(value - wanted) <= tolerance * fmax(1, fabs(wanted));
    if (!holds)
        fprintf(stderr, "%s is %.12g, was %.12g\n", what, value, wanted);
    check_that(holds, what, __FILE__, __LINE__);
}

/* A number of all of `count` numbers: a sum in which each place has a factor of its own. */
static inline double check_sum(const float *value, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (double)value[i] * (1 + (double)(i * 7919 % 1009) / 1009);
    return sum;
}

/* The same of whole numbers, which no rounding changes. */
static inline double check_sum_whole(const int32_t *value, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (double)value[i] * (double)(1 + i * 7919 % 1009);
    return sum;
}

#endif
