/* A list of the best neighbours so far, for every back end: a heap with its worst neighbour on top.
 *
 * A neighbour is one number, its rank: the bits of its score, turned so that they order as scores do, above
 * those of its row, turned so that the lower row ranks higher. Ranks are all different, so a list comes to
 * hold the same neighbours in whatever order they are offered. */
#ifndef COMPUTE_NEIGHBOUR_HEAP_H
#define COMPUTE_NEIGHBOUR_HEAP_H

#include "compute/operands.h"

#include <math.h>
#include <string.h>

static const uint32_t HEAP_SIGN = 0x80000000u;

/* A score is any number but NaN; -0 ranks as 0. */
EXT_DEVICE static inline uint64_t heap_rank(float score, int64_t row)
{
    uint32_t bits;
    score += 0.0f;
    memcpy(&bits, &score, sizeof bits);
    bits = bits & HEAP_SIGN ? ~bits : bits | HEAP_SIGN;
    return (uint64_t)bits << 32 | ~(uint32_t)row;
}

EXT_DEVICE static inline int64_t heap_row(uint64_t rank)
{
    return (int64_t) ~(uint32_t)rank;
}

EXT_DEVICE static inline float heap_score(uint64_t rank)
{
    uint32_t bits = (uint32_t)(rank >> 32);
    float score;
    bits = bits & HEAP_SIGN ? bits & ~HEAP_SIGN : ~bits;
    memcpy(&score, &bits, sizeof score);
    return score;
}

/* Puts a rank on top and lets it sink to its place. */
EXT_DEVICE static inline void heap_sink(uint64_t *heap, int64_t count, uint64_t moved)
{
    int64_t at = 0;
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count)
            child += heap[child + 1] < heap[child];
        if (heap[child] >= moved)
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

EXT_DEVICE static inline void heap_init(uint64_t *heap, int64_t k)
{
    for (int64_t i = 0; i < k; i++)
        heap[i] = heap_rank(-INFINITY, INT32_MAX);
}

EXT_DEVICE static inline void heap_offer(uint64_t *heap, int64_t k, float score, int64_t row)
{
    uint64_t rank = heap_rank(score, row);
    if (rank > heap[0])
        heap_sink(heap, k, rank);
}

/* The lowest score with which a row from `first` on can enter the list: one that only equals the worst's
 * needs a lower row. Without that, rows that are all alike would pass every bar. */
EXT_DEVICE static inline float heap_bar(const uint64_t *heap, int64_t first)
{
    uint64_t next = first > heap_row(heap[0]) ? (uint64_t)1 << 32 : 0;
    return heap_score(heap[0] + next);
}

/* The best first; no heap any more. */
EXT_DEVICE static inline void heap_sort(uint64_t *heap, int64_t k)
{
    for (int64_t last = k - 1; last > 0; last--) {
        uint64_t worst = heap[0];
        heap_sink(heap, last, heap[last]);
        heap[last] = worst;
    }
}

#endif
