/* The test harness: CHECK what must hold, count what does not, and say where.
 *
 * A test program is a main() that runs its cases and returns check_result(). */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include "graco_command.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_passed, check_failed;

static inline void check_that(bool holds, const char *text, const char *file, int line)
{
    if (holds) {
        check_passed++;
        return;
    }
    check_failed++;
    fprintf(stderr, "%s:%d: does not hold: %s (last message: %s)\n", file, line, text,
            graco_message());
#ifdef CHECK_STOPS /* scripts/mutate.py asks whether anything fails, not what */
    exit(1);
#endif
}

#define CHECK(condition) check_that((condition), #condition, __FILE__, __LINE__)

/* A call that must succeed; the program ends if it does not. */
#define CHECK_OK(call)                                                                             \
    do {                                                                                           \
        if ((call) != GRACO_OK) {                                                                  \
            fprintf(stderr, "%s:%d: %s failed: %s\n", __FILE__, __LINE__, #call, graco_message()); \
            exit(1);                                                                               \
        }                                                                                          \
        check_passed++;                                                                            \
    } while (0)

/* A call that must fail with this status and a message that contains `part`. */
#define CHECK_FAILS(call, code, part)                                                              \
    do {                                                                                           \
        CHECK((call) == (code));                                                                   \
        CHECK(strstr(graco_message(), part));                                                      \
    } while (0)

static inline int check_result(void)
{
    printf("%d passed, %d failed\n", check_passed, check_failed);
    return check_failed > 0 || check_passed == 0;
}

/* Ends the program as skipped, with the reason. */
static inline void check_skip(const char *reason)
{
    printf("skipped: %s\n", reason);
    exit(77);
}

/* |a - b| / |b| over n numbers. */
static inline double check_distance(const float *a, const double *b, int64_t n)
{
    double difference = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        difference += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(difference) / (size > 0 ? sqrt(size) : 1);
}

/* |a - b| / |b| over n numbers. */
static inline double check_relative(const float *a, const float *b, int64_t n)
{
    double difference = 0, size = 1e-30;
    for (int64_t i = 0; i < n; i++) {
        difference += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
        size += (double)b[i] * (double)b[i];
    }
    return sqrt(difference / size);
}

#endif
