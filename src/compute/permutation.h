/* A random permutation of 0 .. n - 1 of which every place is a function of a key: nothing is shuffled,
 * so any thread of any device finds its part. It is a Feistel network over the next power of 4, whose
 * rounds are keyed by two blocks of Philox; places of n and above are sent on until they fall below
 * (cycle walking), which takes 4 times at most on average. The CPU and the GPU compile the same text. */
#ifndef COMPUTE_PERMUTATION_H
#define COMPUTE_PERMUTATION_H

#include "base/extensions.h"

#include <stdint.h>

enum { PERMUTATION_ROUNDS = 8 };

/* The halves that a place is cut into have so many bits. */
EXT_DEVICE static inline int permutation_bits(int64_t n)
{
    int bits = 1;
    while ((int64_t)1 << 2 * bits < n)
        bits++;
    return bits;
}

/* Where place i goes, under a key of PERMUTATION_ROUNDS words. */
EXT_DEVICE static inline int64_t permutation_at(const uint32_t *words, int bits, int64_t n,
                                                int64_t i)
{
    const uint32_t mask = ((uint32_t)1 << bits) - 1;
    uint64_t place = (uint64_t)i;
    do {
        uint32_t left = (uint32_t)(place >> bits), right = (uint32_t)place & mask;
        for (int round = 0; round < PERMUTATION_ROUNDS; round++) {
            uint32_t mixed = (right ^ words[round]) * 0x9E3779B1u;
            mixed = (mixed ^ mixed >> 15) * 0x85EBCA77u;
            mixed ^= mixed >> 13;
            uint32_t next = left ^ (mixed & mask);
            left = right;
            right = next;
        }
        place = (uint64_t)left << bits | right;
    } while (place >= (uint64_t)n);
    return (int64_t)place;
}

#endif
