/* Edges and numbers of text tables. What a column holds is decided by looking: edges are read as
 * numbers until an id is none, then once more as names; the first two lines of a table of numbers
 * say whether it has a header and ids. */
#include "io/tables/table.h"

#include "base/memory.h"
#include "io/tables/matrix_market.h"
#include "io/tables/scan.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct table_options no_options;

bool table_names_ids(struct scan_field field)
{
    static const char *const words[] = {"",        "id",      "node", "nodeid",
                                        "node_id", "node id", "name", NULL};
    return scan_listed(field, words);
}

/* Makes one quote of each two. *block has the new text, which the caller frees; NULL if the field keeps
 * its own. */
static graco_status undouble(struct scan_field *field, char **block)
{
    int64_t length = 0;
    *block = NULL;
    if (!field->doubled)
        return GRACO_OK;
    PASS(memory_alloc(block, field->length, sizeof **block));
    for (int64_t i = 0; i < field->length; i++) {
        (*block)[length++] = field->text[i];
        i += field->text[i] == '"';
    }
    *field = (struct scan_field){.text = *block, .length = length};
    return GRACO_OK;
}

graco_status table_add_name(int32_t *out, struct names *names, struct scan_field field)
{
    graco_status status = GRACO_OK;
    char *block = NULL;
    TRY(undouble(&field, &block));
    TRY(names_add(out, names, field.text, field.length));
done:
    memory_free(block);
    return status;
}

/* How much of a field a message shows. */
static int shown(struct scan_field field)
{
    return (int)(field.length < 40 ? field.length : 40);
}

/* ---- Edges ----------------------------------------------------------------------------------- */

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
                       scan->file, scan->line, shown(field), field.text);
}

/* Reads a line of two ids and maybe a weight, which goes to the edge's place if weights are kept; the
 * number of fields is that of the first line, header or not. */
static graco_status read_edge(struct scan_field fields[3], struct table_edges *edges,
                              struct scan *scan)
{
    int count = 0;
    double number = 0;
    PASS(scan_fields(fields, &count, 3, scan));
    if (count >= 3 && (!scan_number(&number, fields[2]) || !isfinite(number)))
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s, line %" PRId64
                           ": the third field \"%.*s\" is no weight, a number is expected",
                           scan->file, scan->line, shown(fields[2]), fields[2].text);
    PASS(scan_columns(&edges->columns, count, 2, 3,
                      "two ids (and on every line or none a weight) are expected", scan));
    return edges->weight ? table_weight(&edges->weight[edges->count], number, fields[2], scan)
                         : GRACO_OK;
}

static bool is_number(struct scan_field field)
{
    double value;
    return scan_number(&value, field);
}

static graco_status fail_edge_header(const struct scan_field ids[2], const char *file)
{
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s: the first line, \"%.*s\" and \"%.*s\", may be a header or an edge: "
                       "--header yes or --header no decides",
                       file, shown(ids[0]), ids[0].text, shown(ids[1]), ids[1].text);
}

/* Whether the first line is a header, whose two ids go to `ids`. Its words are on the list, or it
 * has no number where a weight would stand. One word on the list, or words above numbers, can be
 * read in two ways. */
static graco_status edge_header(bool *header, struct scan_field ids[3], struct scan scan)
{
    static const char *const words[] = {
        "source", "target", "src",     "dst",   "dest",   "destination", "from",      "to",
        "id",     "node",   "node_id", "node1", "node2",  "node_1",      "node_2",    "id1",
        "id2",    "name",   "head",    "tail",  "sender", "receiver",    "source_id", "target_id",
        "src_id", "dst_id", "from_id", "to_id", "weight", NULL};
    struct scan_field other[3];
    int count = 0;
    int64_t below = 0;
    *header = false;
    if (!scan_line(&scan))
        return GRACO_OK;
    PASS(scan_fields(ids, &count, 3, &scan));
    if (count < 2 || count > 3 || (is_number(ids[0]) && is_number(ids[1])))
        return GRACO_OK;
    int listed = scan_listed(ids[0], words) + scan_listed(ids[1], words);
    *header = listed == 2 || (count == 3 && !is_number(ids[2]));
    if (*header || is_number(ids[0]) || is_number(ids[1]))
        return GRACO_OK;
    bool above_numbers = listed == 0;
    for (; above_numbers && scan_line(&scan); below++) {
        PASS(scan_fields(other, &count, 3, &scan));
        above_numbers = count >= 2 && is_number(other[0]) && is_number(other[1]);
    }
    return listed == 1 || (above_numbers && below > 0) ? fail_edge_header(ids, scan.file)
                                                       : GRACO_OK;
}

