/* Preparation of features by a configuration. Copies only where something changes: features may be
 * larger than memory. */
#include "train/prepare.h"

#include "data/node_features.h"
#include "data/preprocess.h"

graco_status prepare_features(struct prepared *out, const struct graco_dataset *data,
                              const struct graco_config *config, double contaminate)
{
    bool given = config->node_features <= NODE_FEATURES_GIVEN; /* made ones have their scale */
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
