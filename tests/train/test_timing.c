/* The median of epoch times: exact while they all fit, and that of an even sample beyond. */
#include "check.h"
#include "train/timing.h"

static double median_of(int64_t count)
{
    struct timing timing = {.kept = 0};
    for (int64_t i = 0; i < count; i++)
        timing_add(&timing, (double)((i * 7919) % count)); /* 0 .. count - 1 in disorder */
    CHECK(timing.count == count && timing.kept <= TIMING_KEPT);
    return timing_median(&timing);
}

/* Every stride keeps its own epochs and no other. */
static void test_sample(void)
{
    struct timing timing = {.kept = 0};
    bool right = true;
    for (int64_t i = 0; i < 20 * TIMING_KEPT; i++) {
        timing_add(&timing, (double)i);
        int64_t stride = (int64_t)1 << timing.halvings;
        right = right && timing.kept == i / stride + 1;
        for (int64_t k = 0; k < timing.kept; k += 7)
            right = right && timing.seconds[k] == (double)(k * stride);
    }
    CHECK(right && timing.halvings == 5);
}

int main(void)
{
    CHECK(median_of(0) == 0);
    CHECK(median_of(1) == 0);
    CHECK(median_of(101) == 50);
    CHECK(median_of(TIMING_KEPT - 1) == TIMING_KEPT / 2 - 1);
    /* Five times as many as are kept: within a hundredth of the middle. */
    CHECK(fabs(median_of(5 * TIMING_KEPT + 1) / (2.5 * TIMING_KEPT) - 1) < 0.01);
    test_sample();
    return check_result();
}