/* Looks at the first line, header or not, whether there is a third column and whether it has weights,
 * for which there is then room. */
static graco_status look_for_weights(struct table_edges *edges, struct scan scan, int64_t lines,
                                     bool unweighted)
{
    static const char *const words[] = {"weight", "weights", "edge_weight", "w", NULL};
    struct scan_field fields[3];
    int count = 0;
    if (scan_line(&scan))
        PASS(scan_fields(fields, &count, 3, &scan));
    edges->columns = count;
    if (count != 3)
        return GRACO_OK;
    if (edges->header && !scan_listed(fields[2], words))
        edges->other = fields[2];
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

/* Fails if a node has a word of the header as its name. */
static graco_status check_words(const struct names *names, const struct scan_field head[2],
                                const char *file)
{
    for (int i = 0; i < 2; i++) {
        struct scan_field word = head[i];
        char *block;
        PASS(undouble(&word, &block));
        bool taken = names_find(names, word.text, word.length) >= 0;
        memory_free(block);
        if (taken)
            return fail_edge_header(head, file);
    }
    return GRACO_OK;
}

graco_status table_edges_read(struct table_edges *out, const char *file, const void *bytes,
                              int64_t length, const struct table_options *options)
{
    struct scan scan;
    struct scan_field head[3];
    bool numbers = true;
    options = options ? options : &no_options;
    graco_status status = GRACO_OK;
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
    out->header = options->header == TABLE_HEADER_YES;
    if (options->header == TABLE_HEADER_LOOK)
        TRY(edge_header(&out->header, head, scan));
    TRY(look_for_weights(out, scan, lines, options->unweighted));
    if (out->header)
        scan_line(&scan);
    TRY(edges_as_numbers(out, &numbers, scan));
    if (!numbers)
        TRY(edges_as_names(out, scan));
    if (out->names && out->header && options->header == TABLE_HEADER_LOOK)
        TRY(check_words(out->names, head, file));
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
    int64_t id;     /* column of ids, from 1; 0: none */
    bool header;
    struct scan_field id_name; /* what the header calls them */
};

/* What the first two lines look like. */
struct look {
    int lines;
    int64_t fields;               /* of the first */
    bool first_word[2], words[2]; /* in the first column, in others, something is no number */
    int64_t named[2];             /* columns, from 1, that a header would call ids; 0: none */
    int64_t chosen;               /* the column that has the name the user gave; 0: none */
    struct scan_field first;      /* of the first line */
};

static graco_status look_at(struct look *look, struct scan scan, const char *id_column)
{
    struct scan_field field = {0};
    bool found = true;
    const char *const chosen[] = {id_column, NULL};
    *look = (struct look){0};
    for (; look->lines < 2 && scan_line(&scan); look->lines++) {
        bool first_line = look->lines == 0;
        for (int64_t column = 0;; column++) {
            scan.empties = first_line && column == 0; /* as data frames are written */
            PASS(scan_next(&field, &found, &scan));
            if (!found)
                break;
            look->fields += first_line;
            if (first_line && column == 0)
                look->first = field;
            if (first_line && table_names_ids(field) && !look->named[1])
                look->named[look->named[0] > 0] = column + 1;
            if (first_line && scan_listed(field, chosen))
                look->chosen = column + 1;
            if (!is_number(field))
                *(column == 0 ? &look->first_word[look->lines] : &look->words[look->lines]) = true;
        }
    }
    return GRACO_OK;
}
/* Where a first field that is called as ids are stands above words and beside numbers, it may be a
 * header over columns with numbers as names, or a node of that name. */
static graco_status choose_header(bool *header, const struct look *look, enum table_ids ids,
                                  const char *file)
{
    bool over = look->lines == 2 && (ids == TABLE_IDS_FIRST || look->first_word[1]);
    *header = look->words[0] ||
              (look->first_word[0] && (ids == TABLE_IDS_NONE || (look->lines == 2 && !over)));
    if (*header || !over || look->named[0] != 1)
        return GRACO_OK;
    if (look->first.length > 0)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s: the first line, which begins with \"%.*s\", may be a header or the "
                           "features of a node: --header yes or --header no decides",
                           file, shown(look->first), look->first.text);
    *header = true;
    return GRACO_OK;
}

