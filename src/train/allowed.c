/* Two lists of refusals: of a training by one process, and of what ranks cannot train together. Nothing here looks at
 * features, which may not be made yet. */
#include "train/allowed.h"

#include "graco_command.h"
#include "comm/comm_tally.h"
#include "data/node_features.h"
#include "methods/method.h"
#include "methods/objective.h"
#include "train/prefetch.h"
#include "train/stopping.h"

#include <string.h>

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

/* ---- Ranks ----------------------------------------------------------------------------------- */

/* Every rank needs a root of every mini-batch. The last one may have fewer than the others, or more: a rest that is too
 * short to train on is added to it. */
static graco_status check_batches(const struct comm *comm, const struct graco_config *config,
                                  const struct method *method, const struct graco_dataset *data)
{
    int64_t batch = config->batch, nodes = data->graph->nodes, trained = 0;
    int ranks = comm_ranks(comm);
    for (int64_t i = 0; i < nodes; i++)
        trained += !config->inductive || !data->split || data->split[i] == 0;
    int64_t least = method->needs & METHOD_NEEDS_TWO_NODES ? 2 : 1;
    int64_t steps = prefetch_steps(trained, batch, least), last = trained - (steps - 1) * batch;
    int64_t smallest = steps > 1 && batch < last ? batch : last;
    if (smallest >= ranks)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_ARGUMENT,
                       "the smallest mini-batch has %lld nodes for %d ranks: expected at least one "
                       "for each, by another batch",
                       (long long)smallest, ranks);
}

bool graco_looks_at_all(const struct graco_config *config, const struct graco_dataset *data)
{
    int64_t kind = config->node_features;
    bool none = kind == NODE_FEATURES_AUTO && data->features.cols == 0;
    return config->batch > 0 || config->patience > 0 || kind > NODE_FEATURES_DEGREE || none ||
           (kind == NODE_FEATURES_DEGREE && config->inductive);
}

/* Whether embeddings are more than what the encoder gives. */
static bool has_parts(const struct graco_config *config)
{
    int64_t width = config->width ? config->width : config->hidden;
    int64_t columns = config_columns(config);
    return config->parts != PARTS_LEARNED || (columns != COLUMNS_ALL && columns != width);
}

graco_status allowed_check_ranks(const struct comm *comm, const struct graco_config *config,
                                 const struct method *method, const struct graco_dataset *given)
{
    const char *what = NULL;
    if (!comm)
        return GRACO_OK;
    bool gpu = strcmp(config_word(config, "device"), "cuda") == 0;
    if (!method->ranks)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "method %s does not train over ranks; expected grace, or one rank",
                           config->method);
    if (gpu && comm_is_tally(comm))
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "plans of ranks know the CPU alone: expected device cpu");
    if (gpu && config->batch > 0)
        what = "mini-batches on GPUs: expected batch 0 or device cpu";
    else if (config->graphs > 1)
        what = "groups of graphs: expected graphs 1";
    else if (config->objective == OBJECTIVE_MOMENT && config->correction == 0)
        what = "moment without a sample: expected a correction above 0";
    else if (has_parts(config))
        what = "embeddings of parts: expected parts=learned, and width and columns 0";
    else if (given->shard && graco_looks_at_all(config, given))
        what = "mini-batches, patience or features made from the whole graph where each has read "
               "its rows alone: expected no by_rows";
    if (what)
        return status_fail(GRACO_ERROR_ARGUMENT, "ranks do not train with %s", what);
    return config->batch > 0 ? check_batches(comm, config, method, given) : GRACO_OK;
}
