/* Distances are sums of squares in double, in eight lanes that are added in a fixed order; a row's number depends
 * on that row alone, and the mean is taken in the order of the rows. */
#include "eval/partition.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"

#include <math.h>

enum { WIDE = 8, ROWS_PER_PIECE = 8 };

struct silhouettes {
    const graco_matrix *X;
    const int32_t *cluster;
    int64_t clusters, count;
    int32_t *row;  /* (count) rows that were drawn */
    int64_t *size; /* (clusters) of these */
    double *sum;   /* (threads, clusters) distances of a row, by cluster */
    double *value; /* (count) */
};

static double distance(const float *a, const float *b, int64_t cols)
{
    double lane[WIDE] = {0}, sum = 0;
    int64_t j = 0;
    for (; j + WIDE <= cols; j += WIDE)
        for (int k = 0; k < WIDE; k++) {
            double away = (double)a[j + k] - (double)b[j + k];
            lane[k] += away * away;
        }
    for (; j < cols; j++) {
        double away = (double)a[j] - (double)b[j];
        sum += away * away;
    }
    for (int k = 0; k < WIDE; k++)
        sum += lane[k];
    return sqrt(sum);
}

static double value_of(const struct silhouettes *s, int64_t i, double *sum)
{
    const graco_matrix *X = s->X;
    int32_t own = s->cluster[s->row[i]];
    double nearest = (double)INFINITY;
    if (s->size[own] == 1)
        return 0;
    for (int64_t c = 0; c < s->clusters; c++)
        sum[c] = 0;
    for (int64_t j = 0; j < s->count; j++)
        sum[s->cluster[s->row[j]]] +=
            distance(X->data + s->row[i] * X->cols, X->data + s->row[j] * X->cols, X->cols);
    for (int64_t c = 0; c < s->clusters; c++)
        if (c != own && s->size[c] > 0)
            nearest = fmin(nearest, sum[c] / (double)s->size[c]);
    double within = sum[own] / (double)(s->size[own] - 1), larger = fmax(within, nearest);
    return larger > 0 ? (nearest - within) / larger : 0;
}

static void measure_rows(void *job, struct threads_piece rows)
{
    const struct silhouettes *s = job;
    for (int64_t i = rows.first; i < rows.last; i++)
        s->value[i] = value_of(s, i, s->sum + rows.seat * s->clusters);
}

static graco_status draw_rows(struct silhouettes *s, uint64_t seed)
{
    const struct random_key key = {
        .seed = seed, .stream = RANDOM_CLUSTERS, .view = 1}; /* not the centres' */
    int64_t rows = s->X->rows;
    PASS(memory_alloc(&s->row, rows, sizeof *s->row));
    PASS(memory_zalloc(&s->size, s->clusters, sizeof *s->size));
    for (int64_t i = 0; i < rows; i++)
        s->row[i] = (int32_t)i;
    s->count = rows;
    if (rows > SILHOUETTE_ROWS) {
        random_shuffle(s->row, rows, &key);
        s->count = SILHOUETTE_ROWS;
    }
    for (int64_t i = 0; i < s->count; i++)
        s->size[s->cluster[s->row[i]]]++;
    return GRACO_OK;
}

graco_status silhouette_measure(double *mean, const graco_matrix *X, const int32_t *cluster,
                                int64_t clusters, uint64_t seed, int threads)
{
    graco_status status = GRACO_OK;
    struct silhouettes s = {.X = X, .cluster = cluster, .clusters = clusters};
    int64_t used = 0;
    double sum = 0;
    TRY(draw_rows(&s, seed));
    TRY(memory_alloc(&s.sum, threads * clusters, sizeof *s.sum));
    TRY(memory_alloc(&s.value, s.count, sizeof *s.value));
    for (int64_t c = 0; c < clusters; c++)
        used += s.size[c] > 0;
    bool known = used >= 2 && used < s.count;
    if (known)
        threads_run(threads, s.count, ROWS_PER_PIECE, measure_rows, &s);
    TRY(threads_look());
    for (int64_t i = 0; known && i < s.count; i++)
        sum += s.value[i];
    *mean = known ? sum / (double)s.count : NAN;
done:
    memory_free(s.value);
    memory_free(s.sum);
    memory_free(s.size);
    memory_free(s.row);
    return status;
}
