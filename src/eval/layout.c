/* The layout follows UMAP (McInnes, Healy and Melville, 2018): neighbours become edges with weights,
 * edges pull their ends together, and nodes drawn at random are pushed apart.
 *
 * UMAP moves the two ends of one edge at a time, so its result depends on who comes first. Here an epoch
 * reads the places of the epoch before: each node goes on its own through its edges, against
 * neighbours that stand still. So threads may share the nodes as they like. The pull is that of UMAP's
 * curve 1 / (1 + a d^2b) with b = 1, which needs no power. */
#include "eval/layout.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "sparse/csr.h"

#include <math.h>
#include <string.h>

enum {
    ROWS_PER_PIECE = 256,
    PARTS = 64,      /* of a sum over nodes: fixed, so that threads never change it */
    HALVINGS = 40,   /* to find the width of a node's neighbourhood */
    WALKS = 120,     /* steps of the walk that gives the first places */
    STRAIGHTEN = 10, /* of them between two orthogonalisations */
    NEGATIVES = 4,   /* nodes that push for each that pulls: one block of random numbers */
    EPOCHS_SMALL = 500,
    EPOCHS_LARGE = 200,
};

static const float CURVE = 1.6f;     /* a: fits places 0.1 apart for the nearest nodes */
static const float PULL = 0.6f;      /* of an edge beside one push: the most faithful of 0.6 to 2 */
static const float STEP_MAX = 4.0f;  /* of one pull or push, along either axis */
static const float CLOSE = 0.001f;   /* keeps the push of nodes in one place finite */
static const double FIRST_SIZE = 10; /* of the first places at most, about as wide as the last */
static const double FIRST_APART = 0.25; /* their size over the root of the nodes */
static const double FIRST_NOISE = 1e-2; /* tells apart nodes with the same neighbours */
static const double GOLDEN = 0.6180339887498949;

struct layout {
    const struct layout_neighbours *near;
    int64_t nodes;
    int threads;
    uint64_t seed;
    float *weight;    /* (nodes, k) of a node's own neighbours; 0: is none */
    struct csr edges; /* symmetric, weights above 0 */
    float *from, *to; /* (nodes, 2) places before and after an epoch */
    int64_t epoch;
    float rate; /* falls from 1 to 0 */
};

/* ---- Weights --------------------------------------------------------------------------------- */

/* exp(-(d - nearest) / width) with the width for which the weights of a row add up to log2(k). */
static void weigh_row(float *weight, const float *score, int64_t k)
{
    double low = 0, high = INFINITY, width = 1, nearest = 0, wanted = log2((double)k);
    int64_t count = 0;
    while (count < k && score[count] > 0)
        count++;
    for (int64_t j = count; j-- > 0;)
        if (score[j] < 1)
            nearest = 1 - (double)score[j];
    for (int step = 0; step < HALVINGS; step++) {
        double sum = 0;
        for (int64_t j = 0; j < count; j++)
            sum += exp(-fmax(1 - (double)score[j] - nearest, 0) / width);
        if (sum > wanted)
            high = width;
        else
            low = width;
        width = isinf(high) ? width * 2 : (low + high) / 2;
    }
    width = fmax(width, 1e-9);
    for (int64_t j = 0; j < k; j++)
        weight[j] = j < count ? (float)exp(-fmax(1 - (double)score[j] - nearest, 0) / width) : 0;
}

static void weigh_rows(void *job, struct threads_piece rows)
{
    const struct layout *l = job;
    int64_t k = l->near->k;
    for (int64_t i = rows.first; i < rows.last; i++)
        weigh_row(l->weight + i * k, l->near->score + i * k, k);
}

/* Two entries of one edge become one, of weight a + b - ab. Rows are sorted. */
static void merge_edges(struct csr *edges)
{
    int64_t out = 0, first = 0;
    for (int64_t i = 0; i < edges->rows; i++) {
        int64_t begin = out, last = edges->start[i + 1];
        for (int64_t e = first; e < last; e++) {
            float w = edges->value[e];
            if (out > begin && edges->index[out - 1] == edges->index[e]) {
                edges->value[out - 1] += w - w * edges->value[out - 1];
                continue;
            }
            edges->index[out] = edges->index[e];
            edges->value[out++] = w;
        }
        first = last;
        edges->start[i + 1] = out;
    }
}

