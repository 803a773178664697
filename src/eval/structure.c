/* Clusters come from spherical k-means of the centred rows: embeddings share a large common direction,
 * which says nothing of a node. Either number is a mean over a few clusterings, for one depends on where
 * it started. */
#include "eval/structure.h"

#include "base/memory.h"
#include "base/threads.h"
#include "eval/kmeans.h"
#include "eval/protocol.h"

#include <math.h>

enum {
    ROWS = 64, /* that a thread takes at a time */
    COLUMNS = 16,
    STARTS = 2, /* of a clustering */
};

/* ---- Edges ----------------------------------------------------------------------------------- */

graco_status structure_modularity(double *Q, const struct graph *graph, const int32_t *cluster,
                                  int64_t clusters)
{
    const struct csr *in = &graph->in;
    double *leaving = NULL, *entering, all = 0, within = 0, expected = 0;
    PASS(memory_zalloc(&leaving, 2 * clusters, sizeof *leaving));
    entering = leaving + clusters;
    for (int64_t target = 0; target < graph->nodes; target++)
        for (int64_t e = in->start[target]; e < in->start[target + 1]; e++) {
            double weight = in->value ? (double)in->value[e] : 1;
            int32_t from = cluster[in->index[e]], to = cluster[target];
            all += weight;
            within += from == to ? weight : 0;
            leaving[from] += weight;
            entering[to] += weight;
        }
    for (int64_t c = 0; c < clusters && all > 0; c++)
        expected += leaving[c] / all * (entering[c] / all);
    *Q = all > 0 ? within / all - expected : (double)NAN;
    memory_free(leaving);
    return GRACO_OK;
}

/* ---- Features -------------------------------------------------------------------------------- */

struct energy {
    const struct features *X;
    const int32_t *cluster;
    int64_t clusters;
    double *scale; /* (rows) 1 / |x|, or 0 */
    double *sum;   /* (clusters, cols) of the scaled rows */
};

static double scale_of(double square)
{
    return square > 0 ? 1 / sqrt(square) : 0;
}

static void find_scales(void *job, struct threads_piece rows)
{
    const struct energy *e = job;
    const struct features *X = e->X;
    for (int64_t i = rows.first; i < rows.last; i++) {
        double square = 0;
        for (int64_t j = 0; X->dense && j < X->cols; j++)
            square += (double)X->dense[i * X->cols + j] * (double)X->dense[i * X->cols + j];
        for (int64_t k = X->dense ? 0 : X->sparse.start[i]; !X->dense && k < X->sparse.start[i + 1];
             k++)
            square += X->sparse.value ? (double)X->sparse.value[k] * (double)X->sparse.value[k] : 1;
        e->scale[i] = scale_of(square);
    }
}

static void sum_dense(void *job, struct threads_piece columns)
{
    const struct energy *e = job;
    for (int64_t i = 0; i < e->X->rows; i++) {
        double *sum = e->sum + e->cluster[i] * e->X->cols;
        const float *x = e->X->dense + i * e->X->cols;
        for (int64_t j = columns.first; j < columns.last; j++)
            sum[j] += e->scale[i] * (double)x[j];
    }
}

static void sum_sparse(const struct energy *e)
{
    const struct csr *X = &e->X->sparse;
    for (int64_t i = 0; i < X->rows; i++)
        for (int64_t k = X->start[i]; k < X->start[i + 1]; k++)
            e->sum[e->cluster[i] * X->cols + X->index[k]] +=
                e->scale[i] * (X->value ? (double)X->value[k] : 1);
}

/* The sum over clusters, of which size (clusters) has the rows that are not zeros, over their number. */
static double share_of(const struct energy *e, int64_t *size)
{
    double energy = 0;
    int64_t rows = 0;
    for (int64_t i = 0; i < e->X->rows; i++)
        size[e->cluster[i]] += e->scale[i] > 0;
    for (int64_t c = 0; c < e->clusters; c++) {
        double square = 0;
        for (int64_t j = 0; j < e->X->cols; j++)
            square += e->sum[c * e->X->cols + j] * e->sum[c * e->X->cols + j];
        rows += size[c];
        energy += size[c] > 0 ? square / (double)size[c] : 0;
    }
    return rows > 0 ? energy / (double)rows : (double)NAN;
}

