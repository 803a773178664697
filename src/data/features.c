/* Features from the arrays of files. */
#include "data/readers.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

graco_status array_expect(const struct array *array, const char *what, int ndim, int64_t rows,
                          int64_t cols)
{
    if (array->ndim != ndim)
        return status_fail(GRACO_ERROR_FORMAT, "%s has %d dimensions: expected %d", what,
                           array->ndim, ndim);
    if (ndim > 0 && rows >= 0 && array->shape[0] != rows)
        return status_fail(GRACO_ERROR_FORMAT, "%s has %lld rows: expected %lld", what,
                           (long long)array->shape[0], (long long)rows);
    if (ndim > 1 && cols >= 0 && array->shape[1] != cols)
        return status_fail(GRACO_ERROR_FORMAT, "%s has %lld columns: expected %lld", what,
                           (long long)array->shape[1], (long long)cols);
    return GRACO_OK;
}

/* Row pointers must be sound before anything is addressed through them. */
static graco_status check_starts(const struct features *features, int64_t entries)
{
    const int64_t *start = features->start;
    if (start[0] != 0 || start[features->rows] != entries)
        return status_fail(GRACO_ERROR_FORMAT,
                           "row pointers run from %lld to %lld: expected 0 to %lld, the number of "
                           "entries",
                           (long long)start[0], (long long)start[features->rows],
                           (long long)entries);
    for (int64_t row = 0; row < features->rows; row++) {
        if (start[row + 1] < start[row])
            return status_fail(GRACO_ERROR_FORMAT,
                               "row %lld ends at %lld, before its start at %lld", (long long)row,
                               (long long)start[row + 1], (long long)start[row]);
    }
    return GRACO_OK;
}

graco_status features_from_csr(struct features *out, int64_t rows, int64_t cols,
                               const struct array *start, const struct array *index,
                               const struct array *value)
{
    graco_status status;
    struct features features = {.rows = rows, .cols = cols};
    if (rows < 0 || rows > INT32_MAX || cols < 0 || cols > INT32_MAX)
        FAIL(GRACO_ERROR_FORMAT, "a matrix of %lld x %lld: expected at most %lld of each",
             (long long)rows, (long long)cols, (long long)INT32_MAX);
    TRY(array_expect(start, "the row pointers", 1, rows + 1, 0));
    TRY(array_expect(value, "the values", 1, -1, 0));
    TRY(array_expect(index, "the column indices", 1, value->count, 0));
    TRY(array_to_i64(&features.start, start));
    TRY(check_starts(&features, value->count));
    TRY(array_to_i32(&features.index, index));
    TRY(array_to_f32(&features.value, value));
    *out = features;
    features = (struct features){0};
done:
    features_clear(&features);
    return status;
}

/* An entry of a row that is being sorted. */
struct entry {
    int32_t column;
    float value;
};

static int compare_entries(const void *a, const void *b)
{
    struct entry x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x.column > y.column) - (x.column < y.column);
}

/* Whether the row ascends already; fails at an index out of range. */
static graco_status check_row(bool *sorted, const struct features *features, int64_t row)
{
    *sorted = true;
    for (int64_t k = features->start[row]; k < features->start[row + 1]; k++) {
        int32_t column = features->index[k];
        if (column < 0 || column >= features->cols)
            return status_fail(GRACO_ERROR_FORMAT,
                               "row %lld has a column index %ld: expected 0 to %lld",
                               (long long)row, (long)column, (long long)features->cols - 1);
        if (k > features->start[row] && column < features->index[k - 1])
            *sorted = false;
    }
    return GRACO_OK;
}

graco_status features_sort(struct features *features)
{
    graco_status status = GRACO_OK;
    struct entry *entries = NULL;
    int64_t longest = 0;
    for (int64_t row = 0; row < features->rows; row++) {
        int64_t length = features->start[row + 1] - features->start[row];
        longest = length > longest ? length : longest;
    }
    TRY(memory_alloc(&entries, longest, sizeof *entries));
    for (int64_t row = 0; row < features->rows; row++) {
        int64_t begin = features->start[row], length = features->start[row + 1] - begin;
        bool sorted;
        TRY(check_row(&sorted, features, row));
        if (sorted)
            continue;
        for (int64_t k = 0; k < length; k++)
            entries[k] = (struct entry){features->index[begin + k], features->value[begin + k]};
        qsort(entries, (size_t)length, sizeof *entries, compare_entries);
        for (int64_t k = 0; k < length; k++) {
            features->index[begin + k] = entries[k].column;
            features->value[begin + k] = entries[k].value;
        }
    }
done:
    memory_free(entries);
    return status;
}
