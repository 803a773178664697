/* A first line is a header if the user says so or names a column, if it names both ends by words that headers
 * have, or if it has words above a column of another kind. It is an edge if one of its ends is a number or
 * stands again below. Otherwise it can be read in two ways. */
#include "io/tables/table_head.h"

#include "graco_command.h"
#include "base/memory.h"
#include "io/tables/table_ends.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What headers call ends. Two of them make a header. */
static const char *const ENDS[] = {
    "source", "src",  "from",    "sender",   "source_id", "src_id",  "from_id",     "target",
    "dst",    "dest", "to",      "receiver", "target_id", "dst_id",  "to_id",       "destination",
    "id",     "node", "node_id", "node1",    "node2",     "node_1",  "node_2",      "id1",
    "id2",    "name", "head",    "tail",     "weight",    "weights", "edge_weight", NULL};

/* A first line: its fields, and the same as texts. */
struct head {
    struct scan_field *fields; /* (count) */
    char **names;              /* (count) in the block */
    char *block;
    int64_t count;
    struct scan line; /* before the fields */
};

static void head_clear(struct head *head)
{
    memory_free(head->fields);
    memory_free(head->names);
    memory_free(head->block);
}

/* Counts the fields of a line. */
static graco_status count_fields(int64_t *out, struct scan line)
{
    struct scan_field field;
    bool found = true;
    line.empties = true;
    for (*out = -1; found; ++*out)
        PASS(scan_next(&field, &found, &line));
    if (*out <= TABLE_COLUMNS)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s, line %" PRId64 ": %" PRId64 " fields found: expected at most %d",
                       line.file, line.line, *out, (int)TABLE_COLUMNS);
}

/* Copies a field without the quotes that stand twice; returns what follows its NUL. */
static char *copy_field(char *to, struct scan_field field)
{
    for (int64_t i = 0; i < field.length; i++) {
        *to++ = field.text[i];
        i += field.doubled && field.text[i] == '"';
    }
    *to++ = '\0';
    return to;
}

/* `line` stands before the fields of the first line. */
static graco_status read_head(struct head *head, struct scan line)
{
    bool found = true;
    head->line = line;
    PASS(count_fields(&head->count, line));
    PASS(memory_zalloc(&head->fields, head->count, sizeof *head->fields));
    PASS(memory_alloc(&head->names, head->count, sizeof *head->names));
    PASS(memory_alloc(&head->block, line.line_end - line.at + 2 * head->count + 1, 1));
    char *at = head->block;
    line.empties = true;
    for (int64_t c = 0; c < head->count; c++) {
        PASS(scan_next(&head->fields[c], &found, &line));
        head->names[c] = at;
        at = copy_field(at, head->fields[c]);
    }
    return GRACO_OK;
}

/* ---- Whether it is a header ------------------------------------------------------------------ */

bool table_is_attributes(struct scan_field field)
{
    return field.length > 0 && field.text[0] == '{';
}

static graco_status fail_header(const struct scan_field ends[2], const char *file)
{
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s: the first line, \"%.*s\" and \"%.*s\", may be a header or an edge: "
                       "--header yes or --header no decides",
                       file, scan_shown(ends[0]), ends[0].text, scan_shown(ends[1]), ends[1].text);
}

static bool has_digit(struct scan_field field)
{
    for (int64_t i = 0; i < field.length; i++)
        if (field.text[i] >= '0' && field.text[i] <= '9')
            return true;
    return false;
}

/* Whether a field may be the name of a column: it begins with a letter, and is no number such as nan. */
static bool is_word(struct scan_field field)
{
    unsigned char first = field.length > 0 ? (unsigned char)field.text[0] : 0;
    if (scan_is_number(field))
        return false;
    return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_' ||
           first >= 128;
}

static bool same_text(struct scan_field a, struct scan_field b)
{
    return a.length == b.length && memcmp(a.text, b.text, (size_t)a.length) == 0;
}

/* So many names with digits are not there by chance. */
enum { DIGIT_ROWS = 3 };

/* What stands below the first line. */
struct survey {
    int64_t rows;
    bool
        other_kind; /* a column has words in the first line, and numbers below, or names with digits */
    bool again;     /* one of the first line's ends is an end below */
    bool same_kind; /* both ends have digits in all lines */
};

/* A column of the first line that has a word, and what all rows below have there. */
struct below {
    bool word, no_digit;
    bool numbers, digits;
};

static graco_status survey_row(struct survey *survey, struct below *below, const struct head *head,
                               const int64_t ends[2], struct scan *scan)
{
    struct scan_field field = {0};
    bool found = true;
    for (int64_t c = 0; c < head->count; c++) {
        PASS(scan_next(&field, &found, scan));
        if (!found)
            break;
        if (below[c].numbers)
            below[c].numbers = field.length == 0 || scan_is_number(field);
        if (below[c].digits)
            below[c].digits = field.length == 0 || has_digit(field);
        for (int i = 0; i < 2 && (c == ends[0] || c == ends[1]); i++)
            survey->again |= same_text(field, head->fields[ends[i]]);
    }
    return GRACO_OK;
}