graco_status structure_explained(double *share, const struct features *X, const int32_t *cluster,
                                 int64_t clusters, int threads)
{
    graco_status status = GRACO_OK;
    struct energy e = {.X = X, .cluster = cluster, .clusters = clusters};
    int64_t *size = NULL;
    *share = (double)NAN;
    if (X->cols == 0)
        return GRACO_OK;
    TRY(features_check(X));
    TRY(memory_alloc(&e.scale, X->rows, sizeof *e.scale));
    TRY(memory_zalloc(&e.sum, clusters * X->cols, sizeof *e.sum));
    TRY(memory_zalloc(&size, clusters, sizeof *size));
    threads_run(threads, X->rows, ROWS, find_scales, &e);
    if (X->dense)
        threads_run(threads, X->cols, COLUMNS, sum_dense, &e);
    else
        sum_sparse(&e);
    *share = share_of(&e, size);
done:
    memory_free(size);
    memory_free(e.sum);
    memory_free(e.scale);
    return status;
}

/* ---- Embeddings ------------------------------------------------------------------------------ */

struct centring {
    float *out;
    const graco_matrix *Z;
};

static void scale_row(float *out, const float *row, int64_t cols)
{
    double square = 0;
    for (int64_t j = 0; j < cols; j++)
        square += (double)row[j] * (double)row[j];
    double scale = scale_of(square);
    for (int64_t j = 0; j < cols; j++)
        out[j] = (float)((double)row[j] * scale);
}

static void scale_given(void *job, struct threads_piece rows)
{
    const struct centring *c = job;
    for (int64_t i = rows.first; i < rows.last; i++)
        scale_row(c->out + i * c->Z->cols, c->Z->data + i * c->Z->cols, c->Z->cols);
}

/* What rounding leaves of rows that all are their mean counts as zeros. */
static void scale_centred(void *job, struct threads_piece rows)
{
    const struct centring *c = job;
    for (int64_t i = rows.first; i < rows.last; i++) {
        float *row = c->out + i * c->Z->cols;
        for (int64_t j = 0; j < c->Z->cols; j++)
            row[j] = fabsf(row[j]) < 1e-6f ? 0 : row[j];
        scale_row(row, row, c->Z->cols);
    }
}

static void subtract_means(void *job, struct threads_piece columns)
{
    const struct centring *c = job;
    int64_t rows = c->Z->rows, cols = c->Z->cols;
    double mean[COLUMNS] = {0};
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = columns.first; j < columns.last; j++)
            mean[j - columns.first] += (double)c->out[i * cols + j] / (double)rows;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = columns.first; j < columns.last; j++)
            c->out[i * cols + j] = (float)((double)c->out[i * cols + j] - mean[j - columns.first]);
}

void structure_centre(float *out, const graco_matrix *Z, int threads)
{
    struct centring c = {out, Z};
    threads_run(threads, Z->rows, ROWS, scale_given, &c);
    threads_run(threads, Z->cols, COLUMNS, subtract_means, &c);
    threads_run(threads, Z->rows, ROWS, scale_centred, &c);
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* One clustering's share in both means. */
static graco_status add_clustering(graco_structure *sum, const graco_matrix *rows,
                                   const graco_dataset *data, uint64_t seed, int threads)
{
    graco_status status = GRACO_OK;
    struct kmeans communities = {0}, topics = {0};
    struct kmeans_options options = {
        .starts = STARTS, .spherical = true, .seed = seed, .threads = threads};
    double Q = (double)NAN, share = (double)NAN;
    options.clusters = STRUCTURE_COMMUNITIES;
    if (data->graph->edges > 0) {
        TRY(kmeans_fit(&communities, rows, &options));
        TRY(structure_modularity(&Q, data->graph, communities.cluster, communities.clusters));
    }
    options.clusters = STRUCTURE_TOPICS;
    if (data->features.cols > 0) {
        TRY(kmeans_fit(&topics, rows, &options));
        TRY(structure_explained(&share, &data->features, topics.cluster, topics.clusters, threads));
    }
    sum->modularity += Q / STRUCTURE_REPEATS;
    sum->explained += share / STRUCTURE_REPEATS;
done:
    kmeans_clear(&topics);
    kmeans_clear(&communities);
    return status;
}

graco_status graco_measure_structure(graco_structure *out, const graco_matrix *Z,
                                     const graco_dataset *data, int64_t threads)
{
    graco_status status = GRACO_OK;
    graco_structure sum = {0};
    graco_matrix rows = {.rows = Z->rows, .cols = Z->cols};
    int count = threads_count(threads);
    TRY(protocol_check_rows(Z, data));
    TRY(memory_alloc(&rows.data, rows.rows * rows.cols, sizeof *rows.data));
    structure_centre(rows.data, Z, count);
    for (uint64_t seed = 0; seed < STRUCTURE_REPEATS; seed++)
        TRY(add_clustering(&sum, &rows, data, seed, count));
    *out = sum;
done:
    graco_matrix_clear(&rows);
    return status;
}
