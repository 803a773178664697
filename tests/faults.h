/* Failing allocations on purpose: include this in a test_*_faults.c, which is linked so that every
 * aligned_alloc of the library arrives here. */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H

#include <stddef.h>

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static long faults_until = -1; /* allocations that still succeed; negative: all do */
static long faults_hit;

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    if (faults_until == 0) {
        faults_hit++;
        return NULL;
    }
    if (faults_until > 0)
        faults_until--;
    return __real_aligned_alloc(alignment, size);
}

#endif
