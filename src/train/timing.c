/* Times of epochs. When the room is full, every second one is dropped and from then on only every
 * second epoch is kept: so the kept ones stay evenly spaced. */
#include "train/timing.h"

#include "base/number.h"

void timing_add(struct timing *timing, double seconds)
{
    if (timing->count++ % ((int64_t)1 << timing->halvings) != 0)
        return;
    if (timing->kept == TIMING_KEPT) { /* an even number: the new one is on the wider stride too */
        timing->kept /= 2;
        for (int64_t i = 1; i < timing->kept; i++)
            timing->seconds[i] = timing->seconds[2 * i];
        timing->halvings++;
    }
    timing->seconds[timing->kept++] = seconds;
}

double timing_median(struct timing *timing)
{
    return timing->kept > 0 ? number_median(timing->seconds, timing->kept) : 0;
}
