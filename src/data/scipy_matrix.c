/* Each array is converted and freed before the next one is unpacked: Reddit's graph has a hundred
 * million entries. */
#include "data/scipy_matrix.h"

#include "base/memory.h"

#include <string.h>

/* A shape is believed up to so many rows, or so many for each entry: more would let a few bytes ask for
 * gigabytes. */
enum { ROWS_FREE = 65536, ROWS_PER_ENTRY = 16 };

void entries_clear(struct entries *entries)
{
    memory_free(entries->row);
    memory_free(entries->col);
    memory_free(entries->value);
    *entries = (struct entries){0};
}

static graco_status read_shape(struct entries *out, const struct members *members)
{
    graco_status status = GRACO_OK;
    int64_t *size = NULL, two = 2;
    TRY(member_read(&size, &two, NULL, ARRAY_I64, members, "shape"));
    out->rows = size[0];
    out->cols = size[1];
    if (size[0] < 0 || size[0] > INT32_MAX || size[1] < 0 || size[1] > INT32_MAX)
        FAIL(GRACO_ERROR_FORMAT, "a matrix of %lld x %lld: expected at most %lld of each",
             (long long)size[0], (long long)size[1], (long long)INT32_MAX);
done:
    memory_free(size);
    return status;
}

enum format { CSR, CSC, COO, FORMAT_COUNT };

static graco_status read_format(enum format *out, const struct members *members)
{
    static const char *const names[FORMAT_COUNT] = {"csr", "csc", "coo"};
    graco_status status = GRACO_OK;
    struct member member = {0};
    char *text = NULL;
    *out = members_have(members, "indptr.npy") ? CSR : COO;
    if (!members_have(members, "format.npy"))
        return GRACO_OK;
    TRY(member_need(&member, members, "format"));
    if (member.array->count != 1)
        FAIL(GRACO_ERROR_FORMAT, "format has %lld items: expected one",
             (long long)member.array->count);
    TRY(member_named(array_string(&text, member.array, 0), "format"));
    for (*out = 0; *out < FORMAT_COUNT && strcmp(text, names[*out]) != 0;)
        ++*out;
    if (*out == FORMAT_COUNT)
        FAIL(GRACO_ERROR_FORMAT,
             "a scipy matrix of the format '%.20s': expected csr, csc or coo; A.tocsr() makes one",
             text);
done:
    memory_free(text);
    member_clear(&member);
    return status;
}

/* The row of each entry in compressed rows, or the column of each in compressed columns. */
static graco_status expand(int32_t **out, int64_t lines, int64_t entries,
                           const struct members *members)
{
    graco_status status = GRACO_OK;
    struct csr rows = {.rows = lines};
    int64_t starts = lines + 1;
    TRY(member_read(&rows.start, &starts, NULL, ARRAY_I64, members, "indptr"));
    TRY(member_named(csr_check_starts(&rows, entries), "indptr"));
    TRY(memory_alloc(out, entries, sizeof **out));
    csr_entry_rows(*out, &rows);
done:
    csr_clear(&rows);
    return status;
}

graco_status scipy_matrix_read(struct entries *out, const struct members *members, bool values)
{
    enum format format;
    int64_t rows = -1;
    PASS(read_shape(out, members));
    PASS(read_format(&format, members));
    out->backed = format == CSR ? out->rows : format == CSC ? out->cols : 0;
    out->count = -1;
    PASS(member_read(format == CSC ? &out->row : &out->col, &out->count, NULL, ARRAY_I32, members,
                     format == COO ? "col" : "indices"));
    if (format == CSR)
        PASS(expand(&out->row, out->rows, out->count, members));
    if (format == CSC)
        PASS(expand(&out->col, out->cols, out->count, members));
    if (format == COO) {
        PASS(member_read(&out->row, &rows, NULL, ARRAY_I32, members, "row"));
        if (rows != out->count)
            return status_fail(GRACO_ERROR_FORMAT, "row has %lld items: expected %lld, as col has",
                               (long long)rows, (long long)out->count);
    }
    return values ? member_read(&out->value, &out->count, NULL, ARRAY_F32, members, "data")
                  : GRACO_OK;
}

graco_status scipy_matrix_edges(struct dataset_parts *parts, const struct members *members,
                                const char *counted)
{
    graco_status status = GRACO_OK;
    struct entries graph = {0};
    TRY(scipy_matrix_read(&graph, members, false));
    if (graph.rows != parts->nodes || graph.cols != parts->nodes)
        FAIL(GRACO_ERROR_FORMAT, "the matrix is %lld x %lld: expected %lld x %lld, as %s has nodes",
             (long long)graph.rows, (long long)graph.cols, (long long)parts->nodes,
             (long long)parts->nodes, counted);
    parts->edges = graph.count;
    parts->source = graph.row;
    parts->target = graph.col;
    graph.row = graph.col = NULL;
done:
    entries_clear(&graph);
    return status;
}

graco_status entries_check(const struct entries *entries, int64_t known)
{
    if (entries->rows > ROWS_FREE && entries->rows > known && entries->rows > entries->backed &&
        entries->rows / ROWS_PER_ENTRY > entries->count)
        return status_fail(
            GRACO_ERROR_FORMAT,
            "a matrix of %lld rows with %lld entries: expected at most %d, or %d for "
            "each entry",
            (long long)entries->rows, (long long)entries->count, ROWS_FREE, ROWS_PER_ENTRY);
    for (int64_t e = 0; e < entries->count; e++)
        if (entries->row[e] < 0 || entries->row[e] >= entries->rows || entries->col[e] < 0 ||
            entries->col[e] >= entries->cols)
            return status_fail(GRACO_ERROR_FORMAT,
                               "entry %lld lies in row %ld, column %ld: the matrix is %lld x %lld",
                               (long long)e, (long)entries->row[e], (long)entries->col[e],
                               (long long)entries->rows, (long long)entries->cols);
    return GRACO_OK;
}

graco_status entries_gather(struct csr *out, const struct entries *entries)
{
    graco_status status = GRACO_OK;
    struct csr made = {0};
    TRY(csr_from_pairs(&made, entries->rows, entries->cols, entries->count, entries->row,
                       entries->col, entries->value));
    if (!made.value) {
        TRY(memory_alloc(&made.value, entries->count, sizeof *made.value));
        for (int64_t e = 0; e < entries->count; e++)
            made.value[e] = 1;
    }
    TRY(csr_sort(&made));
    *out = made;
    made = (struct csr){0};
done:
    csr_clear(&made);
    return status;
}
