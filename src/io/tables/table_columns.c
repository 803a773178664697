/* Reading tables of words and numbers. One pass counts what the cells of each column hold; that tells the header,
 * the ids and the kind of each column. A second pass reads. A column is of one kind throughout, gaps apart:
 * a few words among numbers are refused, for they are mistakes more often than values. */
#include "io/tables/column_cells.h"
#include "io/tables/columns.h"
#include "io/tables/table_head.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Words that all begin with a digit are numbers with units, if they are more than this. */
enum { UNITS_LEAST = 32, NUMBER_ROOM = 24 };

/* What stands in a column below the first line. */
struct below {
    struct scan_field first; /* in the first line */
    enum cell first_cell;
    int64_t cells[CELLS];
    bool again;             /* the first line's word stands again below */
    struct scan_field word; /* the first cell that is neither a number nor a gap; in line: */
    int64_t line;
};

struct survey {
    struct below *below; /* (count) */
    int64_t count, rows;
    const char *file;
};

static const struct table_options no_options;

static bool same_text(struct scan_field a, struct scan_field b)
{
    return a.length == b.length && memcmp(a.text, b.text, (size_t)a.length) == 0;
}

static graco_status survey_first(struct survey *survey, struct scan line)
{
    struct scan_field field = {0};
    struct scan counted = line;
    bool found = true;
    double value;
    int64_t count = -1;
    for (; found; count++)
        PASS(scan_next(&field, &found, &counted));
    if (count > TABLE_COLUMNS)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s, line %" PRId64 ": %" PRId64 " fields found: expected at most %d",
                           line.file, line.line, count, (int)TABLE_COLUMNS);
    PASS(memory_zalloc(&survey->below, count, sizeof *survey->below));
    survey->count = count;
    for (int64_t c = 0; c < count; c++) {
        PASS(scan_next(&field, &found, &line));
        survey->below[c].first = field;
        survey->below[c].first_cell = cell_read(&value, field);
    }
    return GRACO_OK;
}

static graco_status survey_line(struct survey *survey, struct scan *scan)
{
    struct scan_field field = {0};
    bool found = true;
    double value;
    int64_t c = 0;
    for (;; c++) {
        PASS(scan_next(&field, &found, scan));
        if (!found || c == survey->count)
            break;
        struct below *below = &survey->below[c];
        enum cell cell = cell_read(&value, field);
        below->cells[cell]++;
        if (cell == CELL_WORD)
            below->again = below->again || same_text(field, below->first);
        if (cell != CELL_GAP && cell != CELL_NUMBER && !below->word.text) {
            below->word = field;
            below->line = scan->line;
        }
    }
    if (found || c < survey->count)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s, line %" PRId64 ": %s%" PRId64 " fields found, %" PRId64
                           " are expected as on the first line",
                           scan->file, scan->line, found ? "more than " : "", c, survey->count);
    survey->rows++;
    return GRACO_OK;
}

/* The kind of all cells that are no gaps; CELL_GAP: there are none; CELLS: they are of several kinds. */
static enum cell kind_of(const struct below *below)
{
    enum cell kind = CELL_GAP;
    for (int cell = CELL_NUMBER; cell < CELLS; cell++)
        if (below->cells[cell] > 0)
            kind = kind == CELL_GAP ? (enum cell)cell : CELLS;
    return kind;
}

/* ---- Header and ids -------------------------------------------------------------------------- */

