/* Labels of text tables. A first pass surveys what the labels are like, a second one reads them;
 * classes that have names are numbered in the order of the names. */
#include "io/tables/table.h"

#include "base/memory.h"
#include "io/tables/scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void table_labels_clear(struct table_labels *labels)
{
    if (!labels)
        return;
    memory_free(labels->label);
    names_free(labels->ids);
    names_free(labels->labels);
    *labels = (struct table_labels){0};
}

/* What the labels of a file are like. */
struct survey {
    bool header;                     /* the first line is one */
    bool guessed;                    /* by nothing but its label: the only one that is no number */
    struct scan_field first[2];      /* the id and the label of the first line */
    bool numbers;                    /* all labels are class numbers or empty */
    int64_t columns;                 /* one, two, or more under a header that names the two */
    int64_t id_column, label_column; /* from 1; 0: none */
};

static graco_status fail_columns(int64_t count, const struct scan *scan)
{
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s, line %" PRId64 ": %" PRId64 " fields found, a label or an id and a "
                       "label are expected, the same on every line; beside further columns a "
                       "header must name the two",
                       scan->file, scan->line, count);
}

/* The label of a line goes to fields[1], its id, if the file has ids, to fields[0]; a header's may be empty. */
static graco_status read_line(struct scan_field fields[2], const struct survey *survey,
                              struct scan *scan)
{
    struct scan_field field = {0};
    bool found = true;
    int64_t count = 0;
    for (;; count++) {
        PASS(scan_next(&field, &found, scan));
        if (!found)
            break;
        if (count + 1 == survey->id_column)
            fields[0] = field;
        else if (count + 1 == survey->label_column)
            fields[1] = field;
    }
    if (count != survey->columns)
        return fail_columns(count, scan);
    return GRACO_OK;
}

graco_status table_fail_header(struct scan_field label, const char *file)
{
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s: the first line, with \"%.*s\", may be a header or the label of a "
                       "node: --header yes or --header no decides",
                       file, (int)(label.length < 40 ? label.length : 40), label.text);
}

/* Whether a header's word names a column of labels. */
static bool names_labels(struct scan_field field)
{
    static const char *const words[] = {"label",    "labels",  "class", "class_id", "y", "target",
                                        "category", "subject", "group", "type",     NULL};
    return scan_listed(field, words);
}

/* Whether the user's words are the number of a column, from 1. */
static bool is_place(int64_t *out, const char *words, int64_t columns)
{
    struct scan_field text = {.text = words, .length = (int64_t)strlen(words)};
    int64_t place;
    if (!scan_integer(&place, text, 1, columns))
        return false;
    *out = place;
    return true;
}

/* Which of two columns has the ids: the one the user says, the one a header calls so, the first. A
 * word of ids in the second column is a header if the first is called as labels are; beside a number
 * it is a label; else it has two readings. */
static graco_status find_ids(int64_t *out, const struct scan_field fields[2], const char *file,
                             const struct table_options *options)
{
    const char *const chosen[] = {options->id_column, NULL};
    double value;
    bool second = fields[1].length > 0 && table_names_ids(fields[1]) &&
                  !table_names_ids(fields[0]) && !scan_number(&value, fields[0]) &&
                  options->header != TABLE_HEADER_NO;
    *out = second ? 2 : 1;
    if (second && !options->id_column && options->header == TABLE_HEADER_LOOK &&
        !names_labels(fields[0]))
        return table_fail_header(fields[1], file);
    if (!options->id_column || is_place(out, options->id_column, 2))
        return GRACO_OK;
    if (scan_listed(fields[0], chosen) || scan_listed(fields[1], chosen))
        *out = scan_listed(fields[0], chosen) ? 1 : 2;
    else
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s has no column of ids '%s': expected a name in its header, 1 or 2",
                           file, chosen[0]);
    return GRACO_OK;
}

/* Of more than two columns the header calls one as labels are and one as ids are, unless the user says
 * which has the ids. Beside it a first column without a name may have the numbers of the rows; alone it has
 * the ids. `scan` stands before the fields of the first line. */