/* Weights too small for one pull in all epochs are left out: they would still decide who is
 * connected. */
static graco_status connect(struct layout *l, float smallest)
{
    graco_status status = GRACO_OK;
    int32_t *row = NULL, *col = NULL;
    float *value = NULL;
    int64_t k = l->near->k, pairs = 0;
    TRY(memory_alloc(&l->weight, l->nodes * k, sizeof *l->weight));
    threads_run(l->threads, l->nodes, ROWS_PER_PIECE, weigh_rows, l);
    TRY(threads_look());
    TRY(memory_alloc(&row, 2 * l->nodes * k, sizeof *row));
    TRY(memory_alloc(&col, 2 * l->nodes * k, sizeof *col));
    TRY(memory_alloc(&value, 2 * l->nodes * k, sizeof *value));
    for (int64_t i = 0; i < l->nodes; i++)
        for (int64_t e = i * k; e < (i + 1) * k; e++) {
            int64_t j = l->near->index[e];
            if (l->weight[e] < smallest || j == i)
                continue;
            row[pairs] = col[pairs + 1] = (int32_t)i;
            col[pairs] = row[pairs + 1] = (int32_t)j;
            value[pairs] = value[pairs + 1] = l->weight[e];
            pairs += 2;
        }
    TRY(csr_from_pairs(&l->edges, l->nodes, l->nodes, pairs, row, col, value));
    TRY(csr_sort(&l->edges));
    merge_edges(&l->edges);
done:
    memory_free(row);
    memory_free(col);
    memory_free(value);
    memory_free(l->weight);
    l->weight = NULL;
    return status;
}

/* ---- First places ---------------------------------------------------------------------------- */

/* The leading components of the graph, by a lazy walk on two columns: x_i = half of x_i and half of the
 * mean over neighbours. What changes slowly along edges stays, all else decays. */
static void walk_rows(void *job, struct threads_piece rows)
{
    const struct layout *l = job;
    for (int64_t i = rows.first; i < rows.last; i++) {
        double sum = 0, x = 0, y = 0;
        for (int64_t e = l->edges.start[i]; e < l->edges.start[i + 1]; e++) {
            const float *other = l->from + 2 * (int64_t)l->edges.index[e];
            double w = (double)l->edges.value[e];
            sum += w;
            x += w * (double)other[0];
            y += w * (double)other[1];
        }
        l->to[2 * i] = sum > 0 ? (float)((double)l->from[2 * i] / 2 + x / sum / 2) : 0;
        l->to[2 * i + 1] = sum > 0 ? (float)((double)l->from[2 * i + 1] / 2 + y / sum / 2) : 0;
    }
}

static void draw_rows(void *job, struct threads_piece rows)
{
    struct layout *l = job;
    struct random_key key = {l->seed, RANDOM_LAYOUT, 0, 0};
    for (int64_t i = rows.first; i < rows.last; i++)
        for (int c = 0; c < 2; c++)
            l->from[2 * i + c] = (float)random_normal(&key, (uint64_t)(2 * i + c));
}

/* Sums of 1, x, y, xx, xy, yy over nodes, each counted by the weights of its edges. */
struct axis_sums {
    const struct layout *l;
    double part[PARTS][6];
};

static void sum_parts(void *job, struct threads_piece parts)
{
    struct axis_sums *m = job;
    const struct layout *l = m->l;
    for (int64_t p = parts.first; p < parts.last; p++) {
        double *sum = m->part[p];
        memset(sum, 0, sizeof m->part[p]);
        for (int64_t i = l->nodes * p / PARTS; i < l->nodes * (p + 1) / PARTS; i++) {
            double w = 0, x = (double)l->from[2 * i], y = (double)l->from[2 * i + 1];
            for (int64_t e = l->edges.start[i]; e < l->edges.start[i + 1]; e++)
                w += (double)l->edges.value[e];
            double terms[6] = {w, w * x, w * y, w * x * x, w * x * y, w * y * y};
            for (int t = 0; t < 6; t++)
                sum[t] += terms[t];
        }
    }
}