static graco_status choose_header(bool *header, const struct survey *survey,
                                  const struct table_options *options)
{
    bool known = false, above = false, row = false, again = false;
    bool unnamed = survey->below[0].first.length == 0; /* as data frames write their rows' names */
    for (int64_t c = 0; c < survey->count; c++) {
        const struct below *below = &survey->below[c];
        enum cell kind = kind_of(below);
        bool plain = kind == CELL_NUMBER || kind == CELL_TRUTH || kind == CELL_DATE;
        known |= table_names_ids(below->first) && below->first.length > 0;
        above |= plain && below->first_cell == CELL_WORD;
        row |= plain && below->first_cell == kind;
        again |= below->again;
    }
    *header = options->header == TABLE_HEADER_YES || unnamed || ((known || above) && !row);
    if (options->header == TABLE_HEADER_NO)
        *header = false;
    if (options->header != TABLE_HEADER_LOOK || *header || (!known && !above && (row || again)))
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s: the first line, which begins with \"%.*s\", may be a header or the "
                       "features of a node: --header yes or --header no decides",
                       survey->file, scan_shown(survey->below[0].first),
                       survey->below[0].first.text);
}

static graco_status chosen_ids(int64_t *out, const struct survey *survey, bool header,
                               const char *id_column)
{
    const struct scan_field text = {.text = id_column, .length = (int64_t)strlen(id_column)};
    const char *const chosen[] = {id_column, NULL};
    for (int64_t c = 0; header && c < survey->count; c++)
        if (scan_listed(survey->below[c].first, chosen)) {
            *out = c + 1;
            return GRACO_OK;
        }
    if (scan_integer(out, text, 1, survey->count))
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s has no column of ids '%s': expected a name in its header, a number from "
                       "1 to %" PRId64 ", or none",
                       survey->file, id_column, survey->count);
}

/* `scan` stands before the first row. */
static graco_status named_ids(struct table_columns *out, const struct survey *survey,
                              struct scan scan)
{
    int64_t named[2] = {0, 0};
    for (int64_t c = survey->count - 1; c >= 0; c--) {
        struct scan_field name = survey->below[c].first;
        if (!table_names_ids(name) || (name.length == 0 && c > 0))
            continue;
        named[1] = named[0];
        named[0] = c + 1;
    }
    out->id_column = named[0];
    if (!named[1])
        return GRACO_OK;
    out->id_column = named[1];
    if (survey->below[0].first.length == 0)
        PASS(table_row_numbers(&out->numbered, scan));
    return out->numbered
               ? GRACO_OK
               : status_fail(GRACO_ERROR_FORMAT,
                             "%s: columns %" PRId64 " and %" PRId64 " both may be ids: --id-column "
                             "with one of these numbers, or none, decides",
                             survey->file, named[0], named[1]);
}

/* Ids are in the column that the user says, that the header calls so, in the first where nodes have names, else
 * in one that has each node's number once. */
static graco_status choose_ids(struct table_columns *out, const struct survey *survey,
                               enum table_ids ids, const struct table_options *options,
                               struct scan scan)
{
    int64_t found[2] = {0, 0};
    if (options->id_column && strcmp(options->id_column, "none") == 0)
        return GRACO_OK;
    if (options->id_column)
        return chosen_ids(&out->id_column, survey, out->header, options->id_column);
    if (out->header)
        PASS(named_ids(out, survey, scan));
    if (out->id_column == 0 && ids == TABLE_IDS_FIRST)
        out->id_column = 1;
    if (out->id_column > 0)
        return GRACO_OK;
    PASS(table_permutations(found, survey->count, scan));
    if (found[1] || (found[0] && out->header))
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s: column %" PRId64 " has the number of each node once, and may be "
                           "ids or a feature: --id-column %" PRId64 " or --id-column none decides",
                           survey->file, found[0], found[0]);
    out->id_column = found[0];
    return GRACO_OK;
}

/* ---- Columns --------------------------------------------------------------------------------- */

static graco_status fail_column(const struct survey *survey, const struct column *column,
                                const struct below *below, const char *wanted)
{
    return status_fail(
        GRACO_ERROR_FORMAT, "%s, line %" PRId64 ": column `%.80s` has \"%.*s\": expected %s",
        survey->file, below->line, column->name, scan_shown(below->word), below->word.text, wanted);
}

