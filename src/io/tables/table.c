/* Edges and numbers of text tables. What a column holds is decided by looking: edges are read as
 * numbers until an id is none, then once more as names; the first two lines of a table of numbers
 * say whether it has a header and ids. */
#include "io/tables/table.h"

#include "base/memory.h"
#include "io/tables/scan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Edges ----------------------------------------------------------------------------------- */

enum { NODE_MAX = INT32_MAX - 1, SPARSE_FLOOR = 1000000 };

void table_edges_clear(struct table_edges *edges)
{
    if (!edges)
        return;
    memory_free(edges->source);
    memory_free(edges->target);
    names_free(edges->names);
    *edges = (struct table_edges){0};
}

/* Reads a line of two ids and maybe a weight; the number of fields is that of the first line. */
static graco_status read_edge(struct scan_field fields[3], int *columns, struct scan *scan)
{
    int count = 0;
    double weight = 0;
    PASS(scan_fields(fields, &count, 3, scan));
    if (count >= 3 && (!scan_number(&weight, fields[2]) || !isfinite(weight)))
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s, line %" PRId64
                           ": the third field \"%.*s\" is no weight, a number is expected",
                           scan->file, scan->line,
                           (int)(fields[2].length < 40 ? fields[2].length : 40), fields[2].text);
    return scan_columns(columns, count, 2, 3,
                        "two ids (and on every line or none a weight) are expected", scan);
}

/* Reads ids as numbers. At the first that is none it stops, with *numbers false. */
static graco_status edges_as_numbers(struct table_edges *edges, bool *numbers, struct scan scan)
{
    struct scan_field ids[3];
    int columns = 0;
    int64_t source, target, largest = -1;
    *numbers = true;
    while (*numbers && scan_line(&scan)) {
        PASS(read_edge(ids, &columns, &scan));
        *numbers = scan_integer(&source, ids[0], 0, NODE_MAX) &&
                   scan_integer(&target, ids[1], 0, NODE_MAX);
        if (!*numbers)
            break;
        edges->source[edges->count] = (int32_t)source;
        edges->target[edges->count++] = (int32_t)target;
        largest = source > largest ? source : largest;
        largest = target > largest ? target : largest;
    }
    edges->nodes = largest + 1;
    edges->weighted = columns == 3;
    if (edges->nodes > SPARSE_FLOOR && edges->nodes / TABLE_SPARSE > 2 * edges->count)
        *numbers = false;
    return GRACO_OK;
}

static graco_status edges_as_names(struct table_edges *edges, struct scan scan)
{
    struct scan_field ids[3];
    int columns = 0;
    edges->count = 0;
    PASS(names_create(&edges->names));
    while (scan_line(&scan)) {
        PASS(read_edge(ids, &columns, &scan));
        PASS(names_add(&edges->source[edges->count], edges->names, ids[0].text, ids[0].length));
        PASS(names_add(&edges->target[edges->count], edges->names, ids[1].text, ids[1].length));
        edges->count++;
    }
    edges->nodes = names_count(edges->names);
    edges->weighted = columns == 3;
    return GRACO_OK;
}

