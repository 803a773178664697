/* Items are sorted by score, the highest first, and counted once over runs of equal scores. */
#include "eval/ranking.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

struct ranked_item {
    double score;
    bool positive;
};

static int by_score(const void *a, const void *b)
{
    double left = ((const struct ranked_item *)a)->score,
           right = ((const struct ranked_item *)b)->score;
    return (left < right) - (left > right);
}

graco_status ranking_measure(struct ranking *out, const double *score, const uint8_t *positive,
                             int64_t count)
{
    graco_status status = GRACO_OK;
    struct ranked_item *items = NULL;
    double hits = 0, misses = 0, all = 0, area = 0, precision = 0;
    TRY(memory_alloc(&items, count, sizeof *items));
    for (int64_t i = 0; i < count; i++) {
        items[i] = (struct ranked_item){score[i], positive[i]};
        all += items[i].positive;
    }
    qsort(items, (size_t)count, sizeof *items, by_score);
    for (int64_t i = 0; i < count;) {
        double more = 0, less = 0, tied = items[i].score;
        for (; i < count && items[i].score == tied; i++) {
            more += items[i].positive;
            less += !items[i].positive;
        }
        area += less * (hits + more / 2);
        hits += more;
        misses += less;
        precision += more * hits / (hits + misses);
    }
    out->auc = hits > 0 && misses > 0 ? area / (hits * misses) : NAN;
    out->average_precision = hits > 0 && misses > 0 ? precision / all : NAN;
done:
    memory_free(items);
    return status;
}