static graco_status choose_kind(struct column *column, const struct survey *survey,
                                const struct below *below)
{
    int64_t numbers = below->cells[CELL_NUMBER], others = -below->cells[CELL_GAP];
    enum cell kind = kind_of(below);
    for (int cell = 0; cell < CELLS; cell++)
        others += cell == CELL_NUMBER ? 0 : below->cells[cell];
    if (below->cells[CELL_COMMA] > 0 && below->cells[CELL_COMMA] + numbers == others + numbers)
        return fail_column(survey, column, below,
                           "numbers with a decimal point and without commas");
    if (kind == CELL_UNCLEAR)
        return fail_column(survey, column, below, "dates as 2024-03-31");
    if (others > 0 && numbers >= others)
        return fail_column(
            survey, column, below,
            "numbers or gaps (such as an empty field or NA), as most of the column has");
    column->kind = kind == CELL_TRUTH                        ? COLUMN_TRUTHS
                   : kind == CELL_DATE                       ? COLUMN_DATES
                   : kind == CELL_NUMBER || kind == CELL_GAP ? COLUMN_NUMBERS
                                                             : COLUMN_WORDS;
    return GRACO_OK;
}

/* Whether a column of the file is one of the table's. */
static bool is_taken(const struct table_columns *table, int64_t column)
{
    return column + 1 != table->id_column && !(column == 0 && table->numbered);
}

static graco_status take_name(char **out, struct scan_field field, bool header, int64_t column)
{
    char number[NUMBER_ROOM];
    snprintf(number, sizeof number, "%" PRId64, column + 1);
    if (!header || field.length == 0)
        return memory_string(out, number);
    PASS(memory_zalloc(out, field.length + 1, 1));
    char *to = *out;
    for (int64_t i = 0; i < field.length; i++) {
        *to++ = field.text[i];
        i += field.doubled && field.text[i] == '"';
    }
    utf8_mend(*out);
    return GRACO_OK;
}

static graco_status make_room(struct column *column, int64_t rows)
{
    column->stride = 1;
    if (column->kind == COLUMN_WORDS) {
        PASS(memory_alloc(&column->code, rows, sizeof *column->code));
        return names_create(&column->words);
    }
    PASS(memory_alloc(&column->owned, rows, sizeof *column->owned));
    column->number = column->owned;
    return GRACO_OK;
}

static graco_status make_columns(struct table_columns *out, const struct survey *survey)
{
    int64_t count = 0;
    for (int64_t c = 0; c < survey->count; c++)
        count += is_taken(out, c);
    if (count == 0)
        return status_fail(GRACO_ERROR_FORMAT, "%s holds no features: columns are expected",
                           survey->file);
    PASS(columns_create(&out->columns, survey->rows, count));
    out->columns->unnamed = !out->header;
    struct column *column = out->columns->list;
    for (int64_t c = 0; c < survey->count; c++) {
        if (!is_taken(out, c))
            continue;
        PASS(take_name(&column->name, survey->below[c].first, out->header, c));
        PASS(choose_kind(column, survey, &survey->below[c]));
        PASS(make_room(column, survey->rows));
        column++;
    }
    return GRACO_OK;
}

static graco_status read_cell(struct column *column, int64_t row, struct scan_field field,
                              const struct scan *scan)
{
    double value;
    if (column->kind == COLUMN_WORDS) {
        column->code[row] = -1;
        return column_is_gap(field) ? GRACO_OK
                                    : table_add_name(&column->code[row], column->words, field);
    }
    if (cell_read(&value, field) != CELL_GAP && !isfinite((float)value))
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s, line %" PRId64 ": column `%.80s` has \"%.*s\": expected a finite "
                           "number",
                           scan->file, scan->line, column->name, scan_shown(field), field.text);
    column->owned[row] = (float)value;
    return GRACO_OK;
}

