/* Edge lists. Edges are read as numbers until an id is none, then once more as names. table_head.c says which
 * columns are the ends and the weights. */
#include "io/tables/table.h"

#include "base/memory.h"
#include "io/tables/matrix_market.h"
#include "io/tables/scan.h"
#include "io/tables/table_head.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct table_options no_options;

enum { NODE_MAX = INT32_MAX - 1, SPARSE_FLOOR = 1000000 };

void table_edges_clear(struct table_edges *edges)
{
    if (!edges)
        return;
    memory_free(edges->source);
    memory_free(edges->target);
    memory_free(edges->weight);
    names_free(edges->names);
    *edges = (struct table_edges){0};
}

graco_status table_weight(float *out, double number, struct scan_field field,
                          const struct scan *scan)
{
    *out = (float)number;
    if (isfinite(*out) && *out >= FLT_MIN)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s, line %" PRId64 ": \"%.*s\" is no weight, a finite number above 0 is "
                       "expected; --unweighted leaves weights out",
                       scan->file, scan->line, scan_shown(field), field.text);
}

/* The source, the target and the weight of a line of more than three fields, or of one with columns that are
 * left out, which may hold anything. */
static graco_status pick_fields(struct scan_field fields[3], const struct table_edges *edges,
                                struct scan *scan)
{
    struct scan_field field = {0};
    bool found = true;
    int count = 0;
    for (;; count++) {
        PASS(scan_next(&field, &found, scan));
        if (!found)
            break;
        for (int i = 0; i < 3; i++)
            if (count == edges->order[i])
                fields[i] = field;
    }
    if (count != edges->columns)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s, line %" PRId64 ": %d fields found, %d are expected as %s",
                           scan->file, scan->line, count, edges->columns,
                           edges->header ? "in the header" : "on the first line");
    if (fields[0].length == 0 || fields[1].length == 0)
        return status_fail(GRACO_ERROR_FORMAT, "%s, line %" PRId64 ": an id is empty", scan->file,
                           scan->line);
    return GRACO_OK;
}

/* The same of a line of two or three fields; as many as the first line has, header or not. */
static graco_status order_fields(struct scan_field fields[3], struct table_edges *edges,
                                 struct scan *scan)
{
    struct scan_field found[3] = {0};
    int count = 0;
    PASS(scan_fields(found, &count, 3, scan));
    for (int i = 0; i < 3 && edges->order[i] >= 0; i++)
        fields[i] = found[edges->order[i]];
    return scan_columns(&edges->columns, count, 2, 3,
                        "two ids (and on every line or none a weight) are expected", scan);
}

/* Whether lines have fields that nobody reads. */
static bool is_wide(const struct table_edges *edges)
{
    return edges->columns > 2 + (edges->order[2] >= 0);
}

static graco_status fail_weight(struct scan_field field, int column, const struct scan *scan)
{
    static const char *const places[] = {"first", "second", "third"};
    char place[32];
    snprintf(place, sizeof place, "field of column %d", column + 1);
    if (column < 3)
        snprintf(place, sizeof place, "%s field", places[column]);
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s, line %" PRId64 ": the %s \"%.*s\" is no weight, a number is expected%s",
                       scan->file, scan->line, place, scan_shown(field), field.text,
                       table_is_attributes(field) ? "; networkx writes it unless data=False, "
                                                    "--unweighted leaves it out"
                                                  : "");
}

/* Reads a line of two ids, source and target, and maybe a weight, which goes to the edge's place if weights
 * are kept. */
static graco_status read_edge(struct scan_field fields[3], struct table_edges *edges,
                              struct scan *scan)
{
    double number = 0;
    if (is_wide(edges))
        PASS(pick_fields(fields, edges, scan));
    else
        PASS(order_fields(fields, edges, scan));
    int third = edges->order[2];
    if (third < 0)
        return GRACO_OK;
    if (!edges->weight && table_is_attributes(fields[2]))
        return GRACO_OK;
    if (!scan_number(&number, fields[2]) || !isfinite(number))
        return fail_weight(fields[2], third, scan);
    return edges->weight ? table_weight(&edges->weight[edges->count], number, fields[2], scan)
                         : GRACO_OK;
}

