/* Made features: one function per kind, each from the graph's rows alone. */
#include "data/node_features.h"

#include "base/memory.h"
#include "data/spectral.h"
#include "graph/shard.h"

#include <math.h>
#include <string.h>

void node_features_unit(float *X, int64_t rows, int64_t cols)
{
    for (int64_t i = 0; i < rows; i++, X += cols) {
        double square = 0;
        for (int64_t c = 0; c < cols; c++)
            square += (double)X[c] * (double)X[c];
        for (int64_t c = 0; c < cols && square > 0; c++)
            X[c] = (float)((double)X[c] / sqrt(square));
    }
}

static int32_t count_edges(const struct csr *rows, int64_t node)
{
    return (int32_t)(rows->start[node + 1] - rows->start[node]);
}

/* Edges into every source, (sources): of one rank's rows, other ranks tell those into theirs. */
static graco_status count_into(int32_t **out, const struct graph *graph)
{
    struct comm *comm = graph->shard ? graph->shard->comm : NULL;
    float *counts = NULL; /* ranks exchange what has the size of a float */
    graco_status status = memory_zalloc(out, graph->sources, sizeof **out);
    if (comm && status == GRACO_OK)
        status = memory_alloc(&counts, graph->sources, sizeof *counts);
    TRY(comm_agree(comm, status));
    for (int64_t i = 0; i < graph->nodes; i++)
        (*out)[i] = count_edges(&graph->in, i);
    if (!comm)
        goto done;
    memcpy(counts, *out, (size_t)graph->sources * sizeof *counts);
    TRY(comm_exchange(comm, &graph->shard->rows, 1, counts));
    memcpy(*out, counts, (size_t)graph->sources * sizeof *counts);
done:
    memory_free(counts);
    return status;
}

/* Columns 3 .. 6: how large the sources of a node's edges are. */
static void describe_sources(float *x, const struct csr *in, const int32_t *into, int64_t node)
{
    int64_t first = in->start[node], last = in->start[node + 1];
    double sum = 0, squares = 0, least = INFINITY, most = 0;
    for (int64_t e = first; e < last; e++) {
        double size = log1p((double)into[in->index[e]]);
        sum += size;
        squares += size * size;
        least = fmin(least, size);
        most = fmax(most, size);
    }
    if (first == last)
        return;
    double count = (double)(last - first), mean = sum / count;
    x[3] = (float)mean;
    x[4] = (float)sqrt(fmax(0, squares / count - mean * mean));
    x[5] = (float)least;
    x[6] = (float)most;
}

static graco_status make_degree(struct features *out, const struct graph *graph)
{
    int32_t *into = NULL;
    graco_status status = GRACO_OK;
    TRY(count_into(&into, graph));
    TRY(memory_zalloc(&out->dense, graph->nodes * DEGREE_COLS, sizeof *out->dense));
    out->cols = DEGREE_COLS;
    for (int64_t i = 0; i < graph->nodes; i++) {
        float *x = out->dense + i * DEGREE_COLS;
        double size = log1p((double)into[i]);
        x[0] = (float)size;
        x[1] = (float)log1p((double)count_edges(&graph->out, i));
        x[2] = (float)log1p(graph_degree(graph, i));
        describe_sources(x, &graph->in, into, i);
        x[7] = 1;
        x[8 + (int)fmin(DEGREE_SIZES - 1, floor(2 * size / log(2)))] = 1;
    }
done:
    memory_free(into);
    return status;
}

static graco_status make_learned(struct features *out, int64_t nodes)
{
    PASS(csr_identity(&out->sparse, nodes, true));
    out->cols = nodes;
    return GRACO_OK;
}

static graco_status make_spectral(struct features *out, const struct graph *graph, int threads)
{
    PASS(memory_alloc(&out->dense, graph->nodes * SPECTRAL_COLS, sizeof *out->dense));
    out->cols = SPECTRAL_COLS;
    PASS(spectral_features(out->dense, graph, threads));
    node_features_unit(out->dense, graph->nodes, SPECTRAL_COLS);
    return GRACO_OK;
}

graco_status node_features_make(struct features *out, enum node_features kind,
                                const struct graph *graph, int threads)
{
    struct features made = {.rows = graph->nodes};
    graco_status status = GRACO_OK;
    if (kind == NODE_FEATURES_DEGREE)
        TRY(make_degree(&made, graph));
    else if (kind == NODE_FEATURES_SPECTRAL)
        TRY(make_spectral(&made, graph, threads));
    else if (kind == NODE_FEATURES_LEARNED)
        TRY(make_learned(&made, graph->nodes));
    *out = made;
    return GRACO_OK;
done:
    features_clear(&made);
    return status;
}