static graco_status add_id(struct names *ids, struct scan_field field, const struct scan *scan)
{
    int32_t number = 0;
    int64_t before = names_count(ids);
    if (field.length == 0)
        return status_fail(GRACO_ERROR_FORMAT, "%s, line %" PRId64 ": an id is empty", scan->file,
                           scan->line);
    PASS(table_add_name(&number, ids, field));
    if (number < before)
        return status_fail(GRACO_ERROR_FORMAT, "%s, line %" PRId64 ": the id \"%.*s\" is repeated",
                           scan->file, scan->line, scan_shown(field), field.text);
    return GRACO_OK;
}

static graco_status read_rows(struct table_columns *table, int64_t fields, struct scan scan)
{
    struct scan_field field = {0};
    bool found = true;
    for (int64_t row = 0; scan_line(&scan); row++) {
        struct column *column = table->columns->list;
        for (int64_t c = 0; c < fields; c++) {
            PASS(scan_next(&field, &found, &scan));
            if (c + 1 == table->id_column)
                PASS(add_id(table->ids, field, &scan));
            else if (is_taken(table, c))
                PASS(read_cell(column++, row, field, &scan));
        }
    }
    return GRACO_OK;
}

graco_status column_of_texts(struct column *out, const char *const *texts, int64_t rows)
{
    struct below below = {0};
    struct survey survey = {.below = &below, .count = 1, .rows = rows, .file = "features"};
    struct scan scan = {.file = survey.file};
    double value;
    for (int64_t r = 0; r < rows; r++) {
        struct scan_field field = {texts[r], texts[r] ? (int64_t)strlen(texts[r]) : 0, false};
        enum cell cell = cell_read(&value, field);
        below.cells[cell]++;
        if (cell == CELL_GAP || cell == CELL_NUMBER || below.word.text)
            continue;
        below.word = field;
        below.line = r + 1;
    }
    PASS(choose_kind(out, &survey, &below));
    PASS(make_room(out, rows));
    for (int64_t r = 0; r < rows; r++) {
        struct scan_field field = {texts[r], texts[r] ? (int64_t)strlen(texts[r]) : 0, false};
        scan.line = r + 1;
        PASS(read_cell(out, r, field, &scan));
    }
    return GRACO_OK;
}

/* Columns are found again by their names. */
static graco_status check_names(const struct columns *columns, const char *file)
{
    struct names *names = NULL;
    graco_status status = GRACO_OK;
    int32_t number;
    TRY(names_create(&names));
    for (int64_t c = 0; c < columns->count; c++) {
        const char *name = columns->list[c].name;
        TRY(names_add(&number, names, name, (int64_t)strlen(name)));
        if (number < c)
            FAIL(GRACO_ERROR_FORMAT,
                 "%s: two columns are called `%.80s`: expected names that differ", file, name);
    }
done:
    names_free(names);
    return status;
}

/* Fails if words are numbers with units, or no text that JSON can hold. */
static graco_status check_words(const struct columns *columns, const char *file)
{
    for (int64_t c = 0; c < columns->count; c++) {
        const struct column *column = &columns->list[c];
        int64_t count = column->words ? names_count(column->words) : 0, digits = 0;
        for (int64_t w = 0; w < count; w++) {
            const char *text = names_text(column->words, w);
            if (text[utf8_prefix(text)])
                return status_fail(GRACO_ERROR_FORMAT,
                                   "%s: column `%.80s` has a word that is not UTF-8", file,
                                   column->name);
            digits += *text >= '0' && *text <= '9';
        }
        if (count > UNITS_LEAST && digits == count)
            return status_fail(GRACO_ERROR_FORMAT,
                               "%s: column `%.80s` has \"%.40s\" and %" PRId64
                               " others that begin with a digit: expected numbers without units",
                               file, column->name, names_text(column->words, 0), count - 1);
    }
    return GRACO_OK;
}

graco_status columns_check(const struct columns *columns, const char *file)
{
    PASS(check_names(columns, file));
    return check_words(columns, file);
}

