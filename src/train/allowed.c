#include "train/allowed.h"

#include "methods/method.h"
#include "train/stopping.h"

/* Nodes to learn from, and settings by which a training sees a part of them. */
static graco_status check_nodes(const struct graco_config *config, const struct method *method,
                                const struct graco_dataset *given)
{
    if (method->needs & METHOD_NEEDS_TWO_NODES && dataset_nodes(given) < 2)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "data set '%s' has %lld node; training needs at least 2", given->name,
                           (long long)dataset_nodes(given));
    if (config->inductive && !given->split)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "inductive = 1 needs a split, and data set '%s' has none", given->name);
    if (config->inductive && method->needs & METHOD_PER_NODE)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "method %s has a vector for each node that it has seen, and none for others: expected "
            "inductive = 0",
            method->name);
    if (config->batch == 1 && method->needs & METHOD_NEEDS_TWO_NODES)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "batch = 1 leaves nothing that a node could be told apart from: expected 0 or at "
            "least 2");
    return GRACO_OK;
}

graco_status allowed_check(const struct graco_config *config, const struct graco_dataset *given)
{
    const struct method *method = NULL;
    PASS(method_find(&method, config->method));
    if (method->check)
        PASS(method->check(config));
    PASS(check_nodes(config, method, given));
    return method->structured && config->patience > 0 ? stopping_check(config, given) : GRACO_OK;
}
