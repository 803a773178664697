/* The list of methods, and what follows from a method's table: its settings and its models.
 *
 * A model is declared before it has memory, so that a file's claims can be checked first. It keeps of a
 * data set's sizes those that its method reads: any graph will do for an encoder, one for a table. */
#include "methods/method.h"

#include "base/memory.h"
#include "base/words.h"
#include "data/fingerprint.h"
#include "layers/encoder.h"
#include "methods/objective.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define METHOD(name) extern const struct method method_##name;
#include "methods/methods.def"
#undef METHOD

static const struct method *const METHODS[] = {
#define METHOD(name) &method_##name,
#include "methods/methods.def"
#undef METHOD
};

enum { METHODS_COUNT = sizeof METHODS / sizeof *METHODS, PRESETS_MAX = 62 };

/* What a method's own settings are called, without a preset. */
static const char GENERAL[] = "general";

const char *graco_method(int index)
{
    return index >= 0 && index < METHODS_COUNT ? METHODS[index]->name : NULL;
}

bool graco_method_describe(graco_method_info *info, int index)
{
    if (index < 0 || index >= METHODS_COUNT)
        return false;
    const struct method *method = METHODS[index];
    bool labels = method->needs & METHOD_NEEDS_LABELS;
    *info = (graco_method_info){.name = method->name,
                                .help = method->help,
                                .supervised = labels,
                                .needs_features = method->needs & METHOD_NEEDS_FEATURES,
                                .needs_labels = labels,
                                .scale = method->scale ? method->scale : "",
                                .reference = method->reference ? method->reference : ""};
    return true;
}

graco_status method_find(const struct method **out, const char *name)
{
    const char *names[METHODS_COUNT + 1] = {NULL};
    for (int i = 0; i < METHODS_COUNT; i++) {
        names[i] = METHODS[i]->name;
        if (!name || strcmp(names[i], name) == 0) {
            *out = METHODS[i];
            return GRACO_OK;
        }
    }
    return words_unknown("unknown method", name, names);
}

graco_status method_backend(const struct backend **out, const struct method *method,
                            const char *device)
{
    if (method->step && strcmp(device, "cuda") == 0)
        return status_fail(GRACO_ERROR_ARGUMENT, "method %s runs on the CPU alone; device is '%s'",
                           method->name, device);
    return backend_find(out, method->step ? "cpu" : device);
}

graco_status method_check_data(const struct method *method, const struct graco_dataset *data)
{
    unsigned needs = method->needs;
    if (needs & METHOD_NEEDS_LABELS && data->classes == 0)
        return status_fail(GRACO_ERROR_ARGUMENT, "method %s needs labels; data set '%s' has none",
                           method->name, data->name);
    if (needs & METHOD_NEEDS_LABELS)
        PASS(classes_check(data));
    if (needs & METHOD_NEEDS_FEATURES && data->features.cols == 0)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "method %s needs node features; data set '%s' has none", method->name,
                           data->name);
    if (needs & METHOD_NO_WEIGHTS && data->graph->in.value)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "method %s does not read weights of edges, and data set '%s' has some: "
                           "--unweighted leaves them out",
                           method->name, data->name);
    return needs & METHOD_NEEDS_FEATURES ? features_check_cols(&data->features) : GRACO_OK;
}

const char *graco_preset(const char *method, int index)
{
    const struct method *found = NULL;
    if (index < 0 || method_find(&found, method) != GRACO_OK)
        return NULL;
    const struct preset *preset = found->presets;
    while (preset->name && index-- > 0)
        preset++;
    return preset->name;
}

static void apply(struct graco_config *config, const char *settings)
{
    graco_status status = config_apply(config, settings);
    assert(status == GRACO_OK);
    (void)status;
}

/* The preset of that name; NULL: none. */
static const struct preset *find_preset(const struct method *method, const char *name)
{
    for (const struct preset *preset = method->presets; name && preset->name; preset++)
        if (strcmp(preset->name, name) == 0)
            return preset;
    return NULL;
}

const char *graco_preset_for(const char *method, const char *dataset)
{
    const struct method *found = NULL;
    const struct preset *preset = NULL;
    if (method_find(&found, method) == GRACO_OK)
        preset = find_preset(found, dataset);
    return preset ? preset->name : GENERAL;
}

/* Whether there is a preset of that name. */
static graco_status check_preset(const struct method *method, const char *name)
{
    const char *names[PRESETS_MAX + 2] = {NULL};
    char what[64];
    int count = 0;
    if (!name || strcmp(name, GENERAL) == 0 || find_preset(method, name))
        return GRACO_OK;
    while (count < PRESETS_MAX && method->presets[count].name) {
        names[count] = method->presets[count].name;
        count++;
    }
    names[count] = GENERAL;
    snprintf(what, sizeof what, "unknown preset of %s", method->name);
    return words_unknown(what, name, names);
}

void method_configure(struct graco_config *config, const struct method *method, const char *name)
{
    const struct preset *preset = find_preset(method, name);
    config_init(config, method->name, method->keys);
    apply(config, method->general);
    if (preset)
        apply(config, preset->settings);
}

