/* A step looks at two sorted rows of the graph at most. Numbers come from the walk's number and the place,
 * so that no walk waits for another. */
#include "graph/walks.h"

#include "base/random.h"

#include <math.h>

enum { ATTEMPT_SHIFT = 40 }; /* the walk's number below, the attempt above */

/* The nodes that edges lead to from a node, ascending, and sums of the edges' weights; NULL: none. */
struct row {
    const int32_t *node;
    const double *sum;
    uint64_t count;
};

static struct row row_of(const struct graph *graph, int32_t node)
{
    const int64_t *start = graph->out.start + node;
    return (struct row){graph->out.index + start[0],
                        graph->out_sum ? graph->out_sum + start[0] : NULL,
                        (uint64_t)(start[1] - start[0])};
}

/* The node whose share of the weights, which lie side by side, holds the number's. */
static int32_t pick_weighted(struct row row, uint32_t number)
{
    double x = ((double)number + 0.5) * 0x1p-32 * row.sum[row.count - 1];
    uint64_t low = 0, high = row.count - 1;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (row.sum[middle] > x)
            high = middle;
        else
            low = middle + 1;
    }
    return row.node[low];
}

static int32_t pick(struct row row, uint32_t number)
{
    return row.sum ? pick_weighted(row, number) : row.node[number * row.count >> 32];
}

/* Shares of the largest bias, as thresholds of 32 bits. */
struct bias {
    uint64_t back, near, away;
};

static struct bias bias_of(const struct walks *w)
{
    double most = fmax(1, fmax(1 / w->p, 1 / w->q));
    return (struct bias){random_threshold(1 / w->p / most), random_threshold(1 / most),
                         random_threshold(1 / w->q / most)};
}

/* The step from t over a node with this row. */
static int32_t step_biased(const struct walks *w, const struct bias *bias, struct row row,
                           int32_t t, struct random_key *key, int64_t number)
{
    for (uint64_t attempt = 0;; attempt++) {
        uint32_t lane[4];
        random_block(lane, key, (uint64_t)number | attempt << ATTEMPT_SHIFT);
        for (int k = 0; k < 4; k += 2) {
            int32_t x = pick(row, lane[k]);
            uint64_t least = bias->near < bias->away ? bias->near : bias->away;
            if (x == t ? lane[k + 1] < bias->back
                       : lane[k + 1] < least ||
                             lane[k + 1] < (graph_links(w->graph, t, x) ? bias->near : bias->away))
                return x;
        }
    }
}

int64_t walks_draw(int32_t *walk, const struct walks *w, int32_t start, int64_t number)
{
    struct random_key key = {.seed = w->seed, .stream = RANDOM_WALKS};
    bool uniform = w->p == 1 && w->q == 1;
    struct bias bias = bias_of(w);
    uint32_t lane[4];
    walk[0] = start;
    for (int64_t place = 1; place < w->length; place++) {
        struct row row = row_of(w->graph, walk[place - 1]);
        if (row.count == 0)
            return place;
        if (!uniform && place > 1) {
            key.view = 1;
            key.step = (uint32_t)place;
            walk[place] = step_biased(w, &bias, row, walk[place - 2], &key, number);
            continue;
        }
        if (place == 1 || place % 4 == 0) { /* four uniform steps share a block */
            key.step = (uint32_t)place / 4;
            random_block(lane, &key, (uint64_t)number);
        }
        walk[place] = pick(row, lane[place % 4]);
    }
    return w->length;
}
