/* The nearest neighbours of each row: all products, then k times the best that is left. */
#include "compute/neighbour_heap.h"
#include "reference/reference.h"

#include <math.h>

static double product(const struct neighbour_search *s, int64_t a, int64_t b)
{
    double sum = 0;
    for (int64_t j = 0; j < s->d; j++)
        sum +=
            (double)(s->Z[a * s->d + j] * s->scale[a]) * (double)(s->Z[b * s->d + j] * s->scale[b]);
    return sum;
}

graco_status ref_neighbours(struct context *c, const struct neighbour_search *s)
{
    graco_status status = GRACO_OK;
    double *left = NULL; /* (n) products that are left; -infinity: taken */
    TRY(context_take(c, &left, s->n, sizeof *left));
    for (int64_t i = 0; i < s->asked; i++) {
        int64_t row = s->list ? s->list[i] : i;
        for (int64_t j = 0; j < s->n; j++)
            left[j] = j == row ? (double)-INFINITY : product(s, row, j);
        for (int64_t rank = 0; rank < s->k; rank++) {
            int64_t best = 0;
            for (int64_t j = 1; j < s->n; j++)
                best = left[j] > left[best] ? j : best;
            s->best[i * s->k + rank] = heap_rank((float)left[best], best);
            left[best] = (double)-INFINITY;
        }
    }
done:
    context_give(c, left);
    return status;
}
