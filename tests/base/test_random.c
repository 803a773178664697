#include "base/random.h"

#include "check.h"

/* Known answers of the reference implementation (Random123, kat_vectors: philox4x32, 10 rounds). */
static void known_answers(void)
{
    static const struct {
        uint32_t counter[4], key[2], answer[4];
    } cases[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t out[4];
        random_philox(out, cases[i].counter, cases[i].key);
        CHECK(memcmp(out, cases[i].answer, sizeof out) == 0);
    }
}

/* Streams, views, steps, seeds and elements all change the number. */
static void keys_differ(void)
{
    struct random_key base = {.seed = 1, .stream = RANDOM_EDGES, .view = 0, .step = 5};
    struct random_key other[] = {base, base, base, base};
    other[0].seed = 1 + ((uint64_t)1 << 32);
    other[1].stream = RANDOM_FEATURES;
    other[2].view = 1;
    other[3].step = 6;
    uint32_t number = random_u32(&base, 7);
    for (int i = 0; i < 4; i++)
        CHECK(random_u32(&other[i], 7) != number);
    CHECK(random_u32(&base, 7 + ((uint64_t)1 << 34)) != number);
    CHECK(random_u32(&base, 7) == number);
}

/* Several blocks at once are the blocks one by one, also where the counter's low word ends. */
static void blocks_agree(void)
{
    const struct random_key key = {.seed = 77, .stream = RANDOM_NEIGHBOURS, .view = 2, .step = 9};
    const uint64_t first[] = {0, 5, UINT32_MAX - 2};
    for (int i = 0; i < 3; i++) {
        uint32_t many[4 * 7], one[4];
        random_blocks(many, &key, first[i], 7);
        for (uint64_t b = 0; b < 7; b++) {
            random_block(one, &key, first[i] + b);
            CHECK(memcmp(many + 4 * b, one, sizeof one) == 0);
        }
    }
}

static void distributions(void)
{
    struct random_key key = {.seed = 3, .stream = RANDOM_SPLITS};
    enum { DRAWS = 200000, SIDES = 7 };
    double mean = 0, square = 0;
    int64_t counts[SIDES] = {0}, hits = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        double x = random_normal(&key, i);
        mean += x / DRAWS;
        square += x * x / DRAWS;
        int64_t side = random_below(&key, i, SIDES);
        CHECK(side >= 0 && side < SIDES);
        counts[side]++;
        hits += random_u32(&key, i) < random_threshold(0.3);
    }
    CHECK(fabs(mean) < 0.01 && fabs(square - 1) < 0.02);
    for (int i = 0; i < SIDES; i++)
        CHECK(fabs((double)counts[i] / DRAWS - 1.0 / SIDES) < 0.004);
    CHECK(fabs((double)hits / DRAWS - 0.3) < 0.004);
    CHECK(random_threshold(0) == 0 && random_threshold(1) == (uint64_t)1 << 32);
}

static void shuffles(void)
{
    enum { N = 1000 };
    struct random_key key = {.seed = 3, .stream = RANDOM_ORDER};
    int32_t items[N];
    bool seen[N] = {false};
    int fixed = 0;
    for (int i = 0; i < N; i++)
        items[i] = i;
    random_shuffle(items, N, &key);
    for (int i = 0; i < N; i++) {
        CHECK(!seen[items[i]]);
        seen[items[i]] = true;
        fixed += items[i] == i;
    }
    CHECK(fixed < 10);
}

int main(void)
{
    known_answers();
    keys_differ();
    blocks_agree();
    distributions();
    shuffles();
    return check_result();
}