/* In a table of fewer rows a column of features is easily a permutation by chance; there only the first
 * two columns are looked at, and ids are the first. */
enum { ROWS_BY_CHANCE = 8 };

/* The first two columns, from 1, whose integers are 0 .. rows - 1 in any order; 0 where there are no such
 * columns. `scan` stands before the first row; the search ends at the first row after which no column is
 * left. A bit for each number that each column may have: less than the bytes of the table. */
static graco_status find_permutations(int64_t found[2], int64_t fields, struct scan scan)
{
    graco_status status = GRACO_OK;
    struct scan rest = scan;
    struct scan_field field = {0};
    uint8_t *seen = NULL; /* (looked, rows) bits */
    bool *lost = NULL;    /* (looked) columns that are no permutation */
    int64_t rows = 0, value;
    found[0] = found[1] = 0;
    while (scan_line(&rest))
        rows++;
    int64_t looked = rows < ROWS_BY_CHANCE && fields > 2 ? 2 : fields, left = looked;
    if (rows < 2 || looked > (scan.end - scan.next) / rows) /* rows have fewer fields: no table */
        goto done;
    TRY(memory_zalloc(&seen, looked * rows / 8 + 1, sizeof *seen));
    TRY(memory_zalloc(&lost, looked, sizeof *lost));
    while (left > 0 && scan_line(&scan)) {
        bool there = true;
        for (int64_t c = 0; c < looked; c++) {
            if (there)
                TRY(scan_next(&field, &there, &scan));
            if (lost[c])
                continue;
            int64_t bit = there && scan_integer(&value, field, 0, rows - 1) ? c * rows + value : -1;
            lost[c] = bit < 0 || seen[bit / 8] >> bit % 8 & 1;
            left -= lost[c];
            if (!lost[c])
                seen[bit / 8] |= (uint8_t)(1 << bit % 8);
        }
    }
    for (int64_t c = 0; left > 0 && c < looked && !found[1]; c++)
        if (!lost[c])
            found[found[0] > 0] = c + 1;
    if (rows < ROWS_BY_CHANCE && found[0] != 1)
        found[0] = found[1] = 0;
done:
    memory_free(seen);
    memory_free(lost);
    return status;
}

/* The column of ids that the user chose. */
static graco_status chosen_ids(int64_t *out, const struct look *look, bool header,
                               const char *id_column, const char *file)
{
    struct scan_field text = {.text = id_column, .length = (int64_t)strlen(id_column)};
    if (scan_integer(out, text, 1, look->fields))
        return GRACO_OK;
    *out = look->chosen;
    if (header && look->chosen > 0)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s has no column of ids '%s': expected a name in its header, a number from "
                       "1 to %" PRId64 ", or none",
                       file, id_column, look->fields);
}

/* Finds ids by what the columns hold. `scan` stands before the first row. */
static graco_status looked_ids(int64_t *out, const struct look *look, bool header, struct scan scan)
{
    int64_t found[2];
    if (look->fields < 2)
        return GRACO_OK;
    PASS(find_permutations(found, look->fields, scan));
    if (found[1])
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s: columns %" PRId64 " and %" PRId64 " have the number of each node "
                           "once, and may be ids or features: --id-column %" PRId64
                           ", --id-column %" PRId64 " or --id-column none decides",
                           scan.file, found[0], found[1], found[0], found[1]);
    if (found[0] && header)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s: column %" PRId64 " has the number of each node once, and may be "
                           "ids or a feature: --id-column %" PRId64 " or --id-column none decides",
                           scan.file, found[0], found[0]);
    *out = found[0];
    return GRACO_OK;
}

static graco_status choose_ids(int64_t *out, const struct look *look, bool header,
                               enum table_ids ids, struct scan scan)
{
    *out = 0;
    if (ids == TABLE_IDS_NONE)
        return GRACO_OK;
    if (header && look->named[1] > 0)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s: columns %" PRId64 " and %" PRId64 " both may be ids: --id-column "
                           "with one of these numbers, or none, decides",
                           scan.file, look->named[0], look->named[1]);
    if (header && look->named[0] > 0)
        *out = look->named[0];
    else if (ids == TABLE_IDS_FIRST || look->first_word[header && look->lines == 2 ? 1 : 0])
        *out = 1;
    else
        return looked_ids(out, look, header, scan);
    return GRACO_OK;
}