/* Looks at all lines but the first, to which `scan` stands. */
static graco_status survey_rows(struct survey *survey, const struct head *head,
                                const int64_t ends[2], struct scan scan)
{
    graco_status status = GRACO_OK;
    struct below *below = NULL;
    *survey = (struct survey){0};
    TRY(memory_zalloc(&below, head->count, sizeof *below));
    for (int64_t c = 0; c < head->count; c++) {
        below[c].word = is_word(head->fields[c]);
        below[c].numbers = below[c].word;
        below[c].digits = below[c].word && (c == ends[0] || c == ends[1]);
    }
    scan.empties = true;
    scan_line(&scan);
    for (; scan_line(&scan); survey->rows++)
        TRY(survey_row(survey, below, head, ends, &scan));
    for (int64_t c = 0; c < head->count; c++)
        survey->other_kind |=
            (below[c].numbers && survey->rows > 0) ||
            (below[c].digits && survey->rows >= DIGIT_ROWS && !has_digit(head->fields[c]));
    survey->same_kind = true;
    for (int i = 0; i < 2; i++)
        survey->same_kind =
            survey->same_kind && below[ends[i]].digits && has_digit(head->fields[ends[i]]);
done:
    memory_free(below);
    return status;
}

/* Whether the words say it: both ends are named by a pair, or by words that headers have. */
static bool is_worded(const struct head *head, const int64_t ends[2])
{
    return table_ends_pair(head->names[ends[0]], head->names[ends[1]]) ||
           (scan_listed(head->fields[ends[0]], ENDS) && scan_listed(head->fields[ends[1]], ENDS));
}

/* `ends` are the columns that are ends if the first line is one, or is none. */
static graco_status look_header(bool *header, const struct head *head, const int64_t ends[2],
                                struct scan scan)
{
    const struct scan_field found[2] = {head->fields[ends[0]], head->fields[ends[1]]};
    struct survey survey;
    *header = is_worded(head, ends);
    if (*header || !is_word(found[0]) || !is_word(found[1]))
        return GRACO_OK;
    PASS(survey_rows(&survey, head, ends, scan));
    int listed = scan_listed(found[0], ENDS) + scan_listed(found[1], ENDS);
    *header = survey.other_kind && !survey.again;
    bool edge = survey.again || survey.same_kind;
    if (*header || survey.rows == 0 || (edge && !survey.other_kind && listed == 0))
        return GRACO_OK;
    return fail_header(found, scan.file);
}

/* ---- Which columns --------------------------------------------------------------------------- */

/* Whether the user names a column by a name, which only a header has. */
static bool is_name(const char *given, int64_t columns)
{
    int64_t place;
    struct scan_field text = {.text = given, .length = given ? (int64_t)strlen(given) : 0};
    return given && !scan_integer(&place, text, 1, columns);
}

static graco_ends_options ends_options(const struct table_options *options, const char *file)
{
    return (graco_ends_options){.source = options->source,
                                .target = options->target,
                                .weight = options->weight,
                                .table = file};
}

/* The columns that the names in the first line say, as if it were a header. A first column without a name that
 * has the numbers of the rows is passed over. */
static graco_status ends_by_names(graco_ends *ends, bool *numbered, const struct head *head,
                                  const struct table_options *options, struct scan scan)
{
    const graco_ends_options wanted = ends_options(options, scan.file);
    bool given = options->source || options->target || options->weight;
    *numbered = false;
    if (head->count > 2 && !given && table_ends_index(head->names[0])) {
        scan_line(&scan);
        PASS(table_row_numbers(numbered, scan));
    }
    PASS(graco_table_ends(ends, (const char *const *)head->names + *numbered,
                          head->count - *numbered, &wanted));
    ends->source += *numbered;
    ends->target += *numbered;
    ends->weight += *numbered && ends->weight >= 0;
    return GRACO_OK;
}

