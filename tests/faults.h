/* Failing allocations on purpose: include this in a test_*_faults.c, which is linked so that every
 * aligned_alloc of the library arrives here. */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H

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

#endif
