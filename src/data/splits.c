/* The usable nodes in ascending order are shuffled with numbers that the seed and the split's number
 * determine (Philox, stream RANDOM_SPLITS, step = number of the split); the parts are pieces of that
 * order. */
#include "data/splits.h"

#include "base/memory.h"
#include "base/random.h"

#include <string.h>

/* The key's view: 0 for the split itself, 1 for the folds of its training part. */
enum { VIEW_SPLIT = 0, VIEW_FOLDS = 1 };

static graco_status splits_init(struct splits *out, int64_t count, int64_t nodes)
{
    struct splits made = {.count = count, .nodes = nodes};
    if (count < 1 || nodes < 1 || count > INT64_MAX / nodes)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%lld splits of %lld nodes; expected at least one of both",
                           (long long)count, (long long)nodes);
    PASS(memory_alloc(&made.part, count * nodes, sizeof *made.part));
    memset(made.part, SPLITS_NONE, (size_t)(count * nodes));
    *out = made;
    return GRACO_OK;
}

graco_status splits_draw(struct splits *out, const uint8_t *usable, int64_t nodes, int64_t first,
                         int64_t count, bool validation, uint64_t seed)
{
    graco_status status = GRACO_OK;
    struct splits made = {0};
    int32_t *order = NULL;
    int64_t n = 0;
    if (nodes > INT32_MAX || count > INT32_MAX - first)
        FAIL(GRACO_ERROR_ARGUMENT,
             "%lld splits of %lld nodes; at most 2^31 - 1 of both are possible", (long long)count,
             (long long)nodes);
    TRY(splits_init(&made, count, nodes));
    TRY(memory_alloc(&order, nodes, sizeof *order));
    for (int64_t i = 0; i < nodes; i++)
        n += usable[i] != 0;
    if (n < 10)
        FAIL(
            GRACO_ERROR_ARGUMENT,
            "%lld nodes have a known label; a random split, a tenth of them for training, needs at "
            "least 10",
            (long long)n);
    for (int64_t s = 0; s < count; s++) {
        struct random_key key = {.seed = seed,
                                 .stream = RANDOM_SPLITS,
                                 .view = VIEW_SPLIT,
                                 .step = (uint32_t)(first + s)};
        uint8_t *part = made.part + s * nodes;
        for (int64_t i = 0, next = 0; i < nodes; i++)
            if (usable[i])
                order[next++] = (int32_t)i;
        random_shuffle(order, n, &key);
        for (int64_t i = 0; i < n; i++)
            part[order[i]] = i < n / 10                       ? SPLITS_TRAIN
                             : validation && i < 2 * (n / 10) ? SPLITS_VALIDATION
                                                              : SPLITS_TEST;
    }
    *out = made;
done:
    if (status != GRACO_OK)
        splits_clear(&made);
    memory_free(order);
    return status;
}

graco_status splits_given(struct splits *out, const uint8_t *split, const uint8_t *usable,
                          int64_t nodes)
{
    PASS(splits_init(out, 1, nodes));
    for (int64_t i = 0; i < nodes; i++)
        if (usable[i])
            out->part[i] = split[i];
    return GRACO_OK;
}

graco_status splits_read(struct splits *out, const char *path, const uint8_t *usable, int64_t nodes)
{
    graco_status status = GRACO_OK;
    graco_matrix codes = {0};
    struct splits made = {0};
    TRY(graco_matrix_load(&codes, path));
    if (codes.cols != nodes)
        FAIL(GRACO_ERROR_ARGUMENT, "%s: splits of %lld nodes; the data set has %lld", path,
             (long long)codes.cols, (long long)nodes);
    if (codes.rows < 1)
        FAIL(GRACO_ERROR_FORMAT, "%s: holds no split; expected at least one row", path);
    TRY(splits_init(&made, codes.rows, nodes));
    for (int64_t i = 0; i < codes.rows * nodes; i++) {
        float code = codes.data[i];
        if (code != SPLITS_TRAIN && code != SPLITS_VALIDATION && code != SPLITS_TEST &&
            code != SPLITS_NONE)
            FAIL(GRACO_ERROR_FORMAT,
                 "%s: split %lld, node %lld: code %g; expected 0 (training), 1 (validation), 2 "
                 "(test) or 3 (none)",
                 path, (long long)(i / nodes), (long long)(i % nodes), (double)code);
        if (usable[i % nodes])
            made.part[i] = (uint8_t)code;
    }
    *out = made;
done:
    if (status != GRACO_OK)
        splits_clear(&made);
    graco_matrix_clear(&codes);
    return status;
}