static graco_status named_columns(struct survey *out, struct scan scan,
                                  const struct table_options *options)
{
    const char *const chosen[] = {options->id_column, NULL};
    struct scan_field field = {0};
    struct scan rows = scan;
    bool found = true, unnamed = false, numbered = true;
    int ids = 0, labels = 0;
    for (;; out->columns++) {
        PASS(scan_next(&field, &found, &scan));
        if (!found)
            break;
        if (out->columns == 0 && field.length == 0)
            unnamed = !options->id_column;
        else if (options->id_column ? scan_listed(field, chosen) : table_names_ids(field)) {
            out->id_column = out->columns + 1;
            ids += ids < 2;
        } else if (names_labels(field)) {
            out->label_column = out->columns + 1;
            labels += labels < 2;
        }
    }
    if (options->id_column && is_place(&out->id_column, options->id_column, out->columns))
        ids = 1;
    if (unnamed && ids == 0)
        out->id_column = ids = 1;
    else if (unnamed)
        PASS(table_row_numbers(&numbered, rows));
    if (!numbered)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s: columns 1 and %" PRId64 " both may be ids: --id-column with one of "
                           "these numbers decides",
                           scan.file, out->id_column);
    if (ids != 1 || labels != 1 || out->id_column == out->label_column ||
        options->header == TABLE_HEADER_NO)
        return fail_columns(out->columns, &scan);
    out->header = true;
    return GRACO_OK;
}

static graco_status find_columns(struct survey *out, struct scan scan,
                                 const struct table_options *options)
{
    struct scan_field fields[2];
    int count = 0;
    *out = (struct survey){0};
    if (!scan_line(&scan))
        return GRACO_OK;
    struct scan line = scan;
    PASS(scan_fields(fields, &count, 2, &line));
    if (count > 2)
        return named_columns(out, scan, options);
    out->columns = count;
    if (count == 2)
        PASS(find_ids(&out->id_column, fields, scan.file, options));
    out->label_column = out->id_column == 1 ? 2 : 1;
    return GRACO_OK;
}

/* Whether the first line is a header, by its own words: the label is called as labels are, or the
 * id as ids are. `again`: another node has the same label. */
static graco_status worded_header(bool *out, const struct scan_field first[2], bool ids, bool again,
                                  const char *file)
{
    *out = names_labels(first[1]) || (ids && table_names_ids(first[0]));
    return *out && again ? table_fail_header(first[1], file) : GRACO_OK;
}

/* Fails if the first line, a header by its label alone, may well be a node's: the label is a number or stands
 * for an unknown one, or the id is a number. */
static graco_status guessed_header(struct survey *survey, const char *file)
{
    static const char *const unknown[] = {"nil", "none", "-", "missing", "?", ".", "unknown", NULL};
    const struct scan_field *first = survey->first;
    survey->guessed =
        !names_labels(first[1]) && !(survey->columns > 1 && table_names_ids(first[0]));
    return survey->guessed && (scan_is_number(first[1]) || scan_listed(first[1], unknown) ||
                               (survey->columns > 1 && scan_is_number(first[0])))
               ? table_fail_header(first[1], file)
               : GRACO_OK;
}

/* Whether a label is unknown: empty, or what programs write where they have none. */
static bool is_unknown(struct scan_field label)
{
    static const char *const words[] = {"na", "n/a", "<na>", "nan", "null", NULL};
    return label.length == 0 || scan_listed(label, words);
}

static bool same_text(struct scan_field a, struct scan_field b)
{
    return a.length == b.length && memcmp(a.text, b.text, (size_t)a.length) == 0;
}

static graco_status survey_labels(struct survey *out, struct scan scan,
                                  const struct table_options *options)
{
    struct scan_field fields[2] = {0};
    struct survey survey = {0};
    int64_t lines = 0, words = 0, value;
    bool first_word = false, again = false;
    PASS(find_columns(&survey, scan, options));
    for (; scan_line(&scan); lines++) {
        PASS(read_line(fields, &survey, &scan));
        if (lines > 0 && survey.columns == 1 && scan.skipped)
            return status_fail(GRACO_ERROR_FORMAT,
                               "%s, line %" PRId64 ": empty lines stand before it, and may be left "
                               "out or be unknown labels: remove them, or write -1 for unknown",
                               scan.file, scan.line);
        bool word =
            !is_unknown(fields[1]) && !scan_integer(&value, fields[1], -1, TABLE_CLASSES - 1);
        words += word;
        again |= lines > 0 && same_text(fields[1], survey.first[1]);
        if (lines > 0)
            continue;
        first_word = word;
        memcpy(survey.first, fields, sizeof survey.first);
    }
    bool alone = !survey.header && lines > 1 && first_word && words == 1;
    survey.header = survey.header || alone;
    if (options->header != TABLE_HEADER_LOOK)
        survey.header = options->header == TABLE_HEADER_YES;
    else if (alone)
        PASS(guessed_header(&survey, scan.file));
    else if (!survey.header && first_word && lines > 1)
        PASS(worded_header(&survey.header, survey.first, survey.columns > 1, again, scan.file));
    survey.numbers = words == (survey.header && first_word);
    *out = survey;
    return GRACO_OK;
}

