/* Features that a training makes of columns: of a data set's table, or, where `scaling` asks for it, of the columns of
 * a matrix. What it learned goes with the model, and makes the same features of other tables. */
#include "train/made.h"

#include "base/memory.h"
#include "data/node_features.h"
#include "data/preparation.h"
#include "data/preprocess.h"

#include <string.h>

/* Uses a preparation in place of the data set's own. Takes it over, also on failure. */
static graco_status use(struct made *out, const struct graco_dataset *data,
                        const struct columns *columns, struct preparation *preparation)
{
    struct features X = {0};
    graco_status status = preparation_apply(&X, preparation, columns);
    if (status != GRACO_OK) {
        preparation_free(preparation);
        return status;
    }
    out->copy = *data;
    out->copy.features = X;
    out->copy.preparation = out->own = preparation;
    out->data = &out->copy;
    return GRACO_OK;
}

/* The table of a data set, or its matrix as one: *made is that, which the caller frees. */
static graco_status find_columns(const struct columns **out, struct columns **made,
                                 const struct graco_dataset *data, const char *scaling)
{
    const struct features *X = &data->features;
    *out = data->columns;
    if (*out)
        return GRACO_OK;
    if (!X->dense || data->shard)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "scaling is %s, which needs dense features that are all here, and data set '%s' "
            "has %s: expected none, rowsum or auto",
            scaling, data->name,
            X->cols == 0 ? "none"
            : X->dense   ? "rows of them"
                         : "sparse ones");
    PASS(columns_of_matrix(made, X->dense, true, X->rows, X->cols, NULL));
    *out = *made;
    return GRACO_OK;
}

graco_status made_learn(struct made *out, const struct graco_dataset *data,
                        const struct graco_config *config)
{
    enum preparation_how how = config->scaling == SCALING_STANDARD   ? PREPARATION_STANDARD
                               : config->scaling == SCALING_QUANTILE ? PREPARATION_QUANTILE
                                                                     : PREPARATION_LOOK;
    bool less = config->inductive && data->split && !data->inductive; /* than the data set saw */
    struct columns *made = NULL;
    const struct columns *columns;
    struct preparation *learned = NULL;
    uint8_t *seen = NULL;
    graco_status status = GRACO_OK;
    if (how == PREPARATION_LOOK && (!less || !data->columns))
        return GRACO_OK;
    TRY(find_columns(&columns, &made, data, config_word(config, "scaling")));
    if (config->inductive && data->split)
        TRY(preparation_seen(&seen, data->split, columns->rows));
    TRY(preparation_learn(&learned, columns, seen, how));
    TRY(use(out, data, columns, learned));
done:
    columns_free(made);
    memory_free(seen);
    return status;
}

graco_status made_keep(struct graco_model *model, const struct graco_dataset *data)
{
    if (model->config.node_features > NODE_FEATURES_GIVEN || !data->preparation)
        return GRACO_OK;
    return preparation_text(&model->preparation, data->preparation);
}

graco_status made_relearned(struct made *out, const struct graco_dataset *data,
                            const struct graco_model *model)
{
    struct preparation *learned = NULL;
    struct columns *made = NULL;
    const struct columns *columns;
    char *own = NULL;
    graco_status status = GRACO_OK;
    bool scaled =
        model->config.scaling == SCALING_STANDARD || model->config.scaling == SCALING_QUANTILE;
    out->data = data;
    if (!model->preparation || (!data->columns && !scaled))
        return GRACO_OK;
    if (data->preparation)
        TRY(preparation_text(&own, data->preparation));
    if (own && strcmp(own, model->preparation) == 0)
        goto done;
    TRY(find_columns(&columns, &made, data, config_word(&model->config, "scaling")));
    TRY(preparation_read(&learned, model->preparation, (int64_t)strlen(model->preparation)));
    TRY(use(out, data, columns, learned));
done:
    columns_free(made);
    memory_free(own);
    return status;
}
