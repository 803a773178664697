/* Edge lists. Edges are read as numbers until an id is none, then once more as names. A header says which
 * column is the source and which the target, and whether another one has weights. Lines have two or three
 * fields, or more beside those that the header names: such a list is called wide. */
#include "io/tables/table.h"

#include "base/memory.h"
#include "io/tables/matrix_market.h"
#include "io/tables/scan.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct table_options no_options;

/* What headers call columns. Words of `ENDS` do not say which end of an edge they are: head and tail are
 * used both ways round. */
static const char *const SOURCES[] = {"source",    "src",    "from",    "sender",
                                      "source_id", "src_id", "from_id", NULL};
static const char *const TARGETS[] = {"target",   "dst",       "dest",   "destination", "to",
                                      "receiver", "target_id", "dst_id", "to_id",       NULL};
static const char *const ENDS[] = {"id",  "node", "node_id", "node1", "node2", "node_1", "node_2",
                                   "id1", "id2",  "name",    "head",  "tail",  NULL};
static const char *const WEIGHTS[] = {"weight", "weights", "edge_weight", NULL};
static const char *const WIDE_WEIGHTS[] = {"weight", "weights", "edge_weight", "w", NULL};

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

/* The source, the target and the weight of a wide line, whose other fields may be anything. */
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
                           "%s, line %" PRId64
                           ": %d fields found, %d are expected as in the header",
                           scan->file, scan->line, count, edges->columns);
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
    for (int i = 0; i < 3; i++)
        fields[i] = found[edges->order[i]];
    return scan_columns(&edges->columns, count, 2, 3,
                        "two ids (and on every line or none a weight) are expected; beside further "
                        "columns a header must name source and target",
                        scan);
}

/* Attributes of an edge, as networkx writes them unless it is told not to: "{}". */
static bool is_attributes(struct scan_field field)
{
    return field.length > 0 && field.text[0] == '{';
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
                       is_attributes(field) ? "; networkx writes it unless data=False, "
                                              "--unweighted leaves it out"
                                            : "");
}

/* Reads a line of two ids, source and target, and maybe a weight, which goes to the edge's place if weights
 * are kept. */
static graco_status read_edge(struct scan_field fields[3], struct table_edges *edges,
                              struct scan *scan)
{
    double number = 0;
    if (edges->wide)
        PASS(pick_fields(fields, edges, scan));
    else
        PASS(order_fields(fields, edges, scan));
    int third = edges->order[2];
    if (third < 0 || edges->columns < 3 || (edges->named && edges->other.length > 0))
        return GRACO_OK;
    if (!edges->weight && is_attributes(fields[2]))
        return GRACO_OK;
    if (!scan_number(&number, fields[2]) || !isfinite(number))
        return fail_weight(fields[2], third, scan);
    return edges->weight ? table_weight(&edges->weight[edges->count], number, fields[2], scan)
                         : GRACO_OK;
}

/* The first line of a file that may have a header. */
struct head {
    struct scan_field fields[3]; /* in a wide list: of the source, the target and the weight */
    int count;                   /* 4: more; in a wide list 2 or, with weights, 3 */
};

static graco_status fail_edge_header(const struct head *head, const char *file)
{
    const struct scan_field *fields = head->fields;
    bool third = head->count == 3;
    return status_fail(
        GRACO_ERROR_FORMAT,
        "%s: the first line, \"%.*s\"%s \"%.*s\"%s%.*s%s, may be a header or an edge: "
        "--header yes or --header no decides",
        file, scan_shown(fields[0]), fields[0].text, third ? "," : " and", scan_shown(fields[1]),
        fields[1].text, third ? " and \"" : "", third ? scan_shown(fields[2]) : 0,
        third ? fields[2].text : "", third ? "\"" : "");
}

static bool names_column(struct scan_field field)
{
    return scan_listed(field, SOURCES) || scan_listed(field, TARGETS) || scan_listed(field, ENDS) ||
           scan_listed(field, WEIGHTS);
}

/* Whether the first line is a header. Its words are on the lists, or it has no number where a weight
 * would stand. One word on the lists, or words above numbers, can be read in two ways. */
