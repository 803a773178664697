/* Embeddings are made as they are at the end of a training, but of a data set of which a part is hidden, always the
 * same one: nothing of it needs a place in a checkpoint. */
#include "train/stopping.h"

#include "base/threads.h"
#include "eval/ridge.h"
#include "eval/smooth.h"
#include "eval/structure.h"
#include "train/made.h"

#include <math.h>

graco_status stopping_check(const struct graco_config *config, const struct graco_dataset *given)
{
    if (config->inductive)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "patience of the method %s looks at the embeddings of all nodes, which an "
            "inductive training must not; expected patience=0",
            config->method);
    if (given->graph->edges == 0 && given->features.cols == 0)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "patience of the method %s needs edges or features; data set '%s' has "
                           "neither",
                           config->method, given->name);
    return GRACO_OK;
}

struct stopping_room stopping_room(const struct graco_config *config,
                                   const struct graco_dataset *given)
{
    const struct features *X = &given->features;
    const struct graph *graph = given->graph;
    int64_t nodes = graph->nodes, cols = X->cols;
    int64_t narrow = cols < SMOOTH_COLUMNS ? cols : SMOOTH_COLUMNS;
    int64_t row = narrow * (int64_t)sizeof(float);
    int64_t value = graph->in.value ? (int64_t)sizeof(float) : 0;
    int64_t edge = 3 * (int64_t)sizeof(int32_t) + 2 * value + (value ? (int64_t)sizeof(double) : 0);
    int64_t features = X->dense   ? nodes * cols * (int64_t)sizeof(float)
                       : cols > 0 ? X->sparse.start[nodes] * 2 * (int64_t)sizeof(float)
                                  : 0;
    int64_t pairs = 4 * HIDDEN_EDGES * (int64_t)sizeof(int32_t);
    int64_t learnt = RIDGE_LEARNT * (config->hidden + narrow) * (int64_t)sizeof(float);
    int64_t scratch =
        (STRUCTURE_CLUSTERS + 3) * (int64_t)sizeof(float); /* of k-means, for a node */
    return (struct stopping_room){
        .kept =
            nodes * (row + 2 * (int64_t)sizeof(int64_t)) + features + graph->edges * edge + pairs,
        .hiding = cols > SMOOTH_COLUMNS ? cols * SMOOTH_COLUMNS : cols, /* signs */
        .measuring = nodes * (config->hidden * (int64_t)sizeof(float) + scratch) + learnt,
    };
}

graco_status stopping_cost(double *cost, struct stopping *stopping, const struct graco_model *model,
                           const struct graco_dataset *given, const struct graco_dataset *data)
{
    const struct graco_config *config = &model->config;
    const graco_embed_options options = {
        .threads = config->threads, .device = config_word(config, "device"), .contaminated = true};
    int threads = threads_count(config->threads);
    graco_matrix Z = {0};
    graco_status status = GRACO_OK;
    graco_structure found;
    struct graco_model now = *model;
    now.best.epoch = 0; /* the parameters of now, not the best so far */
    if (!stopping->hidden.data)
        TRY(hidden_make(&stopping->hidden, given, threads));
    const struct graco_dataset seen = hidden_seen(&stopping->hidden, data);
    TRY(made_embed_learned(&Z, &now, &seen, &options));
    TRY(structure_measure(&found, &Z, &stopping->hidden, threads));
    *cost = -structure_score(&found);
    if (isnan(*cost))
        FAIL(GRACO_ERROR_ARGUMENT,
             "patience of the method %s needs edges or features that differ between nodes; data "
             "set '%s' has neither",
             config->method, given->name);
done:
    graco_matrix_clear(&Z);
    return status;
}

void stopping_clear(struct stopping *stopping)
{
    hidden_clear(&stopping->hidden);
}