graco_status splits_write(const struct splits *splits, const char *path)
{
    graco_status status = GRACO_OK;
    graco_matrix codes = {.rows = splits->count, .cols = splits->nodes};
    TRY(memory_alloc(&codes.data, codes.rows * codes.cols, sizeof *codes.data));
    for (int64_t i = 0; i < codes.rows * codes.cols; i++)
        codes.data[i] = splits->part[i];
    TRY(graco_matrix_save(&codes, path));
done:
    graco_matrix_clear(&codes);
    return status;
}

graco_status splits_usable(uint8_t **usable, const struct graco_dataset *data)
{
    int64_t nodes = data->graph->nodes, count = 0;
    uint8_t *made = NULL;
    PASS(memory_alloc(&made, nodes, sizeof *made));
    for (int64_t i = 0; i < nodes; i++) {
        made[i] =
            (!data->label || data->label[i] >= 0) && (!data->label_known || data->label_known[i]);
        count += made[i];
    }
    if (count > 0) {
        *usable = made;
        return GRACO_OK;
    }
    memory_free(made);
    return status_fail(GRACO_ERROR_ARGUMENT, "no node of the data set %s has a known label",
                       data->name);
}

bool splits_own(const struct graco_dataset *data, graco_protocol protocol)
{
    bool apart = (data->graphs > 1 || data->inductive) && data->split;
    return protocol == GRACO_PROTOCOL_PUBLIC || (protocol == GRACO_PROTOCOL_PAPER && apart);
}

int64_t graco_split_count(const graco_dataset *data, graco_protocol protocol, int64_t wanted)
{
    return splits_own(data, protocol) ? 1 : wanted;
}

graco_status splits_find(struct splits *out, const struct graco_dataset *data,
                         const uint8_t *usable, const struct splits_wanted *wanted)
{
    int64_t nodes = data->graph->nodes;
    if (!splits_own(data, wanted->protocol))
        return splits_draw(out, usable, nodes, wanted->first, wanted->count,
                           wanted->protocol == GRACO_PROTOCOL_PAPER, wanted->seed);
    if (!data->split)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "the data set %s has no split of its own; choose the protocol paper or authors",
            data->name);
    if (wanted->first > 0)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "split %lld of the data set %s is wanted; it has one of its own, split 0",
            (long long)wanted->first, data->name);
    return splits_given(out, data->split, usable, nodes);
}

void splits_clear(struct splits *splits)
{
    if (!splits)
        return;
    memory_free(splits->part);
    *splits = (struct splits){0};
}

int64_t splits_nodes(int32_t *out, const struct splits *splits, int64_t number,
                     enum splits_part part)
{
    const uint8_t *codes = splits->part + number * splits->nodes;
    int64_t count = 0;
    for (int64_t i = 0; i < splits->nodes; i++)
        if (codes[i] == part)
            out[count++] = (int32_t)i;
    return count;
}

void splits_folds(uint8_t *fold, int32_t *work, int64_t n, int64_t folds, uint64_t seed,
                  int64_t number)
{
    struct random_key key = {
        .seed = seed, .stream = RANDOM_SPLITS, .view = VIEW_FOLDS, .step = (uint32_t)number};
    random_order(work, n, &key);
    for (int64_t i = 0; i < n; i++)
        fold[work[i]] = (uint8_t)(i % folds);
}
