/* Copies X without the entries that the contamination takes, then scales the copy in place, row by
 * row. A row is a run of values in dense and in sparse features, so one loop scales both. */
#include "data/preprocess.h"

#include "base/memory.h"
#include "base/random.h"

/* Decides per entry whether the contamination spares it. */
struct contamination {
    struct random_key key;
    uint64_t threshold;
    int64_t first; /* row of the whole X */
};

static bool is_spared(const struct contamination *dirt, uint64_t element)
{
    return dirt->threshold == 0 || random_u32(&dirt->key, element) >= dirt->threshold;
}

static graco_status copy_dense(float **out, const struct features *X,
                               const struct contamination *dirt)
{
    int64_t count = X->rows * X->cols;
    PASS(memory_alloc(out, count, sizeof **out));
    for (int64_t i = 0; i < count; i++)
        (*out)[i] = is_spared(dirt, (uint64_t)(dirt->first * X->cols + i)) ? X->dense[i] : 0;
    return GRACO_OK;
}

static graco_status copy_sparse(struct csr *out, const struct csr *X,
                                const struct contamination *dirt)
{
    int64_t kept = 0;
    PASS(csr_alloc(out, X->rows, X->cols, X->start[X->rows], true));
    for (int64_t row = 0; row < X->rows; row++) {
        for (int64_t k = X->start[row]; k < X->start[row + 1]; k++) {
            if (!is_spared(dirt, (uint64_t)((dirt->first + row) * X->cols + X->index[k])))
                continue;
            out->index[kept] = X->index[k];
            out->value[kept++] = X->value[k];
        }
        out->start[row + 1] = kept;
    }
    return GRACO_OK;
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
    const int64_t *start = X->sparse.start;
    float *value = X->dense ? X->dense : X->sparse.value;
    int64_t entries = X->dense ? X->rows * X->cols : start[X->rows];
    if (scaling == SCALING_BINARY_ROWSUM)
        make_binary(value, entries);
    if (scaling == SCALING_NONE)
        return;
    for (int64_t row = 0; row < X->rows; row++) {
        int64_t begin = X->dense ? row * X->cols : start[row];
        int64_t end = X->dense ? begin + X->cols : start[row + 1];
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
        .first = options->first,
    };
    if (!(options->contaminate >= 0 && options->contaminate <= 1))
        FAIL(GRACO_ERROR_ARGUMENT, "contaminate is %g: expected 0 to 1", options->contaminate);
    TRY(features_check(X));
    if (X->dense)
        TRY(copy_dense(&copy.dense, X, &dirt));
    else if (X->sparse.start)
        TRY(copy_sparse(&copy.sparse, &X->sparse, &dirt));
    if (copy.dense || copy.sparse.start)
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

static void look_at_row(struct preprocess_seen *seen, const struct features *X, int64_t row)
{
    const int64_t *start = X->sparse.start;
    const float *value = X->dense ? X->dense : X->sparse.value;
    int64_t begin = X->dense ? row * X->cols : start ? start[row] : 0;
    int64_t end = X->dense ? begin + X->cols : start ? start[row + 1] : 0;
    for (int64_t i = begin; i < end && seen->below == 0; i++) { /* one below 0 tells all */
        seen->below += value && value[i] < 0;
        seen->others += !value || value[i] != 0;
    }
    seen->rows++;
}

void preprocess_look(struct preprocess_seen *seen, const struct features *X, int64_t first,
                     const uint8_t *split)
{
    int64_t before = first;
    for (int64_t i = 0; split && i < first; i++)
        before -= split[i] != 0;
    int64_t left = PREPROCESS_LOOKED - before;
    for (int64_t row = 0; row < X->rows && left > 0; row++) {
        if (split && split[first + row] != 0)
            continue;
        look_at_row(seen, X, row);
        left--;
    }
}

bool preprocess_judge(const struct preprocess_seen *seen, int64_t cols)
{
    return cols > 0 && seen->below == 0 && seen->others <= seen->rows * cols / 2;
}

bool preprocess_counts(const struct features *X, const uint8_t *split)
{
    struct preprocess_seen seen = {0};
    preprocess_look(&seen, X, 0, split);
    return preprocess_judge(&seen, X->cols);
}