/* The columns of a list without a header. */
static graco_status ends_by_place(graco_ends *ends, const struct head *head,
                                  const struct table_options *options, const char *file)
{
    const char *given[] = {options->source, options->target, options->weight};
    int64_t *places[] = {&ends->source, &ends->target, &ends->weight};
    *ends = (graco_ends){.source = 0, .target = 1, .weight = -1};
    for (int i = 0; i < 3; i++) {
        struct scan_field text = {.text = given[i],
                                  .length = given[i] ? (int64_t)strlen(given[i]) : 0};
        if (!given[i])
            continue;
        if (!scan_integer(places[i], text, 1, head->count))
            return status_fail(GRACO_ERROR_ARGUMENT,
                               "%s has no header and no column '%s': expected a number from 1 to "
                               "%" PRId64,
                               file, given[i], head->count);
        --*places[i];
    }
    if (given[0] && !given[1] && head->count == 2)
        ends->target = 1 - ends->source;
    if (given[1] && !given[0] && head->count == 2)
        ends->source = 1 - ends->target;
    if (ends->source == ends->target || ends->source == ends->weight ||
        ends->target == ends->weight)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "%s: one column is two of source, target and weight: expected two columns", file);
    if (given[0] && given[1])
        return GRACO_OK;
    if (head->count == 3 && ends->weight < 0 && !given[0] && !given[1] &&
        (scan_is_number(head->fields[2]) || table_is_attributes(head->fields[2])))
        ends->weight = 2;
    if (head->count - (ends->weight >= 0) == 2)
        return GRACO_OK;
    if (head->count < 2)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s, line %" PRId64 ": %" PRId64 " fields found, two ids (and on every "
                           "line or none a weight) are expected",
                           file, head->line.line, head->count);
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s has %" PRId64
                       " columns%s and no header that names source and target: name "
                       "the two by number, such as --source 1 --target %d",
                       file, head->count, head->count == 3 ? ", the third without weights," : "",
                       head->count == 3 ? 3 : 2);
}

/* "edges from column 1 to column 3; weights in column 4; 2 columns left out". */
static void say_places(char *text, size_t size, const graco_ends *ends, int64_t columns)
{
    int64_t others = columns - 2 - (ends->weight >= 0);
    int used = snprintf(text, size, "edges from column %" PRId64 " to column %" PRId64,
                        ends->source + 1, ends->target + 1);
    if (ends->weight >= 0)
        used += snprintf(text + used, size - (size_t)used, "; weights in column %" PRId64,
                         ends->weight + 1);
    if (others > 0)
        snprintf(text + used, size - (size_t)used, "; %" PRId64 " column%s left out", others,
                 others == 1 ? "" : "s");
}

/* Decides about the header. Where the names in the first line tell two columns, these are the ends. */
static graco_status choose_header(struct table_edges *edges, const struct head *head,
                                  const struct table_options *options, struct scan scan)
{
    int64_t columns[2] = {0, 1};
    graco_ends ends;
    bool numbered = false;
    edges->header = options->header == TABLE_HEADER_YES || is_name(options->source, head->count) ||
                    is_name(options->target, head->count) || is_name(options->weight, head->count);
    if (edges->header || options->header == TABLE_HEADER_NO || head->count < 2)
        return GRACO_OK;
    edges->guessed = true;
    graco_status named = ends_by_names(&ends, &numbered, head, options, scan);
    if (named == GRACO_ERROR_MEMORY)
        return named;
    if (named == GRACO_OK) {
        columns[0] = ends.source;
        columns[1] = ends.target;
        if (numbered) { /* a data frame wrote it, with a header */
            edges->header = true;
            return GRACO_OK;
        }
    } else if (head->count > 3) {
        /* Neither reading has ends. The one that has more to say is refused. */
        edges->header = true;
        for (int64_t c = 0; c < head->count; c++)
            edges->header = edges->header && !scan_is_number(head->fields[c]);
        return GRACO_OK;
    }
    return look_header(&edges->header, head, columns, scan);
}

graco_status table_head_find(struct table_edges *edges, struct scan *scan,
                             const struct table_options *options)
{
    graco_status status = GRACO_OK;
    struct head head = {0};
    struct scan line = *scan;
    graco_ends ends;
    if (!scan_line(&line))
        return GRACO_OK;
    TRY(read_head(&head, line));
    scan->separator = line.separator;
    TRY(choose_header(edges, &head, options, *scan));
    if (edges->header) {
        TRY(ends_by_names(&ends, &edges->numbered, &head, options, *scan));
        snprintf(edges->reading, sizeof edges->reading, "%s", ends.reading);
        *scan = line;
    } else {
        TRY(ends_by_place(&ends, &head, options, scan->file));
        if (options->source || options->target || options->weight)
            say_places(edges->reading, sizeof edges->reading, &ends, head.count);
    }
    edges->columns = (int)head.count;
    edges->order[0] = (int)ends.source;
    edges->order[1] = (int)ends.target;
    edges->order[2] = (int)ends.weight;
    edges->left_out = head.count - edges->numbered - (ends.weight >= 0) > 2 ||
                      (ends.weight >= 0 && options->unweighted);
    edges->above[0] = head.fields[ends.source];
    edges->above[1] = head.fields[ends.target];
done:
    head_clear(&head);
    return status;
}

graco_status table_head_check(const struct table_edges *edges, const char *file)
{
    for (int i = 0; edges->names && edges->header && edges->guessed && i < 2; i++) {
        struct scan_field word = edges->above[i];
        char *block;
        PASS(table_undouble(&word, &block));
        bool taken = names_find(edges->names, word.text, word.length) >= 0;
        memory_free(block);
        if (taken)
            return fail_header(edges->above, file);
    }
    return GRACO_OK;
}
