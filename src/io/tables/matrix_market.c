/* MatrixMarket: a banner, a line with the size, and the entries of a sparse matrix, counted from 1. In the
 * square matrix of a graph entry (i, j) is an edge from node i - 1 to node j - 1, and values are weights;
 * in a matrix of features it is feature j - 1 of node i - 1. A symmetric matrix lists each pair once. */
#include "io/tables/matrix_market.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char banner[] = "%%MatrixMarket";

/* A size is believed up to so many nodes, or so many for each entry: more would let a few bytes ask
 * for gigabytes. */
enum { NODES_FREE = 65536, NODES_PER_ENTRY = 16 };

bool matrix_market_knows(const struct scan *scan)
{
    size_t length = sizeof banner - 1;
    return (size_t)(scan->end - scan->next) >= length && memcmp(scan->next, banner, length) == 0;
}

static graco_status read_banner(bool *values, bool *symmetric, struct scan *scan)
{
    static const char *const object[] = {"matrix", NULL}, *const form[] = {"coordinate", NULL};
    static const char *const pattern[] = {"pattern", NULL};
    static const char *const numbers[] = {"real", "integer", NULL};
    static const char *const general[] = {"general", NULL}, *const mirrored[] = {"symmetric", NULL};
    struct scan_field words[5] = {0};
    struct scan line = *scan;
    int count = 0;
    line.next += 2; /* '%' would begin a comment */
    line.separator = ' ';
    scan_line(&line);
    PASS(scan_fields(words, &count, 5, &line));
    *values = count == 5 && scan_listed(words[3], numbers);
    *symmetric = count == 5 && scan_listed(words[4], mirrored);
    if (count == 5 && scan_listed(words[1], object) && scan_listed(words[2], form) &&
        (*values || scan_listed(words[3], pattern)) &&
        (*symmetric || scan_listed(words[4], general)))
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s: a MatrixMarket file of another kind: expected \"matrix coordinate\", "
                       "then pattern, real or integer, then general or symmetric",
                       scan->file);
}

/* A matrix while it is read. */
struct market {
    int64_t rows, cols, entries;
    bool values, symmetric;
    bool graph; /* values are weights */
};

static graco_status read_size(struct market *market, struct scan *scan)
{
    struct scan_field fields[3];
    int count = 0;
    if (scan_line(scan))
        PASS(scan_fields(fields, &count, 3, scan));
    if (count != 3 || !scan_integer(&market->rows, fields[0], 1, INT32_MAX - 1) ||
        !scan_integer(&market->cols, fields[1], 1, INT32_MAX - 1) ||
        ((market->graph || market->symmetric) && market->cols != market->rows) ||
        !scan_integer(&market->entries, fields[2], market->graph, INT64_MAX))
        return status_fail(
            GRACO_ERROR_FORMAT,
            market->graph ? "%s, line %" PRId64 ": no size of a graph: expected rows, as many "
                            "columns, and at least one entry"
                          : "%s, line %" PRId64 ": no size of a matrix: expected rows, columns, "
                            "as many if it is symmetric, and entries",
            scan->file, scan->line);
    if (market->graph && market->rows > NODES_FREE &&
        market->rows / NODES_PER_ENTRY > market->entries)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s, line %" PRId64 ": %" PRId64 " nodes with %" PRId64
                           " entries: expected at most %d, or %d for each entry",
                           scan->file, scan->line, market->rows, market->entries, NODES_FREE,
                           NODES_PER_ENTRY);
    return GRACO_OK;
}

static graco_status fail_entry(const struct market *market, const struct scan *scan)
{
    const char *and_number = market->values ? " and a finite number" : "";
    if (market->rows == market->cols)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s, line %" PRId64 ": no entry: expected a row and a column from 1 to "
                           "%" PRId64 "%s",
                           scan->file, scan->line, market->rows, and_number);
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s, line %" PRId64 ": no entry: expected a row from 1 to %" PRId64
                       ", a column from 1 to %" PRId64 "%s",
                       scan->file, scan->line, market->rows, market->cols, and_number);
}

/* `value` may be NULL: it is not wanted. */
static graco_status read_entry(int64_t place[2], float *value, const struct market *market,
                               struct scan *scan)
{
    struct scan_field fields[3];
    double number = 0;
    int count = 0, columns = market->values ? 3 : 2;
    PASS(scan_fields(fields, &count, 3, scan));
    PASS(scan_columns(&columns, count, 2, 3, "as the first line says", scan));
    if (!scan_integer(&place[0], fields[0], 1, market->rows) ||
        !scan_integer(&place[1], fields[1], 1, market->cols) ||
        (market->values && !(scan_number(&number, fields[2]) && isfinite(number))))
        return fail_entry(market, scan);
    if (value && market->graph)
        return table_weight(value, number, fields[2], scan);
    if (value)
        *value = (float)number;
    return value && !isfinite(*value) ? fail_entry(market, scan) : GRACO_OK;
}

/* Reads the matrix behind its banner; `values`: those that it has are wanted. */
static graco_status read_matrix(struct table_edges *out, struct market *market, struct scan scan,
                                bool values)
{
    int64_t read = 0, place[2], lines;
    float value = 1;
    PASS(read_banner(&market->values, &market->symmetric, &scan));
    scan.separator = ' ';
    PASS(read_size(market, &scan));
    lines = scan_count_lines(scan.next, scan.end - scan.next) * (market->symmetric ? 2 : 1);
    PASS(memory_alloc(&out->source, lines, sizeof *out->source));
    PASS(memory_alloc(&out->target, lines, sizeof *out->target));
    if (market->values && values)
        PASS(memory_alloc(&out->weight, lines, sizeof *out->weight));
    for (; scan_line(&scan); read++) {
        PASS(read_entry(place, out->weight ? &value : NULL, market, &scan));
        for (int way = 0; way < (market->symmetric && place[0] != place[1] ? 2 : 1); way++) {
            if (out->weight)
                out->weight[out->count] = value;
            out->source[out->count] = (int32_t)(place[way] - 1);
            out->target[out->count++] = (int32_t)(place[!way] - 1);
        }
    }
    out->nodes = market->rows;
    out->matrix_market = true;
    if (read == market->entries)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s has %" PRId64 " entries: expected %" PRId64 " as its size says",
                       scan.file, read, market->entries);
}

graco_status matrix_market_read(struct table_edges *out, struct scan scan, bool unweighted)
{
    struct market market = {.graph = true};
    PASS(read_matrix(out, &market, scan, !unweighted));
    out->left_out = market.values && unweighted;
    return GRACO_OK;
}

graco_status matrix_market_matrix(struct table_edges *out, int64_t *cols, const char *file,
                                  const void *bytes, int64_t length)
{
    struct market market = {0};
    struct scan scan;
    *out = (struct table_edges){0};
    scan_start(&scan, file, bytes, length);
    graco_status status = read_matrix(out, &market, scan, true);
    *cols = market.cols;
    if (status != GRACO_OK)
        table_edges_clear(out);
    return status;
}
