/* What a file costs as it grows. Include this in a test_*_growth.c, which is linked so that every
 * block of the library is counted here.
 *
 * The sentence under test: memory and time are at most c times the bytes of the file, whatever they
 * hold. A file is read at two sizes. The larger must not cost more than its size justifies, and both
 * must stay below the numbers that docs/reliability.md states. */
#ifndef TESTS_GROWTH_H
#define TESTS_GROWTH_H

#include "check.h"

#include <malloc.h>
#include <stdatomic.h>
#include <time.h>

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
void __wrap_free(void *block);

static atomic_llong growth_live, growth_peak; /* bytes */

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    void *block = __real_aligned_alloc(alignment, size);
    if (!block)
        return NULL;
    long long size_used = (long long)malloc_usable_size(block);
    long long live = atomic_fetch_add(&growth_live, size_used) + size_used;
    if (live > growth_peak)
        growth_peak = live;
    return block;
}

void __wrap_free(void *block)
{
    if (block)
        growth_live -= (long long)malloc_usable_size(block);
    __real_free(block);
}

#if defined(__SANITIZE_ADDRESS__)
#define GROWTH_SLOW 20
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GROWTH_SLOW 20
#endif
#endif
#if !defined(GROWTH_SLOW)
#define GROWTH_SLOW 1
#endif

enum {
    GROWTH_SMALL = 1 << 16, /* bytes of the file */
    GROWTH_TIMES = 8,       /* how much larger the other one is */
    GROWTH_TRIES = 3,       /* the fastest counts: a busy machine only adds time */
    GROWTH_TRIES_MOST = 50, /* as long as one of the last three was faster than all before */
};

struct growth_cost {
    int64_t bytes, peak;
    double seconds;
    graco_status status;
};

/* What is allowed: so many bytes and microseconds for each byte of the file, and a base. */
struct growth_limit {
    double memory, time;
    int64_t base;
};

static inline double growth_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Runs `read` on what the caller has prepared. */
static inline struct growth_cost growth_measure(graco_status (*read)(const void *), const void *how,
                                                int64_t bytes)
{
    struct growth_cost cost = {.bytes = bytes, .seconds = 1e9};
    for (int i = 0, tries = 0; tries < GROWTH_TRIES && i < GROWTH_TRIES_MOST; i++) {
        long long before = atomic_load(&growth_live);
        growth_peak = before;
        double start = growth_clock();
        cost.status = read(how);
        double seconds = growth_clock() - start;
        tries = seconds < 0.9 * cost.seconds ? 1 : tries + 1;
        cost.seconds = seconds < cost.seconds ? seconds : cost.seconds;
        cost.peak = growth_peak - before;
        CHECK(growth_live == before);
    }
    return cost;
}

/* Holds the sentence for the two sizes of one file. */
static inline void growth_check(const char *what, const struct growth_cost cost[2],
                                struct growth_limit limit)
{
    double larger = (double)cost[1].bytes / (double)cost[0].bytes;
    bool fine = cost[0].status == cost[1].status;
    for (int i = 0; i < 2; i++) {
        double bytes = (double)cost[i].bytes;
        fine = fine && (double)cost[i].peak <= limit.memory * bytes + (double)limit.base;
        fine = fine && cost[i].seconds <= GROWTH_SLOW * (0.05 + 1e-6 * limit.time * bytes);
    }
    /* Blocks that double when they are full may be half empty; very short times are noise. */
    double memory = (double)(cost[0].peak > limit.base ? cost[0].peak : limit.base);
    double seconds = cost[0].seconds > 0.005 ? cost[0].seconds : 0.005;
    fine = fine && (double)cost[1].peak <= 2 * larger * memory;
    fine = fine && cost[1].seconds <= 3 * larger * seconds * (GROWTH_SLOW > 1 ? 2 : 1);
    printf("%-44s %s  %6.1f bytes and %6.3f us for each of %lld bytes\n", what,
           cost[1].status == GRACO_OK ? "read   " : "refused",
           (double)cost[1].peak / (double)cost[1].bytes,
           1e6 * cost[1].seconds / (double)cost[1].bytes, (long long)cost[1].bytes);
    if (!fine)
        fprintf(
            stderr, "%s: %lld bytes took %lld and %.3f s; %lld bytes took %lld and %.3f s: %s\n",
            what, (long long)cost[0].bytes, (long long)cost[0].peak, cost[0].seconds,
            (long long)cost[1].bytes, (long long)cost[1].peak, cost[1].seconds, graco_message());
    CHECK(fine);
}

#endif
