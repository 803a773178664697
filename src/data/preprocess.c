#include "data/preprocess.h"

#include "base/memory.h"
#include "base/random.h"

#include <string.h>

/* Decides per entry whether the contamination spares it. */
struct contamination {
    struct random_key key;
    uint64_t threshold;
};

static bool is_spared(const struct contamination *dirt, uint64_t element)
{
    return dirt->threshold == 0 || random_u32(&dirt->key, element) >= dirt->threshold;
}

static graco_status copy_dense(struct features *out, const struct features *X,
                               const struct contamination *dirt)
{
    int64_t count = X->rows * X->cols;
    graco_status status = memory_alloc(&out->dense, count, sizeof *out->dense);
    for (int64_t i = 0; status == GRACO_OK && i < count; i++)
        out->dense[i] = is_spared(dirt, (uint64_t)i) ? X->dense[i] : 0;
    return status;
}

static graco_status copy_sparse(struct features *out, const struct features *X,
                                const struct contamination *dirt)
{
    graco_status status;
    int64_t entries = X->start[X->rows], kept = 0;
    TRY(memory_alloc(&out->start, X->rows + 1, sizeof *out->start));
    TRY(memory_alloc(&out->index, entries, sizeof *out->index));
    TRY(memory_alloc(&out->value, entries, sizeof *out->value));
    out->start[0] = 0;
    for (int64_t row = 0; row < X->rows; row++) {
        for (int64_t k = X->start[row]; k < X->start[row + 1]; k++) {
            if (!is_spared(dirt, (uint64_t)(row * X->cols + X->index[k])))
                continue;
            out->index[kept] = X->index[k];
            out->value[kept++] = X->value[k];
        }
        out->start[row + 1] = kept;
    }
done:
    return status;
}

static void make_binary(float *value, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        value[i] = value[i] != 0;
}

static void scale_row(float *value, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += value[i];
    if (sum == 0)
        return;
    for (int64_t i = 0; i < count; i++)
        value[i] = (float)(value[i] / sum);
}

static void scale_features(struct features *X, enum scaling scaling)
{
    float *value = X->dense ? X->dense : X->value;
    int64_t entries = X->dense ? X->rows * X->cols : X->start[X->rows];
    if (scaling == SCALING_BINARY_ROWSUM)
        make_binary(value, entries);
    if (scaling == SCALING_NONE)
        return;
    for (int64_t row = 0; row < X->rows; row++) {
        int64_t begin = X->dense ? row * X->cols : X->start[row];
        int64_t end = X->dense ? begin + X->cols : X->start[row + 1];
        scale_row(value + begin, end - begin);
    }
}

graco_status preprocess_features(struct features *out, const struct features *X,
                                 const struct preprocess *options)
{
    graco_status status = GRACO_OK;
    struct features copy = {.rows = X->rows, .cols = X->cols};
    struct contamination dirt = {
        .key = {.seed = options->seed, .stream = RANDOM_CONTAMINATE},
        .threshold = random_threshold(options->contaminate),
    };
    if (!(options->contaminate >= 0 && options->contaminate <= 1))
        FAIL(GRACO_ERROR_ARGUMENT, "contaminate is %g: expected 0 to 1", options->contaminate);
    TRY(features_check(X));
    if (X->dense)
        TRY(copy_dense(&copy, X, &dirt));
    else if (X->start)
        TRY(copy_sparse(&copy, X, &dirt));
    if (copy.dense || copy.start)
        scale_features(&copy, options->scaling);
done:
    if (status != GRACO_OK)
        features_clear(&copy);
    *out = copy;
    return status;
}

bool preprocess_needed(const struct preprocess *options)
{
    return options->scaling != SCALING_NONE || options->contaminate != 0;
}
