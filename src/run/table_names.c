/* Names lie one behind the other in one block, each ended by a NUL, as the checkpoint has them. Those of
 * classes have a list of pointers too, because they are asked for by number. */
#include "run/table_names.h"

#include "base/memory.h"
#include "data/fingerprint.h"
#include "io/array.h"
#include "io/tables/names.h"

#include <stdio.h>
#include <string.h>

/* Nodes of several graphs may share a name. */
static bool has_names(const struct graco_dataset *data)
{
    return data->node_ids && data->graphs == 1;
}

/* Copies names into one block. */
static graco_status copy_names(char **out, int64_t *bytes, char *const *names, int64_t count)
{
    int64_t used = 0;
    for (int64_t i = 0; i < count; i++)
        used += (int64_t)strlen(names[i]) + 1;
    PASS(memory_alloc(out, used, 1));
    used = 0;
    for (int64_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]) + 1;
        memcpy(*out + used, names[i], length);
        used += (int64_t)length;
    }
    *bytes = used;
    return GRACO_OK;
}

graco_status table_names_keep(struct graco_model *model, const struct graco_dataset *data)
{
    if (!(model->method->needs & METHOD_PER_NODE) || !has_names(data))
        return GRACO_OK;
    return copy_names(&model->names, &model->names_bytes, data->node_ids, data->graph->nodes);
}

/* The same for the classes that occur, by their numbers where they have no names. */
static graco_status copy_classes(char **out, int64_t *bytes, const struct graco_dataset *data)
{
    char number[CLASS_NUMBER];
    int64_t used = 0;
    for (int64_t k = 0; k < data->classes; k++)
        used += (int64_t)strlen(class_called(number, data, k)) + 1;
    PASS(memory_alloc(out, used, 1));
    used = 0;
    for (int64_t k = 0; k < data->classes; k++) {
        const char *name = class_called(number, data, k);
        memcpy(*out + used, name, strlen(name) + 1);
        used += (int64_t)strlen(name) + 1;
    }
    *bytes = used;
    return GRACO_OK;
}

/* Makes a list of the names in a block, which then belongs to the model, or is freed. */
static graco_status take_classes(struct graco_model *model, char *text, int64_t bytes)
{
    graco_status status =
        memory_alloc(&model->class_names, model->sizes.classes, sizeof *model->class_names);
    if (status != GRACO_OK) {
        memory_free(text);
        return status;
    }
    model->class_bytes = bytes;
    for (int64_t k = 0; k < model->sizes.classes; k++, text += strlen(text) + 1)
        model->class_names[k] = text;
    return GRACO_OK;
}

graco_status class_names_keep(struct graco_model *model, const struct graco_dataset *data)
{
    char *text = NULL;
    int64_t bytes = 0;
    int64_t cols = model->sizes.classes;
    char number[CLASS_NUMBER];
    if (cols == 0 || (!data->class_names && !data->class_of))
        return GRACO_OK;
    for (int64_t k = 0; model->class_names && k < data->classes; k++) {
        const char *was = model->class_names[class_column(data, k, cols)];
        const char *name = class_called(number, data, k);
        if (strcmp(was, name) != 0)
            return status_fail(GRACO_ERROR_ARGUMENT,
                               "class %lld is called '%.100s' in data set '%s', and the training "
                               "began with '%.100s': it cannot be resumed",
                               (long long)class_number(data, k), name, data->name, was);
    }
    if (model->class_names || cols != data->classes)
        return GRACO_OK;
    PASS(copy_classes(&text, &bytes, data));
    return take_classes(model, text, bytes);
}

/* What a block holds: the tensor of the checkpoint, what its names stand for, and how many there are. */
struct name_block {
    const char *tensor, *kind;
    int64_t count;
    const char *text;
    int64_t bytes;
};

enum { NUMBER = 24 };

/* What row i is called: without names by its number. */
static const char *called(char number[NUMBER], char *const *names, int64_t i)
{
    snprintf(number, NUMBER, "%lld", (long long)i);
    return names ? names[i] : number;
}

