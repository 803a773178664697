/* Writing and reading checkpoints. What a file claims is checked before memory is taken for it, and what
 * reading would refuse is not written. */
#include "run/checkpoint.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/fingerprint.h"
#include "data/preparation.h"
#include "io/array.h"
#include "io/files/file.h"
#include "io/safetensors.h"
#include "run/table_names.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KINDS = 4,
    PAIRS_MAX = CONFIG_KEYS + 20, /* settings, and what the model is made for and how far it is */
    NAME_SIZE = PARAMETER_NAME + 8,
    /* Parameters, names of a table's rows and of classes, a preparation, what parts need. */
    TENSORS_MAX = KINDS * PARAMETERS_MAX + 6
};

static const char *const PREFIX[KINDS] = {"", "adam_m.", "adam_v.", "best."};
static const char NODE_IDS[] = "node_ids", CLASS_NAMES[] = "class_names",
                  PREPARATION[] = "preparation";
static const char COMPONENTS[] = "parts.components", MEAN[] = "parts.mean", MAP[] = "parts.map";
static const char FORMAT[] = "graco model 2";

/* Whether a model has such a block; its method and settings say so. */
static bool has_kind(const struct parameters *p, int kind)
{
    return kind == 0 || (kind == 3 ? p->keeps : !p->plain);
}

static float *block_of(const struct parameters *p, int kind)
{
    return (float *const[KINDS]){p->value, p->m, p->v, p->best}[kind];
}

static void tensor_name(char name[NAME_SIZE], const struct parameter *t, int kind)
{
    snprintf(name, NAME_SIZE, "%s%s", PREFIX[kind], t->name);
}

/* ---- Writing --------------------------------------------------------------------------------- */

struct page {
    char names[KINDS * PARAMETERS_MAX][NAME_SIZE];
    struct array arrays[TENSORS_MAX];
    struct safetensors_entry entries[TENSORS_MAX];
    char values[PAIRS_MAX][CONFIG_TEXT];
    struct safetensors_pair pairs[PAIRS_MAX];
    int64_t count, pair_count;
};

static graco_status add_tensors(struct page *page, const struct parameters *p)
{
    graco_status status = GRACO_OK;
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < p->count && has_kind(p, kind); i++) {
            const struct parameter *t = &p->list[i];
            int64_t at = page->count++;
            tensor_name(page->names[at], t, kind);
            TRY(array_borrow(&page->arrays[at], ARRAY_F32, block_of(p, kind) + t->offset, 2,
                             (int64_t[]){t->rows, t->cols}));
            page->entries[at] = (struct safetensors_entry){page->names[at], &page->arrays[at]};
        }
done:
    return status;
}

static graco_status add_names(struct page *page, const char *tensor, char *text, int64_t bytes)
{
    int64_t at = page->count;
    if (!text)
        return GRACO_OK;
    PASS(array_borrow(&page->arrays[at], ARRAY_U8, text, 1, (int64_t[]){bytes}));
    page->entries[at] = (struct safetensors_entry){tensor, &page->arrays[at]};
    page->count++;
    return GRACO_OK;
}

/* A matrix that a model may have. */
static graco_status add_matrix(struct page *page, const char *tensor, float *data,
                               const int64_t shape[2])
{
    int64_t at = page->count;
    if (!data)
        return GRACO_OK;
    PASS(array_borrow(&page->arrays[at], ARRAY_F32, data, 2, shape));
    page->entries[at] = (struct safetensors_entry){tensor, &page->arrays[at]};
    page->count++;
    return GRACO_OK;
}

static graco_status add_parts(struct page *page, const struct graco_model *model)
{
    const struct parts *parts = &model->parts;
    const struct components *components = &parts->components;
    int64_t joined = parts->mean ? parts_joined(model) : 0;
    PASS(add_matrix(page, COMPONENTS, components->P,
                    (int64_t[]){components->cols, components->count}));
    PASS(add_matrix(page, MEAN, parts->mean, (int64_t[]){1, joined}));
    return add_matrix(page, MAP, parts->map, (int64_t[]){joined, model->columns});
}

static char *add_pair(struct page *page, const char *key)
{
    int64_t at = page->pair_count++;
    page->pairs[at] = (struct safetensors_pair){key, page->values[at]};
    return page->values[at];
}

