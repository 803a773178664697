/* Names lie one behind the other in one block, each ended by a NUL, as the checkpoint has them. */
#include "train/table_names.h"

#include "base/memory.h"
#include "io/array.h"
#include "io/tables/names.h"

#include <string.h>

/* Nodes of several graphs may share a name. */
static bool has_names(const struct graco_dataset *data)
{
    return data->node_ids && data->graphs == 1;
}

graco_status table_names_keep(struct graco_model *model, const struct graco_dataset *data)
{
    int64_t bytes = 0;
    if (!(model->method->needs & METHOD_PER_NODE) || model->names || !has_names(data))
        return GRACO_OK;
    for (int64_t i = 0; i < data->graph->nodes; i++)
        bytes += (int64_t)strlen(data->node_ids[i]) + 1;
    PASS(memory_alloc(&model->names, bytes, 1));
    for (int64_t i = 0; i < data->graph->nodes; i++) {
        size_t length = strlen(data->node_ids[i]) + 1;
        memcpy(model->names + model->names_bytes, data->node_ids[i], length);
        model->names_bytes += (int64_t)length;
    }
    return GRACO_OK;
}

/* A table of the names, number i for row i. The last byte of the block is a NUL. */
static graco_status number_names(struct names **out, const struct graco_model *model)
{
    const char *at = model->names, *end = at + model->names_bytes;
    struct names *names = NULL;
    int32_t number = 0;
    int64_t rows = 0;
    graco_status status = GRACO_OK;
    TRY(names_create(&names));
    for (; at < end; at += strlen(at) + 1, rows++) {
        TRY(names_add(&number, names, at, (int64_t)strlen(at)));
        if (number < rows)
            FAIL(GRACO_ERROR_FORMAT,
                 "'node_ids' calls rows %ld and %lld both '%.80s'; expected other names",
                 (long)number, (long long)rows, at);
    }
    if (rows != model->sizes.nodes)
        FAIL(GRACO_ERROR_FORMAT, "'node_ids' has %lld names; expected one for each of %lld nodes",
             (long long)rows, (long long)model->sizes.nodes);
    *out = names;
    names = NULL;
done:
    names_free(names);
    return status;
}

graco_status table_names_read(struct graco_model *model, const struct array *bytes)
{
    const char *text = bytes->data;
    struct names *names = NULL;
    if (bytes->type != ARRAY_U8 || bytes->ndim != 1 || bytes->count == 0 || text[bytes->count - 1])
        return status_fail(GRACO_ERROR_FORMAT,
                           "tensor 'node_ids' is not a list of bytes that ends with a 0");
    PASS(memory_alloc(&model->names, bytes->count, 1));
    memcpy(model->names, text, (size_t)bytes->count);
    model->names_bytes = bytes->count;
    PASS(number_names(&names, model));
    names_free(names);
    return GRACO_OK;
}

graco_status table_names_find(int64_t **rows, const struct graco_model *model,
                              const struct graco_dataset *data)
{
    struct names *names = NULL;
    int64_t *found = NULL, nodes = data->graph->nodes, unseen = 0, first = 0;
    graco_status status = GRACO_OK;
    *rows = NULL;
    if (!model->names || !has_names(data))
        return GRACO_OK;
    TRY(number_names(&names, model));
    TRY(memory_alloc(&found, nodes, sizeof *found));
    for (int64_t i = 0; i < nodes; i++) {
        found[i] = names_find(names, data->node_ids[i], (int64_t)strlen(data->node_ids[i]));
        first = found[i] < 0 && unseen == 0 ? i : first;
        unseen += found[i] < 0;
    }
    if (unseen > 0)
        FAIL(GRACO_ERROR_ARGUMENT,
             "data set '%s' has %lld node%s that the training did not see, the first of them "
             "'%.100s': method %s has vectors for the %lld nodes that it was trained on alone",
             data->name, (long long)unseen, unseen == 1 ? "" : "s", data->node_ids[first],
             model->method->name, (long long)model->sizes.nodes);
    *rows = found;
    found = NULL;
done:
    names_free(names);
    memory_free(found);
    return status;
}