graco_status table_edges_read(struct table_edges *out, const char *file, const void *bytes,
                              int64_t length)
{
    struct scan scan;
    bool numbers = true;
    graco_status status = GRACO_OK;
    *out = (struct table_edges){0};
    int64_t lines = scan_count_lines(bytes, length);
    TRY(memory_alloc(&out->source, lines, sizeof *out->source));
    TRY(memory_alloc(&out->target, lines, sizeof *out->target));
    scan_start(&scan, file, bytes, length);
    TRY(edges_as_numbers(out, &numbers, scan));
    if (!numbers)
        TRY(edges_as_names(out, scan));
    if (out->count == 0)
        FAIL(GRACO_ERROR_FORMAT, "%s holds no edges: two ids on a line are expected", file);
done:
    if (status != GRACO_OK)
        table_edges_clear(out);
    return status;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

void table_numbers_clear(struct table_numbers *numbers)
{
    if (!numbers)
        return;
    memory_free(numbers->data);
    names_free(numbers->ids);
    *numbers = (struct table_numbers){0};
}

struct shape {
    int64_t fields; /* of the first line */
    bool ids, header;
};

/* Looks at the first two lines: how many fields, is there a header, is there an id column. */
static graco_status find_shape(struct shape *out, struct scan scan, enum table_ids ids)
{
    struct scan_field field = {0};
    bool found = true, first_id[2] = {false, false}, words[2] = {false, false};
    int lines = 0;
    double value;
    *out = (struct shape){0};
    for (; lines < 2 && scan_line(&scan); lines++) {
        for (int64_t column = 0;; column++) {
            PASS(scan_next(&field, &found, &scan));
            if (!found)
                break;
            out->fields += lines == 0;
            if (scan_number(&value, field))
                continue;
            if (column == 0)
                first_id[lines] = true;
            else
                words[lines] = true;
        }
    }
    bool may_id = ids != TABLE_IDS_NONE;
    out->header = words[0] || (first_id[0] && (!may_id || (lines == 2 && !first_id[1])));
    if (ids == TABLE_IDS_FIRST && !words[0])
        out->header = false;
    out->ids = ids == TABLE_IDS_FIRST ||
               (ids == TABLE_IDS_AUTO && first_id[out->header && lines == 2 ? 1 : 0]);
    return GRACO_OK;
}

static graco_status read_value(float *out, struct scan_field field, const struct scan *scan)
{
    double value = 0;
    if (scan_number(&value, field) && isfinite(value) && isfinite((float)value)) {
        *out = (float)value;
        return GRACO_OK;
    }
    return status_fail(
        GRACO_ERROR_FORMAT, "%s, line %" PRId64 ": \"%.*s\" found, a finite number is expected",
        scan->file, scan->line, (int)(field.length < 40 ? field.length : 40), field.text);
}

static graco_status add_id(struct names *ids, struct scan_field field, const struct scan *scan)
{
    int32_t number = 0;
    int64_t before = names_count(ids);
    PASS(names_add(&number, ids, field.text, field.length));
    if (number < before)
        return status_fail(GRACO_ERROR_FORMAT, "%s, line %" PRId64 ": the id \"%.*s\" is repeated",
                           scan->file, scan->line, (int)(field.length < 40 ? field.length : 40),
                           field.text);
    return GRACO_OK;
}

static graco_status read_row(struct table_numbers *numbers, int64_t *room, struct scan *scan)
{
    struct scan_field field = {0};
    bool found = true;
    int64_t column = 0;
    int64_t used = numbers->rows * numbers->cols;
    if (used + numbers->cols > *room) {
        int64_t more = 2 * *room + numbers->cols;
        PASS(memory_grow(&numbers->data, used, more, sizeof *numbers->data));
        *room = more;
    }
    if (numbers->ids) {
        PASS(scan_next(&field, &found, scan));
        PASS(add_id(numbers->ids, field, scan));
    }
    for (;; column++) {
        PASS(scan_next(&field, &found, scan));
        if (!found)
            break;
        if (column < numbers->cols)
            PASS(read_value(&numbers->data[used + column], field, scan));
    }
    if (column != numbers->cols)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s, line %" PRId64 ": %" PRId64 " numbers found, %" PRId64
                           " expected as on the first line",
                           scan->file, scan->line, column, numbers->cols);
    numbers->rows++;
    return GRACO_OK;
}

graco_status table_numbers_read(struct table_numbers *out, const char *file, const void *bytes,
                                int64_t length, enum table_ids ids)
{
    struct scan scan;
    struct shape shape;
    int64_t room = 0;
    graco_status status = GRACO_OK;
    *out = (struct table_numbers){0};
    scan_start(&scan, file, bytes, length);
    TRY(find_shape(&shape, scan, ids));
    out->header = shape.header;
    out->cols = shape.fields - shape.ids;
    if (out->cols <= 0)
        FAIL(GRACO_ERROR_FORMAT, "%s holds no numbers: rows of numbers are expected", file);
    if (shape.ids)
        TRY(names_create(&out->ids));
    if (shape.header)
        scan_line(&scan);
    while (scan_line(&scan))
        TRY(read_row(out, &room, &scan));
    if (out->rows == 0)
        FAIL(GRACO_ERROR_FORMAT, "%s holds a header and no rows", file);
done:
    if (status != GRACO_OK)
        table_numbers_clear(out);
    return status;
}
