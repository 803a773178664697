/* Clusters come from spherical k-means of the centred rows: embeddings share a large common direction,
 * which says nothing of a node. Each number is a mean over a few clusterings, for one depends on where
 * it started. */
#include "eval/structure.h"

#include "base/memory.h"
#include "base/threads.h"
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
    const graco_matrix *S;
    const int32_t *cluster;
    double *sum; /* (clusters, cols) of the rows */
};

static void sum_columns(void *job, struct threads_piece columns)
{
    const struct energy *e = job;
    int64_t cols = e->S->cols;
    for (int64_t i = 0; i < e->S->rows; i++)
        for (int64_t j = columns.first; j < columns.last; j++)
            e->sum[e->cluster[i] * cols + j] += (double)e->S->data[i * cols + j];
}

static bool has_direction(const float *row, int64_t cols)
{
    for (int64_t j = 0; j < cols; j++)
        if (row[j] != 0)
            return true;
    return false;
}

graco_status structure_explained(double *share, const graco_matrix *S, const int32_t *cluster,
                                 int64_t clusters, int threads)
{
    graco_status status = GRACO_OK;
    struct energy e = {.S = S, .cluster = cluster};
    int64_t *size = NULL, rows = 0;
    double energy = 0;
    TRY(memory_zalloc(&e.sum, clusters * S->cols, sizeof *e.sum));
    TRY(memory_zalloc(&size, clusters, sizeof *size));
    threads_run(threads, S->cols, COLUMNS, sum_columns, &e);
    for (int64_t i = 0; i < S->rows; i++)
        size[cluster[i]] += has_direction(S->data + i * S->cols, S->cols);
    for (int64_t c = 0; c < clusters; c++) {
        double square = 0;
        for (int64_t j = 0; j < S->cols; j++)
            square += e.sum[c * S->cols + j] * e.sum[c * S->cols + j];
        rows += size[c];
        energy += size[c] > 0 ? square / (double)size[c] : 0;
    }
    *share = rows > 0 ? fmin(energy / (double)rows, 1) : (double)NAN; /* lengths are rounded */
done:
    memory_free(size);
    memory_free(e.sum);
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
    double scale = square > 0 ? 1 / sqrt(square) : 0;
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

/* The order of a sum, which is that of the clusters' numbers, moves its last digits: without these, clusterings that are
 * equally good have equal numbers, and ranks of them are no noise. */
static double without_last_digits(double number)
{
    const double places = 1e9;
    return round(number * places) / places;
}

/* One clustering's share in the means. */
static graco_status add_clustering(graco_structure *sum, const graco_matrix *rows,
                                   const struct graph *graph, const graco_matrix *S,
                                   struct kmeans_options *options)
{
    graco_status status = GRACO_OK;
    struct kmeans communities = {0}, topics = {0};
    double Q = (double)NAN, share = (double)NAN;
    options->clusters = STRUCTURE_COMMUNITIES;
    TRY(kmeans_fit(&communities, rows, options));
    TRY(structure_modularity(&Q, graph, communities.cluster, communities.clusters));
    options->clusters = STRUCTURE_TOPICS;
    if (S->cols > 0) {
        TRY(kmeans_fit(&topics, rows, options));
        TRY(structure_explained(&share, S, topics.cluster, topics.clusters, options->threads));
    }
    sum->modularity += Q / STRUCTURE_REPEATS;
    sum->explained += share / STRUCTURE_REPEATS;
done:
    kmeans_clear(&topics);
    kmeans_clear(&communities);
    return status;
}

graco_status structure_measure(graco_structure *out, const graco_matrix *Z,
                               const graco_dataset *data, struct structure_basis basis, int threads)
{
    graco_status status = GRACO_OK;
    graco_structure sum = {.predicted = (double)NAN};
    graco_matrix rows = {.rows = Z->rows, .cols = Z->cols};
    struct kmeans_options options = {.starts = STARTS, .spherical = true, .threads = threads};
    TRY(protocol_check_rows(Z, data));
    TRY(memory_alloc(&rows.data, rows.rows * rows.cols, sizeof *rows.data));
    structure_centre(rows.data, Z, threads);
    for (options.seed = 0; options.seed < STRUCTURE_REPEATS; options.seed++)
        TRY(add_clustering(&sum, &rows, data->graph, basis.smooth, &options));
    sum.modularity = without_last_digits(sum.modularity);
    sum.explained = without_last_digits(sum.explained);
    if (basis.groups)
        TRY(groups_predicted(&sum.predicted, basis.groups, &rows, threads));
    *out = sum;
done:
    graco_matrix_clear(&rows);
    return status;
}
