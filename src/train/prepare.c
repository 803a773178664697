/* Preparation of features by a configuration. Copies only where something changes: features may be
 * larger than memory. */
#include "train/prepare.h"

#include "base/memory.h"
#include "data/node_features.h"
#include "data/preprocess.h"
#include "data/subset.h"
#include "methods/method.h"

graco_status prepare_features(struct prepared *out, const struct graco_dataset *data,
                              const struct graco_config *config, double contaminate)
{
    bool given = config->node_features <= NODE_FEATURES_GIVEN && /* made ones have their scale */
                 config->scaling < SCALING_AUTO;                 /* prepared ones too */
    const struct preprocess how = {given ? (enum scaling)config->scaling : SCALING_NONE,
                                   contaminate, config->seed, dataset_first(data)};
    graco_status status = GRACO_OK;
    out->X = &data->features;
    if (preprocess_needed(&how)) {
        TRY(preprocess_features(&out->copy, &data->features, &how));
        out->X = &out->copy;
    }
done:
    return status;
}

graco_status prepare_model(struct graco_model *model, const struct graco_dataset *data)
{
    const struct graco_config *config = &model->config;
    struct prepared prepared = {0};
    struct context *context = NULL;
    int32_t *nodes = NULL;
    int64_t count = 0;
    graco_status status = GRACO_OK;
    if (!model->method->fit)
        goto done;
    TRY(context_create(&context, &backend_cpu, config->threads, 0));
    TRY(prepare_features(&prepared, data, config, config->contaminate));
    if (config->inductive)
        TRY(subset_nodes(&nodes, &count, data, 0, SUBSET_ALL));
    TRY(model->method->fit(model, context, prepared.X, nodes, count));
done:
    memory_free(nodes);
    features_clear(&prepared.copy);
    context_free(context);
    return status;
}

graco_status graco_dataset_features(graco_matrix *X, const graco_dataset *data,
                                    const graco_config *config)
{
    graco_status status = GRACO_OK;
    struct features kept = {0};
    const struct features *from = &data->features;
    if (config && config->contaminate != 0) {
        const struct preprocess how = {SCALING_NONE, config->contaminate, config->seed, 0};
        TRY(preprocess_features(&kept, from, &how));
        from = &kept;
    }
    TRY(features_densify(X, from));
done:
    features_clear(&kept);
    return status;
}
