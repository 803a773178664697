/* A node is compared with all others at once: its distances by cosine and in the plane, the k smallest of
 * each, and the rank of those among the other distances, found by counting. Nothing is sorted. */
#include "eval/layout.h"

#include "base/memory.h"
#include "base/threads.h"

#include <math.h>

enum { LANES = 8, K_MAX = 256 };

struct quality {
    const graco_matrix *Z;
    const float *place; /* (nodes, 2) */
    float *inverse;     /* (nodes) 1 / |z|, 0 for rows of zeros */
    double *distance;   /* (threads, 2, nodes) by cosine, in the plane */
    int64_t k, sample;
    double (*missed)[2]; /* (sample) sums of ranks beyond k */
};

/* In LANES sums, so that the compiler may keep them in one register. */
static float dot(const float *a, const float *b, int64_t count)
{
    float lane[LANES] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += a[i + l] * b[i + l];
    for (; i < count; i++)
        sum += a[i] * b[i];
    for (int l = 0; l < LANES; l++)
        sum += lane[l];
    return sum;
}

static void invert_rows(void *job, struct threads_piece rows)
{
    const struct quality *q = job;
    int64_t cols = q->Z->cols;
    for (int64_t i = rows.first; i < rows.last; i++) {
        const float *row = q->Z->data + i * cols;
        double square = 0;
        for (int64_t c = 0; c < cols; c++)
            square += (double)row[c] * (double)row[c];
        q->inverse[i] = square > 0 ? (float)(1 / sqrt(square)) : 0;
    }
}

/* The k nodes of the smallest distances, in order; that of the node itself is infinite. */
static void find_nearest(int64_t *nearest, const double *distance, int64_t nodes, int64_t k)
{
    int64_t count = 0;
    for (int64_t j = 0; j < nodes; j++) {
        if (count == k && !(distance[j] < distance[nearest[k - 1]]))
            continue;
        int64_t at = count < k ? count++ : k - 1;
        for (; at > 0 && distance[nearest[at - 1]] > distance[j]; at--)
            nearest[at] = nearest[at - 1];
        nearest[at] = j;
    }
}

/* How far the nodes listed are beyond rank k by `distance`, added up. */
static double count_missed(const int64_t *listed, const double *distance, int64_t nodes, int64_t k)
{
    double missed = 0;
    for (int64_t n = 0; n < k; n++) {
        int64_t rank = 1, j = listed[n];
        for (int64_t i = 0; i < nodes; i++)
            rank += distance[i] < distance[j] || (distance[i] == distance[j] && i < j);
        missed += (double)(rank > k ? rank - k : 0);
    }
    return missed;
}

static void measure_rows(void *job, struct threads_piece rows)
{
    const struct quality *q = job;
    int64_t nodes = q->Z->rows, cols = q->Z->cols;
    double *by_cosine = q->distance + 2 * nodes * rows.seat, *in_plane = by_cosine + nodes;
    for (int64_t s = rows.first; s < rows.last; s++) {
        int64_t i = s * nodes / q->sample, near[K_MAX], alike[K_MAX];
        const float *row = q->Z->data + i * cols, *at = q->place + 2 * i;
        for (int64_t j = 0; j < nodes; j++) {
            double x = (double)at[0] - (double)q->place[2 * j];
            double y = (double)at[1] - (double)q->place[2 * j + 1];
            float cosine = dot(row, q->Z->data + j * cols, cols) * q->inverse[i] * q->inverse[j];
            in_plane[j] = x * x + y * y;
            by_cosine[j] = -(double)cosine;
        }
        in_plane[i] = by_cosine[i] = INFINITY;
        find_nearest(near, in_plane, nodes, q->k);
        find_nearest(alike, by_cosine, nodes, q->k);
        q->missed[s][0] = count_missed(near, by_cosine, nodes, q->k);
        q->missed[s][1] = count_missed(alike, in_plane, nodes, q->k);
    }
}

graco_status layout_quality(struct layout_quality *out, const graco_matrix *Z, const float *place,
                            int64_t k, int64_t sample, int threads)
{
    graco_status status = GRACO_OK;
    int64_t nodes = Z->rows, most = nodes > 0 ? (nodes - 1) / 2 : 0;
    struct quality q = {.Z = Z, .place = place, .sample = sample < nodes ? sample : nodes};
    struct layout_quality found = {NAN, NAN, 0, 0};
    q.k = k < most ? k : most;
    q.k = q.k < K_MAX ? q.k : K_MAX;
    if (nodes >= 4 && q.k >= 1 && q.sample >= 1) {
        double factor = 2 / ((double)q.sample * (double)q.k * (double)(2 * nodes - 3 * q.k - 1));
        double missed[2] = {0, 0};
        TRY(memory_alloc(&q.inverse, nodes, sizeof *q.inverse));
        TRY(memory_alloc(&q.distance, 2 * nodes * threads, sizeof *q.distance));
        TRY(memory_alloc(&q.missed, q.sample, sizeof *q.missed));
        threads_run(threads, nodes, 256, invert_rows, &q);
        threads_run(threads, q.sample, 1, measure_rows, &q);
        TRY(threads_look());
        for (int64_t s = 0; s < q.sample; s++)
            for (int which = 0; which < 2; which++)
                missed[which] += q.missed[s][which];
        found =
            (struct layout_quality){1 - factor * missed[0], 1 - factor * missed[1], q.k, q.sample};
    }
    *out = found;
done:
    memory_free(q.inverse);
    memory_free(q.distance);
    memory_free(q.missed);
    return status;
}