static graco_status read_labels(struct table_labels *labels, const struct survey *survey,
                                struct scan scan)
{
    struct scan_field fields[2] = {0};
    int32_t number = 0;
    int64_t value = 0, classes = 0;
    if (survey->header)
        scan_line(&scan);
    while (scan_line(&scan)) {
        PASS(read_line(fields, survey, &scan));
        if (labels->ids && fields[0].length == 0)
            return status_fail(GRACO_ERROR_FORMAT, "%s, line %" PRId64 ": an id is empty",
                               scan.file, scan.line);
        if (labels->ids) {
            PASS(table_add_name(&number, labels->ids, fields[0]));
            if (number != labels->count)
                return status_fail(GRACO_ERROR_FORMAT,
                                   "%s, line %" PRId64 ": the id \"%s\" is repeated", scan.file,
                                   scan.line, names_text(labels->ids, number));
        }
        if (is_unknown(fields[1])) {
            number = -1;
        } else if (survey->numbers) {
            scan_integer(&value, fields[1], -1, TABLE_CLASSES - 1);
            number = (int32_t)value;
        } else {
            PASS(table_add_name(&number, labels->labels, fields[1]));
        }
        labels->label[labels->count++] = number;
        classes = number >= classes ? number + 1 : classes;
    }
    labels->classes = classes;
    return GRACO_OK;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Gives every class the number that `to` (its names) has for it; a text is so read once, however many
 * nodes have it. */
static void renumber(struct table_labels *labels, const int32_t *to)
{
    for (int64_t i = 0; i < labels->count; i++)
        if (labels->label[i] >= 0)
            labels->label[i] = to[labels->label[i]];
}

/* Renumbers named classes by name, so that the order of rows does not matter. */
static graco_status sort_classes(struct table_labels *labels)
{
    struct names *sorted = NULL;
    char **list = NULL, *block = NULL;
    int32_t *to = NULL, number;
    graco_status status = GRACO_OK;
    TRY(names_list(&list, labels->labels));
    block = list[0];
    TRY(memory_alloc(&to, names_count(labels->labels), sizeof *to));
    qsort(list, (size_t)labels->classes, sizeof *list, compare_texts);
    TRY(names_create(&sorted));
    for (int64_t c = 0; c < labels->classes; c++) {
        TRY(names_add(&number, sorted, list[c], (int64_t)strlen(list[c])));
        to[names_find(labels->labels, list[c], (int64_t)strlen(list[c]))] = number;
    }
    renumber(labels, to);
    names_free(labels->labels);
    labels->labels = sorted;
    sorted = NULL;
done:
    names_free(sorted);
    memory_free(to);
    memory_free(block);
    memory_free(list);
    return status;
}

graco_status table_labels_number(struct table_labels *labels)
{
    graco_status status = GRACO_OK;
    int64_t value = 0, classes = 0, count = names_count(labels->labels);
    int32_t *to = NULL;
    TRY(memory_alloc(&to, count, sizeof *to));
    for (int64_t c = 0; c < count; c++) {
        const char *text = names_text(labels->labels, c);
        struct scan_field field = {.text = text, .length = (int64_t)strlen(text)};
        if (!scan_integer(&value, field, -1, TABLE_CLASSES - 1)) {
            status = sort_classes(labels);
            goto done;
        }
        to[c] = (int32_t)value;
    }
    renumber(labels, to);
    for (int64_t i = 0; i < labels->count; i++)
        classes = labels->label[i] >= classes ? labels->label[i] + 1 : classes;
    labels->classes = classes;
    names_free(labels->labels);
    labels->labels = NULL;
done:
    memory_free(to);
    return status;
}

graco_status table_labels_read(struct table_labels *out, const char *file, const void *bytes,
                               int64_t length, const struct table_options *options)
{
    struct survey survey = {0};
    struct scan scan;
    graco_status status = GRACO_OK;
    *out = (struct table_labels){0};
    scan_start(&scan, file, bytes, length);
    scan.separator = options ? options->separator : 0;
    scan.empties = true;
    TRY(survey_labels(&survey, scan, options ? options : &(struct table_options){0}));
    out->header = survey.header;
    out->guessed = survey.guessed;
    memcpy(out->first, survey.first, sizeof out->first);
    out->id_column = survey.id_column;
    TRY(memory_alloc(&out->label, scan_count_lines(bytes, length), sizeof *out->label));
    if (survey.id_column > 0)
        TRY(names_create(&out->ids));
    if (!survey.numbers)
        TRY(names_create(&out->labels));
    TRY(read_labels(out, &survey, scan));
    if (out->count == 0)
        FAIL(GRACO_ERROR_FORMAT, "%s holds no labels", file);
    if (out->labels)
        TRY(sort_classes(out));
done:
    if (status != GRACO_OK)
        table_labels_clear(out);
    return status;
}