/* Takes the mean out of both columns and the first out of the second, and makes both of length one. */
static void straighten(struct layout *l)
{
    struct axis_sums m = {.l = l};
    double s[6] = {0};
    threads_run(l->threads, PARTS, 1, sum_parts, &m);
    for (int p = 0; p < PARTS; p++)
        for (int t = 0; t < 6; t++)
            s[t] += m.part[p][t];
    if (!(s[0] > 0))
        return;
    for (int t = 1; t < 6; t++)
        s[t] /= s[0];
    double xx = s[3] - s[1] * s[1], xy = s[4] - s[1] * s[2], yy = s[5] - s[2] * s[2];
    double turn = xx > 0 ? xy / xx : 0, rest = yy - turn * xy;
    double a = xx > 0 ? 1 / sqrt(xx) : 0, b = rest > 1e-12 * yy && rest > 0 ? 1 / sqrt(rest) : 0;
    for (int64_t i = 0; i < l->nodes; i++) {
        double x = (double)l->from[2 * i] - s[1], y = (double)l->from[2 * i + 1] - s[2];
        l->from[2 * i] = (float)(a * x);
        l->from[2 * i + 1] = (float)(b * (y - turn * x));
    }
}

static void swap_places(struct layout *l)
{
    float *other = l->from;
    l->from = l->to;
    l->to = other;
}

/* Small parts of the graph may lie many deviations away from the rest: tanh keeps them near. */
static void place_first(struct layout *l)
{
    struct random_key key = {l->seed, RANDOM_LAYOUT, 1, 0};
    threads_run(l->threads, l->nodes, ROWS_PER_PIECE, draw_rows, l);
    for (int step = 0; step < WALKS; step++) {
        if (step % STRAIGHTEN == 0)
            straighten(l);
        threads_run(l->threads, l->nodes, ROWS_PER_PIECE, walk_rows, l);
        swap_places(l);
    }
    straighten(l);
    double size = fmin(FIRST_SIZE, FIRST_APART * sqrt((double)l->nodes));
    for (int64_t i = 0; i < 2 * l->nodes; i++) {
        double noise = FIRST_NOISE * random_normal(&key, (uint64_t)i);
        l->from[i] = (float)(size * tanh((double)l->from[i]) + noise);
    }
}

/* ---- Epochs ---------------------------------------------------------------------------------- */

static float limit(float step)
{
    return step > STEP_MAX ? STEP_MAX : step < -STEP_MAX ? -STEP_MAX : step;
}

/* How often an edge pulls in this epoch: its weight, as whole numbers that add up to it over epochs.
 * Edges begin at different fractions, lest all weak ones pull in the same epoch. */
static int pulls(double weight, int64_t edge, int64_t epoch)
{
    double begin = (double)edge * GOLDEN;
    begin -= floor(begin);
    return (int)(floor(begin + weight * (double)(epoch + 1)) -
                 floor(begin + weight * (double)epoch));
}

static void push(float at[2], const struct layout *l, int64_t node, int64_t edge)
{
    struct random_key key = {l->seed, RANDOM_LAYOUT, 2, (uint32_t)l->epoch};
    uint32_t draw[NEGATIVES];
    random_block(draw, &key, (uint64_t)edge);
    for (int n = 0; n < NEGATIVES; n++) {
        int64_t j = (int64_t)(((uint64_t)draw[n] * (uint64_t)l->nodes) >> 32);
        if (j == node)
            continue;
        float x = at[0] - l->from[2 * j], y = at[1] - l->from[2 * j + 1];
        float d = x * x + y * y;
        float force = 2 / ((CLOSE + d) * (1 + CURVE * d));
        at[0] += l->rate * limit(force * x);
        at[1] += l->rate * limit(force * y);
    }
}

