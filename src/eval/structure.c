/* Clusters come from spherical k-means of the centred rows: embeddings share a large common direction,
 * which says nothing of a node. Modularity is a mean over a few clusterings, for one depends on where
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

/* What hidden columns count in a score: at most MOST, half of it at this share. Columns of which much is predicted are
 * alike, so what more an embedding predicts of them says less. */
static const double MOST = 3, HALF = 0.2;

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
 * equally good have equal numbers. */
static double without_last_digits(double number)
{
    const double places = 1e9;
    return round(number * places) / places;
}

/* The mean over a few clusterings. */
static graco_status mean_modularity(double *mean, const graco_matrix *rows,
                                    const struct graph *graph, int threads)
{
    struct kmeans_options options = {
        .clusters = STRUCTURE_CLUSTERS, .starts = STARTS, .spherical = true, .threads = threads};
    graco_status status = GRACO_OK;
    struct kmeans found = {0};
    double sum = 0, Q;
    *mean = (double)NAN;
    if (graph->edges == 0)
        return GRACO_OK;
    for (options.seed = 0; options.seed < STRUCTURE_REPEATS; options.seed++) {
        TRY(kmeans_fit(&found, rows, &options));
        TRY(structure_modularity(&Q, graph, found.cluster, found.clusters));
        kmeans_clear(&found);
        sum += Q / STRUCTURE_REPEATS;
    }
    *mean = without_last_digits(sum);
done:
    kmeans_clear(&found);
    return status;
}

graco_status structure_measure(graco_structure *out, const graco_matrix *Z,
                               const struct hidden *hidden, int threads)
{
    graco_status status = GRACO_OK;
    graco_structure found = {0};
    graco_matrix rows = {.rows = Z->rows, .cols = Z->cols};
    TRY(protocol_check_rows(Z, hidden->data));
    TRY(memory_alloc(&rows.data, rows.rows * rows.cols, sizeof *rows.data));
    structure_centre(rows.data, Z, threads);
    TRY(mean_modularity(&found.modularity, &rows, hidden->data->graph, threads));
    TRY(hidden_columns(&found.columns, hidden, &rows, threads));
    TRY(hidden_edges(&found.edges, hidden, &rows, threads));
    *out = found;
done:
    graco_matrix_clear(&rows);
    return status;
}

double structure_score(const graco_structure *structure)
{
    double columns = MOST * structure->columns / (structure->columns + HALF);
    double edges = 2 * structure->edges - 1;
    if (isnan(edges) || isnan(structure->modularity))
        edges = isnan(edges) ? structure->modularity : edges;
    else
        edges = (structure->modularity + edges) / 2;
    return isnan(columns) || isnan(edges) ? isnan(columns) ? edges : columns : columns + edges;
}
