/* Edge lists. Edges are read as numbers until an id is none, then once more as names. A header says which
 * column is the source and which the target, and whether a third one has weights. */
#include "io/tables/table.h"

#include "base/memory.h"
#include "io/tables/matrix_market.h"
#include "io/tables/scan.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
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

/* Reads a line of two ids, source and target, and maybe a weight, which goes to the edge's place if weights
 * are kept; the number of fields is that of the first line, header or not. */
static graco_status read_edge(struct scan_field fields[3], struct table_edges *edges,
                              struct scan *scan)
{
    static const char *const places[] = {"first", "second", "third"};
    struct scan_field found[3] = {0};
    int count = 0, third = edges->order[2];
    double number = 0;
    PASS(scan_fields(found, &count, 3, scan));
    for (int i = 0; i < 3; i++)
        fields[i] = found[edges->order[i]];
    PASS(scan_columns(&edges->columns, count, 2, 3,
                      "two ids (and on every line or none a weight) are expected", scan));
    if (count < 3 || (edges->named && edges->other.length > 0))
        return GRACO_OK;
    if (!scan_number(&number, fields[2]) || !isfinite(number))
        return status_fail(
            GRACO_ERROR_FORMAT,
            "%s, line %" PRId64 ": the %s field \"%.*s\" is no weight, a number is expected",
            scan->file, scan->line, places[third], scan_shown(fields[2]), fields[2].text);
    return edges->weight ? table_weight(&edges->weight[edges->count], number, fields[2], scan)
                         : GRACO_OK;
}

/* The first line of a file that may have a header. */
struct head {
    struct scan_field fields[3];
    int count; /* 4: more */
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
    *header = listed == 2 || (head->count == 3 && !scan_is_number(ids[2]));
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

/* The one column that has a word of the list; -1: none has. Fails if several have, which are then all
 * called as the first word of the list. */
static graco_status only_column(int *found, const struct head *head, const char *const *words,
                                const char *file)
{
    *found = -1;
    for (int c = 0; c < head->count; c++) {
        if (!scan_listed(head->fields[c], words))
            continue;
        if (*found >= 0)
            return status_fail(GRACO_ERROR_FORMAT,
                               "%s: the header calls columns %d and %d both %s: one is expected",
                               file, *found + 1, c + 1, words[0]);
        *found = c;
    }
    return GRACO_OK;
}

/* Which column is which, by a header's words. Columns that it calls otherwise, weights apart, are source
 * and target in their order, as far as the words leave them open. */
static graco_status order_columns(struct table_edges *edges, const struct head *head,
                                  const char *file)
{
    int source = -1, target = -1, weight = -1;
    PASS(only_column(&source, head, SOURCES, file));
    PASS(only_column(&target, head, TARGETS, file));
    PASS(only_column(&weight, head, WEIGHTS, file));
    edges->named = source >= 0 && target >= 0;
    if (head->count == 2 && weight >= 0)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s: the header calls column %d of 2 `%.*s`: two columns of ids are "
                           "expected",
                           file, weight + 1, scan_shown(head->fields[weight]),
                           head->fields[weight].text);
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
 * whether it has weights, for which there is then room. */
static graco_status look_at_columns(struct table_edges *edges, const struct head *head,
                                    const char *file, int64_t lines, bool unweighted)
{
    static const char *const letter[] = {"w", NULL};
    for (int i = 0; i < 3; i++)
        edges->order[i] = i;
    edges->columns = head->count;
    if (edges->header && (head->count == 2 || head->count == 3))
        PASS(order_columns(edges, head, file));
    if (head->count != 3)
        return GRACO_OK;
    struct scan_field third = head->fields[edges->order[2]];
    if (edges->header && !scan_listed(third, WEIGHTS) && !scan_listed(third, letter))
        edges->other = third;
    edges->left_out = unweighted || edges->other.length > 0;
    return edges->left_out ? GRACO_OK : memory_alloc(&edges->weight, lines, sizeof *edges->weight);
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
        struct scan_field word = head->fields[edges->order[i]];
        char *block;
        PASS(table_undouble(&word, &block));
        bool taken = names_find(edges->names, word.text, word.length) >= 0;
        memory_free(block);
        if (taken)
            return fail_edge_header(head, file);
    }
    return GRACO_OK;
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

static graco_status read_lines(struct table_edges *out, struct scan scan, int64_t lines,
                               const struct table_options *options)
{
    bool numbers = true, look = options->header == TABLE_HEADER_LOOK;
    struct head head = {0};
    struct scan first = scan;
    if (scan_line(&first))
        PASS(scan_fields(head.fields, &head.count, 3, &first));
    out->header = options->header == TABLE_HEADER_YES && head.count > 0;
    if (look)
        PASS(edge_header(&out->header, &head, scan));
    PASS(look_at_columns(out, &head, scan.file, lines, options->unweighted));
    if (out->header)
        scan_line(&scan);
    PASS(edges_as_numbers(out, &numbers, scan));
    if (!numbers)
        PASS(edges_as_names(out, scan));
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