bool table_is_mixed(const char *file, const void *bytes, int64_t length, enum table_ids ids,
                    const struct table_options *options)
{
    struct scan scan;
    struct scan_field field = {0};
    bool first_too =
        ids != TABLE_IDS_FIRST || (options->id_column && strcmp(options->id_column, "none") == 0);
    scan_start(&scan, file, bytes, length);
    scan.separator = options->separator;
    scan.empties = true;
    scan_line(&scan);
    while (scan_line(&scan)) {
        bool found = true;
        for (int64_t c = 0;; c++) {
            if (scan_next(&field, &found, &scan) != GRACO_OK)
                return true; /* whose message is as good */
            if (!found)
                break;
            if ((c > 0 || first_too) && !scan_is_number(field))
                return true;
            double value;
            if (c > 0 && column_is_gap(field) && scan_number(&value, field)) /* nan */
                return true;
        }
    }
    return false;
}

void table_columns_clear(struct table_columns *table)
{
    columns_free(table->columns);
    names_free(table->ids);
    *table = (struct table_columns){0};
}

graco_status table_columns_read(struct table_columns *out, const char *file, const void *bytes,
                                int64_t length, enum table_ids ids,
                                const struct table_options *options)
{
    struct scan scan, rest;
    struct survey survey = {.file = file};
    graco_status status = GRACO_OK;
    options = options ? options : &no_options;
    *out = (struct table_columns){0};
    scan_start(&scan, file, bytes, length);
    scan.separator = options->separator;
    scan.empties = true;
    rest = scan;
    if (!scan_line(&rest))
        FAIL(GRACO_ERROR_FORMAT, "%s holds no features: rows are expected", file);
    scan.separator = rest.separator;
    TRY(survey_first(&survey, rest));
    while (scan_line(&rest))
        TRY(survey_line(&survey, &rest));
    TRY(choose_header(&out->header, &survey, options));
    rest = scan;
    if (out->header)
        scan_line(&scan);
    else
        TRY((scan_line(&rest), survey_line(&survey, &rest)));
    if (survey.rows == 0)
        FAIL(GRACO_ERROR_FORMAT, "%s holds a header and no rows", file);
    TRY(choose_ids(out, &survey, ids, options, scan));
    if (out->header && out->id_column > 0)
        out->id_name = survey.below[out->id_column - 1].first;
    TRY(make_columns(out, &survey));
    if (out->id_column > 0)
        TRY(names_create(&out->ids));
    TRY(read_rows(out, survey.count, scan));
    TRY(columns_check(out->columns, file));
done:
    memory_free(survey.below);
    if (status != GRACO_OK)
        table_columns_clear(out);
    return status;
}

graco_status table_column_names(char ***out, const char *file, const void *bytes, int64_t length,
                                const struct table_numbers *table,
                                const struct table_options *options)
{
    graco_status status = GRACO_OK;
    struct table_columns taken = {.id_column = table->id_column, .numbered = table->numbered};
    struct survey survey = {.file = file};
    struct scan scan;
    char **list = NULL, *block = NULL, *name = NULL;
    int64_t next = 0;
    scan_start(&scan, file, bytes, length);
    scan.separator = options->separator;
    scan.empties = true;
    scan_line(&scan);
    TRY(survey_first(&survey, scan));
    TRY(memory_alloc(&block, scan.line_end - scan.at + NUMBER_ROOM * survey.count, 1));
    TRY(memory_alloc(&list, survey.count, sizeof *list));
    char *at = block;
    for (int64_t c = 0; c < survey.count; c++) {
        if (!is_taken(&taken, c))
            continue;
        TRY(take_name(&name, survey.below[c].first, table->header, c));
        list[next++] = strcpy(at, name);
        at += strlen(name) + 1;
        memory_free(name);
        name = NULL;
    }
    *out = list;
    list = NULL;
    block = NULL;
done:
    memory_free(name);
    memory_free(block);
    memory_free(list);
    memory_free(survey.below);
    return status;
}
