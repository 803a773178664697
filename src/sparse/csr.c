/* Compressed rows by counting sort.
 *
 * Pairs become rows, and rows become the rows of the transpose, in three passes: count what falls
 * into each row, add up the counts to where rows begin, put every entry at its row's next free
 * place. That moves each start to the end of its row, which is where the next row begins, so
 * shifting the array by one restores the starts without a second array. */
#include "sparse/csr.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

graco_status csr_alloc(struct csr *out, int64_t rows, int64_t cols, int64_t entries, bool values)
{
    graco_status status = GRACO_OK;
    struct csr made = {.rows = rows, .cols = cols};
    TRY(memory_alloc(&made.start, rows + 1, sizeof *made.start));
    TRY(memory_alloc(&made.index, entries, sizeof *made.index));
    if (values)
        TRY(memory_alloc(&made.value, entries, sizeof *made.value));
    made.start[0] = 0;
done:
    if (status != GRACO_OK)
        csr_clear(&made);
    *out = made;
    return status;
}

graco_status csr_identity(struct csr *out, int64_t n, bool values)
{
    PASS(csr_alloc(out, n, n, n, values));
    for (int64_t i = 0; i < n; i++) {
        out->index[i] = (int32_t)i;
        out->start[i + 1] = i + 1;
        if (values)
            out->value[i] = 1;
    }
    return GRACO_OK;
}

graco_status csr_reserve(struct csr *matrix, struct csr_room *room, int64_t rows, int64_t entries,
                         bool values)
{
    int64_t indices = room->entries;
    PASS(memory_reserve(&matrix->start, &room->starts, 0, rows + 1, sizeof *matrix->start));
    PASS(memory_reserve(&matrix->index, &indices, 0, entries, sizeof *matrix->index));
    if (values)
        PASS(memory_reserve(&matrix->value, &room->entries, 0, entries, sizeof *matrix->value));
    room->entries = indices;
    return GRACO_OK;
}

void csr_clear(struct csr *matrix)
{
    memory_free(matrix->start);
    memory_free(matrix->index);
    memory_free(matrix->value);
    *matrix = (struct csr){0};
}

/* ---- Checks ---------------------------------------------------------------------------------- */

graco_status csr_check_order(const int64_t *start, int64_t first, int64_t rows)
{
    for (int64_t row = 0; row < rows; row++) {
        if (start[row + 1] < start[row])
            return status_fail(
                GRACO_ERROR_FORMAT, "row %lld ends at %lld, before its start at %lld",
                (long long)(first + row), (long long)start[row + 1], (long long)start[row]);
    }
    return GRACO_OK;
}

graco_status csr_check_starts(const struct csr *matrix, int64_t entries)
{
    const int64_t *start = matrix->start;
    if (start[0] != 0 || start[matrix->rows] != entries)
        return status_fail(GRACO_ERROR_FORMAT,
                           "row pointers run from %lld to %lld: expected 0 to %lld, the number of "
                           "entries",
                           (long long)start[0], (long long)start[matrix->rows], (long long)entries);
    return csr_check_order(start, 0, matrix->rows);
}

static graco_status check_row(const struct csr *matrix, int64_t row, int64_t first)
{
    int64_t begin = matrix->start[row], end = matrix->start[row + 1];
    for (int64_t k = begin; k < end; k++) {
        int32_t col = matrix->index[k];
        if (col < 0 || col >= matrix->cols)
            return status_fail(GRACO_ERROR_FORMAT,
                               "row %lld has a column index %ld: expected 0 to %lld",
                               (long long)(first + row), (long)col, (long long)matrix->cols - 1);
        if (k > begin && col <= matrix->index[k - 1])
            return status_fail(GRACO_ERROR_FORMAT,
                               "row %lld has column index %ld after %ld: expected ascending ones",
                               (long long)(first + row), (long)col, (long)matrix->index[k - 1]);
        if (matrix->value && !isfinite(matrix->value[k]))
            return status_fail(GRACO_ERROR_FORMAT,
                               "row %lld has the value %g in column %ld: expected a finite number",
                               (long long)(first + row), (double)matrix->value[k], (long)col);
    }
    return GRACO_OK;
}