static void move_rows(void *job, struct threads_piece rows)
{
    const struct layout *l = job;
    for (int64_t i = rows.first; i < rows.last; i++) {
        float at[2] = {l->from[2 * i], l->from[2 * i + 1]};
        for (int64_t e = l->edges.start[i]; e < l->edges.start[i + 1]; e++) {
            if (pulls((double)l->edges.value[e], e, l->epoch) == 0)
                continue;
            const float *other = l->from + 2 * (int64_t)l->edges.index[e];
            float x = at[0] - other[0], y = at[1] - other[1];
            float force = -2 * CURVE * PULL / (1 + CURVE * (x * x + y * y));
            at[0] += l->rate * limit(force * x);
            at[1] += l->rate * limit(force * y);
            push(at, l, i, e);
        }
        l->to[2 * i] = at[0];
        l->to[2 * i + 1] = at[1];
    }
}

/* ---- Nodes without neighbours ---------------------------------------------------------------- */

/* Moves the middle of the others to 0, and puts nodes without edges on a disc below them, in the
 * spiral of a sunflower. */
static void place_lonely(struct layout *l)
{
    const double turn = 2.399963229728653; /* the golden angle */
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    int64_t lonely = 0, number = 0;
    for (int64_t i = 0; i < l->nodes; i++) {
        if (l->edges.start[i] == l->edges.start[i + 1]) {
            lonely++;
            continue;
        }
        for (int c = 0; c < 2; c++) {
            low[c] = fmin(low[c], (double)l->from[2 * i + c]);
            high[c] = fmax(high[c], (double)l->from[2 * i + c]);
        }
    }
    for (int c = 0; c < 2; c++)
        if (lonely == l->nodes)
            low[c] = high[c] = 0;
    double size = fmax(high[0] - low[0], high[1] - low[1]);
    double apart = size > 0 ? 0.4 * size / sqrt((double)l->nodes) : 1;
    double disc = apart * sqrt((double)lonely);
    double middle[2] = {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2};
    for (int64_t i = 0; i < l->nodes; i++) {
        if (l->edges.start[i] != l->edges.start[i + 1]) {
            l->from[2 * i] = (float)((double)l->from[2 * i] - middle[0]);
            l->from[2 * i + 1] = (float)((double)l->from[2 * i + 1] - middle[1]);
            continue;
        }
        double r = apart * sqrt((double)number), angle = turn * (double)number;
        double down = lonely < l->nodes ? (low[1] - high[1]) / 2 - disc - 0.05 * size : 0;
        l->from[2 * i] = (float)(r * cos(angle));
        l->from[2 * i + 1] = (float)(down + r * sin(angle));
        number++;
    }
}

graco_status layout_fit(float *place, const struct layout_neighbours *near,
                        const struct layout_options *options)
{
    graco_status status = GRACO_OK;
    struct layout l = {.near = near,
                       .nodes = near->nodes,
                       .threads = threads_count(options->threads),
                       .seed = options->seed};
    int64_t epochs = options->epochs;
    if (epochs == 0)
        epochs = near->nodes <= LAYOUT_SMALL ? EPOCHS_SMALL : EPOCHS_LARGE;
    TRY(connect(&l, 1 / (float)epochs));
    TRY(memory_alloc(&l.from, 2 * l.nodes, sizeof *l.from));
    TRY(memory_alloc(&l.to, 2 * l.nodes, sizeof *l.to));
    place_first(&l);
    for (l.epoch = 0; l.epoch < epochs; l.epoch++) {
        TRY(threads_look());
        l.rate = 1 - (float)l.epoch / (float)epochs;
        threads_run(l.threads, l.nodes, ROWS_PER_PIECE, move_rows, &l);
        swap_places(&l);
    }
    TRY(threads_look());
    place_lonely(&l);
    memcpy(place, l.from, (size_t)(2 * l.nodes) * sizeof *place);
done:
    csr_clear(&l.edges);
    memory_free(l.from);
    memory_free(l.to);
    return status;
}