static graco_status edge_header(bool *header, const struct head *head, struct scan scan)
{
    const struct scan_field *ids = head->fields;
    struct scan_field other[3];
    int count = 0;
    int64_t below = 0;
    *header = false;
    if (head->count < 2 || head->count > 3 || (scan_is_number(ids[0]) && scan_is_number(ids[1])))
        return GRACO_OK;
    int listed = names_column(ids[0]) + names_column(ids[1]);
    *header =
        listed == 2 || (head->count == 3 && !scan_is_number(ids[2]) && !is_attributes(ids[2]));
    if (*header || scan_is_number(ids[0]) || scan_is_number(ids[1]))
        return GRACO_OK;
    bool above_numbers = listed == 0;
    for (scan_line(&scan); above_numbers && scan_line(&scan); below++) {
        PASS(scan_fields(other, &count, 3, &scan));
        above_numbers = count >= 2 && scan_is_number(other[0]) && scan_is_number(other[1]);
    }
    return listed == 1 || (above_numbers && below > 0) ? fail_edge_header(head, scan.file)
                                                       : GRACO_OK;
}

/* The columns that a header calls source, target or weight. */
struct role {
    int column, again;      /* from 0, of the first and the last such column; -1: there is none */
    struct scan_field word; /* of the first */
};

/* Finds the columns of all roles, counts all columns, and finds the last that has none of them. `line`
 * stands before the fields. */
static graco_status find_roles(struct role roles[3], int *columns, struct scan_field *other,
                               const char *const *weights, struct scan line)
{
    const char *const *const words[] = {SOURCES, TARGETS, weights};
    struct scan_field field = {0};
    bool found = true;
    line.empties = true;
    for (int i = 0; i < 3; i++)
        roles[i] = (struct role){.column = -1, .again = -1};
    for (*columns = 0;; ++*columns) {
        PASS(scan_next(&field, &found, &line));
        if (!found)
            return GRACO_OK;
        bool listed = false;
        for (int i = 0; i < 3; i++) {
            if (!scan_listed(field, words[i]))
                continue;
            listed = true;
            if (roles[i].column < 0)
                roles[i] = (struct role){.column = *columns, .word = field};
            roles[i].again = *columns;
        }
        if (!listed)
            *other = field;
    }
}

/* Fails if several columns have one role. */
static graco_status check_roles(const struct role roles[3], const char *file)
{
    static const char *const names[] = {"source", "target", "weight"};
    for (int i = 0; i < 3; i++)
        if (roles[i].again != roles[i].column)
            return status_fail(GRACO_ERROR_FORMAT,
                               "%s: the header calls columns %d and %d both %s: one is expected",
                               file, roles[i].column + 1, roles[i].again + 1, names[i]);
    return GRACO_OK;
}

/* Looks whether the list is wide: its header names source and target, and has columns beside them and the
 * weight. Of three columns, that one is told by its name. `line` stands before the fields. */
static graco_status look_wide(struct table_edges *edges, struct head *head, struct scan line)
{
    struct scan_field other = {0};
    struct role roles[3];
    int columns = 0;
    PASS(find_roles(roles, &columns, &other, WIDE_WEIGHTS, line));
    if (roles[0].column < 0 || roles[1].column < 0 || columns - (roles[2].column >= 0) < 3)
        return GRACO_OK;
    PASS(check_roles(roles, line.file));
    edges->wide = edges->header = edges->named = true;
    edges->columns = columns;
    head->count = roles[2].column < 0 ? 2 : 3;
    edges->further = columns - head->count;
    for (int i = 0; i < 3; i++) {
        edges->order[i] = roles[i].column;
        head->fields[i] = roles[i].word;
    }
    if (columns == 3 && other.length > 0) {
        edges->other = other;
        edges->order[2] = 3 - edges->order[0] - edges->order[1];
    }
    return GRACO_OK;
}

/* Which of two or three columns is which, by a header's words. Columns that it calls otherwise, weights
 * apart, are source and target in their order, as far as the words leave them open. */