static void add_count(struct page *page, const char *key, int64_t count)
{
    snprintf(add_pair(page, key), CONFIG_TEXT, "%lld", (long long)count);
}

/* What the steps of an unfinished epoch came to. Shortest forms read back as the same bits; a sum that
 * is not finite, as where a method has no estimate, is left out. */
static void add_sums(struct page *page, const struct epoch_sums *sums)
{
    if (sums->steps == 0)
        return;
    add_count(page, "epoch_steps", sums->steps);
    add_count(page, "epoch_weight", sums->weight);
    add_count(page, "epoch_floored", sums->floored);
    number_shortest(add_pair(page, "epoch_loss"), sums->loss);
    number_shortest(add_pair(page, "epoch_seconds"), sums->seconds);
    if (isfinite(sums->mutual_information))
        number_shortest(add_pair(page, "epoch_mutual_information"), sums->mutual_information);
}

/* What the model is made for and how far it is; what does not concern its method is left out. */
static void add_state(struct page *page, const struct graco_model *model)
{
    add_count(page, "epoch", model->epoch);
    add_count(page, "step", model->step);
    add_sums(page, &model->sums);
    add_count(page, "input", model->sizes.cols);
    if (model->sizes.nodes)
        add_count(page, "nodes", model->sizes.nodes);
    if (model->sizes.classes)
        add_count(page, "classes", model->sizes.classes);
    if (model->sizes.multi_label)
        add_count(page, "multi_label", 1);
    if (model->best.epoch) {
        add_count(page, "best_epoch", model->best.epoch);
        number_shortest(add_pair(page, "best_cost"), model->best.cost);
    }
    if (model->halved) {
        add_count(page, "halved_epoch", model->halved);
        number_shortest(add_pair(page, "lr_now"), model->lr);
    }
}