/* Reads ids as numbers. At the first that is none it stops, with *numbers false. */
static graco_status edges_as_numbers(struct table_edges *edges, bool *numbers, struct scan scan)
{
    struct scan_field ids[3];
    int64_t source, target, largest = -1;
    *numbers = true;
    while (*numbers && scan_line(&scan)) {
        PASS(read_edge(ids, edges, &scan));
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
    if (edges->nodes > SPARSE_FLOOR && edges->nodes / TABLE_SPARSE > 2 * edges->count)
        *numbers = false;
    return GRACO_OK;
}

static graco_status edges_as_names(struct table_edges *edges, struct scan scan)
{
    struct scan_field ids[3];
    edges->count = 0;
    PASS(names_create(&edges->names));
    while (scan_line(&scan)) {
        PASS(read_edge(ids, edges, &scan));
        PASS(table_add_name(&edges->source[edges->count], edges->names, ids[0]));
        PASS(table_add_name(&edges->target[edges->count], edges->names, ids[1]));
        edges->count++;
    }
    edges->nodes = names_count(edges->names);
    return GRACO_OK;
}

/* Fails if all names are numbers and one of them is written in two ways, as "1" and "1.0", which a program that
 * turns a column into fractions leaves behind. */
static graco_status check_fractions(const struct names *names, const char *file)
{
    static const char ending[] = ".0";
    const int64_t cut = (int64_t)sizeof ending - 1;
    const char *twice = NULL;
    for (int64_t i = 0; i < names_count(names); i++) {
        const char *text = names_text(names, i);
        struct scan_field field = {.text = text, .length = (int64_t)strlen(text)};
        if (!scan_is_number(field))
            return GRACO_OK;
        int64_t whole = field.length - cut;
        if (whole > 0 && strcmp(text + whole, ending) == 0 && names_find(names, text, whole) >= 0)
            twice = text;
    }
    if (!twice)
        return GRACO_OK;
    struct scan_field whole = {.text = twice, .length = (int64_t)strlen(twice) - cut};
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s calls nodes both '%.*s' and '%.80s': expected numbers that are written "
                       "alike",
                       file, scan_shown(whole), whole.text, twice);
}

static graco_status fail_no_edges(const struct table_edges *edges, const char *file)
{
    if (!edges->header || !edges->guessed)
        return status_fail(GRACO_ERROR_FORMAT, "%s holds no edges: two ids on a line are expected",
                           file);
    return status_fail(
        GRACO_ERROR_FORMAT,
        "%s holds no edges below its first line, which is taken for a header because "
        "of \"%.*s\": two ids on a line are expected; --header no reads it as an "
        "edge",
        file, scan_shown(edges->above[1]), edges->above[1].text);
}

/* Whether a field is a number with a decimal comma, such as 1,5. */
static bool is_decimal_comma(struct scan_field field)
{
    int64_t commas = 0, digits = 0;
    for (int64_t i = 0; i < field.length; i++) {
        bool inner = i > 0 && i + 1 < field.length;
        commas += field.text[i] == ',' && inner;
        digits += field.text[i] >= '0' && field.text[i] <= '9';
    }
    return commas == 1 && digits + 1 == field.length;
}

/* Fails if commas separate the fields of a first line that has a second reading: two ids and a weight with a
 * decimal comma, between semicolons or blanks. */
static graco_status check_commas(struct scan line)
{
    struct scan_field fields[3];
    int count = 0;
    bool quoted = memchr(line.at, '"', (size_t)(line.line_end - line.at));
    const char *separators = line.separator == ',' && !quoted ? "; " : "";
    for (; *separators; separators++) {
        struct scan rest = line;
        rest.separator = *separators;
        rest.empties = true;
        PASS(scan_fields(fields, &count, 3, &rest));
        if (count == 3 && is_decimal_comma(fields[2]))
            return status_fail(GRACO_ERROR_FORMAT,
                               "%s: the first line may have two ids and the weight \"%.*s\", which "
                               "needs a point in place of the comma, or ids between commas: "
                               "--delimiter comma reads these",
                               line.file, scan_shown(fields[2]), fields[2].text);
    }
    return GRACO_OK;
}

static graco_status read_lines(struct table_edges *out, struct scan scan, int64_t lines,
                               const struct table_options *options)
{
    bool numbers = true;
    struct scan line = scan;
    if (!scan_line(&line))
        return fail_no_edges(out, scan.file);
    if (!options->separator)
        PASS(check_commas(line));
    PASS(table_head_find(out, &scan, options));
    if (out->order[2] >= 0 && !options->unweighted)
        PASS(memory_alloc(&out->weight, lines, sizeof *out->weight));
    scan.empties = is_wide(out); /* in columns that are left out */
    PASS(edges_as_numbers(out, &numbers, scan));
    if (!numbers)
        PASS(edges_as_names(out, scan));
    if (out->names)
        PASS(check_fractions(out->names, scan.file));
    PASS(table_head_check(out, scan.file));
    return out->count > 0 ? GRACO_OK : fail_no_edges(out, scan.file);
}

graco_status table_edges_read(struct table_edges *out, const char *file, const void *bytes,
                              int64_t length, const struct table_options *options)
{
    struct scan scan;
    graco_status status = GRACO_OK;
    options = options ? options : &no_options;
    *out = (struct table_edges){0};
    scan_start(&scan, file, bytes, length);
    if (matrix_market_knows(&scan)) {
        if (options->source || options->target || options->weight)
            FAIL(GRACO_ERROR_ARGUMENT, "%s is MatrixMarket, which has no columns to choose", file);
        TRY(matrix_market_read(out, scan, options->unweighted));
        goto done;
    }
    int64_t lines = scan_count_lines(bytes, length);
    TRY(memory_alloc(&out->source, lines, sizeof *out->source));
    TRY(memory_alloc(&out->target, lines, sizeof *out->target));
    scan.separator = options->separator;
    TRY(read_lines(out, scan, lines, options));
done:
    if (status != GRACO_OK)
        table_edges_clear(out);
    return status;
}