static graco_status take_name(struct scan_field *out, struct scan scan, int64_t column)
{
    bool found = true;
    scan.empties = true;
    scan_line(&scan);
    for (int64_t c = 0; c < column; c++)
        PASS(scan_next(out, &found, &scan));
    return GRACO_OK;
}

/* Decides from the first two lines, and moves to the first row. */
static graco_status find_shape(struct shape *out, struct scan *scan, enum table_ids ids,
                               const struct table_options *options)
{
    struct look look;
    const char *id_column = options->id_column;
    if (id_column && strcmp(id_column, "none") == 0)
        ids = TABLE_IDS_NONE;
    struct scan head = *scan;
    PASS(look_at(&look, *scan, id_column));
    *out = (struct shape){.fields = look.fields, .header = options->header == TABLE_HEADER_YES};
    if (options->header == TABLE_HEADER_LOOK)
        PASS(choose_header(&out->header, &look, ids, scan->file));
    if (out->header)
        scan_line(scan);
    if (id_column && ids != TABLE_IDS_NONE)
        PASS(chosen_ids(&out->id, &look, out->header, id_column, scan->file));
    else
        PASS(choose_ids(&out->id, &look, out->header, ids, *scan));
    if (out->header && out->id > 0)
        PASS(take_name(&out->id_name, head, out->id));
    return GRACO_OK;
}

static graco_status read_value(float *out, struct scan_field field, const struct scan *scan)
{
    double value = 0;
    if (scan_number(&value, field) && isfinite(value) && isfinite((float)value)) {
        *out = (float)value;
        return GRACO_OK;
    }
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s, line %" PRId64 ": \"%.*s\" found, a finite number is expected",
                       scan->file, scan->line, shown(field), field.text);
}

static graco_status add_id(struct names *ids, struct scan_field field, const struct scan *scan)
{
    int32_t number = 0;
    int64_t before = names_count(ids);
    PASS(table_add_name(&number, ids, field));
    if (number < before)
        return status_fail(GRACO_ERROR_FORMAT, "%s, line %" PRId64 ": the id \"%.*s\" is repeated",
                           scan->file, scan->line, shown(field), field.text);
    return GRACO_OK;
}

static graco_status read_row(struct table_numbers *numbers, int64_t *room, struct scan *scan)
{
    struct scan_field field = {0};
    bool found = true;
    int64_t column = 0; /* of the numbers */
    int64_t used = numbers->rows * numbers->cols;
    if (used + numbers->cols > *room) {
        int64_t more = 2 * *room + numbers->cols;
        PASS(memory_grow(&numbers->data, used, more, sizeof *numbers->data));
        *room = more;
    }
    int64_t fields = 0;
    for (;; fields++) {
        PASS(scan_next(&field, &found, scan));
        if (!found)
            break;
        if (fields + 1 == numbers->id_column)
            PASS(add_id(numbers->ids, field, scan));
        else if (column < numbers->cols)
            PASS(read_value(&numbers->data[used + column++], field, scan));
    }
    column = fields - (numbers->id_column > 0);
    if (column != numbers->cols)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s, line %" PRId64 ": %" PRId64 " numbers found, %" PRId64
                           " expected as on the first line",
                           scan->file, scan->line, column, numbers->cols);
    numbers->rows++;
    return GRACO_OK;
}

graco_status table_numbers_read(struct table_numbers *out, const char *file, const void *bytes,
                                int64_t length, enum table_ids ids,
                                const struct table_options *options)
{
    struct scan scan;
    struct shape shape;
    int64_t room = 0;
    graco_status status = GRACO_OK;
    *out = (struct table_numbers){0};
    scan_start(&scan, file, bytes, length);
    options = options ? options : &no_options;
    scan.separator = options->separator;
    TRY(find_shape(&shape, &scan, ids, options));
    out->header = shape.header;
    out->id_column = shape.id;
    out->id_name = shape.id_name;
    out->cols = shape.fields - (shape.id > 0);
    if (out->cols <= 0)
        FAIL(GRACO_ERROR_FORMAT, "%s holds no numbers: rows of numbers are expected", file);
    if (shape.id > 0)
        TRY(names_create(&out->ids));
    while (scan_line(&scan))
        TRY(read_row(out, &room, &scan));
    if (out->rows == 0)
        FAIL(GRACO_ERROR_FORMAT, "%s holds a header and no rows", file);
done:
    if (status != GRACO_OK)
        table_numbers_clear(out);
    return status;
}