graco_status checkpoint_write(const struct graco_model *model, const char *path)
{
    graco_status status = GRACO_OK;
    struct page *page = NULL;
    const char *key;
    TRY(parameters_check(&model->parameters)); /* what reading refuses is not written */
    TRY(memory_zalloc(&page, 1, sizeof *page));
    TRY(add_tensors(page, &model->parameters));
    TRY(add_names(page, NODE_IDS, model->names, model->names_bytes));
    TRY(add_names(page, PREPARATION, model->preparation,
                  model->preparation ? (int64_t)strlen(model->preparation) : 0));
    TRY(add_names(page, CLASS_NAMES, model->class_names ? model->class_names[0] : NULL,
                  model->class_bytes));
    TRY(add_parts(page, model));
    snprintf(add_pair(page, "format"), CONFIG_TEXT, "%s", FORMAT);
    add_state(page, model);
    snprintf(add_pair(page, "method"), CONFIG_TEXT, "%s", model->config.method);
    char *count = add_pair(page, "keys");
    int keys = 0;
    for (; (key = graco_config_key(&model->config, keys, NULL)); keys++)
        TRY(graco_config_get(&model->config, key, add_pair(page, key), CONFIG_TEXT));
    snprintf(count, CONFIG_TEXT, "%d", keys);
    page->pairs[page->pair_count++] = (struct safetensors_pair){"fingerprint", model->fingerprint};
    TRY(safetensors_write(path, page->entries, page->count, page->pairs, page->pair_count));
done:
    memory_free(page);
    return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static graco_status read_text(const char **out, const struct safetensors *file, const char *key)
{
    *out = safetensors_metadata(file, key);
    if (!*out)
        return status_fail(GRACO_ERROR_FORMAT, "no '%s' in its metadata; expected a graco model",
                           key);
    return GRACO_OK;
}

static graco_status read_count(int64_t *out, const struct safetensors *file, const char *key,
                               int64_t low, int64_t high)
{
    const char *text;
    char *end;
    graco_status status = read_text(&text, file, key);
    if (status != GRACO_OK)
        return status;
    *out = strtoll(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || *out < low || *out > high)
        return status_fail(GRACO_ERROR_FORMAT, "'%s' is '%s'; expected a number from %lld to %lld",
                           key, text, (long long)low, (long long)high);
    return GRACO_OK;
}

static graco_status read_real(double *out, const struct safetensors *file, const char *key)
{
    const char *text;
    char *end;
    PASS(read_text(&text, file, key));
    *out = number_parse(text, &end);
    if (end == text || *end || !isfinite(*out))
        return status_fail(GRACO_ERROR_FORMAT, "'%s' is '%s'; expected a finite number", key, text);
    return GRACO_OK;
}

/* A checkpoint without `epoch_steps` stands between two epochs. */
static graco_status read_sums(struct epoch_sums *sums, const struct safetensors *file, int64_t step)
{
    const int64_t most = INT64_MAX / 2; /* the rest of the epoch is added to it */
    if (!safetensors_metadata(file, "epoch_steps"))
        return GRACO_OK;
    sums->mutual_information = (double)NAN;
    PASS(read_count(&sums->steps, file, "epoch_steps", 1, step));
    PASS(read_count(&sums->weight, file, "epoch_weight", 1, most));
    PASS(read_count(&sums->floored, file, "epoch_floored", 0, most));
    PASS(read_real(&sums->loss, file, "epoch_loss"));
    PASS(read_real(&sums->seconds, file, "epoch_seconds"));
    if (safetensors_metadata(file, "epoch_mutual_information"))
        PASS(read_real(&sums->mutual_information, file, "epoch_mutual_information"));
    return GRACO_OK;
}

/* A file says how many keys it holds. A key that it lacks came later, and has its start value: what it
 * meant before. */
static graco_status read_config(struct graco_config *config, const struct safetensors *file)
{
    graco_status status = GRACO_OK;
    const struct method *method = NULL;
    const char *format, *key, *text = NULL;
    int64_t wanted = 0, found = 0;
    TRY(read_text(&format, file, "format"));
    if (strcmp(format, FORMAT) != 0)
        FAIL(GRACO_ERROR_FORMAT, "its format is '%s'; expected '%s'", format, FORMAT);
    TRY(read_text(&text, file, "method"));
    TRY(method_find(&method, text));
    config_init(config, method->name, method->keys);
    for (int i = 0; (key = graco_config_key(config, i, NULL)); i++) {
        text = safetensors_metadata(file, key);
        if (text)
            TRY(graco_config_set(config, key, text));
        found += text ? 1 : 0;
    }
    TRY(read_count(&wanted, file, "keys", 1, INT32_MAX));
    if (found != wanted)
        FAIL(GRACO_ERROR_FORMAT, "%lld of its %lld settings are known; expected all",
             (long long)found, (long long)wanted);
done:
    return status == GRACO_ERROR_ARGUMENT ? GRACO_ERROR_FORMAT : status;
}

/* The tensor of a parameter, which must have its type and shape. */
static graco_status find_tensor(const struct array **out, const struct safetensors *file,
                                const struct parameter *t, int kind)
{
    char name[NAME_SIZE];
    tensor_name(name, t, kind);
    const struct array *array = safetensors_find(file, name);
    if (!array)
        return status_fail(GRACO_ERROR_FORMAT, "tensor '%s' is missing", name);
    if (array->type != ARRAY_F32 || array->ndim != 2 || array->shape[0] != t->rows ||
        array->shape[1] != t->cols)
        return status_fail(GRACO_ERROR_FORMAT, "tensor '%s' is not float32 of shape (%lld, %lld)",
                           name, (long long)t->rows, (long long)t->cols);
    *out = array;
    return GRACO_OK;
}

/* What the settings ask for must be in the file before memory is taken for it. */
static graco_status check_tensors(const struct safetensors *file, const struct graco_config *config,
                                  struct model_sizes sizes)
{
    struct graco_model claimed = {0};
    const struct array *array;
    graco_status status = GRACO_OK;
    TRY(model_declare(&claimed, config, sizes));
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < claimed.parameters.count && has_kind(&claimed.parameters, kind); i++)
            TRY(find_tensor(&array, file, &claimed.parameters.list[i], kind));
done:
    return status;
}

static graco_status read_tensor(float *out, const struct safetensors *file,
                                const struct parameter *t, int kind)
{
    const struct array *array = NULL;
    graco_status status = find_tensor(&array, file, t, kind);
    if (status != GRACO_OK)
        return status;
    memcpy(out, array->data, (size_t)(t->rows * t->cols) * sizeof(float));
    for (int64_t i = 0; i < t->rows * t->cols; i++)
        if (!isfinite(out[i]))
            return status_fail(GRACO_ERROR_FORMAT, "tensor '%s%s' has a value that is not finite",
                               PREFIX[kind], t->name);
    return GRACO_OK;
}

