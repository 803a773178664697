/* MatrixMarket: a banner, a line with the size, and the entries of a square sparse matrix, counted
 * from 1. Entry (i, j) is an edge from node i - 1 to node j - 1; a symmetric matrix lists each pair
 * once. Values are weights. */
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

static graco_status read_size(int64_t *nodes, int64_t *entries, struct scan *scan)
{
    struct scan_field fields[3];
    int64_t cols = 0;
    int count = 0;
    if (scan_line(scan))
        PASS(scan_fields(fields, &count, 3, scan));
    if (count != 3 || !scan_integer(nodes, fields[0], 1, INT32_MAX - 1) ||
        !scan_integer(&cols, fields[1], 1, INT32_MAX - 1) || cols != *nodes ||
        !scan_integer(entries, fields[2], 1, INT64_MAX))
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s, line %" PRId64 ": no size of a graph: expected rows, as many "
                           "columns, and at least one entry",
                           scan->file, scan->line);
    if (*nodes > NODES_FREE && *nodes / NODES_PER_ENTRY > *entries)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s, line %" PRId64 ": %" PRId64 " nodes with %" PRId64
                           " entries: expected at most %d, or %d for each entry",
                           scan->file, scan->line, *nodes, *entries, NODES_FREE, NODES_PER_ENTRY);
    return GRACO_OK;
}

/* `weight` may be NULL: it is not wanted. */
static graco_status read_entry(int64_t place[2], float *weight, int64_t nodes, bool values,
                               struct scan *scan)
{
    struct scan_field fields[3];
    double value = 0;
    int count = 0, columns = values ? 3 : 2;
    PASS(scan_fields(fields, &count, 3, scan));
    PASS(scan_columns(&columns, count, 2, 3, "as the first line says", scan));
    if (scan_integer(&place[0], fields[0], 1, nodes) &&
        scan_integer(&place[1], fields[1], 1, nodes) &&
        (!values || (scan_number(&value, fields[2]) && isfinite(value))))
        return weight ? table_weight(weight, value, fields[2], scan) : GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s, line %" PRId64 ": no entry: expected a row and a column from 1 to "
                       "%" PRId64 "%s",
                       scan->file, scan->line, nodes, values ? " and a finite number" : "");
}

graco_status matrix_market_read(struct table_edges *out, struct scan scan, bool unweighted)
{
    bool values = false, symmetric = false;
    int64_t entries = 0, read = 0, place[2], lines;
    float weight = 1;
    PASS(read_banner(&values, &symmetric, &scan));
    scan.separator = ' ';
    PASS(read_size(&out->nodes, &entries, &scan));
    lines = scan_count_lines(scan.next, scan.end - scan.next) * (symmetric ? 2 : 1);
    PASS(memory_alloc(&out->source, lines, sizeof *out->source));
    PASS(memory_alloc(&out->target, lines, sizeof *out->target));
    if (values && !unweighted)
        PASS(memory_alloc(&out->weight, lines, sizeof *out->weight));
    for (; scan_line(&scan); read++) {
        PASS(read_entry(place, out->weight ? &weight : NULL, out->nodes, values, &scan));
        for (int way = 0; way < (symmetric && place[0] != place[1] ? 2 : 1); way++) {
            if (out->weight)
                out->weight[out->count] = weight;
            out->source[out->count] = (int32_t)(place[way] - 1);
            out->target[out->count++] = (int32_t)(place[!way] - 1);
        }
    }
    out->left_out = values && unweighted;
    out->matrix_market = true;
    if (read == entries)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s has %" PRId64 " entries: expected %" PRId64 " as its size says",
                       scan.file, read, entries);
}
