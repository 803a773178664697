/* Kinds of work, their names, and the seconds that so many units of each take at measured rates. */
#include "compute/work.h"

#include "graco_command.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

static_assert((int)WORK_COUNT == (int)GRACO_RATES, "graco.h says how many rates there are");

const char *graco_rate_name(int index)
{
    static const char *const names[] = {
#define KIND(name, word) word,
        WORK_KINDS(KIND)
#undef KIND
    };
    return index >= 0 && index < WORK_COUNT ? names[index] : NULL;
}

void work_add(struct work_units *work, enum work_kind near, double units, double bytes)
{
    bool beyond = bytes > WORK_MIDDLE;
    double from = beyond ? WORK_MIDDLE : WORK_NEAR, to = beyond ? WORK_FAR : WORK_MIDDLE;
    double share = fmin(fmax(log2(fmax(bytes, 1) / from) / log2(to / from), 0), 1);
    work->units[near + beyond] += (1 - share) * units;
    work->units[near + beyond + 1] += share * units;
}

void work_add_all(struct work_units *work, const struct work_units *other, double times)
{
    for (int kind = 0; kind < WORK_COUNT; kind++)
        work->units[kind] += times * other->units[kind];
}

double work_seconds(const struct work_units *work, const graco_rates *rates)
{
    double seconds = 0;
    for (int kind = 0; kind < WORK_COUNT; kind++)
        seconds += work->units[kind] * rates->seconds[kind];
    return seconds;
}
