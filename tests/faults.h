/* Failing allocations on purpose: include this in a test_*_faults.c, which is linked so that every
 * aligned_alloc of the library arrives here. */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H

#include "check.h"

#include <stdatomic.h>
#include <stddef.h>

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

/* Atomic, because some calls allocate in threads of their own. */
static atomic_long faults_until = -1; /* allocations that still succeed; negative: all do */
static atomic_long faults_hit;

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    long left = faults_until;
    while (left > 0 && !atomic_compare_exchange_weak(&faults_until, &left, left - 1))
        continue;
    if (left == 0) {
        faults_hit++;
        return NULL;
    }
    return __real_aligned_alloc(alignment, size);
}

/* Fails the nth allocation of a call and all later ones, for every n until it needs no more: each time
 * it must say that memory is missing. */
static inline void faults_each(graco_status (*call)(void), const char *name)
{
    enum { MOST = 10000 };
    long n = 0;
    for (; n < MOST; n++) {
        faults_until = n;
        faults_hit = 0;
        graco_status status = call();
        faults_until = -1;
        if (status == GRACO_OK && faults_hit == 0)
            break;
        CHECK(status == GRACO_ERROR_MEMORY);
    }
    CHECK(n > 0 && n < MOST);
    printf("%s: %ld allocations\n", name, n);
}

#endif
