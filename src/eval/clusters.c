/* Clusters of embeddings: k-means on rows of length one, held against labels where they are known, and
 * otherwise against the graph's edges and against each other. */
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "data/splits.h"
#include "eval/kmeans.h"
#include "eval/partition.h"
#include "eval/protocol.h"
#include "eval/structure.h"

#include <math.h>

graco_cluster_options graco_cluster_defaults(void)
{
    return (graco_cluster_options){.starts = 10};
}

/* label (nodes): classes of the nodes with a known label, -1 of the others; and how many nodes and how many
 * different classes those are. */
struct known_labels {
    int32_t *label;
    int64_t nodes, classes;
};

static graco_status find_labels(struct known_labels *out, const graco_dataset *data)
{
    graco_status status = GRACO_OK;
    uint8_t *usable = NULL, *occurs = NULL;
    if (!data->label)
        return GRACO_OK;
    TRY(splits_usable(&usable, data));
    TRY(memory_alloc(&out->label, data->graph->nodes, sizeof *out->label));
    TRY(memory_zalloc(&occurs, data->classes, sizeof *occurs));
    for (int64_t i = 0; i < data->graph->nodes; i++) {
        out->label[i] = usable[i] ? data->label[i] : -1;
        if (out->label[i] < 0)
            continue;
        out->nodes++;
        out->classes += !occurs[out->label[i]];
        occurs[out->label[i]] = 1;
    }
done:
    memory_free(occurs);
    memory_free(usable);
    return status;
}

graco_status clusters_find(struct kmeans *out, graco_matrix *X, const graco_matrix *Z,
                           const graco_cluster_options *options)
{
    X->rows = Z->rows;
    X->cols = Z->cols;
    PASS(memory_alloc(&X->data, Z->rows * Z->cols, sizeof *X->data));
    for (int64_t i = 0; i < Z->rows; i++) {
        const float *z = Z->data + i * Z->cols;
        double square = 0;
        for (int64_t j = 0; j < Z->cols; j++)
            square += (double)z[j] * (double)z[j];
        double scale = square > 0 ? 1 / sqrt(square) : 0;
        for (int64_t j = 0; j < Z->cols; j++)
            X->data[i * Z->cols + j] = (float)(scale * (double)z[j]);
    }
    return kmeans_fit(out, X,
                      &(struct kmeans_options){.clusters = options->clusters,
                                               .starts = options->starts,
                                               .seed = options->seed,
                                               .threads = threads_count(options->threads)});
}

static graco_status choose_clusters(int64_t *clusters, const graco_cluster_options *options,
                                    const struct known_labels *known, const graco_dataset *data)
{
    *clusters = options->clusters > 0 ? options->clusters : known->classes;
    if (options->clusters <= 0 && known->classes > GRACO_CLASS_CLUSTERS)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "data set '%s' has %lld classes, more than the %d that say how many clusters to "
            "make: expected a number of clusters",
            data->name, (long long)known->classes, GRACO_CLASS_CLUSTERS);
    if (*clusters == 0)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "the data set %s has no classes that say how many clusters to make: "
                           "expected a number of clusters",
                           data->name);
    if (*clusters > data->graph->nodes || options->starts < 1)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "%lld clusters of %lld nodes from %lld starts: expected at most as many as "
            "nodes, and a start",
            (long long)*clusters, (long long)data->graph->nodes, (long long)options->starts);
    return GRACO_OK;
}

static graco_status measure(graco_cluster_result *made, const graco_matrix *X,
                            const graco_dataset *data, const struct known_labels *known,
                            const graco_cluster_options *options)
{
    struct partition_scores scores = {NAN, NAN, NAN};
    if (known->nodes > 0)
        PASS(partition_compare(&scores, made->nodes, known->label, data->classes, made->cluster,
                               made->clusters));
    made->labelled = known->nodes;
    made->nmi = scores.nmi;
    made->ari = scores.ari;
    made->accuracy = scores.accuracy;
    PASS(structure_modularity(&made->modularity, data->graph, made->cluster, made->clusters));
    return silhouette_measure(&made->silhouette, X, made->cluster, made->clusters, options->seed,
                              threads_count(options->threads));
}

graco_status graco_evaluate_clusters(graco_cluster_result *result, const graco_matrix *Z,
                                     const graco_dataset *data,
                                     const graco_cluster_options *options)
{
    graco_cluster_options how = options ? *options : graco_cluster_defaults();
    graco_status status = GRACO_OK;
    graco_cluster_result made = {.nodes = data->graph->nodes};
    struct known_labels known = {0};
    struct kmeans found = {0};
    struct threads_watch watch;
    graco_matrix X = {0};
    double start = threads_seconds();
    threads_watch(&watch, how.on_progress, how.user);
    TRY(protocol_check_rows(Z, data));
    TRY(find_labels(&known, data));
    TRY(choose_clusters(&made.clusters, &how, &known, data));
    how.clusters = made.clusters;
    TRY(clusters_find(&found, &X, Z, &how));
    made.cluster = found.cluster;
    found.cluster = NULL;
    TRY(measure(&made, &X, data, &known, &how));
    made.seconds = threads_seconds() - start;
    *result = made;
done:
    threads_unwatch(&watch);
    if (status != GRACO_OK)
        graco_cluster_result_clear(&made);
    graco_matrix_clear(&X);
    kmeans_clear(&found);
    memory_free(known.label);
    return status;
}

void graco_cluster_result_clear(graco_cluster_result *result)
{
    if (!result)
        return;
    memory_free(result->cluster);
    *result = (graco_cluster_result){0};
}
