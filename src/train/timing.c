/* Times of epochs. When the room is full, every second one is dropped and from then on only every
 * second epoch is kept: so the kept ones stay evenly spaced. */
#include "train/timing.h"

#include "base/memory.h"
#include "base/number.h"

graco_status timing_init(struct timing *timing, int64_t epochs)
{
    *timing = (struct timing){.stride = 1};
    timing->room = epochs < 1 ? 1 : epochs < TIMING_KEPT ? epochs : TIMING_KEPT;
    return memory_alloc(&timing->seconds, timing->room, sizeof *timing->seconds);
}

void timing_add(struct timing *timing, double seconds)
{
    if (timing->count++ % timing->stride != 0)
        return;
    if (timing->kept == timing->room) {
        /* Every second one goes. The new one stays if it is on the wider stride, which it is when
         * the room is even. */
        timing->kept = (timing->kept + 1) / 2;
        for (int64_t i = 1; i < timing->kept; i++)
            timing->seconds[i] = timing->seconds[2 * i];
        timing->stride *= 2;
        if ((timing->count - 1) % timing->stride != 0)
            return;
    }
    timing->seconds[timing->kept++] = seconds;
}

double timing_median(struct timing *timing)
{
    return timing->kept > 0 ? number_median(timing->seconds, timing->kept) : 0;
}

void timing_clear(struct timing *timing)
{
    memory_free(timing->seconds);
    *timing = (struct timing){0};
}