graco_status csr_check(const struct csr *matrix, int64_t first)
{
    PASS(csr_check_starts(matrix, matrix->start[matrix->rows]));
    for (int64_t row = 0; row < matrix->rows; row++)
        PASS(check_row(matrix, row, first));
    return GRACO_OK;
}

/* ---- Sorting --------------------------------------------------------------------------------- */

/* An entry of a row that is being sorted. */
struct entry {
    int32_t col;
    float value;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return (x->col > y->col) - (x->col < y->col);
}

static bool ascends(const int32_t *index, int64_t count)
{
    for (int64_t k = 1; k < count; k++) {
        if (index[k] < index[k - 1])
            return false;
    }
    return true;
}

graco_status csr_sort(struct csr *matrix)
{
    struct entry *entries = NULL;
    PASS(memory_alloc(&entries, csr_longest_row(matrix), sizeof *entries));
    for (int64_t row = 0; row < matrix->rows; row++) {
        int64_t begin = matrix->start[row], count = matrix->start[row + 1] - begin;
        int32_t *index = matrix->index + begin;
        float *value = matrix->value ? matrix->value + begin : NULL;
        if (ascends(index, count))
            continue;
        for (int64_t k = 0; k < count; k++)
            entries[k] = (struct entry){index[k], value ? value[k] : 1};
        qsort(entries, (size_t)count, sizeof *entries, compare_entries);
        for (int64_t k = 0; k < count; k++) {
            index[k] = entries[k].col;
            if (value)
                value[k] = entries[k].value;
        }
    }
    memory_free(entries);
    return GRACO_OK;
}

/* ---- Counting sorts -------------------------------------------------------------------------- */

/* Counts keys (count), each below `rows`, and turns the counts into where each key's row begins. */
static void count_rows(int64_t *start, int64_t rows, const int32_t *key, int64_t count)
{
    memset(start, 0, (size_t)(rows + 1) * sizeof *start);
    for (int64_t k = 0; k < count; k++)
        start[key[k] + 1]++;
    for (int64_t row = 0; row < rows; row++)
        start[row + 1] += start[row];
}

/* Filling moved each start to the end of its row. */
static void shift_starts(int64_t *start, int64_t rows)
{
    memmove(start + 1, start, (size_t)rows * sizeof *start);
    start[0] = 0;
}

graco_status csr_from_pairs(struct csr *out, int64_t rows, int64_t cols, int64_t pairs,
                            const int32_t *row, const int32_t *col, const float *value)
{
    PASS(csr_alloc(out, rows, cols, pairs, value));
    count_rows(out->start, rows, row, pairs);
    for (int64_t k = 0; k < pairs; k++) {
        int64_t at = out->start[row[k]]++;
        out->index[at] = col[k];
        if (value)
            out->value[at] = value[k];
    }
    shift_starts(out->start, rows);
    return GRACO_OK;
}

void csr_group_into(struct csr *out, const int32_t *row)
{
    int64_t count = out->cols;
    count_rows(out->start, out->rows, row, count);
    for (int64_t k = 0; k < count; k++)
        out->index[out->start[row[k]]++] = (int32_t)k;
    shift_starts(out->start, out->rows);
}

graco_status csr_group(struct csr *out, int64_t rows, int64_t count, const int32_t *row)
{
    PASS(csr_alloc(out, rows, count, count, false));
    csr_group_into(out, row);
    return GRACO_OK;
}

