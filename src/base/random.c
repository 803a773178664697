/* The rounds are Philox's as published; the GPU's kernels have the same ones and give the same bits.
 * Everything else is a way to turn the four words of a block into the number that is asked for. */
#include "base/random.h"

#include <math.h>

void random_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0;
        uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

void random_block(uint32_t out[4], const struct random_key *key, uint64_t block)
{
    const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), key->step,
                                 key->stream << 16 | (key->view & 0xffff)};
    const uint32_t words[2] = {(uint32_t)key->seed, (uint32_t)(key->seed >> 32)};
    random_philox(out, counter, words);
}

/* One block after the other: the processor overlaps their rounds by itself. Sixteen blocks side by
 * side were tried, and were slower on machines without wide registers. */
void random_blocks(uint32_t *out, const struct random_key *key, uint64_t first, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        random_block(out + 4 * i, key, first + (uint64_t)i);
}

uint32_t random_u32(const struct random_key *key, uint64_t element)
{
    uint32_t lanes[4];
    random_block(lanes, key, element / 4);
    return lanes[element % 4];
}

float random_float(const struct random_key *key, uint64_t element)
{
    return (float)(random_u32(key, element) >> 8) * 0x1p-24f;
}

int64_t random_below(const struct random_key *key, uint64_t element, int64_t n)
{
    uint32_t lanes[4];
    random_block(lanes, key, element);
    /* floor(x n / 2^64) with x = lanes 0 and 1 as one number of 64 bits. */
    uint64_t low = (uint64_t)lanes[0] * (uint64_t)n;
    uint64_t high = (uint64_t)lanes[1] * (uint64_t)n;
    return (int64_t)((high + (low >> 32)) >> 32);
}

/* Box and Muller: two uniform numbers give two normal ones. */
void random_normals(double out[4], const struct random_key *key, uint64_t block)
{
    const double pi = 3.14159265358979323846;
    uint32_t lanes[4];
    random_block(lanes, key, block);
    for (int i = 0; i < 4; i += 2) {
        double u = (lanes[i] + 0.5) * 0x1p-32, v = (lanes[i + 1] + 0.5) * 0x1p-32;
        double length = sqrt(-2.0 * log(u));
        out[i] = length * cos(2.0 * pi * v);
        out[i + 1] = length * sin(2.0 * pi * v);
    }
}

double random_normal(const struct random_key *key, uint64_t element)
{
    double four[4];
    random_normals(four, key, element / 4);
    return four[element % 4];
}

uint64_t random_threshold(double p)
{
    if (!(p > 0))
        return 0;
    return p >= 1 ? (uint64_t)1 << 32 : (uint64_t)(p * 0x1p32);
}

void random_shuffle(int32_t *items, int64_t n, const struct random_key *key)
{
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = random_below(key, (uint64_t)i, i + 1);
        int32_t item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}

void random_order(int32_t *order, int64_t n, const struct random_key *key)
{
    for (int64_t i = 0; i < n; i++)
        order[i] = (int32_t)i;
    random_shuffle(order, n, key);
}