static graco_status read_fingerprint(char out[GRACO_FINGERPRINT], const struct safetensors *file)
{
    const char *text = NULL;
    PASS(read_text(&text, file, "fingerprint"));
    if (!fingerprint_valid(text))
        return status_fail(GRACO_ERROR_FORMAT,
                           "'fingerprint' is '%.100s'; expected a number and five hashes", text);
    snprintf(out, GRACO_FINGERPRINT, "%s", text);
    return GRACO_OK;
}

/* Nodes and classes without names have none. */
static graco_status read_names(struct graco_model *model, const struct safetensors *file)
{
    const struct array *nodes = safetensors_find(file, NODE_IDS);
    const struct array *classes = safetensors_find(file, CLASS_NAMES);
    if (classes && model->sizes.classes)
        PASS(class_names_read(model, classes));
    return nodes && model->sizes.nodes ? table_names_read(model, nodes) : GRACO_OK;
}

/* A matrix of that shape, with finite numbers, as a new block. */
static graco_status read_matrix(float **out, const struct safetensors *file, const char *tensor,
                                const int64_t shape[2])
{
    const struct array *array = safetensors_find(file, tensor);
    if (!array || array->type != ARRAY_F32 || array->ndim != 2 || array->shape[0] != shape[0] ||
        array->shape[1] != shape[1])
        return status_fail(GRACO_ERROR_FORMAT, "tensor '%s' is not float32 of shape (%lld, %lld)",
                           tensor, (long long)shape[0], (long long)shape[1]);
    if (not_finite_first(array->data, shape[0] * shape[1]) >= 0)
        return status_fail(GRACO_ERROR_FORMAT, "tensor '%s' has a value that is not finite",
                           tensor);
    PASS(memory_alloc(out, shape[0] * shape[1], sizeof **out));
    memcpy(*out, array->data, (size_t)(shape[0] * shape[1]) * sizeof **out);
    return GRACO_OK;
}

/* A training that has not ended has found none. */
static graco_status read_parts(struct graco_model *model, const struct safetensors *file)
{
    struct parts *parts = &model->parts;
    int64_t joined = parts_joined(model), cols = model->sizes.cols;
    if (parts_none(model) || !safetensors_find(file, MEAN))
        return GRACO_OK;
    parts->components =
        (struct components){.cols = cols, .count = cols < COMPONENTS_MOST ? cols : COMPONENTS_MOST};
    PASS(read_matrix(&parts->mean, file, MEAN, (int64_t[]){1, joined}));
    if (model->columns < joined)
        PASS(read_matrix(&parts->map, file, MAP, (int64_t[]){joined, model->columns}));
    if (cols <= COMPONENTS_MOST || model->config.parts == PARTS_LEARNED)
        return GRACO_OK;
    return read_matrix(&parts->components.P, file, COMPONENTS,
                       (int64_t[]){cols, parts->components.count});
}

/* The preparation is read once, so that what is wrong with it shows here. */
static graco_status read_preparation(struct graco_model *model, const struct safetensors *file)
{
    const struct array *text = safetensors_find(file, PREPARATION);
    struct preparation *read = NULL;
    graco_status status = GRACO_OK;
    if (!text)
        return GRACO_OK;
    if (text->type != ARRAY_U8 || text->ndim != 1 || memchr(text->data, 0, (size_t)text->count))
        FAIL(GRACO_ERROR_FORMAT, "tensor '%s' is no text", PREPARATION);
    TRY(preparation_read(&read, text->data, text->count));
    if (read->cols != model->sizes.cols && model->sizes.cols > 0)
        FAIL(GRACO_ERROR_FORMAT, "its preparation gives %lld features: expected %lld",
             (long long)read->cols, (long long)model->sizes.cols);
    TRY(memory_zalloc(&model->preparation, text->count + 1, 1));
    memcpy(model->preparation, text->data, (size_t)text->count);
done:
    preparation_free(read);
    return status;
}

/* A number that only files of some methods have: 0 where it is missing. */
static graco_status read_optional(int64_t *out, const struct safetensors *file, const char *key,
                                  int64_t high)
{
    *out = 0;
    return safetensors_metadata(file, key) ? read_count(out, file, key, 1, high) : GRACO_OK;
}