graco_status graco_config_create(graco_config **out, const char *method, const char *preset)
{
    const struct method *found = NULL;
    graco_config *config = NULL;
    graco_status status = GRACO_OK;
    TRY(method_find(&found, method));
    TRY(check_preset(found, preset));
    TRY(memory_alloc(&config, 1, sizeof *config));
    method_configure(config, found, preset);
    *out = config;
done:
    return status;
}

struct model_sizes model_sizes_of(const struct graco_dataset *data)
{
    return (struct model_sizes){.cols = data->features.cols,
                                .nodes = dataset_nodes(data),
                                .classes = data->classes,
                                .multi_label = data->multi};
}

/* How many columns embeddings have. A method whose results have a meaning of their own, such as classes, has no
 * parts. */
static graco_status declare_columns(struct graco_model *model)
{
    const struct graco_config *config = &model->config;
    int64_t joined = parts_joined(model), wanted = config_columns(config);
    model->columns = model->width;
    if (!config_reads(config, "parts"))
        return GRACO_OK;
    wanted = wanted == COLUMNS_ALL ? joined : wanted;
    if (!(config->parts & PARTS_LEARNED))
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "parts has no learned, and the method %s learns: expected "
                           "parts=learned, or with own and smooth",
                           config->method);
    if (wanted > joined)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%lld columns of embeddings whose parts have %lld: expected at most so "
                           "many, by hidden or columns",
                           (long long)wanted, (long long)joined);
    model->columns = wanted;
    return GRACO_OK;
}

graco_status model_declare(struct graco_model *model, const struct graco_config *config,
                           struct model_sizes sizes)
{
    const struct method *method = NULL;
    PASS(method_find(&method, config->method));
    if (method->check)
        PASS(method->check(config));
    assert(config->objective != OBJECTIVE_AUTO && config->width != WIDTH_AUTO &&
           config->parts != PARTS_AUTO); /* whoever has data resolves these first */
    model->method = method;
    model->config = *config;
    model->sizes.cols = method->views > 0 ? sizes.cols : 0;
    model->sizes.nodes = method->needs & METHOD_PER_NODE ? sizes.nodes : 0;
    model->sizes.classes = method->needs & METHOD_NEEDS_LABELS ? sizes.classes : 0;
    model->sizes.multi_label = model->sizes.classes > 0 && sizes.multi_label;
    int64_t width = config->width ? config->width : config->hidden;
    model->width = width;
    model->lr = config->lr;
    model->kind = method->kind ? method->kind : encoder_kind(config);
    model->inner = model->kind->wide ? 2 * width : width;
    model->parameters.plain = method->step;
    model->parameters.keeps = method->validate || config->patience > 0;
    method->declare(model);
    return declare_columns(model);
}

graco_status model_check(const struct graco_model *model, const struct graco_dataset *data,
                         const char *who)
{
    const struct model_sizes *wanted = &model->sizes, found = model_sizes_of(data);
    if (wanted->cols != (model->method->views > 0 ? found.cols : 0))
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%s was trained on %lld features; data set '%s' has %lld", who,
                           (long long)wanted->cols, data->name, (long long)found.cols);
    if (wanted->nodes && wanted->nodes != found.nodes)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%s has a vector for each of %lld nodes; data set '%s' has %lld", who,
                           (long long)wanted->nodes, data->name, (long long)found.nodes);
    return GRACO_OK;
}

graco_status model_create(struct graco_model **out, const struct graco_config *config,
                          struct model_sizes sizes)
{
    graco_status status = GRACO_OK;
    struct graco_model *model = NULL;
    TRY(memory_zalloc(&model, 1, sizeof *model));
    TRY(model_declare(model, config, sizes));
    TRY(parameters_allocate(&model->parameters, config->seed));
    *out = model;
    return GRACO_OK;
done:
    graco_model_free(model);
    return status;
}

void graco_model_free(graco_model *model)
{
    if (model) {
        parameters_clear(&model->parameters);
        parts_clear(&model->parts);
        memory_free(model->names);
        memory_free(model->preparation);
        dataset_names_free(model->class_names);
        if (model->made)
            features_clear(model->made);
        memory_free(model->made);
    }
    memory_free(model);
}

const char *graco_model_class(const graco_model *model, int64_t index)
{
    return model->class_names && index >= 0 && index < model->sizes.classes
               ? model->class_names[index]
               : NULL;
}

void method_differences(char words[GRACO_DIFFERENCES], const struct method *method, bool inductive,
                        const char *was, const char *found)
{
    bool supervised = method && method->needs & METHOD_NEEDS_LABELS;
    unsigned counts = supervised  ? FINGERPRINT_SPLIT | FINGERPRINT_LABELS
                      : inductive ? FINGERPRINT_SPLIT
                                  : 0;
    *words = '\0';
    if (was)
        fingerprint_compare(words, was, found, counts);
}

graco_status method_compare(char words[GRACO_DIFFERENCES], const struct graco_model *model,
                            const struct graco_dataset *data)
{
    char found[GRACO_FINGERPRINT];
    PASS(graco_dataset_fingerprint(found, data));
    method_differences(words, model->method, model->config.inductive, model->fingerprint, found);
    return GRACO_OK;
}
