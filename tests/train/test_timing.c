/* The median of epoch times: exact while they all fit, and that of an even sample beyond. */
#include "check.h"
#include "train/timing.h"

static double median_of(int64_t room, int64_t count)
{
    struct timing timing;

    CHECK_OK(timing_init(&timing, room));
    for (int64_t i = 0; i < count; i++)
        timing_add(&timing, (double)((i * 7919) % count)); /* 0 .. count - 1 in disorder */
    CHECK(timing.count == count && timing.kept <= timing.room && timing.room <= TIMING_KEPT);
    double median = timing_median(&timing);
    timing_clear(&timing);
    return median;
}

/* Every stride keeps its own epochs and no other. */
static void test_sample(int64_t room)
{
    struct timing timing;
    bool right = true;

    CHECK_OK(timing_init(&timing, room));
    for (int64_t i = 0; i < 1000; i++) {
        timing_add(&timing, (double)i);
        int64_t expected = i / timing.stride + 1;
        right = right && timing.kept == expected;
        for (int64_t k = 0; k < timing.kept; k++)
            right = right && timing.seconds[k] == (double)(k * timing.stride);
    }
    CHECK(right);
    timing_clear(&timing);
}

int main(void)
{
    struct timing timing;

    CHECK(median_of(10, 0) == 0);
    CHECK(median_of(0, 0) == 0);
    CHECK(median_of(1, 1) == 0);
    CHECK(median_of(101, 101) == 50);
    CHECK(median_of(100, 100) == 49.5);
    CHECK(median_of(TIMING_KEPT, TIMING_KEPT) == (TIMING_KEPT - 1) / 2.0);
    /* Five times as many as are kept: within a hundredth of the middle. */
    CHECK(fabs(median_of(INT64_MAX, 5 * TIMING_KEPT + 1) / (2.5 * TIMING_KEPT) - 1) < 0.01);
    for (int64_t room = 1; room < 20; room++)
        test_sample(room);
    CHECK_OK(timing_init(&timing, INT64_MAX)); /* no allocation of 2^63 numbers */
    timing_clear(&timing);
    return check_result();
}
