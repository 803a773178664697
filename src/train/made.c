/* Made features stand in a copy of the data set's struct, whose other pointers are borrowed, so that
 * everything behind it knows no difference. node2vec's vectors are trained here, by its own method. */
#include "train/made.h"

#include "graco_command.h"
#include "base/memory.h"
#include "config/config.h"
#include "data/fingerprint.h"
#include "data/node_features.h"
#include "data/preparation.h"
#include "data/preprocess.h"
#include "data/spectral.h"
#include "data/subset.h"
#include "graph/subgraph.h"
#include "train/allowed.h"

#include <string.h>

/* Whether the features that the training may see are counts. */
static bool has_counts(const struct graco_config *config, const struct graco_dataset *data)
{
    if (data->shard)
        return config->inductive ? data->shard->seen_counts : data->shard->counts;
    return preprocess_counts(&data->features, config->inductive ? data->split : NULL);
}

/* The sizes of the features that a training reads: made ones are dense. */
static struct graph_size size_of(const struct graco_config *config,
                                 const struct graco_dataset *data, bool ranks)
{
    const graco_dataset_info info = graco_dataset_describe(data);
    struct graph_size size = {.nodes = info.nodes,
                              .edges = info.edges,
                              .entries = info.feature_entries,
                              .cols = info.feature_count,
                              .graphs = info.graphs,
                              .ranks = ranks};
    if (config->node_features <= NODE_FEATURES_GIVEN)
        return size;
    size.cols = config->node_features == NODE_FEATURES_LEARNED ? info.nodes : SPECTRAL_COLS;
    size.entries =
        config->node_features == NODE_FEATURES_LEARNED ? info.nodes : info.nodes * size.cols;
    return size;
}

/* What is about the size of the graph. Made features say nothing that an encoder does not see: they are no
 * part of their own. */
static void resolve_size(struct graco_config *config, const struct method *method,
                         const struct graph_size *size, char why[RESOLVED_WHY])
{
    struct graco_config general;
    bool made = config->node_features > NODE_FEATURES_GIVEN;
    if (config->parts == PARTS_AUTO)
        config->parts = made || size->ranks || !config_reads(config, "parts")
                            ? PARTS_LEARNED
                            : PARTS_LEARNED | PARTS_OWN | PARTS_SMOOTH;
    if (method->resolve)
        method->resolve(why, config, size);
    if (config->width == WIDTH_AUTO)
        config->width = 0;
    if (config->epochs != EPOCHS_AUTO)
        return;
    method_configure(&general, method, NULL);
    config->epochs = general.epochs;
}

void made_resolve(struct graco_config *config, const struct graco_dataset *data, bool ranks,
                  char why[RESOLVED_WHY])
{
    const struct method *method = NULL;
    char unread[RESOLVED_WHY] = "";
    if (why)
        *why = 0;
    if (method_find(&method, config->method) != GRACO_OK)
        return;
    if (config->scaling == SCALING_AUTO)
        config->scaling = has_counts(config, data) ? SCALING_ROWSUM : SCALING_NONE;
    if (config->node_features == NODE_FEATURES_AUTO)
        config->node_features = method->views > 0 && data->features.cols == 0
                                    ? NODE_FEATURES_SPECTRAL
                                    : NODE_FEATURES_GIVEN;
    const struct graph_size size = size_of(config, data, ranks);
    resolve_size(config, method, &size, why ? why : unread);
}

graco_status graco_config_resolve(char *why, size_t room, graco_config *config,
                                  const graco_dataset *data, int64_t ranks)
{
    char reason[RESOLVED_WHY];
    const struct method *method = NULL;
    const struct backend *backend = NULL;
    PASS(allowed_check(config,
                       data)); /* what is refused is refused before a caller says what was chosen */
    PASS(features_check_cols(&data->features));
    PASS(method_find(&method, config->method));
    if (ranks <= 1)
        PASS(method_backend(&backend, method, config_word(config, "device")));
    made_resolve(config, data, ranks > 1, reason);
    if (strlen(reason) + 1 > room)
        return status_fail(GRACO_ERROR_ARGUMENT, "room for %zu bytes; expected %zu", room,
                           strlen(reason) + 1);
    memcpy(why, reason, strlen(reason) + 1);
    return GRACO_OK;
}