void csr_transpose_into(struct csr *out, uint32_t *from, const struct csr *matrix)
{
    int64_t *start = out->start;
    out->rows = matrix->cols;
    out->cols = matrix->rows;
    count_rows(start, matrix->cols, matrix->index, matrix->start[matrix->rows]);
    for (int64_t row = 0; row < matrix->rows; row++) {
        for (int64_t k = matrix->start[row]; k < matrix->start[row + 1]; k++) {
            int64_t at = start[matrix->index[k]]++;
            out->index[at] = (int32_t)row;
            if (from)
                from[at] = (uint32_t)k;
            if (matrix->value)
                out->value[at] = matrix->value[k];
        }
    }
    shift_starts(start, matrix->cols);
}

graco_status csr_transpose(struct csr *out, uint32_t **from, const struct csr *matrix)
{
    int64_t entries = matrix->start[matrix->rows];
    graco_status status = GRACO_OK;
    TRY(csr_alloc(out, matrix->cols, matrix->rows, entries, matrix->value));
    if (from)
        TRY(memory_alloc(from, entries, sizeof **from));
    csr_transpose_into(out, from ? *from : NULL, matrix);
done:
    if (status != GRACO_OK)
        csr_clear(out);
    return status;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

graco_status csr_gather(struct csr *out, struct csr_room *room, const struct csr *matrix,
                        const int32_t *rows, int64_t count)
{
    const int64_t *start = matrix->start;
    int64_t entries = 0;
    for (int64_t i = 0; i < count; i++)
        entries += start[rows[i] + 1] - start[rows[i]];
    PASS(room ? csr_reserve(out, room, count, entries, matrix->value)
              : csr_alloc(out, count, matrix->cols, entries, matrix->value));
    out->rows = count;
    out->cols = matrix->cols;
    out->start[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t begin = start[rows[i]], to = out->start[i], length = start[rows[i] + 1] - begin;
        memcpy(out->index + to, matrix->index + begin, (size_t)length * sizeof *out->index);
        if (matrix->value)
            memcpy(out->value + to, matrix->value + begin, (size_t)length * sizeof *out->value);
        out->start[i + 1] = to + length;
    }
    return GRACO_OK;
}

graco_status csr_densify(float **out, const struct csr *matrix)
{
    PASS(memory_zalloc(out, matrix->rows * matrix->cols, sizeof **out));
    for (int64_t row = 0; row < matrix->rows; row++) {
        for (int64_t k = matrix->start[row]; k < matrix->start[row + 1]; k++)
            (*out)[row * matrix->cols + matrix->index[k]] = matrix->value ? matrix->value[k] : 1;
    }
    return GRACO_OK;
}

void csr_entry_rows(int32_t *row, const struct csr *matrix)
{
    for (int64_t i = 0; i < matrix->rows; i++) {
        for (int64_t k = matrix->start[i]; k < matrix->start[i + 1]; k++)
            row[k] = (int32_t)i;
    }
}

static bool is_inner(const struct csr *matrix, int64_t row, int64_t cols)
{
    for (int64_t e = matrix->start[row]; e < matrix->start[row + 1]; e++)
        if (matrix->index[e] >= cols)
            return false;
    return true;
}

int64_t csr_inner_first(int32_t *order, const struct csr *matrix, int64_t cols)
{
    int64_t inner = 0, outer = matrix->rows; /* the others from the end, in reverse */
    for (int64_t row = 0; row < matrix->rows; row++)
        order[is_inner(matrix, row, cols) ? inner++ : --outer] = (int32_t)row;
    for (int64_t i = outer, j = matrix->rows - 1; i < j; i++, j--) {
        int32_t row = order[i];
        order[i] = order[j];
        order[j] = row;
    }
    return inner;
}

int64_t csr_find(const struct csr *matrix, int64_t row, int32_t col)
{
    int64_t low = matrix->start[row], end = matrix->start[row + 1], high = end;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (matrix->index[middle] < col)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && matrix->index[low] == col ? low : -1;
}

int64_t csr_longest_row(const struct csr *matrix)
{
    int64_t longest = 0;
    for (int64_t row = 0; row < matrix->rows; row++) {
        int64_t length = matrix->start[row + 1] - matrix->start[row];
        longest = length > longest ? length : longest;
    }
    return longest;
}
