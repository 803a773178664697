/* Embeddings are made as they are at the end of a training, over the whole graph, and measured. The
 * first weights are drawn from the seed, so what costs are measured against needs no place in a
 * checkpoint. */
#include "train/stopping.h"

#include "base/threads.h"
#include "eval/smooth.h"
#include "eval/structure.h"
#include "train/made.h"

#include <math.h>

static const double LEAST = 0.01; /* that a part of the first weights counts as */

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
    int64_t nodes = given->graph->nodes, cols = given->features.cols;
    bool projected = cols > SMOOTH_COLUMNS;
    int64_t smooth = nodes * (projected ? SMOOTH_COLUMNS : cols) * (int64_t)sizeof(float);
    int64_t scratch = (STRUCTURE_TOPICS + 3) * (int64_t)sizeof(float); /* of k-means, for a node */
    return (struct stopping_room){
        .kept = smooth,
        .smoothing = smooth + nodes * (int64_t)sizeof(double) + projected * cols * SMOOTH_COLUMNS,
        .clustering = nodes * (config->hidden * (int64_t)sizeof(float) + scratch),
    };
}

static graco_status measure(graco_structure *out, const struct stopping *stopping,
                            const struct graco_model *model, const struct graco_dataset *given,
                            const struct graco_dataset *data)
{
    const struct graco_config *config = &model->config;
    const graco_embed_options options = {
        .threads = config->threads, .device = config_word(config, "device"), .contaminated = true};
    graco_matrix Z = {0};
    graco_status status = GRACO_OK;
    struct graco_model now = *model;
    now.best.epoch = 0; /* the parameters of now, not the best so far */
    TRY(made_embed_learned(&Z, &now, data, &options));
    const struct structure_basis basis = {.smooth = &stopping->smooth};
    TRY(structure_measure(out, &Z, given, basis, threads_count(config->threads)));
done:
    graco_matrix_clear(&Z);
    return status;
}

static graco_status measure_first(struct stopping *stopping, const struct graco_model *model,
                                  const struct graco_dataset *given,
                                  const struct graco_dataset *data)
{
    struct graco_model *first = NULL;
    graco_status status = GRACO_OK;
    if (stopping->known)
        goto done;
    TRY(model_create(&first, &model->config, model_sizes_of(data)));
    if (!stopping->smooth.data)
        TRY(smooth_features(&stopping->smooth, given, threads_count(model->config.threads)));
    TRY(measure(&stopping->first, stopping, first, given, data));
    stopping->known = true;
done:
    graco_model_free(first);
    return status;
}

/* Adds a part's share to the cost, if there is one. */
static int add_part(double *cost, double part, double first)
{
    if (isnan(part))
        return 0;
    *cost -= part / fmax(fabs(first), LEAST);
    return 1;
}

graco_status stopping_cost(double *cost, struct stopping *stopping, const struct graco_model *model,
                           const struct graco_dataset *given, const struct graco_dataset *data)
{
    graco_structure now = {0};
    double sum = 0;
    PASS(measure_first(stopping, model, given, data));
    PASS(measure(&now, stopping, model, given, data));
    int parts = add_part(&sum, now.modularity, stopping->first.modularity);
    parts += add_part(&sum, now.explained, stopping->first.explained);
    if (parts == 0)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "patience of the method %s needs edges or features; data set '%s' has no "
            "edges, and all its features are 0",
            model->config.method, given->name);
    *cost = sum / parts;
    return GRACO_OK;
}

void stopping_clear(struct stopping *stopping)
{
    graco_matrix_clear(&stopping->smooth);
}