/* Whether the features of a kind belong to the one graph that they were made from. */
static bool one_graph(int kind)
{
    return kind == NODE_FEATURES_SPECTRAL || kind == NODE_FEATURES_LEARNED ||
           kind == NODE_FEATURES_WALK;
}

/* Trains the model's table to its end and copies it. */
static graco_status train_table(float *X, struct graco_model *model,
                                const struct graco_dataset *data)
{
    const struct method *method = model->method;
    struct subject subject = {.nodes = data->graph->nodes, .graph = data->graph, .data = data};
    struct pass pass = {.model = model, .value = model->parameters.value};
    void *state = NULL;
    graco_status status = GRACO_OK;
    TRY(context_create(&subject.context, &backend_cpu, (int)model->config.threads, 0));
    TRY(method->prepare(&state, model, &subject));
    int64_t steps = model->config.epochs * method->steps(model, data->graph);
    for (; pass.step < steps; pass.step++)
        TRY(method->step(&pass, state));
    TRY(method->embed(X, &pass));
done:
    method->release(state);
    context_free(subject.context);
    return status;
}

static graco_status make_walk(struct features *out, const struct graco_dataset *data,
                              const struct graco_config *config)
{
    const struct method *method = NULL;
    struct graco_config own;
    struct graco_model *model = NULL;
    struct features made = {.rows = data->graph->nodes};
    graco_status status = GRACO_OK;
    TRY(method_find(&method, "node2vec"));
    method_configure(&own, method, NULL);
    own.seed = config->seed;
    own.threads = config->threads;
    TRY(model_create(&model, &own, model_sizes_of(data)));
    made.cols = model->width;
    TRY(memory_alloc(&made.dense, made.rows * made.cols, sizeof *made.dense));
    TRY(train_table(made.dense, model, data));
    node_features_unit(made.dense, made.rows, made.cols);
    *out = made;
    made.dense = NULL;
done:
    graco_model_free(model);
    memory_free(made.dense);
    return status;
}

graco_status made_create(struct made *out, const struct graco_dataset *data,
                         const struct graco_config *config)
{
    int kind = config->node_features;
    const struct method *method = NULL;
    struct features made = {0};
    out->data = data;
    if (kind <= NODE_FEATURES_GIVEN)
        return made_learn(out, data, config);
    PASS(method_find(&method, config->method));
    if (method->views == 0)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "node_features is %s, but the method %s reads no features",
                           config_word(config, "node_features"), method->name);
    if (config->inductive && one_graph(kind))
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "node_features is %s, which looks at the whole graph, but inductive is "
                           "1: expected degree, or inductive=0",
                           config_word(config, "node_features"));
    if (kind == NODE_FEATURES_WALK)
        PASS(make_walk(&made, data, config));
    else
        PASS(
            node_features_make(&made, (enum node_features)kind, data->graph, (int)config->threads));
    out->copy = *data;
    out->copy.features = made;
    out->data = &out->copy;
    return GRACO_OK;
}

void made_leave(struct made *made, struct graco_model *model)
{
    if (made->data != &made->copy || made->narrowed || !made->copy.features.dense ||
        !one_graph(model->config.node_features) ||
        memory_alloc(&model->made, 1, sizeof *model->made) != GRACO_OK)
        return;
    *model->made = made->copy.features;
    made->data = NULL;
}

