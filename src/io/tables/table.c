/* Numbers of text tables, and what tables of edges and labels share with them. The first two lines say
 * whether there is a header and a column of ids. */
#include "io/tables/table.h"

#include "base/memory.h"
#include "io/tables/scan.h"

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

graco_status table_row_numbers(bool *out, struct scan scan)
{
    struct scan_field field = {0};
    bool found = true;
    int64_t value = 0;
    scan.empties = true;
    *out = true;
    for (int64_t row = 0; *out && scan_line(&scan); row++) {
        PASS(scan_next(&field, &found, &scan));
        *out = found && scan_integer(&value, field, row, row);
    }
    return GRACO_OK;
}

graco_status table_undouble(struct scan_field *field, char **block)
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
    TRY(table_undouble(&field, &block));
    TRY(names_add(out, names, field.text, field.length));
done:
    memory_free(block);
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
    bool numbered;             /* the first column has the numbers of the rows */
    struct scan_field id_name; /* what the header calls them */
};

/* What the first two lines look like. */
struct look {
    int lines;
    int64_t fields;               /* of the first */
    bool first_word[2], words[2]; /* in the first column, in others, something is no number */
    int64_t named[3];             /* columns, from 1, that a header would call ids; 0: none */
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
            if (first_line && table_names_ids(field) && !look->named[2])
                look->named[(look->named[0] > 0) + (look->named[1] > 0)] = column + 1;
            if (first_line && scan_listed(field, chosen))
                look->chosen = column + 1;
            if (!scan_is_number(field))
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
                           file, scan_shown(look->first), look->first.text);
    *header = true;
    return GRACO_OK;
}

/* In a table of fewer rows a column of features is easily a permutation by chance; there only the first
 * two columns are looked at, and ids are the first. */
enum { ROWS_BY_CHANCE = 8 };

/* The search ends at the first row after which no column is left. A bit for each number that each column may
 * have: less than the bytes of the table. */
graco_status table_permutations(int64_t found[2], int64_t fields, struct scan scan)
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
    PASS(table_permutations(found, look->fields, scan));
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

/* Two columns that the header calls ids: numbers of rows in a first one without a name give way. */
static graco_status choose_named(struct shape *shape, const struct look *look, struct scan scan)
{
    if (look->named[0] == 1 && look->first.length == 0 && !look->named[2])
        PASS(table_row_numbers(&shape->numbered, scan));
    shape->id = look->named[1];
    if (shape->numbered)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s: columns %" PRId64 " and %" PRId64 " both may be ids: --id-column "
                       "with one of these numbers, or none, decides",
                       scan.file, look->named[0], look->named[1]);
}

static graco_status choose_ids(struct shape *shape, const struct look *look, enum table_ids ids,
                               struct scan scan)
{
    bool header = shape->header;
    if (ids == TABLE_IDS_NONE)
        return GRACO_OK;
    if (header && look->named[1] > 0)
        return choose_named(shape, look, scan);
    if (header && look->named[0] > 0)
        shape->id = look->named[0];
    else if (ids == TABLE_IDS_FIRST || look->first_word[header && look->lines == 2 ? 1 : 0])
        shape->id = 1;
    else
        return looked_ids(&shape->id, look, header, scan);
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
        PASS(choose_ids(out, &look, ids, *scan));
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
                       scan->file, scan->line, scan_shown(field), field.text);
}

static graco_status add_id(struct names *ids, struct scan_field field, const struct scan *scan)
{
    int32_t number = 0;
    int64_t before = names_count(ids);
    PASS(table_add_name(&number, ids, field));
    if (number < before)
        return status_fail(GRACO_ERROR_FORMAT, "%s, line %" PRId64 ": the id \"%.*s\" is repeated",
                           scan->file, scan->line, scan_shown(field), field.text);
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
        if (fields == 0 && numbers->numbered)
            continue;
        if (fields + 1 == numbers->id_column)
            PASS(add_id(numbers->ids, field, scan));
        else if (column < numbers->cols)
            PASS(read_value(&numbers->data[used + column++], field, scan));
    }
    column = fields - (numbers->id_column > 0) - numbers->numbered;
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
    out->numbered = shape.numbered;
    out->cols = shape.fields - (shape.id > 0) - shape.numbered;
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