static graco_status order_columns(struct table_edges *edges, const struct head *head,
                                  struct scan line)
{
    struct scan_field other = {0};
    struct role roles[3];
    int columns = 0;
    PASS(find_roles(roles, &columns, &other, WEIGHTS, line));
    PASS(check_roles(roles, line.file));
    int source = roles[0].column, target = roles[1].column, weight = roles[2].column;
    edges->named = source >= 0 && target >= 0;
    if (head->count == 2 && weight >= 0)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s: the header calls column %d of 2 `%.*s`: two columns of ids are "
                           "expected",
                           line.file, weight + 1, scan_shown(roles[2].word), roles[2].word.text);
    for (int c = 0; c < head->count; c++) {
        if (c == source || c == target || c == weight)
            continue;
        if (source < 0)
            source = c;
        else if (target < 0)
            target = c;
    }
    edges->order[0] = source;
    edges->order[1] = target;
    edges->order[2] = 3 - source - target;
    return GRACO_OK;
}

/* Looks at the first line, header or not, which column is which, whether there is a third one and
 * whether it has weights. `line` stands before its fields. */
static graco_status look_at_columns(struct table_edges *edges, const struct head *head,
                                    struct scan line)
{
    for (int i = 0; i < 3; i++)
        edges->order[i] = i;
    edges->columns = head->count;
    if (edges->header && (head->count == 2 || head->count == 3))
        PASS(order_columns(edges, head, line));
    if (edges->header && head->count == 3 &&
        !scan_listed(head->fields[edges->order[2]], WIDE_WEIGHTS))
        edges->other = head->fields[edges->order[2]];
    return GRACO_OK;
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

/* Fails if a node has the word of the header above its column, or above the other, as its name. */
static graco_status check_words(const struct table_edges *edges, const struct head *head,
                                const char *file)
{
    for (int i = 0; i < 2; i++) {
        struct scan_field word = head->fields[edges->wide ? i : edges->order[i]];
        char *block;
        PASS(table_undouble(&word, &block));
        bool taken = names_find(edges->names, word.text, word.length) >= 0;
        memory_free(block);
        if (taken)
            return fail_edge_header(head, file);
    }
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

/* `guessed`: that the first line is a header. */
static graco_status fail_no_edges(const struct head *head, bool guessed, const char *file)
{
    if (!guessed)
        return status_fail(GRACO_ERROR_FORMAT, "%s holds no edges: two ids on a line are expected",
                           file);
    struct scan_field last = head->fields[head->count - 1];
    return status_fail(
        GRACO_ERROR_FORMAT,
        "%s holds no edges below its first line, which is taken for a header because "
        "of \"%.*s\": two ids on a line are expected; --header no reads it as an "
        "edge",
        file, scan_shown(last), last.text);
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
    bool numbers = true, look = options->header == TABLE_HEADER_LOOK;
    struct head head = {0};
    struct scan line = scan;
    bool any = scan_line(&line);
    if (any && !options->separator)
        PASS(check_commas(line));
    if (any && options->header != TABLE_HEADER_NO)
        PASS(look_wide(out, &head, line));
    if (!out->wide) {
        struct scan rest = line;
        if (any)
            PASS(scan_fields(head.fields, &head.count, 3, &rest));
        out->header = options->header == TABLE_HEADER_YES && any;
        if (look)
            PASS(edge_header(&out->header, &head, scan));
        PASS(look_at_columns(out, &head, line));
    }
    bool weights = head.count == 3 && out->other.length == 0;
    out->left_out = out->further > 0 || out->other.length > 0 || (weights && options->unweighted);
    if (weights && !options->unweighted)
        PASS(memory_alloc(&out->weight, lines, sizeof *out->weight));
    scan.empties = out->wide; /* in columns that are left out */
    if (out->header)
        scan_line(&scan);
    PASS(edges_as_numbers(out, &numbers, scan));
    if (!numbers)
        PASS(edges_as_names(out, scan));
    if (out->names)
        PASS(check_fractions(out->names, scan.file));
    if (out->names && out->header && look)
        PASS(check_words(out, &head, scan.file));
    return out->count > 0 ? GRACO_OK : fail_no_edges(&head, look && out->header, scan.file);
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