graco_status made_open(struct made *out, const struct graco_dataset *data,
                       const struct graco_model *model, int64_t threads)
{
    struct graco_config config = model->config;
    config.threads = threads;
    PASS(made_check(model, data));
    if (config.node_features <= NODE_FEATURES_GIVEN)
        return made_relearned(out, data, model);
    if (!model->made)
        return made_create(out, data, &config);
    out->copy = *data; /* the same graph, made_check says */
    out->copy.features = *model->made;
    out->copy.features.borrowed = true;
    out->data = &out->copy;
    return GRACO_OK;
}

void made_clear(struct made *made)
{
    if (made->data == &made->copy)
        features_clear(&made->copy.features);
    preparation_free(made->own);
    made->own = NULL;
    made->data = NULL;
    made->narrowed = false;
}

/* Makes the features of the nodes of part `part` anew, of the graph that this part and those before it have. */
static graco_status narrow_part(struct made *made, const struct graco_config *config, int part)
{
    struct features *X = &made->copy.features, seen = {0};
    const uint8_t *split = made->data->split;
    struct graph *graph = NULL;
    int32_t *nodes = NULL;
    int64_t count = 0;
    graco_status status = GRACO_OK;
    TRY(subset_upto(&nodes, &count, made->data, part));
    if (count == 0 || count == X->rows)
        goto done;
    TRY(subgraph_create(&graph, made->data->graph, nodes, count));
    TRY(node_features_make(&seen, (enum node_features)config->node_features, graph,
                           (int)config->threads));
    for (int64_t i = 0; i < count; i++)
        if (split[nodes[i]] == part)
            memcpy(X->dense + nodes[i] * X->cols, seen.dense + i * X->cols,
                   (size_t)X->cols * sizeof *X->dense);
    made->narrowed = true;
done:
    features_clear(&seen);
    graph_free(graph);
    memory_free(nodes);
    return status;
}

graco_status made_narrow(struct made *made, const struct graco_config *config)
{
    if (made->data != &made->copy || !config->inductive || made->own)
        return GRACO_OK;
    PASS(narrow_part(made, config, 0));
    return narrow_part(made, config, 1);
}

/* What keeps the vectors of a model from those of a data set; NULL: nothing does. A table's rows, as
 * learnt features, are those of the nodes with the same names, or of the same graph where neither has
 * names; other features are made again from the same graph. */
static const char *other_nodes(const char *words, const struct graco_model *model,
                               const struct graco_dataset *data)
{
    bool table = model->method->needs & METHOD_PER_NODE;
    bool renamed = strstr(words, "node names");
    if (table && data->node_ids && !renamed)
        return NULL;
    if (strstr(words, "number of nodes") || strstr(words, "graph"))
        return "another graph";
    if (!table && model->config.node_features != NODE_FEATURES_LEARNED)
        return NULL;
    if (!renamed)
        return NULL;
    if (!data->node_ids)
        return "no names of nodes";
    return fingerprint_named(model->fingerprint) ? "other names" : "names, which that one had not";
}

graco_status made_check(const struct graco_model *model, const struct graco_dataset *data)
{
    char found[GRACO_FINGERPRINT], words[GRACO_DIFFERENCES] = "";
    bool table = model->method->needs & METHOD_PER_NODE;
    if ((!table && !one_graph(model->config.node_features)) || !*model->fingerprint)
        return GRACO_OK;
    PASS(graco_dataset_fingerprint(found, data));
    fingerprint_compare(words, model->fingerprint, found, 0);
    const char *other = other_nodes(words, model, data);
    if (!other)
        return GRACO_OK;
    if (table)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "method %s has a vector for each node that it was trained on, and data "
                           "set '%s' has %s: expected that graph, or nodes of the same names",
                           model->method->name, data->name, other);
    return status_fail(
        GRACO_ERROR_ARGUMENT,
        "the model was trained on the graph's own features (node_features is %s), and "
        "data set '%s' has %s: only degree serves any graph",
        config_word(&model->config, "node_features"), data->name, other);
}