/* A table of the names, number i for row i; without a text of the numbers. The last byte of the block is a NUL. */
static graco_status number_names(struct names **out, const struct name_block *block)
{
    const char *at = block->text, *end = at ? at + block->bytes : NULL;
    struct names *names = NULL;
    char own[NUMBER];
    int32_t number = 0;
    int64_t rows = 0;
    graco_status status = GRACO_OK;
    TRY(names_create(&names));
    for (; at ? at < end : rows < block->count; rows++) {
        const char *name = at ? at : called(own, NULL, rows);
        TRY(names_add(&number, names, name, (int64_t)strlen(name)));
        if (number < rows)
            FAIL(GRACO_ERROR_FORMAT,
                 "'%s' calls rows %ld and %lld both '%.80s'; expected other names", block->tensor,
                 (long)number, (long long)rows, name);
        at += at ? strlen(at) + 1 : 0;
    }
    if (rows != block->count)
        FAIL(GRACO_ERROR_FORMAT, "'%s' has %lld names; expected one for each of %lld %s",
             block->tensor, (long long)rows, (long long)block->count, block->kind);
    *out = names;
    names = NULL;
done:
    names_free(names);
    return status;
}

static struct name_block node_block(const struct graco_model *model)
{
    return (struct name_block){"node_ids", "nodes", model->sizes.nodes, model->names,
                               model->names_bytes};
}

/* A copy of the bytes of a tensor that holds such a block. */
static graco_status read_block(char **out, struct name_block *block, const struct array *bytes)
{
    const char *text = bytes->data;
    struct names *names = NULL;
    if (bytes->type != ARRAY_U8 || bytes->ndim != 1 || bytes->count == 0 || text[bytes->count - 1])
        return status_fail(GRACO_ERROR_FORMAT,
                           "tensor '%s' is not a list of bytes that ends with a 0", block->tensor);
    block->text = text;
    block->bytes = bytes->count;
    PASS(number_names(&names, block));
    names_free(names);
    PASS(memory_alloc(out, bytes->count, 1));
    memcpy(*out, text, (size_t)bytes->count);
    return GRACO_OK;
}

graco_status table_names_read(struct graco_model *model, const struct array *bytes)
{
    struct name_block block = node_block(model);
    PASS(read_block(&model->names, &block, bytes));
    model->names_bytes = block.bytes;
    return GRACO_OK;
}

graco_status class_names_read(struct graco_model *model, const struct array *bytes)
{
    struct name_block block = {
        .tensor = "class_names", .kind = "classes", .count = model->sizes.classes};
    char *text = NULL;
    PASS(read_block(&text, &block, bytes));
    return take_classes(model, text, block.bytes);
}

/* Names decide if one side has some. Of a model without them the fingerprint must say that its nodes had
 * none: those of several graphs are not kept. */
static bool names_decide(const struct graco_model *model, const struct graco_dataset *data)
{
    if (model->names)
        return data->graphs == 1;
    return model->sizes.nodes && has_names(data) && *model->fingerprint &&
           !fingerprint_named(model->fingerprint);
}

graco_status table_names_find(int64_t **rows, const struct graco_model *model,
                              const struct graco_dataset *data)
{
    const struct name_block block = node_block(model);
    struct names *names = NULL;
    char number[NUMBER];
    int64_t *found = NULL, nodes = data->graph->nodes, unseen = 0, first = 0;
    graco_status status = GRACO_OK;
    *rows = NULL;
    if (!names_decide(model, data))
        return GRACO_OK;
    TRY(number_names(&names, &block));
    TRY(memory_alloc(&found, nodes, sizeof *found));
    for (int64_t i = 0; i < nodes; i++) {
        const char *name = called(number, data->node_ids, i);
        found[i] = names_find(names, name, (int64_t)strlen(name));
        first = found[i] < 0 && unseen == 0 ? i : first;
        unseen += found[i] < 0;
    }
    if (unseen > 0 && (!model->names || !data->node_ids))
        goto done; /* made_check says what is wrong */
    if (unseen > 0)
        FAIL(GRACO_ERROR_ARGUMENT,
             "data set '%s' has %lld node%s that the training did not see, %s'%.100s': "
             "method %s has vectors for the %lld nodes that it was trained on alone",
             data->name, (long long)unseen, unseen == 1 ? "" : "s",
             unseen == 1 ? "" : "the first of them ", data->node_ids[first], model->method->name,
             (long long)model->sizes.nodes);
    *rows = found;
    found = NULL;
done:
    names_free(names);
    memory_free(found);
    return status;
}