static graco_status read_sizes(struct model_sizes *out, const struct safetensors *file,
                               const struct graco_config *config)
{
    const struct method *method = NULL;
    PASS(method_find(&method, config->method));
    PASS(read_count(&out->cols, file, "input", method->views > 0, INT32_MAX));
    PASS(read_optional(&out->nodes, file, "nodes", INT32_MAX));
    PASS(read_optional(&out->classes, file, "classes", DATASET_CLASSES));
    int64_t several = 0;
    PASS(read_optional(&several, file, "multi_label", 1));
    out->multi_label = several;
    if (method->needs & METHOD_NEEDS_LABELS && out->classes == 0)
        return status_fail(GRACO_ERROR_FORMAT,
                           "no 'classes' in its metadata; a model of method %s has some",
                           method->name);
    return GRACO_OK;
}

static graco_status read_best(struct graco_model *model, const struct safetensors *file)
{
    const char *text = NULL;
    char *end;
    PASS(read_optional(&model->best.epoch, file, "best_epoch", model->epoch));
    if (!model->best.epoch)
        return GRACO_OK;
    PASS(read_text(&text, file, "best_cost"));
    model->best.cost = number_parse(text, &end);
    if (!model->parameters.best || end == text || *end || !isfinite(model->best.cost))
        return status_fail(GRACO_ERROR_FORMAT,
                           "'best_cost' is '%s'; expected a finite number, and a model that keeps "
                           "its best parameters",
                           text);
    return GRACO_OK;
}

static graco_status read_rate(struct graco_model *model, const struct safetensors *file)
{
    const char *text = NULL;
    char *end;
    PASS(read_optional(&model->halved, file, "halved_epoch", model->epoch));
    if (!model->halved)
        return GRACO_OK;
    PASS(read_text(&text, file, "lr_now"));
    model->lr = number_parse(text, &end);
    if (end == text || *end || !(model->lr >= 0 && model->lr <= model->config.lr))
        return status_fail(GRACO_ERROR_FORMAT,
                           "'lr_now' is '%s'; expected a number from 0 to lr, which is %g", text,
                           model->config.lr);
    return GRACO_OK;
}

static graco_status read_model(struct graco_model **out, const struct safetensors *file)
{
    graco_status status = GRACO_OK;
    struct graco_model *model = NULL;
    struct graco_config config;
    struct model_sizes sizes;
    struct epoch_sums sums = {0};
    int64_t epoch, step;
    TRY(read_config(&config, file));
    TRY(read_count(&epoch, file, "epoch", 0, UINT32_MAX));
    TRY(read_count(&step, file, "step", 0, UINT32_MAX));
    TRY(read_sums(&sums, file, step));
    TRY(read_sizes(&sizes, file, &config));
    TRY(check_tensors(file, &config, sizes));
    TRY(model_create(&model, &config, sizes));
    model->epoch = epoch;
    model->step = step;
    model->sums = sums;
    TRY(read_best(model, file));
    TRY(read_rate(model, file));
    TRY(read_fingerprint(model->fingerprint, file));
    TRY(read_names(model, file));
    TRY(read_preparation(model, file));
    TRY(read_parts(model, file));
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < model->parameters.count && has_kind(&model->parameters, kind); i++) {
            const struct parameter *t = &model->parameters.list[i];
            TRY(read_tensor(block_of(&model->parameters, kind) + t->offset, file, t, kind));
        }
    *out = model;
    return GRACO_OK;
done:
    graco_model_free(model);
    return status;
}

graco_status checkpoint_read(struct graco_model **out, const char *path)
{
    struct safetensors *file = NULL;
    graco_status status = safetensors_read(&file, path);
    if (status != GRACO_OK)
        return status;
    status = read_model(out, file);
    if (status != GRACO_OK)
        status_context(status, "%s", path);
    safetensors_free(file);
    return status;
}

graco_status graco_model_load(graco_model **out, const char *run)
{
    char *path = NULL;
    graco_status status = memory_path(&path, run, "model.safetensors");
    if (status == GRACO_OK)
        status = checkpoint_read(out, path);
    memory_free(path);
    return status;
}

graco_status graco_model_save(const graco_model *model, const char *run)
{
    char *path = NULL;
    graco_status status = GRACO_OK;
    TRY(file_make_folder(run));
    TRY(memory_path(&path, run, "model.safetensors"));
    TRY(checkpoint_write(model, path));
done:
    memory_free(path);
    return status;
}
